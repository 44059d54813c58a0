// SPDX-License-Identifier: Apache-2.0
// The module math.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/library/standard_modules.h"

namespace loupe::python {
namespace {

using Unary = double (*)(double);

double checked(double result, double input) {
    if (std::isnan(result) && !std::isnan(input)) throw_value_error("math domain error");
    if (std::isinf(result) && std::isfinite(input)) throw_error("OverflowError", "math range error");
    return result;
}

void define_unary(PythonModule& module, std::string name, Unary function) {
    module.define(name, [name, function](CallArguments a) -> IValue {
        check_positional(a, "math." + name, 1, 1);
        const double value = to_float(a.positional[0]);
        return checked(function(value), value);
    });
}

IValue to_whole(const CallArguments& a, std::string_view name, std::string_view method, Unary function) {
    check_positional(a, name, 1, 1);
    const IValue& value = plain(a.positional[0]);
    if (value.is_int() || value.is_bool()) return value.to_int();
    if (is_big_integer(value)) return value;
    if (const ClassObject* cls = dynamic_class(value)) {
        if (auto made = call_special(*cls, method, value)) return *made;
    }
    const double whole = function(to_float(value));
    if (std::isnan(whole)) throw_value_error("cannot convert float NaN to integer");
    if (std::isinf(whole)) throw_error("OverflowError", "cannot convert float infinity to integer");
    return integer_of(whole);
}

double logarithm(const IValue& value) {
    if (is_big_integer(plain(value)) && !is_negative_integer(plain(value))) {  // also of those that no double holds
        const std::int64_t bits = std::max<std::int64_t>(integer_bits(plain(value)) - 64, 0);
        const double top = integer_to_double(binary(OperatorKind::RightShift, plain(value), bits));
        return std::log(top) + static_cast<double>(bits) * 0.6931471805599453;
    }
    const double x = to_float(value);
    if (x <= 0) throw_value_error("math domain error");
    return std::log(x);
}

IValue log(CallArguments a) {
    check_positional(a, "log", 1, 2);
    if (a.positional.size() == 1) return logarithm(a.positional[0]);
    const double base = logarithm(a.positional[1]);
    if (base == 0) throw_error("ZeroDivisionError", "float division by zero");
    return logarithm(a.positional[0]) / base;
}

IValue times(const IValue& a, const IValue& b) { return binary(OperatorKind::Mul, a, b); }

// An int, of any size.
IValue whole_of(const IValue& value) { return is_big_integer(plain(value)) ? plain(value) : IValue(to_index(value)); }

IValue factorial(CallArguments a) {
    check_positional(a, "factorial", 1, 1);
    const std::int64_t n = to_index(a.positional[0]);
    if (n < 0) throw_value_error("factorial() not defined for negative values");
    IValue out = 1;
    for (std::int64_t i = 2; i <= n; ++i) out = times(out, i);
    return out;
}

IValue combinations(CallArguments a) {
    check_positional(a, "comb", 2, 2);
    const std::int64_t n = to_index(a.positional[0]);
    std::int64_t k = to_index(a.positional[1]);
    if (n < 0 || k < 0) throw_value_error("n and k must be non-negative integers");
    if (k > n) return IValue(0);
    k = std::min(k, n - k);
    IValue out = 1;
    for (std::int64_t i = 1; i <= k; ++i) out = binary(OperatorKind::FloorDiv, times(out, n - k + i), i);
    return out;
}

IValue permutations(CallArguments a) {
    check_positional(a, "perm", 1, 2);
    const std::int64_t n = to_index(a.positional[0]);
    const std::int64_t k = a.positional.size() > 1 ? to_index(a.positional[1]) : n;
    if (n < 0 || k < 0) throw_value_error("n must be a non-negative integer");
    IValue out = k > n ? 0 : 1;
    for (std::int64_t i = 0; i < k && k <= n; ++i) out = times(out, n - i);
    return out;
}

IValue square_root(CallArguments a) {
    check_positional(a, "isqrt", 1, 1);
    const IValue n = whole_of(a.positional[0]);
    if (is_negative_integer(n)) throw_value_error("isqrt() argument must be nonnegative");
    return integer_root(n);
}

IValue greatest_divisor(IValue a, IValue b) {
    if (a.is_int() && b.is_int() && a.to_int() != INT64_MIN && b.to_int() != INT64_MIN)
        return std::gcd(a.to_int(), b.to_int());
    while (truth(b)) {
        IValue rest = binary(OperatorKind::Mod, a, b);
        a = std::exchange(b, std::move(rest));
    }
    return is_negative_integer(a) ? integer_negated(a) : a;
}

// Neumaier's sum in two parts is exact enough to give what Python's fsum gives, but for cancellations past 106 bits.
IValue exact_sum(CallArguments a) {
    check_positional(a, "fsum", 1, 1);
    std::vector<double> partials;
    for_each(a.positional[0], [&](const IValue& value) {
        double x = to_float(value);
        std::size_t kept = 0;
        for (double y : partials) {
            if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
            const double high = x + y;
            const double low = y - (high - x);
            if (low != 0) partials[kept++] = low;
            x = high;
        }
        partials.resize(kept);
        partials.push_back(x);
        return true;
    });
    return std::accumulate(partials.begin(), partials.end(), 0.0);
}

IValue product(CallArguments a) {
    const BoundArguments given(a, "prod", {"iterable", "/", "*", "start="});
    IValue out = given.has(1) ? given[1] : IValue(1);
    for_each(given[0], [&](const IValue& value) {
        out = binary(OperatorKind::Mul, out, value);
        return true;
    });
    return out;
}

IValue is_close(CallArguments a) {
    const BoundArguments given(a, "isclose", {"a", "b", "*", "rel_tol=", "abs_tol="});
    const double x = to_float(given[0]);
    const double y = to_float(given[1]);
    const double relative = given.has(2) ? to_float(given[2]) : 1e-9;
    const double absolute = given.has(3) ? to_float(given[3]) : 0.0;
    if (x == y) return true;
    if (std::isinf(x) || std::isinf(y)) return false;
    return std::fabs(x - y) <= std::max(relative * std::max(std::fabs(x), std::fabs(y)), absolute);
}

void define_two(PythonModule& module, std::string name, double (*function)(double, double)) {
    module.define(name, [name, function](CallArguments a) -> IValue {
        check_positional(a, name, 2, 2);
        const double x = to_float(a.positional[0]);
        const double y = to_float(a.positional[1]);
        const double result = function(x, y);
        if (std::isnan(result) && !std::isnan(x) && !std::isnan(y)) throw_value_error("math domain error");
        if (std::isinf(result) && std::isfinite(x) && std::isfinite(y))
            throw_error("OverflowError", "math range error");
        return result;
    });
}

void define_integers(PythonModule& module) {
    module.define("factorial", factorial);
    module.define("comb", combinations);
    module.define("perm", permutations);
    module.define("isqrt", square_root);
    module.define("gcd", [](CallArguments a) -> IValue {
        IValue out = 0;
        for (const IValue& value : a.positional) out = greatest_divisor(out, whole_of(value));
        return out;
    });
    module.define("lcm", [](CallArguments a) -> IValue {
        IValue out = 1;
        for (const IValue& value : a.positional) {
            const IValue n = whole_of(value);
            if (!truth(n)) return 0;
            out = times(binary(OperatorKind::FloorDiv, out, greatest_divisor(out, n)),
                        is_negative_integer(n) ? integer_negated(n) : n);
        }
        return out;
    });
    module.define("ceil", [](CallArguments a) { return to_whole(a, "ceil", "__ceil__", std::ceil); });
    module.define("floor", [](CallArguments a) { return to_whole(a, "floor", "__floor__", std::floor); });
    module.define("trunc", [](CallArguments a) { return to_whole(a, "trunc", "__trunc__", std::trunc); });
}

void define_parts(PythonModule& module) {
    module.define("modf", [](CallArguments a) {
        check_positional(a, "modf", 1, 1);
        double whole = 0;
        const double part = std::modf(to_float(a.positional[0]), &whole);
        return make_tuple({IValue(part), IValue(whole)});
    });
    module.define("frexp", [](CallArguments a) {
        check_positional(a, "frexp", 1, 1);
        int exponent = 0;
        const double mantissa = std::frexp(to_float(a.positional[0]), &exponent);
        return make_tuple({IValue(mantissa), IValue(exponent)});
    });
    module.define("ldexp", [](CallArguments a) -> IValue {
        check_positional(a, "ldexp", 2, 2);
        return std::ldexp(to_float(a.positional[0]),
                          static_cast<int>(std::clamp<std::int64_t>(to_index(a.positional[1]), -5000, 5000)));
    });
    module.define("hypot", [](CallArguments a) -> IValue {
        double out = 0;
        for (const IValue& value : a.positional) out = std::hypot(out, to_float(value));
        return out;
    });
    module.define("dist", [](CallArguments a) -> IValue {
        check_positional(a, "dist", 2, 2);
        const auto p = to_vector(a.positional[0]);
        const auto q = to_vector(a.positional[1]);
        if (p.size() != q.size()) throw_value_error("both points must have the same number of dimensions");
        double out = 0;
        for (std::size_t i = 0; i < p.size(); ++i) out = std::hypot(out, to_float(p[i]) - to_float(q[i]));
        return out;
    });
}

void define_tests(PythonModule& module) {
    const auto test = [&](std::string name, bool (*holds)(double)) {
        module.define(name, [name, holds](CallArguments a) -> IValue {
            check_positional(a, name, 1, 1);
            return holds(to_float(a.positional[0]));
        });
    };
    test("isnan", [](double x) { return std::isnan(x); });
    test("isinf", [](double x) { return std::isinf(x); });
    test("isfinite", [](double x) { return std::isfinite(x); });
    module.define("isclose", is_close);
}

}  // namespace

void fill_math(PythonModule& module) {
    module.define("pi", IValue(std::numbers::pi));
    module.define("e", IValue(std::numbers::e));
    module.define("tau", IValue(2 * std::numbers::pi));
    module.define("inf", IValue(std::numeric_limits<double>::infinity()));
    module.define("nan", IValue(std::numeric_limits<double>::quiet_NaN()));
    const std::pair<const char*, Unary> functions[] = {
        {"sqrt", std::sqrt},
        {"exp", std::exp},
        {"exp2", std::exp2},
        {"expm1", std::expm1},
        {"log1p", std::log1p},
        {"sin", std::sin},
        {"cos", std::cos},
        {"tan", std::tan},
        {"asin", std::asin},
        {"acos", std::acos},
        {"atan", std::atan},
        {"sinh", std::sinh},
        {"cosh", std::cosh},
        {"tanh", std::tanh},
        {"asinh", std::asinh},
        {"acosh", std::acosh},
        {"atanh", std::atanh},
        {"erf", std::erf},
        {"erfc", std::erfc},
        {"gamma", std::tgamma},
        {"lgamma", std::lgamma},
        {"fabs", std::fabs},
        {"cbrt", std::cbrt},
        {"degrees", [](double x) { return x * (180.0 / std::numbers::pi); }},
        {"radians", [](double x) { return x * (std::numbers::pi / 180.0); }},
        {"log2",
         [](double x) {
             if (x <= 0) throw_value_error("math domain error");
             return std::log2(x);
         }},
        {"log10",
         [](double x) {
             if (x <= 0) throw_value_error("math domain error");
             return std::log10(x);
         }},
    };
    for (const auto& [name, function] : functions) define_unary(module, name, function);
    define_two(module, "pow", std::pow);
    define_two(module, "atan2", std::atan2);
    define_two(module, "fmod", std::fmod);
    define_two(module, "copysign", std::copysign);
    define_two(module, "remainder", std::remainder);
    module.define("log", log);
    module.define("fsum", exact_sum);
    module.define("prod", product);
    define_integers(module);
    define_parts(module);
    define_tests(module);
}

}  // namespace loupe::python
