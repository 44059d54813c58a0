// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/convert.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace loupe {
namespace {

// As which type an element is read: a byte of a file may be neither 0 nor 1.
template <typename T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <typename To, typename From>
To converted(Stored<From> value) {
    if constexpr (std::is_same_v<From, bool>)
        return convert_element<To>(value != 0);
    else
        return convert_element<To>(value);
}

template <typename From, typename To>
void convert(const void* from, std::int64_t from_stride, void* to, std::int64_t to_stride, std::int64_t n) {
    constexpr auto kFromSize = static_cast<std::int64_t>(sizeof(From));
    constexpr auto kToSize = static_cast<std::int64_t>(sizeof(To));
    const auto* source = static_cast<const std::byte*>(from);
    auto* target = static_cast<std::byte*>(to);
    if (from_stride == kFromSize && to_stride == kToSize) {
        const auto* typed_source = static_cast<const Stored<From>*>(from);
        auto* typed_target = static_cast<To*>(to);
        if constexpr ((std::is_same_v<From, Half> && std::is_same_v<To, float>) ||
                      (std::is_same_v<From, float> && std::is_same_v<To, Half>)) {
            convert_half(typed_source, typed_target, n);
            return;
        }
        for (std::int64_t i = 0; i < n; ++i) typed_target[i] = converted<To, From>(typed_source[i]);
        return;
    }
    for (std::int64_t i = 0; i < n; ++i) {
        *reinterpret_cast<To*>(target) = converted<To, From>(*reinterpret_cast<const Stored<From>*>(source));
        source += from_stride;
        target += to_stride;
    }
}

// n copies of one element.
template <std::size_t Size>
void fill(const std::byte* element, std::byte* to, std::int64_t n) {
    std::array<std::byte, 64> pattern;
    constexpr auto kPattern = static_cast<std::int64_t>(pattern.size());
    for (std::size_t at = 0; at < pattern.size(); at += Size) std::memcpy(pattern.data() + at, element, Size);
    const std::int64_t bytes = n * static_cast<std::int64_t>(Size);
    std::int64_t at = 0;
    for (; at + kPattern <= bytes; at += kPattern) std::memcpy(to + at, pattern.data(), pattern.size());
    std::memcpy(to + at, pattern.data(), static_cast<std::size_t>(bytes - at));
}

template <std::size_t Size>
void copy(const void* from, std::int64_t from_stride, void* to, std::int64_t to_stride, std::int64_t n) {
    constexpr auto kSize = static_cast<std::int64_t>(Size);
    if (from_stride == kSize && to_stride == kSize) {
        std::memcpy(to, from, static_cast<std::size_t>(n) * Size);
        return;
    }
    const auto* source = static_cast<const std::byte*>(from);
    auto* target = static_cast<std::byte*>(to);
    if (from_stride == 0 && to_stride == kSize) {
        fill<Size>(source, target, n);
        return;
    }
    for (std::int64_t i = 0; i < n; ++i) {
        std::memcpy(target, source, Size);
        source += from_stride;
        target += to_stride;
    }
}

// Floats of eight bits go over float32, piece by piece: a loop of their own for each other dtype would be much code.
template <ScalarType kFrom, ScalarType kTo>
void convert_over_float(const void* from, std::int64_t from_stride, void* to, std::int64_t to_stride, std::int64_t n) {
    constexpr std::int64_t kPiece = 256;
    std::array<float, kPiece> buffer;
    const ConvertFunction in = convert_function(kFrom, ScalarType::Float32);
    const ConvertFunction out = convert_function(ScalarType::Float32, kTo);
    const auto* source = static_cast<const std::byte*>(from);
    auto* target = static_cast<std::byte*>(to);
    for (std::int64_t done = 0; done < n; done += kPiece) {
        const std::int64_t count = std::min(kPiece, n - done);
        in(source + done * from_stride, from_stride, buffer.data(), sizeof(float), count);
        out(buffer.data(), sizeof(float), target + done * to_stride, to_stride, count);
    }
}

constexpr auto kDtypes = static_cast<std::size_t>(kDtypeCount);
using Table = std::array<std::array<ConvertFunction, kDtypes>, kDtypes>;

template <typename From, typename To>
constexpr ConvertFunction function_for() {
    constexpr ScalarType kFrom = scalar_type_of<From>;
    constexpr ScalarType kTo = scalar_type_of<To>;
    if constexpr (kFrom == kTo)
        return &copy<sizeof(From)>;
    else if constexpr ((is_float8(kFrom) && kTo != ScalarType::Float32) ||
                       (is_float8(kTo) && kFrom != ScalarType::Float32))
        return &convert_over_float<kFrom, kTo>;
    else
        return &convert<From, To>;
}
template <typename From>
constexpr void enter_row(std::array<ConvertFunction, kDtypes>& row) {
#define LOUPE_DTYPE(name, type, number, text, graph_text, kind) \
    row[dtype_index(ScalarType::name)] = function_for<From, type>();
    LOUPE_DTYPES(LOUPE_DTYPE)
#undef LOUPE_DTYPE
}
constexpr Table make_table() {
    Table table{};
#define LOUPE_DTYPE(name, type, number, text, graph_text, kind) enter_row<type>(table[dtype_index(ScalarType::name)]);
    LOUPE_DTYPES(LOUPE_DTYPE)
#undef LOUPE_DTYPE
    return table;
}

constexpr Table kTable = make_table();

}  // namespace

ConvertFunction convert_function(ScalarType from, ScalarType to) { return kTable[dtype_index(from)][dtype_index(to)]; }

}  // namespace loupe
