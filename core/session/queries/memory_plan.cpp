// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/memory_plan.h"

#include "core/model/program.h"
#include "core/session/query_record.h"
#include "core/study/plan_memory.h"

namespace loupe::session {
namespace {

MemoryPlanReport memory_plan_answer(const MemoryPlanQuery& query, QueryContext& context) {
    const auto studied = context.study(query.method);
    return plan_memory(query.pipeline, *studied.graph, studied.program->script_module(), query.method,
                       studied.arguments);
}

void carry_memory_plan(const MemoryPlanQuery& query, const Error& error, MemoryPlanReport& report) {
    report.pipeline = query.pipeline;
    report.error = error.what();
}

}  // namespace

const QueryRecord& MemoryPlanQuery::record() {
    static constexpr QueryRecord kRecord = query_record<MemoryPlanQuery, memory_plan_answer, carry_memory_plan>(
        {.name = "memory plan", .not_while = NotWhile::Parked});
    return kRecord;
}

}  // namespace loupe::session
