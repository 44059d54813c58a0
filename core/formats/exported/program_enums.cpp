// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/program_enums.h"

#include <array>

#include "core/base/error.h"
#include "core/formats/archive/byte_reader.h"

namespace loupe::exported {
namespace {

struct Number {
    std::int64_t serialized;
    std::int64_t c10;
};

// uint8 … complex128, bool, bfloat16, uint16, float8s, uint32, uint64.
constexpr std::array kDtypes = {
    Number{1, 0},   Number{2, 1},   Number{3, 2},   Number{4, 3},   Number{5, 4},   Number{6, 5},   Number{7, 6},
    Number{8, 7},   Number{9, 8},   Number{10, 9},  Number{11, 10}, Number{12, 11}, Number{13, 15}, Number{28, 27},
    Number{29, 24}, Number{30, 23}, Number{31, 26}, Number{32, 25}, Number{33, 44}, Number{34, 28}, Number{35, 29}};
// Sparse COO, CSR, CSC, BSR, BSC, mkldnn, strided.
constexpr std::array kLayouts = {Number{1, 1}, Number{2, 2}, Number{3, 4}, Number{4, 5},
                                 Number{5, 6}, Number{6, 3}, Number{7, 0}};
// Contiguous, channels last, channels last 3d, preserve.
constexpr std::array kMemoryFormats = {Number{1, 0}, Number{2, 2}, Number{3, 3}, Number{4, 1}};

template <std::size_t N>
std::int64_t look_up(const std::array<Number, N>& numbers, std::int64_t serialized, std::string_view kind,
                     std::string_view what) {
    for (const Number& each : numbers) {
        if (each.serialized == serialized) return each.c10;
    }
    throw_file_error(concat("the program's ", what, " is no known ", kind, ": ", serialized));
}

template <std::size_t N>
std::int64_t look_back(const std::array<Number, N>& numbers, std::int64_t c10, std::string_view kind) {
    for (const Number& each : numbers) {
        if (each.c10 == c10) return each.serialized;
    }
    throw Error(ErrorKind::Unsupported, concat("a program of torch.export has no name for ", kind, " ", c10));
}

}  // namespace

std::int64_t dtype_number(std::int64_t serialized, std::string_view what) {
    return look_up(kDtypes, serialized, "dtype", what);
}

ScalarType dtype_of(std::int64_t serialized, std::string_view what) {
    const auto dtype = dtype_from_number(dtype_number(serialized, what));
    if (dtype) return *dtype;
    throw Error(ErrorKind::Unsupported, concat(what, " has a dtype that is not supported (", serialized, ")"));
}

std::int64_t layout_number(std::int64_t serialized, std::string_view what) {
    return look_up(kLayouts, serialized, "layout", what);
}

std::int64_t memory_format_number(std::int64_t serialized, std::string_view what) {
    return look_up(kMemoryFormats, serialized, "memory format", what);
}

std::int64_t serialized_dtype(ScalarType dtype) { return serialized_dtype_number(static_cast<std::int64_t>(dtype)); }

std::int64_t serialized_dtype_number(std::int64_t c10) { return look_back(kDtypes, c10, "dtype"); }

std::int64_t serialized_layout(std::int64_t c10) { return look_back(kLayouts, c10, "layout"); }

std::int64_t serialized_memory_format(std::int64_t c10) { return look_back(kMemoryFormats, c10, "memory format"); }

}  // namespace loupe::exported
