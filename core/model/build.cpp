// SPDX-License-Identifier: Apache-2.0
#include "core/model/build.h"

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/model/call_text.h"
#include "core/model/model_info.h"
#include "core/nn/layer.h"

namespace loupe::session {
namespace {

bool takes_one(const nn::LayerRecord& record) {
    const FunctionSchema& schema = nn::forward_schema(record);
    std::size_t wanted = 0;
    for (const Argument& argument : schema.arguments) {
        if (argument.name != "self" && !argument.default_value) ++wanted;
    }
    return wanted == 1;
}

std::string family_of(const nn::LayerRecord& record) {
    const std::string_view module = record.module;
    const auto dot = module.rfind('.');
    return std::string(dot == std::string_view::npos ? module : module.substr(dot + 1));
}

// Sizes of "1x16x8x8 float32" or "1x16:int64".
Shape shape_in(const std::string& input) {
    const std::string text = input.substr(0, input.find_first_of(" :"));
    Shape shape;
    for (const auto part : split(text, 'x')) shape.push_back(std::strtoll(std::string(part).c_str(), nullptr, 10));
    return shape;
}
// "float32 1x16x8x8" the other way about.
Shape shape_of_output(const std::string& text) {
    const auto space = text.rfind(' ');
    return shape_in(space == std::string::npos ? text : text.substr(space + 1));
}

std::string dtype_of(const std::string& input) {
    for (const auto part : split(input, ':')) {
        if (part.starts_with("int") || part.starts_with("uint")) return std::string(part);
    }
    return "float32";
}

std::string indented_layer(const std::string& layer) { return concat("    nn.", layer, ",\n"); }

// nn.ReLU() -> ReLU(); also inside.
std::string without_nn(std::string text) {
    for (const char* prefix : {"torch.nn.", "nn."}) {
        const std::string_view p = prefix;
        for (auto at = text.find(p); at != std::string::npos; at = text.find(p, at)) {
            const bool begins = at == 0 || (std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 &&
                                            text[at - 1] != '_' && text[at - 1] != '.');
            if (begins)
                text.erase(at, p.size());
            else
                ++at;
        }
    }
    return text;
}

// Without comments and line ends; texts stay.
std::string flattened(const std::string& source) {
    std::string out;
    char quote = 0;
    for (std::size_t i = 0; i < source.size(); ++i) {
        const char c = source[i];
        if (quote != 0) {
            if (c == quote) quote = 0;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '#') {
            while (i < source.size() && source[i] != '\n') ++i;
            out += ' ';
            continue;
        }
        out += c == '\n' || c == '\t' ? ' ' : c;
    }
    return out;
}

// From the bracket at `open` to its partner.
std::optional<std::string> bracketed(const std::string& text, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        if (text[i] == '(' || text[i] == '[') ++depth;
        if (text[i] == ')' || text[i] == ']') --depth;
        if (depth == 0) return text.substr(open, i - open + 1);
    }
    return std::nullopt;
}

}  // namespace

std::vector<LayerInfo> list_layers() {
    std::vector<LayerInfo> all;
    for (const nn::LayerRecord* record : nn::layer_records()) {
        const bool is_hidden = record->name.starts_with("_") || record->name == "Module" ||
                               record->name == "NonDynamicallyQuantizableLinear" || record->name.ends_with("Loss") ||
                               record->name.ends_with("Base");
        if (is_hidden || !nn::has_forward(*record) || family_of(*record) == "container" || !takes_one(*record))
            continue;
        LayerInfo info;
        info.name = std::string(record->name);
        info.family = family_of(*record);
        info.summary = std::string(record->summary);
        for (const Argument& argument : nn::constructor_schema(*record).arguments) {
            if (argument.name == "self" || argument.name == "device" || argument.name == "dtype") continue;
            info.arguments.push_back({argument.name, argument.type->annotation_str(),
                                      argument.default_value ? python_repr(*argument.default_value) : std::string()});
        }
        const bool needs_layer =
            std::any_of(info.arguments.begin(), info.arguments.end(), [](const RecipeInfo::Argument& argument) {
                return argument.name == "encoder_layer" || argument.name == "decoder_layer";
            });
        if (!needs_layer) all.push_back(std::move(info));
    }
    return all;
}

std::string suggest_layer(const LayerInfo& layer, const std::string& input) {
    const Shape shape = shape_of_output(input);
    const std::int64_t channels = shape.size() > 1 ? shape[1] : 16;
    const std::int64_t features = shape.empty() ? 16 : shape.back();
    const std::map<std::string_view, std::string> known = {
        {"in_features", std::to_string(features)},
        {"out_features", "64"},
        {"in_channels", std::to_string(channels)},
        {"out_channels", std::to_string(std::max<std::int64_t>(16, channels))},
        {"num_features", std::to_string(channels)},
        {"num_channels", std::to_string(channels)},
        {"num_groups", channels % 4 == 0 ? "4" : "1"},
        {"kernel_size", "3"},
        {"normalized_shape", std::to_string(features)},
        {"input_size", std::to_string(features)},
        {"hidden_size", "64"},
        {"num_embeddings", "128"},
        {"embedding_dim", "32"},
        {"output_size", "1"},
        {"padding", "1"},
        {"upscale_factor", "2"},
        {"downscale_factor", "2"},
        {"embed_dim", std::to_string(features)},
        {"num_heads", features % 4 == 0 ? "4" : "1"},
        {"d_model", std::to_string(features)},
        {"nhead", features % 4 == 0 ? "4" : "1"},
        {"threshold", "0.1"},
        {"value", "0"},
        {"groups", "2"},
        {"size", "5"},
        {"norm_type", "2"},
        {"unflattened_size", concat("(1, ", channels, ")")},
        {"dim", "1"},
        {"scale_factor", "2"},
        {"num_layers", "1"}};
    CallText call;
    call.name = layer.name;
    for (const RecipeInfo::Argument& argument : layer.arguments) {
        if (argument.name == "output_ratio") call.arguments.push_back({argument.name, "0.5"});
        const bool is_needed =
            argument.default_text.empty() || (layer.name.starts_with("Upsampl") && argument.name == "scale_factor");
        if (!is_needed) continue;
        const auto found = known.find(argument.name);
        call.arguments.push_back(
            {argument.default_text.empty() ? "" : argument.name, found == known.end() ? "1" : found->second});
    }
    return call_text(call);
}

std::string build_source(const BuildRequest& request) {
    std::string out = "import torch\nimport torch.nn as nn\n\nmodel = nn.Sequential(\n";
    for (const std::string& layer : request.layers) out += indented_layer(layer);
    out += ")\n\n";
    const Shape shape = shape_in(request.input);
    const std::string sizes = join(shape, ", ");
    const std::string dtype = dtype_of(request.input);
    if (dtype == "float32")
        out += concat("example_inputs = (torch.randn(", sizes, "),)\n");
    else
        out += concat("example_inputs = (torch.randint(0, 10, (", sizes, shape.size() == 1 ? ",)" : ")",
                      ", dtype=torch.", dtype, "),)\n");
    return out;
}

std::optional<BuildRequest> read_build(const std::string& source) {
    const std::string text = flattened(source);
    const auto model = text.find("model = ");
    if (model == std::string::npos || text.find("class ") != std::string::npos ||
        text.find("def ") != std::string::npos)
        return std::nullopt;
    const std::string made = without_nn(text.substr(model + 8));
    if (!made.starts_with("Sequential(")) return std::nullopt;
    const auto inside = bracketed(made, std::string_view("Sequential").size());
    if (!inside) return std::nullopt;
    BuildRequest request;
    try {
        for (const CallText::Argument& layer : parse_call(concat("Sequential", *inside)).arguments) {
            if (!layer.keyword.empty()) return std::nullopt;
            request.layers.push_back(call_text(parse_call(layer.text)));
        }
    } catch (const Error&) {
        return std::nullopt;
    }
    const auto examples = text.find("example_inputs");
    if (examples == std::string::npos) return request;
    const auto randn = text.find("randn(", examples);
    const auto randint = text.find("randint(", examples);
    const std::size_t open = randn != std::string::npos     ? randn + 5
                             : randint != std::string::npos ? text.find('(', randint + 8)
                                                            : std::string::npos;
    const auto sizes = open == std::string::npos ? std::nullopt : bracketed(text, open);
    if (!sizes) return request;
    std::vector<std::string> numbers;
    for (const auto part : split(std::string_view(*sizes).substr(1, sizes->size() - 2), ',')) {
        const std::int64_t size = std::strtoll(std::string(part).c_str(), nullptr, 10);
        if (size > 0) numbers.push_back(std::to_string(size));
    }
    request.input = join(numbers, "x") + (randn != std::string::npos ? "" : ":int64");
    return request;
}

}  // namespace loupe::session
