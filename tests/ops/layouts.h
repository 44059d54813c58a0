// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls made from a call: the same elements in another layout, no elements, no dimensions.

#include <functional>
#include <vector>

#include "core/tensor/tensor.h"
#include "core/value/ivalue.h"

namespace loupe::sweep {

TensorList tensors_in(const std::vector<IValue>& values);

// The value with change(tensor) for each tensor in it.
IValue changed(const IValue& value, const std::function<Tensor(const Tensor&)>& change);
std::vector<IValue> changed(const std::vector<IValue>& values, const std::function<Tensor(const Tensor&)>& change);

// The same elements in another layout, in memory of their own: with a gap after each; with the first dimension
// innermost.
Tensor spaced_out(const Tensor& t);
Tensor turned(const Tensor& t);
// All that stands along the dimension (from the end when negative) is one element with stride 0: the first one. The
// tensor itself when it has no such dimension.
Tensor expanded_along(const Tensor& t, std::int64_t dim);
// The first element, without dimensions; a tensor without elements becomes a copy.
Tensor first_element(const Tensor& t);
// The calls with no elements that a call leads to: for each size that occurs, with 0 in its place in every tensor.
struct EmptyCall {
    std::int64_t size = 0;  // the one that went
    std::vector<IValue> arguments;
};
std::vector<EmptyCall> emptied(const std::vector<IValue>& arguments);

}  // namespace loupe::sweep
