// SPDX-License-Identifier: Apache-2.0
#include "core/text/pre_tokenizer.h"

#include "core/base/strings.h"
#include "core/text/byte_alphabet.h"
#include "core/text/normalizer.h"
#include "core/text/pattern.h"
#include "core/text/settings.h"

namespace loupe::text {
namespace {

constexpr char32_t kLowerBlock = 0x2581;  // sentencepiece's space

std::vector<NormalizedText> slices(const NormalizedText& text, const std::vector<Piece>& pieces) {
    std::vector<NormalizedText> out;
    out.reserve(pieces.size());
    for (const Piece& piece : pieces) out.push_back(text.slice(piece.begin, piece.end));
    return out;
}

PreTokenizer splitter(Finder finder, Behavior behavior) {
    return [finder = std::move(finder), behavior](NormalizedText text) {
        return slices(text, split_at(finder(text.text()), behavior));
    };
}

PreTokenizer in_order(std::vector<PreTokenizer> parts) {
    return [parts = std::move(parts)](NormalizedText text) {
        std::vector<NormalizedText> words;
        words.push_back(std::move(text));
        for (const PreTokenizer& part : parts) {
            std::vector<NormalizedText> next;
            for (NormalizedText& word : words) {
                if (word.empty()) continue;
                auto split = part(std::move(word));
                std::ranges::move(split, std::back_inserter(next));
            }
            words = std::move(next);
        }
        return words;
    };
}

Behavior behavior_of(const JsonValue& settings, std::string otherwise) {
    const std::string name = text_of(settings, "behavior", std::move(otherwise));
    if (name == "Removed") return Behavior::Removed;
    if (name == "Isolated") return Behavior::Isolated;
    if (name == "MergedWithPrevious") return Behavior::MergedWithPrevious;
    if (name == "MergedWithNext") return Behavior::MergedWithNext;
    if (name == "Contiguous") return Behavior::Contiguous;
    refuse(concat("the behavior ", python_repr(std::string_view(name)), " is not known"));
}

void to_byte_chars(NormalizedText& text) {
    std::vector<Change> changes;
    changes.reserve(text.text().size());
    const auto& alphabet = byte_alphabet();
    for (const char c : text.text()) {
        const auto byte = static_cast<unsigned char>(c);
        changes.emplace_back(alphabet[byte], (byte & 0xC0) == 0x80 ? 1 : 0);
    }
    text.transform(changes);
}

PreTokenizer byte_level(const JsonValue& settings) {
    const bool adds_space = flag_of(settings, "add_prefix_space", true);
    Finder words;
    if (flag_of(settings, "use_regex", true))
        words = find_expression(R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)",
                                Dialect::Oniguruma);
    return [adds_space, words = std::move(words)](NormalizedText text) {
        if (adds_space && !text.text().starts_with(' ')) text.prepend(" ");
        std::vector<NormalizedText> out;
        if (words)
            out = slices(text, split_at(words(text.text()), Behavior::Isolated));
        else
            out.push_back(std::move(text));
        for (NormalizedText& word : out) to_byte_chars(word);
        return out;
    };
}

PreTokenizer metaspace(const JsonValue& settings) {
    std::string mark;
    append_char(mark, char_of(settings, "replacement", kLowerBlock));
    const Prepends prepends = prepends_of(settings);
    const bool splits = flag_of(settings, "split", true);
    return [=](NormalizedText text) {
        text.replace(find_text(" "), mark);
        const bool may_prepend = prepends == Prepends::Always || (prepends == Prepends::First && text.origin() == 0);
        if (may_prepend && !text.text().starts_with(mark)) text.prepend(mark);
        if (splits) return slices(text, split_at(find_text(mark)(text.text()), Behavior::MergedWithNext));
        std::vector<NormalizedText> out;
        out.push_back(std::move(text));
        return out;
    };
}

PreTokenizer split(const JsonValue& settings) {
    const JsonValue* pattern = part_of(settings, "pattern");
    if (pattern == nullptr) refuse("Split has no pattern");
    Finder finder = pattern_of(*pattern);
    if (flag_of(settings, "invert", false)) finder = inverted(std::move(finder));
    return splitter(std::move(finder), behavior_of(settings, "Isolated"));
}

std::vector<NormalizedText> split_scripts(NormalizedText text) {
    std::vector<Piece> pieces;
    int last = -1;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.text().size();) {
        const std::size_t here = at;
        const int script = script_of(next_char(text.text(), at));
        if (script < 0) continue;
        if (last < 0) begin = here;  // what has no script before it is left out
        if (last >= 0 && last != script && here > begin) {
            pieces.push_back({begin, here, false});
            begin = here;
        }
        last = script;
    }
    if (last >= 0) pieces.push_back({begin, text.text().size(), false});
    return slices(text, pieces);
}

PreTokenizer sequence(const JsonValue& settings) {
    std::vector<PreTokenizer> parts;
    for (const JsonValue& part : list_of(settings, "pretokenizers")) parts.push_back(make_pre_tokenizer(part));
    return in_order(std::move(parts));
}

}  // namespace

Prepends prepends_of(const JsonValue& settings) {
    const bool adds = flag_of(settings, "add_prefix_space", true);
    const std::string scheme = text_of(settings, "prepend_scheme", adds ? "always" : "never");
    if (scheme == "always") return Prepends::Always;
    if (scheme == "first") return Prepends::First;
    if (scheme == "never") return Prepends::Never;
    refuse(concat("the prepend_scheme ", python_repr(std::string_view(scheme)), " is not known"));
}

PreTokenizer make_pre_tokenizer(const JsonValue& settings) {
    const std::string type = text_of(settings, "type");
    if (type == "ByteLevel") return byte_level(settings);
    if (type == "Metaspace") return metaspace(settings);
    if (type == "Split") return split(settings);
    if (type == "Sequence") return sequence(settings);
    if (type == "UnicodeScripts") return split_scripts;
    if (type == "Whitespace")
        return splitter(inverted(find_expression(R"(\w+|[^\w\s]+)", Dialect::Rust)), Behavior::Removed);
    if (type == "WhitespaceSplit") return splitter(find_chars(is_whitespace), Behavior::Removed);
    if (type == "BertPreTokenizer")
        return in_order({splitter(find_chars(is_whitespace), Behavior::Removed),
                         splitter(find_chars(is_punctuation), Behavior::Isolated)});
    if (type == "Punctuation") return splitter(find_chars(is_punctuation), behavior_of(settings, "Isolated"));
    if (type == "Digits")
        return splitter(find_chars(is_numeric),
                        flag_of(settings, "individual_digits", false) ? Behavior::Isolated : Behavior::Contiguous);
    if (type == "CharDelimiterSplit") {
        const char32_t delimiter = char_of(settings, "delimiter", U' ');
        return splitter(find_chars([delimiter](char32_t c) { return c == delimiter; }), Behavior::Removed);
    }
    refuse(concat("the pre-tokenizer ", python_repr(std::string_view(type)), " is not known"));
}

}  // namespace loupe::text
