// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/input_file.h"

#include "core/model/input_file.h"
#include "core/model/program.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

InputFile answer(const InputFileQuery& query, QueryContext& context) {
    const Program& program = *context.program();
    const FunctionSchema& schema = program.schema(query.method.empty() ? program.default_method() : query.method);
    return {input_specs_of_file(query.file, schema, *program.info()), {}};
}

}  // namespace

const QueryRecord& InputFileQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<InputFileQuery, answer>({.name = "input file", .needs_model = true});
    return kRecord;
}

}  // namespace loupe::session
