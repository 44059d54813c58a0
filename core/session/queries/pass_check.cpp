// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/pass_check.h"

#include "core/model/program.h"
#include "core/session/query_record.h"
#include "core/study/check_passes.h"

namespace loupe::session {
namespace {

PassChecks pass_check_answer(const PassCheckQuery& query, QueryContext& context) {
    const auto studied = context.study(query.method);
    return check_passes(query.pipeline, *studied.graph, studied.program->script_module(), studied.arguments);
}

}  // namespace

const QueryRecord& PassCheckQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<PassCheckQuery, pass_check_answer>({.name = "pass check", .not_while = NotWhile::Parked});
    return kRecord;
}

}  // namespace loupe::session
