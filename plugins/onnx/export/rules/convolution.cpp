// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "core/base/error.h"
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

using Ints = std::vector<std::int64_t>;

struct Window {
    std::size_t dims = 2;
    Ints stride;
    Ints padding;
    Ints dilation;
    Ints output_padding;
    std::int64_t groups = 1;
    bool is_transposed = false;
};

Ints spread(Ints values, std::size_t dims, std::int64_t otherwise) {
    if (values.empty()) values.push_back(otherwise);
    if (values.size() == 1) values.resize(dims, values[0]);
    return values;
}

// PyTorch's padding goes to both sides; ONNX names the begins, then the ends.
Ints both_sides(const Ints& padding) {
    Ints pads = padding;
    pads.insert(pads.end(), padding.begin(), padding.end());
    return pads;
}

// "same": the odd one goes to the end.
Ints pads_of_text(const std::string& text, const OnnxValue& weight, const Window& window) {
    Ints pads(window.dims * 2, 0);
    if (text != "same") return pads;
    for (std::size_t d = 0; d < window.dims; ++d) {
        const std::int64_t total = window.dilation[d] * ((*weight.sizes)[d + 2] - 1);
        pads[d] = total / 2;
        pads[d + window.dims] = total - total / 2;
    }
    return pads;
}

RuleResults write(Call& c, const Window& window, const Ints& pads) {
    Builder& b = c.b;
    OnnxValue x = c.tensor("input");
    const OnnxValue weight = c.tensor("weight");
    const OnnxValue bias = c.tensor("bias");
    // Below PyTorch's batch there may be none.
    const bool has_batch = b.rank(x) == static_cast<std::int64_t>(window.dims) + 2;
    if (!has_batch) x = b.unsqueeze(x, {0});
    const bool is_static = weight.is_static();
    Attributes attributes{{"dilations", window.dilation}, {"group", window.groups}};
    if (is_static) attributes.push_back({"kernel_shape", Ints(weight.sizes->begin() + 2, weight.sizes->end())});
    attributes.push_back({"pads", pads});
    attributes.push_back({"strides", window.stride});
    if (window.is_transposed) attributes.push_back({"output_padding", window.output_padding});
    OnnxValue y =
        b.emit(window.is_transposed ? "ConvTranspose" : "Conv", {x, weight, bias}, std::move(attributes), x.dtype);
    if (has_batch) return y;
    y.sizes = Dims(window.dims + 2, -1);
    (*y.sizes)[0] = 1;
    return b.squeeze(y, std::array<std::int64_t, 1>{0});
}

Window window_of(Call& c, std::size_t dims) {
    Window window;
    window.dims = dims;
    window.stride = spread(c.ints("stride"), dims, 1);
    window.dilation = spread(c.ints("dilation"), dims, 1);
    window.groups = c.integer("groups");
    window.output_padding = spread(c.ints_or("output_padding", {}), dims, 0);
    return window;
}

template <std::size_t kDims>
RuleResults conv(Call& c) {
    const Window window = window_of(c, kDims);
    const Operand& padding = c.operand("padding");
    if (padding.kind == Operand::Kind::Constant && padding.constant.is_string())
        return write(c, window, pads_of_text(padding.constant.to_string(), c.tensor("weight"), window));
    return write(c, window, both_sides(spread(c.ints("padding"), kDims, 0)));
}

template <std::size_t kDims>
RuleResults conv_transpose(Call& c) {
    Window window = window_of(c, kDims);
    window.is_transposed = true;
    return write(c, window, both_sides(spread(c.ints("padding"), kDims, 0)));
}

RuleResults convolution(Call& c) {
    const auto dims = static_cast<std::size_t>(c.b.rank(c.tensor("weight")) - 2);
    Window window = window_of(c, dims);
    window.is_transposed = c.flag("transposed");
    return write(c, window, both_sides(spread(c.ints("padding"), dims, 0)));
}

const Rule kRules[] = {
    {"aten::conv1d", conv<1>},
    {"aten::conv2d", conv<2>},
    {"aten::conv3d", conv<3>},
    {"aten::conv_transpose1d", conv_transpose<1>},
    {"aten::conv_transpose2d", conv_transpose<2>},
    {"aten::conv_transpose3d", conv_transpose<3>},
    {"aten::convolution", convolution},
    {"aten::_convolution", convolution},
};

}  // namespace

std::span<const Rule> convolution_rules() { return kRules; }

}  // namespace loupe::onnx_export
