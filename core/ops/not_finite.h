// SPDX-License-Identifier: Apache-2.0
#pragma once
// What helps against numbers that are not finite, for the records of several families. See NotFiniteNote.

#include <string_view>

#include "core/dispatch/record.h"

namespace loupe::advice {

inline constexpr std::string_view kLogits =
    "clamp it before (x.clamp(min=1e-8)), or compute with log_softmax or logsumexp";
inline constexpr std::string_view kDivide =
    "add an eps to the divisor, or replace its zeros with torch.where before dividing";
inline constexpr std::string_view kRoot = "add an eps under the root: torch.sqrt(x + 1e-12)";
inline constexpr std::string_view kShrink =
    "bring the numbers down before it: normalise or clip them, or lower the learning rate";
inline constexpr std::string_view kExponent =
    "subtract the maximum before (softmax and logsumexp do), or clamp what goes in";
inline constexpr std::string_view kMask =
    "leave every row one position that is not masked, or set such rows to 0 with nan_to_num or torch.where behind it";
inline constexpr std::string_view kProduct =
    "choose with torch.where or masked_fill instead of multiplying with 0, and keep Inf out of what is multiplied";
inline constexpr std::string_view kDifference =
    "keep the infinite terms apart: mask with a large finite number instead of Inf, or subtract before they become "
    "infinite";
inline constexpr std::string_view kSpread = "take it over more than one element, or with correction=0 (unbiased=False)";
inline constexpr std::string_view kNone = "give it at least one element, or skip empty batches";
inline constexpr std::string_view kClampOne = "clamp it inside (-1, 1) before: x.clamp(-1 + 1e-7, 1 - 1e-7)";

}  // namespace loupe::advice
