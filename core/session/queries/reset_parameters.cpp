// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/reset_parameters.h"

#include "core/model/reset_parameters.h"
#include "core/ops/random/generator.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

std::string reset_parameters_answer(const ResetParametersQuery& query, QueryContext& context) {
    const nn::ModulePtr root = context.module(query.module);
    seed_generators(query.seed);
    if (!reset_tree(*root)) throw Error(ErrorKind::Usage, "no layer there knows how it was initialised");
    return {};
}

}  // namespace

const QueryRecord& ResetParametersQuery::record() {
    static constexpr QueryRecord kRecord = query_record<ResetParametersQuery, reset_parameters_answer>(
        {.name = "reset parameters", .needs_model = true, .not_while = NotWhile::ParkedOrRunning});
    return kRecord;
}

}  // namespace loupe::session
