// SPDX-License-Identifier: Apache-2.0
#include "core/ops/quantized/quantized.h"

#include "core/base/parallel.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/promotion.h"
#include "core/ops/quantized/integer_rows.h"

namespace loupe::quantized_ops {
namespace {

constexpr float kSmallScale = 6.1e-5F;

// A scale of which float32 has no reciprocal would divide by zero later.
bool is_too_small(double scale) {
    const auto narrow = static_cast<float>(scale);
    return narrow == 0.0F || std::isinf(1.0F / narrow);
}

}  // namespace

Range integers_in(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Int8:
            return {-128, 127};
        case ScalarType::UInt8:
            return {0, 255};
        case ScalarType::Int32:
            return {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()};
        default:
            throw Error(ErrorKind::Run, concat("no quantised tensor has elements of torch.", dtype_name(dtype)));
    }
}

Parameters choose_parameters(float least, float most, Range range, bool reduce_range) {
    require(least <= most, "In ChooseQuantizationParams, min should be less than or equal to max");
    const double low = static_cast<double>(reduce_range ? range.least / 2 : range.least);
    const double high = static_cast<double>(reduce_range ? range.most / 2 : range.most);
    least = std::min(least, 0.0F);
    most = std::max(most, 0.0F);
    double scale = (static_cast<double>(most) - static_cast<double>(least)) / (high - low);
    if (is_too_small(scale)) scale = 0.1;
    if (scale < static_cast<double>(kSmallScale)) {
        const float before = static_cast<float>(scale);
        scale = static_cast<double>(kSmallScale);
        if (least == 0.0F) {
            most = kSmallScale * static_cast<float>(high - low);
        } else if (most == 0.0F) {
            least = -kSmallScale * static_cast<float>(high - low);
        } else {
            least *= kSmallScale / before;
            most *= kSmallScale / before;
        }
    }
    const double by_least = static_cast<double>(least) / scale, by_most = static_cast<double>(most) / scale;
    const bool least_is_nearer = std::abs(low) - std::abs(by_least) < std::abs(high) - std::abs(by_most);
    const double zero_point = std::clamp(least_is_nearer ? low - by_least : high - by_most, low, high);
    return {static_cast<float>(scale), static_cast<std::int32_t>(std::nearbyint(zero_point))};
}

std::pair<float, float> least_and_most(const Tensor& x) {
    if (x.numel() == 0) return {0.0F, 0.0F};
    const auto number = [&](const OperatorHandle<>& reduced) {
        return static_cast<float>(item(reduced(x, Dims{}, false)).to_double());
    };
    return {number(fn::amin), number(fn::amax)};
}

ScalarType integers_of_dtype(std::int64_t dtype) {
    const QuantizedType* const type = quantized_type(dtype);
    require(type != nullptr, "Quantize only works on qint8, quint8 and qint32, got the dtype of number ", dtype);
    return type->integers;
}

Tensor quantize(const Tensor& x, double scale, std::int64_t zero_point, ScalarType dtype) {
    return quantize(x, scale, zero_point, dtype, 1.0F / static_cast<float>(scale));
}

Tensor quantize(const Tensor& x, double scale, std::int64_t zero_point, ScalarType dtype, float inverse) {
    require(x.dtype() == ScalarType::Float32, "Quantize only works on Float Tensor, got ", dtype_graph_name(x.dtype()));
    const Range range = integers_in(dtype);
    require(zero_point >= range.least && zero_point <= range.most, "quantize_tensor_per_tensor_affine zero_point ",
            zero_point, zero_point < range.least ? " is below lower bound." : " is above upper bound.");
    const Tensor from = dense_integers(x);
    const Tensor to = empty_like(from, dtype);
    const Rounding rounding{inverse, static_cast<std::int32_t>(zero_point), static_cast<std::int32_t>(range.least),
                            static_cast<std::int32_t>(range.most)};
    visit_integers(dtype, [&]<typename T>(std::type_identity<T>) {
        const float* const source = from.data<float>();
        T* const target = to.data<T>();
        parallel_for(0, from.numel(), kElementwiseGrain, [&](std::int64_t begin, std::int64_t end) {
            if constexpr (sizeof(T) == 1) {
                quantize_row(source + begin, end - begin, rounding, target + begin);
            } else {
                for (std::int64_t i = begin; i < end; ++i) {
                    const double moved = static_cast<double>(zero_point) + std::nearbyint(source[i] * inverse);
                    target[i] = static_cast<T>(
                        std::clamp(moved, static_cast<double>(range.least), static_cast<double>(range.most)));
                }
            }
        });
    });
    return make_quantized(to, scale, zero_point);
}

NumberTables number_tables(const Tensor& q) {
    const QuantizedParts& parts = quantized_parts(q);
    const auto least = integers_in(parts.integers.dtype()).least;
    const Dims size{256};
    const NumberTables out{empty(span_of(size), ScalarType::Float32), empty(span_of(size), ScalarType::Float32)};
    const auto scale = static_cast<float>(parts.scale), zero_point = static_cast<float>(parts.zero_point);
    const auto moved = static_cast<double>(scale * zero_point);
    for (std::int64_t i = 0; i < 256; ++i) {
        const auto integer = static_cast<float>(least + i);
        out.in_groups.data<float>()[i] =
            static_cast<float>(static_cast<double>(scale) * static_cast<double>(integer) - moved);
        out.behind.data<float>()[i] = (integer - zero_point) * scale;
    }
    return out;
}

Tensor dense_integers(const Tensor& integers) {
    return integers.is_non_overlapping_and_dense() ? integers : fn::contiguous(integers, 0);
}
Tensor dense_integers(const Tensor& integers, const Tensor& like) {
    static const OperatorHandle<> copy("aten::copy_");
    if (std::ranges::equal(integers.strides(), like.strides())) return integers;
    return copy(empty_like(like, integers.dtype()), integers);
}

Tensor dequantized(const Tensor& q) { return quantized_parts(q).elements(); }

}  // namespace loupe::quantized_ops
