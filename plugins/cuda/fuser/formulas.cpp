// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/fuser/formulas.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ops/pointwise/operations.h"
#include "core/tensor/scalar_type.h"

namespace loupe::cuda {

using runtime::FusedExpression;
using runtime::FusedStep;
using runtime::LoopFamily;

namespace {

bool is_integer_type(ScalarType t) { return is_integral(t) && t != ScalarType::Bool; }

// Where a formula is, and for which types.
struct Formula {
    std::string name;  // empty: there is none
    bool of_reals = true;
    bool of_integers = false;
};

Formula unary_formula(const FusedStep& step) {
    const std::string name = "unary::" + step.kind.name();
    switch (static_cast<UnaryOp>(step.kind.op)) {
        case UnaryOp::Abs:
            return {is_integral(step.kind.as) ? name : name + "Real", true, true};
        case UnaryOp::Neg:
        case UnaryOp::Sign:
        case UnaryOp::Square:
        case UnaryOp::Cube:
            return {name, true, true};
        case UnaryOp::BitwiseNot:
            return {name, false, true};
        case UnaryOp::Conj:
        case UnaryOp::Digamma:
        case UnaryOp::Erfinv:
        case UnaryOp::I0:
        case UnaryOp::Polygamma:
            return {};
        default:
            return {name};
    }
}

Formula test_formula(const FusedStep& step) {
    const std::string name = step.kind.name();
    if (!is_integral(step.kind.as)) return {"unary::" + name};
    switch (static_cast<TestOp>(step.kind.op)) {
        case TestOp::IsFinite:
            return {"unary::Always", false, true};
        case TestOp::SignBit:
            return {"unary::IsNegative", false, true};
        case TestOp::LogicalNot:
            return {"unary::LogicalNot", false, true};
        default:
            return {"unary::Never", false, true};
    }
}

Formula activation_formula(const FusedStep& step) {
    const std::string name = step.kind.name();
    switch (static_cast<ActivationOp>(step.kind.op)) {
        case ActivationOp::Relu:
        case ActivationOp::Hardtanh:
        case ActivationOp::Threshold:
            return {"activation::" + name, true, true};
        case ActivationOp::EluBackwardOfResult:
            return {"slope::EluOfResult"};
        case ActivationOp::SoftshrinkBackward:
        case ActivationOp::HardshrinkBackward:
            return {"slope::Shrink"};
        case ActivationOp::ThresholdBackward:
            return {"slope::Threshold", true, true};
        default:
            break;
    }
    constexpr std::string_view kBackward = "Backward";
    if (name.ends_with(kBackward)) return {"slope::" + name.substr(0, name.size() - kBackward.size())};
    return {"activation::" + name};
}

Formula binary_formula(const FusedStep& step) {
    const std::string name = step.kind.name();
    constexpr std::string_view kBitwise = "Bitwise";
    switch (static_cast<BinaryOp>(step.kind.op)) {
        case BinaryOp::Div:
        case BinaryOp::DivFloor:
        case BinaryOp::DivTrunc:
        case BinaryOp::Fmod:
        case BinaryOp::Remainder:
        case BinaryOp::Atan2:
        case BinaryOp::Hypot:
        case BinaryOp::Copysign:
        case BinaryOp::Xlogy:
        case BinaryOp::Logaddexp:
        case BinaryOp::Logaddexp2:
        case BinaryOp::Nextafter:
            return {"binary::" + name};
        case BinaryOp::BitwiseAnd:
        case BinaryOp::BitwiseOr:
        case BinaryOp::BitwiseXor:
            return {"binary::" + name.substr(kBitwise.size()), false, true};
        case BinaryOp::ShiftLeft:
        case BinaryOp::ShiftRight:
        case BinaryOp::Gcd:
        case BinaryOp::Lcm:
            return {"binary::" + name, false, true};
        default:
            return {"binary::" + name, true, true};
    }
}

Formula ternary_formula(const FusedStep& step) {
    const auto op = static_cast<TernaryOp>(step.kind.op);
    return {"ternary::" + step.kind.name(), true, op == TernaryOp::Addcmul || op == TernaryOp::Clamp};
}

Formula formula_of(const FusedStep& step) {
    switch (step.kind.family) {
        case LoopFamily::Unary:
            return unary_formula(step);
        case LoopFamily::Test:
            return test_formula(step);
        case LoopFamily::Activation:
            return activation_formula(step);
        case LoopFamily::Binary:
            return binary_formula(step);
        case LoopFamily::Compare:
            return {"binary::" + step.kind.name(), true, true};
        case LoopFamily::Ternary:
            return ternary_formula(step);
        default:
            return {};
    }
}

bool has_rows_formula(const FusedStep& step) {
    const runtime::FusedRowLoop& rows = *step.rows;
    if (rows.reduction != nullptr) return !reduction_text(rows.name, step.kind.as).empty();
    constexpr std::string_view kKnown[] = {
        "Softmax",   "LogSoftmax",        "SoftmaxBackward",         "LogSoftmaxBackward",
        "LayerNorm", "LayerNormBackward", "LayerNormBackwardInSteps"};
    return std::find(std::begin(kKnown), std::end(kKnown), rows.name) != std::end(kKnown) && is_floating(step.kind.as);
}

// The number of a step without a formula, in the words of the reason.
std::string step_refusal(const FusedStep& step) {
    const std::string as = std::string(dtype_name(step.kind.as));
    if (step.rows)
        return has_rows_formula(step) ? "" : concat(step.rows->name, " of rows in ", as, " has no kernel there");
    if (step.kind.family == LoopFamily::Where || step.kind.family == LoopFamily::Convert ||
        step.kind.family == LoopFamily::Also)
        return {};
    const Formula formula = formula_of(step);
    const bool is_there = !formula.name.empty() && (is_integral(step.kind.as) ? formula.of_integers : formula.of_reals);
    return is_there ? "" : concat(step.kind.name(), " in ", as, " has no formula there");
}

bool is_refused_type(ScalarType t) { return is_complex(t) || !has_dtype(kCommonDtypes, t); }

}  // namespace

const char* element_name(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::UInt8:
            return "UInt8";
        case ScalarType::Int8:
            return "Int8";
        case ScalarType::Int16:
            return "Int16";
        case ScalarType::Int32:
            return "Int32";
        case ScalarType::Int64:
            return "Int64";
        case ScalarType::Float16:
            return "Float16";
        case ScalarType::Float32:
            return "Float32";
        case ScalarType::Float64:
            return "Float64";
        case ScalarType::Bool:
            return "Bool";
        case ScalarType::BFloat16:
            return "BFloat16";
        default:
            throw Error(ErrorKind::Internal, "a dtype that kernels do not compute with");
    }
}

const char* register_type(ScalarType dtype) {
    if (dtype == ScalarType::Bool) return "bool";
    if (is_integral(dtype)) return "std::int64_t";
    return dtype == ScalarType::Float64 ? "double" : "float";
}

std::string literal(double number, ScalarType as) {
    const bool is_wide = as == ScalarType::Float64;
    const char* const type = is_wide ? "double" : "float";
    if (number != number) return concat("std::numeric_limits<", type, ">::quiet_NaN()");
    if (std::isinf(number)) return concat(number < 0 ? "-" : "", "std::numeric_limits<", type, ">::infinity()");
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*g", is_wide ? 17 : 9, number);
    std::string out = text.data();
    if (out.find_first_of(".e") == std::string::npos) out += ".0";
    return is_wide ? out : out + "F";
}

std::string literal(const std::byte* number, ScalarType dtype) {
    const auto read = [number]<typename T>(T value) {
        std::memcpy(&value, number, sizeof(T));
        return value;
    };
    const auto whole = [](std::int64_t value) {
        if (value == std::numeric_limits<std::int64_t>::min())
            return std::string("std::numeric_limits<std::int64_t>::min()");
        return concat("std::int64_t{", value, "}");
    };
    switch (dtype) {
        case ScalarType::Float32:
            return literal(static_cast<double>(read(float{})), dtype);
        case ScalarType::Float64:
            return literal(read(double{}), dtype);
        case ScalarType::Float16:
            return literal(static_cast<double>(static_cast<float>(read(Half{}))), dtype);
        case ScalarType::BFloat16:
            return literal(static_cast<double>(static_cast<float>(read(BFloat16{}))), dtype);
        case ScalarType::Bool:
            return read(std::uint8_t{}) != 0 ? "true" : "false";
        case ScalarType::UInt8:
            return whole(read(std::uint8_t{}));
        case ScalarType::Int8:
            return whole(read(std::int8_t{}));
        case ScalarType::Int16:
            return whole(read(std::int16_t{}));
        case ScalarType::Int32:
            return whole(read(std::int32_t{}));
        default:
            return whole(read(std::int64_t{}));
    }
}

std::string converted_text(const std::string& x, ScalarType from, ScalarType to) {
    const auto is_narrow = [](ScalarType t) { return t == ScalarType::Float16 || t == ScalarType::BFloat16; };
    if (from == to || (is_narrow(from) && to == ScalarType::Float32)) return x;
    // What fits as it is.
    if (to == ScalarType::Int64 && is_integer_type(from)) return x;
    return concat("as<Element::", element_name(to), ">(", x, ")");
}

std::string step_text(const FusedStep& step, const std::vector<std::string>& operands, const std::string& numbers) {
    if (step.kind.family == LoopFamily::Where) {
        const std::string chosen = concat("(", operands[0], " ? ", operands[1], " : ", operands[2], ")");
        return converted_text(chosen, step.result_as, step.dtype);
    }
    if (step.kind.family == LoopFamily::Convert) return converted_text(operands[0], step.inputs[0].as, step.dtype);
    const std::string type = is_integral(step.kind.as) ? "std::int64_t" : register_type(step.kind.as);
    std::string text = concat(formula_of(step).name, "::of<", type, ">(", numbers.empty() ? "kNoNumbers" : numbers);
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const bool is_truth = step.inputs[i].as == ScalarType::Bool && type == "std::int64_t";
        text += is_truth ? concat(", std::int64_t(", operands[i], ")") : ", " + operands[i];
    }
    return converted_text(text + ")", step.result_as, step.dtype);
}

std::string numbers_text(const FusedStep& step) {
    if (step.params.empty()) return {};
    std::string reals, wholes;
    for (const Scalar& param : step.params) {
        const char* const comma = reals.empty() ? "" : ", ";
        reals += comma + literal(param.to_double(), ScalarType::Float64);
        wholes += concat(comma, param.is_integral() ? param.to_int() : 0);
    }
    return concat("{{", reals, "}, {", wholes, "}}");
}

std::string reduction_text(const std::string& name, ScalarType as) {
    const bool is_real = as == ScalarType::Float32 || as == ScalarType::Float64;
    const std::string type = is_real ? register_type(as) : "std::int64_t";
    if (name.starts_with("Norm")) return is_real ? concat(name, "<", type, ">") : "";
    const bool is_for_reals = name == "Mean" || name == "Var" || name == "Std";
    if (is_for_reals && !is_real) return {};
    std::string functor = name;
    if (name == "Max" || name == "ArgMax") functor = "Greatest";
    if (name == "Min" || name == "ArgMin") functor = "Least";
    if (name == "Var") functor = "Variance";
    if (name == "Std") functor = "Deviation";
    return concat("reduction::", functor, "<", type, ">");
}

std::string refusal(const FusedExpression& expression) {
    for (const ScalarType dtype : expression.inputs) {
        if (is_refused_type(dtype)) return concat(dtype_name(dtype), " input");
    }
    for (const FusedStep& step : expression.steps) {
        if (is_refused_type(step.dtype) || (step.kind.family != LoopFamily::Where && is_refused_type(step.kind.as)))
            return concat(dtype_name(step.dtype), " values");
        const std::string reason = step_refusal(step);
        if (!reason.empty()) return reason;
    }
    for (const std::uint32_t output : expression.outputs) {
        if (output < expression.inputs.size()) return "a value that is given back as it is";
    }
    return {};
}

}  // namespace loupe::cuda
