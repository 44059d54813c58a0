// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients and parameters as a whole: torch.nn.utils.

#include "core/nn/module.h"

namespace loupe::nn {

// Scales the gradients in place so that the norm of all together is at most max_norm; returns the norm before (a 0-d
// tensor). Parameters without a gradient do not count. Throws Error (Run) for a norm that is not finite when
// error_if_nonfinite.
Tensor clip_grad_norm_(const TensorList& parameters, double max_norm, double norm_type = 2,
                       bool error_if_nonfinite = false);
// Every element of the gradients between -clip_value and clip_value, in place.
void clip_grad_value_(const TensorList& parameters, double clip_value);

// All elements one after another, recorded; and back: each parameter becomes a view of its part.
Tensor parameters_to_vector(const TensorList& parameters);
void vector_to_parameters(const Tensor& vector, const TensorList& parameters);

// A convolution that does what conv and then bn do in eval mode; both must be in eval mode, else Error (Run).
ModulePtr fuse_conv_bn_eval(const ModulePtr& conv, const ModulePtr& bn, bool transpose = false);
ModulePtr fuse_linear_bn_eval(const ModulePtr& linear, const ModulePtr& bn);
struct WeightAndBias {
    Tensor weight, bias;
};
WeightAndBias fuse_conv_bn_weights(const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& var,
                                   double eps, const Tensor& bn_weight, const Tensor& bn_bias, bool transpose = false);
WeightAndBias fuse_linear_bn_weights(const Tensor& weight, const Tensor& bias, const Tensor& mean, const Tensor& var,
                                     double eps, const Tensor& bn_weight, const Tensor& bn_bias);

}  // namespace loupe::nn
