// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/fused_groups.h"

#include "core/model/program.h"
#include "core/session/query_record.h"
#include "core/study/find_fused_groups.h"

namespace loupe::session {
namespace {

FusedGroups fused_groups_answer(const FusedGroupsQuery& query, QueryContext& context) {
    const std::shared_ptr<Program> program = context.model_or_recorded();
    std::vector<IValue> arguments = program->make_arguments(context.inputs(), query.request.method);
    if (program->trace() == nullptr && program->is_eager()) program->trace_with(arguments);
    return find_fused_groups(program, query.request, std::move(arguments));
}

}  // namespace

const QueryRecord& FusedGroupsQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<FusedGroupsQuery, fused_groups_answer>({.name = "fused groups", .not_while = NotWhile::Parked});
    return kRecord;
}

}  // namespace loupe::session
