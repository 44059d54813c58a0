// SPDX-License-Identifier: Apache-2.0
#include "core/formats/checkpoint/module_guess.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "core/base/strings.h"

namespace loupe {
namespace {

class Own {
  public:
    explicit Own(const NamedTensors& tensors) : tensors_(tensors) {}
    const Tensor* find(std::string_view name) const {
        const auto found =
            std::ranges::find(tensors_, name, [](const auto& each) { return std::string_view(each.first); });
        return found == tensors_.end() ? nullptr : &found->second;
    }
    bool has(std::string_view name) const { return find(name) != nullptr; }
    bool any_starts_with(std::string_view prefix) const {
        return std::ranges::any_of(tensors_, [&](const auto& each) { return each.first.starts_with(prefix); });
    }

  private:
    const NamedTensors& tensors_;
};

std::string lower_name(const std::string& path) {
    std::string name = path.substr(path.rfind('.') + 1);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name;
}

bool mentions(const std::string& text, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

std::string weight_text(const Own& own) {
    const Tensor& weight = *own.find("weight");
    return concat("weight ", shape_text(weight.sizes()), own.has("bias") ? "" : " without bias");
}

ModuleGuess guess_recurrent(const Own& own) {
    const bool is_cell = own.has("weight_ih");
    const Tensor* input = own.find(is_cell ? "weight_ih" : "weight_ih_l0");
    const Tensor* hidden = own.find(is_cell ? "weight_hh" : "weight_hh_l0");
    ModuleGuess guess;
    if (input == nullptr || hidden == nullptr || input->dim() != 2 || hidden->dim() != 2 || hidden->size(1) == 0)
        return guess;
    const std::int64_t gates = hidden->size(0) / hidden->size(1);
    guess.class_name = gates == 4 ? "LSTM" : gates == 3 ? "GRU" : "RNN";
    if (own.any_starts_with("weight_hr_l")) guess.class_name = "LSTM";
    if (is_cell) guess.class_name += "Cell";
    guess.confidence = gates == 1 || gates == 3 || gates == 4 ? 0.98 : 0.6;
    guess.reason = concat("weight_hh has ", gates, " times as many rows as columns");
    std::int64_t layers = 0;
    while (own.has(concat("weight_ih_l", layers))) ++layers;
    guess.arguments = {{"input_size", input->size(1)}, {"hidden_size", hidden->size(1)}};
    if (!is_cell) guess.arguments.emplace_back("num_layers", layers);
    if (own.any_starts_with("weight_ih_l0_reverse")) guess.arguments.emplace_back("bidirectional", 1);
    return guess;
}

ModuleGuess guess_convolution(const std::string& name, const Own& own) {
    const Tensor& weight = *own.find("weight");
    const Tensor* bias = own.find("bias");
    const std::int64_t dimensions = weight.dim() - 2;
    const bool fits_input_only = bias != nullptr && bias->numel() != weight.size(0) && bias->numel() == weight.size(1);
    const bool is_transposed =
        fits_input_only || mentions(name, {"deconv", "transpose", "upconv", "convt", "tconv", "up_conv"});
    ModuleGuess guess;
    guess.class_name = concat(is_transposed ? "ConvTranspose" : "Conv", dimensions, "d");
    guess.confidence = fits_input_only                                       ? 0.95
                       : is_transposed                                       ? 0.8
                       : bias != nullptr && weight.size(0) != weight.size(1) ? 0.97
                                                                             : 0.9;
    guess.reason = weight_text(own);
    guess.arguments = {{is_transposed ? "out_channels" : "in_channels", weight.size(1)},
                       {is_transposed ? "in_channels" : "out_channels", weight.size(0)}};
    guess.arguments.emplace_back("kernel_size", weight.size(2));
    return guess;
}

ModuleGuess guess_matrix(const std::string& name, const Own& own) {
    const Tensor& weight = *own.find("weight");
    ModuleGuess guess;
    guess.reason = weight_text(own);
    const bool is_named_embedding = mentions(name, {"emb", "wte", "wpe", "token", "lookup", "vocab", "shared"});
    const bool is_tall = weight.size(0) >= 1000 && weight.size(0) > 4 * weight.size(1) &&
                         !mentions(name, {"head", "fc", "linear", "classif", "out", "proj"});
    if (!own.has("bias") && (is_named_embedding || is_tall)) {
        guess.class_name = "Embedding";
        guess.confidence = is_named_embedding ? 0.95 : 0.6;
        guess.arguments = {{"num_embeddings", weight.size(0)}, {"embedding_dim", weight.size(1)}};
        return guess;
    }
    guess.class_name = "Linear";
    guess.confidence = own.has("bias") ? 0.98 : 0.8;
    guess.arguments = {{"in_features", weight.size(1)}, {"out_features", weight.size(0)}};
    return guess;
}

ModuleGuess guess_vector(const std::string& name, const Own& own) {
    const Tensor& weight = *own.find("weight");
    ModuleGuess guess;
    guess.reason = weight_text(own);
    if (!own.has("bias")) {
        const bool is_activation = weight.numel() == 1 || mentions(name, {"prelu", "act", "relu"});
        guess.class_name = is_activation ? "PReLU" : mentions(name, {"norm", "ln"}) ? "RMSNorm" : "Module";
        guess.confidence = guess.class_name == "Module" ? 0 : 0.7;
        if (is_activation) guess.arguments = {{"num_parameters", weight.numel()}};
        return guess;
    }
    const bool is_group = mentions(name, {"group", "gn"});
    const bool is_instance = mentions(name, {"instance", "inorm", "in_norm"});
    guess.class_name = is_group ? "GroupNorm" : is_instance ? "InstanceNorm2d" : "LayerNorm";
    guess.confidence = mentions(name, {"ln", "layer", "group", "gn", "instance"}) ? 0.9 : 0.7;
    guess.arguments = {{is_group ? "num_channels" : is_instance ? "num_features" : "normalized_shape", weight.numel()}};
    return guess;
}

ModuleGuess guess_batch_norm(const Own& own, int dimensions) {
    const Tensor& mean = *own.find("running_mean");
    ModuleGuess guess;
    guess.class_name = dimensions > 0 ? concat("BatchNorm", dimensions, "d") : "BatchNorm1d";
    guess.confidence = dimensions > 0 ? 0.95 : 0.8;
    guess.reason = concat("running_mean ", shape_text(mean.sizes()),
                          dimensions > 0 ? concat(", after a convolution of ", dimensions, " dimensions") : "");
    guess.arguments = {{"num_features", mean.numel()}};
    return guess;
}

ModuleGuess guess_attention(const Own& own) {
    const Tensor* packed = own.find("in_proj_weight");
    ModuleGuess guess{"MultiheadAttention", 0.98, "in_proj_weight and out_proj"};
    if (packed != nullptr && packed->dim() == 2) guess.arguments = {{"embed_dim", packed->size(1)}};
    return guess;
}

// Of modules without direct weights.
ModuleGuess guess_container(const std::vector<std::string>& children) {
    const auto has = [&](std::string_view name) { return std::ranges::find(children, name) != children.end(); };
    if (children.empty()) return {"Module", 0, "no weights: an activation, pooling, dropout or the like"};
    if (has("self_attn") && has("linear1") && has("linear2")) {
        if (has("multihead_attn"))
            return {"TransformerDecoderLayer", 0.97, "self_attn, multihead_attn, linear1, linear2"};
        return {"TransformerEncoderLayer", 0.97, "self_attn, linear1, linear2"};
    }
    if (has("conv1") && has("bn1") && has("conv2") && has("bn2")) {
        if (has("conv3") && has("bn3") && !has("layer1")) return {"Bottleneck", 0.7, "conv1 to conv3 with bn1 to bn3"};
        if (!has("layer1") && !has("fc")) return {"BasicBlock", 0.7, "conv1 and conv2 with bn1 and bn2"};
    }
    const bool are_numbers = std::ranges::all_of(children, [](const std::string& name) {
        return !name.empty() && std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; });
    });
    if (are_numbers) return {"Sequential", 0.7, "its modules have numbers; or a ModuleList"};
    return {};
}

}  // namespace

ModuleGuess guess_module(const std::string& path, const NamedTensors& tensors, const std::vector<std::string>& children,
                         int dimensions) {
    const Own own(tensors);
    const std::string name = lower_name(path);
    if (own.has("in_proj_weight") || (own.has("q_proj_weight") && own.has("k_proj_weight")))
        return guess_attention(own);
    if (own.any_starts_with("weight_ih")) return guess_recurrent(own);
    if (const Tensor* mean = own.find("running_mean"); mean != nullptr && mean->dim() == 1)
        return guess_batch_norm(own, dimensions);
    const Tensor* weight = own.find("weight");
    if (weight == nullptr)
        return tensors.empty() ? guess_container(children)
                               : ModuleGuess{"Module", 0, "weights of other names than a layer of torch.nn has"};
    switch (weight->dim()) {
        case 1:
            return guess_vector(name, own);
        case 2:
            return guess_matrix(name, own);
        case 3:
        case 4:
        case 5:
            return guess_convolution(name, own);
        default:
            return {"Module", 0, weight_text(own)};
    }
}

}  // namespace loupe
