// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/norm/batch_norm.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/kernels/elementwise.h"
#include "plugins/cuda/cudnn/cudnn_library.h"
#include "plugins/cuda/operators/dense.h"

namespace loupe::cuda {
namespace {

constexpr char kForward[] = "aten::native_batch_norm";
constexpr char kBackward[] = "aten::native_batch_norm_backward";

ScalarType parameter_type(ScalarType input) {
    return input == ScalarType::Float64 ? ScalarType::Float64 : ScalarType::Float32;
}

Dims channel_sizes(const Tensor& input) {
    Dims sizes(static_cast<std::size_t>(std::max<std::int64_t>(4, input.dim())), 1);
    sizes[1] = input.size(1);
    return sizes;
}

// What both directions share.
struct Normalisation {
    explicit Normalisation(const Tensor& input, bool training)
        : last(input.dim() == 4 && input.is_channels_last() && !input.is_contiguous()),
          // PyTorch's choice: the persistent mode may overflow with other layouts.
          mode(training && last ? CUDNN_BATCHNORM_SPATIAL_PERSISTENT : CUDNN_BATCHNORM_SPATIAL),
          handle(cudnn_handle(input.device())),
          factors(input.dtype()),
          data(input.sizes(), *cudnn_type(input.dtype()), last),
          numbers(span_of(channel_sizes(input)), *cudnn_type(parameter_type(input.dtype())), last) {}

    bool last;
    cudnnBatchNormMode_t mode;
    cudnnHandle_t handle;
    Factors factors;
    TensorDescriptor data;
    TensorDescriptor numbers;
};

// (out, save_mean, save_invstd) = (input, weight, bias, running_mean, running_var, training, momentum, eps)
void run_forward(Arguments a, IValue* results) {
    const Tensor given = a[0].to_tensor(), out = results[0].to_tensor();
    const ScalarType type = parameter_type(given.dtype());
    const bool training = a[5].to_bool();
    const double momentum = a[6].to_double(), eps = a[7].to_double();
    const Normalisation norm(given, training);
    const Tensor x = in_order(given, norm.last), y = room_for(out, norm.last);
    const Tensor weight = dense(a[1].to_tensor(), type), bias = dense(a[2].to_tensor(), type);
    const Tensor mean = dense(a[3].to_tensor()), variance = dense(a[4].to_tensor());
    if (training) {
        const Room saved_mean(results[1].to_tensor(), type), saved_invstd(results[2].to_tensor(), type);
        check_cudnn(cudnnBatchNormalizationForwardTraining(
                        norm.handle, norm.mode, norm.factors.one(), norm.factors.zero(), norm.data, x.address(),
                        norm.data, y.address(), norm.numbers, weight.address(), bias.address(), momentum,
                        mean.defined() ? mean.address() : nullptr, variance.defined() ? variance.address() : nullptr,
                        eps, saved_mean.tensor().address(), saved_invstd.tensor().address()),
                    "a batch norm");
        for (const Room* room : {&saved_mean, &saved_invstd}) room->put_back();
        for (const auto& [made, kept] : {std::pair(mean, a[3].to_tensor()), std::pair(variance, a[4].to_tensor())}) {
            if (kept.defined() && !made.is_same(kept)) copy_into(kept, made);
        }
    } else {
        check_cudnn(cudnnBatchNormalizationForwardInference(norm.handle, norm.mode, norm.factors.one(),
                                                            norm.factors.zero(), norm.data, x.address(), norm.data,
                                                            y.address(), norm.numbers, weight.address(), bias.address(),
                                                            mean.address(), variance.address(), eps),
                    "a batch norm");
    }
    if (!y.is_same(out)) copy_into(out, y);
}

// (grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, train, eps, output_mask)
void run_backward(Arguments a, IValue* results) {
    const Tensor given = a[1].to_tensor(), given_weight = a[2].to_tensor();
    const ScalarType type = parameter_type(given.dtype());
    const std::vector<bool> mask = a[9].to_bools();
    const Normalisation norm(given, true);
    const Tensor x = in_order(given, norm.last), grad = in_order(a[0].to_tensor(), norm.last);
    const Tensor weight = dense(given_weight, type), mean = dense(a[5].to_tensor(), type),
                 invstd = dense(a[6].to_tensor(), type);
    const Tensor dx = room_for(empty(given.sizes(), given.dtype(), given.device()), norm.last);
    const std::array channels{given.size(1)};
    const Tensor of_weight = empty(channels, type, given.device()), of_bias = empty(channels, type, given.device());
    check_cudnn(cudnnBatchNormalizationBackward(norm.handle, norm.mode, norm.factors.one(), norm.factors.zero(),
                                                norm.factors.one(), norm.factors.zero(), norm.data, x.address(),
                                                norm.data, grad.address(), norm.data, dx.address(), norm.numbers,
                                                weight.address(), of_weight.address(), of_bias.address(),
                                                a[8].to_double(), mean.address(), invstd.address()),
                "a gradient of a batch norm");
    results[0] = dx;
    if (mask[1]) results[1] = dense(of_weight, given_weight.dtype());
    if (mask[2]) results[2] = dense(of_bias, given_weight.dtype());
}

bool says(std::string* why, const std::string& reason) {
    if (why != nullptr) *why = reason;
    return false;
}

// What both directions ask of the input and its parameters; PyTorch's rules (aten/src/ATen/native/Normalization.cpp).
bool takes_input(const Tensor& input, std::initializer_list<Tensor> parameters, double eps, std::string* why) {
    const ScalarType dtype = input.dtype();
    if (!cudnn_type(dtype) || dtype == ScalarType::BFloat16)
        return says(why, std::string(dtype_name(dtype)) + " input");
    if (input.dim() < 3 || input.dim() > kMostCudnnDims) return says(why, concat(input.dim(), " dimensions"));
    if (input.numel() == 0) return says(why, "no elements");
    if (input.numel() > 0x7FFFFFFF) return says(why, "more than 2^31 elements");
    for (const Tensor& t : parameters) {
        if (!t.defined()) return says(why, "no weight or no bias");
        if (t.dtype() != parameter_type(dtype))
            return says(why, concat(dtype_name(dtype), " input with parameters of ", dtype_name(t.dtype())));
        if (t.numel() != input.size(1)) return says(why, "parameters that do not fit");
    }
    if (eps < CUDNN_BN_MIN_EPSILON) return says(why, "eps is below cuDNN's least");
    return true;
}

bool accepts_forward(Arguments a, std::string* why) {
    const Tensor input = a[0].to_tensor(), mean = a[3].to_tensor(), variance = a[4].to_tensor();
    const bool training = a[5].to_bool();
    if (!takes_input(input, {a[1].to_tensor(), a[2].to_tensor()}, a[7].to_double(), why)) return false;
    if (mean.defined() != variance.defined() || (!training && !mean.defined()))
        return says(why, "running statistics are missing");
    for (const Tensor& t : {mean, variance}) {
        if (t.defined() && t.dtype() != parameter_type(input.dtype()))
            return says(why, concat("running statistics of ", dtype_name(t.dtype())));
        if (t.defined() && t.numel() != input.size(1)) return says(why, "running statistics that do not fit");
    }
    if (training && input.numel() == input.size(1)) return says(why, "one element a channel");
    if (input.size(0) > (training ? 880801 : 65535)) return says(why, "a batch beyond cuDNN's");
    return true;
}

bool accepts_backward(Arguments a, std::string* why) {
    const Tensor grad = a[0].to_tensor(), input = a[1].to_tensor();
    if (!a[7].to_bool()) return says(why, "the gradient of running statistics");
    if (!a[9].to_bools()[0]) return says(why, "no gradient of the input is wanted: sums alone are a kernel of our own");
    if (!a[5].to_tensor().defined() || !a[6].to_tensor().defined()) return says(why, "no moments were kept");
    if (!takes_input(input, {a[2].to_tensor()}, a[8].to_double(), why)) return false;
    if (grad.dtype() != input.dtype()) return says(why, "mixed dtypes");
    if (!std::ranges::equal(grad.sizes(), input.sizes())) return says(why, "sizes that do not fit");
    for (const Tensor& t : {a[5].to_tensor(), a[6].to_tensor()}) {
        if (t.numel() != input.size(1)) return says(why, "sizes that do not fit");
    }
    if (input.size(0) > 880801) return says(why, "a batch beyond cuDNN's");
    return true;
}

}  // namespace

void register_batch_norm(const PluginRegistries& registries) {
    registries.add_kernel(kForward, DeviceType::Cuda, {"cudnn", cudnn_kernel<run_forward, kForward>, accepts_forward});
    registries.add_kernel(kBackward, DeviceType::Cuda,
                          {"cudnn", cudnn_kernel<run_backward, kBackward>, accepts_backward});
}

}  // namespace loupe::cuda
