// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/fuse/fused_expression.h"

#include <cstring>
#include <unordered_map>

#include "core/base/strings.h"
#include "core/ops/pointwise/kernels.h"
#include "core/ops/reduction/kernels.h"

namespace loupe::runtime {
namespace {

// Names in the order of the enumerators.
constexpr const char* kUnary[] = {
    "Abs",  "Neg",    "Sign",   "Reciprocal", "Sqrt",       "Rsqrt", "Square", "Cube",    "Floor",
    "Ceil", "Round",  "Trunc",  "Frac",       "BitwiseNot", "Conj",  "Exp",    "Exp2",    "Expm1",
    "Log",  "Log2",   "Log10",  "Log1p",      "Sin",        "Cos",   "Tan",    "Asin",    "Acos",
    "Atan", "Sinh",   "Cosh",   "Tanh",       "Asinh",      "Acosh", "Atanh",  "Sigmoid", "Erf",
    "Erfc", "Erfinv", "Lgamma", "Digamma",    "NanToNum",   "Sinc",  "Logit",  "I0",      "Polygamma"};
constexpr const char* kTest[] = {"IsNan", "IsInf", "IsFinite", "IsPosInf", "IsNegInf", "SignBit", "LogicalNot"};
constexpr const char* kActivation[] = {"Relu",
                                       "Hardtanh",
                                       "LeakyRelu",
                                       "Elu",
                                       "Gelu",
                                       "GeluTanh",
                                       "Silu",
                                       "Mish",
                                       "Hardsigmoid",
                                       "Hardswish",
                                       "Softplus",
                                       "Softshrink",
                                       "Hardshrink",
                                       "LogSigmoid",
                                       "Threshold",
                                       "HardtanhBackward",
                                       "LeakyReluBackward",
                                       "EluBackward",
                                       "EluBackwardOfResult",
                                       "GeluBackward",
                                       "GeluTanhBackward",
                                       "SiluBackward",
                                       "MishBackward",
                                       "HardsigmoidBackward",
                                       "HardswishBackward",
                                       "SoftplusBackward",
                                       "SoftshrinkBackward",
                                       "HardshrinkBackward",
                                       "LogSigmoidBackward",
                                       "ThresholdBackward",
                                       "SigmoidBackward",
                                       "TanhBackward"};
constexpr const char* kBinary[] = {"Add",        "Sub",       "AddScaled",  "SubScaled", "Mul",        "Div",
                                   "DivFloor",   "DivTrunc",  "Fmod",       "Remainder", "Pow",        "Atan2",
                                   "Maximum",    "Minimum",   "Fmax",       "Fmin",      "Hypot",      "Copysign",
                                   "Xlogy",      "Logaddexp", "Logaddexp2", "Nextafter", "BitwiseAnd", "BitwiseOr",
                                   "BitwiseXor", "ShiftLeft", "ShiftRight", "Gcd",       "Lcm",        "Heaviside"};
constexpr const char* kCompare[] = {"Eq", "Ne", "Lt", "Le", "Gt", "Ge", "LogicalAnd", "LogicalOr", "LogicalXor"};
constexpr const char* kTernary[] = {"Addcmul", "Addcdiv", "Lerp", "Clamp"};

static_assert(std::size(kUnary) == static_cast<std::size_t>(UnaryOp::Polygamma) + 1);
static_assert(std::size(kTest) == static_cast<std::size_t>(TestOp::LogicalNot) + 1);
static_assert(std::size(kActivation) == static_cast<std::size_t>(ActivationOp::TanhBackward) + 1);
static_assert(std::size(kBinary) == static_cast<std::size_t>(BinaryOp::Heaviside) + 1);
static_assert(std::size(kCompare) == static_cast<std::size_t>(CompareOp::LogicalXor) + 1);
static_assert(std::size(kTernary) == static_cast<std::size_t>(TernaryOp::Clamp) + 1);

std::uint8_t params_of(UnaryOp op) {
    switch (op) {
        case UnaryOp::NanToNum:
            return 3;
        case UnaryOp::Logit:
            return 2;
        case UnaryOp::Sinc:
        case UnaryOp::Polygamma:
            return 1;
        default:
            return 0;
    }
}
std::uint8_t params_of(ActivationOp op) {
    switch (op) {
        case ActivationOp::Elu:
        case ActivationOp::EluBackward:
        case ActivationOp::EluBackwardOfResult:
            return 3;
        case ActivationOp::Hardtanh:
        case ActivationOp::HardtanhBackward:
        case ActivationOp::Softplus:
        case ActivationOp::SoftplusBackward:
        case ActivationOp::Threshold:
            return 2;
        case ActivationOp::LeakyRelu:
        case ActivationOp::LeakyReluBackward:
        case ActivationOp::Softshrink:
        case ActivationOp::SoftshrinkBackward:
        case ActivationOp::Hardshrink:
        case ActivationOp::HardshrinkBackward:
        case ActivationOp::ThresholdBackward:
            return 1;
        default:
            return 0;
    }
}
std::uint8_t params_of(BinaryOp op) { return op == BinaryOp::AddScaled || op == BinaryOp::SubScaled ? 1 : 0; }
std::uint8_t params_of(TernaryOp op) { return op == TernaryOp::Addcmul || op == TernaryOp::Addcdiv ? 1 : 0; }
std::uint8_t params_of(TestOp) { return 0; }
std::uint8_t params_of(CompareOp) { return 0; }

constexpr const char* kReductions[] = {"Sum",    "Mean", "NanSum", "Prod",         "Max", "Min", "ArgMax",
                                       "ArgMin", "Any",  "All",    "CountNonzero", "Var", "Std"};
constexpr const char* kNorms[] = {"Norm0", "Norm1", "Norm2", "NormInf", "NormMinusInf", "NormP"};
static_assert(std::size(kReductions) == static_cast<std::size_t>(ReduceOp::Std) + 1);
static_assert(std::size(kNorms) == static_cast<std::size_t>(NormOrder::Other) + 1);

using KindMap = std::unordered_map<ElementwiseKernel, LoopKind>;

constexpr ScalarType kComputeTypes[] = {ScalarType::Float32, ScalarType::Float64, ScalarType::Int64,
                                        ScalarType::Complex64, ScalarType::Complex128};

template <typename Op>
void add_family(KindMap& kinds, LoopFamily family, std::size_t count, ElementwiseKernel (*find)(Op, ScalarType)) {
    for (std::size_t i = 0; i < count; ++i) {
        const Op op = static_cast<Op>(i);
        for (const ScalarType as : kComputeTypes) {
            if (const ElementwiseKernel kernel = find(op, as)) {
                kinds.try_emplace(kernel, LoopKind{family, static_cast<std::uint8_t>(i), as, params_of(op)});
            }
        }
    }
}

KindMap make_kinds() {
    KindMap kinds;
    add_family(kinds, LoopFamily::Unary, std::size(kUnary), &unary_kernel);
    add_family(kinds, LoopFamily::Test, std::size(kTest), &test_kernel);
    kinds.try_emplace(test_kernel(TestOp::LogicalNot, ScalarType::Bool),
                      LoopKind{LoopFamily::Test, static_cast<std::uint8_t>(TestOp::LogicalNot), ScalarType::Bool, 0});
    add_family(kinds, LoopFamily::Activation, std::size(kActivation), &activation_kernel);
    add_family(kinds, LoopFamily::Binary, std::size(kBinary), &binary_kernel);
    add_family(kinds, LoopFamily::Compare, std::size(kCompare), &compare_kernel);
    add_family(kinds, LoopFamily::Ternary, std::size(kTernary), &ternary_kernel);
    for (const ScalarType dtype :
         {ScalarType::UInt8, ScalarType::Float16, ScalarType::Float32, ScalarType::Float64, ScalarType::Complex128}) {
        kinds.try_emplace(where_kernel(dtype), LoopKind{LoopFamily::Where, 0, dtype, 0});
    }
    return kinds;
}

std::unordered_map<const Reduction*, std::string> make_reduction_names() {
    std::unordered_map<const Reduction*, std::string> names;
    for (const ScalarType as :
         {ScalarType::Bool, ScalarType::UInt8, ScalarType::Int64, ScalarType::Float32, ScalarType::Float64}) {
        for (std::size_t i = 0; i < std::size(kReductions); ++i)
            names.try_emplace(reduction_kernel(static_cast<ReduceOp>(i), as), kReductions[i]);
        for (std::size_t i = 0; i < std::size(kNorms); ++i)
            names.try_emplace(norm_kernel(static_cast<NormOrder>(i), as), kNorms[i]);
    }
    names.erase(nullptr);
    return names;
}

const char* shape_text(const FusedExpression& expression, std::size_t value) {
    if (!expression.is_of_rows() || expression.shapes[value] == RowShape::Elements) return "";
    return expression.shapes[value] == RowShape::PerRow ? " per row" : " columns";
}

}  // namespace

std::string reduction_name(const Reduction* reduction) {
    static const auto kNames = make_reduction_names();
    const auto found = kNames.find(reduction);
    return found == kNames.end() ? std::string() : found->second;
}

std::string LoopKind::name() const {
    switch (family) {
        case LoopFamily::Unary:
            return kUnary[op];
        case LoopFamily::Test:
            return kTest[op];
        case LoopFamily::Activation:
            return kActivation[op];
        case LoopFamily::Binary:
            return kBinary[op];
        case LoopFamily::Compare:
            return kCompare[op];
        case LoopFamily::Ternary:
            return kTernary[op];
        case LoopFamily::Where:
            return "Where";
        case LoopFamily::Convert:
            return "Convert";
        case LoopFamily::Rows:
            return "Rows";
        case LoopFamily::Also:
            return "Also";
    }
    return {};
}

bool find_loop_kind(ElementwiseKernel kernel, LoopKind& kind) {
    static const KindMap kKinds = make_kinds();
    const auto found = kKinds.find(kernel);
    if (found == kKinds.end()) return false;
    kind = found->second;
    return true;
}

std::string number_text(const std::byte* element, ScalarType dtype) {
    const auto as = [element]<typename T>(T) {
        T value;
        std::memcpy(&value, element, sizeof(T));
        return value;
    };
    std::array<char, 64> text{};
    const auto real = [&](double value, int digits) { std::snprintf(text.data(), text.size(), "%.*g", digits, value); };
    if (dtype == ScalarType::Bool) return as(std::uint8_t{}) != 0 ? "true" : "false";
    if (dtype == ScalarType::Int64) return std::to_string(as(std::int64_t{}));
    if (dtype == ScalarType::Float32)
        real(static_cast<double>(as(float{})), 9);
    else if (dtype == ScalarType::Float64)
        real(as(double{}), 17);
    else {
        std::string hex = "0x";
        for (std::int64_t i = element_size(dtype); i-- > 0;) {
            std::snprintf(text.data(), text.size(), "%02x", static_cast<unsigned>(element[i]));
            hex += text.data();
        }
        return hex;
    }
    return text.data();
}

std::string FusedExpression::str() const {
    std::string out;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        out += concat("%", i, ": ", dtype_name(inputs[i]), shape_text(*this, i), "\n");
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const FusedStep& step = steps[i];
        out += concat("%", inputs.size() + i, ": ", dtype_name(step.dtype), shape_text(*this, inputs.size() + i), " = ",
                      step.rows ? concat(step.rows->name, " rows") : step.kind.name(), "(");
        const char* comma = "";
        for (const FusedOperand& operand : step.inputs) {
            out += comma;
            out += operand.is_number ? number_text(operand.number.data(), operand.as) : concat("%", operand.value);
            comma = ", ";
            if (operand.is_number || dtype_of(operand.value) != operand.as)
                out += concat(" as ", dtype_name(operand.as));
        }
        for (const Scalar& param : step.params) {
            const double value = param.to_double();
            std::array<std::byte, 16> bytes{};
            if (param.is_integral()) {
                const std::int64_t integer = param.to_int();
                std::memcpy(bytes.data(), &integer, sizeof(integer));
            } else {
                std::memcpy(bytes.data(), &value, sizeof(value));
            }
            out +=
                concat("; ", number_text(bytes.data(), param.is_integral() ? ScalarType::Int64 : ScalarType::Float64));
        }
        for (std::size_t n = 0; step.rows && n < step.rows->numbers.size(); ++n) {
            std::array<std::byte, 16> bytes{};
            std::memcpy(bytes.data(), &step.rows->numbers[n], sizeof(double));
            out += concat("; ", number_text(bytes.data(), ScalarType::Float64));
        }
        out += ")";
        if ((step.kind.as != step.result_as && !step.rows) || step.result_as != step.dtype)
            out += concat(" in ", dtype_name(step.kind.as));
        out += "\n";
    }
    out += "return";
    for (const std::uint32_t output : outputs) out += concat(" %", output);
    return out;
}

}  // namespace loupe::runtime
