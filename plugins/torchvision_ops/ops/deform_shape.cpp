// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/parallel.h"
#include "plugins/torchvision_ops/ops/deform_conv2d.h"

namespace loupe::torchvision_ops {
namespace {

void require_fact(bool condition, const char* fact) {
    require(condition, "Expected ", fact,
            " to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement "
            "request to "
            "PyTorch.)");
}

void check_ranges(const DeformParameters& p, IntSpan input, IntSpan weight) {
    const Dims parameters{p.stride_h,   p.stride_w,   p.pad_h,  p.pad_w,
                          p.dilation_h, p.dilation_w, p.groups, p.offset_groups};
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    for (const IntSpan values : {span_of(parameters), input, weight}) {
        for (const std::int64_t value : values)
            require(value >= -kMost && value <= kMost, "deform_conv2d: integer out of range");
    }
    require(weight[2] > 0 && weight[3] > 0, "weight_h: ", weight[2], " weight_w: ", weight[3]);
    require(p.stride_h > 0 && p.stride_w > 0, "stride_h: ", p.stride_h, " stride_w: ", p.stride_w);
    require(p.pad_h >= 0 && p.pad_w >= 0, "pad_h: ", p.pad_h, " pad_w: ", p.pad_w);
    require(p.dilation_h > 0 && p.dilation_w > 0, "dilation_h: ", p.dilation_h, " dilation_w: ", p.dilation_w);
    require(p.groups > 0 && p.offset_groups > 0, "deform_conv2d: groups must be positive, but are ", p.groups, " and ",
            p.offset_groups);
}

// How often a kernel fits, as C divides.
std::int64_t fits(std::int64_t size, std::int64_t padding, std::int64_t dilation, std::int64_t kernel,
                  std::int64_t stride) {
    return (size + 2 * padding - (dilation * (kernel - 1) + 1)) / stride + 1;
}

}  // namespace

DeformShape deform_shape(const Tensor& input, const Tensor& weight, const Tensor& offset, const Tensor& mask,
                         const DeformParameters& p) {
    require_fact(input.dim() == 4, "input_c.ndimension() == 4");
    require_fact(offset.dim() == 4, "offset_c.ndimension() == 4");
    require_fact(!p.use_mask || mask.dim() == 4, "!use_mask || mask_c.ndimension() == 4");
    require_fact(weight.dim() == 4, "weight_c.ndimension() == 4");
    check_ranges(p, input.sizes(), weight.sizes());
    DeformShape s{p,
                  input.size(0),
                  input.size(1),
                  input.size(2),
                  input.size(3),
                  weight.size(0),
                  weight.size(2),
                  weight.size(3),
                  0,
                  0};
    s.out_height = fits(s.height, p.pad_h, p.dilation_h, s.kernel_h, p.stride_h);
    s.out_width = fits(s.width, p.pad_w, p.dilation_w, s.kernel_w, p.stride_w);
    require_fact(weight.size(1) * p.groups == s.channels, "weight_c.size(1) * n_weight_grps == input_c.size(1)");
    require_fact(s.out_channels % p.groups == 0, "weight_c.size(0) % n_weight_grps == 0");
    const std::int64_t tap_maps = checked_numel(span_of(Dims{p.offset_groups, s.kernel_h, s.kernel_w}));
    require(offset.size(1) == 2 * tap_maps, "offset.shape[1] is not valid: got: ", offset.size(1),
            " expected: ", 2 * tap_maps);
    require(!p.use_mask || mask.size(1) == tap_maps, "mask.shape[1] is not valid: got: ", p.use_mask ? mask.size(1) : 0,
            " expected: ", tap_maps);
    require_fact(s.channels % p.offset_groups == 0, "input_c.size(1) % n_offset_grps == 0");
    require(offset.size(0) == s.batch, "invalid batch size of offset");
    require(offset.size(2) == s.out_height && offset.size(3) == s.out_width, "offset output dims: (", offset.size(2),
            ", ", offset.size(3), ") - computed output dims: (", s.out_height, ", ", s.out_width, ")");
    require(mask.size(0) == s.batch, "invalid batch size of mask");
    require(!p.use_mask || (mask.size(2) == s.out_height && mask.size(3) == s.out_width), "mask output dims: (",
            p.use_mask ? mask.size(2) : 0, ", ", p.use_mask ? mask.size(3) : 0, ") - computed output dims: (",
            s.out_height, ", ", s.out_width, ")");
    require(s.out_height > 0 && s.out_width > 0, "Calculated output size too small - out_h: ", s.out_height,
            " out_w: ", s.out_width);
    require((s.height + 3) * (s.width + 3) <= std::numeric_limits<std::int32_t>::max(),
            "deform_conv2d: planes of more than 2^31 elements are not supported");
    return s;
}

template <typename T>
void find_places(const DeformShape& s, const T* offset, const T* mask, std::int64_t group, std::int64_t tap,
                 TapPlaces<T>& out) {
    const std::int64_t map = group * s.taps() + tap;
    const T* offset_y = offset + 2 * map * s.places();
    const T* offset_x = offset_y + s.places();
    out.mask = s.use_mask ? mask + map * s.places() : nullptr;
    out.corner.resize(static_cast<std::size_t>(s.places()));
    out.down.resize(out.corner.size());
    out.right.resize(out.corner.size());
    const std::int64_t tap_y = tap / s.kernel_w * s.dilation_h - s.pad_h;
    const std::int64_t tap_x = tap % s.kernel_w * s.dilation_w - s.pad_w;
    std::size_t i = 0;
    for (std::int64_t oy = 0; oy < s.out_height; ++oy) {
        for (std::int64_t ox = 0; ox < s.out_width; ++ox, ++i) {
            const T y = static_cast<T>(oy * s.stride_h + tap_y) + offset_y[i];
            const T x = static_cast<T>(ox * s.stride_w + tap_x) + offset_x[i];
            if (y >= -1 && y < static_cast<T>(s.height) && x >= -1 && x < static_cast<T>(s.width)) {
                const auto top = static_cast<std::int32_t>(y + 1) - 1;  // rounds down from -1 on
                const auto left = static_cast<std::int32_t>(x + 1) - 1;
                out.corner[i] = static_cast<std::int32_t>((top + 2) * s.padded_width() + left + 2);
                out.down[i] = y - static_cast<T>(top);
                out.right[i] = x - static_cast<T>(left);
            } else {
                out.corner[i] = 0;
                out.down[i] = out.right[i] = 0;
            }
        }
    }
}
template void find_places(const DeformShape&, const float*, const float*, std::int64_t, std::int64_t,
                          TapPlaces<float>&);
template void find_places(const DeformShape&, const double*, const double*, std::int64_t, std::int64_t,
                          TapPlaces<double>&);

template <typename T>
void pad_planes(const DeformShape& s, const T* image, T* padded) {
    parallel_for(0, s.channels, std::max<std::int64_t>(1, 32768 / (s.pixels() + 1)),
                 [&](std::int64_t begin, std::int64_t end) {
                     std::fill(padded + begin * s.padded_pixels(), padded + end * s.padded_pixels(), T(0));
                     for (std::int64_t c = begin; c < end; ++c) {
                         T* to = padded + c * s.padded_pixels() + 2 * s.padded_width() + 2;
                         for (std::int64_t y = 0; y < s.height; ++y)
                             std::copy_n(image + c * s.pixels() + y * s.width, s.width, to + y * s.padded_width());
                     }
                 });
}
template void pad_planes(const DeformShape&, const float*, float*);
template void pad_planes(const DeformShape&, const double*, double*);

}  // namespace loupe::torchvision_ops
