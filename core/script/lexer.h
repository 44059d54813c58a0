// SPDX-License-Identifier: Apache-2.0
#pragma once
// Python's tokens.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/ir/source.h"
#include "core/script/ast.h"

namespace loupe::script {

// TorchScript: PyTorch's dialect, with its quirks. Python: the language.
enum class Dialect : std::uint8_t { TorchScript, Python };

enum class Token : std::uint8_t {
    // clang-format off
    End, Newline, Indent, Dedent, Name, Number, String,
    // keywords
    And, As, Assert, Break, Class, Continue, Def, Del, Elif, Ellipsis, Else, False, For, If, In, Is, None, Not, Or,
    Pass, Raise, Return, True, While, With,
    // keywords of Python that TorchScript has no use for
    Async, Await, Except, Finally, From, Global, Import, Lambda, Nonlocal, Try, Yield,
    // punctuation
    LeftParen, RightParen, LeftBracket, RightBracket, LeftBrace, RightBrace, Comma, Colon, Dot, Arrow, At, Assign,
    Walrus, Plus, Minus, Star, DoubleStar, Slash, DoubleSlash, Percent, Tilde, Ampersand, Pipe, Caret, LeftShift,
    RightShift, Less, Greater, LessEqual, GreaterEqual, Equal, NotEqual,
    PlusAssign, MinusAssign, StarAssign, SlashAssign, DoubleSlashAssign, PercentAssign, AtAssign, AmpersandAssign,
    PipeAssign, CaretAssign, LeftShiftAssign, RightShiftAssign, DoubleStarAssign,
    // clang-format on
};

// Its name in messages: "newline", "ident", "+=".
std::string_view token_name(Token kind);

struct PlacedToken {
    Token kind;
    Range range;
};

// A "# type:" comment, which is outside of the grammar: it precedes the token with that index.
struct TypeComment {
    std::size_t before = 0;
    Range range;  // of the text after "# type:"
};

struct TokenList {
    std::vector<PlacedToken> tokens;
    std::vector<TypeComment> type_comments;
};

// All tokens of the source, the last of them End. A line that is indented more than the one before starts with Indent
// instead of Newline; one that is indented less is preceded by Newline and one Dedent a level.
// Throws Error (Compile).
TokenList tokenize(const std::shared_ptr<const ir::Source>& source, Dialect dialect = Dialect::TorchScript);
// Those of a part of it that is one expression: newlines do not count.
TokenList tokenize_expression(const std::shared_ptr<const ir::Source>& source, Range part,
                              Dialect dialect = Dialect::TorchScript);
// Those of a part of it that is one or more whole statements, from the first token of the first to the end of the last.
TokenList tokenize_statements(const std::shared_ptr<const ir::Source>& source, Range part,
                              Dialect dialect = Dialect::TorchScript);

}  // namespace loupe::script
