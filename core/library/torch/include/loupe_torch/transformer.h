// SPDX-License-Identifier: Apache-2.0
#pragma once
// Transformers of torch::nn: Vaswani et al. 2017. Sequences are [T, B, d_model]; masks of attention [T, S] are added to
// its scores, padding masks [B, S] are true where there is padding.

#include <functional>
#include <utility>
#include <variant>

#include <loupe_torch/arg.h>
#include <loupe_torch/attention.h>
#include <loupe_torch/container.h>
#include <loupe_torch/nn.h>

namespace torch::nn {

// kReLU, kGELU or a function.
using activation_t = std::variant<enumtype::kReLU, enumtype::kGELU, std::function<at::Tensor(const at::Tensor&)>>;

class TransformerEncoderLayerOptions {
  public:
    TransformerEncoderLayerOptions(std::int64_t d_model, std::int64_t nhead) : d_model_(d_model), nhead_(nhead) {}
    TORCH_ARG(std::int64_t, d_model);
    TORCH_ARG(std::int64_t, nhead);
    TORCH_ARG(std::int64_t, dim_feedforward) = 2048;
    TORCH_ARG(double, dropout) = 0.1;
    TORCH_ARG(activation_t, activation) = kReLU;
};
class TransformerDecoderLayerOptions {
  public:
    TransformerDecoderLayerOptions(std::int64_t d_model, std::int64_t nhead) : d_model_(d_model), nhead_(nhead) {}
    TORCH_ARG(std::int64_t, d_model);
    TORCH_ARG(std::int64_t, nhead);
    TORCH_ARG(std::int64_t, dim_feedforward) = 2048;
    TORCH_ARG(double, dropout) = 0.1;
    TORCH_ARG(activation_t, activation) = kReLU;
};

// Self-attention and a feed-forward network.
class TransformerEncoderLayerImpl : public Cloneable<TransformerEncoderLayerImpl> {
  public:
    TransformerEncoderLayerImpl(std::int64_t d_model, std::int64_t nhead)
        : TransformerEncoderLayerImpl(TransformerEncoderLayerOptions(d_model, nhead)) {}
    explicit TransformerEncoderLayerImpl(TransformerEncoderLayerOptions given);
    at::Tensor forward(const at::Tensor& src, const at::Tensor& src_mask = {},
                       const at::Tensor& src_key_padding_mask = {});
    void reset() override;
    void reset_parameters();

    TransformerEncoderLayerOptions options;
    MultiheadAttention self_attn{nullptr};
    Linear linear1{nullptr};
    Dropout dropout{nullptr};
    Linear linear2{nullptr};
    LayerNorm norm1{nullptr}, norm2{nullptr};
    Dropout dropout1{nullptr}, dropout2{nullptr};
};
TORCH_MODULE(TransformerEncoderLayer);

// Self-attention, attention to a memory and a feed-forward network.
class TransformerDecoderLayerImpl : public Cloneable<TransformerDecoderLayerImpl> {
  public:
    TransformerDecoderLayerImpl(std::int64_t d_model, std::int64_t nhead)
        : TransformerDecoderLayerImpl(TransformerDecoderLayerOptions(d_model, nhead)) {}
    explicit TransformerDecoderLayerImpl(TransformerDecoderLayerOptions given);
    at::Tensor forward(const at::Tensor& tgt, const at::Tensor& memory, const at::Tensor& tgt_mask = {},
                       const at::Tensor& memory_mask = {}, const at::Tensor& tgt_key_padding_mask = {},
                       const at::Tensor& memory_key_padding_mask = {});
    void reset() override;
    void reset_parameters();

    TransformerDecoderLayerOptions options;
    MultiheadAttention self_attn{nullptr}, multihead_attn{nullptr};
    Linear linear1{nullptr};
    Dropout dropout{nullptr};
    Linear linear2{nullptr};
    LayerNorm norm1{nullptr}, norm2{nullptr}, norm3{nullptr};
    Dropout dropout1{nullptr}, dropout2{nullptr}, dropout3{nullptr};
};
TORCH_MODULE(TransformerDecoderLayer);

// num_layers clones of a layer and a norm at the end, if there is one.
class TransformerEncoderOptions {
  public:
    TransformerEncoderOptions(TransformerEncoderLayer encoder_layer, std::int64_t num_layers)
        : encoder_layer_(std::move(encoder_layer)), num_layers_(num_layers) {}
    TransformerEncoderOptions(const TransformerEncoderLayerOptions& encoder_layer_options, std::int64_t num_layers)
        : TransformerEncoderOptions(TransformerEncoderLayer(encoder_layer_options), num_layers) {}
    TORCH_ARG(TransformerEncoderLayer, encoder_layer) = nullptr;
    TORCH_ARG(std::int64_t, num_layers);
    TORCH_ARG(AnyModule, norm);
};
class TransformerDecoderOptions {
  public:
    TransformerDecoderOptions(TransformerDecoderLayer decoder_layer, std::int64_t num_layers)
        : decoder_layer_(std::move(decoder_layer)), num_layers_(num_layers) {}
    TransformerDecoderOptions(const TransformerDecoderLayerOptions& decoder_layer_options, std::int64_t num_layers)
        : TransformerDecoderOptions(TransformerDecoderLayer(decoder_layer_options), num_layers) {}
    TORCH_ARG(TransformerDecoderLayer, decoder_layer) = nullptr;
    TORCH_ARG(std::int64_t, num_layers);
    TORCH_ARG(AnyModule, norm);
};

class TransformerEncoderImpl : public Cloneable<TransformerEncoderImpl> {
  public:
    TransformerEncoderImpl(TransformerEncoderLayer encoder_layer, std::int64_t num_layers)
        : TransformerEncoderImpl(TransformerEncoderOptions(std::move(encoder_layer), num_layers)) {}
    explicit TransformerEncoderImpl(TransformerEncoderOptions given);
    at::Tensor forward(const at::Tensor& src, const at::Tensor& src_mask = {},
                       const at::Tensor& src_key_padding_mask = {});
    void reset() override;
    void reset_parameters();

    TransformerEncoderOptions options;
    ModuleList layers{nullptr};
    AnyModule norm;
};
TORCH_MODULE(TransformerEncoder);

class TransformerDecoderImpl : public Cloneable<TransformerDecoderImpl> {
  public:
    TransformerDecoderImpl(TransformerDecoderLayer decoder_layer, std::int64_t num_layers)
        : TransformerDecoderImpl(TransformerDecoderOptions(std::move(decoder_layer), num_layers)) {}
    explicit TransformerDecoderImpl(TransformerDecoderOptions given);
    at::Tensor forward(const at::Tensor& tgt, const at::Tensor& memory, const at::Tensor& tgt_mask = {},
                       const at::Tensor& memory_mask = {}, const at::Tensor& tgt_key_padding_mask = {},
                       const at::Tensor& memory_key_padding_mask = {});
    void reset() override;
    void reset_parameters();

    TransformerDecoderOptions options;
    ModuleList layers{nullptr};
    AnyModule norm;
};
TORCH_MODULE(TransformerDecoder);

// custom_encoder and custom_decoder: modules of the arguments that TransformerEncoder and TransformerDecoder take.
class TransformerOptions {
  public:
    TransformerOptions() = default;
    TransformerOptions(std::int64_t d_model, std::int64_t nhead) : d_model_(d_model), nhead_(nhead) {}
    TransformerOptions(std::int64_t d_model, std::int64_t nhead, std::int64_t num_encoder_layers,
                       std::int64_t num_decoder_layers)
        : d_model_(d_model),
          nhead_(nhead),
          num_encoder_layers_(num_encoder_layers),
          num_decoder_layers_(num_decoder_layers) {}
    TORCH_ARG(std::int64_t, d_model) = 512;
    TORCH_ARG(std::int64_t, nhead) = 8;
    TORCH_ARG(std::int64_t, num_encoder_layers) = 6;
    TORCH_ARG(std::int64_t, num_decoder_layers) = 6;
    TORCH_ARG(std::int64_t, dim_feedforward) = 2048;
    TORCH_ARG(double, dropout) = 0.1;
    TORCH_ARG(activation_t, activation) = kReLU;
    TORCH_ARG(AnyModule, custom_encoder);
    TORCH_ARG(AnyModule, custom_decoder);
};

// An encoder and a decoder.
class TransformerImpl : public Cloneable<TransformerImpl> {
  public:
    explicit TransformerImpl(TransformerOptions given = {});
    // src: [S, B, d_model]; tgt and the result: [T, B, d_model]. Throws c10::Error for other sizes.
    at::Tensor forward(const at::Tensor& src, const at::Tensor& tgt, const at::Tensor& src_mask = {},
                       const at::Tensor& tgt_mask = {}, const at::Tensor& memory_mask = {},
                       const at::Tensor& src_key_padding_mask = {}, const at::Tensor& tgt_key_padding_mask = {},
                       const at::Tensor& memory_key_padding_mask = {});
    void reset() override;
    void reset_parameters();
    // [sz, sz]: minus infinity above the diagonal.
    static at::Tensor generate_square_subsequent_mask(std::int64_t sz);

    TransformerOptions options;
    AnyModule encoder, decoder;
};
TORCH_MODULE(Transformer);

}  // namespace torch::nn
