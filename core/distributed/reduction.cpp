// SPDX-License-Identifier: Apache-2.0
#include "core/distributed/reduction.h"

#include <array>
#include <complex>
#include <type_traits>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::distributed {
namespace {

constexpr std::array<std::string_view, 9> kNames{"SUM",  "AVG", "PRODUCT", "MIN",       "MAX",
                                                 "BAND", "BOR", "BXOR",    "PREMUL_SUM"};
constexpr std::array<std::string_view, 9> kWords{"sum",  "avg", "product", "min",       "max",
                                                 "band", "bor", "bxor",    "premul_sum"};

bool is_bitwise(Reduction reduction) {
    return reduction == Reduction::BitAnd || reduction == Reduction::BitOr || reduction == Reduction::BitXor;
}
bool is_ordered(Reduction reduction) { return reduction == Reduction::Min || reduction == Reduction::Max; }

[[noreturn]] void refuse(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

template <typename T>
struct IsComplex : std::false_type {};
template <typename T>
struct IsComplex<std::complex<T>> : std::true_type {};

template <typename T>
constexpr bool is_reduced =
    std::is_arithmetic_v<T> || std::is_same_v<T, Half> || std::is_same_v<T, BFloat16> || IsComplex<T>::value;

// Halves are added in float32, one pair at a time.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>, float, T>;

template <typename T, typename Function>
void each(const T* from, T* into, std::size_t count, Function function) {
    for (std::size_t i = 0; i < count; ++i)
        into[i] = static_cast<T>(function(static_cast<Wide<T>>(into[i]), static_cast<Wide<T>>(from[i])));
}

template <typename T>
void combine_as(Reduction reduction, const T* from, T* into, std::size_t count) {
    using W = Wide<T>;
    if constexpr (std::is_same_v<T, bool>) {
        const bool is_all =
            reduction == Reduction::Product || reduction == Reduction::Min || reduction == Reduction::BitAnd;
        for (std::size_t i = 0; i < count; ++i) {
            if (reduction == Reduction::BitXor)
                into[i] = into[i] != from[i];
            else
                into[i] = is_all ? (into[i] && from[i]) : (into[i] || from[i]);
        }
        return;
    } else {
        switch (reduction) {
            case Reduction::Sum:
            case Reduction::Avg:
            case Reduction::PremulSum:
                return each(from, into, count, [](W a, W b) { return a + b; });
            case Reduction::Product:
                return each(from, into, count, [](W a, W b) { return a * b; });
            default:
                break;
        }
        if constexpr (!IsComplex<T>::value) {
            // NaN of either stays.
            if (reduction == Reduction::Min)
                return each(from, into, count, [](W a, W b) { return b < a || b != b ? b : a; });
            if (reduction == Reduction::Max)
                return each(from, into, count, [](W a, W b) { return b > a || b != b ? b : a; });
        }
        if constexpr (std::is_integral_v<T>) {
            if (reduction == Reduction::BitAnd) return each(from, into, count, [](W a, W b) { return a & b; });
            if (reduction == Reduction::BitOr) return each(from, into, count, [](W a, W b) { return a | b; });
            if (reduction == Reduction::BitXor) return each(from, into, count, [](W a, W b) { return a ^ b; });
        }
    }
}

template <typename T>
void divide_as(T* data, std::size_t count, int divisor) {
    if constexpr (std::is_same_v<T, bool>) {
        return;
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            if constexpr (IsComplex<T>::value)
                data[i] /= static_cast<typename T::value_type>(divisor);
            else
                data[i] = static_cast<T>(static_cast<Wide<T>>(data[i]) / static_cast<Wide<T>>(divisor));
        }
    }
}

template <typename Function>
void visit_reduced(ScalarType dtype, Function function) {
    switch (dtype) {
#define LOUPE_VISIT(name, type, number, text, graph_text, kind)                       \
    case ScalarType::name:                                                            \
        if constexpr (is_reduced<type>) return function(static_cast<type*>(nullptr)); \
        break;
        LOUPE_DTYPES(LOUPE_VISIT)
#undef LOUPE_VISIT
    }
    refuse(concat("Invalid scalar type for a reduction: ", dtype_name(dtype)));
}

}  // namespace

std::string_view reduction_name(Reduction reduction) { return kNames[static_cast<std::size_t>(reduction)]; }

Reduction reduction_of(std::string_view name) {
    for (std::size_t i = 0; i < kWords.size(); ++i) {
        if (kWords[i] == name) return static_cast<Reduction>(i);
    }
    refuse(concat("Unrecognized reduce_op: ", name));
}

void check_reduction(Reduction reduction, ScalarType dtype) {
    visit_reduced(dtype, [&](auto* sample) {
        using T = std::remove_pointer_t<decltype(sample)>;
        if (is_bitwise(reduction) && !std::is_integral_v<T>)
            refuse(concat("Cannot use ReduceOp.", reduction_name(reduction), " with non-integral dtype"));
        if (is_ordered(reduction) && IsComplex<T>::value)
            refuse(concat("all_reduce does not support ReduceOp.", reduction_name(reduction), " on complex tensors"));
    });
}

Reduction wire_reduction(Reduction reduction) {
    return reduction == Reduction::Avg || reduction == Reduction::PremulSum ? Reduction::Sum : reduction;
}

void combine(Reduction reduction, ScalarType dtype, const void* from, void* into, std::size_t count) {
    visit_reduced(dtype, [&](auto* sample) {
        using T = std::remove_pointer_t<decltype(sample)>;
        combine_as(reduction, static_cast<const T*>(from), static_cast<T*>(into), count);
    });
}

void divide(ScalarType dtype, void* data, std::size_t count, int divisor) {
    visit_reduced(dtype, [&](auto* sample) {
        using T = std::remove_pointer_t<decltype(sample)>;
        divide_as(static_cast<T*>(data), count, divisor);
    });
}

}  // namespace loupe::distributed
