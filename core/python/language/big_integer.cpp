// SPDX-License-Identifier: Apache-2.0
#include "core/python/language/big_integer.h"

#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <iterator>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/error.h"

namespace loupe::python {
namespace {

using Big = boost::multiprecision::cpp_int;
using script::OperatorKind;

// What takes longer than a moment to multiply or divide is a mistake.
constexpr std::uint64_t kMostBits = std::uint64_t{1} << 22;
constexpr std::size_t kMostDigits = 4300;

class BigInteger final : public PythonObject {
  public:
    explicit BigInteger(Big held) : value(std::move(held)) {}
    const Big value;
    std::string type_name() const override { return "int"; }
    bool is_equal(const IValue& other) const override;
    bool equals(const IValue& other) override { return is_equal(other); }
    std::size_t hash() const override;
    std::string repr() override;
};

const BigInteger* big_of(const IValue& value) { return object_as<BigInteger>(value); }

Big wide(const IValue& value) {
    if (const BigInteger* big = big_of(value)) return big->value;
    return Big(value.to_int());
}

std::uint64_t bits_of(const Big& value) {
    return value.is_zero() ? 0 : boost::multiprecision::msb(value < 0 ? Big(-value) : value) + 1;
}

using Bytes = std::vector<std::uint8_t>;

// Least significant first; at least one.
Bytes bytes_of_magnitude(const Big& value) {
    Bytes bytes;
    boost::multiprecision::export_bits(value, std::back_inserter(bytes), 8, false);
    return bytes;
}

Big magnitude_of(const Bytes& bytes) {
    Big value;
    boost::multiprecision::import_bits(value, bytes.begin(), bytes.end(), 8, false);
    return value;
}

bool is_power_of_two(int base) { return std::has_single_bit(static_cast<unsigned>(base)); }
unsigned bits_per_digit(int base) { return static_cast<unsigned>(std::bit_width(static_cast<unsigned>(base) - 1)); }

void check_bits(std::uint64_t bits) {
    if (bits > kMostBits)
        throw_error("MemoryError", concat("an integer of more than ", kMostBits, " bits is too large"));
}

IValue narrowed(Big value) {
    if (value >= INT64_MIN && value <= INT64_MAX) return static_cast<std::int64_t>(value);
    check_bits(bits_of(value));
    return IValue::other(make_ptr<BigInteger>(std::move(value)));
}

[[noreturn]] void divided_by_zero(const char* what) { throw_error("ZeroDivisionError", what); }

// Rounded down, with the rest of the divisor's sign.
void divide_floor(const Big& a, const Big& b, Big& quotient, Big& rest) {
    if (b == 0) divided_by_zero("integer division or modulo by zero");
    boost::multiprecision::divide_qr(a, b, quotient, rest);
    if (rest != 0 && (rest < 0) != (b < 0)) {
        --quotient;
        rest += b;
    }
}

// The nearest double to value * 2^exponent; bits that were lost before are in `has_more`.
double scaled(Big value, std::int64_t exponent, bool has_more) {
    const bool is_negative = value < 0;
    if (is_negative) value = -value;
    const auto bits = static_cast<std::int64_t>(bits_of(value));
    if (bits > 64) {
        const std::int64_t dropped = bits - 64;
        const auto lowest = static_cast<std::int64_t>(boost::multiprecision::lsb(value));
        has_more = has_more || lowest < dropped;
        value >>= static_cast<unsigned>(dropped);
        exponent += dropped;
    }
    auto top = static_cast<std::uint64_t>(value);
    if (has_more) top |= 1U;  // 64 bits are more than a double has: only the side counts
    const double magnitude =
        std::ldexp(static_cast<double>(top), static_cast<int>(std::clamp<std::int64_t>(exponent, -5000, 5000)));
    return is_negative ? -magnitude : magnitude;
}

double quotient_of(const Big& a, const Big& b) {
    if (b == 0) divided_by_zero("division by zero");
    if (a == 0) return 0;
    const auto gap = static_cast<std::int64_t>(bits_of(b)) - static_cast<std::int64_t>(bits_of(a));
    const std::int64_t shift = std::max<std::int64_t>(gap + 66, 0);
    Big numerator = a < 0 ? Big(-a) : a;
    numerator <<= static_cast<unsigned>(shift);
    Big quotient;
    Big rest;
    boost::multiprecision::divide_qr(numerator, b < 0 ? Big(-b) : b, quotient, rest);
    const double magnitude = scaled(std::move(quotient), -shift, rest != 0);
    if (std::isinf(magnitude)) throw_error("OverflowError", "integer division result too large for a float");
    return (a < 0) != (b < 0) ? -magnitude : magnitude;
}

Big power_of(const Big& base, const Big& exponent) {
    if (base == 0 || base == 1 || base == -1) {
        const bool is_odd = (exponent & 1) != 0;
        return base == 0 ? Big(exponent == 0 ? 1 : 0) : base == 1 || !is_odd ? Big(1) : Big(-1);
    }
    if (exponent > kMostBits) check_bits(UINT64_MAX);
    const auto times = static_cast<std::uint64_t>(exponent);
    check_bits((bits_of(base) - 1) * times);
    return boost::multiprecision::pow(base, static_cast<unsigned>(times));
}

Big shifted(const Big& value, const Big& count, bool is_left) {
    if (count < 0) throw_value_error("negative shift count");
    if (value == 0) return value;
    if (!is_left) {
        if (count > kMostBits) return Big(value < 0 ? -1 : 0);
        const auto places = static_cast<unsigned>(count);
        if (value >= 0) return value >> places;
        return -((-value - 1) >> places) - 1;
    }
    if (count > kMostBits) check_bits(UINT64_MAX);
    check_bits(bits_of(value) + static_cast<std::uint64_t>(count));
    return value << static_cast<unsigned>(count);
}

// Negative numbers as endless ones in front.
Big bitwise(OperatorKind op, const Big& a, const Big& b) {
    const auto apply = [op](const Big& x, const Big& y) {
        return op == OperatorKind::BitAnd ? Big(x & y) : op == OperatorKind::BitOr ? Big(x | y) : Big(x ^ y);
    };
    if (a >= 0 && b >= 0) return apply(a, b);
    const Big modulus = Big(1) << static_cast<unsigned>(std::max(bits_of(a), bits_of(b)) + 1);
    const Big result = apply(a < 0 ? Big(a + modulus) : a, b < 0 ? Big(b + modulus) : b);
    return result >= modulus / 2 ? Big(result - modulus) : result;
}

bool BigInteger::is_equal(const IValue& other) const {
    if (const BigInteger* big = big_of(other)) return value == big->value;
    return other.is_double() &&
           integer_order(IValue::other(Ptr<RefCounted>(const_cast<BigInteger*>(this))), other.to_double()) == 0;
}

std::size_t BigInteger::hash() const {
    return integer_hash(IValue::other(Ptr<RefCounted>(const_cast<BigInteger*>(this))));
}

std::string BigInteger::repr() {
    // Digits are 3.32 bits.
    if (bits_of(value) > kMostDigits * 4) {
        throw_value_error(
            concat("Exceeds the limit (", kMostDigits,
                   " digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit"));
    }
    std::string text = value.str();
    if (text.size() - (value < 0 ? 1 : 0) > kMostDigits) {
        throw_value_error(
            concat("Exceeds the limit (", kMostDigits,
                   " digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit"));
    }
    return text;
}

}  // namespace

bool is_big_integer(const IValue& value) { return big_of(value) != nullptr; }

void check_decimal_digits(std::size_t count) {
    if (count <= kMostDigits) return;
    throw_value_error(concat("Exceeds the limit (", kMostDigits, " digits) for integer string conversion: value has ",
                             count, " digits; use sys.set_int_max_str_digits() to increase the limit"));
}

std::optional<IValue> integer_arithmetic(OperatorKind op, const IValue& left, const IValue& right) {
    check_cancelled();
    const Big a = wide(left);
    const Big b = wide(right);
    Big quotient;
    Big rest;
    switch (op) {
        case OperatorKind::Add:
            return narrowed(a + b);
        case OperatorKind::Sub:
            return narrowed(a - b);
        case OperatorKind::Mul:
            check_bits(bits_of(a) + bits_of(b) - 1);
            return narrowed(a * b);
        case OperatorKind::Div:
            return quotient_of(a, b);
        case OperatorKind::FloorDiv:
            divide_floor(a, b, quotient, rest);
            return narrowed(std::move(quotient));
        case OperatorKind::Mod:
            if (b == 0) divided_by_zero("integer modulo by zero");
            divide_floor(a, b, quotient, rest);
            return narrowed(std::move(rest));
        case OperatorKind::Pow:
            if (b >= 0) return narrowed(power_of(a, b));
            if (a == 0) divided_by_zero("0.0 cannot be raised to a negative power");
            return std::pow(integer_to_double(left), integer_to_double(right));
        case OperatorKind::LeftShift:
            return narrowed(shifted(a, b, true));
        case OperatorKind::RightShift:
            return narrowed(shifted(a, b, false));
        case OperatorKind::BitAnd:
        case OperatorKind::BitOr:
        case OperatorKind::BitXor:
            return narrowed(bitwise(op, a, b));
        default:
            return std::nullopt;
    }
}

IValue integer_negated(const IValue& value) { return narrowed(-wide(value)); }
IValue integer_inverted(const IValue& value) { return narrowed(-wide(value) - 1); }

std::strong_ordering integer_order(const IValue& a, const IValue& b) {
    const int order = wide(a).compare(wide(b));
    return order < 0   ? std::strong_ordering::less
           : order > 0 ? std::strong_ordering::greater
                       : std::strong_ordering::equal;
}

std::partial_ordering integer_order(const IValue& a, double b) {
    if (std::isnan(b)) return std::partial_ordering::unordered;
    if (std::isinf(b)) return b > 0 ? std::partial_ordering::less : std::partial_ordering::greater;
    const double whole = std::floor(b);
    const std::strong_ordering order = integer_order(a, integer_of(whole));
    return order == 0 && whole != b ? std::partial_ordering::less : std::partial_ordering(order);
}

IValue integer_power(const IValue& base, const IValue& exponent, const IValue& modulus) {
    const Big m = wide(modulus);
    if (m == 0) throw_value_error("pow() 3rd argument cannot be 0");
    const Big size = m < 0 ? Big(-m) : m;
    Big b = wide(base) % size;
    if (b < 0) b += size;
    Big e = wide(exponent);
    if (e < 0) {
        // The inverse by Euclid's algorithm.
        Big r0 = size, r1 = b, s0 = 0, s1 = 1;
        while (r1 != 0) {
            check_cancelled();
            const Big q = r0 / r1;
            Big next = r0 - q * r1;
            r0 = std::exchange(r1, std::move(next));
            next = s0 - q * s1;
            s0 = std::exchange(s1, std::move(next));
        }
        if (r0 != 1) throw_value_error("base is not invertible for the given modulus");
        b = s0 % size;
        if (b < 0) b += size;
        e = -e;
    }
    Big result = Big(1) % size;
    for (std::uint64_t bit = bits_of(e); bit-- > 0;) {
        check_cancelled();
        result = result * result % size;
        if (boost::multiprecision::bit_test(e, static_cast<unsigned>(bit))) result = result * b % size;
    }
    if (m < 0 && result != 0) result += m;
    return narrowed(std::move(result));
}

double integer_to_double(const IValue& value) {
    if (!is_big_integer(value)) return static_cast<double>(value.to_int());
    const double real = scaled(wide(value), 0, false);
    if (std::isinf(real)) throw_error("OverflowError", "int too large to convert to float");
    return real;
}

IValue integer_of(double whole) {
    if (std::fabs(whole) < 0x1p63) return static_cast<std::int64_t>(whole);
    int exponent = 0;
    const double mantissa = std::frexp(whole, &exponent);
    return narrowed(Big(static_cast<std::int64_t>(std::ldexp(mantissa, 53))) << static_cast<unsigned>(exponent - 53));
}

IValue integer_of_unsigned(std::uint64_t value) { return narrowed(Big(value)); }

std::optional<std::uint64_t> integer_to_unsigned(const IValue& value) {
    const Big wanted = wide(value);
    return wanted < 0 || wanted > UINT64_MAX ? std::nullopt : std::optional(static_cast<std::uint64_t>(wanted));
}

IValue integer_from_digits(std::string_view digits, int base, bool is_negative) {
    const auto digit_of = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10); };
    Big value = 0;
    if (is_power_of_two(base)) {
        // Each digit has its own bits: one pass, however long the number is.
        const unsigned width = bits_per_digit(base);
        check_bits(std::uint64_t{width} * digits.size());
        Bytes bytes(digits.size() * width / 8 + 2);
        for (std::size_t i = 0; i < digits.size(); ++i) {
            const std::size_t bit = i * width;
            const unsigned placed = digit_of(digits[digits.size() - 1 - i]) << (bit % 8);
            bytes[bit / 8] |= static_cast<std::uint8_t>(placed);
            bytes[bit / 8 + 1] |= static_cast<std::uint8_t>(placed >> 8U);
        }
        value = magnitude_of(bytes);
    } else {
        check_decimal_digits(digits.size());
        for (const char c : digits) value = value * base + digit_of(c);
    }
    return narrowed(is_negative ? Big(-value) : value);
}

bool is_negative_integer(const IValue& value) { return is_big_integer(value) ? wide(value) < 0 : value.to_int() < 0; }

std::string integer_digits(const IValue& value, int base) {
    Big rest = wide(value);
    if (rest < 0) rest = -rest;
    if (base == 10) {
        std::string text = value.is_other() ? BigInteger(rest).repr() : rest.str();
        return text;
    }
    const unsigned width = bits_per_digit(base);
    Bytes bytes = bytes_of_magnitude(rest);
    bytes.push_back(0);  // of a digit that ends in the next byte
    std::string out((std::max<std::uint64_t>(bits_of(rest), 1) + width - 1) / width, '0');
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::size_t bit = i * width;
        const unsigned two = bytes[bit / 8] | static_cast<unsigned>(bytes[bit / 8 + 1]) << 8U;
        out[out.size() - 1 - i] = "0123456789abcdef"[(two >> (bit % 8)) & (static_cast<unsigned>(base) - 1)];
    }
    return out;
}

std::int64_t integer_bits(const IValue& value) { return static_cast<std::int64_t>(bits_of(wide(value))); }

std::int64_t integer_bit_count(const IValue& value) {
    Big rest = wide(value);
    if (rest < 0) rest = -rest;
    std::int64_t count = 0;
    for (const std::uint8_t byte : bytes_of_magnitude(rest)) count += std::popcount(byte);
    return count;
}

std::string integer_to_bytes(const IValue& value, std::int64_t length, bool is_little, bool is_signed) {
    Big wanted = wide(value);
    if (length < 0) throw_value_error("length argument must be non-negative");
    if (!is_signed && wanted < 0) throw_error("OverflowError", "can't convert negative int to unsigned");
    check_bits(static_cast<std::uint64_t>(length) * 8);
    const Big modulus = Big(1) << static_cast<unsigned>(length * 8);
    const bool fits = is_signed ? wanted * 2 < modulus && wanted * 2 >= -modulus : wanted < modulus;
    if (!fits && wanted != 0) throw_error("OverflowError", "int too big to convert");
    if (wanted < 0) wanted += modulus;
    const Bytes bytes = bytes_of_magnitude(wanted);
    std::string out(bytes.begin(), bytes.end());
    out.resize(static_cast<std::size_t>(length), '\0');
    if (!is_little) std::reverse(out.begin(), out.end());
    return out;
}

IValue integer_from_bytes(std::string_view bytes, bool is_little, bool is_signed) {
    check_bits(bytes.size() * 8);
    Bytes ordered(bytes.begin(), bytes.end());
    if (!is_little) std::reverse(ordered.begin(), ordered.end());
    Big value = ordered.empty() ? Big(0) : magnitude_of(ordered);
    const bool is_negative = is_signed && !ordered.empty() && (ordered.back() & 0x80U) != 0;
    if (is_negative) value -= Big(1) << static_cast<unsigned>(bytes.size() * 8);
    return narrowed(std::move(value));
}

IValue integer_root(const IValue& value) {
    // As CPython's math.isqrt: each step doubles the digits that are right, so that the last division is what it costs.
    const Big n = wide(value);
    if (n == 0) return 0;
    const std::uint64_t half = (bits_of(n) - 1) / 2;
    Big root = 1;
    std::uint64_t done = 0;
    for (int step = static_cast<int>(std::bit_width(half)) - 1; step >= 0; --step) {
        check_cancelled();
        const std::uint64_t before = done;
        done = half >> static_cast<unsigned>(step);
        const Big shifted_n = n >> static_cast<unsigned>(2 * half - before - done + 1);
        root = (root << static_cast<unsigned>(done - before - 1)) + shifted_n / root;
    }
    if (root * root > n) --root;
    return narrowed(std::move(root));
}

std::size_t integer_hash(const IValue& value) {
    const Big modulus = (Big(1) << 61U) - 1;
    const auto rest = static_cast<std::int64_t>(wide(value) % modulus);  // of the value's sign, as Python's
    return static_cast<std::size_t>(rest == -1 ? -2 : rest);
}

}  // namespace loupe::python
