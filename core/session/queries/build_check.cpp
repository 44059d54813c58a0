// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/build_check.h"

#include "core/model/check_build.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

BuildCheck build_check_answer(const BuildCheckQuery& query, QueryContext&) { return check_build(query.request); }

}  // namespace

const QueryRecord& BuildCheckQuery::record() {
    static constexpr QueryRecord kRecord = query_record<BuildCheckQuery, build_check_answer>({.name = "build check"});
    return kRecord;
}

}  // namespace loupe::session
