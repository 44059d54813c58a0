// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/utils.h>

#include "core/library/torch/call.h"
#include "core/nn/utils/gradients.h"

using namespace loupe::torch_api;

namespace torch::nn::utils {
namespace {

loupe::TensorList engine_tensors(const std::vector<at::Tensor>& tensors) {
    loupe::TensorList list;
    for (const at::Tensor& each : tensors) list.push_back(each.engine());
    return list;
}

}  // namespace

double clip_grad_norm_(const std::vector<at::Tensor>& parameters, double max_norm, double norm_type,
                       bool error_if_nonfinite) {
    return translated([&] {
        const loupe::Tensor norm =
            loupe::nn::clip_grad_norm_(engine_tensors(parameters), max_norm, norm_type, error_if_nonfinite);
        return at::Tensor(norm).item<double>();
    });
}
void clip_grad_value_(const std::vector<at::Tensor>& parameters, double clip_value) {
    translated([&] { loupe::nn::clip_grad_value_(engine_tensors(parameters), clip_value); });
}
at::Tensor parameters_to_vector(const std::vector<at::Tensor>& parameters) {
    return translated([&] { return at::Tensor(loupe::nn::parameters_to_vector(engine_tensors(parameters))); });
}
void vector_to_parameters(const at::Tensor& vector, const std::vector<at::Tensor>& parameters) {
    translated([&] { loupe::nn::vector_to_parameters(vector.engine(), engine_tensors(parameters)); });
}

}  // namespace torch::nn::utils
