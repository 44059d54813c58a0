// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the operators share.

#include <optional>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "plugins/onnx/ops/family.h"

namespace loupe::onnx {

template <typename... Parts>
[[noreturn]] void fail(const Parts&... parts) {
    throw Error(ErrorKind::Run, concat(parts...));
}
template <typename... Parts>
void require(bool holds, const Parts&... parts) {
    if (!holds) fail(parts...);
}

// The values of a small tensor of whole numbers: a shape, axes, pads. Throws Error (Run) for another.
Dims whole_numbers(const Tensor& tensor);
std::vector<double> real_numbers(const Tensor& tensor);
std::int64_t whole_number(const Tensor& tensor);
double real_number(const Tensor& tensor);

inline Tensor cast(const Tensor& t, ScalarType dtype) {
    return t.dtype() == dtype ? t : fn::to_dtype(t, static_cast<std::int64_t>(dtype));
}
// The dtype that holds an ONNX type. Throws Error (Run) for strings and unknown ones.
ScalarType held_dtype(std::int64_t onnx_type);

// Non-negative, each once. Throws Error (Run).
Dims wrapped_axes(const Dims& axes, std::int64_t rank);
// 0, 1, ... rank - 1.
Dims all_axes(std::int64_t rank);
// Of a list of ints that was not given.
inline Dims or_filled(const std::optional<Dims>& given, std::size_t count, std::int64_t value) {
    return given && !given->empty() ? *given : Dims(count, value);
}
// A 1-d tensor of int64.
Tensor index_tensor(IntSpan values);
// x along one dimension at these places; differentiable.
Tensor at_places(const Tensor& x, std::int64_t dim, IntSpan places);
// As a 0-dimensional tensor of x's dtype.
inline Tensor like_number(const Tensor& x, double value) { return scalar_tensor(Scalar(value), x.dtype()); }
// The calls that fn lacks.
Tensor call_one(const char* full_name, std::initializer_list<IValue> arguments);

}  // namespace loupe::onnx
