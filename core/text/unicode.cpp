// SPDX-License-Identifier: Apache-2.0
#include "core/text/unicode.h"

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/unorm2.h>
#include <unicode/uscript.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <memory>

#include "core/base/error.h"

namespace loupe::text {
namespace {

UChar32 code_of(char32_t c) { return static_cast<UChar32>(c); }
bool has_category(char32_t c, std::uint32_t mask) { return (U_GET_GC_MASK(code_of(c)) & mask) != 0; }

void check(UErrorCode status) {
    if (U_FAILURE(status)) throw Error(ErrorKind::Internal, std::string("ICU: ") + u_errorName(status));
}

const UNormalizer2* normalizer(bool compatible) {
    UErrorCode status = U_ZERO_ERROR;
    const UNormalizer2* found = compatible ? unorm2_getNFKCInstance(&status) : unorm2_getNFCInstance(&status);
    check(status);
    return found;
}

struct Decomposed {
    std::uint8_t order;  // canonical combining class
    Change change;
};

std::vector<Change> decompose(std::string_view text, const UNormalizer2* forms) {
    std::vector<Change> out;
    std::vector<Decomposed> pending;
    const auto flush = [&] {
        std::ranges::stable_sort(pending, {}, &Decomposed::order);
        for (const Decomposed& each : pending) out.push_back(each.change);
        pending.clear();
    };
    const auto add = [&](char32_t c, int change) {
        const std::uint8_t order = u_getCombiningClass(code_of(c));
        if (order == 0) flush();
        pending.push_back({order, {c, change}});
    };
    UChar parts[64];
    for (std::size_t at = 0; at < text.size();) {
        const char32_t c = next_char(text, at);
        UErrorCode status = U_ZERO_ERROR;
        const int32_t size = c < 0x80 ? -1 : unorm2_getDecomposition(forms, code_of(c), parts, 64, &status);
        check(status);
        if (size < 0) {
            add(c, 0);
            continue;
        }
        for (int32_t i = 0, change = 0; i < size; change = 1) {
            UChar32 part = 0;
            U16_NEXT(parts, i, size, part);
            add(static_cast<char32_t>(part), change);
        }
    }
    flush();
    return out;
}

std::vector<Change> compose(const std::vector<Change>& parts, const UNormalizer2* forms) {
    std::vector<Change> out, behind;
    bool has_base = false;
    Change base;
    int last_order = -1;  // of what stands between the base and the next mark
    const auto flush = [&] {
        if (has_base) out.push_back(base);
        out.insert(out.end(), behind.begin(), behind.end());
        behind.clear();
        last_order = -1;
    };
    for (const Change& part : parts) {
        const int order = u_getCombiningClass(code_of(part.first));
        if (!has_base) {
            if (order != 0) {
                out.push_back(part);
            } else {
                base = part;
                has_base = true;
            }
            continue;
        }
        if (last_order < order || last_order < 0) {
            const UChar32 both = unorm2_composePair(forms, code_of(base.first), code_of(part.first));
            if (both >= 0) {
                base = {static_cast<char32_t>(both), base.second + part.second - 1};
                continue;
            }
        }
        if (order == 0) {
            flush();
            base = part;
        } else {
            behind.push_back(part);
            last_order = order;
        }
    }
    flush();
    return out;
}

}  // namespace

char32_t next_char(std::string_view text, std::size_t& at) {
    const auto first = static_cast<unsigned char>(text[at]);
    if (first < 0x80) {
        ++at;
        return first;
    }
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data() + at);
    const auto left = static_cast<int32_t>(std::min<std::size_t>(text.size() - at, 4));
    int32_t moved = 0;
    UChar32 c = 0;
    U8_NEXT_OR_FFFD(bytes, moved, left, c);
    at += static_cast<std::size_t>(moved);
    return static_cast<char32_t>(c);
}

void append_char(std::string& out, char32_t c) {
    std::uint8_t bytes[4];
    int32_t size = 0;
    U8_APPEND_UNSAFE(bytes, size, c);
    out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

std::size_t count_chars(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); ++count) next_char(text, at);
    return count;
}

bool is_valid_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        if (next_char(text, at) == 0xFFFD && text.substr(begin, at - begin) != "\xEF\xBF\xBD") return false;
    }
    return true;
}

std::string lossy_utf8(std::string_view bytes) {
    std::string out;
    for (std::size_t at = 0; at < bytes.size();) append_char(out, next_char(bytes, at));
    return out;
}

bool is_whitespace(char32_t c) { return u_isUWhiteSpace(code_of(c)) != 0; }

bool is_punctuation(char32_t c) {
    if (c < 0x80) return (c > 32 && c < 48) || (c > 57 && c < 65) || (c > 90 && c < 97) || (c > 122 && c < 127);
    return has_category(c, U_GC_P_MASK);
}

bool is_numeric(char32_t c) { return has_category(c, U_GC_N_MASK); }

bool is_word(char32_t c) {
    return u_isUAlphabetic(code_of(c)) != 0 || has_category(c, U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK) ||
           c == 0x200C || c == 0x200D;
}

bool is_nonspacing_mark(char32_t c) { return has_category(c, U_GC_MN_MASK); }

bool is_mark(char32_t c) { return has_category(c, U_GC_M_MASK); }

bool is_other(char32_t c) { return has_category(c, U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CS_MASK | U_GC_CO_MASK); }

int script_of(char32_t c) {
    if (c == 0x30FC) return USCRIPT_HAN;
    if (c == ' ') return -1;
    UErrorCode status = U_ZERO_ERROR;
    const UScriptCode script = uscript_getScript(code_of(c), &status);
    check(status);
    if (script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA) return USCRIPT_HAN;
    return script == USCRIPT_UNKNOWN ? -1 : script;
}

std::u32string lower_case(char32_t c) {
    if (c == 0x130) return U"i\u0307";
    return {static_cast<char32_t>(u_tolower(code_of(c)))};
}

std::vector<Change> normal_form(std::string_view text, Form form) {
    const UNormalizer2* forms = normalizer(form == Form::NFKC || form == Form::NFKD);
    std::vector<Change> parts = decompose(text, forms);
    if (form == Form::NFD || form == Form::NFKD) return parts;
    return compose(parts, normalizer(false));
}

std::vector<std::size_t> grapheme_ends(std::string_view text) {
    UErrorCode status = U_ZERO_ERROR;
    const std::unique_ptr<UText, decltype(&utext_close)> view(
        utext_openUTF8(nullptr, text.data(), static_cast<int64_t>(text.size()), &status), &utext_close);
    check(status);
    const std::unique_ptr<UBreakIterator, decltype(&ubrk_close)> breaks(
        ubrk_open(UBRK_CHARACTER, "", nullptr, 0, &status), &ubrk_close);
    check(status);
    ubrk_setUText(breaks.get(), view.get(), &status);
    check(status);
    std::vector<std::size_t> ends;
    for (int32_t at = ubrk_next(breaks.get()); at != UBRK_DONE; at = ubrk_next(breaks.get()))
        ends.push_back(static_cast<std::size_t>(at));
    return ends;
}

}  // namespace loupe::text
