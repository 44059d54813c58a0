// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/pass_trace.h"

#include "core/model/pipelines.h"
#include "core/model/program.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

// What a run would get; empty where inputs are missing, for passes do without.
std::vector<IValue> arguments_or_none(const QueryContext::StudiedMethod& studied) {
    try {
        return studied.arguments();
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        return {};
    }
}

PassTrace pass_trace_answer(const PassTraceQuery& query, QueryContext& context) {
    const auto studied = context.study(query.method);
    return trace_pipeline(query.pipeline, *studied.graph, studied.program->script_module(), query.method,
                          arguments_or_none(studied));
}

void carry_pass_trace(const PassTraceQuery& query, const Error& error, PassTrace& trace) {
    trace.pipeline = query.pipeline;
    trace.error = error.what();
}

}  // namespace

const QueryRecord& PassTraceQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<PassTraceQuery, pass_trace_answer, carry_pass_trace>({.name = "pass trace"});
    return kRecord;
}

}  // namespace loupe::session
