// SPDX-License-Identifier: Apache-2.0
// match statements and their patterns.
#include "core/base/strings.h"
#include "core/script/parser_impl.h"

namespace loupe::script {

// `match` is an ordinary name, except at the start of a line that ends with a colon before an indented `case`.
bool Parser::at_match() const {
    if (text(current().range) != "match") return false;
    int nesting = 0;
    for (std::size_t i = at_ + 1; i + 2 < tokens_.size(); ++i) {
        const Token kind = tokens_[i].kind;
        if (kind == Token::LeftParen || kind == Token::LeftBracket || kind == Token::LeftBrace) ++nesting;
        if (kind == Token::RightParen || kind == Token::RightBracket || kind == Token::RightBrace) --nesting;
        if (kind == Token::Newline || kind == Token::End || kind == Token::Indent) return false;
        if (kind != Token::Colon || nesting != 0 || tokens_[i + 1].kind != Token::Indent) continue;
        return i > at_ + 1 && tokens_[i + 2].kind == Token::Name && text(tokens_[i + 2].range) == "case";
    }
    return false;
}

const Stmt* Parser::parse_match() {
    const Range range = advance();
    const Expr* subject = parse_expression_or_tuple();
    expect(Token::Colon);
    expect(Token::Indent);
    std::vector<MatchCase> cases;
    do {
        if (!is(Token::Name) || text(current().range) != "case") fail_expected("case");
        cases.push_back(parse_case());
    } while (!take(Token::Dedent));
    return tree_.make(Match{{StmtKind::Match, merge(range, subject->range)}, subject, tree_.make_span(cases)});
}

MatchCase Parser::parse_case() {
    const Range range = advance();
    const Pattern* pattern = parse_pattern_list();
    const Expr* guard = take(Token::If) ? parse_named_expression() : nullptr;
    return {pattern, guard, parse_block(), merge(range, pattern->range)};
}

void Parser::bind_pattern(Pattern& pattern, Range name) {
    if (text(name) == "_") return;
    pattern.name = text(name);
    pattern.index = tree_.name_count++;
}

const Pattern* Parser::parse_star_pattern() {
    Pattern star{PatternKind::Star, advance()};
    const Range name = expect(Token::Name);
    star.range = merge(star.range, name);
    bind_pattern(star, name);
    return tree_.make(star);
}

// `case a, *rest:` is a sequence without brackets.
const Pattern* Parser::parse_pattern_list() {
    const bool has_star = is(Token::Star);
    const Pattern* first = has_star ? parse_star_pattern() : parse_pattern();
    if (!is(Token::Comma) && !has_star) return first;
    std::vector<const Pattern*> parts = {first};
    while (take(Token::Comma) && !is(Token::Colon) && !is(Token::If)) {
        parts.push_back(is(Token::Star) ? parse_star_pattern() : parse_pattern());
    }
    Pattern all{PatternKind::Sequence, merge(first->range, parts.back()->range)};
    all.patterns = tree_.make_span(parts);
    return tree_.make(all);
}

const Pattern* Parser::parse_pattern() {
    const Deeper deeper(*this);
    const Pattern* pattern = parse_or_pattern();
    if (!take(Token::As)) return pattern;
    const Range name = expect(Token::Name);
    if (text(name) == "_") fail("cannot use '_' as a target", name);
    Pattern named{PatternKind::Or, merge(pattern->range, name)};
    bind_pattern(named, name);
    named.patterns = tree_.make_span(std::vector<const Pattern*>{pattern});
    return tree_.make(named);
}

const Pattern* Parser::parse_or_pattern() {
    std::vector<const Pattern*> choices = {parse_closed_pattern()};
    while (take(Token::Pipe)) choices.push_back(parse_closed_pattern());
    if (choices.size() == 1) return choices.front();
    Pattern either{PatternKind::Or, merge(choices.front()->range, choices.back()->range)};
    either.patterns = tree_.make_span(choices);
    return tree_.make(either);
}

const Pattern* Parser::parse_closed_pattern() {
    const Range range = current().range;
    switch (current().kind) {
        case Token::None:
        case Token::True:
        case Token::False: {
            Pattern constant{PatternKind::Constant, range};
            constant.value = parse_atom();
            return tree_.make(constant);
        }
        case Token::Number:
        case Token::Minus:
            return parse_number_pattern();
        case Token::String: {
            Pattern literal{PatternKind::Value, range};
            literal.value = parse_atom();
            if (literal.value->kind == ExprKind::JoinedString) {
                fail("patterns may only match literals and attribute lookups", range);
            }
            return tree_.make(literal);
        }
        case Token::Name:
            return parse_named_pattern();
        case Token::LeftParen:
            return parse_sequence_pattern(advance(), Token::RightParen, false);
        case Token::LeftBracket:
            return parse_sequence_pattern(advance(), Token::RightBracket, true);
        case Token::LeftBrace:
            return parse_mapping_pattern();
        default:
            fail_expected("a pattern");
    }
}

// Tighter than `|`, so that alternatives are no arithmetic: numbers with a sign, and complex ones.
const Pattern* Parser::parse_number_pattern() {
    Pattern literal{PatternKind::Value, current().range};
    const auto part = [&] { return take(Token::Minus) ? parse_negative() : parse_atom(); };
    literal.value = part();
    if (is(Token::Plus) || is(Token::Minus)) {
        const OperatorKind op = is(Token::Plus) ? OperatorKind::Add : OperatorKind::Sub;
        advance();
        const Expr* right = parse_atom();
        literal.value =
            make(Binary{{ExprKind::Binary, 1, literal.range}, op, literal.value, right}, {literal.value, right});
    }
    literal.range = literal.value->range;
    return tree_.make(literal);
}

const Pattern* Parser::parse_named_pattern() {
    const Range first = advance();
    if (!is(Token::Dot) && !is(Token::LeftParen)) {
        Pattern capture{PatternKind::Capture, first};
        if (text(first) == "_") capture.kind = PatternKind::Any;
        bind_pattern(capture, first);
        return tree_.make(capture);
    }
    const Expr* value = make_name(first);
    while (take(Token::Dot)) {
        const Range name = expect(Token::Name);
        value = make(Attribute{{ExprKind::Attribute, 1, name}, value, text(name)}, {value});
    }
    if (is(Token::LeftParen)) return parse_class_pattern(value);
    Pattern dotted{PatternKind::Value, value->range};
    dotted.value = value;
    return tree_.make(dotted);
}

const Pattern* Parser::parse_sequence_pattern(Range from, Token end, bool is_always_sequence) {
    std::vector<const Pattern*> parts;
    bool has_comma = false;
    while (!is(end)) {
        parts.push_back(is(Token::Star) ? parse_star_pattern() : parse_pattern());
        if (!take(Token::Comma)) break;
        has_comma = true;
    }
    const Range range = merge(from, expect(end));
    const bool is_group = !is_always_sequence && parts.size() == 1 && !has_comma;
    if (is_group && parts.front()->kind != PatternKind::Star) return parts.front();
    Pattern sequence{PatternKind::Sequence, range};
    sequence.patterns = tree_.make_span(parts);
    std::size_t stars = 0;
    for (const Pattern* part : parts) stars += part->kind == PatternKind::Star ? 1U : 0U;
    if (stars > 1) fail("multiple starred expressions in sequence pattern", range);
    return tree_.make(sequence);
}

const Pattern* Parser::parse_mapping_pattern() {
    Pattern mapping{PatternKind::Mapping, advance()};
    std::vector<const Expr*> keys;
    std::vector<const Pattern*> values;
    while (!is(Token::RightBrace)) {
        if (take(Token::DoubleStar)) {
            bind_pattern(mapping, expect(Token::Name));
            mapping.has_rest = true;
        } else {
            const Pattern* key = parse_closed_pattern();
            if (key->kind != PatternKind::Value && key->kind != PatternKind::Constant) {
                fail("mapping pattern keys may only match literals and attribute lookups", key->range);
            }
            keys.push_back(key->value);
            expect(Token::Colon);
            values.push_back(parse_pattern());
        }
        if (!take(Token::Comma)) break;
    }
    mapping.range = merge(mapping.range, expect(Token::RightBrace));
    mapping.keys = tree_.make_span(keys);
    mapping.patterns = tree_.make_span(values);
    return tree_.make(mapping);
}

const Pattern* Parser::parse_class_pattern(const Expr* cls) {
    Pattern pattern{PatternKind::Class, cls->range};
    pattern.value = cls;
    expect(Token::LeftParen);
    std::vector<const Pattern*> parts;
    std::vector<std::string_view> keywords;
    while (!is(Token::RightParen)) {
        if (is(Token::Name) && next_is(Token::Assign)) {
            keywords.push_back(text(advance()));
            advance();
        } else if (!keywords.empty()) {
            fail("positional patterns follow keyword patterns", current().range);
        }
        parts.push_back(parse_pattern());
        if (!take(Token::Comma)) break;
    }
    pattern.range = merge(pattern.range, expect(Token::RightParen));
    pattern.patterns = tree_.make_span(parts);
    pattern.keywords = tree_.make_span(keywords);
    return tree_.make(pattern);
}

}  // namespace loupe::script
