// SPDX-License-Identifier: Apache-2.0
#pragma once
// Preprocessing of images, on tensors [C, H, W]: torchvision.transforms on tensors.
// Random ones draw from default_generator(), in a worker its own, in torchvision's order.

#include <cstdint>
#include <vector>

#include "core/tensor/tensor.h"

namespace loupe::data {

struct ImageSize {
    std::int64_t height = 0;
    std::int64_t width = 0;
    friend bool operator==(const ImageSize&, const ImageSize&) = default;
};

// The size whose shorter edge is `edge`, the longer in proportion: torchvision.transforms.Resize(edge).
ImageSize with_short_edge(const Tensor& image, std::int64_t edge);
// Bilinear, corners not aligned; uint8 is rounded back. antialias: a wider filter when it gets smaller, as Pillow.
Tensor resize(const Tensor& image, ImageSize size, bool antialias = false);
// Zeros around where the picture is smaller: torchvision.transforms.CenterCrop.
Tensor center_crop(const Tensor& image, ImageSize size);
// After `padding` zeros on each side. Throws Error (Run) when the picture is smaller:
// torchvision.transforms.RandomCrop.
Tensor random_crop(const Tensor& image, ImageSize size, std::int64_t padding = 0);
Tensor random_horizontal_flip(const Tensor& image, double probability = 0.5);
Tensor random_vertical_flip(const Tensor& image, double probability = 0.5);
// uint8 0..255 to float32 0..1: torchvision.transforms.ToTensor.
Tensor to_unit_range(const Tensor& image);
// (x - mean) / std by channel, float32; one value stands for all channels. Throws Error (Run) when counts do not fit or
// a std is 0.
Tensor normalise(const Tensor& image, const std::vector<double>& mean, const std::vector<double>& std);

}  // namespace loupe::data
