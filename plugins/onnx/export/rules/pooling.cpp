// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "core/base/error.h"
#include "core/dispatch/functions.h"
#include "plugins/onnx/export/rules.h"

namespace loupe::onnx_export {
namespace {

using Ints = std::vector<std::int64_t>;

struct Window {
    std::size_t dims = 2;
    Ints kernel;
    Ints stride;
    Ints padding;
    Ints dilation;
    bool rounds_up = false;
};

Ints spread(Ints values, std::size_t dims, std::int64_t otherwise) {
    if (values.empty()) values.push_back(otherwise);
    if (values.size() == 1) values.resize(dims, values[0]);
    return values;
}

Window window_of(Call& c, std::size_t dims) {
    Window window;
    window.dims = dims;
    window.kernel = spread(c.ints("kernel_size"), dims, 1);
    window.stride = c.ints_or("stride", {});
    window.stride = window.stride.empty() ? window.kernel : spread(window.stride, dims, 1);
    window.padding = spread(c.ints_or("padding", {}), dims, 0);
    window.dilation = spread(c.ints_or("dilation", {}), dims, 1);
    window.rounds_up = c.has("ceil_mode") && c.flag("ceil_mode");
    return window;
}

// How far the last windows reach over the end when sizes are rounded up. PyTorch drops a window that begins in the
// padding, ONNX does not: pads that say it are the same to both.
Ints overhang(const Window& window, const OnnxValue& x) {
    Ints extra(window.dims, 0);
    if (!window.rounds_up) return extra;
    for (std::size_t d = 0; d < window.dims; ++d) {
        const std::int64_t size = (*x.sizes)[x.sizes->size() - window.dims + d];
        if (size < 0) unsupported("pooling that rounds sizes up, of sizes that differ between runs");
        const std::int64_t reach = window.dilation[d] * (window.kernel[d] - 1) + 1;
        const std::int64_t room = size + 2 * window.padding[d] - reach;
        std::int64_t count = (room + window.stride[d] - 1) / window.stride[d] + 1;
        if ((count - 1) * window.stride[d] >= size + window.padding[d]) --count;
        extra[d] = std::max<std::int64_t>(0, (count - 1) * window.stride[d] - room);
    }
    return extra;
}

Ints pads_of(const Window& window, const Ints& extra) {
    Ints pads = window.padding;
    for (std::size_t d = 0; d < window.dims; ++d) pads.push_back(window.padding[d] + extra[d]);
    return pads;
}

// Calls write with a batch and channels before the window's dimensions, and takes away again what was added.
template <typename Write>
OnnxValue with_batch(Call& c, const OnnxValue& x, std::size_t dims, const Write& write) {
    if (c.b.rank(x) != static_cast<std::int64_t>(dims) + 1) return write(x);
    OnnxValue y = write(c.b.unsqueeze(x, {0}));
    y.sizes = Dims(dims + 2, -1);
    (*y.sizes)[0] = 1;
    return c.b.squeeze(y, std::array<std::int64_t, 1>{0});
}

template <std::size_t kDims>
RuleResults max_pool(Call& c) {
    const OnnxValue x = c.tensor("self");
    const Window window = window_of(c, kDims);
    return with_batch(c, x, kDims, [&](const OnnxValue& batch) {
        return c.b.emit("MaxPool", {batch},
                        {{"ceil_mode", std::int64_t{0}},
                         {"dilations", window.dilation},
                         {"kernel_shape", window.kernel},
                         {"pads", pads_of(window, overhang(window, batch))},
                         {"strides", window.stride}},
                        batch.dtype);
    });
}

// ONNX's indices count through the whole tensor, PyTorch's through one channel.
template <std::size_t kDims>
RuleResults max_pool_with_indices(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const Window window = window_of(c, kDims);
    if (b.rank(x) != static_cast<std::int64_t>(kDims) + 2) unsupported("pooling with indices, without a batch");
    const OnnxValues both = b.emit_many("MaxPool", {x},
                                        {{"ceil_mode", std::int64_t{0}},
                                         {"dilations", window.dilation},
                                         {"kernel_shape", window.kernel},
                                         {"pads", pads_of(window, overhang(window, x))},
                                         {"strides", window.stride}},
                                        {x.dtype, ScalarType::Int64});
    OnnxValue area = b.ints({1});
    for (std::size_t d = 0; d < kDims; ++d) area = b.binary("Mul", area, b.size(x, static_cast<std::int64_t>(d + 2)));
    return RuleResults::several({both[0], b.binary("Mod", both[1], area)});
}

OnnxValue average(Call& c, const OnnxValue& x, const Window& window, const Ints& pads, bool counts_padding) {
    return c.b.emit("AveragePool", {x},
                    {{"ceil_mode", std::int64_t{0}},
                     {"count_include_pad", std::int64_t{counts_padding ? 1 : 0}},
                     {"kernel_shape", window.kernel},
                     {"pads", pads},
                     {"strides", window.stride}},
                    x.dtype);
}

// Zeros around the last dimensions.
OnnxValue zero_padded(Call& c, const OnnxValue& x, const Window& window) {
    if (std::all_of(window.padding.begin(), window.padding.end(), [](std::int64_t p) { return p == 0; })) return x;
    Ints pads(window.dims + 2, 0);
    std::copy(window.padding.begin(), window.padding.end(), pads.begin() + 2);
    const Ints begins = pads;
    pads.insert(pads.end(), begins.begin(), begins.end());
    OnnxValue padded = c.b.emit("Pad", {x, c.b.ints(IntSpan(pads))}, {}, x.dtype, x.sizes);
    for (std::size_t d = 0; d < window.dims; ++d) {
        std::int64_t& size = (*padded.sizes)[d + 2];
        if (size >= 0) size += 2 * window.padding[d];
    }
    return padded;
}

template <std::size_t kDims>
RuleResults avg_pool(Call& c) {
    const OnnxValue x = c.tensor("self");
    const Window window = window_of(c, kDims);
    return with_batch(c, x, kDims, [&](const OnnxValue& batch) {
        const Ints extra = overhang(window, batch);
        const bool rounds = std::any_of(extra.begin(), extra.end(), [](std::int64_t e) { return e > 0; });
        const bool counts = c.flag("count_include_pad");
        if (c.has("divisor_override")) {
            // The sum, whatever is counted.
            const std::int64_t area =
                std::accumulate(window.kernel.begin(), window.kernel.end(), std::int64_t{1}, std::multiplies<>());
            const OnnxValue mean = average(c, batch, window, pads_of(window, extra), true);
            const double factor = static_cast<double>(area) / static_cast<double>(c.integer("divisor_override"));
            return c.b.binary("Mul", mean, c.b.number(factor, batch.dtype));
        }
        if (!counts || !rounds) return average(c, batch, window, pads_of(window, extra), counts);
        // The padding counts, the overhang does not.
        Window bare = window;
        bare.padding.assign(kDims, 0);
        return average(c, zero_padded(c, batch, window), bare, pads_of(bare, extra), false);
    });
}

// Of output i: inputs from floor(i in / out) to ceil((i + 1) in / out).
Tensor averaging_matrix(std::int64_t in, std::int64_t out, ScalarType dtype) {
    Tensor matrix = zeros(IntSpan(std::array<std::int64_t, 2>{in, out}), ScalarType::Float64);
    for (std::int64_t i = 0; i < out; ++i) {
        const std::int64_t begin = i * in / out;
        const std::int64_t end = ((i + 1) * in + out - 1) / out;
        for (std::int64_t at = begin; at < end; ++at)
            matrix.data<double>()[at * out + i] = 1.0 / static_cast<double>(end - begin);
    }
    static const OperatorHandle<> to("aten::to.dtype");
    return to(matrix, static_cast<std::int64_t>(dtype), false, false, IValue());
}

// The sizes to come to; None keeps a size.
Ints target_of(Call& c, const OnnxValue& x, std::size_t dims) {
    const Operand& list = c.operand("output_size");
    Ints target;
    if (!list.is_list()) return spread(c.ints("output_size"), dims, 1);
    for (std::size_t d = 0; d < list.list->elements.size(); ++d) {
        const Operand& each = list.list->elements[d];
        if (each.kind != Operand::Kind::Constant)
            c.unsupported_argument("output_size", "that is computed by the model");
        target.push_back(each.constant.is_none() ? (*x.sizes)[x.sizes->size() - dims + d] : each.constant.to_int());
    }
    return spread(target, dims, 1);
}

bool is_even(const OnnxValue& x, const Ints& target) {
    for (std::size_t d = 0; d < target.size(); ++d) {
        const std::int64_t size = (*x.sizes)[x.sizes->size() - target.size() + d];
        if (size < 0 || target[d] <= 0 || size % target[d] != 0) return false;
    }
    return true;
}

Window even_window(const OnnxValue& x, const Ints& target) {
    Window window;
    window.dims = target.size();
    for (std::size_t d = 0; d < target.size(); ++d)
        window.kernel.push_back((*x.sizes)[x.sizes->size() - target.size() + d] / target[d]);
    window.stride = window.kernel;
    window.padding.assign(window.dims, 0);
    window.dilation.assign(window.dims, 1);
    return window;
}

template <std::size_t kDims>
RuleResults adaptive_avg_pool(Call& c) {
    Builder& b = c.b;
    const OnnxValue x = c.tensor("self");
    const Ints target = target_of(c, x, kDims);
    if (std::all_of(target.begin(), target.end(), [](std::int64_t size) { return size == 1; })) {
        if (b.rank(x) == static_cast<std::int64_t>(kDims) + 2) return b.emit("GlobalAveragePool", {x}, {}, x.dtype);
        Ints axes(kDims);
        std::iota(axes.begin(), axes.end(), b.rank(x) - static_cast<std::int64_t>(kDims));
        return b.reduce("ReduceMean", x, axes, true);
    }
    if (is_even(x, target)) {
        const Window window = even_window(x, target);
        return with_batch(c, x, kDims,
                          [&](const OnnxValue& batch) { return average(c, batch, window, Ints(2 * kDims, 0), false); });
    }
    OnnxValue y = x;
    for (std::size_t d = 0; d < kDims; ++d) {
        const std::int64_t axis = b.rank(x) - static_cast<std::int64_t>(kDims - d);
        const std::int64_t size = (*x.sizes)[static_cast<std::size_t>(axis)];
        if (size < 0) unsupported("adaptive pooling of sizes that differ between runs");
        const OnnxValue last = b.swap(y, axis, -1);
        OnnxValue pooled =
            b.emit("MatMul", {last, b.constant(averaging_matrix(size, target[d], x.dtype))}, {}, x.dtype, last.sizes);
        if (pooled.sizes) pooled.sizes->back() = target[d];
        y = b.swap(pooled, axis, -1);
    }
    return y;
}

template <std::size_t kDims>
RuleResults adaptive_max_pool(Call& c) {
    const OnnxValue x = c.tensor("self");
    const Ints target = target_of(c, x, kDims);
    Builder& b = c.b;
    if (is_even(x, target)) {
        const Window window = even_window(x, target);
        return with_batch(c, x, kDims, [&](const OnnxValue& batch) {
            return b.emit("MaxPool", {batch}, {{"kernel_shape", window.kernel}, {"strides", window.stride}},
                          batch.dtype);
        });
    }
    OnnxValue y = x;
    for (std::size_t d = 0; d < kDims; ++d) {
        const std::int64_t axis = b.rank(x) - static_cast<std::int64_t>(kDims - d);
        const std::int64_t size = (*x.sizes)[static_cast<std::size_t>(axis)];
        if (size < 0) unsupported("adaptive pooling of sizes that differ between runs");
        OnnxValues parts;
        for (std::int64_t i = 0; i < target[d]; ++i) {
            const std::int64_t end = ((i + 1) * size + target[d] - 1) / target[d];
            const std::array<std::int64_t, 1> axes{axis};
            parts.push_back(b.reduce("ReduceMax", b.slice(y, axis, i * size / target[d], end), axes, true));
        }
        y = b.joined(parts, axis);
    }
    return y;
}

const Rule kRules[] = {
    {"aten::max_pool1d", max_pool<1>},
    {"aten::max_pool2d", max_pool<2>},
    {"aten::max_pool3d", max_pool<3>},
    {"aten::max_pool1d_with_indices", max_pool_with_indices<1>},
    {"aten::max_pool2d_with_indices", max_pool_with_indices<2>},
    {"aten::max_pool3d_with_indices", max_pool_with_indices<3>},
    {"aten::avg_pool1d", avg_pool<1>},
    {"aten::avg_pool2d", avg_pool<2>},
    {"aten::avg_pool3d", avg_pool<3>},
    {"aten::adaptive_avg_pool1d", adaptive_avg_pool<1>},
    {"aten::adaptive_avg_pool2d", adaptive_avg_pool<2>},
    {"aten::_adaptive_avg_pool2d", adaptive_avg_pool<2>},
    {"aten::adaptive_avg_pool3d", adaptive_avg_pool<3>},
    {"aten::_adaptive_avg_pool3d", adaptive_avg_pool<3>},
    {"aten::adaptive_max_pool1d", adaptive_max_pool<1>},
    {"aten::adaptive_max_pool2d", adaptive_max_pool<2>},
    {"aten::adaptive_max_pool3d", adaptive_max_pool<3>},
};

}  // namespace

std::span<const Rule> pooling_rules() { return kRules; }

}  // namespace loupe::onnx_export
