// SPDX-License-Identifier: Apache-2.0
// torch.nn.modules.transformer: Vaswani et al. 2017.
#include <limits>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/nn/init/init.h"
#include "core/nn/layers/families.h"
#include "core/nn/layers/fast_path.h"
#include "core/nn/layers/support.h"
#include "core/nn/native_function.h"
#include "core/ops/numbers/warnings.h"
#include "core/tensor/nested.h"

namespace loupe::nn::layers {
namespace {

constexpr std::string_view kPython = "torch.nn.modules.transformer";
const OperatorHandle<> kFromMask{"aten::_nested_tensor_from_mask"}, kToPadded{"aten::to_padded_tensor"};
using Keywords = std::vector<std::pair<std::string, IValue>>;

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

IValue object(ModulePtr module) { return Ptr<Object>(std::move(module)); }

// A name is one of two functions; anything else is called as it is.
IValue activation_function(const IValue& activation) {
    if (!activation.is_string()) return activation;
    const std::string& name = activation.to_string();
    if (name != "relu" && name != "gelu") run_error(concat("activation should be relu/gelu, not ", name));
    return function_value(*find_functional(name));
}

struct BlockArguments {
    std::int64_t d_model = 0;
    std::int64_t nhead = 0;
    std::int64_t dim_feedforward = 2048;
    IValue dropout;
    IValue activation;
    IValue layer_norm_eps;
    bool batch_first = false;
    bool norm_first = false;
    bool bias = true;
    IValue device, dtype;
};

void add(Module& self, const std::string& name, const char* layer, std::vector<IValue> arguments,
         Keywords keywords = {}) {
    self.register_module(name, make_layer(layer, std::move(arguments), std::move(keywords)));
}

void init_block(Module& self, const BlockArguments& a, bool is_decoder) {
    const Keywords factory{{"bias", a.bias}, {"device", a.device}, {"dtype", a.dtype}};
    const Keywords attention{{"dropout", a.dropout},
                             {"bias", a.bias},
                             {"batch_first", a.batch_first},
                             {"device", a.device},
                             {"dtype", a.dtype}};
    const Keywords norm{{"eps", a.layer_norm_eps}, {"bias", a.bias}, {"device", a.device}, {"dtype", a.dtype}};
    add(self, "self_attn", "MultiheadAttention", {a.d_model, a.nhead}, attention);
    if (is_decoder) add(self, "multihead_attn", "MultiheadAttention", {a.d_model, a.nhead}, attention);
    add(self, "linear1", "Linear", {a.d_model, a.dim_feedforward}, factory);
    add(self, "dropout", "Dropout", {a.dropout});
    add(self, "linear2", "Linear", {a.dim_feedforward, a.d_model}, factory);
    self.set_attribute("norm_first", a.norm_first);
    add(self, "norm1", "LayerNorm", {a.d_model}, norm);
    add(self, "norm2", "LayerNorm", {a.d_model}, norm);
    if (is_decoder) add(self, "norm3", "LayerNorm", {a.d_model}, norm);
    add(self, "dropout1", "Dropout", {a.dropout});
    add(self, "dropout2", "Dropout", {a.dropout});
    if (is_decoder) add(self, "dropout3", "Dropout", {a.dropout});
    self.set_attribute("activation", activation_function(a.activation));
}

BlockArguments block_arguments(Arguments a) {
    return {a[0].to_int(),  a[1].to_int(),  a[2].to_int(),  a[3], a[4], a[5],
            a[6].to_bool(), a[7].to_bool(), a[8].to_bool(), a[9], a[10]};
}
void init_encoder_block(Module& self, Arguments a) { init_block(self, block_arguments(a), false); }
void init_decoder_block(Module& self, Arguments a) { init_block(self, block_arguments(a), true); }

Tensor through(const Module& self, const char* name, const Tensor& x) {
    return child(self, name)->call({x}).to_tensor();
}

Tensor attended(const Module& self, const char* attention, const char* dropout, const Tensor& x, const Tensor& memory,
                const Tensor& mask, const Tensor& padding, bool is_causal) {
    Keywords keywords{{"attn_mask", mask}, {"key_padding_mask", padding}, {"need_weights", false}};
    if (is_causal) keywords.emplace_back("is_causal", true);
    const IValue out = child(self, attention)->invoke({{x, memory, memory}, std::move(keywords)});
    return through(self, dropout, out.to_tuple().elements[0].to_tensor());
}
Tensor fed_forward(const Module& self, const char* dropout, const Tensor& x) {
    const Tensor inner = call_value(self.attribute("activation"), {through(self, "linear1", x)}).to_tensor();
    return through(self, dropout, through(self, "linear2", through(self, "dropout", inner)));
}
Tensor sum(const Tensor& a, const Tensor& b) { return fn::add(a, b, Scalar(1)); }

void check_padding(const Tensor& padding) {
    if (padding.defined() && padding.dtype() != ScalarType::Bool && !is_floating(padding.dtype())) {
        run_error("only bool and floating types of key_padding_mask are supported");
    }
}

Tensor encode(Module& self, const Tensor& src, const Tensor& src_mask, const Tensor& src_key_padding_mask,
              bool is_causal) {
    check_padding(src_key_padding_mask);
    if (is_nested(src) && why_not_fast_encoder_layer(self, src, src_mask, src_key_padding_mask).empty())
        return run_fast_encoder_layer(self, src);
    Tensor x = src;
    const auto attend = [&](const Tensor& from) {
        return attended(self, "self_attn", "dropout1", from, from, src_mask, src_key_padding_mask, is_causal);
    };
    if (flag(self, "norm_first")) {
        x = sum(x, attend(through(self, "norm1", x)));
        return sum(x, fed_forward(self, "dropout2", through(self, "norm2", x)));
    }
    x = through(self, "norm1", sum(x, attend(x)));
    return through(self, "norm2", sum(x, fed_forward(self, "dropout2", x)));
}

Tensor decode(Module& self, const Tensor& tgt, const Tensor& memory, const Tensor& tgt_mask, const Tensor& memory_mask,
              const Tensor& tgt_padding, const Tensor& memory_padding, bool tgt_is_causal, bool memory_is_causal) {
    Tensor x = tgt;
    const auto attend = [&](const Tensor& from) {
        return attended(self, "self_attn", "dropout1", from, from, tgt_mask, tgt_padding, tgt_is_causal);
    };
    const auto look = [&](const Tensor& from) {
        return attended(self, "multihead_attn", "dropout2", from, memory, memory_mask, memory_padding,
                        memory_is_causal);
    };
    if (flag(self, "norm_first")) {
        x = sum(x, attend(through(self, "norm1", x)));
        x = sum(x, look(through(self, "norm2", x)));
        return sum(x, fed_forward(self, "dropout3", through(self, "norm3", x)));
    }
    x = through(self, "norm1", sum(x, attend(x)));
    x = through(self, "norm2", sum(x, look(x)));
    return through(self, "norm3", sum(x, fed_forward(self, "dropout3", x)));
}

// Copies of one layer, and a norm at the end.
void init_stack(Module& self, const IValue& layer, std::int64_t num_layers, const IValue& norm) {
    const ModulePtr given = as_module(layer);
    if (!given) run_error("the layer of a transformer must be a Module");
    const auto list = make_layer("ModuleList");
    for (std::int64_t i = 0; i < num_layers; ++i) list->register_module(std::to_string(i), given->deep_copy());
    self.register_module("layers", list);
    self.set_attribute("num_layers", num_layers);
    self.set_attribute("norm", norm);
}
void init_encoder(Module& self, const IValue& layer, std::int64_t num_layers, const IValue& norm,
                  bool enable_nested_tensor, bool mask_check) {
    init_stack(self, layer, num_layers, norm);
    self.set_attribute("enable_nested_tensor", enable_nested_tensor);
    const std::string why_not = why_not_nested_layers(*as_module(layer));
    if (enable_nested_tensor && !why_not.empty()) {
        warn(concat("enable_nested_tensor is True, but self.use_nested_tensor is False because ", why_not));
    }
    self.set_attribute("use_nested_tensor", enable_nested_tensor && why_not.empty());
    self.set_attribute("mask_check", mask_check);
}

Tensor normed(const Module& self, const Tensor& x) {
    const ModulePtr norm = child(self, "norm");
    return norm ? norm->call({x}).to_tensor() : x;
}

Tensor run_encoder(Module& self, const Tensor& src, const Tensor& mask, const Tensor& src_key_padding_mask,
                   const std::optional<bool>&) {
    check_padding(src_key_padding_mask);
    // Without the padding, which is zeros in the end, where PyTorch leaves it out.
    const bool leaves_out = why_not_nested_encoder(self, src, mask, src_key_padding_mask).empty();
    IValue x = leaves_out ? IValue(kFromMask(src, fn::logical_not(src_key_padding_mask), false)) : IValue(src);
    const Tensor padding = leaves_out ? Tensor() : src_key_padding_mask;
    for (const auto& [name, layer] : child(self, "layers")->children())
        x = layer->invoke({{x}, {{"src_mask", mask}, {"src_key_padding_mask", padding}}});
    if (leaves_out) x = kToPadded(x.to_tensor(), 0.0, to_dims(src.sizes()));
    return normed(self, x.to_tensor());
}

Tensor run_decoder(Module& self, const Tensor& tgt, const Tensor& memory, const Tensor& tgt_mask,
                   const Tensor& memory_mask, const Tensor& tgt_padding, const Tensor& memory_padding,
                   const std::optional<bool>&, bool) {
    IValue x = tgt;
    for (const auto& [name, layer] : child(self, "layers")->children()) {
        x = layer->invoke({{x, memory},
                           {{"tgt_mask", tgt_mask},
                            {"memory_mask", memory_mask},
                            {"tgt_key_padding_mask", tgt_padding},
                            {"memory_key_padding_mask", memory_padding}}});
    }
    return normed(self, x.to_tensor());
}

void reset_transformer(Module& self) {
    for (const auto& [name, parameter] : self.named_parameters()) {
        if (parameter.dim() > 1) init::xavier_uniform_(parameter);
    }
}

// (d_model, nhead, num_encoder_layers, num_decoder_layers, dim_feedforward, dropout, activation, custom_encoder,
// custom_decoder, layer_norm_eps, batch_first, norm_first, bias, device, dtype)
void init_transformer(Module& self, Arguments a) {
    const Keywords block{{"layer_norm_eps", a[9]}, {"batch_first", a[10]}, {"norm_first", a[11]},
                         {"bias", a[12]},          {"device", a[13]},      {"dtype", a[14]}};
    const Keywords norm{{"eps", a[9]}, {"bias", a[12]}, {"device", a[13]}, {"dtype", a[14]}};
    const std::vector<IValue> arguments{a[0], a[1], a[4], a[5], a[6]};
    const auto stack = [&](const char* layer, const char* whole, const IValue& count) {
        const IValue one = object(make_layer(layer, arguments, block));
        const IValue last = object(make_layer("LayerNorm", {a[0]}, norm));
        return make_layer(whole, {one, count, last});
    };
    self.register_module(
        "encoder", a[7].is_none() ? stack("TransformerEncoderLayer", "TransformerEncoder", a[2]) : as_module(a[7]));
    self.register_module(
        "decoder", a[8].is_none() ? stack("TransformerDecoderLayer", "TransformerDecoder", a[3]) : as_module(a[8]));
    reset_transformer(self);
    self.set_attribute("d_model", a[0]);
    self.set_attribute("nhead", a[1]);
    self.set_attribute("batch_first", a[10]);
}

Tensor translate(Module& self, const Tensor& src, const Tensor& tgt, const Tensor& src_mask, const Tensor& tgt_mask,
                 const Tensor& memory_mask, const Tensor& src_padding, const Tensor& tgt_padding,
                 const Tensor& memory_padding, const std::optional<bool>&, const std::optional<bool>&, bool) {
    const bool has_batch = src.dim() == 3;
    const std::int64_t batch_dim = flag(self, "batch_first") ? 0 : 1;
    if (has_batch && tgt.dim() == 3 && src.size(batch_dim) != tgt.size(batch_dim)) {
        run_error("the batch number of src and tgt must be equal");
    }
    const std::int64_t d_model = integer(self, "d_model");
    if (src.size(-1) != d_model || tgt.size(-1) != d_model)
        run_error("the feature number of src and tgt must be equal to d_model");
    const IValue memory =
        child(self, "encoder")->invoke({{src}, {{"mask", src_mask}, {"src_key_padding_mask", src_padding}}});
    return child(self, "decoder")
        ->invoke({{tgt, memory},
                  {{"tgt_mask", tgt_mask},
                   {"memory_mask", memory_mask},
                   {"tgt_key_padding_mask", tgt_padding},
                   {"memory_key_padding_mask", memory_padding}}})
        .to_tensor();
}

// Minus infinity above the diagonal.
Tensor square_mask(Module&, std::int64_t size, const IValue& device, const IValue& dtype) {
    static const OperatorHandle<> op_full("aten::full");
    const Tensor all =
        op_full(Dims{size, size}, Scalar(-std::numeric_limits<double>::infinity()), dtype, IValue(), device, IValue());
    return fn::triu(all, 1);
}

// The parts of a layer, which classes that derive from it call.
Tensor self_attention_block(Module& self, const Tensor& x, const Tensor& attn_mask, const Tensor& padding,
                            bool is_causal) {
    return attended(self, "self_attn", "dropout1", x, x, attn_mask, padding, is_causal);
}
Tensor memory_attention_block(Module& self, const Tensor& x, const Tensor& memory, const Tensor& attn_mask,
                              const Tensor& padding, bool is_causal) {
    return attended(self, "multihead_attn", "dropout2", x, memory, attn_mask, padding, is_causal);
}
Tensor encoder_feed_forward_block(Module& self, const Tensor& x) { return fed_forward(self, "dropout2", x); }
Tensor decoder_feed_forward_block(Module& self, const Tensor& x) { return fed_forward(self, "dropout3", x); }

constexpr std::string_view kSelfAttentionBlock =
    "_sa_block(Tensor x, Tensor? attn_mask, Tensor? key_padding_mask, bool is_causal=False) -> Tensor";
constexpr LayerMethod kEncoderLayerMethods[] = {
    {kSelfAttentionBlock, computes<self_attention_block>},
    {"_ff_block(Tensor x) -> Tensor", computes<encoder_feed_forward_block>}};
constexpr LayerMethod kDecoderLayerMethods[] = {
    {kSelfAttentionBlock, computes<self_attention_block>},
    {"_mha_block(Tensor x, Tensor mem, Tensor? attn_mask, Tensor? key_padding_mask, bool is_causal=False) -> Tensor",
     computes<memory_attention_block>},
    {"_ff_block(Tensor x) -> Tensor", computes<decoder_feed_forward_block>}};

constexpr LayerMethod kTransformerMethods[] = {
    {"generate_square_subsequent_mask(int sz, Device? device=None, ScalarType? dtype=None) -> Tensor",
     computes<square_mask>, true}};

constexpr std::string_view kBlock =
    "(int d_model, int nhead, int dim_feedforward=2048, Scalar dropout=0.1, Any activation=\"relu\", Scalar "
    "layer_norm_eps=1e-05, bool "
    "batch_first=False, bool norm_first=False, bool bias=True, Device? device=None, ScalarType? dtype=None)";
constexpr std::string_view kDecoderForward =
    "(Tensor tgt, Tensor memory, Tensor? tgt_mask=None, Tensor? memory_mask=None, Tensor? tgt_key_padding_mask=None, "
    "Tensor? "
    "memory_key_padding_mask=None, bool tgt_is_causal=False, bool memory_is_causal=False) -> Tensor";
constexpr std::string_view kStackForward =
    "(Tensor tgt, Tensor memory, Tensor? tgt_mask=None, Tensor? memory_mask=None, Tensor? tgt_key_padding_mask=None, "
    "Tensor? "
    "memory_key_padding_mask=None, bool? tgt_is_causal=None, bool memory_is_causal=False) -> Tensor";

constexpr LayerRecord kRecords[] = {
    {.name = "TransformerEncoderLayer",
     .base = "Module",
     .module = kPython,
     .summary = "Self-attention and a feed-forward network.",
     .constructor = kBlock,
     .init = init_encoder_block,
     .forward_schema =
         "(Tensor src, Tensor? src_mask=None, Tensor? src_key_padding_mask=None, bool is_causal=False) -> Tensor",
     .forward = computes<encode>,
     .constants = "batch_first norm_first",
     .methods = kEncoderLayerMethods},
    {.name = "TransformerDecoderLayer",
     .base = "Module",
     .module = kPython,
     .summary = "Self-attention, attention to a memory and a feed-forward network.",
     .constructor = kBlock,
     .init = init_decoder_block,
     .forward_schema = kDecoderForward,
     .forward = computes<decode>,
     .constants = "batch_first norm_first",
     .methods = kDecoderLayerMethods},
    {.name = "TransformerEncoder",
     .base = "Module",
     .module = kPython,
     .summary = "Copies of an encoder layer.",
     .constructor =
         "(Any encoder_layer, int num_layers, Any norm=None, bool enable_nested_tensor=True, bool mask_check=True)",
     .init = builds<init_encoder>,
     .forward_schema =
         "(Tensor src, Tensor? mask=None, Tensor? src_key_padding_mask=None, bool? is_causal=None) -> Tensor",
     .forward = computes<run_encoder>,
     .constants = "norm"},
    {.name = "TransformerDecoder",
     .base = "Module",
     .module = kPython,
     .summary = "Copies of a decoder layer.",
     .constructor = "(Any decoder_layer, int num_layers, Any norm=None)",
     .init = builds<init_stack>,
     .forward_schema = kStackForward,
     .forward = computes<run_decoder>,
     .constants = "norm"},
    {.name = "Transformer",
     .base = "Module",
     .module = kPython,
     .summary = "An encoder and a decoder.",
     .constructor =
         "(int d_model=512, int nhead=8, int num_encoder_layers=6, int num_decoder_layers=6, int dim_feedforward=2048, "
         "Scalar "
         "dropout=0.1, Any activation=\"relu\", Any custom_encoder=None, Any custom_decoder=None, Scalar "
         "layer_norm_eps=1e-05, bool batch_first=False, bool norm_first=False, bool bias=True, Device? device=None, "
         "ScalarType? dtype=None)",
     .init = init_transformer,
     .forward_schema =
         "(Tensor src, Tensor tgt, Tensor? src_mask=None, Tensor? tgt_mask=None, Tensor? memory_mask=None, Tensor? "
         "src_key_padding_mask=None, Tensor? tgt_key_padding_mask=None, Tensor? memory_key_padding_mask=None, bool? "
         "src_is_causal=None, bool? tgt_is_causal=None, bool memory_is_causal=False) -> Tensor",
     .forward = computes<translate>,
     .constants = "batch_first d_model",
     .reset_parameters = reset_transformer,
     .methods = kTransformerMethods},
};

}  // namespace

LayerFamily transformer_layers() { return kRecords; }

}  // namespace loupe::nn::layers
