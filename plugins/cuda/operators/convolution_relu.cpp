// SPDX-License-Identifier: Apache-2.0
// A convolution with relu on a device, by the operators that it is made of: where cuDNN's one kernel of them is not
// there or declines.
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

Tensor convolved(const Tensor& self, const Tensor& weight, const Tensor& bias, const Dims& stride, const Dims& padding,
                 const Dims& dilation, std::int64_t groups) {
    const bool is_batched = self.dim() == weight.dim();
    const Tensor out = fn::convolution(is_batched ? self : fn::unsqueeze(self, 0), weight, bias, stride, padding,
                                       dilation, false, Dims(stride.size(), 0), groups);
    return is_batched ? out : fn::squeeze(out, 0);
}

Tensor convolution_relu(const Tensor& self, const Tensor& weight, const Tensor& bias, const Dims& stride,
                        const Dims& padding, const Dims& dilation, std::int64_t groups) {
    return fn::relu(convolved(self, weight, bias, stride, padding, dilation, groups));
}
Tensor convolution_add_relu(const Tensor& self, const Tensor& weight, const Tensor& z,
                            const std::optional<Scalar>& alpha, const Tensor& bias, const Dims& stride,
                            const Dims& padding, const Dims& dilation, std::int64_t groups) {
    const Tensor out = convolved(self, weight, bias, stride, padding, dilation, groups);
    return fn::relu(fn::add(out, z, alpha.value_or(Scalar(1))));
}

}  // namespace

void register_convolution_relu(const Registration& to) {
    to.add("aten::cudnn_convolution_relu", boxed<convolution_relu>, takes_floating<0, 1>);
    to.add("aten::cudnn_convolution_add_relu", boxed<convolution_add_relu>, takes_floating<0, 1>);
}

}  // namespace loupe::cuda
