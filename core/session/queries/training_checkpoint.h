// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the training of a checkpoint was done; base: options that it does not say.

#include <filesystem>

#include "core/session/query.h"
#include "core/train/training.h"

namespace loupe::session {

struct TrainingCheckpointQuery {
    using Answer = TrainingCheckpoint;
    static const QueryRecord& record();

    std::filesystem::path file = {};
    TrainOptions base = {};
};
auto fields(Like<TrainingCheckpointQuery> auto& it) { return std::tie(it.file, it.base); }

}  // namespace loupe::session
