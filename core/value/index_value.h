// SPDX-License-Identifier: Apache-2.0
#pragma once
// Objects that stand for an integer where one is expected, as Python's __index__ makes it.

#include <cstdint>
#include <optional>

#include "core/value/ivalue.h"

namespace loupe {

class IndexValue {
  public:
    virtual ~IndexValue() = default;
    virtual std::int64_t index() const = 0;
};

// The integer of such an object; nullopt for another value.
inline std::optional<std::int64_t> index_value(const IValue& value) {
    const auto* const object = value.is_other() ? dynamic_cast<const IndexValue*>(value.object_pointer())
                                                : static_cast<const IndexValue*>(nullptr);
    return object == nullptr ? std::nullopt : std::optional(object->index());
}

}  // namespace loupe
