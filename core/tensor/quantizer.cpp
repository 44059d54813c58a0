// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/quantizer.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/tensor/copy_elements.h"

namespace loupe {
namespace {

constexpr std::array kTypes{QuantizedType{12, "qint8", "QInt8", "torch.QInt8Storage", ScalarType::Int8},
                            QuantizedType{13, "quint8", "QUInt8", "torch.QUInt8Storage", ScalarType::UInt8},
                            QuantizedType{14, "qint32", "QInt32", "torch.QInt32Storage", ScalarType::Int32},
                            QuantizedType{16, "quint4x2", "QUInt4x2", "torch.QUInt4x2Storage", ScalarType::UInt8}};

QScheme scheme_of(const Tensor& zero_points) {
    return is_floating(zero_points.dtype()) ? QScheme::PerChannelAffineFloat : QScheme::PerChannelAffine;
}

Tensor make(std::shared_ptr<const QuantizedParts> parts) {
    const Tensor integers = parts->integers;
    const bool is_integer =
        std::ranges::any_of(kTypes, [&](const auto& each) { return each.integers == integers.dtype(); });
    if (!is_integer) {
        throw Error(ErrorKind::Run, concat("no quantised tensor has elements of torch.", dtype_name(integers.dtype())));
    }
    return make_with_parts(std::move(parts), integers.sizes(), integers.dtype());
}

constexpr std::int64_t kGrain = 1 << 15;

// One for each channel, however they are stored.
std::vector<float> narrowed(const Tensor& t) {
    const Tensor copy = copy_elements(t);
    std::vector<float> out(static_cast<std::size_t>(copy.numel()));
    visit_any_dtype(copy.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (!is_complex(scalar_type_of<T>))
            std::transform(copy.data<T>(), copy.data<T>() + out.size(), out.begin(),
                           [](T x) { return static_cast<float>(x); });
    });
    return out;
}

}  // namespace

std::string_view qscheme_name(QScheme scheme) {
    switch (scheme) {
        case QScheme::PerTensorAffine:
            return "per_tensor_affine";
        case QScheme::PerChannelAffine:
            return "per_channel_affine";
        case QScheme::PerChannelAffineFloat:
            return "per_channel_affine_float_qparams";
    }
    return "";
}

QuantizedParts::QuantizedParts(Tensor integers_, Tensor channel_scales, Tensor channel_zero_points,
                               std::int64_t channel_axis, bool in_halves)
    : SparseParts(TensorForm::Quantized),
      integers(std::move(integers_)),
      scheme(scheme_of(channel_zero_points)),
      scales(std::move(channel_scales)),
      zero_points(std::move(channel_zero_points)),
      axis(channel_axis),
      is_in_halves(in_halves) {}

Tensor QuantizedParts::elements() const {
    const Tensor from = integers.is_contiguous() ? integers : copy_elements(integers);
    const Tensor out = empty(from.sizes(), ScalarType::Float32);
    float* const target = out.data<float>();
    const auto each = [&](auto number) {
        parallel_for(0, out.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) target[i] = number(i);
        });
    };
    visit_integers(from.dtype(), [&]<typename T>(std::type_identity<T>) {
        const T* const source = from.data<T>();
        if (!is_by_channel()) {
            const auto narrow = static_cast<float>(scale);
            each([&](std::int64_t i) {
                return static_cast<float>(static_cast<std::int64_t>(source[i]) - zero_point) * narrow;
            });
            return;
        }
        const std::vector<float> by = narrowed(scales), points = narrowed(zero_points);
        const std::int64_t channels = from.size(axis);
        std::int64_t inner = 1;
        for (std::int64_t d = axis + 1; d < from.dim(); ++d) inner *= from.size(d);
        each([&](std::int64_t i) {
            const auto channel = static_cast<std::size_t>(i / inner % channels);
            return (static_cast<float>(source[i]) - points[channel]) * by[channel];
        });
    });
    return out;
}

const QuantizedParts& quantized_parts(const Tensor& t) {
    if (!is_quantized(t)) throw Error(ErrorKind::Run, "expected a quantized tensor");
    return static_cast<const QuantizedParts&>(*t.impl()->sparse);
}

Tensor make_quantized(const Tensor& integers, double scale, std::int64_t zero_point) {
    return make(std::make_shared<const QuantizedParts>(integers, scale, zero_point));
}

Tensor make_quantized(const Tensor& integers, const Tensor& scales, const Tensor& zero_points, std::int64_t axis,
                      bool is_in_halves) {
    const std::int64_t channels = integers.size(axis);
    if (scales.numel() != channels || zero_points.numel() != channels) {
        throw Error(ErrorKind::Run,
                    concat("length of scales must equal to channel, expected ", channels, " got, ", scales.numel()));
    }
    return make(std::make_shared<const QuantizedParts>(integers, scales, zero_points, axis, is_in_halves));
}

Tensor with_integers(const Tensor& t, const Tensor& integers) {
    const QuantizedParts& parts = quantized_parts(t);
    return make_quantized(integers, parts.scale, parts.zero_point);
}

const QuantizedType* quantized_type(std::int64_t number) {
    const auto* const found = std::ranges::find(kTypes, number, [](const auto& each) { return each.number; });
    return found == kTypes.end() ? nullptr : found;
}

const QuantizedType& quantized_type_of(const Tensor& t) {
    const QuantizedParts& parts = quantized_parts(t);
    if (parts.is_in_halves) return kTypes.back();
    const ScalarType integers = parts.integers.dtype();
    return *std::ranges::find(kTypes, integers, [](const auto& each) { return each.integers; });
}

std::string_view shown_dtype(const Tensor& t) {
    return is_quantized(t) ? quantized_type_of(t).name : dtype_name(t.dtype());
}

std::optional<ScalarType> elements_dtype(std::string_view shown) {
    const bool is_quantized_name = std::ranges::find(kTypes, shown, &QuantizedType::name) != kTypes.end();
    return is_quantized_name ? std::optional(ScalarType::Float32) : dtype_from_name(shown);
}

}  // namespace loupe
