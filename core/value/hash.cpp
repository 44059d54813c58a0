// SPDX-License-Identifier: Apache-2.0
#include "core/value/hash.h"

#include <cmath>
#include <functional>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/value/callable.h"

namespace loupe {
namespace {

// Numbers hash as the remainder by this prime, fractions too (Python's "Hashing of numeric types").
constexpr unsigned kBits = 61;
constexpr std::uint64_t kModulus = (std::uint64_t{1} << kBits) - 1;

// -1 means an error to CPython.
std::size_t usable(std::int64_t hash) { return static_cast<std::size_t>(hash == -1 ? -2 : hash); }

std::size_t hash_of(std::int64_t value) { return usable(value % static_cast<std::int64_t>(kModulus)); }

std::uint64_t rotated(std::uint64_t value, unsigned places) {
    return ((value << places) & kModulus) | value >> (kBits - places);
}

std::size_t hash_of(double value) {
    constexpr unsigned kStep = 28;
    constexpr std::int64_t kInfinity = 314159;
    if (std::isnan(value)) return 0;
    if (std::isinf(value)) return usable(value > 0 ? kInfinity : -kInfinity);
    int exponent = 0;
    double left = std::frexp(std::fabs(value), &exponent);
    std::uint64_t hash = 0;
    while (left != 0) {
        left = std::ldexp(left, kStep);
        exponent -= static_cast<int>(kStep);
        const auto whole = static_cast<std::uint64_t>(left);
        left -= static_cast<double>(whole);
        hash = rotated(hash, kStep) + whole;
        if (hash >= kModulus) hash -= kModulus;
    }
    const int bits = static_cast<int>(kBits);
    hash = rotated(hash, static_cast<unsigned>(exponent >= 0 ? exponent % bits : bits - 1 - (-1 - exponent) % bits));
    return usable(value < 0 ? -static_cast<std::int64_t>(hash) : static_cast<std::int64_t>(hash));
}

}  // namespace

std::size_t hash_value(const IValue& value) {
    switch (value.tag()) {
        case IValue::Tag::None:
            return 0;
        case IValue::Tag::Bool:
        case IValue::Tag::Int:
            return hash_of(value.to_int());
        case IValue::Tag::Double:
            return hash_of(value.to_double());
        case IValue::Tag::Complex:
            return usable(static_cast<std::int64_t>(hash_of(value.to_complex().real()) +
                                                    1000003 * hash_of(value.to_complex().imag())));
        case IValue::Tag::String:
            return std::hash<std::string>{}(value.to_string()) >> 3U;
        case IValue::Tag::Device:
            return static_cast<std::size_t>(value.to_device().index);
        case IValue::Tag::Enum:
            return std::hash<std::string>{}(value.to_enum().name);
        case IValue::Tag::Tuple: {
            std::size_t hash = 0x345678;
            for (const IValue& element : value.to_tuple().elements) hash = hash * 1000003 ^ hash_value(element);
            return hash >> 3U;
        }
        case IValue::Tag::Other:
            if (const auto* callable = dynamic_cast<const Callable*>(value.object_pointer())) return callable->hash();
            break;
        case IValue::Tag::List:
        case IValue::Tag::Dict:
            throw Error(ErrorKind::Run, concat("unhashable type: '", value_type_name(value), "'"));
        default:
            break;
    }
    return std::hash<const void*>{}(value.object_pointer()) >> 4U;
}

}  // namespace loupe
