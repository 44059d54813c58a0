// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/transformer.h>

#include <limits>

#include <loupe_torch/functional.h>
#include <loupe_torch/init.h>

namespace torch::nn {
namespace {

at::Tensor activated(const activation_t& activation, const at::Tensor& x) {
    if (const auto* function = std::get_if<std::function<at::Tensor(const at::Tensor&)>>(&activation))
        return (*function)(x);
    return std::holds_alternative<enumtype::kReLU>(activation) ? functional::relu(x) : functional::gelu(x);
}

at::Tensor attended(MultiheadAttention& attention, const at::Tensor& x, const at::Tensor& memory,
                    const at::Tensor& mask, const at::Tensor& padding) {
    return std::get<0>(attention->forward(x, memory, memory, padding, /*need_weights=*/false, mask));
}

template <typename Options>
MultiheadAttention attention_of(const Options& options) {
    return MultiheadAttention(MultiheadAttentionOptions(options.d_model(), options.nhead()).dropout(options.dropout()));
}
template <typename Options>
LayerNorm norm_of(const Options& options) {
    return LayerNorm(LayerNormOptions({options.d_model()}));
}

AnyModule registered_copy(Module& owner, const AnyModule& norm) {
    if (norm.is_empty()) return {};
    AnyModule copy = norm.clone();
    owner.register_module("norm", copy.ptr());
    return copy;
}
void reset_norm(const AnyModule& norm) {
    LayerNormImpl* layer = norm.is_empty() ? nullptr : norm.ptr()->as<LayerNorm>();
    if (layer != nullptr) layer->reset_parameters();
}

}  // namespace

TransformerEncoderLayerImpl::TransformerEncoderLayerImpl(TransformerEncoderLayerOptions given)
    : Cloneable("torch::nn::TransformerEncoderLayerImpl"), options(std::move(given)) {
    reset();
}

void TransformerEncoderLayerImpl::reset() {
    self_attn = register_module("self_attn", attention_of(options));
    linear1 = register_module("linear1", Linear(options.d_model(), options.dim_feedforward()));
    dropout = register_module("dropout", Dropout(options.dropout()));
    linear2 = register_module("linear2", Linear(options.dim_feedforward(), options.d_model()));
    norm1 = register_module("norm1", norm_of(options));
    norm2 = register_module("norm2", norm_of(options));
    dropout1 = register_module("dropout1", Dropout(options.dropout()));
    dropout2 = register_module("dropout2", Dropout(options.dropout()));
}

void TransformerEncoderLayerImpl::reset_parameters() {
    self_attn->_reset_parameters();
    linear1->reset_parameters();
    linear2->reset_parameters();
    norm1->reset_parameters();
    norm2->reset_parameters();
}

at::Tensor TransformerEncoderLayerImpl::forward(const at::Tensor& src, const at::Tensor& src_mask,
                                                const at::Tensor& src_key_padding_mask) {
    at::Tensor x = norm1(src + dropout1(attended(self_attn, src, src, src_mask, src_key_padding_mask)));
    const at::Tensor inner = dropout(activated(options.activation(), linear1(x)));
    return norm2(x + dropout2(linear2(inner)));
}

TransformerDecoderLayerImpl::TransformerDecoderLayerImpl(TransformerDecoderLayerOptions given)
    : Cloneable("torch::nn::TransformerDecoderLayerImpl"), options(std::move(given)) {
    reset();
}

void TransformerDecoderLayerImpl::reset() {
    self_attn = register_module("self_attn", attention_of(options));
    multihead_attn = register_module("multihead_attn", attention_of(options));
    linear1 = register_module("linear1", Linear(options.d_model(), options.dim_feedforward()));
    dropout = register_module("dropout", Dropout(options.dropout()));
    linear2 = register_module("linear2", Linear(options.dim_feedforward(), options.d_model()));
    norm1 = register_module("norm1", norm_of(options));
    norm2 = register_module("norm2", norm_of(options));
    norm3 = register_module("norm3", norm_of(options));
    dropout1 = register_module("dropout1", Dropout(options.dropout()));
    dropout2 = register_module("dropout2", Dropout(options.dropout()));
    dropout3 = register_module("dropout3", Dropout(options.dropout()));
}

void TransformerDecoderLayerImpl::reset_parameters() {
    self_attn->_reset_parameters();
    multihead_attn->_reset_parameters();
    linear1->reset_parameters();
    linear2->reset_parameters();
    for (LayerNorm* norm : {&norm1, &norm2, &norm3}) (*norm)->reset_parameters();
}

at::Tensor TransformerDecoderLayerImpl::forward(const at::Tensor& tgt, const at::Tensor& memory,
                                                const at::Tensor& tgt_mask, const at::Tensor& memory_mask,
                                                const at::Tensor& tgt_key_padding_mask,
                                                const at::Tensor& memory_key_padding_mask) {
    at::Tensor x = norm1(tgt + dropout1(attended(self_attn, tgt, tgt, tgt_mask, tgt_key_padding_mask)));
    x = norm2(x + dropout2(attended(multihead_attn, x, memory, memory_mask, memory_key_padding_mask)));
    const at::Tensor inner = dropout(activated(options.activation(), linear1(x)));
    return norm3(x + dropout3(linear2(inner)));
}

TransformerEncoderImpl::TransformerEncoderImpl(TransformerEncoderOptions given)
    : Cloneable("torch::nn::TransformerEncoderImpl"), options(std::move(given)) {
    reset();
}

void TransformerEncoderImpl::reset() {
    layers = register_module("layers", ModuleList());
    for (std::int64_t i = 0; i < options.num_layers(); ++i) layers->push_back(options.encoder_layer()->clone());
    norm = registered_copy(*this, options.norm());
}

void TransformerEncoderImpl::reset_parameters() {
    for (const auto& layer : *layers) layer->as<TransformerEncoderLayer>()->reset_parameters();
    reset_norm(norm);
}

at::Tensor TransformerEncoderImpl::forward(const at::Tensor& src, const at::Tensor& src_mask,
                                           const at::Tensor& src_key_padding_mask) {
    at::Tensor x = src;
    for (const auto& layer : *layers)
        x = layer->as<TransformerEncoderLayer>()->forward(x, src_mask, src_key_padding_mask);
    return norm.is_empty() ? x : norm.forward(x);
}

TransformerDecoderImpl::TransformerDecoderImpl(TransformerDecoderOptions given)
    : Cloneable("torch::nn::TransformerDecoderImpl"), options(std::move(given)) {
    reset();
}

void TransformerDecoderImpl::reset() {
    layers = register_module("layers", ModuleList());
    for (std::int64_t i = 0; i < options.num_layers(); ++i) layers->push_back(options.decoder_layer()->clone());
    norm = registered_copy(*this, options.norm());
}

void TransformerDecoderImpl::reset_parameters() {
    for (const auto& layer : *layers) layer->as<TransformerDecoderLayer>()->reset_parameters();
    reset_norm(norm);
}

at::Tensor TransformerDecoderImpl::forward(const at::Tensor& tgt, const at::Tensor& memory, const at::Tensor& tgt_mask,
                                           const at::Tensor& memory_mask, const at::Tensor& tgt_key_padding_mask,
                                           const at::Tensor& memory_key_padding_mask) {
    at::Tensor x = tgt;
    for (const auto& layer : *layers)
        x = layer->as<TransformerDecoderLayer>()->forward(x, memory, tgt_mask, memory_mask, tgt_key_padding_mask,
                                                          memory_key_padding_mask);
    return norm.is_empty() ? x : norm.forward(x);
}

TransformerImpl::TransformerImpl(TransformerOptions given)
    : Cloneable("torch::nn::TransformerImpl"), options(std::move(given)) {
    reset();
}

void TransformerImpl::reset() {
    const auto with_options = [&](auto layer) {
        return layer.dim_feedforward(options.dim_feedforward())
            .dropout(options.dropout())
            .activation(options.activation());
    };
    encoder = options.custom_encoder().clone();
    if (encoder.is_empty()) {
        const auto layer = with_options(TransformerEncoderLayerOptions(options.d_model(), options.nhead()));
        encoder = AnyModule(TransformerEncoder(
            TransformerEncoderOptions(layer, options.num_encoder_layers()).norm(AnyModule(norm_of(options)))));
    }
    register_module("encoder", encoder.ptr());
    decoder = options.custom_decoder().clone();
    if (decoder.is_empty()) {
        const auto layer = with_options(TransformerDecoderLayerOptions(options.d_model(), options.nhead()));
        decoder = AnyModule(TransformerDecoder(
            TransformerDecoderOptions(layer, options.num_decoder_layers()).norm(AnyModule(norm_of(options)))));
    }
    register_module("decoder", decoder.ptr());
    reset_parameters();
}

void TransformerImpl::reset_parameters() {
    for (const at::Tensor& parameter : parameters())
        if (parameter.dim() > 1) init::xavier_uniform_(parameter);
}

at::Tensor TransformerImpl::forward(const at::Tensor& src, const at::Tensor& tgt, const at::Tensor& src_mask,
                                    const at::Tensor& tgt_mask, const at::Tensor& memory_mask,
                                    const at::Tensor& src_key_padding_mask, const at::Tensor& tgt_key_padding_mask,
                                    const at::Tensor& memory_key_padding_mask) {
    TORCH_CHECK(src.dim() == 3 && tgt.dim() == 3, "src and tgt should have 3 dimensions, but got ", src.dim(), " and ",
                tgt.dim());
    TORCH_CHECK(src.size(1) == tgt.size(1), "src and tgt should have equal batch size (at dim 1), but got ",
                src.size(1), " and ", tgt.size(1));
    TORCH_CHECK(src.size(2) == options.d_model() && tgt.size(2) == options.d_model(),
                "src and tgt should have same feature size as d_model (at dim 2), but got ", src.size(2), " and ",
                tgt.size(2), " while d_model is ", options.d_model());
    const at::Tensor memory = encoder.forward(src, src_mask, src_key_padding_mask);
    return decoder.forward(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask);
}

at::Tensor TransformerImpl::generate_square_subsequent_mask(std::int64_t sz) {
    return at::full({sz, sz}, -std::numeric_limits<double>::infinity()).triu(1);
}

}  // namespace torch::nn
