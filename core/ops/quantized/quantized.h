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

// x: float32. The integers are int8, uint8 or int32, in the memory format of x.
Tensor quantize(const Tensor& x, double scale, std::int64_t zero_point, ScalarType integers);
// The same with a reciprocal of the scale that was not computed in float32.
Tensor quantize(const Tensor& x, double scale, std::int64_t zero_point, ScalarType integers, float inverse);
// The integers of a quantised dtype by its number; throws Error (Run) for another dtype.
ScalarType integers_of_dtype(std::int64_t dtype);
// float32.
Tensor dequantized(const Tensor& q);
// PyTorch's elementwise kernels take whole groups of elements as vectors, which stand for scale q - (scale zero_point)
// with one rounding in the end; those behind one by one, as (q - zero_point) scale. Of n elements in the order of
// memory these many are in groups, as AVX2 has them.
inline std::int64_t in_groups(std::int64_t n, ScalarType integers) {
    return n - n % (integers == ScalarType::Int32 ? 16 : 64);
}
// What each integer of 8 bits, from the least, stands for within groups and behind them: float32 [256]. q: by tensor.
struct NumberTables {
    Tensor in_groups, behind;
};
NumberTables number_tables(const Tensor& q);
// The integers where they lie without gaps, else a copy that does; like: in its strides, where it has the same sizes.
Tensor dense_integers(const Tensor& integers);
Tensor dense_integers(const Tensor& integers, const Tensor& like);

}  // namespace loupe::quantized_ops
