// SPDX-License-Identifier: Apache-2.0
// Pointwise operators outside the pointwise family: those whose kernels are made of other operators and of loops, and
// small ones with loops of their own.
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/registry.h"
#include "plugins/cuda/loops/elements.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

fn::TwoTensors frexp(const Tensor& self) {
    const Tensor x = dense(self), mantissa = empty(self.sizes(), self.dtype(), self.device()),
                 exponent = empty(self.sizes(), ScalarType::Int32, self.device());
    run_frexp(queue_of(self.device()), element_of(x.dtype()), address_of(x), address_of(mantissa),
              static_cast<std::int32_t*>(address_of(exponent)), x.numel());
    return {mantissa, exponent};
}

KernelFunction host_kernel(std::string_view name) {
    const Operator* const op = find_operator(std::string(name));
    return op == nullptr ? nullptr : op->record->kernel.function;
}

constexpr std::string_view kCrossEntropy = "aten::binary_cross_entropy";

// What the CPU's kernel checks on the host is checked beside it here.
void binary_cross_entropy(Arguments arguments, IValue* results) {
    static const KernelFunction formula = host_kernel(kCrossEntropy);
    const Tensor x = dense(arguments[0].to_tensor());
    const Queue queue = queue_of(x.device());
    run_share_check(queue, element_of(x.dtype()), address_of(x), x.numel(), fault_for(queue, kCrossEntropy.data()));
    formula(arguments, results);
    check_faults(queue);
}
bool takes_shares(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const ScalarType dtype = a[0].to_tensor().dtype();
    if (!is_known(dtype) && why != nullptr) *why = std::string(dtype_name(dtype)) + " input";
    return is_known(dtype);
}
bool takes_fraction(Arguments a, std::string* why) { return takes_floating<0>(a, why); }

// The CPU's kernels of these are other operators and elementwise loops, which go where the tensors are.
constexpr std::string_view kOfOthers[] = {
    "aten::_dirichlet_grad",
    "aten::_fake_quantize_learnable_per_channel_affine",
    "aten::_fake_quantize_learnable_per_channel_affine_backward",
    "aten::_fake_quantize_learnable_per_tensor_affine",
    "aten::_fake_quantize_learnable_per_tensor_affine_backward",
    "aten::_fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
    "aten::_fused_moving_avg_obs_fq_helper",
    "aten::_standard_gamma_grad",
    "aten::_trilinear",
    "aten::addr",
    "aten::binary_cross_entropy_backward",
    "aten::elu_",
    "aten::equal",
    "aten::fake_quantize_per_channel_affine_cachemask",
    "aten::fake_quantize_per_tensor_affine_cachemask",
    "aten::linalg_cross",
    "aten::soft_margin_loss",
    "aten::soft_margin_loss_backward",
    "aten::unsafe_split.Tensor",
    "aten::unsafe_split_with_sizes",
};

}  // namespace

void register_composed(const Registration& to) {
    for (const std::string_view name : kOfOthers) {
        if (const KernelFunction kernel = host_kernel(name); kernel != nullptr) to.add(name, kernel);
    }
    to.add("aten::frexp.Tensor", boxed<frexp>, takes_fraction);
    to.add(kCrossEntropy, &binary_cross_entropy, takes_shares);
}

}  // namespace loupe::cuda
