// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes the model's parameters and buffers as they are now, as torch.save writes a state_dict (.pt, .pth), as
// .safetensors or as an .npz. The answer is empty, or says why not.

#include <filesystem>
#include <string>

#include "core/session/query.h"

namespace loupe::session {

struct SaveWeightsQuery {
    using Answer = std::string;
    static const QueryRecord& record();

    std::filesystem::path file = {};
    static constexpr auto kWritten = &SaveWeightsQuery::file;
};
auto fields(Like<SaveWeightsQuery> auto& it) { return std::tie(it.file); }

}  // namespace loupe::session
