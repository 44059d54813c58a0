// SPDX-License-Identifier: Apache-2.0
#include <png.h>

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/formats/image/image.h"

namespace loupe {

void write_png(const std::filesystem::path& path, std::span<const std::uint8_t> rgb, std::int64_t rows,
               std::int64_t columns) {
    constexpr std::int64_t kMost = 1 << 16;
    if (rows <= 0 || columns <= 0 || rows > kMost || columns > kMost || std::ssize(rgb) != rows * columns * 3)
        throw Error(ErrorKind::File, concat("no picture of ", rows, " by ", columns), {.file = path.string()});
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(columns);
    image.height = static_cast<png_uint_32>(rows);
    image.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    std::string bytes(size, '\0');
    if (png_image_write_to_memory(&image, bytes.data(), &size, 0, rgb.data(), 0, nullptr) == 0)
        throw Error(ErrorKind::File, concat("PNG: ", image.message), {.file = path.string()});
    bytes.resize(size);
    write_file_atomically(path, bytes);
}

}  // namespace loupe
