// SPDX-License-Identifier: Apache-2.0
#include "core/ops/random/bounds.h"

#include <bit>
#include <optional>
#include <string_view>

#include "core/dispatch/dispatch.h"
#include "core/ops/random/family.h"

namespace loupe::drawing {
namespace {

template <typename T>
constexpr std::int64_t least() {
    return std::is_same_v<T, bool> ? 0 : static_cast<std::int64_t>(std::numeric_limits<T>::min());
}
template <typename T>
constexpr std::int64_t most() {
    return std::is_same_v<T, bool> ? 1 : static_cast<std::int64_t>(std::numeric_limits<T>::max());
}
std::string_view c_name(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::UInt8:
            return "unsigned char";
        case ScalarType::Int8:
            return "signed char";
        case ScalarType::Int16:
            return "short int";
        case ScalarType::Int32:
            return "int";
        case ScalarType::Bool:
            return "bool";
        default:
            return "long int";
    }
}
template <typename T>
std::int64_t last_bit(std::int64_t bound) {
    const int exponent = static_cast<int>(std::bit_width(bound < 0 ? 0 - static_cast<std::uint64_t>(bound)
                                                                   : static_cast<std::uint64_t>(bound))) -
                         1;
    return std::int64_t{1} << (exponent - digits_of<T>() + 1);
}

}  // namespace

void fit_bounds(const Tensor& self, std::int64_t& from, std::int64_t& to) {
    visit_dtype(self.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (std::is_integral_v<T>) {
            const auto holds = [](std::int64_t v) { return v >= least<T>() && v <= most<T>(); };
            require(holds(from), "from is out of bounds for ", c_name(self.dtype()));
            require(holds(to - 1), "to - 1 is out of bounds for ", c_name(self.dtype()));
        } else if constexpr (is_floating(scalar_type_of<T>)) {
            const auto stored = [](std::int64_t v) {
                return static_cast<double>(element_of<T>(static_cast<double>(v)));
            };
            const double above = stored(from + 1);
            const double below = stored(to - 1);
            // Rounded up to 2^63, which no int64 holds, a bound stays as PyTorch leaves it.
            const auto moved = [](double bound) {
                return bound < 0x1p63 ? std::optional(static_cast<std::int64_t>(bound)) : std::nullopt;
            };
            if (moved(above) < from && moved(above)) from = *moved(above) + last_bit<T>(from + 1);
            if (moved(below) >= to) to = *moved(below) - last_bit<T>(to - 1);
        }
    });
}

}  // namespace loupe::drawing
