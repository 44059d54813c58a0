// SPDX-License-Identifier: Apache-2.0
#pragma once
// What products with packed weights share: from sums of integers to integers of the result, or to floats.

#include "core/ops/quantized/packed.h"
#include "core/ops/quantized/quantized.h"

namespace loupe::quantized_ops {

// How the result is made. Without `dtype` it is float32.
struct ProductOutput {
    double scale = 1;
    std::int64_t zero_point = 0;
    ScalarType dtype = ScalarType::Float32;
    bool is_rectified = false;

    bool is_float() const { return dtype == ScalarType::Float32; }
};
// Of a weight with its bias, for an input with this scale. For float32: multipliers are the product of the scales and
// offsets the bias.
Requantizer requantizer_for(const Tensor& weight, const Tensor& bias, std::int64_t channels, double input_scale,
                            const ProductOutput& to);
// Where the integers are, as unsigned ones: the bytes of uint8 themselves, those of int8 with 128 added to them and to
// the zero point. Throws Error (Run) for another dtype.
struct UnsignedBytes {
    Tensor holder;
    const std::uint8_t* data;
    std::int32_t zero_point;
};
UnsignedBytes unsigned_bytes(const Tensor& contiguous, std::int64_t zero_point);
// Channels [first, first + n) of one row of sums into the result's memory, which holds them at `place`.
void store_sums(const std::int32_t* sums, const Requantizer& to, const ProductOutput& output, std::int64_t first,
                std::int64_t n, const Tensor& result, std::int64_t place);

// x: [..., in_features] of integers; [..., out_features].
Tensor linear_product(const Tensor& integers, double scale, std::int64_t zero_point, const PackedLinear& packed,
                      const ProductOutput& to);
// x: [N, C, spatial...] of integers.
Tensor conv_product(const Tensor& integers, double scale, std::int64_t zero_point, const PackedConv& packed,
                    const ProductOutput& to);

// quantized::linear_dynamic.
Tensor linear_of_floats(const Tensor& x, const PackedLinear& packed, bool reduce_range);
// quantized::linear_dynamic_fp16.
Tensor linear_of_halves(const Tensor& x, const PackedLinear& packed);

// Throws Error (Run) for a value that is no object of the class.
template <typename T>
const T& packed_as(const IValue& value, std::string_view class_name) {
    const auto packed = value.is_other() ? value.to_other_as<T>() : Ptr<T>();
    require(packed != nullptr, "expected an object of torch.classes.", class_name);
    return *packed;
}

}  // namespace loupe::quantized_ops
