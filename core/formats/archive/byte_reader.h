// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reading numbers from untrusted bytes.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe {

[[noreturn]] inline void throw_file_error(std::string message, std::string file = {}) {
    throw Error(ErrorKind::File, std::move(message), {.file = std::move(file)});
}

inline std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A file's name for error lines: truncated, and escaped for terminals.
inline std::string quote_name(std::string_view name) { return python_repr(name.substr(0, 200)); }

// Cursor over bytes; reading past the end throws Error (File) "truncated: WHAT needs 4 bytes at byte 10 of
// 12".
class ByteReader {
  public:
    ByteReader(std::span<const std::byte> bytes, std::string_view what) : bytes_(bytes), what_(what) {}

    std::size_t position() const { return position_; }
    std::size_t remaining() const { return bytes_.size() - position_; }
    bool at_end() const { return remaining() == 0; }

    std::span<const std::byte> take(std::uint64_t count) {
        if (count > remaining()) fail(count);
        const auto part = bytes_.subspan(position_, static_cast<std::size_t>(count));
        position_ += part.size();
        return part;
    }
    std::string_view take_text(std::uint64_t count) { return as_text(take(count)); }
    void skip(std::uint64_t count) { take(count); }

    template <std::unsigned_integral T>
    T little() {
        T value = 0;
        const auto part = take(sizeof(T));
        for (std::size_t i = 0; i < sizeof(T); ++i) {
            value = static_cast<T>(value | static_cast<T>(static_cast<T>(part[i]) << (8 * i)));
        }
        return value;
    }
    template <std::unsigned_integral T>
    T big() {
        T value = 0;
        for (const std::byte byte : take(sizeof(T))) {
            value = static_cast<T>((static_cast<std::uint64_t>(value) << 8) | static_cast<std::uint64_t>(byte));
        }
        return value;
    }
    // Up to and without the next newline, which is skipped.
    std::string_view line() {
        const auto rest = as_text(bytes_.subspan(position_));
        const auto end = rest.find('\n');
        if (end == std::string_view::npos) fail(rest.size() + 1);
        position_ += end + 1;
        return rest.substr(0, end);
    }

  private:
    [[noreturn]] void fail(std::uint64_t count) const {
        throw_file_error(
            concat("truncated: ", what_, " needs ", count, " bytes at byte ", position_, " of ", bytes_.size()));
    }

    std::span<const std::byte> bytes_;
    std::string_view what_;
    std::size_t position_ = 0;
};

}  // namespace loupe
