// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the operators of quantized_decomposed share: quantisation whose parameters are arguments, its integers plain
// tensors (torch/ao/quantization/fx/_decomposed.py).

#include "core/ops/quantized/quantized.h"

namespace loupe::quantized_ops {

// Throws Error (Run) when the bounds leave the dtype's.
void check_quant_bounds(std::int64_t quant_min, std::int64_t quant_max, ScalarType dtype);
inline Scalar float_number(std::int64_t value) { return Scalar(static_cast<double>(value)); }
inline Tensor to(const Tensor& t, ScalarType dtype) { return fn::to_dtype(t, number_of(dtype)); }
// float16 and bfloat16 as float32; throws Error (Run) for other dtypes than float32.
Tensor as_float(const Tensor& input);

constexpr OperatorRecord decomposed(std::string_view schema, std::string_view summary, std::string_view formula,
                                    KernelFunction composite) {
    return {.schema = schema, .summary = summary, .formula = formula, .composite = composite};
}

}  // namespace loupe::quantized_ops
