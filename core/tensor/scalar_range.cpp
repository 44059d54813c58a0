// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/scalar_range.h"

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe {
namespace {

std::string_view type_name(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::UInt8:
            return "uint8_t";
        case ScalarType::Int8:
            return "int8_t";
        case ScalarType::Int16:
            return "int16_t";
        case ScalarType::Int32:
            return "int";
        case ScalarType::Int64:
            return "int64_t";
        case ScalarType::UInt16:
            return "uint16_t";
        case ScalarType::UInt32:
            return "uint32_t";
        case ScalarType::UInt64:
            return "uint64_t";
        case ScalarType::Float16:
            return "c10::Half";
        case ScalarType::BFloat16:
            return "c10::BFloat16";
        case ScalarType::Float32:
            return "float";
        case ScalarType::Float8E5M2:
            return "c10::Float8_e5m2";
        case ScalarType::Float8E4M3FN:
            return "c10::Float8_e4m3fn";
        case ScalarType::Float8E5M2FNUZ:
            return "c10::Float8_e5m2fnuz";
        case ScalarType::Float8E4M3FNUZ:
            return "c10::Float8_e4m3fnuz";
        case ScalarType::Float8E8M0FNU:
            return "c10::Float8_e8m0fnu";
        case ScalarType::Complex32:
        case ScalarType::Complex64:
            return "c10::complex<float>";
        default:
            return "double";
    }
}

[[noreturn]] void refuse(std::string_view type) {
    throw Error(ErrorKind::Run, concat("value cannot be converted to type ", type, " without overflow"));
}

template <typename T>
bool fits_integer(const Scalar& value) {
    using Limits = std::numeric_limits<T>;
    if (!value.is_integral()) {
        const double number = value.to_double();
        // One past the greatest is a power of two, which float64 has.
        return number >= static_cast<double>(Limits::lowest()) && number < std::ldexp(1.0, Limits::digits);
    }
    const std::int64_t number = value.to_int();
    if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t>) {
        return true;
    } else {
        const auto most = static_cast<std::int64_t>(Limits::max());
        const std::int64_t least = Limits::is_signed ? static_cast<std::int64_t>(Limits::lowest()) : -most;
        return number >= least && number <= most;
    }
}

// The greatest finite number, and whether there is an infinity.
struct FloatRange {
    double most = std::numeric_limits<double>::max();
    bool has_infinity = true;
};
FloatRange range_of(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Float16:
            return {65504.0};
        case ScalarType::BFloat16:
            return {3.3895313892515355e38};
        case ScalarType::Float32:
        case ScalarType::Complex32:
        case ScalarType::Complex64:
            return {static_cast<double>(std::numeric_limits<float>::max())};
        case ScalarType::Float8E5M2:
            return {57344.0};
        case ScalarType::Float8E4M3FN:
            return {448.0, false};
        case ScalarType::Float8E5M2FNUZ:
            return {57344.0, false};
        case ScalarType::Float8E4M3FNUZ:
            return {240.0, false};
        case ScalarType::Float8E8M0FNU:
            return {std::ldexp(1.0, 127), false};
        default:
            return {};
    }
}
bool fits_float(double number, const FloatRange& range) {
    if (std::isnan(number)) return true;
    return std::isinf(number) ? range.has_infinity : std::abs(number) <= range.most;
}

}  // namespace

void require_fits(const Scalar& value, ScalarType dtype, bool is_one_element) {
    if (dtype == ScalarType::Bool) return;
    const bool is_narrow = is_floating(dtype) && element_size(dtype) <= 2;
    const std::string_view type = is_narrow && is_one_element ? "double" : type_name(dtype);
    if (!is_complex(dtype) && value.to_complex().imag() != 0) refuse(type);
    if (is_integral(dtype)) {
        visit_any_dtype(dtype, [&]<typename T>(std::type_identity<T>) {
            if constexpr (std::is_integral_v<T>)
                if (!fits_integer<T>(value)) refuse(type);
        });
        return;
    }
    if (is_narrow && is_one_element) return;
    const FloatRange range = range_of(dtype);
    const bool fits = fits_float(value.to_double(), range) && fits_float(value.to_complex().imag(), range);
    if (!fits) refuse(type);
}

}  // namespace loupe
