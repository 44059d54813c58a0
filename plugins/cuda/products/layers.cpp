// SPDX-License-Identifier: Apache-2.0
// Linear layers with an activation and their gradients by cublasLt, an epilogue each. Where it has no way to compute a
// product, it is a product and a loop.
#include <algorithm>

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/kernels/elementwise.h"
#include "core/ops/matrix/linear_activation.h"
#include "plugins/cuda/operators/linear_ends.h"
#include "plugins/cuda/products/epilogues.h"
#include "plugins/cuda/products/lt_library.h"
#include "plugins/cuda/products/products.h"

namespace loupe::cuda {
namespace {

using matrix::LinearActivation;

Activation epilogue_of(std::string_view text) {
    switch (matrix::parse_linear_activation(text)) {
        case LinearActivation::Relu:
            return Activation::Relu;
        case LinearActivation::GeluTanh:
            return Activation::GeluTanh;
        case LinearActivation::None:
            break;
    }
    return Activation::None;
}

bool has_unit_stride(const Tensor& t) { return t.strides()[0] == 1 || t.strides()[1] == 1; }
// Rows that the library can read: a copy where neither stride is 1.
Tensor readable(const Tensor& t) {
    if (has_unit_stride(t)) return t;
    const Tensor copy = empty(t.sizes(), t.dtype(), t.device());
    copy_into(copy, t);
    return copy;
}
Tensor packed_vector(const Tensor& t) {
    if (!t.defined() || t.is_contiguous()) return t;
    const Tensor copy = empty(t.sizes(), t.dtype(), t.device());
    copy_into(copy, t);
    return copy;
}
Tensor matrix_room(const Tensor& out) {
    return out.is_contiguous() ? matrix::as_rows(out) : matrix::as_rows(empty(out.sizes(), out.dtype(), out.device()));
}
void put_back(const Tensor& out, const Tensor& room) {
    if (out.address() != room.address()) copy_into(out, fn::view(room, to_dims(out.sizes())));
}

void layer(const Tensor& output, const Tensor& aux, const Tensor& input, const Tensor& weight, const Tensor& bias,
           std::string_view activation, bool) {
    const Tensor rows = readable(matrix::as_rows(input)), room = matrix_room(output), added = packed_vector(bias);
    // What lies behind the last column is not written, and seen when values are.
    if (aux.numel() > 0) fill_with(aux, 0);
    const LtProduct product = plan_product(room, rows, fn::t(readable(weight)), added, 1, epilogue_of(activation),
                                           aux.numel() == 0 ? nullptr : aux.address());
    if (!lt_library(output.device()).multiply(product))
        return layer_in_two(output, aux, input, weight, bias, matrix::parse_linear_activation(activation));
    put_back(output, room);
}

void product_gradient(const Tensor& before, const Tensor& sums, const Tensor& grad, const Tensor& weight,
                      const Tensor& aux, std::string_view activation, bool with_bias) {
    const Tensor rows = readable(grad), room = matrix_room(before), kept = packed_vector(aux);
    const LtProduct product = plan_activation_gradient(room, rows, readable(weight), epilogue_of(activation),
                                                       kept.address(), with_bias ? sums : Tensor());
    if (!lt_library(before.device()).multiply(product))
        return product_gradient_in_two(before, sums, grad, weight, aux, matrix::parse_linear_activation(activation));
    put_back(before, room);
}

void weight_gradient(const Tensor& weight, const Tensor& bias, const Tensor& grad, const Tensor& input,
                     bool with_bias) {
    const Tensor room = matrix_room(weight);
    const LtProduct product = plan_weight_gradient(room, with_bias ? bias : Tensor(), readable(grad), readable(input));
    if (!lt_library(weight.device()).multiply(product)) return weight_gradient_in_two(weight, bias, grad, input);
    put_back(weight, room);
}

// What all of them ask of their tensors: floats of one dtype, and more than a row and a column of result.
std::optional<std::string> why_not_layer(std::initializer_list<Tensor> tensors, std::int64_t rows,
                                         std::int64_t columns) {
    const ScalarType dtype = tensors.begin()->dtype();
    const bool is_taken = dtype == ScalarType::Float32 || dtype == ScalarType::Float64 ||
                          dtype == ScalarType::Float16 || dtype == ScalarType::BFloat16;
    if (!is_taken) return std::string(dtype_name(dtype)) + " input";
    for (const Tensor& t : tensors) {
        if (t.defined() && t.dtype() != dtype) return "mixed dtypes";
        if (t.defined() && t.numel() == 0) return "no elements";
    }
    if (rows == 1 || columns == 1) return "one row or one column: cuBLAS's product of a vector is faster";
    return std::nullopt;
}
bool said(const std::optional<std::string>& reason, std::string* why) {
    if (reason && why != nullptr) *why = *reason;
    return !reason;
}

bool accepts_layer(Arguments a, std::string* why) {
    const Tensor input = a[0].to_tensor(), weight = a[1].to_tensor(), bias = a[2].to_tensor();
    const std::int64_t rows = input.numel() / std::max<std::int64_t>(1, input.size(-1));
    return said(why_not_layer({input, weight, bias}, rows, weight.size(0)), why);
}
bool accepts_product_gradient(Arguments a, std::string* why) {
    const Tensor grad = a[0].to_tensor(), weight = a[1].to_tensor();
    return said(why_not_layer({grad, weight}, grad.size(0), weight.size(1)), why);
}
bool accepts_weight_gradient(Arguments a, std::string* why) {
    const Tensor grad = a[0].to_tensor(), input = a[1].to_tensor();
    return said(why_not_layer({grad, input}, grad.size(1), input.size(1)), why);
}

}  // namespace

void register_layers(const PluginRegistries& registries) {
    const auto add = [&](std::string_view name, KernelFunction kernel, AcceptFunction accept) {
        registries.add_kernel(name, DeviceType::Cuda, {"cublasLt", kernel, accept});
    };
    add("loupe::linear_activation", filling<layer, 2>, accepts_layer);
    add("loupe::product_activation_gradient", filling<product_gradient, 2>, accepts_product_gradient);
    add("loupe::linear_weight_gradient", filling<weight_gradient, 2>, accepts_weight_gradient);
}

}  // namespace loupe::cuda
