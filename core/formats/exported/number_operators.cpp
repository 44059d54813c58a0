// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/number_operators.h"

#include <algorithm>
#include <array>

#include "core/base/strings.h"
#include "core/formats/exported/expression_fit.h"

namespace loupe::exported {
namespace {

using Kind = SymbolExpression::Kind;

struct NumberOperator {
    std::string_view aten;
    std::string_view target;
    std::string_view sympy;        // of whole numbers
    std::string_view sympy_float;  // where an argument or the result is none
};
constexpr std::array kOperators = {
    NumberOperator{"aten::add", "_operator.add", "Add", "Add"},
    NumberOperator{"aten::sub", "_operator.sub", "Sub", "Sub"},
    NumberOperator{"aten::mul", "_operator.mul", "Mul", "Mul"},
    NumberOperator{"aten::div", "_operator.truediv", "IntTrueDiv", "FloatTrueDiv"},
    NumberOperator{"aten::floordiv", "_operator.floordiv", "FloorDiv", ""},
    NumberOperator{"aten::floor_divide", "_operator.floordiv", "FloorDiv", ""},
    NumberOperator{"aten::remainder", "_operator.mod", "PythonMod", ""},
    NumberOperator{"aten::neg", "_operator.neg", "Neg", "Neg"},
    NumberOperator{"aten::pow", "_operator.pow", "PowByNatural", "FloatPow"},
    NumberOperator{"aten::lt", "_operator.lt", "StrictLessThan", "StrictLessThan"},
    NumberOperator{"aten::le", "_operator.le", "LessThan", "LessThan"},
    NumberOperator{"aten::gt", "_operator.gt", "StrictGreaterThan", "StrictGreaterThan"},
    NumberOperator{"aten::ge", "_operator.ge", "GreaterThan", "GreaterThan"},
    NumberOperator{"aten::eq", "_operator.eq", "Equality", "Equality"},
    NumberOperator{"aten::ne", "_operator.ne", "Unequality", "Unequality"},
    NumberOperator{"aten::__and__", "_operator.and_", "And", ""},
    NumberOperator{"aten::__or__", "_operator.or_", "Or", ""},
    NumberOperator{"aten::__not__", "torch.sym_not", "Not", ""},
    NumberOperator{"prim::max", "torch.sym_max", "Max", "Max"},
    NumberOperator{"prim::min", "torch.sym_min", "Min", "Min"},
    NumberOperator{"aten::Float", "torch.sym_float", "ToFloat", ""},
    NumberOperator{"aten::Int", "math.trunc", "", "TruncToInt"},
    NumberOperator{"aten::ceil", "math.ceil", "", "CeilToInt"},
    NumberOperator{"aten::floor", "math.floor", "", "FloorToInt"},
    NumberOperator{"aten::sqrt", "torch._sym_sqrt", "OpaqueUnaryFn_sqrt", "OpaqueUnaryFn_sqrt"},
};

constexpr std::array<std::string_view, 3> kNames{"a", "b", "c"};

SymbolExpression expression_of(const IValue& value) {
    if (const auto number = number_in(value)) return number->expression;
    if (value.is_int() || value.is_bool()) return {Kind::Number, value.to_int()};
    return {Kind::Call, 0, concat("Float('", value.to_double(), "', precision=53)"), {}};
}

bool is_whole(const IValue& value) {
    if (const auto number = number_in(value)) return number->kind != TypeKind::Float;
    return !value.is_double();
}

SymbolExpression build(std::string_view function, std::vector<SymbolExpression> parts) {
    if (function == "Add") return sum_of(std::move(parts[0]), std::move(parts[1]));
    if (function == "Sub") return sum_of(std::move(parts[0]), product_of({Kind::Number, -1}, std::move(parts[1])));
    if (function == "Mul") return product_of(std::move(parts[0]), std::move(parts[1]));
    if (function == "Neg") return product_of({Kind::Number, -1}, std::move(parts[0]));
    return {Kind::Call, 0, std::string(function), std::move(parts)};
}

}  // namespace

Ptr<SymbolicNumber> call_on_numbers(std::string_view aten, const std::vector<IValue>& arguments, const IValue& result,
                                    std::vector<IValue> samples) {
    const std::string_view name = aten.substr(0, aten.find('.'));
    const auto found = std::ranges::find(kOperators, name, &NumberOperator::aten);
    if (found == kOperators.end() || arguments.empty() || arguments.size() > 2) return nullptr;
    // A number that is what it would be made: int of an int.
    const bool are_whole = std::ranges::all_of(arguments, is_whole);
    const std::string_view function = are_whole ? found->sympy : found->sympy_float;
    const auto made = make_ptr<SymbolicNumber>();
    made->kind = result.is_bool() ? TypeKind::Bool : result.is_int() ? TypeKind::Int : TypeKind::Float;
    if (function.empty()) {
        const auto itself = arguments.size() == 1 ? number_in(arguments[0]) : nullptr;
        // int of a truth: assertions take either.
        const bool is_truth = itself && itself->kind == TypeKind::Bool && made->kind == TypeKind::Int;
        return itself && (is_truth || itself->kind == made->kind) ? itself : nullptr;
    }
    std::vector<SymbolExpression> parts;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        parts.push_back(expression_of(arguments[i]));
        made->arguments.emplace_back(kNames[i], arguments[i]);
        if (const auto number = number_in(arguments[i])) made->is_data = made->is_data || number->is_data;
    }
    made->expression = build(function, std::move(parts));
    made->hint = result;
    made->samples = std::move(samples);
    made->target = found->target;
    return made;
}

}  // namespace loupe::exported
