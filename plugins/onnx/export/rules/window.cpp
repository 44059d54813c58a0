// SPDX-License-Identifier: Apache-2.0
// Windows that slide over a tensor, side by side.
#include <array>
#include <numeric>

#include "core/base/error.h"
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

using Ints = std::vector<std::int64_t>;

std::int64_t known_size(const OnnxValue& x, std::int64_t axis) {
    const std::int64_t size = (*x.sizes)[static_cast<std::size_t>(axis)];
    if (size < 0) unsupported("windows over a size that differs between runs");
    return size;
}

// Row i: where window i has its elements; or the other way round.
OnnxValue places(Call& c, std::int64_t windows, std::int64_t stride, std::int64_t elements, std::int64_t dilation) {
    Tensor table = empty(IntSpan(std::array<std::int64_t, 2>{windows, elements}), ScalarType::Int64);
    for (std::int64_t i = 0; i < windows; ++i) {
        for (std::int64_t j = 0; j < elements; ++j)
            table.data<std::int64_t>()[i * elements + j] = i * stride + j * dilation;
    }
    return c.b.constant(table);
}

RuleResults unfold(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const std::int64_t dims = b.rank(x);
    if (dims == 0) return b.reshape(x, std::array<std::int64_t, 1>{1});
    const std::int64_t axis = b.axis(x, c.integer("dimension"));
    const std::int64_t size = c.integer("size");
    const std::int64_t step = c.integer("step");
    const std::int64_t windows = (known_size(x, axis) - size) / step + 1;
    const OnnxValue taken = b.gather(x, places(c, windows, step, size, 1), axis);
    // What is in a window goes last.
    Ints order(static_cast<std::size_t>(dims + 1));
    std::iota(order.begin(), order.end(), 0);
    order.erase(order.begin() + axis + 1);
    order.push_back(axis + 1);
    return b.transpose(taken, order);
}

RuleResults im2col(Call& c) {
    Builder& b = c.b;
    OnnxValue x = c.tensor("self");
    const bool has_batch = b.rank(x) == 4;
    if (!has_batch) x = b.unsqueeze(x, {0});
    const Ints kernel = c.ints("kernel_size");
    const Ints dilation = c.ints("dilation");
    const Ints padding = c.ints("padding");
    const Ints stride = c.ints("stride");
    const Ints pads{0, 0, padding[0], padding[1], 0, 0, padding[0], padding[1]};
    OnnxValue y = b.emit("Pad", {x, b.ints(IntSpan(pads))}, {}, x.dtype, x.sizes);
    Ints counts;
    for (std::size_t d = 0; d < 2; ++d) {
        const std::int64_t size = known_size(x, static_cast<std::int64_t>(d + 2)) + 2 * padding[d];
        counts.push_back((size - dilation[d] * (kernel[d] - 1) - 1) / stride[d] + 1);
        // [N, C, kh, oh, W], then [N, C, kh, oh, kw, ow]
        y = b.gather(y, places(c, kernel[d], dilation[d], counts[d], stride[d]), static_cast<std::int64_t>(2 + 2 * d));
    }
    y = b.transpose(y, std::array<std::int64_t, 6>{0, 1, 2, 4, 3, 5});
    const std::int64_t channels = known_size(x, 1);
    const Ints sizes{0, channels * kernel[0] * kernel[1], counts[0] * counts[1]};
    y = b.reshape_keeping(y, sizes, Dims{(*x.sizes)[0], sizes[1], sizes[2]});
    return has_batch ? y : b.squeeze(y, std::array<std::int64_t, 1>{0});
}

RuleResults col2im(Call& c) {
    const Ints padding = c.ints("padding");
    const OnnxValue x = c.tensor("self");
    if (c.b.rank(x) != 3) unsupported("col2im without a batch");
    return c.b.emit("Col2Im", {x, c.dims("output_size"), c.b.ints(IntSpan(c.ints("kernel_size")))},
                    {{"dilations", c.ints("dilation")},
                     {"pads", Ints{padding[0], padding[1], padding[0], padding[1]}},
                     {"strides", c.ints("stride")}},
                    x.dtype);
}

const Rule kRules[] = {
    {"aten::unfold", unfold},
    {"aten::im2col", im2col},
    {"aten::col2im", col2im, 18},
};

}  // namespace

std::span<const Rule> window_rules() { return kRules; }

}  // namespace loupe::onnx_export
