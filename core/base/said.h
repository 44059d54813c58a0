// SPDX-License-Identifier: Apache-2.0
#pragma once
// A sentence of the engine as a value: a form and what stands in its places, so that a window can say it in another
// language. It is English text everywhere else.
//
//     engine::said("%1 was not met", name)
//     engine::said("%1 events pass it on", "%1 event passes it on", count)
//
// Forms are literals: lupdate reads them (see resources/translations), in the context "engine". It does not find a
// said() among the arguments of another: those are variables.

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/fields.h"
#include "core/base/strings.h"

// Read by lupdate as Q_DECLARE_TR_FUNCTIONS: the context of what is said in a namespace.
#define LOUPE_SAID_IN(context)

namespace loupe {

class Said {
  public:
    Said() = default;
    // In no language: a name, a number, an error of PyTorch's.
    Said(std::string text) : text_(std::move(text)) {}
    Said(std::string_view text) : text_(text) {}
    Said(const char* text) : text_(text) {}

    // In English.
    const std::string& text() const { return text_; }
    operator const std::string&() const { return text_; }
    bool empty() const { return text_.empty(); }
    void clear() { *this = Said(); }

    // Of the English text, as of any other.
    const char* c_str() const { return text_.c_str(); }
    std::size_t size() const { return text_.size(); }
    bool starts_with(std::string_view words) const { return text_.starts_with(words); }
    bool ends_with(std::string_view words) const { return text_.ends_with(words); }
    std::size_t find(std::string_view words, std::size_t from = 0) const { return text_.find(words, from); }
    std::size_t find(char letter, std::size_t from = 0) const { return text_.find(letter, from); }
    std::string substr(std::size_t from, std::size_t count = std::string::npos) const {
        return text_.substr(from, count);
    }
    friend std::string operator+(const Said& a, std::string_view b) { return a.text_ + std::string(b); }
    friend std::string operator+(std::string_view a, const Said& b) { return std::string(a) + b.text_; }

    // Behind what it says already; a row of parts has no form.
    Said& operator+=(const Said& more);

    // "%1 events", empty of what is no sentence; of a count its English singular, and the count, else -1. Of what
    // another process has sent these are whatever it sent: places without parts, and forms that no list has.
    const std::string& form() const { return form_; }
    const std::string& singular() const { return singular_; }
    std::int64_t count() const { return count_; }
    const std::vector<Said>& parts() const { return parts_; }

    static Said sentence(std::string_view form, std::string_view singular, std::int64_t count, std::vector<Said> parts);

    friend auto fields(Like<Said> auto& it) { return std::tie(it.text_, it.form_, it.singular_, it.count_, it.parts_); }
    friend bool operator==(const Said& a, const Said& b) { return a.text_ == b.text_; }
    friend bool operator==(const Said& a, std::string_view b) { return a.text_ == b; }
    friend bool operator==(const Said& a, const std::string& b) { return a.text_ == b; }
    friend bool operator==(const Said& a, const char* b) { return a.text_ == b; }

  private:
    std::string text_;
    std::string form_;
    std::string singular_;
    std::int64_t count_ = -1;
    std::vector<Said> parts_;
};

inline void append(std::string& out, const Said& said) { out += said.text(); }
// To any stream that takes a text, as English.
template <typename Stream, std::same_as<Said> Sentence>
auto operator<<(Stream& out, const Sentence& said) -> decltype(out << said.text()) {
    return out << said.text();
}

// The form with its places %1 to %9 filled. A place without a part is left out; "%1" in a part stays.
std::string fill_places(std::string_view form, const std::vector<Said>& parts);

// Parts one behind the other, as concat() makes texts.
template <typename... Parts>
Said said_in_row(const Parts&... parts) {
    Said row;
    const auto add = [&row](const auto& part) {
        if constexpr (std::convertible_to<decltype(part), Said>)
            row += part;
        else
            row += concat(part);
    };
    (add(parts), ...);
    return row;
}
// As join() makes texts.
Said said_list(const std::vector<Said>& parts, std::string_view separator);

namespace engine {
LOUPE_SAID_IN(engine)

// A literal that has the places of so many parts.
template <std::size_t Parts>
class Form {
  public:
    consteval Form(const char* text) : text_(text) {
        int last = 0;
        for (const char* at = text; *at != '\0'; ++at) {
            if (at[0] == '%' && at[1] >= '1' && at[1] <= '9' && at[1] - '0' > last) last = at[1] - '0';
        }
        if (last != static_cast<int>(Parts)) throw "the form has other places than there are parts";
    }
    std::string_view text() const { return text_; }

  private:
    const char* text_;
};

template <std::size_t Parts>
using FormOf = std::type_identity_t<Form<Parts>>;

// A literal behind the form would be its singular: as a part it stands in a said() of its own.
template <typename... Parts>
requires(!std::is_array_v<Parts> && ...) Said said(FormOf<sizeof...(Parts)> form, const Parts&... parts) {
    return Said::sentence(form.text(), {}, -1, {said_in_row(parts)...});
}

// many: for every count but 1; the count is %1 of both, and the parts are %2 and so on.
template <std::integral Count, typename... Parts>
Said said(FormOf<sizeof...(Parts) + 1> many, FormOf<sizeof...(Parts) + 1> one, Count count, const Parts&... parts) {
    return Said::sentence(many.text(), one.text(), static_cast<std::int64_t>(count),
                          {said_in_row(count), said_in_row(parts)...});
}

// A text of a table, as the notes of operators are: it is listed for lupdate elsewhere, and a test holds the list. Of
// others, as a file's name, what it says is the text.
inline Said listed(std::string_view text) {
    return text.find('%') == std::string_view::npos ? Said::sentence(text, {}, -1, {}) : Said(text);
}

}  // namespace engine
}  // namespace loupe
