// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rules for nested tensors of the strided layout: at::native's nested folder. All call operators on the buffer or on
// the constituents, which record.

#include <functional>

#include "core/ops/nested/call.h"

namespace loupe::nested_ops {

// Views of the buffer.
TensorList constituents(const Tensor& nested);
// One after the other in a new buffer. None: an empty nested tensor of `dtype`.
Tensor nested_of(const TensorList& constituents, ScalarType dtype = ScalarType::Float32);
// A new nested tensor of what `f` makes of each constituent.
Tensor mapped_constituents(const Tensor& nested, const std::function<Tensor(const Tensor& each)>& f);
// The constituents filled up to one size; sizes: of the whole, at least as large. Undefined: the greatest of each.
Tensor padded_constituents(const Tensor& nested, double padding, const std::optional<Dims>& sizes = std::nullopt);
// The nested tensor of the first rows (and columns, ...) of each row of padded: [batch, ...].
Tensor cropped_constituents(const Tensor& padded, const std::vector<Dims>& sizes);

void add_strided_elementwise_rules(RuleTable& table);
void add_strided_product_rules(RuleTable& table);
void add_strided_shape_rules(RuleTable& table);

}  // namespace loupe::nested_ops
