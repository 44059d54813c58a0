// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/value/ivalue.h"

namespace loupe::python {

// The names at a module's level, in the order in which the source mentions them.
class Namespace : public RefCounted {
  public:
    virtual std::optional<IValue> find(std::string_view name) const = 0;
    virtual void set(std::string_view name, IValue value) = 0;
    virtual bool erase(std::string_view name) = 0;
    // Those that have a value.
    virtual std::vector<std::pair<std::string, IValue>> entries() const = 0;
};
using NamespacePtr = Ptr<Namespace>;

}  // namespace loupe::python
