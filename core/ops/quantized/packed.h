// SPDX-License-Identifier: Apache-2.0
#pragma once
// Objects of torch.classes.quantized: a layer's weight and bias, as programs of torch.ao.quantization hold them.

#include "core/base/ref_counted.h"
#include "core/value/ivalue.h"

namespace loupe {

// LinearPackedParamsBase.
class PackedLinear final : public RefCounted {
  public:
    PackedLinear(Tensor packed_weight, Tensor packed_bias)
        : weight(std::move(packed_weight)), bias(std::move(packed_bias)) {}
    const Tensor weight;  // quantised to qint8, or float16: [out_features, in_features]
    const Tensor bias;    // float32, or undefined
};

inline constexpr std::string_view kPackedLinearName = "__torch__.torch.classes.quantized.LinearPackedParamsBase";

// Throws Error (Run) unless the weight is a matrix of qint8 or of floating point and the bias fits it.
IValue pack_linear(const Tensor& weight, const Tensor& bias);

}  // namespace loupe
