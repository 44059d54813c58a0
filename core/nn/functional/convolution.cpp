// SPDX-License-Identifier: Apache-2.0
// Linear maps and convolutions.
#include "core/nn/functional/families.h"
#include "core/nn/functional/operator_call.h"

namespace loupe::nn::functional {
namespace {

constexpr std::size_t kPadding = 4;

// Padding is a number, a tuple, or "same" or "valid", which have a separate operator.
template <OperatorName kName, OperatorName kNamed, int kDims>
void convolution(Arguments arguments, IValue* result) {
    if (arguments[kPadding].is_string()) return calls<kNamed>(arguments, result);
    std::vector<IValue> given(arguments.begin(), arguments.end());
    Dims padding = given[kPadding].to_ints();
    if (padding.size() == 1) padding.assign(kDims, padding[0]);
    given[kPadding] = IValue(padding);
    calls<kName>(given, result);
}

constexpr NativeFunction kRecords[] = {
    {"linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor", "input @ weight.T + bias.",
     calls<"aten::linear">},
    {"bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor",
     "input1 @ weight @ input2 + bias.", calls<"aten::bilinear">},
    {"conv1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, Any padding=0, int[1] dilation=1, int "
     "groups=1) -> Tensor",
     "Convolution of sequences.", convolution<"aten::conv1d", "aten::conv1d.padding", 1>},
    {"conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, Any padding=0, int[2] dilation=1, int "
     "groups=1) -> Tensor",
     "Convolution of planes.", convolution<"aten::conv2d", "aten::conv2d.padding", 2>},
    {"conv3d(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, Any padding=0, int[3] dilation=1, int "
     "groups=1) -> Tensor",
     "Convolution of volumes.", convolution<"aten::conv3d", "aten::conv3d.padding", 3>},
    {"conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, int[1] "
     "output_padding=0, "
     "int groups=1, int[1] dilation=1) -> Tensor",
     "The gradient of conv1d for its input, as a function.", calls<"aten::conv_transpose1d">},
    {"conv_transpose2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, int[2] "
     "output_padding=0, "
     "int groups=1, int[2] dilation=1) -> Tensor",
     "The gradient of conv2d for its input, as a function.", calls<"aten::conv_transpose2d.input">},
    {"conv_transpose3d(Tensor input, Tensor weight, Tensor? bias=None, int[3] stride=1, int[3] padding=0, int[3] "
     "output_padding=0, "
     "int groups=1, int[3] dilation=1) -> Tensor",
     "The gradient of conv3d for its input, as a function.", calls<"aten::conv_transpose3d.input">},
    {"conv_tbc(Tensor input, Tensor weight, Tensor bias, int pad=0) -> Tensor",
     "Convolution of sequences laid out time first.", calls<"aten::conv_tbc">},
    {"unfold(Tensor input, int[2] kernel_size, int[2] dilation=1, int[2] padding=0, int[2] stride=1) -> Tensor",
     "The windows of a plane as columns.", calls<"aten::im2col">},
    {"fold(Tensor input, int[2] output_size, int[2] kernel_size, int[2] dilation=1, int[2] padding=0, int[2] stride=1) "
     "-> Tensor",
     "Sums columns back into a plane.", calls<"aten::col2im">},
};

}  // namespace

FunctionFamily convolution_records() { return kRecords; }

}  // namespace loupe::nn::functional
