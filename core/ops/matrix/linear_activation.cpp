// SPDX-License-Identifier: Apache-2.0
// A linear layer that ends in an activation, and its gradients, as one call each: what libraries of devices compute
// before the product's elements leave the registers. The passes of core/passes/fuse_linear_activations.cpp create them.
//
// aux is what the gradient reads, as cublasLt lays it out: of relu a bit an element, 1 where it is above 0, rows of a
// multiple of 128 bits; of gelu what it was applied to, rows of a multiple of 8 elements.
#include "core/ops/matrix/linear_activation.h"

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/elementwise.h"
#include "core/ops/matrix/family.h"
#include "core/ops/matrix/layout.h"
#include "core/ops/matrix/products.h"
#include "core/ops/nn/composed_gradient.h"
#include "core/ops/samples.h"

namespace loupe {
namespace matrix {

LinearActivation parse_linear_activation(std::string_view text) {
    if (text == "none") return LinearActivation::None;
    if (text == "relu") return LinearActivation::Relu;
    require(text == "gelu_tanh", "the activation of a linear layer is none, relu or gelu_tanh, not ", text);
    return LinearActivation::GeluTanh;
}

std::int64_t aux_leading(LinearActivation activation, std::int64_t columns) {
    const std::int64_t step = activation == LinearActivation::Relu ? 128 : 8;
    return (columns + step - 1) / step * step;
}

Tensor as_rows(const Tensor& t) {
    const std::int64_t columns = t.size(-1);
    return fn::reshape(t, Dims{columns == 0 ? 0 : t.numel() / columns, columns});
}

}  // namespace matrix

namespace {

using namespace matrix;

const OperatorHandle<> op_activation_gradient("loupe::activation_gradient");
const OperatorHandle<fn::TwoTensors> op_weight_gradient("loupe::linear_weight_gradient");

void check_floats(const Tensor& t, const Tensor& like) {
    const bool is_taken = t.dtype() == ScalarType::Float32 || t.dtype() == ScalarType::Float64 ||
                          t.dtype() == ScalarType::Float16 || t.dtype() == ScalarType::BFloat16;
    require(is_taken, "\"linear_activation\" not implemented for '", dtype_graph_name(t.dtype()), "'");
    require(t.dtype() == like.dtype(), "expected scalar type ", dtype_graph_name(like.dtype()), " but found ",
            dtype_graph_name(t.dtype()));
}
std::int64_t rows_of(IntSpan sizes) {
    std::int64_t rows = 1;
    for (std::size_t d = 0; d + 1 < sizes.size(); ++d) rows *= sizes[d];
    return rows;
}
TensorMeta aux_meta(LinearActivation activation, bool keeps, std::int64_t rows, std::int64_t columns,
                    const Tensor& like) {
    if (!keeps || activation == LinearActivation::None) return {{0}, like.dtype(), like.device()};
    const std::int64_t leading = aux_leading(activation, columns);
    if (activation == LinearActivation::Relu) return {{rows, leading / 8}, ScalarType::UInt8, like.device()};
    return {{rows, leading}, like.dtype(), like.device()};
}
void check_aux(const Tensor& aux, const Tensor& grad, LinearActivation activation, std::int64_t columns) {
    const TensorMeta wanted = aux_meta(activation, true, rows_of(grad.sizes()), columns, grad);
    require(aux.dtype() == wanted.dtype && std::ranges::equal(aux.sizes(), wanted.sizes),
            "what the activation kept does not fit its gradient");
}

// ---- the layer

MetaList infer_layer(const Tensor& input, const Tensor& weight, const Tensor& bias, std::string_view activation,
                     bool keeps) {
    require(input.dim() >= 1 && weight.dim() == 2 && input.size(-1) == weight.size(1),
            "mat1 and mat2 shapes cannot be multiplied (", rows_of(input.sizes()), "x",
            input.dim() == 0 ? 1 : input.size(-1), " and ", weight.size(-1), "x", weight.size(0), ")");
    check_floats(input, input);
    check_floats(weight, input);
    const std::int64_t columns = weight.size(0);
    if (bias.defined()) {
        check_floats(bias, input);
        require(bias.dim() == 1 && bias.size(0) == columns, "a bias of ", columns, " elements is expected");
    }
    Dims sizes = to_dims(input.sizes());
    sizes.back() = columns;
    return {{sizes, input.dtype(), input.device()},
            aux_meta(parse_linear_activation(activation), keeps, rows_of(input.sizes()), columns, input)};
}

void mark_above_zero(const Tensor& values, const Tensor& aux) {
    const Tensor above = fn::gt_scalar(values, Scalar(0));
    const std::int64_t rows = values.size(0), columns = values.size(1), bytes = aux.size(1);
    const bool* const in = above.data<bool>();
    auto* const out = aux.data<std::uint8_t>();
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t byte = 0; byte < bytes; ++byte) {
            unsigned bits = 0;
            for (std::int64_t j = byte * 8; j < std::min(columns, byte * 8 + 8); ++j)
                bits |= static_cast<unsigned>(in[i * columns + j]) << (j % 8);
            out[i * bytes + byte] = static_cast<std::uint8_t>(bits);
        }
    }
}

void layer(const Tensor& output, const Tensor& aux, const Tensor& input, const Tensor& weight, const Tensor& bias,
           std::string_view text, bool keeps) {
    const LinearActivation activation = parse_linear_activation(text);
    const Tensor sum = fn::linear(input, weight, bias);
    if (activation == LinearActivation::None) return copy_into(output, sum);
    copy_into(output, activation == LinearActivation::Relu ? fn::relu(sum) : fn::gelu(sum, "tanh"));
    if (!keeps || aux.numel() == 0) return;
    const Tensor rows = as_rows(sum);
    if (activation == LinearActivation::Relu) return mark_above_zero(rows, aux);
    fill_with(aux, 0);
    copy_into(fn::narrow(aux, std::int64_t{1}, std::int64_t{0}, rows.size(1)), rows);
}

// The gradient of what the activation was applied to. Where it is to be differentiated again, or nothing was kept, of
// the layer's arguments.
Tensor gradient_before(const GradientContext& c, const Tensor& grad) {
    const LinearActivation activation = parse_linear_activation(c.value("activation").to_string());
    if (activation == LinearActivation::None) return grad;
    if (c.value("keeps").to_bool() && !GradMode::is_enabled())
        return op_activation_gradient(grad, c.result(1), c.value("activation"));
    if (activation == LinearActivation::Relu) return fn::threshold_backward(grad, c.result(0), Scalar(0));
    const Tensor bias = c.is_argument_defined("bias") ? c.argument("bias") : Tensor();
    return fn::gelu_backward(grad, fn::linear(c.argument("input"), c.argument("weight"), bias), "tanh");
}

void layer_backward(GradientContext& c) {
    const Tensor grad = gradient_before(c, c.grad_output_or_zeros(0)), rows = as_rows(grad);
    c.grad("input", [&] {
        const Tensor product = fn::mm(rows, c.argument("weight"));
        return grad.dim() == 2 ? product : fn::view(product, to_dims(c.sizes("input")));
    });
    const bool with_bias = c.is_argument_defined("bias") && c.needs("bias");
    if (c.needs("weight") && !GradMode::is_enabled()) {
        auto [weight, bias] = op_weight_gradient(rows, as_rows(c.argument("input")), with_bias);
        c.set_grad("weight", weight);
        if (with_bias) c.set_grad("bias", bias);
        return;
    }
    c.grad("weight", [&] { return fn::mm(fn::t(rows), as_rows(c.argument("input"))); });
    if (with_bias) c.set_grad("bias", fn::sum_dim(rows, Dims{0}, false));
}

Cost layer_cost(Arguments arguments, std::span<const IValue> results) {
    return product_cost(static_cast<double>(arguments[1].to_tensor().size(-1)), arguments, results);
}

std::vector<Sample> layer_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({3, 4}), t({10, 4}), t({10}), "none", false}},
            {{t({3, 4}), t({10, 4}), t({10}), "relu", true}, "relu"},
            {{t({2, 3, 4}), t({5, 4}), t({5}), "gelu_tanh", true}, "gelu of a batch"},
            {{t({3, 4}), t({5, 4}), IValue(), "gelu_tanh", false}, "gelu without a bias"},
            {{fn::transpose(t({4, 3}), 0, 1), t({130, 4}), IValue(), "relu", false}, "relu of a transposed input"}};
}

// ---- the activation's gradient

TensorMeta infer_activation_gradient(const Tensor& grad, const Tensor& aux, std::string_view activation) {
    check_floats(grad, grad);
    require(grad.dim() >= 1, "a gradient of rows is expected");
    check_aux(aux, grad, parse_linear_activation(activation), grad.size(-1));
    return {to_dims(grad.sizes()), grad.dtype(), grad.device()};
}

// [rows, columns]
Tensor mask_of(const Tensor& aux, std::int64_t columns) {
    const Tensor bits = packed(aux), mask = empty(std::array{aux.size(0), columns}, ScalarType::Bool);
    const auto* const in = bits.data<std::uint8_t>();
    auto* const out = mask.data<bool>();
    for (std::int64_t i = 0; i < aux.size(0); ++i) {
        for (std::int64_t j = 0; j < columns; ++j)
            out[i * columns + j] = ((in[i * aux.size(1) + j / 8] >> (j % 8)) & 1) != 0;
    }
    return mask;
}

void activation_gradient(const Tensor& out, const Tensor& grad, const Tensor& aux, std::string_view text) {
    if (out.numel() == 0) return;
    const std::int64_t columns = grad.size(-1);
    const Tensor rows = as_rows(grad);
    const Tensor made =
        parse_linear_activation(text) == LinearActivation::Relu
            ? fn::where(mask_of(aux, columns), rows, zeros(std::array<std::int64_t, 0>{}, grad.dtype()))
            : fn::gelu_backward(rows, fn::narrow(aux, std::int64_t{1}, std::int64_t{0}, columns), "tanh");
    copy_into(out, fn::reshape(made, to_dims(out.sizes())));
}

// The second derivative of relu is 0 and its gradient linear; of gelu by the operators.
void activation_gradient_backward(GradientContext& c) {
    const LinearActivation activation = parse_linear_activation(c.value("activation").to_string());
    if (activation == LinearActivation::Relu) {
        c.grad("grad",
               [&] { return op_activation_gradient(c.grad_output(), c.argument("aux"), c.value("activation")); });
        return;
    }
    const auto composed = [](const TensorList& in) {
        const Tensor rows = as_rows(in[0]);
        return TensorList{fn::reshape(
            fn::gelu_backward(rows, fn::narrow(in[1], std::int64_t{1}, std::int64_t{0}, rows.size(1)), "tanh"),
            to_dims(in[0].sizes()))};
    };
    set_composed_gradients(c, composed, {"grad", "aux"}, {c.grad_output()});
}

Tensor drawn_aux(Random& random, LinearActivation activation, std::int64_t rows, std::int64_t columns,
                 ScalarType dtype) {
    const std::int64_t leading = aux_leading(activation, columns);
    if (activation == LinearActivation::GeluTanh) return random_tensor(random, {rows, leading}, dtype);
    return fn::to_dtype(random_indices(random, {rows, leading / 8}, 256), static_cast<std::int64_t>(ScalarType::UInt8));
}
std::vector<Sample> activation_gradient_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    return {{{random_tensor(random, {3, 10}, dtype), drawn_aux(random, LinearActivation::Relu, 3, 10, dtype), "relu"},
             "relu"},
            {{random_tensor(random, {2, 3, 5}, dtype), drawn_aux(random, LinearActivation::GeluTanh, 6, 5, dtype),
              "gelu_tanh"},
             "gelu"}};
}

// ---- a product that ends in the gradient of the activation before it

MetaList infer_product_gradient(const Tensor& grad, const Tensor& weight, const Tensor& aux,
                                std::string_view activation, bool with_bias) {
    check_floats(grad, grad);
    check_floats(weight, grad);
    require(grad.dim() == 2 && weight.dim() == 2 && grad.size(1) == weight.size(0),
            "mat1 and mat2 shapes cannot be multiplied");
    const std::int64_t columns = weight.size(1);
    check_aux(aux, grad, parse_linear_activation(activation), columns);
    return {{{grad.size(0), columns}, grad.dtype(), grad.device()},
            {{with_bias ? columns : 0}, grad.dtype(), grad.device()}};
}
void product_gradient(const Tensor& out, const Tensor& sums, const Tensor& grad, const Tensor& weight,
                      const Tensor& aux, std::string_view activation, bool with_bias) {
    activation_gradient(out, fn::mm(grad, weight), aux, activation);
    if (with_bias) copy_into(sums, fn::sum_dim(out, Dims{0}, false));
}
// Bits have no gradient.
void product_gradient_backward(GradientContext& c) {
    const std::string activation = c.value("activation").to_string();
    const Tensor of_sums = c.value("with_bias").to_bool() ? c.grad_output(1) : Tensor();
    const TensorList cotangents{c.grad_output(0), of_sums};
    const auto composed = [&](const Tensor& grad, const Tensor& weight, const Tensor& aux) {
        const Tensor out = op_activation_gradient(fn::mm(grad, weight), aux, activation);
        return TensorList{out, fn::sum_dim(out, Dims{0}, false)};
    };
    if (parse_linear_activation(activation) == LinearActivation::Relu) {
        const Tensor aux = c.argument("aux");
        set_composed_gradients(
            c, [&](const TensorList& in) { return composed(in[0], in[1], aux); }, {"grad", "weight"}, cotangents);
        return;
    }
    set_composed_gradients(
        c, [&](const TensorList& in) { return composed(in[0], in[1], in[2]); }, {"grad", "weight", "aux"}, cotangents);
}
std::vector<Sample> product_gradient_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({3, 4}), t({4, 10}), drawn_aux(random, LinearActivation::Relu, 3, 10, dtype), "relu", true}, "relu"},
            {{t({3, 4}), t({4, 5}), drawn_aux(random, LinearActivation::GeluTanh, 3, 5, dtype), "gelu_tanh", false},
             "gelu"}};
}
Cost first_product_cost(Arguments arguments, std::span<const IValue> results) {
    return product_cost(static_cast<double>(arguments[0].to_tensor().size(-1)), arguments, results);
}

// ---- the gradients of weight and bias

MetaList infer_weight_gradient(const Tensor& grad, const Tensor& input, bool with_bias) {
    check_floats(grad, grad);
    check_floats(input, grad);
    require(grad.dim() == 2 && input.dim() == 2 && grad.size(0) == input.size(0),
            "gradient and input must be matrices of as many rows");
    return {{{grad.size(1), input.size(1)}, grad.dtype(), grad.device()},
            {{with_bias ? grad.size(1) : 0}, grad.dtype(), grad.device()}};
}
void weight_gradient(const Tensor& weight, const Tensor& bias, const Tensor& grad, const Tensor& input,
                     bool with_bias) {
    copy_into(weight, fn::mm(fn::t(grad), input));
    if (with_bias) copy_into(bias, fn::sum_dim(grad, Dims{0}, false));
}
void weight_gradient_backward(GradientContext& c) {
    const auto composed = [](const TensorList& in) {
        return TensorList{fn::mm(fn::t(in[0]), in[1]), fn::sum_dim(in[0], Dims{0}, false)};
    };
    const Tensor of_bias = c.value("with_bias").to_bool() ? c.grad_output(1) : Tensor();
    set_composed_gradients(c, composed, {"grad", "input"}, {c.grad_output(0), of_bias});
}
std::vector<Sample> weight_gradient_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({5, 3}), t({5, 4}), true}}, {{fn::t(t({3, 5})), t({5, 4}), false}, "without a bias"}};
}
Cost weight_gradient_cost(Arguments arguments, std::span<const IValue> results) {
    return product_cost(static_cast<double>(arguments[0].to_tensor().size(0)), arguments, results);
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "loupe::linear_activation(Tensor input, Tensor weight, Tensor? bias, str activation, bool keeps) -> "
               "(Tensor output, Tensor aux)",
     .summary = "A linear map of the last dimension that ends in an activation; keeps what its gradient reads.",
     .formula = "activation(input weight^T + bias)",
     .infer = inferring<infer_layer>,
     .kernel = filling<layer, 2>,
     .derivative = {layer_backward,
                    {save_argument("input"), save_argument("weight"), save_argument("bias"), save_result(0),
                     save_result(1)},
                    "LinearActivationBackward0"},
     .gradient = "input: (activation' grad) weight\nweight: (activation' grad)^T input\n"
                 "bias: sum_n (activation' grad)[n]",
     .cost = layer_cost,
     .samples = layer_samples,
     .constant_results = 2,
     .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower}},
    {.schema = "loupe::activation_gradient(Tensor grad, Tensor aux, str activation) -> Tensor",
     .summary = "The gradient of a linear layer's activation, from what the layer kept.",
     .formula = "activation'(aux) grad",
     .infer = inferring<infer_activation_gradient>,
     .kernel = filling<activation_gradient>,
     .derivative = {activation_gradient_backward,
                    {save_argument("grad"), save_argument("aux")},
                    "ActivationGradientBackward0"},
     .gradient = "grad: activation'(aux) grad\naux: activation''(aux) grad",
     .samples = activation_gradient_samples},
    {.schema = "loupe::product_activation_gradient(Tensor grad, Tensor weight, Tensor aux, str activation, bool "
               "with_bias) -> (Tensor before, Tensor bias_gradient)",
     .summary = "The gradient that one linear layer gives the activation before it, and its sum over the rows.",
     .formula = "before = activation'(aux) (grad weight), bias_gradient = sum_n before[n]",
     .infer = inferring<infer_product_gradient>,
     .kernel = filling<product_gradient, 2>,
     .derivative = {product_gradient_backward,
                    {save_argument("grad"), save_argument("weight"), save_argument("aux")},
                    "ProductActivationGradientBackward0"},
     .gradient = "grad: (activation'(aux) before) weight^T\nweight: grad^T (activation'(aux) before)\n"
                 "aux: activation''(aux) (grad weight) before",
     .cost = first_product_cost,
     .samples = product_gradient_samples},
    {.schema = "loupe::linear_weight_gradient(Tensor grad, Tensor input, bool with_bias) -> (Tensor weight_gradient, "
               "Tensor bias_gradient)",
     .summary = "The gradients of a linear layer's weight and bias.",
     .formula = "weight_gradient = grad^T input, bias_gradient = sum_n grad[n]",
     .infer = inferring<infer_weight_gradient>,
     .kernel = filling<weight_gradient, 2>,
     .derivative = {weight_gradient_backward,
                    {save_argument("grad"), save_argument("input")},
                    "LinearWeightGradientBackward0"},
     .gradient = "grad: input weight_gradient^T + bias_gradient\ninput: grad weight_gradient",
     .cost = weight_gradient_cost,
     .samples = weight_gradient_samples},
};

}  // namespace

std::span<const OperatorRecord> matrix::linear_activation_records() { return kRecords; }

}  // namespace loupe
