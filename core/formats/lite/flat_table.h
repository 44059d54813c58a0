// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reading FlatBuffers (little-endian tables with offsets) from untrusted bytes: every offset is checked.

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "core/formats/archive/byte_reader.h"

namespace loupe {

class FlatVector;

class FlatTable {
  public:
    FlatTable(std::span<const std::byte> bytes, std::size_t position) : bytes_(bytes), position_(position) {
        const std::int64_t vtable = static_cast<std::int64_t>(position) - read<std::int32_t>(bytes, position);
        if (vtable < 0) throw_file_error("FlatBuffer: a table without fields");
        vtable_ = static_cast<std::size_t>(vtable);
        vtable_size_ = read<std::uint16_t>(bytes, vtable_);
    }
    static FlatTable root(std::span<const std::byte> bytes) { return {bytes, read<std::uint32_t>(bytes, 0)}; }

    template <typename T>
    static T read(std::span<const std::byte> bytes, std::size_t position) {
        if (position > bytes.size() || bytes.size() - position < sizeof(T))
            throw_file_error("FlatBuffer: an offset beyond its end");
        T value;
        std::memcpy(&value, bytes.data() + position, sizeof(T));
        return value;
    }

    // The position of the field; 0 when the table lacks it.
    std::size_t find(std::size_t field) const {
        const std::size_t entry = 4 + 2 * field;
        if (entry + 2 > vtable_size_) return 0;
        const std::uint16_t offset = read<std::uint16_t>(bytes_, vtable_ + entry);
        return offset == 0 ? 0 : position_ + offset;
    }
    template <typename T>
    T number(std::size_t field, T otherwise = {}) const {
        const std::size_t at = find(field);
        return at == 0 ? otherwise : read<T>(bytes_, at);
    }
    bool has(std::size_t field) const { return find(field) != 0; }
    // After the field's offset, as for structs in unions.
    template <typename T>
    T behind(std::size_t field) const {
        return read<T>(bytes_, target(field));
    }
    template <typename T>
    T at_position(std::size_t position) const {
        return read<T>(bytes_, position);
    }
    FlatTable table(std::size_t field) const { return {bytes_, target(field)}; }
    std::string_view string(std::size_t field) const;
    // stride: bytes of an element. Empty when the table does not have it.
    FlatVector vector(std::size_t field, std::size_t stride) const;

  private:
    std::size_t target(std::size_t field) const {
        const std::size_t at = find(field);
        if (at == 0) throw_file_error("FlatBuffer: a table without a field that it needs");
        return at + read<std::uint32_t>(bytes_, at);
    }

    std::span<const std::byte> bytes_;
    std::size_t position_;
    std::size_t vtable_ = 0;
    std::size_t vtable_size_ = 0;
};

class FlatVector {
  public:
    FlatVector() = default;
    FlatVector(std::span<const std::byte> bytes, std::size_t position, std::size_t stride)
        : bytes_(bytes), first_(position + 4), stride_(stride) {
        size_ = FlatTable::read<std::uint32_t>(bytes, position);
        if (size_ > (bytes.size() - position - 4) / stride) throw_file_error("FlatBuffer: a vector beyond its end");
    }
    std::size_t size() const { return size_; }
    std::size_t position(std::size_t i) const { return first_ + i * stride_; }
    template <typename T>
    T number(std::size_t i) const {
        return FlatTable::read<T>(bytes_, position(i));
    }
    FlatTable table(std::size_t i) const { return {bytes_, position(i) + number<std::uint32_t>(i)}; }
    std::string_view string(std::size_t i) const {
        return FlatVector(bytes_, position(i) + number<std::uint32_t>(i), 1).text();
    }
    std::string_view text() const { return {reinterpret_cast<const char*>(bytes_.data()) + first_, size_ * stride_}; }
    std::span<const std::byte> bytes() const { return bytes_.subspan(first_, size_ * stride_); }

  private:
    std::span<const std::byte> bytes_;
    std::size_t first_ = 0;
    std::size_t stride_ = 1;
    std::size_t size_ = 0;
};

inline std::string_view FlatTable::string(std::size_t field) const {
    return has(field) ? FlatVector(bytes_, target(field), 1).text() : std::string_view();
}
inline FlatVector FlatTable::vector(std::size_t field, std::size_t stride) const {
    return has(field) ? FlatVector(bytes_, target(field), stride) : FlatVector();
}

}  // namespace loupe
