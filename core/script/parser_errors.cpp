// SPDX-License-Identifier: Apache-2.0
// Messages of the parser: for TorchScript PyTorch's, for programs Python's where these are
// more specific.
#include "core/base/strings.h"
#include "core/script/parser_impl.h"

namespace loupe::script {
namespace {

struct Bracket {
    Token open;
    Token close;
    char open_text;
    char close_text;
};
constexpr Bracket kBrackets[] = {{Token::LeftParen, Token::RightParen, '(', ')'},
                                 {Token::LeftBracket, Token::RightBracket, '[', ']'},
                                 {Token::LeftBrace, Token::RightBrace, '{', '}'}};

// The statement of a header, as in "expected an indented block after ...".
std::string block_name(Token keyword) {
    switch (keyword) {
        case Token::Def:
            return "function definition";
        case Token::Class:
            return "class definition";
        default:
            return concat("'", token_name(keyword), "' statement");
    }
}

}  // namespace

void Parser::fail_expected(std::string_view what) const {
    if (is_python()) fail_as_python(what);
    // The blanks of an indentation begin at the end of the line before.
    Range range = current().range;
    const auto line = text(range).rfind('\n') + 1;  // 0 when there is none
    if (is(Token::Indent) && line < text(range).size()) range.begin += static_cast<std::uint32_t>(line);
    if (is_python() && is(Token::Indent)) fail("unexpected indent", range);
    fail(concat("expected ", what, " but found '", token_name(current().kind), "' here"), range);
}

void Parser::fail_as_python(std::string_view what) const {
    fail_brackets();
    const Range before = at_ > 0 ? tokens_[at_ - 1].range : current().range;
    const bool is_end = is(Token::Newline) || is(Token::Indent) || is(Token::End);
    if (what == ":" && is_end) fail("expected ':'", before);
    if (what == ":" && is(Token::Assign))
        fail("invalid syntax. Maybe you meant '==' or ':=' instead of '='?", current().range);
    const bool is_value = is(Token::String) || is(Token::Name) || is(Token::Number);
    if (is_value && text(before) == "print")
        fail("Missing parentheses in call to 'print'. Did you mean print(...)?", before);
}

void Parser::fail_brackets() const {
    std::vector<std::pair<const Bracket*, Range>> open;
    for (const PlacedToken& token : tokens_) {
        for (const Bracket& bracket : kBrackets) {
            if (token.kind == bracket.open) open.emplace_back(&bracket, token.range);
            if (token.kind != bracket.close) continue;
            if (open.empty()) fail(concat("unmatched '", bracket.close_text, "'"), token.range);
            if (open.back().first != &bracket) {
                fail(concat("closing parenthesis '", bracket.close_text, "' does not match opening parenthesis '",
                            open.back().first->open_text, "'"),
                     token.range);
            }
            open.pop_back();
        }
    }
    if (!open.empty()) fail(concat("'", open.back().first->open_text, "' was never closed"), open.back().second);
}

void Parser::fail_block() const {
    if (!is_python()) fail_expected("indent");
    // The header's line begins with its keyword.
    std::size_t first = at_ > 0 ? at_ - 1 : 0;
    while (first > 0 && tokens_[first - 1].kind != Token::Newline && tokens_[first - 1].kind != Token::Indent &&
           tokens_[first - 1].kind != Token::Dedent)
        --first;
    const std::size_t line = source_->line_of(tokens_[first].range.begin) + source_->starting_line() + 1;
    std::size_t next = at_;
    while (next + 1 < tokens_.size() && (tokens_[next].kind == Token::Newline || tokens_[next].kind == Token::Dedent))
        ++next;
    fail(concat("expected an indented block after ", block_name(tokens_[first].kind), " on line ", line),
         tokens_[next].range);
}

}  // namespace loupe::script
