// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loads a checkpoint (.pt, .pth, .npz) into the model as load_state_dict does. One that does not fit changes nothing;
// not strict: missing and unexpected names are passed over.

#include <filesystem>

#include "core/model/weights.h"
#include "core/session/query.h"

namespace loupe::session {

struct LoadWeightsQuery {
    using Answer = WeightsReport;
    static const QueryRecord& record();

    std::filesystem::path file = {};
    bool strict = true;
};
auto fields(Like<LoadWeightsQuery> auto& it) { return std::tie(it.file, it.strict); }

}  // namespace loupe::session
