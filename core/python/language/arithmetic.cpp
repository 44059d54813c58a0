// SPDX-License-Identifier: Apache-2.0
// Arithmetic operators: numbers, sequences, and methods of classes.
#include <cmath>
#include <complex>

#include "core/base/strings.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/foreign_type.h"
#include "core/python/language/format.h"
#include "core/python/language/missing_name.h"

namespace loupe::python {
namespace {

struct OperatorText {
    std::string_view symbol;
    std::string_view method;     // __add__
    std::string_view reflected;  // __radd__
    std::string_view in_place;   // __iadd__
};

OperatorText text_of(OperatorKind op) {
    switch (op) {
        case OperatorKind::Add:
            return {"+", "__add__", "__radd__", "__iadd__"};
        case OperatorKind::Sub:
            return {"-", "__sub__", "__rsub__", "__isub__"};
        case OperatorKind::Mul:
            return {"*", "__mul__", "__rmul__", "__imul__"};
        case OperatorKind::MatMul:
            return {"@", "__matmul__", "__rmatmul__", "__imatmul__"};
        case OperatorKind::Div:
            return {"/", "__truediv__", "__rtruediv__", "__itruediv__"};
        case OperatorKind::FloorDiv:
            return {"//", "__floordiv__", "__rfloordiv__", "__ifloordiv__"};
        case OperatorKind::Mod:
            return {"%", "__mod__", "__rmod__", "__imod__"};
        case OperatorKind::Pow:
            return {"** or pow()", "__pow__", "__rpow__", "__ipow__"};
        case OperatorKind::LeftShift:
            return {"<<", "__lshift__", "__rlshift__", "__ilshift__"};
        case OperatorKind::RightShift:
            return {">>", "__rshift__", "__rrshift__", "__irshift__"};
        case OperatorKind::BitAnd:
            return {"&", "__and__", "__rand__", "__iand__"};
        case OperatorKind::BitOr:
            return {"|", "__or__", "__ror__", "__ior__"};
        case OperatorKind::BitXor:
            return {"^", "__xor__", "__rxor__", "__ixor__"};
        case OperatorKind::Lt:
            return {"<", "__lt__", "__gt__", ""};
        case OperatorKind::Gt:
            return {">", "__gt__", "__lt__", ""};
        case OperatorKind::Le:
            return {"<=", "__le__", "__ge__", ""};
        case OperatorKind::Ge:
            return {">=", "__ge__", "__le__", ""};
        case OperatorKind::Eq:
            return {"==", "__eq__", "__eq__", ""};
        case OperatorKind::Ne:
            return {"!=", "__ne__", "__ne__", ""};
        default:
            return {"?", "", "", ""};
    }
}

bool is_comparison(OperatorKind op) { return op >= OperatorKind::Lt && op <= OperatorKind::Ne; }

[[noreturn]] void fail_zero(const char* what) { throw_error("ZeroDivisionError", what); }

// Only where nothing is out of the range of 64 bits.
std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
    if (b == -1) return 0;
    const std::int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// nullopt: the result has more than 64 bits.
std::optional<std::int64_t> int_pow(std::int64_t base, std::int64_t exponent) {
    std::int64_t result = 1;
    while (exponent > 0) {
        if ((exponent & 1) != 0 && __builtin_mul_overflow(result, base, &result)) return std::nullopt;
        exponent >>= 1;
        if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) return std::nullopt;
    }
    return result;
}

std::optional<std::int64_t> shift(std::int64_t a, std::int64_t count, bool is_left) {
    if (count < 0) throw_value_error("negative shift count");
    if (!is_left) return count > 63 ? (a < 0 ? -1 : 0) : a >> count;
    if (a == 0) return 0;
    std::int64_t result = 0;
    if (count > 62 || __builtin_mul_overflow(a, std::int64_t{1} << count, &result)) return std::nullopt;
    return result;
}

bool is_exact_double(std::int64_t value) {
    return value >= -(std::int64_t{1} << 53) && value <= (std::int64_t{1} << 53);
}

// nullopt: it is no operator of integers, or takes more than 64 bits.
std::optional<IValue> small_ints(OperatorKind op, std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    const auto fitting = [&out](bool overflows) { return overflows ? std::nullopt : std::optional<IValue>(out); };
    switch (op) {
        case OperatorKind::Add:
            return fitting(__builtin_add_overflow(a, b, &out));
        case OperatorKind::Sub:
            return fitting(__builtin_sub_overflow(a, b, &out));
        case OperatorKind::Mul:
            return fitting(__builtin_mul_overflow(a, b, &out));
        case OperatorKind::Div:
            if (b == 0) fail_zero("division by zero");
            if (!is_exact_double(a) || !is_exact_double(b)) return std::nullopt;
            return static_cast<double>(a) / static_cast<double>(b);
        case OperatorKind::FloorDiv:
            if (b == 0) fail_zero("integer division or modulo by zero");
            if (b == -1) return fitting(__builtin_sub_overflow(std::int64_t{0}, a, &out));
            return floor_div(a, b);
        case OperatorKind::Mod:
            if (b == 0) fail_zero("integer modulo by zero");
            return floor_mod(a, b);
        case OperatorKind::Pow:
            if (b >= 0) {
                const auto power = int_pow(a, b);
                return power ? std::optional<IValue>(*power) : std::nullopt;
            }
            if (a == 0) fail_zero("0.0 cannot be raised to a negative power");
            return std::pow(static_cast<double>(a), static_cast<double>(b));
        case OperatorKind::LeftShift:
        case OperatorKind::RightShift: {
            const auto shifted = shift(a, b, op == OperatorKind::LeftShift);
            return shifted ? std::optional<IValue>(*shifted) : std::nullopt;
        }
        case OperatorKind::BitAnd:
            return a & b;
        case OperatorKind::BitOr:
            return a | b;
        case OperatorKind::BitXor:
            return a ^ b;
        case OperatorKind::Lt:
            return a < b;
        case OperatorKind::Gt:
            return a > b;
        case OperatorKind::Le:
            return a <= b;
        case OperatorKind::Ge:
            return a >= b;
        default:
            return std::nullopt;
    }
}

double float_mod(double a, double b) {
    if (b == 0) fail_zero("float modulo");
    double rest = std::fmod(a, b);
    if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
    return rest == 0 ? std::copysign(0.0, b) : rest;
}

std::optional<IValue> doubles(OperatorKind op, double a, double b) {
    switch (op) {
        case OperatorKind::Add:
            return a + b;
        case OperatorKind::Sub:
            return a - b;
        case OperatorKind::Mul:
            return a * b;
        case OperatorKind::Div:
            if (b == 0) fail_zero("float division by zero");
            return a / b;
        case OperatorKind::FloorDiv:
            if (b == 0) fail_zero("float floor division by zero");
            return std::floor((a - float_mod(a, b)) / b + 0.5);
        case OperatorKind::Mod:
            return float_mod(a, b);
        case OperatorKind::Pow: {
            if (a == 0 && b < 0) fail_zero("0.0 cannot be raised to a negative power");
            if (a < 0 && std::floor(b) != b && std::isfinite(b)) return IValue(std::pow(std::complex<double>(a), b));
            const double result = std::pow(a, b);
            if (std::isinf(result) && std::isfinite(a) && std::isfinite(b)) {
                throw_error("OverflowError", "(34, 'Numerical result out of range')");
            }
            return result;
        }
        case OperatorKind::Lt:
            return a < b;
        case OperatorKind::Gt:
            return a > b;
        case OperatorKind::Le:
            return a <= b;
        case OperatorKind::Ge:
            return a >= b;
        default:
            return std::nullopt;
    }
}

// Small whole exponents by multiplication, as Python does.
std::complex<double> complex_pow(std::complex<double> base, std::complex<double> exponent) {
    const double whole = exponent.real();
    if (exponent.imag() != 0 || std::floor(whole) != whole || std::fabs(whole) > 100) return std::pow(base, exponent);
    std::complex<double> result = 1;
    auto power = base;
    for (auto left = static_cast<int>(std::fabs(whole)); left > 0; left >>= 1) {
        if ((left & 1) != 0) result *= power;
        power *= power;
    }
    return whole < 0 ? 1.0 / result : result;
}

std::optional<IValue> complexes(OperatorKind op, std::complex<double> a, std::complex<double> b) {
    switch (op) {
        case OperatorKind::Add:
            return a + b;
        case OperatorKind::Sub:
            return a - b;
        case OperatorKind::Mul:
            return a * b;
        case OperatorKind::Div:
            if (b == 0.0) fail_zero("complex division by zero");
            return a / b;
        case OperatorKind::Pow:
            return complex_pow(a, b);
        default:
            return std::nullopt;
    }
}

std::optional<IValue> numbers(OperatorKind op, const IValue& a, const IValue& b) {
    const auto is_integral = [](const IValue& v) { return v.is_int() || v.is_bool(); };
    if (a.is_bool() && b.is_bool()) {
        if (op == OperatorKind::BitAnd) return a.to_bool() && b.to_bool();
        if (op == OperatorKind::BitOr) return a.to_bool() || b.to_bool();
        if (op == OperatorKind::BitXor) return a.to_bool() != b.to_bool();
    }
    if (is_integral(a) && is_integral(b)) {
        if (auto result = small_ints(op, a.to_int(), b.to_int())) return result;
    }
    if (is_integer(a) && is_integer(b)) return integer_arithmetic(op, a, b);
    if (is_big_integer(a)) return numbers(op, integer_to_double(a), b);
    if (is_big_integer(b)) return numbers(op, a, integer_to_double(b));
    if (a.is_complex() || b.is_complex()) return complexes(op, a.to_complex(), b.to_complex());
    return doubles(op, a.to_double(), b.to_double());
}

std::vector<IValue> repeated(const std::vector<IValue>& values, std::int64_t count) {
    std::vector<IValue> out;
    if (count <= 0) return out;
    check_size(count, static_cast<std::int64_t>(values.size() * sizeof(IValue)));
    out.reserve(values.size() * static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) out.insert(out.end(), values.begin(), values.end());
    return out;
}

std::vector<IValue> joined(const std::vector<IValue>& a, const std::vector<IValue>& b) {
    std::vector<IValue> out = a;
    out.insert(out.end(), b.begin(), b.end());
    return out;
}

bool is_any_number(const IValue& value) { return value.is_number() || is_big_integer(value); }

bool is_repeat_count(const IValue& value) { return is_integer(value); }

std::optional<IValue> sequences(OperatorKind op, const IValue& a, const IValue& b) {
    if (op == OperatorKind::Mul) {
        const bool is_reversed = is_repeat_count(a);
        const IValue& sequence = is_reversed ? b : a;
        const IValue& count = is_reversed ? a : b;
        if (!is_repeat_count(count)) return std::nullopt;
        const bool is_sequence = sequence.is_list() || sequence.is_tuple() || sequence.is_string() ||
                                 object_as<BytesObject>(sequence) != nullptr;
        if (is_big_integer(count) && is_sequence)
            throw_error("OverflowError", "cannot fit 'int' into an index-sized integer");
        if (sequence.is_list()) return make_list(repeated(sequence.to_list().elements, count.to_int()));
        if (sequence.is_tuple()) return make_tuple(repeated(sequence.to_tuple().elements, count.to_int()));
        const auto* bytes = object_as<BytesObject>(sequence);
        if (!sequence.is_string() && bytes == nullptr) return std::nullopt;
        std::string out;
        const std::string& text = bytes != nullptr ? bytes->data : sequence.to_string();
        if (count.to_int() > 0) check_size(count.to_int(), static_cast<std::int64_t>(text.size()));
        for (std::int64_t i = 0; i < count.to_int(); ++i) out += text;
        return bytes != nullptr ? bytes->with(std::move(out)) : IValue(std::move(out));
    }
    if (op == OperatorKind::Mod && a.is_string()) return IValue(percent_format(a.to_string(), b));
    if (op == OperatorKind::BitOr && a.is_dict() && b.is_dict()) {
        IValue result = call_method(a, "copy", {});
        update_dict(result.to_dict(), b);
        return result;
    }
    if (op != OperatorKind::Add) return std::nullopt;
    if (a.is_string() && b.is_string()) return IValue(a.to_string() + b.to_string());
    if (a.is_list() && b.is_list()) return make_list(joined(a.to_list().elements, b.to_list().elements));
    if (a.is_tuple() && b.is_tuple()) return make_tuple(joined(a.to_tuple().elements, b.to_tuple().elements));
    if (const auto* x = object_as<BytesObject>(a), *y = object_as<BytesObject>(b); x != nullptr && y != nullptr) {
        return x->with(x->data + y->data);
    }
    return std::nullopt;
}

std::optional<IValue> by_method(const IValue& self, std::string_view name, const IValue& other) {
    const ClassObject* cls = dynamic_class(self);
    if (cls == nullptr || name.empty()) return std::nullopt;
    auto result = call_special(*cls, name, self, {other});
    if (result && is_same_object(*result, not_implemented())) return std::nullopt;
    return result;
}

std::optional<IValue> by_classes(const OperatorText& text, const IValue& a, const IValue& b) {
    const ClassObject* left = dynamic_class(a);
    const ClassObject* right = dynamic_class(b);
    const bool right_first = left != nullptr && right != nullptr && left != right && right->is_subclass_of(*left) &&
                             right->find(text.reflected) != nullptr;
    if (right_first) {
        if (auto result = by_method(b, text.reflected, a)) return result;
    }
    if (auto result = by_method(a, text.method, b)) return result;
    return right_first ? std::nullopt : by_method(b, text.reflected, a);
}

// int | None, List[int] | str.
std::optional<IValue> union_of(const IValue& a, const IValue& b) {
    const auto is_type = [](const IValue& v) {
        return v.is_none() || object_as<ClassObject>(v) != nullptr || object_as<TypingObject>(v) != nullptr ||
               object_as<MissingName>(v) != nullptr;
    };
    if (!is_type(a) || !is_type(b) || (a.is_none() && b.is_none())) return std::nullopt;
    auto result = make_ptr<TypingObject>();
    result->is_union = true;
    result->is_written_with_bars = true;
    for (const IValue* side : {&a, &b}) {
        const auto* other = object_as<TypingObject>(*side);
        if (other != nullptr && other->is_union) {
            result->arguments.insert(result->arguments.end(), other->arguments.begin(), other->arguments.end());
        } else {
            result->arguments.push_back(*side);
        }
    }
    return IValue::other(result);
}

std::optional<IValue> try_binary(OperatorKind op, const IValue& a, const IValue& b, const OperatorText& text) {
    if (a.is_number() && b.is_number()) return numbers(op, a, b);
    if (dynamic_class(a) != nullptr || dynamic_class(b) != nullptr) {
        if (auto result = by_classes(text, a, b)) return result;
    }
    if (is_foreign(a) || is_foreign(b)) {
        if (auto result = foreign_binary(op, a, b)) return result;
        if (!a.is_string()) return std::nullopt;  // "%.3f" % tensor
    }
    const IValue& x = plain(a);
    const IValue& y = plain(b);
    if (is_any_number(x) && is_any_number(y)) return numbers(op, x, y);
    if (auto result = sequences(op, x, y)) return result;
    if (auto result = set_binary(op, x, y)) return result;
    return op == OperatorKind::BitOr ? union_of(a, b) : std::nullopt;
}

[[noreturn]] void fail_operands(std::string_view symbol, const IValue& a, const IValue& b) {
    throw_type_error(
        concat("unsupported operand type(s) for ", symbol, ": '", type_name(a), "' and '", type_name(b), "'"));
}

[[noreturn]] void fail_binary(OperatorKind op, std::string_view symbol, const IValue& a, const IValue& b) {
    const auto is_sequence = [](const IValue& v) { return v.is_string() || v.is_list() || v.is_tuple(); };
    if (op == OperatorKind::Add && a.is_string()) {
        throw_type_error(concat("can only concatenate str (not \"", type_name(b), "\") to str"));
    }
    if (op == OperatorKind::Add && (a.is_list() || a.is_tuple())) {
        throw_type_error(
            concat("can only concatenate ", type_name(a), " (not \"", type_name(b), "\") to ", type_name(a)));
    }
    if (op == OperatorKind::Mul && (is_sequence(a) || is_sequence(b)) && !(a.is_number() && is_sequence(a))) {
        const IValue& other = is_sequence(a) ? b : a;
        throw_type_error(concat("can't multiply sequence by non-int of type '", type_name(other), "'"));
    }
    fail_operands(symbol, a, b);
}

}  // namespace

IValue binary(OperatorKind op, const IValue& a, const IValue& b) {
    if (op == OperatorKind::In) return contains(b, a);
    const OperatorText text = text_of(op);
    if (is_comparison(op)) return compare(op, a, b, text.method, text.reflected, text.symbol);
    if (auto result = try_binary(op, a, b, text)) return std::move(*result);
    fail_binary(op, text.symbol, a, b);
}

IValue in_place(OperatorKind op, const IValue& a, const IValue& b) {
    const OperatorText text = text_of(op);
    if (is_foreign(a)) {
        if (auto result = foreign_type(a).in_place(op, a, b)) return std::move(*result);
    }
    if (auto result = by_method(a, text.in_place, b)) return std::move(*result);
    if (a.is_list() && op == OperatorKind::Add) {
        extend_list(a, b);
        return a;
    }
    if (a.is_list() && op == OperatorKind::Mul && is_repeat_count(b)) {
        a.to_list().elements = repeated(a.to_list().elements, b.to_int());
        return a;
    }
    if (a.is_dict() && op == OperatorKind::BitOr) {
        update_dict(a.to_dict(), b);
        return a;
    }
    if (auto* set = object_as<SetObject>(plain(a));
        set != nullptr && !set->is_frozen && object_as<SetObject>(plain(b)) != nullptr) {
        if (op == OperatorKind::BitOr) {
            for (const IValue& value : object_as<SetObject>(plain(b))->values()) set->add(value);
            return a;
        }
        if (auto result = set_binary(op, plain(a), plain(b))) {
            const auto values = object_as<SetObject>(*result)->values();
            const auto gone = set->values();  // go when the set is whole
            set->clear();
            for (const IValue& value : values) set->add(value);
            return a;
        }
    }
    if (auto result = try_binary(op, a, b, text)) return std::move(*result);
    if (op == OperatorKind::Add || op == OperatorKind::Mul) fail_binary(op, concat(text.symbol, "="), a, b);
    fail_operands(op == OperatorKind::Pow ? "** or pow()" : concat(text.symbol, "="), a, b);
}

IValue unary(OperatorKind op, const IValue& a) {
    if (is_foreign(a)) {
        if (auto result = foreign_type(a).unary(op, a)) return std::move(*result);
    }
    const bool is_negate = op == OperatorKind::Negate;
    if (const ClassObject* cls = dynamic_class(a)) {
        if (auto result = call_special(*cls, is_negate ? "__neg__" : "__invert__", a)) return std::move(*result);
    }
    const IValue& value = plain(a);
    if (is_integer(value)) {
        std::int64_t negated = 0;
        if (is_big_integer(value)) return is_negate ? integer_negated(value) : integer_inverted(value);
        if (!is_negate) return ~value.to_int();
        return __builtin_sub_overflow(std::int64_t{0}, value.to_int(), &negated) ? integer_negated(value)
                                                                                 : IValue(negated);
    }
    if (is_negate && value.is_double()) return -value.to_double();
    if (is_negate && value.is_complex()) return -value.to_complex();
    throw_type_error(concat("bad operand type for unary ", is_negate ? "-" : "~", ": '", type_name(a), "'"));
}

const IValue& plain(const IValue& value) {
    const auto* instance = object_as<Instance>(value);
    return instance != nullptr && !instance->payload.is_none() ? instance->payload : value;
}

}  // namespace loupe::python
