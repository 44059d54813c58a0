// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sizes that differ between the constituents of a nested tensor.

#include <cstdint>
#include <string>

namespace loupe {

// The ragged dimension's size, which differs from sequence to sequence, is a number below all sizes that stands for j1,
// j2, ...; that of id 0 is an irregular size of the strided layout, which has no name.
constexpr std::int64_t kFirstRagged = -(std::int64_t{1} << 62);
constexpr std::int64_t ragged_size(std::int64_t id) { return kFirstRagged + id; }
constexpr bool is_ragged_size(std::int64_t size) { return size < kFirstRagged / 2; }
// "j1", "*", "8".
inline std::string size_text(std::int64_t size) {
    if (size == kFirstRagged) return "*";
    return is_ragged_size(size) ? "j" + std::to_string(size - kFirstRagged) : std::to_string(size);
}

}  // namespace loupe
