// SPDX-License-Identifier: Apache-2.0
#pragma once
// What memory is used for.
#include <cstdint>
#include <string_view>

#include "core/base/scoped_value.h"

namespace loupe {

// What a block of memory is for.
enum class MemoryCategory : std::int8_t {
    Parameter,
    Buffer,
    Activation,
    SavedForBackward,
    Gradient,
    Workspace,
    Input,
    Other,
};
inline constexpr int kMemoryCategories = 8;
std::string_view memory_category_name(MemoryCategory category);  // "saved for backward"

// The category that allocations of this thread get while the object lives.
class MemoryCategoryScope final : ScopedValue<MemoryCategory> {
  public:
    explicit MemoryCategoryScope(MemoryCategory category);
};
MemoryCategory current_memory_category();

}  // namespace loupe
