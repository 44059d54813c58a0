// SPDX-License-Identifier: Apache-2.0
#pragma once
// Objects of torch.classes.quantized and torch.classes.rnn: a layer's weight and bias, as programs of
// torch.ao.quantization hold them.

#include "core/base/ref_counted.h"
#include "core/ops/quantized/integer_columns.h"
#include "core/ops/quantized/integer_rows.h"
#include "core/value/ivalue.h"

namespace loupe {

// LinearPackedParamsBase.
class PackedLinear final : public RefCounted {
  public:
    PackedLinear(Tensor packed_weight, Tensor packed_bias);
    const Tensor weight;                          // quantised to qint8, or float16: [out_features, in_features]
    const Tensor bias;                            // float32, or undefined
    const quantized_ops::IntegerColumns columns;  // of qint8
};

// Conv2dPackedParamsBase (also of one dimension: sizes [.., 1, ..]) and Conv3dPackedParamsBase.
struct ConvSettings {
    Dims stride, padding, dilation, output_padding;  // an element each spatial dimension, two or three
    std::int64_t groups = 1;
    bool is_transposed = false;
};
class PackedConv final : public RefCounted {
  public:
    PackedConv(Tensor packed_weight, Tensor packed_bias, ConvSettings packed_settings);
    std::size_t spatial_dims() const { return settings.stride.size(); }
    std::int64_t out_channels() const;
    std::int64_t in_channels() const;
    // One input channel makes one output channel.
    bool is_depthwise() const { return in_channels() == settings.groups && out_channels() == settings.groups; }

    const Tensor weight;  // qint8: [out, in / groups, kernel...], transposed [in, out / groups, kernel...]
    const Tensor bias;    // float32, or undefined
    const ConvSettings settings;
    // Of each group its channels of the output, [kernel..., in / groups] each; empty where it is depthwise.
    const std::vector<quantized_ops::IntegerColumns> columns;
    // Of depthwise ones [kernel..., out], the weight less its zero points.
    const quantized_ops::IntegerRows taps;
};

// EmbeddingPackedParamsBase: a table of rows of quint8 or quint4x2, each with a scale and zero point of float32.
class PackedEmbedding final : public RefCounted {
  public:
    PackedEmbedding(Tensor packed_weight, std::int64_t rate) : weight(std::move(packed_weight)), bit_rate(rate) {}
    const Tensor weight;
    const std::int64_t bit_rate;  // 8 or 4
};

// CellParamsBase: the two linear layers of a recurrent cell.
class PackedCell final : public RefCounted {
  public:
    PackedCell(Ptr<PackedLinear> input_layer, Ptr<PackedLinear> hidden_layer, bool reduces)
        : input(std::move(input_layer)), hidden(std::move(hidden_layer)), reduce_range(reduces) {}
    const Ptr<PackedLinear> input;
    const Ptr<PackedLinear> hidden;
    const bool reduce_range;
};

// Throws Error (Run) unless the weight is a matrix of qint8 or of floating point and the bias fits it.
IValue pack_linear(const Tensor& weight, const Tensor& bias);
// Throws Error (Run) unless weight, bias and settings fit each other.
IValue pack_conv(const Tensor& weight, const Tensor& bias, const ConvSettings& settings);
// weight: [rows, columns], quint8 or quint4x2 by channel, axis 0. Throws Error (Run) for another.
IValue pack_embedding(const Tensor& weight);

// An object of a class by its name, "__torch__.torch.classes.quantized.Conv2dPackedParamsBase", from the state that
// PyTorch 1.5 to 2.15 pickle for it. None for another class. Throws Error (File) for a state that does not fit.
IValue unpickle_packed(std::string_view class_name, const IValue& state);
// Is there such a class?
bool is_packed_class(std::string_view class_name);

}  // namespace loupe
