// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/keep_written.h"

#include "core/base/strings.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

std::string keep_written_answer(const KeepWrittenQuery& query) {
    namespace fs = std::filesystem;
    std::error_code failed;
    fs::create_directories(query.to, failed);
    for (auto at = fs::directory_iterator(query.fresh_folder, failed); !failed && at != fs::directory_iterator();
         at.increment(failed)) {
        const fs::path target = query.to / at->path().filename();
        if (fs::exists(fs::symlink_status(target))) return concat(target.string(), " is there already");
    }
    if (!failed)
        fs::copy(query.fresh_folder, query.to, fs::copy_options::recursive | fs::copy_options::copy_symlinks, failed);
    return failed ? concat(query.to.string(), ": ", failed.message()) : std::string();
}

}  // namespace

const QueryRecord& KeepWrittenQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<KeepWrittenQuery, keep_written_answer>({.name = "keep written"});
    return kRecord;
}

}  // namespace loupe::session
