// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pictures as model inputs.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "core/tensor/tensor.h"

namespace loupe {

enum class ImageChannels {
    AsStored,  // 1 grey, 2 grey and alpha, 3 RGB, 4 RGB and alpha; palettes become RGB
    Grey,
    Rgb,
};

// A PNG or JPEG file as uint8 [1, C, H, W]; 16-bit samples are scaled down to 8. torchvision.io.decode_image with a
// batch dimension. Throws Error (File) when damaged or over 256 MiB of samples, Error (Unsupported) for other formats.
Tensor decode_image(std::span<const std::byte> bytes, ImageChannels channels = ImageChannels::AsStored);
// The same from a file, which the errors name.
Tensor read_image(const std::filesystem::path& path, ImageChannels channels = ImageChannels::AsStored);
// A PNG of [rows, columns, 3] bytes, written whole or not at all. Throws Error (File).
void write_png(const std::filesystem::path& path, std::span<const std::uint8_t> rgb, std::int64_t rows,
               std::int64_t columns);
// uint8 0..255 to float32 0..1.
Tensor image_to_float(const Tensor& image);

}  // namespace loupe
