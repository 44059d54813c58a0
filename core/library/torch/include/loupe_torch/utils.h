// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::nn::utils: gradients kept small, parameters in one vector.

#include <vector>

#include <loupe_torch/functions.h>

namespace torch::nn::utils {

// Scales the gradients so that their norm over all parameters is at most max_norm; returns the norm before. Throws
// c10::Error for a norm that is not finite when error_if_nonfinite is set.
double clip_grad_norm_(const std::vector<at::Tensor>& parameters, double max_norm, double norm_type = 2.0,
                       bool error_if_nonfinite = false);
inline double clip_grad_norm_(const at::Tensor& parameter, double max_norm, double norm_type = 2.0,
                              bool error_if_nonfinite = false) {
    return clip_grad_norm_(std::vector<at::Tensor>{parameter}, max_norm, norm_type, error_if_nonfinite);
}
// Each element of the gradients into [-clip_value, clip_value].
void clip_grad_value_(const std::vector<at::Tensor>& parameters, double clip_value);
inline void clip_grad_value_(const at::Tensor& parameter, double clip_value) {
    clip_grad_value_(std::vector<at::Tensor>{parameter}, clip_value);
}
at::Tensor parameters_to_vector(const std::vector<at::Tensor>& parameters);
void vector_to_parameters(const at::Tensor& vector, const std::vector<at::Tensor>& parameters);

}  // namespace torch::nn::utils
