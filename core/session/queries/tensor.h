// SPDX-License-Identifier: Apache-2.0
#pragma once
// A part of a tensor of the last run or of the model, reduced to what can be drawn.

#include "core/record/tensor_detail.h"
#include "core/record/tensor_slice.h"
#include "core/session/query.h"

namespace loupe::session {

struct TensorQuery {
    using Answer = TensorSlice;
    static const QueryRecord& record();

    TensorRequest request = {};
    TensorDetail detail = {};
};
auto fields(Like<TensorQuery> auto& it) { return std::tie(it.request, it.detail); }

}  // namespace loupe::session
