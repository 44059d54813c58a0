// SPDX-License-Identifier: Apache-2.0
// Optimisers as operators (ai.onnx.preview.training): each input tensor with its gradient and state.
#include <cmath>

#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

// inputs: all tensors, then all gradients, then the states of each kind. The results likewise, without gradients.
struct Groups {
    std::size_t count;
    const TensorList& inputs;

    Groups(const TensorList& all, std::size_t kinds) : count(all.size() / kinds), inputs(all) {
        require(all.size() % kinds == 0, all.size(), " inputs do not divide into ", kinds, " kinds");
    }
    const Tensor& of(std::size_t kind, std::size_t i) const { return inputs[kind * count + i]; }
};

Tensor decayed(const Tensor& gradient, const Tensor& x, double norm_coefficient) {
    return norm_coefficient == 0 ? gradient : fn::add(gradient, fn::mul_scalar(x, Scalar(norm_coefficient)));
}

TensorList adagrad(const Tensor& rate, const Tensor& step, const TensorList& inputs, double decay_factor,
                   double epsilon, double norm_coefficient) {
    const Groups groups(inputs, 3);
    TensorList xs, states;
    const double r = real_number(rate) / (1 + real_number(step) * decay_factor);
    for (std::size_t i = 0; i < groups.count; ++i) {
        const Tensor g = decayed(groups.of(1, i), groups.of(0, i), norm_coefficient);
        const Tensor h = fn::add(groups.of(2, i), fn::mul(g, g));
        const Tensor root = fn::add_scalar(fn::sqrt(h), Scalar(epsilon));
        xs.push_back(fn::sub(groups.of(0, i), fn::mul_scalar(fn::div(g, root), Scalar(r))));
        states.push_back(h);
    }
    xs.insert(xs.end(), states.begin(), states.end());
    return xs;
}

TensorList adam(const Tensor& rate, const Tensor& step, const TensorList& inputs, double alpha, double beta,
                double epsilon, double norm_coefficient, double norm_coefficient_post) {
    const Groups groups(inputs, 4);
    TensorList xs, firsts, seconds;
    const double t = real_number(step);
    double r = real_number(rate);
    if (t > 0) r *= std::sqrt(1 - std::pow(beta, t)) / (1 - std::pow(alpha, t));
    for (std::size_t i = 0; i < groups.count; ++i) {
        const Tensor g = decayed(groups.of(1, i), groups.of(0, i), norm_coefficient);
        const Tensor v = fn::add(fn::mul_scalar(groups.of(2, i), Scalar(alpha)), fn::mul_scalar(g, Scalar(1 - alpha)));
        const Tensor h =
            fn::add(fn::mul_scalar(groups.of(3, i), Scalar(beta)), fn::mul_scalar(fn::mul(g, g), Scalar(1 - beta)));
        const Tensor root = fn::add_scalar(fn::sqrt(h), Scalar(epsilon));
        const Tensor x = fn::sub(groups.of(0, i), fn::mul_scalar(fn::div(v, root), Scalar(r)));
        xs.push_back(norm_coefficient_post == 0 ? x : fn::mul_scalar(x, Scalar(1 - norm_coefficient_post)));
        firsts.push_back(v);
        seconds.push_back(h);
    }
    xs.insert(xs.end(), firsts.begin(), firsts.end());
    xs.insert(xs.end(), seconds.begin(), seconds.end());
    return xs;
}

TensorList momentum(const Tensor& rate, const Tensor& step, const TensorList& inputs, double alpha, double beta,
                    std::string_view mode, double norm_coefficient) {
    const Groups groups(inputs, 3);
    require(mode == "standard" || mode == "nesterov", "mode is standard or nesterov");
    TensorList xs, states;
    const Scalar r(real_number(rate));
    const double b = real_number(step) > 0 ? beta : 1;
    for (std::size_t i = 0; i < groups.count; ++i) {
        const Tensor g = decayed(groups.of(1, i), groups.of(0, i), norm_coefficient);
        const Tensor v = fn::add(fn::mul_scalar(groups.of(2, i), Scalar(alpha)), fn::mul_scalar(g, Scalar(b)));
        const Tensor by = mode == "nesterov" ? fn::add(g, fn::mul_scalar(v, Scalar(alpha))) : v;
        xs.push_back(fn::sub(groups.of(0, i), fn::mul_scalar(by, r)));
        states.push_back(v);
    }
    xs.insert(xs.end(), states.begin(), states.end());
    return xs;
}

constexpr OperatorRecord kRecords[] = {
    reading("onnx_training::Adagrad(Tensor R, Tensor T, Tensor[] inputs, *, float decay_factor=0., float "
            "epsilon=9.9999999747524271e-07, float norm_coefficient=0.) -> (Tensor[] outputs)",
            "A step of Adagrad.", boxed<adagrad>),
    reading("onnx_training::Adam(Tensor R, Tensor T, Tensor[] inputs, *, float alpha=0.9, float beta=0.999, float "
            "epsilon=9.9999999747524271e-07, float norm_coefficient=0., float norm_coefficient_post=0.) -> (Tensor[] "
            "outputs)",
            "A step of Adam.", boxed<adam>),
    reading("onnx_training::Momentum(Tensor R, Tensor T, Tensor[] inputs, *, float alpha, float beta, str mode, float "
            "norm_coefficient) -> (Tensor[] outputs)",
            "A step of gradient descent with momentum.", boxed<momentum>),
};

}  // namespace

std::span<const OperatorRecord> training_records() { return kRecords; }

}  // namespace loupe::onnx
