// SPDX-License-Identifier: Apache-2.0
#pragma once
// Kernels of ordinary operators for quantised tensors, as PyTorch registers them for QuantizedCPU.

#include <span>
#include <string_view>

#include "core/dispatch/record.h"

namespace loupe {

struct QuantizedKernel {
    std::string_view op;  // "aten::cat"; its in-place form stands for itself
    SparseFunction run;
};
// core/ops/quantized/ordinary.cpp is the list.
std::span<const QuantizedKernel> quantized_kernels();

}  // namespace loupe
