// SPDX-License-Identifier: Apache-2.0
#pragma once
// Points where functions have edges: zeros of both signs, ends of their ranges, where approximations meet, infinities
// and NaN.

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch/functions.h"
#include "core/dispatch/registry.h"

namespace loupe::sweep {

// [30], in float64.
inline Tensor real_edges() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                     kNan = std::numeric_limits<double>::quiet_NaN();
    return tensor_of<double>(
        {0.0,  -0.0, 1e-30, 1e-5,  0.1,       0.5,        0.9,  1.0,  1.5,  2.0,  3.7,  5.0,  7.9,  8.1,   12.0,
         20.0, 30.0, 60.0,  300.0, kInfinity, -kInfinity, kNan, -0.1, -0.5, -1.0, -2.0, -3.7, -8.1, -20.0, -26.5},
        {30});
}

// All pairs of some as complex numbers.
inline Tensor complex_edges(ScalarType dtype) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity(),
                     kNan = std::numeric_limits<double>::quiet_NaN();
    constexpr double kParts[] = {0.0,  -0.0, 1.0,  -1.0, 0.5,  -0.5,  2.0,       -2.0,       1e-3,
                                 -0.3, 3.1,  12.0, 30.0, 95.0, -95.0, kInfinity, -kInfinity, kNan};
    std::vector<double> parts;
    for (const double re : kParts) {
        for (const double im : kParts) parts.insert(parts.end(), {re, im});
    }
    const auto count = static_cast<std::int64_t>(parts.size() / 2);
    const Tensor wide = fn::view_as_complex(tensor_of<double>(parts, std::array<std::int64_t, 2>{count, 2}));
    return fn::to_dtype(wide, static_cast<std::int64_t>(dtype));
}

// Functions of one complex number.
inline constexpr std::string_view kComplexFunctions[] = {
    "neg",   "abs",     "angle", "sgn",   "conj_physical", "reciprocal", "square",     "exp",   "exp2",
    "expm1", "log",     "log2",  "log10", "log1p",         "sqrt",       "rsqrt",      "sin",   "cos",
    "tan",   "asin",    "acos",  "atan",  "sinh",          "cosh",       "tanh",       "asinh", "acosh",
    "atanh", "sigmoid", "sinc",  "isnan", "isinf",         "isfinite",   "logical_not"};

// Special functions of tensors alone, and of how many.
struct SpecialFunction {
    const Operator* op;
    bool is_pair;
};
inline std::vector<SpecialFunction> special_functions() {
    std::vector<SpecialFunction> all;
    for (const Operator* const op : all_operators()) {
        const std::string& name = op->full_name;
        const bool is_special = name.starts_with("aten::special_") || name.starts_with("aten::igamma") ||
                                name == "aten::digamma" || name == "aten::erfinv" || name == "aten::i0";
        if (!is_special || op->variant != OperatorVariant::Functional || op->record->kernel.function == nullptr ||
            name.find("scalar") != std::string::npos)
            continue;
        const std::string_view schema = op->record->schema;
        all.push_back({op, schema.find("Tensor other") != schema.npos || schema.find("Tensor n)") != schema.npos});
    }
    return all;
}

}  // namespace loupe::sweep
