// SPDX-License-Identifier: Apache-2.0
#pragma once
// Categories of memory use.
#include <cstdint>
#include <string_view>

#include "core/base/scoped_value.h"

namespace loupe {

// The use of a block of memory.
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

// The category of this thread's allocations in a scope.
class MemoryCategoryScope final : ScopedValue<MemoryCategory> {
  public:
    explicit MemoryCategoryScope(MemoryCategory category);
};
MemoryCategory current_memory_category();

}  // namespace loupe
