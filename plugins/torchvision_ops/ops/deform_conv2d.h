// SPDX-License-Identifier: Apache-2.0
#pragma once
// The shapes of a deformable convolution, and where its taps read.
// input: [N, C, H, W], weight: [O, C / groups, KH, KW], offset: [N, 2 offset_groups KH KW, OH, OW] (y, then x of each
// tap), mask: [N, offset_groups KH KW, OH, OW].

#include "core/ops/nn/common.h"

namespace loupe::torchvision_ops {

// The numbers among the arguments, in their order.
struct DeformParameters {
    std::int64_t stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups, offset_groups;
    bool use_mask;
};

struct DeformShape : DeformParameters {
    std::int64_t batch, channels, height, width;
    std::int64_t out_channels, kernel_h, kernel_w;
    std::int64_t out_height, out_width;

    std::int64_t taps() const { return kernel_h * kernel_w; }
    std::int64_t places() const { return out_height * out_width; }
    std::int64_t pixels() const { return height * width; }
    std::int64_t offset_channels() const { return channels / offset_groups; }
    // Planes are copied with zeros around them, two places before and one behind, so that no tap needs a test.
    std::int64_t padded_width() const { return width + 3; }
    std::int64_t padded_pixels() const { return (height + 3) * (width + 3); }
};
// Throws torchvision's messages.
DeformShape deform_shape(const Tensor& input, const Tensor& weight, const Tensor& offset, const Tensor& mask,
                         const DeformParameters& parameters);

// The sampling positions of one tap of one offset group, for every place of the result: the upper left of four
// neighbours in the padded plane, and the fractions. Outside the image: among the zeros.
template <typename T>
struct TapPlaces {
    std::vector<std::int32_t> corner;
    std::vector<T> down;  // 0 .. 1
    std::vector<T> right;
    const T* mask = nullptr;  // null: ones
};
// offset, mask: those of one image.
template <typename T>
void find_places(const DeformShape& shape, const T* offset, const T* mask, std::int64_t group, std::int64_t tap,
                 TapPlaces<T>& places);

// [C, H + 3, W + 3] of one image.
template <typename T>
void pad_planes(const DeformShape& shape, const T* image, T* padded);

}  // namespace loupe::torchvision_ops
