// SPDX-License-Identifier: Apache-2.0
#include "core/formats/numpy/dtype_code.h"

#include <algorithm>
#include <array>
#include <utility>

namespace loupe {
namespace {

constexpr std::array<std::pair<std::string_view, ScalarType>, 14> kCodes{{
    {"b1", ScalarType::Bool},
    {"u1", ScalarType::UInt8},
    {"u2", ScalarType::UInt16},
    {"u4", ScalarType::UInt32},
    {"u8", ScalarType::UInt64},
    {"i1", ScalarType::Int8},
    {"i2", ScalarType::Int16},
    {"i4", ScalarType::Int32},
    {"i8", ScalarType::Int64},
    {"f2", ScalarType::Float16},
    {"f4", ScalarType::Float32},
    {"f8", ScalarType::Float64},
    {"c8", ScalarType::Complex64},
    {"c16", ScalarType::Complex128},
}};

}  // namespace

std::optional<ScalarType> dtype_from_numpy_code(std::string_view code) {
    const auto* known = std::ranges::find(kCodes, code, [](const auto& entry) { return entry.first; });
    if (known == kCodes.end()) return std::nullopt;
    return known->second;
}

std::string_view numpy_code(ScalarType dtype) {
    const auto* known = std::ranges::find(kCodes, dtype, [](const auto& entry) { return entry.second; });
    return known == kCodes.end() ? std::string_view() : known->first;
}

}  // namespace loupe
