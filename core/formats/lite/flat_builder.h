// SPDX-License-Identifier: Apache-2.0
#pragma once
// Writing FlatBuffers from the front: a table is written before what it points to, and its offsets are filled in after.

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace loupe {

class FlatBuilder {
  public:
    // Of a table: its fields in the order of the schema.
    struct Field {
        std::size_t size = 0;  // bytes: 1, 2, 4, 8; 0 for a field that is left out
        std::uint64_t bits = 0;
        template <typename T>
        static Field of(T value) {
            Field field{sizeof(T)};
            std::memcpy(&field.bits, &value, sizeof(T));
            return field;
        }
        static Field offset() { return {4}; }
        static Field none() { return {}; }
    };
    struct Table {
        std::size_t at;
        std::vector<std::size_t> fields;  // position of each; 0 for omitted ones
    };

    explicit FlatBuilder(std::string_view identifier) {
        put<std::uint32_t>(0);
        bytes_ += identifier;
    }

    Table table(std::span<const Field> fields) {
        std::vector<std::uint16_t> places;
        std::size_t size = 4;
        for (const Field& field : fields) {
            if (field.size > 0) size = rounded(size, field.size);
            places.push_back(field.size > 0 ? static_cast<std::uint16_t>(size) : std::uint16_t{0});
            size += field.size;
        }
        align(2);
        const std::size_t vtable = bytes_.size();
        put(static_cast<std::uint16_t>(4 + 2 * fields.size()));
        put(static_cast<std::uint16_t>(size));
        for (const std::uint16_t place : places) put(place);
        align(8);
        Table made{bytes_.size(), {}};
        bytes_.resize(made.at + size);
        write(made.at, static_cast<std::int32_t>(made.at - vtable));
        for (std::size_t i = 0; i < fields.size(); ++i) {
            if (fields[i].size > 0) std::memcpy(bytes_.data() + made.at + places[i], &fields[i].bits, fields[i].size);
            made.fields.push_back(fields[i].size > 0 ? made.at + places[i] : 0);
        }
        return made;
    }
    Table table(std::initializer_list<Field> fields) {
        return table(std::span<const Field>(fields.begin(), fields.size()));
    }

    // Sets the offset at that position to `target`, which is written.
    void link(std::size_t at, std::size_t target) {
        if (target > kMost)
            throw Error(ErrorKind::Unsupported, "a FlatBuffer holds no more than 2 GB",
                        {.hint = "write a .ptl file instead"});
        write(at, static_cast<std::uint32_t>(target - at));
    }
    void link_root(std::size_t target) { link(0, target); }

    std::size_t string(std::string_view text) {
        align(4);
        const std::size_t at = bytes_.size();
        put(static_cast<std::uint32_t>(text.size()));
        bytes_ += text;
        bytes_.push_back('\0');
        return at;
    }
    template <typename T>
    std::size_t vector(std::span<const T> elements) {
        return raw_vector({reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T)},
                          elements.size(), sizeof(T));
    }
    // alignment: of the first element, in the whole buffer.
    std::size_t raw_vector(std::string_view content, std::size_t count, std::size_t alignment) {
        while (bytes_.size() % 4 != 0 || (bytes_.size() + 4) % alignment != 0) bytes_.push_back('\0');
        const std::size_t at = bytes_.size();
        put(static_cast<std::uint32_t>(count));
        bytes_ += content;
        return at;
    }
    // Of offsets that are linked later: element i is at result + 4 + 4 * i.
    std::size_t offsets(std::size_t count) { return raw_vector(std::string(4 * count, '\0'), count, 4); }
    // For a struct that a union points to.
    std::size_t raw(std::string_view content, std::size_t alignment) {
        align(alignment);
        const std::size_t at = bytes_.size();
        bytes_ += content;
        return at;
    }

    std::string finish() {
        align(16);
        return std::move(bytes_);
    }

  private:
    static constexpr std::size_t kMost = 0x7fffffff;

    static std::size_t rounded(std::size_t size, std::size_t to) { return (size + to - 1) / to * to; }
    void align(std::size_t to) { bytes_.resize(rounded(bytes_.size(), to)); }
    template <typename T>
    void put(T value) {
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    }
    template <typename T>
    void write(std::size_t at, T value) {
        std::memcpy(bytes_.data() + at, &value, sizeof(T));
    }

    std::string bytes_;
};

}  // namespace loupe
