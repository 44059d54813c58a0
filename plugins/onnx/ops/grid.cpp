// SPDX-License-Identifier: Apache-2.0
// Sampling at places of a grid, and images from columns.
#include <utility>

#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

// The grid with the elements nearest to its places, halves to even ones; of corners that are not aligned.
Tensor at_nearest(const Tensor& grid, const Tensor& x) {
    std::vector<double> spatial;
    for (std::int64_t d = x.dim() - 1; d >= 2; --d) spatial.push_back(static_cast<double>(x.size(d)));
    const Dims line{static_cast<std::int64_t>(spatial.size())};
    const Tensor sizes = cast(tensor_of(std::span<const double>(spatial), span_of(line)), grid.dtype());
    const Tensor one = like_number(grid, 1), two = like_number(grid, 2);
    const Tensor places = fn::div(fn::sub(fn::mul(fn::add(grid, one), sizes), one), two);
    return fn::sub(fn::div(fn::add(fn::mul(fn::round(places), two), one), sizes), one);
}

Tensor grid_sample(const Tensor& x, const Tensor& grid, std::int64_t align_corners, std::string_view mode,
                   std::string_view padding_mode) {
    const std::int64_t how = mode == "linear" || mode == "bilinear" ? 0
                             : mode == "nearest"                    ? 1
                             : mode == "cubic" || mode == "bicubic" ? 2
                                                                    : -1;
    const std::int64_t edge = padding_mode == "zeros"        ? 0
                              : padding_mode == "border"     ? 1
                              : padding_mode == "reflection" ? 2
                                                             : -1;
    require(how >= 0, "no mode ", mode);
    require(edge >= 0, "no padding_mode ", padding_mode);
    Tensor places = cast(grid, x.dtype());
    // PyTorch reflects before it rounds, which takes the other of two elements that are equally near.
    const bool is_exact = element_size(places.dtype()) >= 4;
    if (how == 1 && edge == 2 && align_corners == 0 && is_exact) places = at_nearest(places, x);
    return call_one("aten::grid_sampler", {x, places, how, edge, align_corners != 0});
}

Tensor affine_grid(const Tensor& theta, const Tensor& size, std::int64_t align_corners) {
    return call_one("aten::affine_grid_generator", {theta, whole_numbers(size), align_corners != 0});
}

constexpr std::int64_t kMostNumber = 1 << 30;

struct Blocks {
    Dims image, block, strides, dilations, begins, ends;

    // With its pads.
    std::int64_t padded(std::size_t d) const { return image[d] + begins[d] + ends[d]; }
};

// Where each element of each block lies in the padded image: the kernel's places in order, for each those of the
// blocks. x: [batch, channels x kernel, blocks].
Tensor places_of(const Blocks& b, const Tensor& x) {
    Tensor places = scalar_tensor(Scalar(0), ScalarType::Int64);
    std::int64_t kernel = 1, blocks = 1;
    for (std::size_t d = 0; d < b.image.size(); ++d) {
        const std::int64_t space = b.padded(d) - b.dilations[d] * (b.block[d] - 1) - 1;
        require(b.block[d] > 0 && b.strides[d] > 0 && b.dilations[d] > 0 && space >= 0, "blocks of ", b.block[d],
                " elements do not fit into ", b.padded(d));
        const std::int64_t count = space / b.strides[d] + 1;
        require(kernel * b.block[d] <= x.size(1) && blocks * count <= x.size(2), "more blocks than ", describe(x),
                " has");
        Dims at;
        for (std::int64_t k = 0; k < b.block[d]; ++k) {
            for (std::int64_t i = 0; i < count; ++i) at.push_back(i * b.strides[d] + k * b.dilations[d]);
        }
        const Tensor along = fn::reshape(index_tensor(span_of(at)), Dims{1, b.block[d], 1, count});
        const Tensor before = fn::mul_scalar(fn::reshape(places, Dims{kernel, 1, blocks, 1}), Scalar(b.padded(d)));
        kernel *= b.block[d];
        blocks *= count;
        places = fn::reshape(fn::add(before, along), Dims{kernel, blocks});
    }
    return places;
}

// Any number of dimensions.
Tensor summed_blocks(const Tensor& x, const Blocks& b) {
    require(x.dim() == 3, "expected columns, not ", describe(x));
    const Tensor places = places_of(b, x);
    require(x.size(1) % places.size(0) == 0 && x.size(2) == places.size(1), "columns of ", places.size(0), " x ",
            places.size(1), " elements are expected, not ", describe(x));
    Dims sizes{x.size(0), x.size(1) / places.size(0)};
    std::int64_t elements = 1;
    for (std::size_t d = 0; d < b.image.size(); ++d) {
        sizes.push_back(b.padded(d));
        elements *= b.padded(d);
    }
    const Tensor zeros = cast(fn::full(Dims{sizes[0], sizes[1], elements}, Scalar(0.0)), x.dtype());
    const Tensor columns = fn::reshape(x, Dims{sizes[0], sizes[1], places.numel()});
    return fn::reshape(fn::index_add(zeros, 2, fn::reshape(places, Dims{-1}), columns, Scalar(1)), sizes);
}

// Lines and images; a line is an image of one row.
Tensor summed_in_image(const Tensor& x, const Blocks& b) {
    const bool is_line = b.image.size() == 1;
    const auto lifted = [&](const Dims& dims) { return is_line ? Dims{1, dims[0]} : dims; };
    const Dims larger = is_line ? Dims{1, b.padded(0)} : Dims{b.padded(0), b.padded(1)};
    const Tensor out =
        call_one("aten::col2im", {x, larger, lifted(b.block), lifted(b.dilations), Dims{0, 0}, lifted(b.strides)});
    return is_line ? fn::squeeze(out, 2) : out;
}

// Pads are made of a larger image that is cut.
Tensor col2im(const Tensor& x, const Tensor& image_shape, const Tensor& block_shape,
              const std::optional<Dims>& dilations, const std::optional<Dims>& pads,
              const std::optional<Dims>& strides) {
    const Dims image = whole_numbers(image_shape), block = whole_numbers(block_shape);
    const std::size_t count = image.size();
    const Dims pad = or_filled(pads, 2 * count, 0);
    Blocks b{image, block, or_filled(strides, count, 1), or_filled(dilations, count, 1), {}, {}};
    require(count > 0 && block.size() == count && b.strides.size() == count && b.dilations.size() == count &&
                pad.size() == 2 * count,
            "block_shape, strides, dilations or pads have other lengths than image_shape");
    for (const Dims* each : {&image, &block, &pad, &std::as_const(b.strides), &std::as_const(b.dilations)}) {
        for (const std::int64_t value : *each) require(value >= 0 && value < kMostNumber, "a shape or pad of ", value);
    }
    b.begins.assign(pad.begin(), pad.begin() + static_cast<std::ptrdiff_t>(count));
    b.ends.assign(pad.begin() + static_cast<std::ptrdiff_t>(count), pad.end());
    Tensor out = count <= 2 ? summed_in_image(x, b) : summed_blocks(x, b);
    for (std::size_t d = 0; d < count; ++d) {
        if (b.padded(d) != image[d]) out = fn::narrow(out, static_cast<std::int64_t>(d) + 2, b.begins[d], image[d]);
    }
    return out;
}

constexpr OperatorRecord kRecords[] = {
    made_of("onnx::GridSample(Tensor X, Tensor grid, *, int align_corners=0, str mode=\"bilinear\", str "
            "padding_mode=\"zeros\") -> Tensor",
            "The input at places of a grid.", boxed<grid_sample>),
    reading("onnx::AffineGrid(Tensor theta, Tensor size, *, int align_corners=0) -> Tensor",
            "The grid of an affine map.", boxed<affine_grid>),
    reading("onnx::Col2Im(Tensor input, Tensor image_shape, Tensor block_shape, *, int[]? dilations=None, int[]? "
            "pads=None, int[]? strides=None) -> Tensor",
            "Blocks added up to an image.", boxed<col2im>),
};

}  // namespace

std::span<const OperatorRecord> grid_records() { return kRecords; }

}  // namespace loupe::onnx
