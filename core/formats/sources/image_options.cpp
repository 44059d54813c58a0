// SPDX-License-Identifier: Apache-2.0
#include "core/formats/sources/image_options.h"

#include <charconv>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::data {
namespace {

constexpr std::int64_t kLargestEdge = 1 << 15;

std::optional<std::int64_t> edge_of(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size() || value <= 0 || value > kLargestEdge)
        return std::nullopt;
    return value;
}

}  // namespace

std::optional<ImagePipeline::Size> ImagePipeline::size_option(const SourceOptions& options, std::string_view name) {
    const std::string& text = options.text(name);
    if (text.empty()) return std::nullopt;
    const auto parts = split(text, 'x');
    const auto first = edge_of(parts[0]);
    const auto second = parts.size() == 2 ? edge_of(parts[1]) : std::nullopt;
    if (first && parts.size() == 1) return Size{*first, {}};
    if (first && second) return Size{std::nullopt, {*first, *second}};
    throw Error(ErrorKind::Usage,
                concat("option ", name, " takes HxW or an edge of 1 to ", kLargestEdge, " pixels, not '", text, "'"));
}

ImagePipeline::ImagePipeline(const SourceOptions& options)
    : resize_(size_option(options, "resize")),
      antialias_(options.flag("antialias")),
      crop_(size_option(options, "crop")),
      random_crop_(size_option(options, "random_crop")),
      padding_(options.integer("padding")),
      mean_(options.numbers("mean")),
      std_(options.numbers("std")),
      scale_(options.flag("scale")) {
    if (padding_ > kLargestEdge) throw Error(ErrorKind::Usage, concat("option padding is at most ", kLargestEdge));
    if (options.is_set("flip")) {
        flip_ = options.number("flip");
        if (*flip_ < 0 || *flip_ > 1) throw Error(ErrorKind::Usage, "option flip takes a probability of 0 to 1");
    }
    for (const double value : std_) {
        if (value == 0) throw Error(ErrorKind::Usage, "std evaluated to zero, leading to division by zero.");
    }
    if (mean_.empty() && !std_.empty()) mean_ = {0.0};
    if (std_.empty() && !mean_.empty()) std_ = {1.0};
}

Tensor ImagePipeline::apply(Tensor image) const {
    if (resize_)
        image = resize(image, resize_->edge ? with_short_edge(image, *resize_->edge) : resize_->exact, antialias_);
    if (crop_) image = center_crop(image, exact(*crop_));
    if (random_crop_) image = random_crop(image, exact(*random_crop_), padding_);
    if (flip_) image = random_horizontal_flip(image, *flip_);
    if (scale_ || !mean_.empty()) image = to_unit_range(image);
    if (!mean_.empty()) image = normalise(image, mean_, std_);
    return image;
}

IValue image_sample(Tensor image, std::int64_t target) {
    return make_ptr<TupleObject>(std::vector<IValue>{IValue(std::move(image)), IValue(target)});
}

}  // namespace loupe::data
