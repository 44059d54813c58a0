// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors by value or name: of an open model and its last run, or of a run that was read from a file.

#include <string>

#include "core/record/tensor_detail.h"
#include "core/record/tensor_slice.h"
#include "core/session/query_context.h"

namespace loupe::session {

struct FoundTensor {
    Tensor tensor;
    std::string name;
};
// Throws Error (Usage) when there is none, and what computing it again throws.
FoundTensor find_tensor(const QueryContext& context, const TensorRequest& request);
// The same reduced to what can be drawn, with the events that read or wrote its storage.
TensorSlice look_at_tensor(const QueryContext& context, const TensorRequest& request, const TensorDetail& detail = {});

}  // namespace loupe::session
