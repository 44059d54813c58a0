// SPDX-License-Identifier: Apache-2.0
#include "core/text/normalizer.h"

#include "core/base/strings.h"
#include "core/text/pattern.h"
#include "core/text/settings.h"

namespace loupe::text {
namespace {

Normalizer form(Form wanted) {
    return [wanted](NormalizedText& text) { text.transform(normal_form(text.text(), wanted)); };
}

void lower(NormalizedText& text) {
    std::vector<Change> changes;
    for (std::size_t at = 0; at < text.text().size();) {
        int change = 0;
        for (const char32_t c : lower_case(next_char(text.text(), at))) {
            changes.emplace_back(c, change);
            change = 1;
        }
    }
    text.transform(changes);
}

void strip_accents(NormalizedText& text) {
    text.keep_chars([](char32_t c) { return !is_mark(c); });
}

bool is_chinese(char32_t c) {
    return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x20000 && c <= 0x2A6DF) ||
           (c >= 0x2A700 && c <= 0x2B73F) || (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

bool is_bert_space(char32_t c) { return c == '\t' || c == '\n' || c == '\r' || is_whitespace(c); }

void clean(NormalizedText& text) {
    text.keep_chars([](char32_t c) {
        const bool is_control = c != '\t' && c != '\n' && c != '\r' && is_other(c);
        return c != 0 && c != 0xFFFD && !is_control;
    });
    text.map_chars([](char32_t c) { return is_bert_space(c) ? U' ' : c; });
}

void space_chinese(NormalizedText& text) {
    std::vector<Change> changes;
    for (std::size_t at = 0; at < text.text().size();) {
        const char32_t c = next_char(text.text(), at);
        if (!is_chinese(c)) {
            changes.emplace_back(c, 0);
            continue;
        }
        changes.insert(changes.end(), {{U' ', 0}, {c, 1}, {U' ', 1}});
    }
    text.transform(changes);
}

Normalizer bert(const JsonValue& settings) {
    const bool cleans = flag_of(settings, "clean_text", true);
    const bool spaces = flag_of(settings, "handle_chinese_chars", true);
    const bool lowers = flag_of(settings, "lowercase", true);
    const bool strips = flag_of(settings, "strip_accents", lowers);
    return [=](NormalizedText& text) {
        if (cleans) clean(text);
        if (spaces) space_chinese(text);
        if (strips) {
            form(Form::NFD)(text);
            text.keep_chars([](char32_t c) { return !is_nonspacing_mark(c); });
        }
        if (lowers) lower(text);
    };
}

// As sentencepiece's nmt_nfkc: control characters are left out, what looks like a space is one.
void nmt(NormalizedText& text) {
    text.keep_chars([](char32_t c) {
        return !((c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0x8F ||
                 c == 0x9F);
    });
    text.map_chars([](char32_t c) {
        const bool is_space = c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
                              (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
                              c == 0xFEFF || c == 0xFFFD;
        return is_space ? U' ' : c;
    });
}

Normalizer sequence(const JsonValue& settings) {
    std::vector<Normalizer> parts;
    for (const JsonValue& part : list_of(settings, "normalizers")) parts.push_back(make_normalizer(part));
    return [parts = std::move(parts)](NormalizedText& text) {
        for (const Normalizer& part : parts) part(text);
    };
}

Normalizer replace(const JsonValue& settings) {
    const JsonValue* pattern = part_of(settings, "pattern");
    if (pattern == nullptr) refuse("Replace has no pattern");
    return [finder = pattern_of(*pattern), content = text_of(settings, "content")](NormalizedText& text) {
        text.replace(finder, content);
    };
}

}  // namespace

Finder pattern_of(const JsonValue& settings) {
    if (settings.is_string()) return find_text(std::string(settings.text()));
    if (const auto found = optional_text(settings, "String")) return find_text(*found);
    return find_expression(text_of(settings, "Regex"), Dialect::Oniguruma);
}

Normalizer make_normalizer(const JsonValue& settings) {
    const std::string type = text_of(settings, "type");
    if (type == "NFC") return form(Form::NFC);
    if (type == "NFD") return form(Form::NFD);
    if (type == "NFKC") return form(Form::NFKC);
    if (type == "NFKD") return form(Form::NFKD);
    if (type == "Lowercase") return lower;
    if (type == "StripAccents") return strip_accents;
    if (type == "BertNormalizer") return bert(settings);
    if (type == "Nmt") return nmt;
    if (type == "Replace") return replace(settings);
    if (type == "Sequence") return sequence(settings);
    if (type == "Precompiled") return precompiled_normalizer(text_of(settings, "precompiled_charsmap", ""));
    if (type == "Prepend")
        return [content = text_of(settings, "prepend")](NormalizedText& text) { text.prepend(content); };
    if (type == "Strip")
        return [left = flag_of(settings, "strip_left", true),
                right = flag_of(settings, "strip_right", true)](NormalizedText& text) { text.strip(left, right); };
    refuse(concat("the normalizer ", python_repr(std::string_view(type)), " is not known"));
}

}  // namespace loupe::text
