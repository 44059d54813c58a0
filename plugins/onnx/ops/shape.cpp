// SPDX-License-Identifier: Apache-2.0
// Sizes, and the same elements under other sizes.
#include <algorithm>

#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

// 0 keeps a dimension, unless zeros are allowed; -1 is what is left.
Tensor reshaped(const Tensor& x, Dims sizes, bool allows_zero) {
    for (std::size_t d = 0; d < sizes.size() && !allows_zero; ++d) {
        if (sizes[d] != 0) continue;
        require(static_cast<std::int64_t>(d) < x.dim(), "0 stands for a dimension that ", describe(x), " lacks");
        sizes[d] = x.size(static_cast<std::int64_t>(d));
    }
    return fn::reshape(x, sizes);
}
Tensor reshape_to(const Tensor& x, const std::optional<Dims>& shape) {
    return reshaped(x, shape.value_or(Dims()), false);
}
Tensor reshape(const Tensor& x, const Tensor& shape, std::int64_t allowzero) {
    return reshaped(x, whole_numbers(shape), allowzero != 0);
}

Tensor shape(const Tensor& x, std::int64_t start, const std::optional<std::int64_t>& end) {
    const std::int64_t rank = x.dim();
    const auto limited = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank); };
    const std::int64_t first = limited(start);
    const std::int64_t last = end ? limited(*end) : rank;
    Dims sizes;
    for (std::int64_t d = first; d < last; ++d) sizes.push_back(x.size(d));
    return index_tensor(span_of(sizes));
}
Tensor plain_shape(const Tensor& x) { return shape(x, 0, std::nullopt); }
Tensor size(const Tensor& x) { return scalar_tensor(Scalar(x.numel()), ScalarType::Int64); }

Tensor squeezed(const Tensor& x, Dims axes) {
    if (axes.empty()) {
        for (std::int64_t d = 0; d < x.dim(); ++d) {
            if (x.size(d) == 1) axes.push_back(d);
        }
    }
    Dims falling = wrapped_axes(axes, x.dim());
    std::sort(falling.rbegin(), falling.rend());
    Tensor out = x;
    for (const std::int64_t axis : falling) {
        require(x.size(axis) == 1, "dimension ", axis, " of ", describe(x), " is no 1");
        out = fn::squeeze(out, axis);
    }
    return falling.empty() ? fn::alias(x) : out;
}
Tensor squeeze_axes(const Tensor& x, const std::optional<Dims>& axes) { return squeezed(x, axes.value_or(Dims())); }
Tensor squeeze(const Tensor& x, const Tensor& axes) {
    return squeezed(x, axes.defined() ? whole_numbers(axes) : Dims());
}

Tensor unsqueezed(const Tensor& x, const Dims& axes) {
    Dims rising = wrapped_axes(axes, x.dim() + static_cast<std::int64_t>(axes.size()));
    std::sort(rising.begin(), rising.end());
    Tensor out = x;
    for (const std::int64_t axis : rising) out = fn::unsqueeze(out, axis);
    return rising.empty() ? fn::alias(x) : out;
}
Tensor unsqueeze_axes(const Tensor& x, const Dims& axes) { return unsqueezed(x, axes); }
Tensor unsqueeze(const Tensor& x, const Tensor& axes) { return unsqueezed(x, whole_numbers(axes)); }

Tensor flatten(const Tensor& x, std::int64_t axis) {
    const std::int64_t from = axis == x.dim() ? axis : wrap_dim(axis, x.dim());
    std::int64_t rows = 1, columns = 1;
    for (std::int64_t d = 0; d < x.dim(); ++d) (d < from ? rows : columns) *= x.size(d);
    return fn::reshape(x, Dims{rows, columns});
}

Tensor transpose(const Tensor& x, const std::optional<Dims>& perm) {
    Dims order = perm.value_or(Dims());
    if (!perm) {
        order = all_axes(x.dim());
        std::reverse(order.begin(), order.end());
    }
    return fn::permute(x, order);
}

// Both ways: dimensions of 1 in the shape keep the input's.
Tensor expand(const Tensor& x, const Tensor& shape_tensor) {
    const Dims sizes = whole_numbers(shape_tensor);
    return fn::expand(x, broadcast_shapes(x.sizes(), span_of(sizes)));
}

Tensor tile(const Tensor& x, const Tensor& repeats) { return call_one("aten::tile", {x, whole_numbers(repeats)}); }

Tensor depth_to_space(const Tensor& x, std::int64_t block, std::string_view mode) {
    require(x.dim() == 4 && block > 0 && block < 1 << 15 && x.size(1) % (block * block) == 0, "blocks of ", block,
            " of ", describe(x));
    const std::int64_t n = x.size(0), c = x.size(1) / (block * block), h = x.size(2), w = x.size(3);
    if (mode == "CRD") return call_one("aten::pixel_shuffle", {x, block});
    require(mode == "DCR", "mode is DCR or CRD");
    const Tensor parts = fn::reshape(x, Dims{n, block, block, c, h, w});
    return fn::reshape(fn::permute(parts, Dims{0, 3, 4, 1, 5, 2}), Dims{n, c, h * block, w * block});
}
Tensor space_to_depth(const Tensor& x, std::int64_t block, std::string_view mode) {
    require(x.dim() == 4 && block > 0 && x.size(2) % block == 0 && x.size(3) % block == 0, "blocks of ", block, " of ",
            describe(x));
    const std::int64_t n = x.size(0), c = x.size(1), h = x.size(2) / block, w = x.size(3) / block;
    const Tensor parts = fn::reshape(x, Dims{n, c, h, block, w, block});
    require(mode == "DCR" || mode == "CRD", "mode is DCR or CRD");
    const Dims order = mode == "DCR" ? Dims{0, 3, 5, 1, 2, 4} : Dims{0, 1, 3, 5, 2, 4};
    return fn::reshape(fn::permute(parts, order), Dims{n, c * block * block, h, w});
}

constexpr OperatorRecord kRecords[] = {
    made_of("onnx::Reshape(Tensor data, *, int[]? shape=None) -> Tensor", "The elements with another shape.",
            boxed<reshape_to>),
    reading("onnx::Reshape.v5(Tensor data, Tensor shape, *, int allowzero=0) -> Tensor",
            "The elements with another shape; 0 keeps a dimension, -1 is what is left.", boxed<reshape>),
    made_of("onnx::Shape(Tensor data) -> Tensor", "The sizes.", boxed<plain_shape>),
    made_of("onnx::Shape.v15(Tensor data, *, int start=0, int? end=None) -> Tensor", "The sizes, or a part of them.",
            boxed<shape>),
    made_of("onnx::Size(Tensor data) -> Tensor", "The number of elements.", boxed<size>),
    made_of("onnx::Squeeze(Tensor data, *, int[]? axes=None) -> Tensor", "Without dimensions of 1.",
            boxed<squeeze_axes>),
    reading("onnx::Squeeze.v13(Tensor data, Tensor? axes=None) -> Tensor", "Without dimensions of 1.", boxed<squeeze>),
    made_of("onnx::Unsqueeze(Tensor data, *, int[] axes) -> Tensor", "With dimensions of 1.", boxed<unsqueeze_axes>),
    reading("onnx::Unsqueeze.v13(Tensor data, Tensor axes) -> Tensor", "With dimensions of 1.", boxed<unsqueeze>),
    made_of("onnx::Flatten(Tensor input, *, int axis=1) -> Tensor",
            "A matrix: dimensions before an axis, and the others.", boxed<flatten>),
    made_of("onnx::Transpose(Tensor data, *, int[]? perm=None) -> Tensor", "Dimensions in another order.",
            boxed<transpose>),
    reading("onnx::Expand(Tensor input, Tensor shape) -> Tensor", "Broadcast to a shape.", boxed<expand>),
    reading("onnx::Tile(Tensor input, Tensor repeats) -> Tensor", "Repeated along each dimension.", boxed<tile>),
    made_of("onnx::DepthToSpace(Tensor input, *, int blocksize, str mode=\"DCR\") -> Tensor",
            "Channels as blocks of the image.", boxed<depth_to_space>),
    made_of("onnx::SpaceToDepth(Tensor input, *, int blocksize, str mode=\"DCR\") -> Tensor",
            "Blocks of the image as channels.", boxed<space_to_depth>),
};

}  // namespace

std::span<const OperatorRecord> shape_records() { return kRecords; }

}  // namespace loupe::onnx
