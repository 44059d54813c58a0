// SPDX-License-Identifier: Apache-2.0
#include "core/text/post_processor.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/text/byte_alphabet.h"
#include "core/text/settings.h"

namespace loupe::text {
namespace {

EncodedToken added(TokenId id, std::string_view token, std::int64_t type = 0) {
    return {.id = id, .token = std::string(token), .span = {}, .type = type, .is_added = true};
}

// A pair of token and id.
EncodedToken named_token(const JsonValue& settings, std::string_view name) {
    const auto parts = list_of(settings, name);
    if (parts.size() != 2 || !parts[0].is_string()) refuse(concat(name, " is no token with its id"));
    return added(id_of(parts[1], parts[0].text()), parts[0].text());
}

PostProcessor around(EncodedToken first, EncodedToken last) {
    return [first = std::move(first), last = std::move(last)](Encoding& tokens, bool adds) {
        if (!adds) return;
        tokens.insert(tokens.begin(), first);
        tokens.push_back(last);
    };
}

// The spans leave out the spaces that tokens begin and end with.
void trim_spans(Encoding& tokens, bool adds_space) {
    const auto is_space = [](char32_t c) { return c == byte_alphabet()[' '] || is_whitespace(c); };
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        Span& span = tokens[i].span;
        std::u32string chars;
        for (std::size_t at = 0; at < tokens[i].token.size();) chars += next_char(tokens[i].token, at);
        auto leading = static_cast<std::uint32_t>(std::ranges::find_if_not(chars, is_space) - chars.begin());
        const auto trailing =
            static_cast<std::uint32_t>(std::find_if_not(chars.rbegin(), chars.rend(), is_space) - chars.rbegin());
        // The one that was put before the text is none of it.
        if (leading == 1 && adds_space && (i == 0 || span.begin == 0)) leading = 0;
        span.begin = std::min(span.begin + leading, span.end);
        if (trailing > 0 && span.end >= trailing) span.end = std::max(span.end - trailing, span.begin);
    }
}

PostProcessor roberta(const JsonValue& settings) {
    const bool trims = flag_of(settings, "trim_offsets", true);
    const bool adds_space = flag_of(settings, "add_prefix_space", true);
    const PostProcessor surround = around(named_token(settings, "cls"), named_token(settings, "sep"));
    return [=](Encoding& tokens, bool adds) {
        if (trims) trim_spans(tokens, adds_space);
        for (EncodedToken& token : tokens) token.type = 0;
        surround(tokens, adds);
    };
}

// A part of a template: the text, or tokens that are added.
struct TemplatePart {
    bool is_text = false;
    Encoding tokens;
    std::int64_t type = 0;
};

Encoding tokens_of_template(const JsonValue& all, const std::string& name, std::int64_t type) {
    const JsonValue* found = part_of(all, name);
    if (found == nullptr) refuse(concat("the template's token ", python_repr(std::string_view(name)), " is missing"));
    const auto ids = list_of(*found, "ids");
    const auto texts = list_of(*found, "tokens");
    if (ids.size() != texts.size()) refuse(concat("the template's token ", name, " has ", ids.size(), " ids"));
    Encoding out;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (!texts[i].is_string()) refuse(concat("the template's token ", name, " has no text"));
        out.push_back(added(id_of(ids[i], name), texts[i].text(), type));
    }
    return out;
}

PostProcessor from_template(const JsonValue& settings) {
    const JsonValue* specials = part_of(settings, "special_tokens");
    std::vector<TemplatePart> parts;
    bool has_text = false;
    for (const JsonValue& piece : list_of(settings, "single")) {
        if (const JsonValue* text = part_of(piece, "Sequence")) {
            if (has_text) refuse("the template holds the text twice");
            has_text = true;
            parts.push_back({.is_text = true, .tokens = {}, .type = integer_of(*text, "type_id", 0)});
        } else if (const JsonValue* special = part_of(piece, "SpecialToken")) {
            if (specials == nullptr) refuse("the template has no special_tokens");
            parts.push_back(
                {.is_text = false,
                 .tokens = tokens_of_template(*specials, text_of(*special, "id"), integer_of(*special, "type_id", 0))});
        } else {
            refuse("the template holds what is neither text nor token");
        }
    }
    return [parts = std::move(parts)](Encoding& tokens, bool adds) {
        Encoding out;
        for (const TemplatePart& part : parts) {
            if (part.is_text) {
                for (EncodedToken& token : tokens) token.type = part.type;
                std::ranges::move(tokens, std::back_inserter(out));
            } else if (adds) {
                out.insert(out.end(), part.tokens.begin(), part.tokens.end());
            }
        }
        tokens = std::move(out);
    };
}

PostProcessor sequence(const JsonValue& settings) {
    std::vector<PostProcessor> parts;
    for (const JsonValue& part : list_of(settings, "processors")) parts.push_back(make_post_processor(part));
    return [parts = std::move(parts)](Encoding& tokens, bool adds) {
        for (const PostProcessor& part : parts) part(tokens, adds);
    };
}

}  // namespace

PostProcessor make_post_processor(const JsonValue& settings) {
    const std::string type = text_of(settings, "type");
    if (type == "TemplateProcessing") return from_template(settings);
    if (type == "BertProcessing") return around(named_token(settings, "cls"), named_token(settings, "sep"));
    if (type == "RobertaProcessing") return roberta(settings);
    if (type == "Sequence") return sequence(settings);
    if (type == "ByteLevel")
        return [trims = flag_of(settings, "trim_offsets", true),
                adds_space = flag_of(settings, "add_prefix_space", true)](Encoding& tokens, bool) {
            if (trims) trim_spans(tokens, adds_space);
        };
    refuse(concat("the post-processor ", python_repr(std::string_view(type)), " is not known"));
}

}  // namespace loupe::text
