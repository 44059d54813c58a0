// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the windows of convolutions and pools lie: kernel, strides, dilations and pads, also from auto_pad.

#include <string>

#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {

struct WindowAttributes {
    std::string_view auto_pad = "NOTSET";
    std::optional<Dims> kernel = {};
    std::optional<Dims> strides = {};
    std::optional<Dims> dilations = {};
    std::optional<Dims> pads = {};  // of all begins, then of all ends
    bool rounds_up = false;
};

struct Windows {
    Dims kernel, strides, dilations, begins, ends, outputs;

    bool is_symmetric() const { return begins == ends; }
};

// spatial: the input's sizes behind batch and channels. kernel: when the attributes have none. Throws Error (Run).
Windows windows_of(const WindowAttributes& attributes, IntSpan spatial, const Dims& kernel);
// Padded with a value, or cut where a pad is negative, so that windows need no pads of their own.
Tensor padded(const Tensor& x, const Dims& begins, const Dims& ends, double value);

}  // namespace loupe::onnx
