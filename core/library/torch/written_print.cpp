// SPDX-License-Identifier: Apache-2.0
#include "core/library/torch/written_print.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::torch_api {
namespace {

// What follows the name: {option}, "[, x={option}]" where the option is not the default, {{list}} of numbers in braces.
// Layers that are not listed print "()". Layers of several dimensions stand under their name without the number.
const std::unordered_map<std::string_view, std::string_view> kFormats = {
    {"AdaptiveAvgPool", "(output_size={output_size})"},
    {"AdaptiveMaxPool", "(output_size={output_size})"},
    {"AlphaDropout", "(p={p}, inplace={inplace})"},
    {"AvgPool", "(kernel_size={kernel_size}, stride={stride}, padding={padding})"},
    {"BatchNorm",
     "({num_features}, eps={eps}, momentum={momentum}, affine={affine}, track_running_stats={track_running_stats})"},
    {"Bilinear",
     "(in1_features={in1_features}, in2_features={in2_features}, out_features={out_features}, bias={bias})"},
    {"CELU", "(alpha={alpha}[, inplace={inplace}])"},
    {"ChannelShuffle", "(groups={groups})"},
    {"CircularPad", "(padding={padding})"},
    {"ConstantPad", "(padding={padding}, value={value})"},
    {"Conv",
     "({in_channels}, {out_channels}, kernel_size={kernel_size}, stride={stride}[, padding={padding}][, "
     "dilation={dilation}][, groups={groups}][, bias={bias}][, padding_mode={padding_mode}])"},
    {"ConvTranspose",
     "({in_channels}, {out_channels}, kernel_size={kernel_size}, stride={stride}[, padding={padding}][, "
     "dilation={dilation}][, output_padding={output_padding}][, groups={groups}][, bias={bias}][, "
     "padding_mode={padding_mode}])"},
    {"CosineEmbeddingLoss", "(margin={margin})"},
    {"CosineSimilarity", "(dim={dim}, eps={eps})"},
    {"CrossMapLRN", "({size}, alpha={alpha}, beta={beta}, k={k})"},
    {"Dropout", "(p={p}, inplace={inplace})"},
    {"ELU", "(alpha={alpha}[, inplace={inplace}])"},
    {"Embedding",
     "(num_embeddings={num_embeddings}, embedding_dim={embedding_dim}[, padding_idx={padding_idx}][, "
     "max_norm={max_norm}][, norm_type={norm_type}][, scale_grad_by_freq={scale_grad_by_freq}][, sparse={sparse}])"},
    {"EmbeddingBag",
     "(num_embeddings={num_embeddings}, embedding_dim={embedding_dim}[, max_norm={max_norm}][, "
     "norm_type={norm_type}][, scale_grad_by_freq={scale_grad_by_freq}][, sparse={sparse}][, mode={mode}][, "
     "include_last_offset={include_last_offset}][, padding_idx={padding_idx}])"},
    {"FeatureAlphaDropout", "(p={p}, inplace={inplace})"},
    {"Flatten", "(start_dim={start_dim}, end_dim={end_dim})"},
    {"Fold",
     "(output_size={output_size}, kernel_size={kernel_size}, dilation={dilation}, padding={padding}, "
     "stride={stride})"},
    {"GLU", "(dim={dim})"},
    {"GRU",
     "(input_size={input_size}, hidden_size={hidden_size}, num_layers={num_layers}, bias={bias}, "
     "batch_first={batch_first}, dropout={dropout}, bidirectional={bidirectional})"},
    {"GRUCell", "({input_size}, {hidden_size}[, bias={bias}])"},
    {"GroupNorm", "({num_groups}, {num_channels}, eps={eps}, affine={affine})"},
    {"Hardshrink", "({lambda})"},
    {"Hardsigmoid", "([inplace={inplace}])"},
    {"Hardswish", "([inplace={inplace}])"},
    {"Hardtanh", "(min_val={min_val}, max_val={max_val}[, inplace={inplace}])"},
    {"HingeEmbeddingLoss", "(margin={margin})"},
    {"HuberLoss", ""},
    {"InstanceNorm",
     "({num_features}, eps={eps}, momentum={momentum}, affine={affine}, track_running_stats={track_running_stats})"},
    {"LPPool", "(norm_type={norm_type}, kernel_size={kernel_size}, stride={stride}, ceil_mode={ceil_mode})"},
    {"LSTM",
     "(input_size={input_size}, hidden_size={hidden_size}, num_layers={num_layers}, bias={bias}, "
     "batch_first={batch_first}, dropout={dropout}, bidirectional={bidirectional}[, proj_size={proj_size}])"},
    {"LSTMCell", "({input_size}, {hidden_size}[, bias={bias}])"},
    {"LayerNorm", "({normalized_shape}, eps={eps}, elementwise_affine={elementwise_affine})"},
    {"LeakyReLU", "(negative_slope={negative_slope}[, inplace={inplace}])"},
    {"Linear", "(in_features={in_features}, out_features={out_features}, bias={bias})"},
    {"LocalResponseNorm", "({size}, alpha={alpha}, beta={beta}, k={k})"},
    {"LogSoftmax", "(dim={dim})"},
    {"MaxPool",
     "(kernel_size={kernel_size}, stride={stride}, padding={padding}, dilation={dilation}, ceil_mode={ceil_mode})"},
    {"MaxUnpool", "(kernel_size={kernel_size}, stride={stride}, padding={padding})"},
    {"MultiMarginLoss", "(p={p}, margin={margin}, weight={weight}, reduction={reduction})"},
    {"PReLU", "(num_parameters={num_parameters})"},
    {"PairwiseDistance", "(p={p}, eps={eps}, keepdim={keepdim})"},
    {"PixelShuffle", "(upscale_factor={upscale_factor})"},
    {"PixelUnshuffle", "(downscale_factor={downscale_factor})"},
    {"RMSNorm", "({normalized_shape}, elementwise_affine={elementwise_affine})"},
    {"RNN",
     "(input_size={input_size}, hidden_size={hidden_size}, num_layers={num_layers}, bias={bias}, "
     "batch_first={batch_first}, dropout={dropout}, bidirectional={bidirectional})"},
    {"RNNCell", "({input_size}, {hidden_size}[, bias={bias}][, nonlinearity={nonlinearity}])"},
    {"RReLU", "(lower={lower}, upper={upper}[, inplace={inplace}])"},
    {"ReLU", "([inplace={inplace}])"},
    {"ReLU6", "([inplace={inplace}])"},
    {"ReflectionPad", "(padding={padding})"},
    {"ReplicationPad", "(padding={padding})"},
    {"SELU", "([inplace={inplace}])"},
    {"SmoothL1Loss", ""},
    {"Softmax", "(dim={dim})"},
    {"Softmax2d", "()"},
    {"Softmin", "(dim={dim})"},
    {"Softplus", "(beta={beta}, threshold={threshold})"},
    {"Softshrink", "({lambda})"},
    {"SyncBatchNorm",
     "({num_features}, eps={eps}, momentum={momentum}, affine={affine}, track_running_stats={track_running_stats})"},
    {"Threshold", "(threshold={threshold}, value={value}[, inplace={inplace}])"},
    {"TripletMarginLoss", "(margin={margin}, p={p}, eps={eps}, swap={swap})"},
    {"Unflatten", "(dim={dim}, unflattened_size={{sizes}})"},
    {"Unfold", "(kernel_size={kernel_size}, dilation={dilation}, padding={padding}, stride={stride})"},
    {"Upsample", "([scale_factor={scale_factor}, ][size={size}, ]mode={mode})"},
    {"ZeroPad", "(padding={padding})"},
};

std::string_view format_of(std::string_view layer) {
    if (const auto found = kFormats.find(layer); found != kFormats.end()) return found->second;
    const bool has_dimensions =
        layer.size() > 2 && layer.ends_with('d') && layer[layer.size() - 2] >= '1' && layer[layer.size() - 2] <= '3';
    const auto found = has_dimensions ? kFormats.find(layer.substr(0, layer.size() - 2)) : kFormats.end();
    return found == kFormats.end() ? "()" : found->second;
}

const Option& option_named(std::string_view name, std::string_view layer, const std::vector<Option>& options) {
    const auto found =
        std::find_if(options.begin(), options.end(), [&](const Option& option) { return option.name == name; });
    if (found == options.end())
        throw Error(ErrorKind::Internal, concat(std::string(layer), " has no option ", std::string(name)));
    return *found;
}

std::string text_statement(std::string_view text) {
    return text.empty() ? "" : concat("    out << \"", std::string(text), "\";\n");
}

// The statements of a format; `used` gets the options that it names.
std::string statements_of(std::string_view format, std::string_view layer, const std::vector<Option>& options,
                          std::vector<const Option*>& used) {
    std::string out;
    while (!format.empty()) {
        const std::size_t at = format.find_first_of("{[");
        out += text_statement(format.substr(0, at));
        if (at == format.npos) break;
        format.remove_prefix(at);
        if (format[0] == '[') {
            const std::size_t end = format.find(']');
            std::vector<const Option*> inner;
            const std::string body = statements_of(format.substr(1, end - 1), layer, options, inner);
            const Option& option = *inner.at(0);
            const std::string value = concat("options.", option.name, "()");
            const std::string other =
                option.initial.empty() ? value + ".has_value()" : concat("differs(", value, ", ", option.initial, ")");
            out += concat("    if (", other, ") {\n", body, "    }\n");
            format.remove_prefix(end + 1);
            continue;
        }
        const bool is_braced = format.starts_with("{{");
        const std::size_t end = format.find('}');
        const std::size_t begin = is_braced ? 2 : 1;
        const Option& option = option_named(format.substr(begin, end - begin), layer, options);
        used.push_back(&option);
        out += concat("    ", is_braced ? "print_braced" : "print_option", "(out, options.", option.name, "());\n");
        format.remove_prefix(end + begin);
    }
    return out;
}

}  // namespace

std::string print_statements(std::string_view layer, const std::vector<Option>& options) {
    std::vector<const Option*> used;
    return concat(text_statement(concat("torch::nn::", std::string(layer))),
                  statements_of(format_of(layer), layer, options, used));
}

}  // namespace loupe::torch_api
