// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/graph_sizes.h"

#include "core/model/program.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

GraphSizes graph_sizes_answer(const GraphSizesQuery& query, QueryContext& context) {
    const std::shared_ptr<Program>& program = context.program();
    return graph_sizes(program, query.method, program->make_arguments(context.inputs(), query.method));
}

void carry_graph_sizes(const GraphSizesQuery&, const Error& error, GraphSizes& sizes) { sizes.error = error.what(); }

}  // namespace

const QueryRecord& GraphSizesQuery::record() {
    static constexpr QueryRecord kRecord = query_record<GraphSizesQuery, graph_sizes_answer, carry_graph_sizes>(
        {.name = "graph sizes", .needs_model = true, .not_while = NotWhile::ParkedOrTraining});
    return kRecord;
}

}  // namespace loupe::session
