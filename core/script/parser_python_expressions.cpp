// SPDX-License-Identifier: Apache-2.0
// Expressions of Python that TorchScript has no use for.
#include <algorithm>
#include <optional>

#include "core/base/strings.h"
#include "core/script/literals.h"
#include "core/script/parser_impl.h"

namespace loupe::script {
namespace {

constexpr int kTernaryPrecedence = 1;
constexpr int kComparePrecedence = 5;
constexpr int kMaxFormatDepth = 2;

std::optional<OperatorKind> comparison_of(Token token) {
    switch (token) {
        case Token::In:
            return OperatorKind::In;
        case Token::Not:
            return OperatorKind::Not;
        case Token::Is:
            return OperatorKind::Is;
        case Token::Less:
            return OperatorKind::Lt;
        case Token::Greater:
            return OperatorKind::Gt;
        case Token::LessEqual:
            return OperatorKind::Le;
        case Token::GreaterEqual:
            return OperatorKind::Ge;
        case Token::Equal:
            return OperatorKind::Eq;
        case Token::NotEqual:
            return OperatorKind::Ne;
        default:
            return std::nullopt;
    }
}

std::string_view what_it_is(const Expr* e) {
    switch (e->kind) {
        case ExprKind::Call:
            return "function call";
        case ExprKind::Number:
        case ExprKind::String:
        case ExprKind::Bytes:
            return "literal";
        case ExprKind::JoinedString:
            return "f-string expression";
        case ExprKind::True:
            return "True";
        case ExprKind::False:
            return "False";
        case ExprKind::None:
            return "None";
        case ExprKind::Ellipsis:
            return "ellipsis";
        case ExprKind::Lambda:
            return "lambda";
        case ExprKind::Comparison:
            return "comparison";
        case ExprKind::Ternary:
            return "conditional expression";
        case ExprKind::Dict:
            return "dict literal";
        case ExprKind::Set:
            return "set display";
        case ExprKind::NamedExpr:
            return "named expression";
        case ExprKind::Yield:
            return "yield expression";
        default:
            return "expression";
    }
}

}  // namespace

const Expr* Parser::parse_named_expression() {
    const Expr* value = parse_expression();
    if (!is_python() || !is(Token::Walrus)) return value;
    const auto* target = as<Name>(value);
    if (target == nullptr) fail(concat("cannot use assignment expressions with ", what_it_is(value)), value->range);
    advance();
    const Expr* assigned = parse_expression();
    return make(NamedExpr{{ExprKind::NamedExpr, 1, target->range}, target, assigned}, {target, assigned});
}

// One or more comparisons after `left`.
const Expr* Parser::parse_comparison(const Expr* left) {
    const Range range = current().range;
    std::vector<const Expr*> operands = {left};
    std::vector<OperatorKind> operators;
    std::vector<bool> is_negated;
    while (const auto found = comparison_of(current().kind)) {
        if (*found == OperatorKind::Not && !next_is(Token::In)) break;
        advance();
        OperatorKind op = *found;
        is_negated.push_back(op == OperatorKind::Not);
        if (op == OperatorKind::Not) {
            advance();
            op = OperatorKind::In;
        } else if (op == OperatorKind::Is && take(Token::Not)) {
            op = OperatorKind::IsNot;
        }
        operators.push_back(op);
        operands.push_back(parse_expression(kComparePrecedence));
    }
    if (operators.size() == 1) {
        const Expr* right = operands.back();
        const Expr* result = make(Binary{{ExprKind::Binary, 1, range}, operators.front(), left, right}, {left, right});
        if (!is_negated.front()) return result;
        return make(Unary{{ExprKind::Unary, 1, range}, OperatorKind::Not, result}, {result});
    }
    Comparison comparison{};
    comparison.range = range;
    comparison.operands = tree_.make_span(operands);
    comparison.operators = tree_.make_span(operators);
    std::vector<NegatedFlag> flags;
    for (const bool negated : is_negated) flags.push_back({negated});
    comparison.negated = tree_.make_span(flags);
    return make(comparison, {}, comparison.operands);
}

const Expr* Parser::parse_lambda() {
    const Range range = advance();
    Lambda lambda{};
    lambda.range = range;
    lambda.params = tree_.make_span(parse_python_params(Token::Colon));
    expect(Token::Colon);
    const bool saw_yield = std::exchange(saw_yield_, false);
    lambda.body = parse_expression();
    lambda.is_generator = std::exchange(saw_yield_, saw_yield);
    std::vector<const Expr*> children = {lambda.body};
    for (const Param& param : lambda.params) children.push_back(param.default_value);
    return make(lambda, {}, children);
}

const Expr* Parser::parse_yield() {
    const Range range = advance();
    saw_yield_ = true;
    if (take(Token::From)) {
        const Expr* value = parse_expression();
        return make(Yield{{ExprKind::Yield, 1, range}, value, true}, {value});
    }
    const Expr* value = follows_tuple() || is(Token::Comma) ? nullptr : parse_expression_or_tuple();
    return make(Yield{{ExprKind::Yield, 1, range}, value, false}, {value});
}

const Expr* Parser::parse_python_parenthesised() {
    const Range open = advance();
    if (is(Token::RightParen)) {
        const Range close = advance();
        return make(Tuple{{ExprKind::Tuple, 1, merge(open, close)}, {}}, {});
    }
    const Expr* value = parse_named_expression();
    if (at_clause()) {
        value = parse_clauses(ComprehensionKind::Generator, value, nullptr, open);
    } else if (is(Token::Comma)) {
        std::vector<const Expr*> elements = {value};
        while (take(Token::Comma) && !is(Token::RightParen)) elements.push_back(parse_named_expression());
        value = make_tuple(open, elements);
    }
    expect(Token::RightParen);
    return value;
}

const Expr* Parser::parse_python_list() {
    const Range open = advance();
    std::vector<const Expr*> elements;
    while (!is(Token::RightBracket)) {
        elements.push_back(parse_named_expression());
        if (elements.size() == 1 && at_clause()) {
            const Expr* result = parse_clauses(ComprehensionKind::List, elements.front(), nullptr, open);
            expect(Token::RightBracket);
            return result;
        }
        if (!take(Token::Comma)) break;
    }
    List list{};
    list.range = merge(open, expect(Token::RightBracket));
    list.elements = tree_.make_span(elements);
    return make(list, {}, list.elements);
}

// A dict, a set, or a comprehension of one.
const Expr* Parser::parse_braces() {
    const Range open = advance();
    std::vector<const Expr*> keys;
    std::vector<const Expr*> values;
    bool is_set = false;
    while (!is(Token::RightBrace)) {
        const bool is_first = keys.empty() && values.empty();
        if (!is_set && take(Token::DoubleStar)) {
            keys.push_back(nullptr);
            values.push_back(parse_expression(kComparePrecedence));
        } else {
            keys.push_back(parse_named_expression());
            if (is_first) is_set = !is(Token::Colon);
            if (!is_set) {
                expect(Token::Colon);
                values.push_back(parse_expression());
            }
            if (is_first && at_clause()) {
                const auto kind = is_set ? ComprehensionKind::Set : ComprehensionKind::Dict;
                const Expr* result = parse_clauses(kind, keys.front(), is_set ? nullptr : values.front(), open);
                expect(Token::RightBrace);
                return result;
            }
        }
        if (!take(Token::Comma)) break;
    }
    const Range range = merge(open, expect(Token::RightBrace));
    if (is_set) {
        Set set{};
        set.range = range;
        set.elements = tree_.make_span(keys);
        return make(set, {}, set.elements);
    }
    Dict dict{};
    dict.range = range;
    dict.keys = tree_.make_span(keys);
    dict.values = tree_.make_span(values);
    values.insert(values.end(), keys.begin(), keys.end());
    return make(dict, {}, values);
}

// The "for ... in ... if ..." of a comprehension, once or more.
const Expr* Parser::parse_clauses(ComprehensionKind result, const Expr* element, const Expr* value, Range range) {
    std::vector<ComprehensionClause> clauses;
    std::vector<const Expr*> children = {element, value};
    while (at_clause()) {
        take(Token::Async);
        advance();
        ComprehensionClause clause{};
        clause.target = parse_target_list(Token::In);
        expect(Token::In);
        clause.iterable = parse_expression(kTernaryPrecedence);
        children.push_back(clause.target);
        children.push_back(clause.iterable);
        std::vector<const Expr*> conditions;
        while (take(Token::If)) {
            const Expr* condition = parse_expression(kTernaryPrecedence);
            if (is(Token::Walrus)) fail("an assignment expression needs parentheses here", current().range);
            conditions.push_back(condition);
            children.push_back(condition);
        }
        clause.conditions = tree_.make_span(conditions);
        clauses.push_back(clause);
    }
    Comprehension comprehension{};
    comprehension.range = range;
    comprehension.result = result;
    comprehension.element = element;
    comprehension.value = value;
    comprehension.clauses = tree_.make_span(clauses);
    return make(comprehension, {}, children);
}

// The arguments of a call or of a class's bases.
void Parser::parse_arguments(std::vector<const Expr*>& arguments, std::vector<Keyword>& keywords) {
    while (!is(Token::RightParen)) {
        const Range range = current().range;
        if (take(Token::DoubleStar)) {
            const Expr* value = parse_expression();
            keywords.push_back({{}, value, merge(range, value->range)});
        } else if (is(Token::Name) && next_is(Token::Assign)) {
            const Range name = advance();
            advance();
            const Expr* value = parse_expression();
            const bool is_repeated = std::any_of(keywords.begin(), keywords.end(),
                                                 [&](const Keyword& other) { return other.name == text(name); });
            if (is_repeated) fail(concat("keyword argument repeated: ", text(name)), name);
            keywords.push_back({text(name), value, merge(name, value->range)});
        } else {
            const Expr* value = parse_named_expression();
            if (at_clause()) value = parse_clauses(ComprehensionKind::Generator, value, nullptr, value->range);
            const bool follows_keyword =
                std::any_of(keywords.begin(), keywords.end(), [](const Keyword& k) { return !k.name.empty(); });
            if (follows_keyword && value->kind != ExprKind::Starred) {
                fail("positional argument follows keyword argument", value->range);
            }
            arguments.push_back(value);
        }
        if (!take(Token::Comma)) break;
    }
}

std::string Parser::decoded(std::string_view body, bool is_raw, NumericEscape numeric, Range range) const {
    auto text = is_raw ? std::string(body) : decode_escapes(body, numeric);
    if (!text) fail("malformed escape in a string literal", range);
    return std::move(*text);
}

const Expr* Parser::make_string(Range range, std::string_view value) {
    String string{};
    string.range = range;
    string.value = tree_.make_text(value);
    return make_constant(string);
}

// Adjacent literals, each with its own prefix.
const Expr* Parser::parse_python_strings() {
    const Range range = current().range;
    std::string joined;
    std::vector<JoinedPart> parts;
    bool is_bytes = false;
    bool is_first = true;
    while (is(Token::String)) {
        const Range token = advance();
        const StringLiteral literal = split_string(text(token));
        if (!is_first && literal.has('b') != is_bytes) fail("cannot mix bytes and nonbytes literals", token);
        is_bytes = literal.has('b');
        is_first = false;
        if (!literal.has('f')) {
            const auto numeric = is_bytes ? NumericEscape::Byte : NumericEscape::Character;
            joined += decoded(literal.body, literal.has('r'), numeric, token);
            continue;
        }
        if (!joined.empty()) parts.push_back({tree_.make_text(std::exchange(joined, {})), nullptr, 0, nullptr});
        const auto begin = static_cast<std::uint32_t>(literal.body.data() - source_text_.data());
        parse_joined({begin, begin + static_cast<std::uint32_t>(literal.body.size())}, literal.has('r'), 0, parts);
        if (parts.empty()) parts.push_back({{}, nullptr, 0, nullptr});
    }
    if (is_bytes) return make(Bytes{{ExprKind::Bytes, 1, range}, tree_.make_text(joined)}, {});
    if (parts.empty()) return make_string(range, joined);
    if (!joined.empty()) parts.push_back({tree_.make_text(joined), nullptr, 0, nullptr});
    return make_joined(range, parts);
}

const Expr* Parser::make_joined(Range range, const std::vector<JoinedPart>& parts) {
    JoinedString joined{};
    joined.range = range;
    joined.parts = tree_.make_span(parts);
    std::vector<const Expr*> children;
    for (const JoinedPart& part : parts) {
        children.push_back(part.value);
        children.push_back(part.format);
    }
    return make(joined, {}, children);
}

// The body of an f-string, or of a format specification in one (depth 1).
void Parser::parse_joined(Range body, bool is_raw, int depth, std::vector<JoinedPart>& parts) {
    const std::string_view written = text(body);
    std::string pending;
    std::size_t at = 0;
    const auto flush = [&](const Expr* value) {
        const std::string plain = decoded(pending, is_raw, NumericEscape::Character, body);
        pending.clear();
        if (value != nullptr || !plain.empty()) parts.push_back({tree_.make_text(plain), value, 0, nullptr});
    };
    while (at < written.size()) {
        const char c = written[at];
        const bool is_doubled = at + 1 < written.size() && written[at + 1] == c && depth == 0;
        if (c == '\\' && at + 2 < written.size() && written[at + 1] == 'N' && written[at + 2] == '{' && !is_raw) {
            fail("characters by name (\\N{...}) aren't supported", body);
        }
        if ((c == '{' || c == '}') && is_doubled) {
            pending += c;
            at += 2;
        } else if (c == '}') {
            fail("f-string: single '}' is not allowed", body);
        } else if (c != '{') {
            pending += c;
            ++at;
        } else {
            flush(nullptr);
            ++at;
            parse_replacement(body, at, depth, parts);
        }
    }
    flush(nullptr);
}

// One {value!conversion:format} whose first byte after the brace is at `at`, which moves past the closing brace.
const Expr* Parser::parse_replacement(Range body, std::size_t& at, int depth, std::vector<JoinedPart>& parts) {
    const std::string_view written = text(body);
    if (depth >= kMaxFormatDepth) fail("f-string: expressions nested too deeply", body);
    const auto range_of = [&](std::size_t from, std::size_t to) {
        return Range{body.begin + static_cast<std::uint32_t>(from), body.begin + static_cast<std::uint32_t>(to)};
    };
    const std::size_t start = at;
    int nesting = 0;
    for (; at < written.size(); ++at) {
        const char c = written[at];
        const char next = at + 1 < written.size() ? written[at + 1] : '\0';
        if (c == '\'' || c == '"') {
            const std::size_t end = string_end(written, string_begin(written, at));
            if (end == std::string_view::npos) fail("f-string: unterminated string", body);
            at = end - 1;
        } else if (c == '(' || c == '[' || c == '{') {
            ++nesting;
        } else if (nesting > 0) {
            if (c == ')' || c == ']' || c == '}') --nesting;
        } else if (c == '}' || c == ':' || (c == '!' && next != '=')) {
            break;
        } else if (c == '!' || c == '<' || c == '>' || c == '=') {
            if (next == '=') {
                ++at;
                continue;
            }
            if (c != '=') continue;
            const std::size_t after = written.find_first_not_of(" \t\n", at + 1);
            if (after != std::string_view::npos &&
                std::string_view("}:!").find(written[after]) != std::string_view::npos) {
                break;
            }
        }
    }
    if (at >= written.size()) fail("f-string: expecting '}'", body);
    const std::string_view inside = written.substr(start, at - start);
    if (inside.find_first_not_of(" \t\n\r") == std::string_view::npos) {
        fail("f-string: empty expression not allowed", range_of(start, at));
    }
    JoinedPart part{};
    part.value = parse_embedded(range_of(start, at));
    if (written[at] == '=') {
        at = written.find_first_not_of(" \t\n", at + 1);
        part.text = tree_.make_text(written.substr(start, at - start));
        part.conversion = written[at] == '}' ? 'r' : char{0};
    }
    if (written[at] == '!') {
        part.conversion = at + 1 < written.size() ? written[at + 1] : '\0';
        const bool is_known = part.conversion == 'r' || part.conversion == 's' || part.conversion == 'a';
        at += 2;
        const bool ends = at < written.size() && (written[at] == '}' || written[at] == ':');
        if (!is_known || !ends) fail("f-string: invalid conversion character: expected 's', 'r', or 'a'", body);
    }
    if (written[at] == ':') {
        const std::size_t format_start = ++at;
        for (int open = 0; at < written.size() && (written[at] != '}' || open > 0); ++at) {
            if (written[at] == '{') ++open;
            if (written[at] == '}') --open;
        }
        if (at >= written.size()) fail("f-string: expecting '}'", body);
        std::vector<JoinedPart> format_parts;
        parse_joined(range_of(format_start, at), false, depth + 1, format_parts);
        part.format = make_joined(range_of(format_start, at), format_parts);
    }
    ++at;
    parts.push_back(part);
    return part.value;
}

// Is it a valid target? For TorchScript the compiler checks later.
void Parser::check_target(const Expr* target) const {
    if (!is_python()) return;
    switch (target->kind) {
        case ExprKind::Name:
        case ExprKind::Attribute:
        case ExprKind::Subscript:
            return;
        case ExprKind::Starred:
            return check_target(as<Starred>(target)->value);
        case ExprKind::Tuple:
            for (const Expr* element : as<Tuple>(target)->elements) check_target(element);
            return;
        case ExprKind::List:
            for (const Expr* element : as<List>(target)->elements) check_target(element);
            return;
        default:
            fail(concat("cannot assign to ", what_it_is(target), " here"), target->range);
    }
}

// Targets of a loop up to `end`: one, or a tuple.
const Expr* Parser::parse_target_list(Token end) {
    const Expr* first = parse_target();
    if (is(Token::Comma)) {
        std::vector<const Expr*> targets = {first};
        while (take(Token::Comma) && !is(end)) targets.push_back(parse_target());
        first = make_tuple(first->range, targets);
    }
    check_target(first);
    return first;
}

}  // namespace loupe::script
