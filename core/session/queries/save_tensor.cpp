// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/save_tensor.h"

#include "core/formats/numpy/npy.h"
#include "core/record/reduce_tensor.h"
#include "core/session/find_tensor.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

std::string save_tensor_answer(const SaveTensorQuery& query, QueryContext& context) {
    write_npy(query.file, slice_tensor(find_tensor(context, query.what).tensor, query.what.slice));
    return {};
}

}  // namespace

const QueryRecord& SaveTensorQuery::record() {
    static constexpr QueryRecord kRecord = query_record<SaveTensorQuery, save_tensor_answer>({.name = "save tensor"});
    return kRecord;
}

}  // namespace loupe::session
