// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the operators on quantised tensors share.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/tensor/quantizer.h"

namespace loupe::quantized_ops {

template <typename... Parts>
void require(bool holds, const Parts&... parts) {
    if (!holds) throw Error(ErrorKind::Run, concat(parts...));
}
inline std::int64_t number_of(ScalarType dtype) { return static_cast<std::int64_t>(dtype); }

struct Range {
    std::int64_t least;
    std::int64_t most;
};
// The integers of int8, uint8 or int32.
Range integers_in(ScalarType dtype);

// Rounds halves to even; by the reciprocal of the scale, as PyTorch's kernels do.
inline std::int64_t quantized_value(float value, float scale, std::int64_t zero_point, Range range) {
    const float inverse = 1.0F / scale;
    const float moved = static_cast<float>(zero_point) + std::nearbyint(value * inverse);
    return static_cast<std::int64_t>(
        std::clamp<double>(moved, static_cast<double>(range.least), static_cast<double>(range.most)));
}

struct Parameters {
    float scale = 1;
    std::int32_t zero_point = 0;
};
// For values between least and most as integers of `range`; reduce_range: half as many integers. at::native's
// ChooseQuantizationParams.
Parameters choose_parameters(float least, float most, Range range, bool reduce_range);
// The least and greatest element; 0, 0 of none.
std::pair<float, float> least_and_most(const Tensor& x);

// x: float32. The integers are int8, uint8 or int32.
Tensor quantize(const Tensor& x, double scale, std::int64_t zero_point, ScalarType integers);
// The integers of a quantised dtype by its number; throws Error (Run) for another dtype.
ScalarType integers_of_dtype(std::int64_t dtype);
// float32.
Tensor dequantized(const Tensor& q);
// float32, as the vector kernels of PyTorch's elementwise operators compute them: scale q - (scale zero_point) with one
// rounding in the end. q: by tensor.
Tensor dequantized_at_once(const Tensor& q);

}  // namespace loupe::quantized_ops
