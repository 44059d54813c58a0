// SPDX-License-Identifier: Apache-2.0
// Sampling at places of a grid, and images from columns.
#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

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
    return call_one("aten::grid_sampler", {x, cast(grid, x.dtype()), how, edge, align_corners != 0});
}

Tensor affine_grid(const Tensor& theta, const Tensor& size, std::int64_t align_corners) {
    return call_one("aten::affine_grid_generator", {theta, whole_numbers(size), align_corners != 0});
}

Tensor col2im(const Tensor& x, const Tensor& image_shape, const Tensor& block_shape,
              const std::optional<Dims>& dilations, const std::optional<Dims>& pads,
              const std::optional<Dims>& strides) {
    const Dims image = whole_numbers(image_shape), block = whole_numbers(block_shape);
    require(image.size() == block.size() && image.size() <= 2 && !image.empty(), "columns of ", image.size(),
            " dimensions as an image: 1 and 2 are there");
    const Dims step = or_filled(strides, image.size(), 1), apart = or_filled(dilations, image.size(), 1);
    const Dims pad = or_filled(pads, 2 * image.size(), 0);
    require(step.size() == image.size() && apart.size() == image.size() && pad.size() == 2 * image.size(),
            "strides, dilations or pads have other lengths than image_shape");
    // A line is an image of one row. Pads are made of a larger image that is cut.
    const bool is_line = image.size() == 1;
    const auto lifted = [&](const Dims& dims, std::int64_t first) { return is_line ? Dims{first, dims[0]} : dims; };
    Dims begins(pad.begin(), pad.begin() + static_cast<std::ptrdiff_t>(image.size()));
    Dims ends(pad.begin() + static_cast<std::ptrdiff_t>(image.size()), pad.end());
    begins = lifted(begins, 0);
    ends = lifted(ends, 0);
    const Dims whole = lifted(image, 1);
    const Dims larger{whole[0] + begins[0] + ends[0], whole[1] + begins[1] + ends[1]};
    Tensor out = call_one("aten::col2im", {x, larger, lifted(block, 1), lifted(apart, 1), Dims{0, 0}, lifted(step, 1)});
    for (std::int64_t d = 0; d < 2; ++d) {
        const auto at = static_cast<std::size_t>(d);
        if (larger[at] != whole[at]) out = fn::narrow(out, d + 2, begins[at], whole[at]);
    }
    return is_line ? fn::squeeze(out, 2) : out;
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
