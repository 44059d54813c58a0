// SPDX-License-Identifier: Apache-2.0
#include "core/formats/exported/symbols.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <limits>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::exported {
namespace {

using Kind = SymbolExpression::Kind;

constexpr int kDeepest = 100;
constexpr int kMostOperators = 1000;  // a chain of them nests to the left

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Python's precedence of + - * // / % **, calls, and the names and numbers of srepr.
class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}

    std::optional<SymbolExpression> parse() {
        SymbolExpression out = sum();
        skip_space();
        if (failed_ || at_ != text_.size()) return std::nullopt;
        return out;
    }

  private:
    void skip_space() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }
    bool take(std::string_view token) {
        skip_space();
        if (!text_.substr(at_).starts_with(token)) return false;
        at_ += token.size();
        return true;
    }
    SymbolExpression fail() {
        failed_ = true;
        return {};
    }
    SymbolExpression call(std::string name, SymbolExpression a, SymbolExpression b) {
        if (++operators_ > kMostOperators) failed_ = true;
        return {Kind::Call, 0, std::move(name), {std::move(a), std::move(b)}};
    }
    SymbolExpression minus(SymbolExpression a) { return call("Mul", {Kind::Number, -1}, std::move(a)); }

    SymbolExpression sum() {
        if (++depth_ > kDeepest) return fail();
        SymbolExpression out = product();
        while (!failed_) {
            if (take("+"))
                out = call("Add", std::move(out), product());
            else if (take("-"))
                out = call("Add", std::move(out), minus(product()));
            else
                break;
        }
        --depth_;
        return out;
    }
    SymbolExpression product() {
        SymbolExpression out = power();
        while (!failed_) {
            skip_space();
            if (text_.substr(at_).starts_with("**")) break;
            if (take("//"))
                out = call("FloorDiv", std::move(out), power());
            else if (take("*"))
                out = call("Mul", std::move(out), power());
            else if (take("/"))
                out = call("FloorDiv", std::move(out), power());
            else if (take("%"))
                out = call("Mod", std::move(out), power());
            else
                break;
        }
        return out;
    }
    SymbolExpression power() {
        if (take("-")) return minus(power_of_one());
        return power_of_one();
    }
    SymbolExpression power_of_one() {
        SymbolExpression out = atom();
        if (!failed_ && take("**")) out = call("Pow", std::move(out), atom());
        return out;
    }
    SymbolExpression atom() {
        skip_space();
        if (take("(")) {
            SymbolExpression inner = sum();
            return take(")") ? inner : fail();
        }
        if (at_ < text_.size() && is_digit(text_[at_])) return {Kind::Number, number()};
        if (at_ < text_.size() && is_letter(text_[at_])) return name();
        return fail();
    }
    std::int64_t number() {
        std::int64_t value = 0;
        const auto [end, failure] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (failure != std::errc{}) failed_ = true;
        at_ = static_cast<std::size_t>(end - text_.data());
        return value;
    }
    SymbolExpression name() {
        const std::size_t start = at_;
        while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
        std::string name(text_.substr(start, at_ - start));
        if (const auto dot = name.rfind('.'); dot != std::string::npos) name.erase(0, dot + 1);
        if (!take("(")) return {Kind::Symbol, 0, std::move(name)};
        if (name == "Symbol") return symbol();
        if (name == "Integer") {
            skip_space();
            const std::int64_t value = number();
            return take(")") ? SymbolExpression{Kind::Number, value} : fail();
        }
        SymbolExpression out{Kind::Call, 0, std::move(name)};
        while (!failed_ && !take(")")) {
            out.parts.push_back(sum());
            if (!take(",")) return take(")") ? out : fail();
        }
        return out;
    }
    // 's77', positive=True, integer=True)
    SymbolExpression symbol() {
        skip_space();
        if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return fail();
        const std::size_t end = text_.find(text_[at_], at_ + 1);
        const std::size_t close = text_.find(')', at_);
        if (end == std::string_view::npos || close == std::string_view::npos || close < end) return fail();
        SymbolExpression out{Kind::Symbol, 0, std::string(text_.substr(at_ + 1, end - at_ - 1))};
        at_ = close + 1;
        return out;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    int operators_ = 0;
    bool failed_ = false;
};

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
    const std::int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

std::int64_t floor_remainder(std::int64_t a, std::int64_t b) {
    const std::int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

std::optional<std::int64_t> power(std::int64_t base, std::int64_t exponent) {
    std::int64_t out = 1;
    if (exponent < 0 || exponent > 64) return std::nullopt;
    for (std::int64_t i = 0; i < exponent; ++i) {
        if (__builtin_mul_overflow(out, base, &out)) return std::nullopt;
    }
    return out;
}

std::optional<std::int64_t> combine(const std::string& function, std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    if (function == "Add") return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    if (function == "Mul") return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    if (function == "Pow" || function == "PowByNatural") return power(a, b);
    if (function == "Max") return std::max(a, b);
    if (function == "Min") return std::min(a, b);
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
    if (b == 0 || (a == kLeast && b == -1)) return std::nullopt;
    if (function == "FloorDiv" || function == "CleanDiv") return floor_divide(a, b);
    if (function == "CeilDiv") return a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
    if (function == "Mod" || function == "PythonMod") return floor_remainder(a, b);
    return std::nullopt;
}

}  // namespace

std::optional<SymbolExpression> parse_symbol_expression(std::string_view text) { return Parser(text).parse(); }

std::optional<std::int64_t> evaluate(const SymbolExpression& expression, const SymbolValues& values) {
    switch (expression.kind) {
        case Kind::Number:
            return expression.number;
        case Kind::Symbol: {
            const auto found = values.find(expression.name);
            return found == values.end() ? std::nullopt : std::optional(found->second);
        }
        default:
            break;
    }
    std::optional<std::int64_t> out;
    for (std::size_t i = 0; i < expression.parts.size(); ++i) {
        const auto part = evaluate(expression.parts[i], values);
        if (!part) return std::nullopt;
        out = i == 0 ? part : combine(expression.name, *out, *part);
        if (!out) return std::nullopt;
    }
    return out;
}

std::string str(const SymbolExpression& expression) {
    if (expression.kind == Kind::Number) return std::to_string(expression.number);
    if (expression.kind == Kind::Symbol) return expression.name;
    std::vector<std::string> parts;
    for (const SymbolExpression& part : expression.parts) {
        const bool is_sum = part.kind == Kind::Call && part.name == "Add" && expression.name != "Add";
        parts.push_back(is_sum ? concat("(", str(part), ")") : str(part));
    }
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOperators{
        {{"Add", " + "}, {"Mul", "*"}, {"Pow", "**"}, {"FloorDiv", "//"}, {"Mod", " % "}, {"PythonMod", " % "}}};
    for (const auto& [name, sign] : kOperators) {
        if (expression.name == name && parts.size() > 1) return join(parts, sign);
    }
    return concat(expression.name, "(", join(parts, ", "), ")");
}

std::optional<std::vector<SymbolExpression>> read_sizes(const JsonValue& sizes) {
    std::vector<SymbolExpression> out;
    for (const JsonValue& each : list_of(sizes, "sizes of an input")) {
        const auto [kind, value] = union_of(each, "size of an input");
        if (kind == "as_int") {
            out.push_back({Kind::Number, int_of(value, "size of an input")});
            continue;
        }
        if (kind != "as_expr") return std::nullopt;
        auto parsed = parse_symbol_expression(text_member(value, "expr_str", "size of an input"));
        if (!parsed) return std::nullopt;
        out.push_back(std::move(*parsed));
    }
    return out;
}

std::map<std::string, SymbolRange, std::less<>> read_ranges(const JsonValue* range_constraints) {
    std::map<std::string, SymbolRange, std::less<>> out;
    if (range_constraints == nullptr || !range_constraints->is_object()) return out;
    for (const auto& [name, range] : range_constraints->members()) {
        SymbolRange& to = out[std::string(name)];
        const JsonValue* least = find_member(range, "min_val", "range of a size");
        const JsonValue* most = find_member(range, "max_val", "range of a size");
        if (least != nullptr && least->is_integer()) to.least = int_of(*least, "range of a size");
        if (most != nullptr && most->is_integer()) to.most = int_of(*most, "range of a size");
    }
    return out;
}

namespace {

constexpr std::int64_t kUnlimited = std::int64_t{1} << 62;

class InputCheck {
  public:
    InputCheck(const std::map<std::string, SymbolRange, std::less<>>& ranges) : ranges_(ranges) {}

    // Symbols by themselves first: they give the others their values.
    void bind(const SymbolExpression& expression, std::int64_t actual) {
        if (expression.kind == Kind::Symbol) values_.emplace(expression.name, actual);
    }
    // 2*s0 = 6, s0 + 1 = 4: where only the symbol is not known.
    void solve(const SymbolExpression& expression, std::int64_t actual) {
        if (expression.kind == Kind::Symbol) return bind(expression, actual);
        if (expression.kind != Kind::Call || evaluate(expression, values_)) return;
        const SymbolExpression* unknown = nullptr;
        std::optional<std::int64_t> known;
        for (const SymbolExpression& part : expression.parts) {
            const auto value = evaluate(part, values_);
            if (!value && unknown != nullptr) return;
            if (!value) unknown = &part;
            if (value) known = known ? combine(expression.name, *known, *value) : value;
        }
        if (unknown == nullptr || !known) return;
        if (expression.name == "Add" && *known > -kUnlimited) solve(*unknown, actual - *known);
        if (expression.name == "Mul" && *known != 0 && *known != -1 && actual % *known == 0)
            solve(*unknown, actual / *known);
    }
    void check(const SymbolExpression& expression, std::int64_t actual, const std::string& what) const {
        if (const auto wanted = evaluate(expression, values_); wanted && *wanted != actual) {
            const bool is_fixed = expression.kind == Kind::Number;
            fail(is_fixed ? concat(what, " must be ", *wanted, ", as when the program was exported; it is ", actual)
                          : concat(what, " must be ", str(expression), " = ", *wanted, "; it is ", actual));
        } else if (!wanted && expression.kind == Kind::Call) {
            fail(concat(what, " must be ", str(expression), " for a whole ", symbols_of(expression), "; it is ",
                        actual));
        }
        check_range(str(expression), actual, what);
        for (const auto& [name, value] : values_) {
            if (mentions(expression, name))
                check_range(
                    name, value,
                    expression.kind == Kind::Symbol ? what : concat(name, " in ", what, " = ", str(expression)));
        }
    }

    const SymbolValues& values() const { return values_; }

  private:
    void check_range(const std::string& name, std::int64_t actual, const std::string& what) const {
        const auto found = ranges_.find(name);
        if (found == ranges_.end()) return;
        const auto& [least, most] = found->second;
        // PyTorch exports for sizes from 2 and runs 0 and 1 too.
        if (least && *least > 2 && actual < *least)
            fail(concat(what, " must be at least ", *least, "; it is ", actual));
        if (most && *most < kUnlimited && actual > *most)
            fail(concat(what, " must be at most ", *most, "; it is ", actual));
    }
    static bool mentions(const SymbolExpression& expression, std::string_view symbol) {
        if (expression.kind == Kind::Symbol) return expression.name == symbol;
        return std::ranges::any_of(expression.parts, [&](const auto& part) { return mentions(part, symbol); });
    }
    std::string symbols_of(const SymbolExpression& expression) const {
        if (expression.kind == Kind::Symbol) return expression.name;
        for (const SymbolExpression& part : expression.parts) {
            if (std::string name = symbols_of(part); !name.empty()) return name;
        }
        return {};
    }
    [[noreturn]] static void fail(std::string message) {
        throw Error(ErrorKind::Usage, std::move(message), {.hint = "the program was exported for these sizes only"});
    }

    const std::map<std::string, SymbolRange, std::less<>>& ranges_;
    SymbolValues values_;
};

void check_kinds(const InputRule& rule, const IValue& input) {
    if (!rule.sizes) return;
    if (!input.is_tensor()) throw Error(ErrorKind::Usage, concat("'", rule.name, "' must be a tensor"));
    const std::size_t given = input.to_tensor().sizes().size();
    if (given != rule.sizes->size()) {
        throw Error(ErrorKind::Usage, concat("'", rule.name, "' must have ", rule.sizes->size(),
                                             " dimensions, as when the program was exported; it has ", given));
    }
}

void visit_sizes(const std::vector<InputRule>& rules, const std::vector<IValue>& inputs,
                 const std::function<void(const SymbolExpression&, std::int64_t, const std::string&)>& act) {
    for (std::size_t i = 0; i < rules.size() && i < inputs.size(); ++i) {
        const InputRule& rule = rules[i];
        if (rule.value && inputs[i].is_int()) act(*rule.value, inputs[i].to_int(), concat("'", rule.name, "'"));
        if (!rule.sizes || !inputs[i].is_tensor()) continue;
        const auto sizes = inputs[i].to_tensor().sizes();
        for (std::size_t d = 0; d < rule.sizes->size() && d < sizes.size(); ++d)
            act((*rule.sizes)[d], sizes[d], concat("size ", d, " of '", rule.name, "'"));
    }
}

void solve_all(InputCheck& check, const std::vector<InputRule>& rules, const std::vector<IValue>& inputs) {
    visit_sizes(rules, inputs,
                [&](const SymbolExpression& e, std::int64_t actual, const std::string&) { check.bind(e, actual); });
    visit_sizes(rules, inputs,
                [&](const SymbolExpression& e, std::int64_t actual, const std::string&) { check.solve(e, actual); });
}

}  // namespace

SymbolValues symbols_of_inputs(const std::vector<InputRule>& rules, const std::vector<IValue>& inputs) {
    const std::map<std::string, SymbolRange, std::less<>> none;
    InputCheck check(none);
    solve_all(check, rules, inputs);
    return check.values();
}

void check_inputs(const std::vector<InputRule>& rules, const std::map<std::string, SymbolRange, std::less<>>& ranges,
                  const std::vector<IValue>& inputs) {
    InputCheck check(ranges);
    for (std::size_t i = 0; i < rules.size() && i < inputs.size(); ++i) check_kinds(rules[i], inputs[i]);
    solve_all(check, rules, inputs);
    visit_sizes(rules, inputs, [&](const SymbolExpression& e, std::int64_t actual, const std::string& what) {
        check.check(e, actual, what);
    });
}

}  // namespace loupe::exported
