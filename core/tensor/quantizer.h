// SPDX-License-Identifier: Apache-2.0
#pragma once
// Quantised tensors: integers q that stand for (q - zero_point) * scale. torch.quantize_per_tensor,
// torch.quantize_per_channel.

#include "core/tensor/sparse.h"

namespace loupe {

// As torch.qscheme numbers them.
enum class QScheme : std::int8_t { PerTensorAffine = 0, PerChannelAffine = 1, PerChannelAffineFloat = 4 };
// "per_tensor_affine", as after "torch.".
std::string_view qscheme_name(QScheme scheme);

struct QuantizedParts final : SparseParts {
    QuantizedParts(Tensor integers_, double tensor_scale, std::int64_t tensor_zero_point)
        : SparseParts(TensorForm::Quantized),
          integers(std::move(integers_)),
          scale(tensor_scale),
          zero_point(tensor_zero_point) {}
    QuantizedParts(Tensor integers_, Tensor channel_scales, Tensor channel_zero_points, std::int64_t channel_axis,
                   bool in_halves = false);

    const Tensor integers;  // int8, uint8 or int32, in the tensor's sizes
    const QScheme scheme = QScheme::PerTensorAffine;
    const double scale = 1;
    const std::int64_t zero_point = 0;
    // With channels, one of each a slice along the axis; float64 and int64, or float32 both.
    const Tensor scales;
    const Tensor zero_points;
    const std::int64_t axis = 0;
    // torch.quint4x2: integers of 4 bits, of which PyTorch stores two a byte; here each has a byte.
    const bool is_in_halves = false;

    // float32, row-major: (q - zero_point) * scale.
    Tensor elements() const override;
    bool is_by_channel() const { return scheme != QScheme::PerTensorAffine; }
};

inline bool is_quantized(const Tensor& t) { return has_form(t, TensorForm::Quantized); }
// Throws Error (Run) for a tensor that is not quantised.
const QuantizedParts& quantized_parts(const Tensor& t);
Tensor make_quantized(const Tensor& integers, double scale, std::int64_t zero_point);
// Throws Error (Run) unless there is one scale and one zero point a channel.
Tensor make_quantized(const Tensor& integers, const Tensor& scales, const Tensor& zero_points, std::int64_t axis,
                      bool is_in_halves = false);
// The same meaning with other integers, by tensor.
Tensor with_integers(const Tensor& t, const Tensor& integers);

// PyTorch's dtype of a quantised tensor, which has a number of its own: the name after "torch.", and the integers.
struct QuantizedType {
    std::int64_t number;
    std::string_view name;        // "qint8"
    std::string_view graph_name;  // "QInt8"
    std::string_view storage;     // "torch.QInt8Storage"
    ScalarType integers;
};
const QuantizedType* quantized_type(std::int64_t number);  // null for another dtype
const QuantizedType& quantized_type_of(const Tensor& t);
// As users know the dtype of a tensor: "quint8" of a quantised one, else dtype_name.
std::string_view shown_dtype(const Tensor& t);
// The dtype of SparseParts::elements of such a tensor: float32 for "quint8"; nullopt for no name of a dtype.
std::optional<ScalarType> elements_dtype(std::string_view shown);

// Calls with the type_identity of int8, uint8 or int32.
template <typename Visit>
void visit_integers(ScalarType dtype, Visit&& visit) {
    switch (dtype) {
        case ScalarType::Int8:
            return visit(std::type_identity<std::int8_t>{});
        case ScalarType::UInt8:
            return visit(std::type_identity<std::uint8_t>{});
        default:
            return visit(std::type_identity<std::int32_t>{});
    }
}

}  // namespace loupe
