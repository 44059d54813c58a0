// SPDX-License-Identifier: Apache-2.0
#pragma once
// Two sequences laid side by side: the elements that are the same in both, in order, with what was inserted and removed
// between. As "patience diff": keys that are unique in both are anchors, and what lies between them is aligned by a
// longest common subsequence.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace loupe::session {

using AlignKey = std::uint64_t;

// Indices (in `a`, in `b`), ascending in both. O(n log n) for sequences that are much alike.
std::vector<std::pair<std::size_t, std::size_t>> align_sequences(std::span<const AlignKey> a,
                                                                 std::span<const AlignKey> b);

}  // namespace loupe::session
