// SPDX-License-Identifier: Apache-2.0
#pragma once
// Common options of image sources, and their preprocessing.

#include <array>
#include <optional>
#include <vector>

#include "core/data/transforms.h"
#include "core/formats/sources/source_record.h"

namespace loupe::data {

inline constexpr std::array<SourceOption, 9> kImageOptions{{
    {"resize", "HxW or the shorter edge", "", "bilinear, as torchvision on tensors"},
    {"antialias", "true|false", "false", "a wider filter when pictures get smaller, as Pillow"},
    {"crop", "HxW or an edge", "", "the middle of the picture"},
    {"random_crop", "HxW or an edge", "", "a random part, new each time"},
    {"padding", "a number of pixels", "0", "zeros on each side before a random crop"},
    {"flip", "a probability", "", "mirror left and right at random"},
    {"mean", "numbers, one a channel or one", "", "subtracted from values in 0..1"},
    {"std", "numbers, one a channel or one", "", "divided by after that"},
    {"scale", "true|false", "true", "float32 in 0..1 instead of uint8"},
}};

// Prepends the source's own options.
template <std::size_t N>
constexpr std::array<SourceOption, N + kImageOptions.size()> with_image_options(
    const std::array<SourceOption, N>& own) {
    std::array<SourceOption, N + kImageOptions.size()> all{};
    for (std::size_t i = 0; i < N; ++i) all[i] = own[i];
    for (std::size_t i = 0; i < kImageOptions.size(); ++i) all[N + i] = kImageOptions[i];
    return all;
}

class ImagePipeline {
  public:
    // Throws Error (Usage).
    explicit ImagePipeline(const SourceOptions& options);
    // image: uint8 [C, H, W].
    Tensor apply(Tensor image) const;

  private:
    struct Size {
        std::optional<std::int64_t> edge;  // the shorter one
        ImageSize exact;
    };
    static std::optional<Size> size_option(const SourceOptions& options, std::string_view name);
    static ImageSize exact(const Size& size) { return size.edge ? ImageSize{*size.edge, *size.edge} : size.exact; }

    std::optional<Size> resize_;
    bool antialias_ = false;
    std::optional<Size> crop_;
    std::optional<Size> random_crop_;
    std::int64_t padding_ = 0;
    std::optional<double> flip_;
    std::vector<double> mean_;
    std::vector<double> std_;
    bool scale_ = true;
};

// (image, class)
IValue image_sample(Tensor image, std::int64_t target);

}  // namespace loupe::data
