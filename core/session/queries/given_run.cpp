// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/given_run.h"

#include "core/model/program.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

GivenRunValues given_run_answer(const GivenRunQuery& query, QueryContext& context) {
    const auto program = context.model_or_recorded();
    GivenRunValues out;
    out.method = query.method.empty() ? program->default_method() : query.method;
    const FunctionSchema& schema = program->schema(out.method);
    out.inputs = query.given.has_inputs() ? given_inputs(query.given, schema, *program->info())
                                          : program->default_inputs(out.method, nullptr);
    out.backward_from = given_backward(query.given);
    return out;
}

void carry_given_run(const GivenRunQuery&, const Error& error, GivenRunValues& answer) {
    answer.error = error.what();
    answer.error_kind = error_kind_name(error.kind());
}

}  // namespace

const QueryRecord& GivenRunQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<GivenRunQuery, given_run_answer, carry_given_run>({.name = "given run"});
    return kRecord;
}

}  // namespace loupe::session
