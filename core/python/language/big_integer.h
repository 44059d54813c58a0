// SPDX-License-Identifier: Apache-2.0
#pragma once
// Integers of Python beyond 64 bits. An int that fits is an IValue's own; only results that do not are objects, so that
// small ones cost what they cost before. All functions take ints and bools of any size.

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "core/python/language/object.h"
#include "core/script/ast.h"

namespace loupe::python {

// Is it an int that does not fit in 64 bits?
bool is_big_integer(const IValue& value);
// An int of any size, or a bool.
inline bool is_integer(const IValue& value) { return value.is_int() || value.is_bool() || is_big_integer(value); }

// + - * / // % ** << >> & | ^ with Python's results and errors. nullopt for other operators.
std::optional<IValue> integer_arithmetic(script::OperatorKind op, const IValue& a, const IValue& b);
IValue integer_negated(const IValue& value);
IValue integer_inverted(const IValue& value);
std::strong_ordering integer_order(const IValue& a, const IValue& b);
// Exactly; a NaN is unordered.
std::partial_ordering integer_order(const IValue& a, double b);
// base ** exponent % modulus, negative exponents too. Throws ValueError.
IValue integer_power(const IValue& base, const IValue& exponent, const IValue& modulus);

// The nearest. Throws OverflowError "int too large to convert to float".
double integer_to_double(const IValue& value);
// The whole part of a finite number.
IValue integer_of(double whole);
IValue integer_of_unsigned(std::uint64_t value);
// nullopt for what is negative or needs more.
std::optional<std::uint64_t> integer_to_unsigned(const IValue& value);

// Digits of the base, of which there is at least one and nothing else.
IValue integer_from_digits(std::string_view digits, int base, bool is_negative);
// Of the magnitude.
std::string integer_digits(const IValue& value, int base);
bool is_negative_integer(const IValue& value);
std::int64_t integer_bits(const IValue& value);  // int.bit_length()
std::int64_t integer_bit_count(const IValue& value);
// Two's complement, or unsigned. Throws OverflowError as int.to_bytes does.
std::string integer_to_bytes(const IValue& value, std::int64_t length, bool is_little, bool is_signed);
IValue integer_from_bytes(std::string_view bytes, bool is_little, bool is_signed);
// The largest whose square is no larger.
IValue integer_root(const IValue& value);
std::size_t integer_hash(const IValue& value);

// More decimal digits than these Python does not convert. Throws ValueError.
void check_decimal_digits(std::size_t count);

}  // namespace loupe::python
