// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes the training as a dict that torch.load opens: model_state_dict, optimizer_state_dict, scheduler_state_dict,
// epoch, step, loss, rng_state, and what it takes to go on as if it had not been left (TrainOptions::resume). Inside a
// step: as it was before the step. The answer is empty, or says why not.

#include <filesystem>
#include <string>

#include "core/session/query.h"

namespace loupe::session {

struct SaveCheckpointQuery {
    using Answer = std::string;
    static const QueryRecord& record();

    std::filesystem::path file = {};
    static constexpr auto kWritten = &SaveCheckpointQuery::file;
};
auto fields(Like<SaveCheckpointQuery> auto& it) { return std::tie(it.file); }

}  // namespace loupe::session
