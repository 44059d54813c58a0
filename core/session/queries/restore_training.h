// SPDX-License-Identifier: Apache-2.0
#pragma once
// The model, optimiser and curves of a checkpoint, as if its training had been stopped just now; Session::train_on()
// goes on. The answer is empty, or says why only the weights, or nothing, came back.

#include <filesystem>
#include <string>

#include "core/session/query.h"

namespace loupe::session {

struct RestoreTrainingQuery {
    using Answer = std::string;
    static const QueryRecord& record();

    std::filesystem::path file = {};
};
auto fields(Like<RestoreTrainingQuery> auto& it) { return std::tie(it.file); }

}  // namespace loupe::session
