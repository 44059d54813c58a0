// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/ops/common.h"

#include <algorithm>
#include <numeric>

#include "core/passes/fake_run.h"
#include "plugins/onnx/proto/data_types.h"

namespace loupe::onnx {
namespace {

// More than any shape, and any list of sizes to split by, has.
constexpr std::int64_t kMostNumbers = 1 << 20;

Tensor readable(const Tensor& tensor) {
    if (!tensor.defined()) fail("an input that it needs was not given");
    passes::require_elements(tensor);
    if (tensor.numel() > kMostNumbers) fail("expected a small list of numbers, got ", describe(tensor));
    return fn::contiguous(fn::detach(tensor));
}

}  // namespace

Dims whole_numbers(const Tensor& tensor) {
    const Tensor t = readable(tensor);
    if (!is_integral(t.dtype())) fail("expected whole numbers, got ", describe(tensor));
    const Tensor wide = cast(t, ScalarType::Int64);
    const std::int64_t* data = wide.data<std::int64_t>();
    return Dims(data, data + wide.numel());
}

std::vector<double> real_numbers(const Tensor& tensor) {
    const Tensor wide = cast(readable(tensor), ScalarType::Float64);
    const double* data = wide.data<double>();
    return {data, data + wide.numel()};
}

std::int64_t whole_number(const Tensor& tensor) {
    const Dims values = whole_numbers(tensor);
    if (values.size() != 1) fail("expected one number, got ", describe(tensor));
    return values[0];
}

double real_number(const Tensor& tensor) {
    const std::vector<double> values = real_numbers(tensor);
    if (values.size() != 1) fail("expected one number, got ", describe(tensor));
    return values[0];
}

ScalarType held_dtype(std::int64_t onnx_type) {
    const DataType* type = find_data_type(static_cast<std::int32_t>(onnx_type));
    if (type == nullptr || onnx_type != type->number)
        fail("no tensors of elements ", data_type_name(static_cast<std::int32_t>(onnx_type)));
    return type->held;
}

Dims wrapped_axes(const Dims& axes, std::int64_t rank) {
    Dims wrapped;
    for (const std::int64_t axis : axes) {
        const std::int64_t each = wrap_dim(axis, rank);
        if (std::find(wrapped.begin(), wrapped.end(), each) != wrapped.end()) fail("axis ", axis, " appears twice");
        wrapped.push_back(each);
    }
    return wrapped;
}

Dims all_axes(std::int64_t rank) {
    Dims axes(static_cast<std::size_t>(rank), 0);
    std::iota(axes.begin(), axes.end(), 0);
    return axes;
}

Tensor index_tensor(IntSpan values) {
    const Dims size{static_cast<std::int64_t>(values.size())};
    return tensor_of(values, span_of(size));
}

Tensor at_places(const Tensor& x, std::int64_t dim, IntSpan places) {
    return fn::index_select(x, dim, index_tensor(places));
}

Tensor call_one(const char* full_name, std::initializer_list<IValue> arguments) {
    const Operator& op = detail::operator_or_throw(full_name);
    std::vector<IValue> all(arguments);
    detail::fill_default_arguments(op, all);
    std::vector<IValue> results(op.result_count());
    call_operator(op, all, results.data());
    return results.at(0).to_tensor();
}

}  // namespace loupe::onnx
