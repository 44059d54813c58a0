// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/trace_check.h"

#include "core/model/program.h"
#include "core/session/query_record.h"
#include "core/study/trace_check.h"

namespace loupe::session {
namespace {

TraceCheck trace_check_answer(const TraceCheckQuery&, QueryContext& context) {
    Program& program = *context.program();
    const std::vector<IValue> arguments = program.make_arguments(context.inputs(), "forward");
    if (program.trace() == nullptr && program.is_eager()) program.trace_with(arguments);
    return check_on_other_inputs(program, arguments);
}

}  // namespace

const QueryRecord& TraceCheckQuery::record() {
    static constexpr QueryRecord kRecord = query_record<TraceCheckQuery, trace_check_answer>(
        {.name = "trace check", .needs_model = true, .not_while = NotWhile::Parked});
    return kRecord;
}

}  // namespace loupe::session
