// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/run_differences.h"

#include "core/session/find_tensor.h"
#include "core/session/query_record.h"
#include "core/session/references.h"

namespace loupe::session {
namespace {

RunDifferences run_differences_answer(const RunDifferencesQuery& query, QueryContext&) {
    return current_references().compare(query.reference, query.options);
}

TensorComparison compare_tensor(const TensorComparisonQuery& query, QueryContext& context) {
    const FoundTensor own = find_tensor(context, query.request);
    return current_references().compare_tensor(query.reference, query.request, query.options, own.tensor);
}

TensorComparison reference_tensor(const ReferenceTensorQuery& query, QueryContext&) {
    return current_references().tensor(query.reference, query.event, query.output, query.request);
}

}  // namespace

const QueryRecord& ReferenceTensorQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<ReferenceTensorQuery, reference_tensor>({.name = "reference tensor"});
    return kRecord;
}

const QueryRecord& RunDifferencesQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<RunDifferencesQuery, run_differences_answer>({.name = "run differences"});
    return kRecord;
}

const QueryRecord& TensorComparisonQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<TensorComparisonQuery, compare_tensor>({.name = "tensor comparison"});
    return kRecord;
}

}  // namespace loupe::session
