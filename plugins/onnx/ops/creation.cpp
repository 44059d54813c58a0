// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

IValue number_of(ScalarType dtype) { return static_cast<std::int64_t>(dtype); }

Tensor constant_of_shape(const Tensor& shape, const Tensor& value) {
    const Dims sizes = whole_numbers(shape);
    const Tensor of = value.defined() ? value : scalar_tensor(Scalar(0.0), ScalarType::Float32);
    require(of.numel() == 1, "expected one value, got ", describe(of));
    checked_numel(span_of(sizes));
    return fn::full(sizes, item(of), number_of(of.dtype()));
}

Tensor eye_like(const Tensor& input, const std::optional<std::int64_t>& dtype, std::int64_t k) {
    require(input.dim() == 2, "expected a matrix, got ", describe(input));
    const ScalarType held = dtype ? held_dtype(*dtype) : input.dtype();
    const std::int64_t rows = input.size(0), columns = input.size(1);
    const Tensor row = fn::unsqueeze(fn::arange(Scalar(rows)), 1);
    const Tensor column = fn::arange(Scalar(columns));
    return cast(fn::eq(fn::sub(column, row), scalar_tensor(Scalar(k), ScalarType::Int64)), held);
}

Tensor range(const Tensor& start, const Tensor& limit, const Tensor& delta) {
    const OperatorHandle<> arange("aten::arange.start_step");
    require(start.numel() == 1 && limit.numel() == 1 && delta.numel() == 1, "expected three numbers");
    const double first = real_number(start), last = real_number(limit), step = real_number(delta);
    require(step != 0, "a step of 0");
    // Never more numbers than arange makes: an empty range where the step leads away.
    if ((last - first) / step <= 0) return fn::full(Dims{0}, Scalar(0.0), number_of(start.dtype()));
    return arange(item(start), item(limit), item(delta), number_of(start.dtype()));
}

Tensor one_hot(const Tensor& indices, const Tensor& depth, const Tensor& values, std::int64_t axis) {
    const auto count = static_cast<std::int64_t>(real_number(depth));
    require(count >= 0 && count < std::int64_t{1} << 31 && values.numel() == 2, "a depth of ", count, " and ",
            values.numel(), " values");
    const std::int64_t dim = wrap_dim(axis, indices.dim() + 1);
    const Tensor wide = cast(indices, ScalarType::Int64);
    const Tensor index = fn::where(fn::lt_scalar(wide, Scalar(0)), fn::add_scalar(wide, Scalar(count)), wide);
    Dims sizes(static_cast<std::size_t>(indices.dim() + 1), 1);
    sizes[static_cast<std::size_t>(dim)] = count;
    const Tensor is_on = fn::eq(fn::unsqueeze(index, dim), fn::reshape(fn::arange(Scalar(count)), sizes));
    return fn::where(is_on, fn::select(values, 0, 1), fn::select(values, 0, 0));
}

constexpr OperatorRecord kRecords[] = {
    reading("onnx::ConstantOfShape(Tensor input, *, Tensor? value=None) -> Tensor", "One value, in a shape.",
            boxed<constant_of_shape>),
    made_of("onnx::EyeLike(Tensor input, *, int? dtype=None, int k=0) -> Tensor", "Ones on a diagonal.",
            boxed<eye_like>),
    reading("onnx::Range(Tensor start, Tensor limit, Tensor delta) -> Tensor", "Numbers in equal steps.", boxed<range>),
    reading("onnx::OneHot(Tensor indices, Tensor depth, Tensor values, *, int axis=-1) -> Tensor",
            "One value at each index along a new axis, another elsewhere.", boxed<one_hot>),
};

}  // namespace

std::span<const OperatorRecord> creation_records() { return kRecords; }

}  // namespace loupe::onnx
