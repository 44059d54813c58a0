// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "core/base/strings.h"
#include "core/script/literals.h"
#include "core/script/parser_impl.h"

namespace loupe::script {
namespace {

struct Infix {
    OperatorKind op;
    int precedence;
};

constexpr int kTernaryPrecedence = 1;
constexpr int kOrPrecedence = 2;
constexpr int kNotPrecedence = 4;
constexpr int kComparePrecedence = 5;
constexpr int kUnaryPrecedence = 12;
constexpr int kPowPrecedence = 13;

std::optional<Infix> infix_of(Token token) {
    switch (token) {
        case Token::Or:
            return Infix{OperatorKind::Or, kOrPrecedence};
        case Token::And:
            return Infix{OperatorKind::And, 3};
        case Token::In:
            return Infix{OperatorKind::In, kComparePrecedence};
        case Token::Not:
            return Infix{OperatorKind::Not, kComparePrecedence};  // not in
        case Token::Is:
            return Infix{OperatorKind::Is, kComparePrecedence};
        case Token::Less:
            return Infix{OperatorKind::Lt, kComparePrecedence};
        case Token::Greater:
            return Infix{OperatorKind::Gt, kComparePrecedence};
        case Token::LessEqual:
            return Infix{OperatorKind::Le, kComparePrecedence};
        case Token::GreaterEqual:
            return Infix{OperatorKind::Ge, kComparePrecedence};
        case Token::Equal:
            return Infix{OperatorKind::Eq, kComparePrecedence};
        case Token::NotEqual:
            return Infix{OperatorKind::Ne, kComparePrecedence};
        case Token::Pipe:
            return Infix{OperatorKind::BitOr, 6};
        case Token::Caret:
            return Infix{OperatorKind::BitXor, 7};
        case Token::Ampersand:
            return Infix{OperatorKind::BitAnd, 8};
        case Token::LeftShift:
            return Infix{OperatorKind::LeftShift, 9};
        case Token::RightShift:
            return Infix{OperatorKind::RightShift, 9};
        case Token::Plus:
            return Infix{OperatorKind::Add, 10};
        case Token::Minus:
            return Infix{OperatorKind::Sub, 10};
        case Token::Star:
            return Infix{OperatorKind::Mul, 11};
        case Token::Slash:
            return Infix{OperatorKind::Div, 11};
        case Token::DoubleSlash:
            return Infix{OperatorKind::FloorDiv, 11};
        case Token::Percent:
            return Infix{OperatorKind::Mod, 11};
        case Token::At:
            return Infix{OperatorKind::MatMul, 11};
        case Token::DoubleStar:
            return Infix{OperatorKind::Pow, kPowPrecedence};
        default:
            return std::nullopt;
    }
}

}  // namespace

bool Parser::follows_tuple() const {
    switch (current().kind) {
        case Token::Newline:
        case Token::End:
        case Token::Assign:
        case Token::RightParen:
        case Token::RightBracket:
            return true;
        case Token::Colon:
        case Token::RightBrace:
            return is_python();
        default:
            return current().kind >= Token::PlusAssign;
    }
}

const Expr* Parser::parse_expression_or_tuple() {
    const Expr* first = parse_expression();
    if (!is(Token::Comma)) return first;
    std::vector<const Expr*> elements = {first};
    while (take(Token::Comma)) {
        if (follows_tuple()) break;
        elements.push_back(parse_expression());
    }
    return make_tuple(first->range, elements);
}

const Expr* Parser::make_tuple(Range range, const std::vector<const Expr*>& elements) {
    Tuple tuple{};
    tuple.range = range;
    tuple.elements = tree_.make_span(elements);
    return make(tuple, {}, tuple.elements);
}

const Expr* Parser::make_name(Range range) {
    Name name{};
    name.range = range;
    name.id = text(range);
    name.index = tree_.name_count++;
    return make(name, {});
}

// Precedence climbing: takes operators that bind tighter than `precedence`.
const Expr* Parser::parse_expression(int precedence) {
    const Deeper deeper(*this);
    const Expr* left = parse_prefix();
    const Expr* compared = nullptr;  // the right side of the comparison just read, for a < b < c
    while (true) {
        const Expr* longer = parse_infix(left, precedence, compared);
        if (longer == nullptr) return left;
        left = longer;
    }
}

const Expr* Parser::parse_prefix() {
    const Range range = current().range;
    switch (current().kind) {
        case Token::Not:
        case Token::Tilde:
        case Token::Minus: {
            const Token token = current().kind;
            advance();
            const bool is_bare = !next_is(Token::DoubleStar) && !next_is(Token::Dot) && !next_is(Token::LeftBracket);
            if (token == Token::Minus && is(Token::Number) && is_bare) return parse_negative();
            const Expr* operand = parse_expression(token == Token::Not ? kNotPrecedence - 1 : kUnaryPrecedence - 1);
            const OperatorKind op = token == Token::Not     ? OperatorKind::Not
                                    : token == Token::Minus ? OperatorKind::Negate
                                                            : OperatorKind::Invert;
            return make(Unary{{ExprKind::Unary, 1, range}, op, operand}, {operand});
        }
        case Token::Plus:
            advance();
            return parse_expression(kUnaryPrecedence - 1);
        case Token::Star: {
            advance();
            const Expr* value = parse_expression(kComparePrecedence);
            return make(Starred{{ExprKind::Starred, 1, range}, value}, {value});
        }
        default:
            return parse_postfix(parse_atom());
    }
}

// Python's integers are unbounded; very long ones are rejected as slow to parse.
void Parser::check_number(std::string_view written, Range range) {
    if (parse_number(written)) return;
    constexpr std::size_t kMostDigits = 4300;
    const auto whole = parse_whole_number(written);
    if (whole && !is_python()) fail("Integral constant out of range (must fit in a signed 64 bit integer)", range);
    if (whole && whole->base == 10 && whole->digits.size() > kMostDigits) {
        fail(concat("Exceeds the limit (", kMostDigits, " digits) for integer string conversion: value has ",
                    whole->digits.size(),
                    " digits; use sys.set_int_max_str_digits() to increase the limit - Consider hexadecimal for huge "
                    "integer literals to avoid decimal conversion limits."),
             range);
    }
    if (whole && whole->digits.size() > 1'000'000) fail("an integer of more than a million digits is too large", range);
    if (!whole) fail(concat("invalid number '", written.substr(0, 40), "'"), range);
}

// A number with its minus sign: the least int has no positive counterpart.
const Expr* Parser::parse_negative() {
    const Range range = advance();
    const std::string written = concat("-", text(range));
    check_number(written, range);
    Number number{};
    number.range = range;
    number.text = tree_.make_text(written);
    return make_constant(number);
}

// One operator and its right side after `left`; null when none follows that binds tightly enough.
const Expr* Parser::parse_infix(const Expr* left, int precedence, const Expr*& compared) {
    const Range range = current().range;
    if (is(Token::If)) {
        if (precedence >= kTernaryPrecedence) return nullptr;
        advance();
        return parse_ternary(left, range);
    }
    if (is(Token::For) && !is_python()) {
        if (precedence >= kTernaryPrecedence) return nullptr;
        advance();
        return parse_comprehension(left, range);
    }
    const auto infix = infix_of(current().kind);
    if (!infix || infix->precedence <= precedence) return nullptr;
    if (is(Token::Not) && !next_is(Token::In)) return nullptr;
    if (is_python() && infix->precedence == kComparePrecedence) return parse_comparison(left);
    advance();
    OperatorKind op = infix->op;
    bool negated = false;
    if (op == OperatorKind::Not) {
        expect(Token::In);
        op = OperatorKind::In;
        negated = true;
    } else if (op == OperatorKind::Is && take(Token::Not)) {
        op = OperatorKind::IsNot;
    }
    const bool is_pow = op == OperatorKind::Pow;
    const Expr* right = parse_expression(is_pow ? kUnaryPrecedence - 1 : infix->precedence);
    const bool is_comparison = infix->precedence == kComparePrecedence;
    const Expr* first = is_comparison && compared != nullptr ? compared : left;
    const Expr* result = make(Binary{{ExprKind::Binary, 1, range}, op, first, right}, {first, right});
    if (negated) result = make(Unary{{ExprKind::Unary, 1, range}, OperatorKind::Not, result}, {result});
    if (is_comparison && compared != nullptr) {
        result = make(Binary{{ExprKind::Binary, 1, range}, OperatorKind::And, left, result}, {left, result});
    }
    compared = is_comparison ? right : nullptr;
    return result;
}

const Expr* Parser::parse_ternary(const Expr* if_true, Range range) {
    const Expr* condition = parse_expression();
    expect(Token::Else);
    const Expr* if_false = parse_expression();
    return make(Ternary{{ExprKind::Ternary, 1, range}, condition, if_true, if_false}, {condition, if_true, if_false});
}

const Expr* Parser::parse_comprehension(const Expr* element, Range range) {
    std::vector<const Expr*> targets = {parse_target()};
    while (take(Token::Comma)) {
        if (is(Token::In)) break;
        targets.push_back(parse_target());
    }
    const Expr* target = targets.front();
    if (targets.size() > 1) target = make_tuple(target->range, targets);
    expect(Token::In);
    const Expr* iterable = parse_expression(kTernaryPrecedence);
    if (is(Token::If)) fail("Comprehension ifs are not supported yet", current().range);
    if (is(Token::For)) fail("Only a single generator is currently supported", current().range);
    return make(ListComp{{ExprKind::ListComp, 1, range}, element, target, iterable}, {element, target, iterable});
}

const Expr* Parser::parse_atom() {
    const Range range = current().range;
    switch (current().kind) {
        case Token::Name: {
            advance();
            return make_name(range);
        }
        case Token::Number: {
            advance();
            check_number(text(range), range);
            Number number{};
            number.range = range;
            number.text = text(range);
            return make_constant(number);
        }
        case Token::String:
            return is_python() ? parse_python_strings() : parse_strings();
        case Token::True:
            advance();
            return make(Leaf<ExprKind::True>{{ExprKind::True, 1, range}}, {});
        case Token::False:
            advance();
            return make(Leaf<ExprKind::False>{{ExprKind::False, 1, range}}, {});
        case Token::None:
            advance();
            return make(Leaf<ExprKind::None>{{ExprKind::None, 1, range}}, {});
        case Token::Ellipsis:
            advance();
            return make(Leaf<ExprKind::Ellipsis>{{ExprKind::Ellipsis, 1, range}}, {});
        case Token::LeftParen:
            return is_python() ? parse_python_parenthesised() : parse_parenthesised();
        case Token::LeftBracket:
            return is_python() ? parse_python_list() : parse_list();
        case Token::LeftBrace:
            return is_python() ? parse_braces() : parse_dict();
        case Token::Lambda:
            if (is_python()) return parse_lambda();
            fail("lambda expressions aren't supported", range);
        case Token::Await:
            if (!is_python()) fail("await expressions aren't supported", range);
            if (!is_async_) fail("'await' outside async function", range);
            advance();
            return parse_postfix(parse_atom());
        case Token::Yield:
            if (is_python()) return parse_yield();
            fail("yield expressions aren't supported", range);
        default:
            fail_expected("ident");
    }
}

const Expr* Parser::parse_postfix(const Expr* value) {
    while (true) {
        if (take(Token::Dot)) {
            const Range range = current().range;
            // A keyword of Python's may be an attribute of an archive's class.
            if (!is(Token::Name) &&
                text(range).find_first_not_of("abcdefghijklmnopqrstuvwxyz") != std::string_view::npos) {
                fail_expected("ident");
            }
            advance();
            value = make(Attribute{{ExprKind::Attribute, 1, range}, value, text(range)}, {value});
        } else if (is(Token::LeftParen)) {
            value = parse_call(value);
        } else if (is(Token::LeftBracket)) {
            value = parse_subscript(value);
        } else {
            return value;
        }
    }
}

const Expr* Parser::parse_parenthesised() {
    const Range open = advance();
    if (is(Token::RightParen)) {
        const Range close = advance();
        return make(Tuple{{ExprKind::Tuple, 1, merge(open, close)}, {}}, {});
    }
    const Expr* value = parse_expression_or_tuple();
    if (is(Token::Walrus)) fail("assignment expressions aren't supported", current().range);
    expect(Token::RightParen);
    return value;
}

const Expr* Parser::parse_list() {
    Range range = advance();
    std::vector<const Expr*> elements;
    while (!is(Token::RightBracket)) {
        elements.push_back(parse_expression());
        if (!take(Token::Comma)) break;
    }
    range = merge(range, expect(Token::RightBracket));
    if (elements.size() == 1 && elements.front()->kind == ExprKind::ListComp) return elements.front();
    for (const Expr* element : elements) {
        if (element->kind == ExprKind::ListComp) {
            fail("expected a single list comprehension within '[' , ']'", range);
        }
    }
    List list{};
    list.range = range;
    list.elements = tree_.make_span(elements);
    return make(list, {}, list.elements);
}

// Its range starts behind the brace, as PyTorch's does.
const Expr* Parser::parse_dict() {
    advance();
    Range range = current().range;
    std::vector<const Expr*> keys;
    std::vector<const Expr*> values;
    while (!is(Token::RightBrace)) {
        if (is(Token::DoubleStar)) fail("dict unpacking isn't supported", current().range);
        keys.push_back(parse_expression());
        if (is(Token::Comma) || is(Token::RightBrace)) fail("set literals aren't supported", keys.back()->range);
        expect(Token::Colon);
        values.push_back(parse_expression());
        if (!take(Token::Comma)) break;
    }
    range = merge(range, expect(Token::RightBrace));
    if (keys.size() == 1) {
        if (const auto* comp = as<ListComp>(values.front())) {
            return make(
                DictComp{{ExprKind::DictComp, 1, range}, keys.front(), comp->element, comp->target, comp->iterable},
                {keys.front(), comp});
        }
    }
    Dict dict{};
    dict.range = range;
    dict.keys = tree_.make_span(keys);
    dict.values = tree_.make_span(values);
    const Expr* widest = make(List{{ExprKind::List, 1, range}, dict.values}, {}, dict.values);
    return make(dict, {widest}, dict.keys);
}

// Adjacent string literals. One with an "f" makes the whole a call of format.
const Expr* Parser::parse_strings() {
    const Range place = current().range;
    std::string joined;
    while (is(Token::String)) {
        const Range range = advance();
        const StringLiteral literal = split_string(text(range));
        if (literal.has('b')) fail("bytes literals aren't supported", range);
        if (literal.has('f')) {
            if (is(Token::String) || !joined.empty()) fail("an f-string cannot be joined with another string", range);
            const auto begin = static_cast<std::uint32_t>(literal.body.data() - source_text_.data());
            return format_string(literal.body, range, {begin, begin + static_cast<std::uint32_t>(literal.body.size())});
        }
        const auto decoded = literal.has('r') ? std::string(literal.body) : decode_escapes(literal.body);
        if (!decoded) fail("malformed escape in a string literal", range);
        joined += *decoded;
    }
    String string{};
    string.range = place;
    if (shortens_strings_)
        string.range.end = std::min(place.end, place.begin + static_cast<std::uint32_t>(joined.size()) + 1);
    string.value = tree_.make_text(joined);
    return make_constant(string);
}

// f"a {x} b" is "a {} b".format(x).
const Expr* Parser::format_string(std::string_view body, Range place, Range body_range) {
    std::string pattern;
    std::vector<const Expr*> arguments;
    std::size_t at = 0;
    while (at < body.size()) {
        const char c = body[at];
        if ((c == '{' || c == '}') && at + 1 < body.size() && body[at + 1] == c) {
            pattern += c;
            at += 2;
            continue;
        }
        if (c != '{') {
            pattern += c;
            ++at;
            continue;
        }
        const std::size_t close = body.find('}', at);
        if (close == std::string_view::npos) fail("f-string: expecting '}'", place);
        const std::string_view inside = body.substr(at + 1, close - at - 1);
        if (inside.find('!') != std::string_view::npos && inside.find("!=") == std::string_view::npos) {
            fail("Don't support conversion in JoinedStr", place);
        }
        if (inside.find(':') != std::string_view::npos && inside.find('[') == std::string_view::npos) {
            fail("Don't support formatting in JoinedStr", place);
        }
        const auto begin = body_range.begin + static_cast<std::uint32_t>(at + 1);
        arguments.push_back(parse_embedded({begin, begin + static_cast<std::uint32_t>(inside.size())}));
        pattern += "{}";
        at = close + 1;
    }
    const auto decoded = decode_escapes(pattern);
    if (!decoded) fail("malformed escape in a string literal", place);
    String string{};
    string.range = place;
    string.value = tree_.make_text(*decoded);
    const Expr* receiver = make(string, {});
    const Expr* method = make(Attribute{{ExprKind::Attribute, 1, place}, receiver, "format"}, {receiver});
    Call call{};
    call.range = place;
    call.callee = method;
    call.arguments = tree_.make_span(arguments);
    return make(call, {method}, call.arguments);
}

const Expr* Parser::parse_embedded(Range part) {
    const Deeper deeper(*this);
    Parser inner(source_, tree_, tokenize_expression(source_, part, dialect_), dialect_);
    inner.nesting_ = nesting_;
    return inner.parse_whole_expression();
}

const Expr* Parser::parse_call(const Expr* callee) {
    const Range open = advance();
    std::vector<const Expr*> arguments;
    std::vector<Keyword> keywords;
    if (is_python()) {
        parse_arguments(arguments, keywords);
        return make_call(callee, merge(open, expect(Token::RightParen)), std::move(arguments), keywords);
    }
    while (!is(Token::RightParen)) {
        if (is(Token::DoubleStar)) fail("keyword-arg expansion is not supported", current().range);
        if (is(Token::Name) && next_is(Token::Assign)) {
            const Range name = advance();
            advance();
            const Expr* value = parse_expression();
            keywords.push_back({text(name), value, merge(name, value->range)});
        } else {
            arguments.push_back(parse_expression());
            if (is(Token::Walrus)) fail("assignment expressions aren't supported", current().range);
        }
        if (!take(Token::Comma)) break;
    }
    const Range close = expect(Token::RightParen);
    return make_call(callee, merge(open, close), std::move(arguments), keywords);
}

const Expr* Parser::make_call(const Expr* callee, Range range, std::vector<const Expr*> arguments,
                              const std::vector<Keyword>& keywords) {
    Call call{};
    call.range = range;
    call.callee = callee;
    call.arguments = tree_.make_span(arguments);
    call.keywords = tree_.make_span(keywords);
    for (const Keyword& keyword : keywords) arguments.push_back(keyword.value);
    return make(call, {callee}, arguments);
}

const Expr* Parser::parse_subscript(const Expr* value) {
    Range range = advance();
    std::vector<const Expr*> indices;
    while (!is(Token::RightBracket)) {
        indices.push_back(parse_slice_or_index());
        if (!take(Token::Comma)) break;
        const bool is_tuple_of_one = is_python() && indices.size() == 1 && is(Token::RightBracket);
        if (is_tuple_of_one) indices.front() = make_tuple(indices.front()->range, {indices.front()});
    }
    if (indices.empty()) fail_expected("an index");
    range = merge(range, expect(Token::RightBracket));
    Subscript subscript{};
    subscript.range = range;
    subscript.value = value;
    subscript.indices = tree_.make_span(indices);
    return make(subscript, {value}, subscript.indices);
}

const Expr* Parser::parse_slice_or_index() {
    const Range range = current().range;
    const auto at_end = [&] { return is(Token::Comma) || is(Token::RightBracket); };
    const Expr* start = is(Token::Colon) ? nullptr : parse_named_expression();
    if (!take(Token::Colon)) return start;
    const Expr* stop = at_end() || is(Token::Colon) ? nullptr : parse_expression();
    const Expr* step = take(Token::Colon) && !at_end() ? parse_expression() : nullptr;
    return make(Slice{{ExprKind::Slice, 1, range}, start, stop, step}, {start, stop, step});
}

const Expr* Parser::parse_whole_expression() {
    const Expr* expression = parse_expression_or_tuple();
    if (is(Token::Newline)) advance();
    if (!is(Token::End)) fail_expected("eof");
    return expression;
}

}  // namespace loupe::script
