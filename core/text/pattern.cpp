// SPDX-License-Identifier: Apache-2.0
#include "core/text/pattern.h"

#include <unicode/uregex.h>
#include <unicode/utf16.h>

#include <algorithm>
#include <memory>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::text {
namespace {

// Steps of ICU's matcher, some milliseconds each, for one search.
constexpr int32_t kLongestSearch = 20'000;

struct Utf16 {
    std::u16string units;
    std::vector<std::uint32_t> bytes;  // where each unit, and the end, stands in the UTF-8; empty for ASCII

    explicit Utf16(std::string_view text) {
        units.reserve(text.size());
        const bool is_ascii = std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
        if (is_ascii) {
            units.assign(text.begin(), text.end());
            return;
        }
        bytes.reserve(text.size() + 1);
        for (std::size_t at = 0; at < text.size();) {
            const auto begin = static_cast<std::uint32_t>(at);
            const char32_t c = next_char(text, at);
            bytes.push_back(begin);
            if (c < 0x10000) {
                units += static_cast<char16_t>(c);
            } else {
                units += static_cast<char16_t>(U16_LEAD(c));
                units += static_cast<char16_t>(U16_TRAIL(c));
                bytes.push_back(begin);
            }
        }
        bytes.push_back(static_cast<std::uint32_t>(text.size()));
    }
    std::size_t byte_of(int32_t unit) const {
        const auto at = static_cast<std::size_t>(unit);
        return bytes.empty() ? at : bytes[at];
    }
};

// \w of Oniguruma is narrower than ICU's.
std::string for_icu(const std::string& expression, Dialect dialect) {
    if (dialect == Dialect::Rust) return expression;
    std::string out;
    int depth = 0;  // of brackets
    for (std::size_t i = 0; i < expression.size(); ++i) {
        const char c = expression[i];
        if (c == '\\' && i + 1 < expression.size()) {
            const char next = expression[++i];
            if (next == 'w')
                out += depth > 0 ? "\\p{L}\\p{M}\\p{Nd}\\p{Pc}" : "[\\p{L}\\p{M}\\p{Nd}\\p{Pc}]";
            else if (next == 'W')
                out += "[^\\p{L}\\p{M}\\p{Nd}\\p{Pc}]";
            else if (next == 'h')
                out += depth > 0 ? "0-9a-fA-F" : "[0-9a-fA-F]";
            else
                out += {c, next};
            continue;
        }
        if (c == '[') ++depth;
        if (c == ']' && depth > 0) --depth;
        out += c;
    }
    return out;
}

class Expression {
  public:
    Expression(const std::string& expression, Dialect dialect) : shown_(expression) {
        const Utf16 pattern(for_icu(expression, dialect));
        UErrorCode status = U_ZERO_ERROR;
        const std::uint32_t flags =
            dialect == Dialect::Oniguruma ? UREGEX_MULTILINE | UREGEX_UNIX_LINES : UREGEX_UNIX_LINES;
        compiled_.reset(
            uregex_open(pattern.units.data(), static_cast<int32_t>(pattern.units.size()), flags, nullptr, &status));
        if (U_FAILURE(status))
            throw Error(ErrorKind::File, concat("the expression ", python_repr(std::string_view(shown_)),
                                                " cannot be read: ", u_errorName(status)));
    }

    // A clone a search: the compiled expression is shared by threads.
    std::vector<Piece> find(std::string_view text) const {
        if (text.size() > 1'000'000'000) throw Error(ErrorKind::Run, "a text of more than 1 GB is not split");
        const Utf16 units(text);
        UErrorCode status = U_ZERO_ERROR;
        const Handle search(uregex_clone(compiled_.get(), &status));
        uregex_setTimeLimit(search.get(), kLongestSearch, &status);
        uregex_setText(search.get(), units.units.data(), static_cast<int32_t>(units.units.size()), &status);
        std::vector<Piece> out;
        std::size_t done = 0;
        while (U_SUCCESS(status) && uregex_findNext(search.get(), &status)) {
            const std::size_t begin = units.byte_of(uregex_start(search.get(), 0, &status));
            const std::size_t end = units.byte_of(uregex_end(search.get(), 0, &status));
            if (begin > done) out.push_back({done, begin, false});
            out.push_back({begin, end, true});
            done = end;
        }
        if (U_FAILURE(status))
            throw Error(ErrorKind::Run, concat("the expression ", python_repr(std::string_view(shown_)),
                                               " takes too long on this text: ", u_errorName(status)));
        if (done < text.size()) out.push_back({done, text.size(), false});
        return out;
    }

  private:
    struct Close {
        void operator()(URegularExpression* each) const { uregex_close(each); }
    };
    using Handle = std::unique_ptr<URegularExpression, Close>;
    std::string shown_;
    Handle compiled_;
};

// Runs of equal kind are one; of a merged run the first match joins its neighbour.
std::vector<Piece> merged_with_previous(const std::vector<Piece>& pieces) {
    std::vector<Piece> out;
    bool follows_match = false;
    for (const Piece& piece : pieces) {
        if (piece.is_match && !follows_match && !out.empty())
            out.back().end = piece.end;
        else
            out.push_back(piece);
        follows_match = piece.is_match;
    }
    return out;
}

std::vector<Piece> merged_with_next(const std::vector<Piece>& pieces) {
    std::vector<Piece> out;
    bool precedes_match = false;
    for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
        if (piece->is_match && !precedes_match && !out.empty())
            out.back().begin = piece->begin;
        else
            out.push_back(*piece);
        precedes_match = piece->is_match;
    }
    std::ranges::reverse(out);
    return out;
}

std::vector<Piece> contiguous(const std::vector<Piece>& pieces) {
    std::vector<Piece> out;
    for (const Piece& piece : pieces) {
        if (!out.empty() && out.back().is_match == piece.is_match)
            out.back().end = piece.end;
        else
            out.push_back(piece);
    }
    return out;
}

}  // namespace

Finder find_chars(std::function<bool(char32_t)> property) {
    return [property = std::move(property)](std::string_view text) {
        std::vector<Piece> out;
        std::size_t done = 0;
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t begin = at;
            if (!property(next_char(text, at))) continue;
            if (begin > done) out.push_back({done, begin, false});
            out.push_back({begin, at, true});
            done = at;
        }
        if (done < text.size()) out.push_back({done, text.size(), false});
        return out;
    };
}

Finder find_text(std::string wanted) {
    return [wanted = std::move(wanted)](std::string_view text) {
        std::vector<Piece> out;
        std::size_t done = 0;
        while (!wanted.empty()) {
            const std::size_t found = text.find(wanted, done);
            if (found == std::string_view::npos) break;
            if (found > done) out.push_back({done, found, false});
            done = found + wanted.size();
            out.push_back({found, done, true});
        }
        if (done < text.size()) out.push_back({done, text.size(), false});
        return out;
    };
}

Finder find_expression(const std::string& expression, Dialect dialect) {
    return [compiled = std::make_shared<const Expression>(expression, dialect)](std::string_view text) {
        return compiled->find(text);
    };
}

Finder inverted(Finder finder) {
    return [finder = std::move(finder)](std::string_view text) {
        std::vector<Piece> pieces = finder(text);
        for (Piece& piece : pieces) piece.is_match = !piece.is_match;
        return pieces;
    };
}

std::vector<Piece> split_at(std::vector<Piece> pieces, Behavior behavior) {
    switch (behavior) {
        case Behavior::Removed:
            std::erase_if(pieces, [](const Piece& each) { return each.is_match; });
            break;
        case Behavior::Isolated:
            break;
        case Behavior::MergedWithPrevious:
            pieces = merged_with_previous(pieces);
            break;
        case Behavior::MergedWithNext:
            pieces = merged_with_next(pieces);
            break;
        case Behavior::Contiguous:
            pieces = contiguous(pieces);
            break;
    }
    std::erase_if(pieces, [](const Piece& each) { return each.begin >= each.end; });
    return pieces;
}

}  // namespace loupe::text
