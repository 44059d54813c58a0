// SPDX-License-Identifier: Apache-2.0
#include "core/formats/image/image.h"

#include <csetjmp>
#include <cstdint>
#include <cstdio>
// After <cstdio>, which they need and do not include.
#include <jpeglib.h>
#include <png.h>

#include <jerror.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"

namespace loupe {
namespace {

constexpr std::uint64_t kMostSamples = std::uint64_t{1} << 28;
constexpr int kMostScans = 100;
constexpr std::size_t kMessageSize = std::max<std::size_t>(JMSG_LENGTH_MAX, 256);

// Rows of interleaved 8-bit samples.
struct Picture {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint32_t channels = 0;
    std::vector<std::uint8_t> samples;

    std::size_t row_size() const { return std::size_t{width} * channels; }
    void allocate() {
        if (std::uint64_t{width} * height > kMostSamples / channels) {
            throw_file_error(concat("image of ", width, " x ", height, " pixels is too large"));
        }
        samples.resize(row_size() * height);
    }
};

// Both libraries report errors by a long jump. Each method below that arms one has no object with a destructor in
// its frame; resources to free are members.

class PngDecoder {
  public:
    explicit PngDecoder(std::span<const std::byte> bytes) : rest_(bytes) {
        png_ = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, this, &PngDecoder::on_error, &PngDecoder::on_warning,
                                        this, &PngDecoder::allocate, &PngDecoder::release);
        info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
        if (info_ == nullptr) {
            png_destroy_read_struct(&png_, nullptr, nullptr);
            throw std::bad_alloc();
        }
    }
    PngDecoder(const PngDecoder&) = delete;
    PngDecoder& operator=(const PngDecoder&) = delete;
    ~PngDecoder() { png_destroy_read_struct(&png_, &info_, nullptr); }

    Picture decode() {
        const std::size_t file_size = rest_.size();
        if (!read_header()) fail();
        // Deflate's greatest ratio is 1032.
        if (std::uint64_t{picture_.width} * picture_.height / 8 / 1032 > file_size) {
            throw_file_error(concat("truncated: PNG of ", picture_.width, " x ", picture_.height, " pixels in ",
                                    file_size, " bytes"));
        }
        picture_.allocate();
        rows_.resize(picture_.height);
        for (std::size_t y = 0; y < rows_.size(); ++y) rows_[y] = picture_.samples.data() + y * picture_.row_size();
        if (!read_rows()) fail();
        return std::move(picture_);
    }

  private:
    [[noreturn]] void fail() const {
        if (is_out_of_memory_) throw std::bad_alloc();
        throw_file_error(concat("PNG: ", message_.data()));
    }

    // The library says what it has no room for as it says damaged data.
    static png_voidp allocate(png_structp png, png_alloc_size_t size) {
        void* made = std::malloc(size);
        if (made == nullptr) static_cast<PngDecoder*>(png_get_mem_ptr(png))->is_out_of_memory_ = true;
        return made;
    }
    static void release(png_structp, png_voidp memory) { std::free(memory); }

    static void on_error(png_structp png, png_const_charp message) {
        auto* self = static_cast<PngDecoder*>(png_get_error_ptr(png));
        std::snprintf(self->message_.data(), self->message_.size(), "%s", message);
        png_longjmp(png, 1);
    }
    static void on_warning(png_structp, png_const_charp) {}
    static void on_read(png_structp png, png_bytep out, std::size_t size) {
        auto* self = static_cast<PngDecoder*>(png_get_io_ptr(png));
        if (size > self->rest_.size()) png_error(png, "truncated");
        std::memcpy(out, self->rest_.data(), size);
        self->rest_ = self->rest_.subspan(size);
    }

    bool read_header() {
        if (setjmp(png_jmpbuf(png_)) != 0) return false;
        png_set_read_fn(png_, this, &PngDecoder::on_read);
        png_set_user_limits(png_, 1u << 20, 1u << 20);
        png_set_chunk_malloc_max(png_, 1u << 26);
        png_read_info(png_, info_);
        png_set_expand(png_);
        png_set_scale_16(png_);
        png_set_interlace_handling(png_);
        png_read_update_info(png_, info_);
        picture_.width = png_get_image_width(png_, info_);
        picture_.height = png_get_image_height(png_, info_);
        picture_.channels = png_get_channels(png_, info_);
        return true;
    }
    bool read_rows() {
        if (setjmp(png_jmpbuf(png_)) != 0) return false;
        png_read_image(png_, rows_.data());
        png_read_end(png_, nullptr);
        return true;
    }

    std::span<const std::byte> rest_;
    png_structp png_ = nullptr;
    png_infop info_ = nullptr;
    Picture picture_;
    std::vector<png_bytep> rows_;
    std::array<char, kMessageSize> message_{};
    bool is_out_of_memory_ = false;
};

class JpegDecoder {
  public:
    explicit JpegDecoder(std::span<const std::byte> bytes) : bytes_(bytes) {
        decoder_.err = jpeg_std_error(&errors_);
        decoder_.client_data = this;
        errors_.error_exit = &JpegDecoder::on_error;
        errors_.emit_message = &JpegDecoder::on_message;
        progress_.progress_monitor = &JpegDecoder::on_progress;
        jpeg_create_decompress(&decoder_);
        decoder_.progress = &progress_;
    }
    JpegDecoder(const JpegDecoder&) = delete;
    JpegDecoder& operator=(const JpegDecoder&) = delete;
    ~JpegDecoder() { jpeg_destroy_decompress(&decoder_); }

    Picture decode() {
        if (!read_header()) fail();
        picture_.width = decoder_.image_width;
        picture_.height = decoder_.image_height;
        picture_.channels = decoder_.jpeg_color_space == JCS_GRAYSCALE ? 1 : 3;
        picture_.allocate();
        if (!read_rows()) fail();
        return std::move(picture_);
    }

  private:
    [[noreturn]] void fail() const {
        if (errors_.msg_code == JERR_OUT_OF_MEMORY) throw std::bad_alloc();
        throw_file_error(concat("JPEG: ", message_.data()));
    }

    static JpegDecoder& self(j_common_ptr common) { return *static_cast<JpegDecoder*>(common->client_data); }
    static void on_error(j_common_ptr common) {
        auto& decoder = self(common);
        common->err->format_message(common, decoder.message_.data());
        std::longjmp(decoder.jump_, 1);
    }
    static void on_message(j_common_ptr common, int) {
        // The library would paint the missing part grey.
        if (common->err->msg_code == JWRN_JPEG_EOF) stop(common, "truncated");
    }
    static void on_progress(j_common_ptr common) {
        if (reinterpret_cast<j_decompress_ptr>(common)->input_scan_number > kMostScans) stop(common, "too many scans");
    }
    static void stop(j_common_ptr common, const char* why) {
        auto& decoder = self(common);
        std::snprintf(decoder.message_.data(), decoder.message_.size(), "%s", why);
        std::longjmp(decoder.jump_, 1);
    }

    bool read_header() {
        if (setjmp(jump_) != 0) return false;
        jpeg_mem_src(&decoder_, reinterpret_cast<const unsigned char*>(bytes_.data()), bytes_.size());
        jpeg_read_header(&decoder_, TRUE);
        return true;
    }
    bool read_rows() {
        if (setjmp(jump_) != 0) return false;
        decoder_.out_color_space = picture_.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
        jpeg_start_decompress(&decoder_);
        while (decoder_.output_scanline < decoder_.output_height) {
            JSAMPROW row = picture_.samples.data() + decoder_.output_scanline * picture_.row_size();
            jpeg_read_scanlines(&decoder_, &row, 1);
        }
        jpeg_finish_decompress(&decoder_);
        return true;
    }

    std::span<const std::byte> bytes_;
    jpeg_decompress_struct decoder_{};
    jpeg_error_mgr errors_{};
    jpeg_progress_mgr progress_{};
    std::jmp_buf jump_{};
    Picture picture_;
    std::array<char, kMessageSize> message_{};
};

// ITU-R 601 luma, rounded as Pillow does.
std::uint8_t luma(std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
    return static_cast<std::uint8_t>((red * 19595 + green * 38470 + blue * 7471 + 0x8000) >> 16);
}

std::uint32_t channel_count(const Picture& picture, ImageChannels channels) {
    switch (channels) {
        case ImageChannels::AsStored:
            return picture.channels;
        case ImageChannels::Grey:
            return 1;
        case ImageChannels::Rgb:
            return 3;
    }
    return picture.channels;
}

std::uint8_t sample(const std::uint8_t* pixel, std::uint32_t stored, std::uint32_t wanted, std::uint32_t channel) {
    if (wanted == stored || (stored >= 3 && wanted == 3)) return pixel[channel];
    if (stored <= 2) return pixel[0];
    return luma(pixel[0], pixel[1], pixel[2]);
}

Tensor to_planes(const Picture& picture, ImageChannels channels) {
    const std::uint32_t wanted = channel_count(picture, channels);
    const std::array<std::int64_t, 4> sizes{1, wanted, picture.height, picture.width};
    const MemoryCategoryScope category(MemoryCategory::Input);
    Tensor out = empty(sizes, ScalarType::UInt8);
    auto* to = out.data<std::uint8_t>();
    for (std::uint32_t c = 0; c < wanted; ++c) {
        for (std::size_t i = 0; i < picture.samples.size(); i += picture.channels) {
            *to++ = sample(picture.samples.data() + i, picture.channels, wanted, c);
        }
    }
    return out;
}

}  // namespace

Tensor decode_image(std::span<const std::byte> bytes, ImageChannels channels) {
    const auto text = as_text(bytes);
    if (text.starts_with("\x89PNG\r\n\x1a\n")) return to_planes(PngDecoder(bytes).decode(), channels);
    if (text.starts_with("\xff\xd8\xff")) return to_planes(JpegDecoder(bytes).decode(), channels);
    throw Error(ErrorKind::Unsupported, "neither a PNG nor a JPEG image");
}

Tensor read_image(const std::filesystem::path& path, ImageChannels channels) {
    const auto file = MappedFile::open(path);
    try {
        return decode_image(file->bytes(), channels);
    } catch (Error& error) {
        error.add_context({.file = path.string()});
        throw;
    }
}

Tensor image_to_float(const Tensor& image) {
    const MemoryCategoryScope category(MemoryCategory::Input);
    Tensor out = empty(image.sizes(), ScalarType::Float32);
    const auto* from = image.data<std::uint8_t>();
    std::transform(from, from + image.numel(), out.data<float>(),
                   [](std::uint8_t v) { return static_cast<float>(v) / 255.0f; });
    return out;
}

}  // namespace loupe
