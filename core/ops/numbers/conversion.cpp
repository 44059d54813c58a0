// SPDX-License-Identifier: Apache-2.0
// bool(), int(), float(), complex() of any value, and numbers as text.

#include <charconv>

#include "core/autograd/engine.h"
#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/ops/numbers/family.h"
#include "core/ops/numbers/tensor_number.h"
#include "core/ops/numbers/typed.h"

namespace loupe::numbers {
namespace {

using Text = std::string_view;

Float parse_float(Text text) {
    Text digits = text;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    double value = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (status == std::errc::invalid_argument || end != digits.data() + digits.size()) {
        throw Error(ErrorKind::Run, concat("could not convert string to float: '", text, "'"));
    }
    return value;
}
Int parse_int(Text text) {
    Text digits = text;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    Int value = 0;
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (status != std::errc() || end != digits.data() + digits.size()) {
        throw Error(ErrorKind::Run, concat("invalid literal for int() with base 10: '", text, "'"));
    }
    return value;
}
Int truncate(Float value) {
    if (value >= -0x1p63 && value < 0x1p63) return static_cast<Int>(value);
    return std::numeric_limits<Int>::min();  // the hardware's result, as in PyTorch
}

bool tensor_to_bool(const Tensor& t) {
    if (t.numel() == 0) throw Error(ErrorKind::Run, "Boolean value of Tensor with no values is ambiguous");
    if (t.numel() > 1) throw Error(ErrorKind::Run, "Boolean value of Tensor with more than one value is ambiguous");
    return number_of(t).to_bool();
}
Int scalar_to_int(const Scalar& s) { return s.is_integral() ? s.to_int() : truncate(real_part(s)); }
Int tensor_to_int(const Tensor& t) { return scalar_to_int(number_of(t)); }
Float tensor_to_float(const Tensor& t) { return real_part(number_of(t)); }

// Where PyTorch converts a tensor to a number implicitly.
Scalar implicit_number(const Tensor& t) {
    if (requires_grad(t)) throw Error(ErrorKind::Run, "Cannot input a tensor that requires grad as a scalar argument");
    if (t.dim() != 0) {
        throw Error(ErrorKind::Run, "Cannot input a tensor of dimension other than 0 as a scalar argument");
    }
    return number_of(t);
}
Int implicit_int(const Tensor& t) {
    const Scalar value = implicit_number(t);
    if (!is_integral(t.dtype()) || t.dtype() == ScalarType::Bool) {
        throw Error(ErrorKind::Run,
                    concat("Cannot input a tensor of type ", dtype_graph_name(t.dtype()), " as an integral argument"));
    }
    return value.to_int();
}
Float implicit_float(const Tensor& t) { return real_part(implicit_number(t)); }
Complex implicit_complex(const Tensor& t) { return implicit_number(t).to_complex(); }

Float real_of(const IValue& v) { return v.is_tensor() ? tensor_to_float(v.to_tensor()) : real_part(v.to_scalar()); }
Complex complex_of(const IValue& a, const IValue& b) { return {real_of(a), real_of(b)}; }

std::string in_base(Int value, int base, Text prefix) {
    std::string digits;
    auto rest = static_cast<std::uint64_t>(value);
    if (value < 0) rest = 0 - rest;
    do {
        digits.insert(digits.begin(), "0123456789abcdef"[rest % static_cast<std::uint64_t>(base)]);
        rest /= static_cast<std::uint64_t>(base);
    } while (rest != 0);
    return concat(value < 0 ? "-" : "", prefix, digits);
}
std::string hex(Int i) { return in_base(i, 16, "0x"); }
std::string oct(Int i) { return in_base(i, 8, "0o"); }
std::string bin(Int i) { return in_base(i, 2, "0b"); }

Int ord(Text text) {
    if (text.size() != 1)
        throw Error(ErrorKind::Run, concat("String for ord() must be 1 character, found ", text.size()));
    return static_cast<unsigned char>(text[0]);
}
std::string chr(Int i) {
    if (i < 0 || i >= 0x110000) throw Error(ErrorKind::Run, concat("chr() arg not in range(0x110000), found ", i));
    return std::string(1, static_cast<char>(i));
}

Tensor number_to_tensor(const Scalar& s) { return scalar_tensor(s, s.dtype()); }

template <typename T>
bool is_nonzero(T value) {
    return value != 0;
}

#define LOUPE_COMPLEX(overload, a, b)                                                                                 \
    {                                                                                                                 \
        .schema = "aten::Complex." overload "(" a " x, " b " y) -> complex", .summary = "The complex number x + yj.", \
        .kernel = boxed<complex_of>, .placement = Placement::Anywhere, .python = {                                    \
            .result = PythonUse::Number                                                                               \
        }                                                                                                             \
    }

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::Bool.Tensor(Tensor a) -> bool",
     .summary = "Is the one element not zero?",
     .kernel = boxed<tensor_to_bool>,
     .placement = Placement::Anywhere,
     .python = {.result = PythonUse::Boolean},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::Bool.int(int a) -> bool", .summary = "Is it not zero?", .kernel = boxed<is_nonzero<Int>>},
    {.schema = "aten::Bool.float(float a) -> bool", .summary = "Is it not zero?", .kernel = boxed<is_nonzero<Float>>},
    {.schema = "aten::Int.Tensor(Tensor a) -> int",
     .summary = "The one element, cut to an int.",
     .kernel = boxed<tensor_to_int>,
     .placement = Placement::Anywhere,
     .python = {.result = PythonUse::Integer},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::Int.bool(bool a) -> int", .summary = "1 or 0.", .kernel = boxed<[](bool a) { return Int{a}; }>},
    {.schema = "aten::Int.float(float a) -> int", .summary = "Cut towards zero.", .kernel = boxed<truncate>},
    {.schema = "aten::Int.Scalar(Scalar a) -> int", .summary = "Cut towards zero.", .kernel = boxed<scalar_to_int>},
    {.schema = "aten::Int.str(str a) -> int", .summary = "The int that the text says.", .kernel = boxed<parse_int>},
    {.schema = "aten::Float.Tensor(Tensor a) -> float",
     .summary = "The one element as a float.",
     .kernel = boxed<tensor_to_float>,
     .placement = Placement::Anywhere,
     .python = {.result = PythonUse::Float},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::Float.Scalar(Scalar a) -> float", .summary = "As a float.", .kernel = boxed<real_part>},
    {.schema = "aten::Float.int(int a) -> float",
     .summary = "As a float.",
     .kernel = boxed<[](Int a) { return static_cast<Float>(a); }>},
    {.schema = "aten::Float.bool(bool a) -> float",
     .summary = "1.0 or 0.0.",
     .kernel = boxed<[](bool a) { return a ? 1.0 : 0.0; }>},
    {.schema = "aten::Float.str(str a) -> float",
     .summary = "The float that the text says.",
     .kernel = boxed<parse_float>},
    {.schema = "aten::Complex.Scalar(Scalar a) -> complex",
     .summary = "As a complex number.",
     .kernel = boxed<[](const Scalar& a) { return a.to_complex(); }>},
    LOUPE_COMPLEX("Tensor_Tensor", "Tensor", "Tensor"),
    LOUPE_COMPLEX("Tensor_bool", "Tensor", "bool"),
    LOUPE_COMPLEX("Tensor_float", "Tensor", "float"),
    LOUPE_COMPLEX("Tensor_int", "Tensor", "int"),
    LOUPE_COMPLEX("bool_Tensor", "bool", "Tensor"),
    LOUPE_COMPLEX("bool_bool", "bool", "bool"),
    LOUPE_COMPLEX("bool_float", "bool", "float"),
    LOUPE_COMPLEX("bool_int", "bool", "int"),
    LOUPE_COMPLEX("float_Tensor", "float", "Tensor"),
    LOUPE_COMPLEX("float_bool", "float", "bool"),
    LOUPE_COMPLEX("float_float", "float", "float"),
    LOUPE_COMPLEX("float_int", "float", "int"),
    LOUPE_COMPLEX("int_Tensor", "int", "Tensor"),
    LOUPE_COMPLEX("int_bool", "int", "bool"),
    LOUPE_COMPLEX("int_float", "int", "float"),
    LOUPE_COMPLEX("int_int", "int", "int"),
    {.schema = "aten::IntImplicit(Tensor a) -> int",
     .summary = "A 0-dimensional integral tensor as an int.",
     .kernel = boxed<implicit_int>,
     .placement = Placement::Anywhere,
     .python = {.result = PythonUse::Integer},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::FloatImplicit(Tensor a) -> float",
     .summary = "A 0-dimensional tensor as a float.",
     .kernel = boxed<implicit_float>,
     .placement = Placement::Anywhere,
     .python = {.result = PythonUse::Float},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::ComplexImplicit(Tensor a) -> complex",
     .summary = "A 0-dimensional tensor as a complex number.",
     .kernel = boxed<implicit_complex>,
     .placement = Placement::Anywhere,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::ScalarImplicit(Tensor a) -> Scalar",
     .summary = "A 0-dimensional tensor as a number.",
     .kernel = boxed<implicit_number>,
     .placement = Placement::Anywhere,
     .python = {.result = PythonUse::Number},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::item(Tensor self) -> Scalar",
     .summary = "The one element.",
     .kernel = boxed<number_of>,
     .placement = Placement::Anywhere,
     .python = {.result = PythonUse::Number},
     .dtypes = {kAnyDtype}},
    {.schema = "aten::_local_scalar_dense(Tensor self) -> Scalar",
     .summary = "The one element.",
     .kernel = boxed<number_of>,
     .placement = Placement::Anywhere,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::is_nonzero(Tensor self) -> bool",
     .summary = "Is the one element not zero?",
     .kernel = boxed<tensor_to_bool>,
     .placement = Placement::Anywhere,
     .python = {.result = PythonUse::Boolean},
     .dtypes = {kAnyDtype}},
    {.schema = "prim::NumToTensor.Scalar(Scalar a) -> Tensor",
     .summary = "A 0-dimensional tensor of the number: int64, float64, complex128 or bool.",
     .kernel = boxed<number_to_tensor>},
    {.schema = "prim::NumToTensor.bool(bool a) -> Tensor",
     .summary = "A 0-dimensional bool tensor.",
     .kernel = boxed<number_to_tensor>},
    {.schema = "aten::hex(int i) -> str", .summary = "In hexadecimal: 0xff.", .kernel = boxed<hex>},
    {.schema = "aten::oct(int i) -> str", .summary = "In octal: 0o17.", .kernel = boxed<oct>},
    {.schema = "aten::bin(int i) -> str", .summary = "In binary: 0b11.", .kernel = boxed<bin>},
    {.schema = "aten::ord(str string) -> int", .summary = "The number of the character.", .kernel = boxed<ord>},
    {.schema = "aten::chr(int i) -> str", .summary = "The character of that number.", .kernel = boxed<chr>},
};
#undef LOUPE_COMPLEX

}  // namespace

Scalar number_of(const Tensor& t) {
    if (!t.defined()) throw Error(ErrorKind::Run, "expected a Tensor, got None");
    return item(t);
}

Float real_part(const Scalar& s) {
    if (s.to_complex().imag() != 0)
        throw Error(ErrorKind::Run, "value cannot be converted to type double without overflow");
    return s.to_double();
}

std::span<const OperatorRecord> conversion_records() { return kRecords; }

}  // namespace loupe::numbers
