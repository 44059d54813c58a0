// SPDX-License-Identifier: Apache-2.0
#pragma once
// Geometry of views of a part, shared with the operators that write one.

#include "core/ops/view/geometry.h"

namespace loupe::views {

using OptionalInt = std::optional<std::int64_t>;

// tensor[..., index, ...]; throws Error (Run) when the index is out of range.
ViewGeometry select(const Tensor& self, std::int64_t dim, std::int64_t index);
// tensor[..., start:end:step, ...], by Python's rule but for step, which must be positive.
ViewGeometry slice(const Tensor& self, std::int64_t dim, OptionalInt start, OptionalInt end, std::int64_t step);
ViewGeometry diagonal(const Tensor& self, std::int64_t offset, std::int64_t dim1, std::int64_t dim2);
ViewGeometry unfold(const Tensor& self, std::int64_t dim, std::int64_t size, std::int64_t step);
ViewGeometry as_strided(const Tensor& self, const Dims& size, const Dims& stride, OptionalInt offset);

}  // namespace loupe::views
