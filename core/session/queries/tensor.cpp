// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/tensor.h"

#include "core/session/find_tensor.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

TensorSlice tensor_answer(const TensorQuery& query, QueryContext& context) {
    return look_at_tensor(context, query.request, query.detail);
}

}  // namespace

const QueryRecord& TensorQuery::record() {
    static constexpr QueryRecord kRecord = query_record<TensorQuery, tensor_answer>({.name = "tensor"});
    return kRecord;
}

}  // namespace loupe::session
