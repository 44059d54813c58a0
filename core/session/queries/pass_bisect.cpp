// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/pass_bisect.h"

#include "core/model/program.h"
#include "core/session/query_record.h"
#include "core/study/bisect_passes.h"

namespace loupe::session {
namespace {

PassBisect pass_bisect_answer(const PassBisectQuery& query, QueryContext& context,
                              const std::function<void(PassBisectProgress)>& progress) {
    const auto studied = context.study(query.options.method);
    return bisect_passes(query.options, *studied.graph, studied.program->script_module(), studied.arguments, progress);
}

void carry_pass_bisect(const PassBisectQuery& query, const Error& error, PassBisect& found) {
    found.pipeline = query.options.pipeline;
    found.error = found.verdict = error.what();
}

}  // namespace

const QueryRecord& PassBisectQuery::record() {
    static constexpr QueryRecord kRecord = query_record<PassBisectQuery, pass_bisect_answer, carry_pass_bisect>(
        {.name = "pass bisect", .not_while = NotWhile::Parked});
    return kRecord;
}

}  // namespace loupe::session
