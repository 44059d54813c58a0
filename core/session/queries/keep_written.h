// SPDX-License-Identifier: Apache-2.0
#pragma once
// Copies what is in a source's fresh folder into another. Nothing there is overwritten. The answer is empty, or says
// why not.

#include <filesystem>
#include <string>

#include "core/session/query.h"

namespace loupe::session {

struct KeepWrittenQuery {
    using Answer = std::string;
    static const QueryRecord& record();

    std::filesystem::path fresh_folder = {};
    std::filesystem::path to = {};
};
auto fields(Like<KeepWrittenQuery> auto& it) { return std::tie(it.fresh_folder, it.to); }

}  // namespace loupe::session
