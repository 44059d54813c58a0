// SPDX-License-Identifier: Apache-2.0
#pragma once
// New first values for the parameters of a module and all below it, as its layers' reset_parameters give them. The
// answer is empty, or says why not; also when no layer there has one.

#include <cstdint>
#include <string>

#include "core/session/query.h"

namespace loupe::session {

struct ResetParametersQuery {
    using Answer = std::string;
    static const QueryRecord& record();

    std::string module = {};
    std::uint64_t seed = 0;
};
auto fields(Like<ResetParametersQuery> auto& it) { return std::tie(it.module, it.seed); }

}  // namespace loupe::session
