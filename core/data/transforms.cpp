// SPDX-License-Identifier: Apache-2.0
#include "core/data/transforms.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/mersenne_twister.h"

namespace loupe::data {
namespace {

const OperatorHandle<> bilinear("aten::upsample_bilinear2d");
const OperatorHandle<> bilinear_antialiased("aten::_upsample_bilinear2d_aa");
const OperatorHandle<> round_("aten::round");

[[noreturn]] void fail(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

ImageSize size_of(const Tensor& image) { return {image.size(-2), image.size(-1)}; }
std::string text_of(ImageSize size) { return concat("(", size.height, ", ", size.width, ")"); }

Tensor crop(const Tensor& image, std::int64_t top, std::int64_t left, ImageSize size) {
    const Tensor rows = fn::slice(image, -2, top, top + size.height, 1);
    return fn::contiguous(fn::slice(rows, -1, left, left + size.width, 1), 0);
}

Tensor pad(const Tensor& image, std::int64_t left, std::int64_t right, std::int64_t top, std::int64_t bottom) {
    return fn::constant_pad_nd(image, Dims{left, right, top, bottom}, Scalar(0));
}

// Python's round(): halves to the even number.
std::int64_t rounded_half(std::int64_t twice) {
    return static_cast<std::int64_t>(std::nearbyint(static_cast<double>(twice) / 2));
}

// torch.randint(0, end, size=(1,)).item()
std::int64_t draw_below(std::int64_t end) { return default_generator().next32() % end; }

Tensor random_flip(const Tensor& image, std::int64_t dimension, double probability) {
    // torch.rand(1) < p, in float32.
    const bool flips = default_generator().uniform_float() < static_cast<float>(probability);
    return flips ? fn::flip(image, Dims{dimension}) : image;
}

double value_at(const std::vector<double>& values, std::int64_t channel) {
    return values.size() == 1 ? values.front() : values[static_cast<std::size_t>(channel)];
}

}  // namespace

ImageSize with_short_edge(const Tensor& image, std::int64_t edge) {
    const auto [height, width] = size_of(image);
    const auto in_proportion = [&](std::int64_t longer, std::int64_t shorter) {
        return static_cast<std::int64_t>(static_cast<double>(edge * longer) / static_cast<double>(shorter));
    };
    if (width <= height) return {in_proportion(height, width), edge};
    return {edge, in_proportion(width, height)};
}

Tensor resize(const Tensor& image, ImageSize size, bool antialias) {
    if (size_of(image) == size) return image;
    const ScalarType dtype = image.dtype();
    const bool is_whole = !is_floating(dtype);
    Tensor batch = fn::unsqueeze(image, 0);
    if (is_whole) batch = fn::to_dtype(batch, static_cast<std::int64_t>(ScalarType::Float32));
    const auto& resized = antialias ? bilinear_antialiased : bilinear;
    Tensor out = fn::select(resized(batch, Dims{size.height, size.width}, false, IValue(), IValue()), 0, 0);
    return is_whole ? fn::to_dtype(round_(out), static_cast<std::int64_t>(dtype)) : out;
}

Tensor center_crop(const Tensor& image, ImageSize size) {
    Tensor from = image;
    auto [height, width] = size_of(from);
    if (size.width > width || size.height > height) {
        const auto before = [](std::int64_t wanted, std::int64_t got) { return wanted > got ? (wanted - got) / 2 : 0; };
        const auto after = [](std::int64_t wanted, std::int64_t got) {
            return wanted > got ? (wanted - got + 1) / 2 : 0;
        };
        from = pad(from, before(size.width, width), after(size.width, width), before(size.height, height),
                   after(size.height, height));
        if (size_of(from) == size) return from;
        height = from.size(-2);
        width = from.size(-1);
    }
    return crop(from, rounded_half(height - size.height), rounded_half(width - size.width), size);
}

Tensor random_crop(const Tensor& image, ImageSize size, std::int64_t padding) {
    const Tensor from = padding > 0 ? pad(image, padding, padding, padding, padding) : image;
    const ImageSize given = size_of(from);
    if (given.height < size.height || given.width < size.width) {
        fail(concat("Required crop size ", text_of(size), " is larger then input image size ", text_of(given)));
    }
    if (given == size) return from;
    const std::int64_t top = draw_below(given.height - size.height + 1);
    const std::int64_t left = draw_below(given.width - size.width + 1);
    return crop(from, top, left, size);
}

Tensor random_horizontal_flip(const Tensor& image, double probability) { return random_flip(image, -1, probability); }
Tensor random_vertical_flip(const Tensor& image, double probability) { return random_flip(image, -2, probability); }

Tensor to_unit_range(const Tensor& image) {
    if (image.dtype() != ScalarType::UInt8) return fn::to_dtype(image, static_cast<std::int64_t>(ScalarType::Float32));
    const Tensor from = fn::contiguous(image, 0);
    const Tensor out = empty(from.sizes(), ScalarType::Float32);
    const auto* values = from.data<std::uint8_t>();
    std::transform(values, values + from.numel(), out.data<float>(),
                   [](std::uint8_t v) { return static_cast<float>(v) / 255.0F; });
    return out;
}

Tensor normalise(const Tensor& image, const std::vector<double>& mean, const std::vector<double>& std) {
    const std::int64_t channels = image.size(0);
    const auto fits = [&](const std::vector<double>& values) {
        return values.size() == 1 || static_cast<std::int64_t>(values.size()) == channels;
    };
    if (!fits(mean) || !fits(std)) {
        fail(concat("normalise: ", mean.size(), " means and ", std.size(), " stds for ", channels, " channels"));
    }
    if (std::find(std.begin(), std.end(), 0.0) != std.end())
        fail("std evaluated to zero, leading to division by zero.");
    const Tensor from = fn::contiguous(fn::to_dtype(image, static_cast<std::int64_t>(ScalarType::Float32)), 0);
    const Tensor out = empty(from.sizes(), ScalarType::Float32);
    const std::int64_t plane = channels == 0 ? 0 : from.numel() / channels;
    for (std::int64_t c = 0; c < channels; ++c) {
        const auto m = static_cast<float>(value_at(mean, c));
        const auto s = static_cast<float>(value_at(std, c));
        const float* values = from.data<float>() + c * plane;
        std::transform(values, values + plane, out.data<float>() + c * plane, [m, s](float v) { return (v - m) / s; });
    }
    return out;
}

}  // namespace loupe::data
