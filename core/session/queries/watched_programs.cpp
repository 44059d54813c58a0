// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/watched_programs.h"

#include "core/session/query_record.h"

namespace loupe::session {
namespace {

// Apart from an engine in a process of its own, which may connect to no program.
std::vector<WatchedProgram> watched_programs_answer(const WatchedProgramsQuery&) { return list_watched_programs(); }

}  // namespace

const QueryRecord& WatchedProgramsQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<WatchedProgramsQuery, watched_programs_answer>({.name = "watched programs"});
    return kRecord;
}

}  // namespace loupe::session
