// SPDX-License-Identifier: Apache-2.0
#include "core/nn/expectation.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/nn/layer.h"

namespace loupe::nn {
namespace {

std::int64_t integer(const Module& layer, std::string_view name) { return layer.attribute(name).to_int(); }
std::string got(const Tensor& t) { return concat("torch.", dtype_name(t.dtype()), " ", shape_list_text(t.sizes())); }

// "[N, 3, H, W]" with the layer's number of spatial dimensions.
std::string channels_text(std::int64_t channels, std::int64_t spatial) {
    static constexpr std::string_view kNames[] = {"L", "H, W", "D, H, W"};
    return concat("[N, ", channels, ", ", kNames[spatial - 1], "]");
}

// The number at the end of a name like Conv2d; 0 when there is none.
std::int64_t spatial_of(std::string_view name) {
    if (name.size() < 2 || name.back() != 'd') return 0;
    const char digit = name[name.size() - 2];
    return digit >= '1' && digit <= '3' ? digit - '0' : 0;
}

std::string last_dimension(const Tensor& x, std::int64_t size) {
    return x.dim() > 0 && x.size(-1) == size ? "" : concat("[*, ", size, "]");
}

std::string of_convolution(const Module& layer, const Tensor& x) {
    const std::int64_t spatial = spatial_of(layer.layer()->name), channels = integer(layer, "in_channels");
    if (spatial == 0) return {};
    const bool has_batch = x.dim() == spatial + 2;
    if ((has_batch && x.size(1) == channels) || (x.dim() == spatial + 1 && x.size(0) == channels)) return {};
    std::string alone = channels_text(channels, spatial);
    alone.replace(1, 3, "");
    return concat(channels_text(channels, spatial), " or ", alone);
}

std::string of_batch_norm(const Module& layer, const Tensor& x) {
    const std::int64_t spatial = spatial_of(layer.layer()->name), channels = integer(layer, "num_features");
    const bool dims_fit = spatial == 0 || x.dim() == spatial + 2 || (spatial == 1 && x.dim() == 2);
    if (dims_fit && x.dim() > 1 && x.size(1) == channels) return {};
    return concat(spatial == 0 ? concat("[N, ", channels, ", *]") : channels_text(channels, spatial),
                  spatial == 1 ? concat(" or [N, ", channels, "]") : "");
}

std::string of_layer_norm(const Module& layer, const Tensor& x) {
    const auto& wanted = layer.attribute("normalized_shape").to_tuple().elements;
    bool fits = x.dim() >= static_cast<std::int64_t>(wanted.size());
    std::string text = "[*";
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        text += concat(", ", wanted[i].to_int());
        fits = fits &&
               x.size(static_cast<std::int64_t>(i) - static_cast<std::int64_t>(wanted.size())) == wanted[i].to_int();
    }
    return fits ? "" : text + "]";
}

std::string of_recurrent(const Module& layer, const Tensor& x, bool is_cell) {
    const std::int64_t size = integer(layer, "input_size");
    const bool dims_fit = is_cell ? x.dim() == 1 || x.dim() == 2 : x.dim() == 2 || x.dim() == 3;
    if (dims_fit && x.size(-1) == size) return {};
    if (is_cell) return concat("[N, ", size, "] or [", size, "]");
    const bool batch_first = layer.attribute("batch_first").to_bool();
    return concat(batch_first ? "[N, L, " : "[L, N, ", size, "] or [L, ", size, "]");
}

bool is_index(const Tensor& x) { return x.dtype() == ScalarType::Int64 || x.dtype() == ScalarType::Int32; }

std::string expected_input(const Module& layer, const Tensor& x) {
    const LayerRecord& record = *layer.layer();
    const auto is = [&](std::string_view name) { return is_derived(record, name); };
    if (is("Linear")) return last_dimension(x, integer(layer, "in_features"));
    if (is("_ConvNd")) return of_convolution(layer, x);
    if (is("_BatchNorm") || is("_InstanceNorm")) return is("_BatchNorm") ? of_batch_norm(layer, x) : "";
    if (is("LayerNorm")) return of_layer_norm(layer, x);
    if (is("GroupNorm")) {
        const std::int64_t channels = integer(layer, "num_channels");
        return x.dim() > 1 && x.size(1) == channels ? "" : concat("[N, ", channels, ", *]");
    }
    if (is("RNNBase")) return of_recurrent(layer, x, false);
    if (is("RNNCellBase")) return of_recurrent(layer, x, true);
    if (is("MultiheadAttention")) return last_dimension(x, integer(layer, "embed_dim"));
    if (is("Embedding") || is("EmbeddingBag")) return is_index(x) ? "" : "indices of int64 or int32";
    return {};
}

std::string expected_target(const Module& layer, const Tensor& x, const Tensor& target) {
    const LayerRecord& record = *layer.layer();
    if (is_derived(record, "NLLLoss") || is_derived(record, "CrossEntropyLoss")) {
        const bool is_probabilities =
            is_derived(record, "CrossEntropyLoss") && target.dim() == x.dim() && is_floating(target.dtype());
        if (is_probabilities || target.dtype() == ScalarType::Int64) return {};
        return "class indices of int64";
    }
    if (is_derived(record, "BCELoss") || is_derived(record, "BCEWithLogitsLoss")) {
        const bool fits = is_floating(target.dtype()) && std::ranges::equal(x.sizes(), target.sizes());
        return fits ? "" : concat("torch.", dtype_name(x.dtype()), " ", shape_list_text(x.sizes()));
    }
    return {};
}

}  // namespace

std::string unfit_input(const Module& layer, std::span<const IValue> arguments) {
    if (layer.layer() == nullptr || arguments.empty() || !arguments[0].is_tensor()) return {};
    const Tensor x = arguments[0].to_tensor();
    const auto expects = [&](const char* what, const std::string& wanted, const Tensor& given) {
        return concat(layer.str(), " expects ", what, " ", wanted, ", got ", got(given));
    };
    if (const std::string wanted = expected_input(layer, x); !wanted.empty()) return expects("input", wanted, x);
    if (arguments.size() > 1 && arguments[1].is_tensor()) {
        const Tensor target = arguments[1].to_tensor();
        if (const std::string wanted = expected_target(layer, x, target); !wanted.empty())
            return expects("target", wanted, target);
    }
    return {};
}

}  // namespace loupe::nn
