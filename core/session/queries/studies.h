// SPDX-License-Identifier: Apache-2.0
#pragma once
// Studies of the model that is open (see core/study/studies): which there are, and one of them, answered. The model
// runs beside the run that is shown.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/session/query.h"
#include "core/study/studies/study.h"

namespace loupe::session {

struct StudyList {
    std::string error;
    std::vector<StudyInfo> studies;
};
auto fields(Like<StudyList> auto& it) { return std::tie(it.error, it.studies); }

struct StudiesQuery {
    using Answer = StudyList;
    static const QueryRecord& record();
};
auto fields(Like<StudiesQuery> auto&) { return std::tie(); }

struct StudyQuery {
    using Answer = StudyResult;
    using Progress = StudyProgress;
    static const QueryRecord& record();

    std::string name = {};
    std::map<std::string, std::string> options = {};
    std::filesystem::path file = {};  // an .npz of its arrays, to be written; empty: none
    static constexpr auto kWritten = &StudyQuery::file;
};
auto fields(Like<StudyQuery> auto& it) { return std::tie(it.name, it.options, it.file); }

}  // namespace loupe::session
