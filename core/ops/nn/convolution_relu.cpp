// SPDX-License-Identifier: Apache-2.0
// A convolution, what is added to it, and relu as one call: PyTorch's operators of cuDNN, which its pass
// FuseFrozenConvAddRelu creates. Here they are defined on every device, by the operators that they are made of.
#include "core/dispatch/gradient_context.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/composed_gradient.h"
#include "core/ops/nn/convolution.h"
#include "core/ops/nn/family.h"
#include "core/ops/samples.h"

namespace loupe {
namespace {

// An image without a batch is a batch of one.
Tensor convolved(const Tensor& self, const Tensor& weight, const Tensor& bias, const Dims& stride, const Dims& padding,
                 const Dims& dilation, std::int64_t groups) {
    const bool is_batched = self.dim() == weight.dim();
    const Dims none(static_cast<std::size_t>(std::max<std::int64_t>(0, weight.dim() - 2)), 0);
    const Tensor out = fn::convolution(is_batched ? self : fn::unsqueeze(self, 0), weight, bias, stride, padding,
                                       dilation, false, none, groups);
    return is_batched ? out : fn::squeeze(out, 0);
}

Tensor convolution_relu(const Tensor& self, const Tensor& weight, const Tensor& bias, const Dims& stride,
                        const Dims& padding, const Dims& dilation, std::int64_t groups) {
    return fn::relu(convolved(self, weight, bias, stride, padding, dilation, groups));
}

Tensor convolution_add_relu(const Tensor& self, const Tensor& weight, const Tensor& z,
                            const std::optional<Scalar>& alpha, const Tensor& bias, const Dims& stride,
                            const Dims& padding, const Dims& dilation, std::int64_t groups) {
    return fn::relu(
        fn::add(convolved(self, weight, bias, stride, padding, dilation, groups), z, alpha.value_or(Scalar(1))));
}

// The operators that it is made of, differentiated.
void convolution_relu_backward(GradientContext& c) {
    const Dims stride = c.value("stride").to_ints(), padding = c.value("padding").to_ints(),
               dilation = c.value("dilation").to_ints();
    const std::int64_t groups = c.value("groups").to_int();
    set_composed_gradients(
        c,
        [&](const TensorList& in) {
            return TensorList{convolution_relu(in[0], in[1], in[2], stride, padding, dilation, groups)};
        },
        {"self", "weight", "bias"}, {c.grad_output()});
}
void convolution_add_relu_backward(GradientContext& c) {
    const Dims stride = c.value("stride").to_ints(), padding = c.value("padding").to_ints(),
               dilation = c.value("dilation").to_ints();
    const std::int64_t groups = c.value("groups").to_int();
    const IValue& given = c.value("alpha");
    const std::optional<Scalar> alpha = given.is_none() ? std::nullopt : std::optional(given.to_scalar());
    set_composed_gradients(c,
                           [&](const TensorList& in) {
                               return TensorList{convolution_add_relu(in[0], in[1], in[2], alpha, in[3], stride,
                                                                      padding, dilation, groups)};
                           },
                           {"self", "weight", "z", "bias"}, {c.grad_output()});
}

std::vector<Sample> relu_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({2, 3, 5, 4}), t({4, 3, 3, 3}), t({4}), Dims{1, 1}, Dims{1, 1}, Dims{1, 1}, 1}},
            {{t({1, 4, 7}), t({2, 2, 3}), IValue(), Dims{2}, Dims{0}, Dims{2}, 2}, "in groups, of a sequence"}};
}
std::vector<Sample> add_relu_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({2, 3, 5, 4}), t({4, 3, 3, 3}), t({2, 4, 5, 4}), 0.5, t({4}), Dims{1, 1}, Dims{1, 1}, Dims{1, 1}, 1}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::cudnn_convolution_relu(Tensor self, Tensor weight, Tensor? bias, int[] stride, int[] padding, "
               "int[] dilation, int groups) -> Tensor",
     .summary = "relu of a convolution.",
     .formula = "relu(convolution(self, weight) + bias)",
     .kernel = boxed<convolution_relu>,
     .derivative = {convolution_relu_backward, {save_argument("self"), save_argument("weight"), save_argument("bias")}},
     .gradient = "self: of the convolution, where the result is above 0\nweight: the same\nbias: the same",
     .samples = relu_samples,
     .variants = kOut},
    {.schema = "aten::cudnn_convolution_add_relu(Tensor self, Tensor weight, Tensor z, Scalar? alpha, Tensor? bias, "
               "int[] stride, int[] padding, int[] dilation, int groups) -> Tensor",
     .summary = "relu of the sum of a convolution and another tensor.",
     .formula = "relu(convolution(self, weight) + bias + alpha z)",
     .kernel = boxed<convolution_add_relu>,
     .derivative = {convolution_add_relu_backward,
                    {save_argument("self"), save_argument("weight"), save_argument("z"), save_argument("bias")}},
     .gradient = "self: of the convolution, where the result is above 0\nweight: the same\nz: alpha grad there\n"
                 "bias: of the convolution",
     .samples = add_relu_samples,
     .variants = kOut},
};

}  // namespace

std::span<const OperatorRecord> nn_ops::convolution_relu_records() { return kRecords; }

}  // namespace loupe
