// SPDX-License-Identifier: Apache-2.0
#pragma once
// Symbolic sizes: expressions as sympy writes them, and what they demand of a program's inputs.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/formats/exported/program_json.h"
#include "core/value/ivalue.h"

namespace loupe::exported {

// "Symbol('s77', positive=True, integer=True)", "Mul(Integer(2), Symbol('s0'))" (sympy's srepr), "2*s0 + 1" (its str,
// of PyTorch 2.5).
struct SymbolExpression {
    enum class Kind { Number, Symbol, Call };
    Kind kind = Kind::Number;
    std::int64_t number = 0;
    std::string name = {};  // of a symbol or function
    std::vector<SymbolExpression> parts = {};
};

// nullopt for text that is no such expression.
std::optional<SymbolExpression> parse_symbol_expression(std::string_view text);

using SymbolValues = std::map<std::string, std::int64_t, std::less<>>;
// nullopt when a symbol is not known, or a function is not.
std::optional<std::int64_t> evaluate(const SymbolExpression& expression, const SymbolValues& values);
// "2*s0 + 1"
std::string str(const SymbolExpression& expression);

struct SymbolRange {
    std::optional<std::int64_t> least;
    std::optional<std::int64_t> most;
};

// What a program demands of an input: a tensor's sizes, a whole number's value.
struct InputRule {
    std::string name;
    std::optional<std::vector<SymbolExpression>> sizes = {};  // of a tensor; a number is a fixed size
    std::optional<SymbolExpression> value = {};               // of a whole number
};

// The sizes of a tensor in `tensor_values`; nullopt when some are no expressions.
std::optional<std::vector<SymbolExpression>> read_sizes(const JsonValue& sizes);
std::map<std::string, SymbolRange, std::less<>> read_ranges(const JsonValue* range_constraints);

// The symbols that these inputs give values to.
SymbolValues symbols_of_inputs(const std::vector<InputRule>& rules, const std::vector<IValue>& inputs);

// Throws Error (Usage) with the constraint in words when the inputs are not what the program was exported for.
void check_inputs(const std::vector<InputRule>& rules, const std::map<std::string, SymbolRange, std::less<>>& ranges,
                  const std::vector<IValue>& inputs);

}  // namespace loupe::exported
