// SPDX-License-Identifier: Apache-2.0
#pragma once
// Why an element is NaN or Inf, in the elements it was made of.

#include <string>
#include <vector>

#include "core/base/said.h"
#include "core/study/event_function.h"
#include "core/study/share_groups.h"

namespace loupe::session {

// Elements that an element of the result read of the sources, with coefficients that are Inf or NaN where they came of
// such numbers: the plain derivative has NaN wherever a 0 of the gradient meets one. One list for each source.
std::vector<std::vector<ShareTerm>> terms_of_bad(const RecordedCall& call, const std::vector<bool>& is_source,
                                                 std::size_t output, std::int64_t flat);
// "0 * inf: input[0, 3] = 0 and weight[2, 3] = inf"; the first of each kind.
std::vector<Said> causes_of(const std::vector<ShareGroup>& groups, bool is_linear);

}  // namespace loupe::session
