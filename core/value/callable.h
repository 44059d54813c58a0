// SPDX-License-Identifier: Apache-2.0
#pragma once
// A callable with positional and keyword arguments: a function of a model source, a class, an activation passed to a
// layer. An IValue holds one as Tag::Other.

#include <string>
#include <utility>
#include <vector>

#include "core/value/ivalue.h"

namespace loupe {

struct CallArguments {
    std::vector<IValue> positional;
    std::vector<std::pair<std::string, IValue>> keywords;
};

class Callable : public RefCounted {
  public:
    // Throws Error (Run).
    virtual IValue call(CallArguments arguments) = 0;
    // Its name in messages and printed modules: "gelu".
    virtual std::string describe() const = 0;
    // As a key of a dict: Python's == and hash(). By default by identity.
    virtual bool is_equal(const IValue& other) const;
    virtual std::size_t hash() const;
};

}  // namespace loupe
