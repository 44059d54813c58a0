// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <ranges>

namespace c10 {
// 0, 1, ..., end - 1; start, ..., end - 1.
template <typename T>
auto irange(T end) {
    return std::views::iota(T{0}, std::max(T{0}, end));
}
template <typename A, typename B>
auto irange(A start, B end) {
    return std::views::iota(static_cast<B>(start), std::max(static_cast<B>(start), end));
}
}  // namespace c10
