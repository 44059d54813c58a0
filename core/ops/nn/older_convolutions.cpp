// SPDX-License-Identifier: Apache-2.0
// Convolutions under the names of older files and of PyTorch's kernels.
#include "core/ops/nn/common.h"
#include "core/ops/nn/family.h"

namespace loupe {
namespace {

using namespace nn_ops;

void deprecated_convolution(Arguments arguments, IValue* results) {
    static const Operator& target = detail::operator_or_throw("aten::_convolution");
    std::vector<IValue> all(arguments.begin(), arguments.end());
    all.emplace_back(true);  // allow_tf32
    call_operator(target, all, results);
}

template <std::size_t Rank>
Tensor plain_convolution(const Tensor& self, const Tensor& weight, const Dims&, const Tensor& bias, const Dims& stride,
                         const Dims& padding) {
    return fn::convolution(self, weight, bias, stride, padding, Dims(Rank, 1), false, Dims(Rank, 0), std::int64_t{1});
}
template <std::size_t Rank>
Tensor dilated_convolution(const Tensor& self, const Tensor& weight, const Dims&, const Tensor& bias,
                           const Dims& stride, const Dims& padding, const Dims& dilation) {
    return fn::convolution(self, weight, bias, stride, padding, dilation, false, Dims(Rank, 0), std::int64_t{1});
}
template <std::size_t Rank>
Tensor depthwise_convolution(const Tensor& self, const Tensor& weight, const Dims&, const Tensor& bias,
                             const Dims& stride, const Dims& padding, const Dims& dilation) {
    return fn::convolution(self, weight, bias, stride, padding, dilation, false, Dims(Rank, 0), self.size(1));
}
template <std::size_t Rank>
Tensor transposed_convolution(const Tensor& self, const Tensor& weight, const Dims&, const Tensor& bias,
                              const Dims& stride, const Dims& padding, const Dims& output_padding,
                              const Dims& dilation) {
    return fn::convolution(self, weight, bias, stride, padding, dilation, true, output_padding, std::int64_t{1});
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::_slow_conv2d_forward(Tensor self, Tensor weight, int[2] kernel_size, Tensor? bias, int[2] "
               "stride, int[2] padding) -> Tensor",
     .summary = "Convolution over images.",
     .composite = boxed<plain_convolution<2>>,
     .variants = kOut,
     .out = {.overload = "output", .names = "output"}},
    {.schema = "aten::thnn_conv2d(Tensor self, Tensor weight, int[2] kernel_size, Tensor? bias=None, int[2] stride=1, "
               "int[2] padding=0) -> Tensor",
     .summary = "Convolution over images.",
     .composite = boxed<plain_convolution<2>>,
     .variants = kOut},
    {.schema = "aten::slow_conv3d(Tensor self, Tensor weight, int[3] kernel_size, Tensor? bias=None, int[3] stride=1, "
               "int[3] padding=0) -> Tensor",
     .summary = "Convolution over volumes.",
     .composite = boxed<plain_convolution<3>>,
     .variants = kOut},
    {.schema = "aten::slow_conv3d_forward(Tensor self, Tensor weight, int[3] kernel_size, Tensor? bias, int[3] stride, "
               "int[3] padding) -> Tensor",
     .summary = "Convolution over volumes.",
     .composite = boxed<plain_convolution<3>>,
     .variants = kOut,
     .out = {.overload = "output", .names = "output"}},
    {.schema = "aten::slow_conv_dilated2d(Tensor self, Tensor weight, int[2] kernel_size, Tensor? bias=None, int[2] "
               "stride=1, int[2] padding=0, int[2] "
               "dilation=1) -> Tensor",
     .summary = "Dilated convolution over images.",
     .composite = boxed<dilated_convolution<2>>,
     .variants = kOut},
    {.schema = "aten::slow_conv_dilated3d(Tensor self, Tensor weight, int[3] kernel_size, Tensor? bias=None, int[3] "
               "stride=1, int[3] padding=0, int[3] "
               "dilation=1) -> Tensor",
     .summary = "Dilated convolution over volumes.",
     .composite = boxed<dilated_convolution<3>>,
     .variants = kOut},
    {.schema = "aten::_conv_depthwise2d(Tensor self, Tensor weight, int[2] kernel_size, Tensor? bias, int[2] stride, "
               "int[2] padding, int[2] dilation) -> "
               "Tensor",
     .summary = "Convolution over images, each channel by itself.",
     .composite = boxed<depthwise_convolution<2>>,
     .variants = kOut},
    {.schema = "aten::conv_depthwise3d(Tensor self, Tensor weight, int[3] kernel_size, Tensor? bias, int[3] stride, "
               "int[3] padding, int[3] dilation) -> "
               "Tensor",
     .summary = "Convolution over volumes, each channel by itself.",
     .composite = boxed<depthwise_convolution<3>>,
     .variants = kOut},
    {.schema = "aten::slow_conv_transpose2d(Tensor self, Tensor weight, int[2] kernel_size, Tensor? bias=None, int[2] "
               "stride=1, int[2] padding=0, int[2] "
               "output_padding=0, int[2] dilation=1) -> Tensor",
     .summary = "Transposed convolution over images.",
     .composite = boxed<transposed_convolution<2>>,
     .variants = kOut},
    {.schema = "aten::slow_conv_transpose3d(Tensor self, Tensor weight, int[3] kernel_size, Tensor? bias=None, int[3] "
               "stride=1, int[3] padding=0, int[3] "
               "output_padding=0, int[3] dilation=1) -> Tensor",
     .summary = "Transposed convolution over volumes.",
     .composite = boxed<transposed_convolution<3>>,
     .variants = kOut},
    {.schema = "aten::_convolution.deprecated(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, "
               "int[] dilation, bool "
               "transposed, int[] output_padding, int groups, bool benchmark, bool deterministic, bool cudnn_enabled) "
               "-> Tensor",
     .summary = "The convolution of older model files.",
     .composite = deprecated_convolution,
     .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower}},
};

}  // namespace

std::span<const OperatorRecord> nn_ops::older_convolution_records() { return kRecords; }

}  // namespace loupe
