// SPDX-License-Identifier: Apache-2.0
#include "core/script/lexer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

#include "core/base/strings.h"
#include "core/script/error.h"
#include "core/script/literals.h"

namespace loupe::script {
namespace {

struct Spelling {
    std::string_view text;
    Token token;
};

constexpr std::array kKeywords = {
    Spelling{"and", Token::And},
    Spelling{"as", Token::As},
    Spelling{"assert", Token::Assert},
    Spelling{"break", Token::Break},
    Spelling{"class", Token::Class},
    Spelling{"continue", Token::Continue},
    Spelling{"def", Token::Def},
    Spelling{"del", Token::Del},
    Spelling{"elif", Token::Elif},
    Spelling{"Ellipsis", Token::Ellipsis},
    Spelling{"else", Token::Else},
    Spelling{"False", Token::False},
    Spelling{"for", Token::For},
    Spelling{"if", Token::If},
    Spelling{"in", Token::In},
    Spelling{"is", Token::Is},
    Spelling{"None", Token::None},
    Spelling{"NoneType", Token::None},
    Spelling{"not", Token::Not},
    Spelling{"or", Token::Or},
    Spelling{"pass", Token::Pass},
    Spelling{"raise", Token::Raise},
    Spelling{"return", Token::Return},
    Spelling{"True", Token::True},
    Spelling{"while", Token::While},
    Spelling{"with", Token::With},
    Spelling{"async", Token::Async},
    Spelling{"await", Token::Await},
    Spelling{"except", Token::Except},
    Spelling{"finally", Token::Finally},
    Spelling{"from", Token::From},
    Spelling{"global", Token::Global},
    Spelling{"import", Token::Import},
    Spelling{"lambda", Token::Lambda},
    Spelling{"nonlocal", Token::Nonlocal},
    Spelling{"try", Token::Try},
    Spelling{"yield", Token::Yield},
};

// Longer spellings before their prefixes.
constexpr std::array kPunctuation = {
    Spelling{"**=", Token::DoubleStarAssign},
    Spelling{"//=", Token::DoubleSlashAssign},
    Spelling{"<<=", Token::LeftShiftAssign},
    Spelling{">>=", Token::RightShiftAssign},
    Spelling{"...", Token::Ellipsis},
    Spelling{"**", Token::DoubleStar},
    Spelling{"//", Token::DoubleSlash},
    Spelling{"<<", Token::LeftShift},
    Spelling{">>", Token::RightShift},
    Spelling{"<=", Token::LessEqual},
    Spelling{">=", Token::GreaterEqual},
    Spelling{"==", Token::Equal},
    Spelling{"!=", Token::NotEqual},
    Spelling{"->", Token::Arrow},
    Spelling{":=", Token::Walrus},
    Spelling{"+=", Token::PlusAssign},
    Spelling{"-=", Token::MinusAssign},
    Spelling{"*=", Token::StarAssign},
    Spelling{"/=", Token::SlashAssign},
    Spelling{"%=", Token::PercentAssign},
    Spelling{"@=", Token::AtAssign},
    Spelling{"&=", Token::AmpersandAssign},
    Spelling{"|=", Token::PipeAssign},
    Spelling{"^=", Token::CaretAssign},
    Spelling{"(", Token::LeftParen},
    Spelling{")", Token::RightParen},
    Spelling{"[", Token::LeftBracket},
    Spelling{"]", Token::RightBracket},
    Spelling{"{", Token::LeftBrace},
    Spelling{"}", Token::RightBrace},
    Spelling{",", Token::Comma},
    Spelling{":", Token::Colon},
    Spelling{".", Token::Dot},
    Spelling{"@", Token::At},
    Spelling{"=", Token::Assign},
    Spelling{"+", Token::Plus},
    Spelling{"-", Token::Minus},
    Spelling{"*", Token::Star},
    Spelling{"/", Token::Slash},
    Spelling{"%", Token::Percent},
    Spelling{"~", Token::Tilde},
    Spelling{"&", Token::Ampersand},
    Spelling{"|", Token::Pipe},
    Spelling{"^", Token::Caret},
    Spelling{"<", Token::Less},
    Spelling{">", Token::Greater},
};

const std::unordered_map<std::string_view, Token>& keywords() {
    static const auto* const table = [] {
        auto* map = new std::unordered_map<std::string_view, Token>();
        for (const Spelling& spelling : kKeywords) map->emplace(spelling.text, spelling.token);
        return map;
    }();
    return *table;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }
bool is_number_part(char c) { return is_name_part(c) || c == '.'; }

constexpr std::string_view kTypeComment = "# type:";

class Lexer {
  public:
    Lexer(const std::shared_ptr<const ir::Source>& source, Dialect dialect)
        : source_(source), text_(source->text()), is_python_(dialect == Dialect::Python) {
        if (text_.size() >= std::numeric_limits<std::uint32_t>::max()) fail("source text is too long", {0, 0});
    }

    TokenList run() {
        tokens_.reserve(text_.size() / 4 + 8);
        if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark
        indents_.push_back(indentation());
        if (is_python_ && indents_.back() > 0 && at_ < text_.size()) fail("unexpected indent", range_from(at_));
        return rest();
    }
    // The first line's indentation is that of its line in the whole source.
    TokenList run_statements(Range part) {
        text_ = text_.substr(0, part.end);
        const std::size_t line_start = text_.rfind('\n', part.begin) + 1;  // npos + 1 is 0
        at_ = std::min<std::size_t>(line_start, part.begin);
        indents_.push_back(indentation());
        at_ = part.begin;
        return rest();
    }

    TokenList rest() {
        while (at_ < text_.size()) step();
        if (!at_line_start() && nesting_ == 0) add(Token::Newline, at_);
        close_indents(indents_.front());
        add(Token::End, at_);
        return {std::move(tokens_), std::move(comments_)};
    }

    TokenList run(Range part) {
        at_ = part.begin;
        text_ = text_.substr(0, part.end);
        nesting_ = 1;
        while (at_ < text_.size()) step();
        add(Token::End, at_);
        return {std::move(tokens_), {}};
    }

  private:
    [[noreturn]] void fail(const std::string& message, Range range) const {
        throw CompileError(message, place(source_, range));
    }
    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    Range range_from(std::size_t begin) const {
        return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
    }
    void add(Token kind, std::size_t begin) { tokens_.push_back({kind, range_from(begin)}); }

    // Skips blanks, blank lines and comment lines; returns the width of the blanks before the next token.
    std::size_t indentation() {
        std::size_t width = 0;
        while (at_ < text_.size()) {
            if (is_blank(peek())) {
                width = peek() == '\t' && is_python_ ? (width / 8 + 1) * 8 : width + 1;
                ++at_;
            } else if (peek() == '\n') {
                width = 0;
                ++at_;
            } else if (peek() == '#' && !at_type_comment()) {
                skip_comment();
            } else {
                break;
            }
        }
        return width;
    }
    bool at_type_comment() const {
        if (is_python_) return false;
        const std::string_view rest = text_.substr(at_);
        return rest.starts_with(kTypeComment) && !rest.starts_with("# type: ignore");
    }
    void skip_comment() {
        while (at_ < text_.size() && peek() != '\n') ++at_;
    }

    void step() {
        const char c = peek();
        if (is_blank(c)) {
            ++at_;
        } else if (c == '\n') {
            line_end();
        } else if (c == ';' && nesting_ == 0) {
            const std::size_t begin = at_++;
            if (at_line_start()) fail("unexpected ';'", range_from(begin));
            add(Token::Newline, begin);
        } else if (c == '#') {
            comment();
        } else if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
            at_ += peek(1) == '\n' ? 2 : 3;
        } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
            number();
        } else if (const std::size_t prefix = string_prefix(); prefix != std::string_view::npos) {
            string(prefix);
        } else if (is_name_start(c)) {
            name();
        } else {
            punctuation();
        }
    }
    bool at_line_start() const {
        if (tokens_.empty()) return true;
        const Token last = tokens_.back().kind;
        return last == Token::Newline || last == Token::Indent || last == Token::Dedent;
    }

    void line_end() {
        const std::size_t begin = at_++;
        if (nesting_ > 0) return;
        const std::size_t width = indentation();
        if (at_ >= text_.size()) return;
        if (width > indents_.back()) {
            indents_.push_back(width);
            add(Token::Indent, begin);
            return;
        }
        if (!at_line_start()) add(Token::Newline, begin);
        close_indents(width);
        if (width != indents_.back()) {
            fail(is_python_ ? "unindent does not match any outer indentation level"
                            : concat("invalid indent level ", width),
                 range_from(at_));
        }
    }
    void close_indents(std::size_t width) {
        while (indents_.size() > 1 && indents_.back() > width) {
            indents_.pop_back();
            add(Token::Dedent, at_);
        }
    }

    void comment() {
        const bool is_type = at_type_comment();
        const std::size_t begin = at_ + kTypeComment.size();
        skip_comment();
        if (is_type) comments_.push_back({tokens_.size(), range_from(begin)});
    }

    // Digits of the base, with single underscores between them.
    void digits(std::string_view letters) {
        while (letters.find(static_cast<char>(peek() | 0x20)) != std::string_view::npos || peek() == '_') ++at_;
    }
    void python_number() {
        constexpr std::string_view kDecimal = "0123456789";
        const std::size_t begin = at_;
        const char mark = static_cast<char>(peek(1) | 0x20);
        if (peek() == '0' && (mark == 'x' || mark == 'o' || mark == 'b')) {
            at_ += 2;
            digits("0123456789abcdef");
        } else {
            digits(kDecimal);
            if (peek() == '.') {
                ++at_;
                digits(kDecimal);
            }
            const std::size_t sign = peek(1) == '-' || peek(1) == '+' ? 1 : 0;
            if ((peek() | 0x20) == 'e' && is_digit(peek(1 + sign))) {
                at_ += 1 + sign;
                digits(kDecimal);
            }
            if ((peek() | 0x20) == 'j') ++at_;
        }
        add(Token::Number, begin);
    }
    void number() {
        if (is_python_) return python_number();
        const std::size_t begin = at_;
        const bool is_hexadecimal = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
        while (is_number_part(peek())) {
            const char c = text_[at_++];
            const bool is_exponent = (c == 'e' || c == 'E') && !is_hexadecimal;
            if (is_exponent && (peek() == '-' || peek() == '+')) ++at_;
        }
        add(Token::Number, begin);
    }

    // The length of r, f, rf, u or b before a quote, 0 at a quote; npos when no string starts here.
    std::size_t string_prefix() const {
        for (std::size_t length = 0; length <= 2; ++length) {
            const char c = peek(length);
            if (c == '"' || c == '\'') return length;
            if (std::string_view("rRfFbBuU").find(c) == std::string_view::npos || c == '\0') break;
        }
        return std::string_view::npos;
    }
    void string(std::size_t prefix) {
        const std::size_t begin = at_;
        if (is_python_ && text_.substr(begin, prefix).find_first_of("fF") != std::string_view::npos) {
            // A quote inside a replacement field does not end the string (PEP 701).
            if (const std::size_t end = string_end(text_, begin); end != std::string_view::npos) {
                at_ = end;
                return add(Token::String, begin);
            }
        }
        at_ += prefix;
        const char quote = peek();
        const bool is_triple = peek(1) == quote && peek(2) == quote;
        const std::size_t quotes = is_triple ? 3 : 1;
        at_ += quotes;
        while (!closes(quote, quotes)) {
            if (at_ >= text_.size() || (peek() == '\n' && !is_triple)) {
                fail("unterminated string literal", range_from(begin));
            }
            at_ += peek() == '\\' && at_ + 1 < text_.size() ? 2 : 1;
        }
        at_ += quotes;
        add(Token::String, begin);
    }
    bool closes(char quote, std::size_t quotes) const {
        for (std::size_t i = 0; i < quotes; ++i) {
            if (peek(i) != quote) return false;
        }
        return true;
    }

    void name() {
        const std::size_t begin = at_;
        while (is_name_part(peek())) ++at_;
        const std::string_view text = text_.substr(begin, at_ - begin);
        const auto found = keywords().find(text);
        const bool is_keyword = found != keywords().end() && !(is_python_ && text == "NoneType");
        add(is_keyword ? found->second : Token::Name, begin);
    }

    void punctuation() {
        const std::string_view rest = text_.substr(at_);
        for (const Spelling& spelling : kPunctuation) {
            if (!rest.starts_with(spelling.text)) continue;
            const std::size_t begin = at_;
            at_ += spelling.text.size();
            nest(spelling.token);
            add(spelling.token, begin);
            return;
        }
        const std::size_t begin = at_++;
        fail(concat("unexpected character '", text_[begin], "'"), range_from(begin));
    }
    void nest(Token token) {
        if (token == Token::LeftParen || token == Token::LeftBracket || token == Token::LeftBrace) ++nesting_;
        const bool closes_one =
            token == Token::RightParen || token == Token::RightBracket || token == Token::RightBrace;
        if (closes_one && nesting_ > 0) --nesting_;
    }

    std::shared_ptr<const ir::Source> source_;
    std::string_view text_;
    bool is_python_;
    std::size_t at_ = 0;
    std::size_t nesting_ = 0;
    std::vector<std::size_t> indents_;
    std::vector<PlacedToken> tokens_;
    std::vector<TypeComment> comments_;
};

}  // namespace

std::string_view token_name(Token kind) {
    switch (kind) {
        case Token::End:
            return "eof";
        case Token::Newline:
            return "newline";
        case Token::Indent:
            return "indent";
        case Token::Dedent:
            return "dedent";
        case Token::Name:
            return "ident";
        case Token::Number:
            return "number";
        case Token::String:
            return "string_literal";
        default:
            break;
    }
    for (const Spelling& spelling : kKeywords) {
        if (spelling.token == kind) return spelling.text;
    }
    for (const Spelling& spelling : kPunctuation) {
        if (spelling.token == kind) return spelling.text;
    }
    return "token";
}

TokenList tokenize(const std::shared_ptr<const ir::Source>& source, Dialect dialect) {
    return Lexer(source, dialect).run();
}

TokenList tokenize_expression(const std::shared_ptr<const ir::Source>& source, Range part, Dialect dialect) {
    return Lexer(source, dialect).run(part);
}

TokenList tokenize_statements(const std::shared_ptr<const ir::Source>& source, Range part, Dialect dialect) {
    return Lexer(source, dialect).run_statements(part);
}

}  // namespace loupe::script
