// SPDX-License-Identifier: Apache-2.0
#pragma once
// The gradients that the parameters have, or had in the recorded run.

#include <vector>

#include "core/record/gradient_row.h"
#include "core/session/query.h"

namespace loupe::session {

struct GradientsQuery {
    using Answer = std::vector<GradientRow>;
    static const QueryRecord& record();
};
auto fields(Like<GradientsQuery> auto&) { return std::tie(); }

}  // namespace loupe::session
