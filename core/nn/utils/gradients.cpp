// SPDX-License-Identifier: Apache-2.0
#include "core/nn/utils/gradients.h"

#include <cmath>

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/kernels/arithmetic.h"

namespace loupe::nn {
namespace {

using namespace arithmetic;

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

TensorList gradients_in(const TensorList& parameters) {
    TensorList out;
    for (const Tensor& parameter : parameters) {
        if (!parameter.defined()) throw Error(ErrorKind::Run, "'NoneType' object has no attribute 'grad'");
        if (const Tensor grad = grad_of(parameter); grad.defined()) out.push_back(grad);
    }
    return out;
}

Tensor norm_of_all(const TensorList& gradients, double norm_type) {
    if (std::isinf(norm_type)) {
        TensorList greatest;
        for (const Tensor& grad : gradients) greatest.push_back(fn::amax(fn::abs(grad), Dims{}, false));
        return greatest.size() == 1 ? greatest[0] : fn::amax(fn::stack(greatest, 0), Dims{}, false);
    }
    TensorList norms;
    for (const Tensor& grad : gradients)
        norms.push_back(fn::vector_norm(grad, Scalar(norm_type), IValue(), false, IValue()));
    return fn::vector_norm(fn::stack(norms, 0), Scalar(norm_type), IValue(), false, IValue());
}

Tensor buffer(const Module& module, const char* name) { return module.attribute(name).to_tensor(); }

// The factor a channel is multiplied by, and what is added afterwards.
struct Affine {
    Tensor factor, bias;
};
Affine affine_of(const Tensor& like, const Tensor& bias, const Tensor& mean, const Tensor& var, double eps,
                 const Tensor& bn_weight, const Tensor& bn_bias) {
    const Tensor scale = fn::rsqrt(var + Scalar(eps));
    const Tensor factor = bn_weight.defined() ? bn_weight * scale : scale;
    const Tensor before = bias.defined() ? bias : fn::zeros_like(mean);
    const Tensor shifted = (before - mean) * factor;
    const auto as_like = [&](const Tensor& t) {
        return fn::to_dtype(t, static_cast<std::int64_t>(like.dtype()), false, false, IValue());
    };
    return {as_like(factor), as_like(bn_bias.defined() ? shifted + bn_bias : shifted)};
}

template <typename Fuse>
ModulePtr fused(const ModulePtr& linear, const ModulePtr& bn, Fuse fuse) {
    if (linear->is_training() || bn->is_training()) run_error("Fusion only for eval!");
    if (!buffer(*bn, "running_mean").defined()) run_error("only a normalisation with running statistics can be fused");
    const GradModeScope no_grad(false);
    const ModulePtr out = linear->deep_copy();
    const WeightAndBias made =
        fuse(buffer(*out, "weight"), buffer(*out, "bias"), buffer(*bn, "running_mean"), buffer(*bn, "running_var"),
             bn->attribute("eps").to_double(), buffer(*bn, "weight"), buffer(*bn, "bias"));
    out->set_attribute("weight", make_parameter(made.weight, requires_grad(buffer(*linear, "weight"))));
    out->set_attribute("bias", make_parameter(made.bias, requires_grad(buffer(*linear, "weight"))));
    return out;
}

}  // namespace

Tensor clip_grad_norm_(const TensorList& parameters, double max_norm, double norm_type, bool error_if_nonfinite) {
    const GradModeScope no_grad(false);
    const TensorList gradients = gradients_in(parameters);
    if (gradients.empty()) return scalar_tensor(Scalar(0.0), ScalarType::Float32);
    const Tensor total = norm_of_all(gradients, norm_type);
    if (error_if_nonfinite && !std::isfinite(item(total).to_double())) {
        run_error(concat("The total norm of order ", python_repr(norm_type),
                         " for gradients from `parameters` is non-finite, so it cannot be clipped. To disable this "
                         "error and scale the "
                         "gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"));
    }
    const Tensor factor = fn::clamp(Scalar(max_norm) * fn::reciprocal(total + Scalar(1e-6)), IValue(), Scalar(1.0));
    for (const Tensor& grad : gradients) fn::mul_(grad, factor);
    return total;
}

void clip_grad_value_(const TensorList& parameters, double clip_value) {
    static const OperatorHandle<> op_clamp_("aten::clamp_");
    const GradModeScope no_grad(false);
    for (const Tensor& grad : gradients_in(parameters)) op_clamp_(grad, Scalar(-clip_value), Scalar(clip_value));
}

Tensor parameters_to_vector(const TensorList& parameters) {
    TensorList flat;
    for (const Tensor& parameter : parameters) flat.push_back(fn::reshape(parameter, Dims{-1}));
    return fn::cat(flat, 0);
}

void vector_to_parameters(const Tensor& vector, const TensorList& parameters) {
    const GradModeScope no_grad(false);
    std::int64_t at = 0;
    for (const Tensor& parameter : parameters) {
        const Tensor part = fn::narrow(vector, 0, at, parameter.numel());
        parameter.set_metadata_from(fn::view(part, to_dims(parameter.sizes())));
        at += parameter.numel();
    }
}

WeightAndBias fuse_conv_bn_weights(const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& var,
                                   double eps, const Tensor& bn_weight, const Tensor& bn_bias, bool transpose) {
    const Affine affine = affine_of(weight, bias, mean, var, eps, bn_weight, bn_bias);
    Dims shape(static_cast<std::size_t>(weight.dim()), 1);
    shape[transpose ? 1 : 0] = -1;
    return {weight * fn::reshape(affine.factor, shape), affine.bias};
}

WeightAndBias fuse_linear_bn_weights(const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& var,
                                     double eps, const Tensor& bn_weight, const Tensor& bn_bias) {
    const Affine affine = affine_of(weight, bias, mean, var, eps, bn_weight, bn_bias);
    return {weight * fn::unsqueeze(affine.factor, -1), affine.bias};
}

ModulePtr fuse_conv_bn_eval(const ModulePtr& conv, const ModulePtr& bn, bool transpose) {
    return fused(conv, bn, [transpose](auto&&... parts) { return fuse_conv_bn_weights(parts..., transpose); });
}
ModulePtr fuse_linear_bn_eval(const ModulePtr& linear, const ModulePtr& bn) {
    return fused(linear, bn, [](auto&&... parts) { return fuse_linear_bn_weights(parts...); });
}

}  // namespace loupe::nn
