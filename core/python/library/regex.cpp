// SPDX-License-Identifier: Apache-2.0
#include "core/python/library/regex.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "core/base/cancel.h"
#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/frame.h"

namespace loupe::python {

namespace {

bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_space(char32_t c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == 0xA0 || c == 0x2028 || c == 0x3000; }
bool is_word(char32_t c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= 0xC0 && c != 0xD7 && c != 0xF7 && !is_space(c));
}
char32_t lowered(char32_t c) {
    const bool is_upper = (c >= 'A' && c <= 'Z') || (c >= 0xC0 && c <= 0xDE && c != 0xD7);
    return is_upper ? c + 32 : c;
}
bool is_class(char32_t kind, char32_t c) {
    switch (kind) {
        case 'd':
            return is_digit(c);
        case 'D':
            return !is_digit(c);
        case 's':
            return is_space(c);
        case 'S':
            return !is_space(c);
        case 'w':
            return is_word(c);
        default:
            return !is_word(c);
    }
}

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

}  // namespace

struct Regex::Node {
    enum class Kind {
        Char,
        Any,
        Set,
        Class,
        Begin,
        End,
        TextBegin,
        TextEnd,
        Boundary,
        NotBoundary,
        Group,
        Reference,
        Look,
        Repeat,
        Either,
        Sequence
    };
    explicit Node(Kind node_kind) : kind(node_kind) {}
    Kind kind;
    char32_t character = 0;  // of Char; of Class its letter
    std::vector<std::pair<char32_t, char32_t>> ranges;
    std::vector<char32_t> classes;
    bool is_negated = false;  // of Set and Look
    bool is_behind = false;   // of Look
    bool is_greedy = true;
    bool ignores_case = false, is_multiline = false, takes_newline = false;
    std::size_t group = 0;  // of Group (0: none) and Reference
    std::size_t least = 0, most = 0;
    std::vector<const Node*> parts;

    bool takes_one() const {
        return kind == Kind::Char || kind == Kind::Any || kind == Kind::Set || kind == Kind::Class;
    }
    bool takes(char32_t c) const {
        switch (kind) {
            case Kind::Char:
                return c == character || (ignores_case && lowered(c) == lowered(character));
            case Kind::Any:
                return takes_newline || c != '\n';
            case Kind::Class:
                return is_class(character, c);
            default:
                return has(c) || (ignores_case && (has(lowered(c)) || has(raised(c)))) ? !is_negated : is_negated;
        }
    }

  private:
    static char32_t raised(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 0xE0 && c <= 0xFE) ? c - 32 : c; }
    bool has(char32_t c) const {
        return std::any_of(ranges.begin(), ranges.end(),
                           [&](const auto& r) { return c >= r.first && c <= r.second; }) ||
               std::any_of(classes.begin(), classes.end(), [&](char32_t k) { return is_class(k, c); });
    }
};

class RegexParser {
  public:
    using Node = Regex::Node;
    using Kind = Node::Kind;
    RegexParser(Regex& regex, const std::u32string& text) : regex_(regex), text_(text) {}

    const Node* run() {
        const Node* all = either();
        if (at_ < text_.size()) fail("unbalanced parenthesis");
        return all;
    }

  private:
    [[noreturn]] void fail(std::string_view message) const {
        throw_error("ReError", concat(message, " at position ", at_));
    }
    bool more() const { return at_ < text_.size(); }
    char32_t peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : U'\0'; }
    bool take(char32_t c) {
        if (!more() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    bool take(std::u32string_view text) {
        if (text_.compare(at_, text.size(), text) != 0) return false;
        at_ += text.size();
        return true;
    }
    Node* make(Kind kind) {
        regex_.nodes_.push_back(std::make_unique<Node>(kind));
        Node* node = regex_.nodes_.back().get();
        node->ignores_case = (regex_.flags_ & Regex::kIgnoreCase) != 0;
        node->is_multiline = (regex_.flags_ & Regex::kMultiline) != 0;
        node->takes_newline = (regex_.flags_ & Regex::kDotAll) != 0;
        return node;
    }
    Node* make_char(char32_t c) {
        Node* node = make(Kind::Char);
        node->character = c;
        return node;
    }

    const Node* either() {
        check_stack();
        std::vector<const Node*> choices = {sequence()};
        while (take(U'|')) choices.push_back(sequence());
        if (choices.size() == 1) return choices.front();
        Node* node = make(Kind::Either);
        node->parts = std::move(choices);
        return node;
    }
    void skip_space() {
        while ((regex_.flags_ & Regex::kVerbose) != 0 && more()) {
            if (is_space(peek()))
                ++at_;
            else if (peek() == '#')
                while (more() && peek() != '\n') ++at_;
            else
                break;
        }
    }
    const Node* sequence() {
        std::vector<const Node*> parts;
        for (skip_space(); more() && peek() != '|' && peek() != ')'; skip_space()) {
            if (const Node* part = atom()) parts.push_back(repeated(part));
        }
        Node* node = make(Kind::Sequence);
        node->parts = std::move(parts);
        return node;
    }
    std::optional<std::size_t> number() {
        if (!is_digit(peek())) return std::nullopt;
        std::size_t value = 0;
        while (is_digit(peek())) value = std::min<std::size_t>(value * 10 + (text_[at_++] - U'0'), 1U << 30);
        return value;
    }
    bool take_count(std::size_t& least, std::size_t& most) {
        skip_space();
        if (take(U'*')) return least = 0, most = kUnlimited, true;
        if (take(U'+')) return least = 1, most = kUnlimited, true;
        if (take(U'?')) return least = 0, most = 1, true;
        const std::size_t before = at_;
        if (!take(U'{')) return false;
        const auto first = number();
        const bool has_comma = take(U',');
        const auto last = has_comma ? number() : first;
        if ((!first && !last) || !take(U'}')) {
            at_ = before;
            return false;
        }
        least = first.value_or(0);
        most = last.value_or(kUnlimited);
        if (least > most) fail("min repeat greater than max repeat");
        return true;
    }
    const Node* repeated(const Node* part) {
        std::size_t least = 0;
        std::size_t most = 0;
        if (!take_count(least, most)) return part;
        Node* node = make(Kind::Repeat);
        node->parts = {part};
        node->least = least;
        node->most = most;
        node->is_greedy = !take(U'?');
        const std::size_t before = at_;
        if (take_count(least, most)) {
            at_ = before;
            fail("multiple repeat");
        }
        return node;
    }
    const Node* atom() {
        const char32_t c = text_[at_++];
        switch (c) {
            case '.':
                return make(Kind::Any);
            case '^':
                return make(Kind::Begin);
            case '$':
                return make(Kind::End);
            case '(':
                return group();
            case '[':
                return set();
            case '\\':
                return escape();
            case '*':
            case '+':
            case '?':
                --at_;
                fail("nothing to repeat");
            default:
                return make_char(c);
        }
    }
    std::string name_until(char32_t end) {
        std::string name;
        while (more() && peek() != end) name += static_cast<char>(text_[at_++]);
        if (!take(end)) fail("missing group name terminator");
        if (name.empty()) fail("missing group name");
        return name;
    }
    const Node* group() {
        Node* node = nullptr;
        if (take(U"?:"))
            node = make(Kind::Group);
        else if (take(U"?P="))
            return reference(name_until(U')'));
        else if (take(U"?#")) {
            while (more() && !take(U')')) ++at_;
            return nullptr;
        } else if (take(U"?=") || take(U"?!") || take(U"?<=") || take(U"?<!")) {
            node = make(Kind::Look);
            node->is_negated = text_[at_ - 1] == '!';
            node->is_behind = text_[at_ - 2] == '<';
        } else if (peek() == '?' && peek(1) != 'P') {
            return inline_flags();
        } else {
            node = make(Kind::Group);
            node->group = ++regex_.group_count_;
            if (take(U"?P<")) regex_.names_.emplace_back(name_until(U'>'), node->group);
        }
        node->parts = {either()};
        if (!take(U')')) fail("missing ), unterminated subpattern");
        return node;
    }
    // (?i) for all, (?i:...) for a part.
    const Node* inline_flags() {
        const unsigned before = regex_.flags_;
        ++at_;
        while (more() && peek() != ')' && peek() != ':') {
            switch (text_[at_++]) {
                case 'i':
                    regex_.flags_ |= Regex::kIgnoreCase;
                    break;
                case 'm':
                    regex_.flags_ |= Regex::kMultiline;
                    break;
                case 's':
                    regex_.flags_ |= Regex::kDotAll;
                    break;
                case 'x':
                    regex_.flags_ |= Regex::kVerbose;
                    break;
                case 'a':
                case 'u':
                    break;
                default:
                    --at_;
                    fail("unknown extension");
            }
        }
        if (take(U')')) return nullptr;
        ++at_;
        Node* node = make(Kind::Group);
        node->parts = {either()};
        if (!take(U')')) fail("missing ), unterminated subpattern");
        regex_.flags_ = before;
        return node;
    }
    const Node* reference(const std::string& name) {
        for (const auto& [known, index] : regex_.names_) {
            if (known == name) return reference(index);
        }
        fail(concat("unknown group name '", name, "'"));
    }
    const Node* reference(std::size_t index) {
        if (index == 0 || index > regex_.group_count_) fail(concat("invalid group reference ", index));
        Node* node = make(Kind::Reference);
        node->group = index;
        return node;
    }
    // The character that \n, \x41 or \. stand for; `at_` is behind the backslash.
    char32_t escaped_char() {
        if (!more()) fail("bad escape (end of pattern)");
        const char32_t c = text_[at_++];
        const auto hex = [&](int count) {
            char32_t value = 0;
            for (; count > 0; --count) {
                const char32_t d = lowered(peek());
                if (!is_digit(d) && (d < 'a' || d > 'f')) fail("incomplete escape");
                value = value * 16 + (is_digit(d) ? d - U'0' : d - U'a' + 10);
                ++at_;
            }
            return value;
        };
        switch (c) {
            case 'n':
                return '\n';
            case 't':
                return '\t';
            case 'r':
                return '\r';
            case 'f':
                return '\f';
            case 'v':
                return '\v';
            case 'a':
                return '\a';
            case '0':
                return 0;
            case 'x':
                return hex(2);
            case 'u':
                return hex(4);
            default:
                if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) fail("bad escape");
                return c;
        }
    }
    const Node* escape() {
        const char32_t c = peek();
        if (c != 0 && std::u32string_view(U"dDsSwW").find(c) != std::u32string_view::npos) {
            Node* node = make(Kind::Class);
            node->character = text_[at_++];
            return node;
        }
        if (take(U'b')) return make(Kind::Boundary);
        if (take(U'B')) return make(Kind::NotBoundary);
        if (take(U'A')) return make(Kind::TextBegin);
        if (take(U'Z')) return make(Kind::TextEnd);
        if (is_digit(c) && c != '0') return reference(*number());
        return make_char(escaped_char());
    }
    const Node* set() {
        Node* node = make(Kind::Set);
        node->is_negated = take(U'^');
        bool is_first = true;
        while (is_first || peek() != ']') {
            if (!more()) fail("unterminated character set");
            is_first = false;
            char32_t low = text_[at_++];
            if (low == '\\') {
                if (more() && std::u32string_view(U"dDsSwW").find(peek()) != std::u32string_view::npos) {
                    node->classes.push_back(text_[at_++]);
                    continue;
                }
                low = take(U'b') ? U'\b' : escaped_char();
            }
            char32_t high = low;
            if (peek() == '-' && at_ + 1 < text_.size() && peek(1) != ']') {
                ++at_;
                high = text_[at_++];
                if (high == '\\') high = escaped_char();
                if (high < low) fail("bad character range");
            }
            node->ranges.emplace_back(low, high);
        }
        ++at_;
        return node;
    }

    Regex& regex_;
    const std::u32string& text_;
    std::size_t at_ = 0;
};

namespace {

class Matching {
  public:
    using Node = Regex::Node;
    using Kind = Node::Kind;
    using Next = std::function<bool(std::size_t)>;
    Matching(const std::u32string& text, std::size_t groups) : text_(text), spans(groups + 1, {-1, -1}) {}

    bool match(const Node& node, std::size_t at, const Next& next) {
        check_stack();
        if ((++steps_ & 0x3FFU) == 0) check_cancelled();
        switch (node.kind) {
            case Kind::Begin:
                return (at == 0 || (node.is_multiline && text_[at - 1] == '\n')) && next(at);
            case Kind::End:
                return at_end(node, at) && next(at);
            case Kind::TextBegin:
                return at == 0 && next(at);
            case Kind::TextEnd:
                return at == text_.size() && next(at);
            case Kind::Boundary:
                return is_boundary(at) && next(at);
            case Kind::NotBoundary:
                return !is_boundary(at) && next(at);
            case Kind::Group:
                return match_group(node, at, next);
            case Kind::Reference:
                return match_reference(node, at, next);
            case Kind::Look:
                return looks(node, at) != node.is_negated && next(at);
            case Kind::Repeat:
                return node.parts[0]->takes_one() ? match_run(node, at, next) : match_repeat(node, at, 0, next);
            case Kind::Either:
                return std::any_of(node.parts.begin(), node.parts.end(),
                                   [&](const Node* part) { return match(*part, at, next); });
            case Kind::Sequence:
                return match_sequence(node, 0, at, next);
            default:
                return at < text_.size() && node.takes(text_[at]) && next(at + 1);
        }
    }

  private:
    bool at_end(const Node& node, std::size_t at) const {
        if (at == text_.size()) return true;
        return text_[at] == '\n' && (node.is_multiline || at + 1 == text_.size());
    }
    bool is_boundary(std::size_t at) const {
        const bool before = at > 0 && is_word(text_[at - 1]);
        const bool behind = at < text_.size() && is_word(text_[at]);
        return before != behind;
    }
    bool match_group(const Node& node, std::size_t at, const Next& next) {
        if (node.group == 0) return match(*node.parts[0], at, next);
        const auto before = spans[node.group];
        const bool is_matched = match(*node.parts[0], at, [&](std::size_t end) {
            const auto inner = spans[node.group];
            spans[node.group] = {static_cast<std::int64_t>(at), static_cast<std::int64_t>(end)};
            if (next(end)) return true;
            spans[node.group] = inner;
            return false;
        });
        if (!is_matched) spans[node.group] = before;
        return is_matched;
    }
    bool match_reference(const Node& node, std::size_t at, const Next& next) {
        const auto [from, to] = spans[node.group];
        if (from < 0) return false;
        const auto size = static_cast<std::size_t>(to - from);
        if (text_.compare(at, size, text_, static_cast<std::size_t>(from), size) != 0) return false;
        return next(at + size);
    }
    bool looks(const Node& node, std::size_t at) {
        if (!node.is_behind) return match(*node.parts[0], at, [](std::size_t) { return true; });
        for (std::size_t from = at + 1; from-- > 0;) {
            if (match(*node.parts[0], from, [&](std::size_t end) { return end == at; })) return true;
        }
        return false;
    }
    // Of one character each: without recursion.
    bool match_run(const Node& node, std::size_t at, const Next& next) {
        const Node& one = *node.parts[0];
        std::size_t count = 0;
        const auto step = [&] {
            if (count >= node.most || at + count >= text_.size() || !one.takes(text_[at + count])) return false;
            ++count;
            return true;
        };
        if (!node.is_greedy) {
            while (count < node.least) {
                if (!step()) return false;
            }
            while (!next(at + count)) {
                if (!step()) return false;
            }
            return true;
        }
        while (step()) continue;
        if (count < node.least) return false;
        for (std::size_t left = count + 1; left-- > node.least;) {
            if (next(at + left)) return true;
        }
        return false;
    }
    bool match_repeat(const Node& node, std::size_t at, std::size_t count, const Next& next) {
        const auto again = [&] {
            return count < node.most && match(*node.parts[0], at, [&, at](std::size_t end) {
                       if (end == at && count >= node.least) return false;  // nothing taken: no further
                       return match_repeat(node, end, count + 1, next);
                   });
        };
        if (count < node.least) return again();
        return node.is_greedy ? again() || next(at) : next(at) || again();
    }
    bool match_sequence(const Node& node, std::size_t part, std::size_t at, const Next& next) {
        // Single characters without a continuation each.
        while (part < node.parts.size() && node.parts[part]->takes_one()) {
            if (at >= text_.size() || !node.parts[part]->takes(text_[at])) return false;
            ++part;
            ++at;
        }
        if (part == node.parts.size()) return next(at);
        return match(*node.parts[part], at,
                     [&, part](std::size_t end) { return match_sequence(node, part + 1, end, next); });
    }

    const std::u32string& text_;
    std::size_t steps_ = 0;

  public:
    Regex::Spans spans;
};

}  // namespace

Regex::Regex(std::u32string pattern, unsigned flags) : flags_(flags) { root_ = RegexParser(*this, pattern).run(); }
Regex::~Regex() = default;

std::optional<Regex::Spans> Regex::find(const std::u32string& text, std::size_t from, Mode mode) const {
    for (std::size_t at = from; at <= text.size(); ++at) {
        Matching matching(text, group_count_);
        const bool is_found = matching.match(*root_, at, [&](std::size_t end) {
            if (mode == Mode::FullMatch && end != text.size()) return false;
            matching.spans[0] = {static_cast<std::int64_t>(at), static_cast<std::int64_t>(end)};
            return true;
        });
        if (is_found) return std::move(matching.spans);
        if (mode != Mode::Search) return std::nullopt;
        check_cancelled();
    }
    return std::nullopt;
}

std::u32string decode_text(std::string_view utf8) {
    std::u32string out;
    for (const std::string_view part : characters(utf8)) {
        auto code = static_cast<char32_t>(static_cast<unsigned char>(part[0]));
        if (part.size() > 1) code &= 0xFFU >> (part.size() + 1);
        for (const char c : part.substr(1)) code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
        out += code;
    }
    return out;
}

}  // namespace loupe::python
