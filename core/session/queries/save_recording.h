// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writes the last run as a recording that Session::open() takes (see recording_file.h). The answer is empty, or says
// why not.

#include <filesystem>
#include <string>

#include "core/session/query.h"

namespace loupe::session {

struct SaveRecordingQuery {
    using Answer = std::string;
    static const QueryRecord& record();

    std::filesystem::path file = {};
    std::string attached = {};  // text that is kept with it: AttachedTextQuery
    static constexpr auto kWritten = &SaveRecordingQuery::file;
};
auto fields(Like<SaveRecordingQuery> auto& it) { return std::tie(it.file, it.attached); }

}  // namespace loupe::session
