// SPDX-License-Identifier: Apache-2.0
#include "core/text/normalized_text.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::text {

void check_length(std::size_t bytes) {
    if (bytes > kLongestText)
        throw Error(ErrorKind::Run, concat("the tokenizer makes a text of more than ", kLongestText, " bytes"));
}

NormalizedText::NormalizedText(std::string_view original) : text_(original) {
    spans_.reserve(text_.size());
    std::uint32_t place = 0;
    for (std::size_t at = 0; at < text_.size(); ++place) {
        next_char(text_, at);
        spans_.resize(at, {place, place + 1});
    }
}

Span NormalizedText::span(std::size_t begin, std::size_t end) const {
    if (begin < end && end <= spans_.size()) return {spans_[begin].begin, spans_[end - 1].end};
    const std::uint32_t at = begin == 0 || spans_.empty() ? origin_ : spans_[std::min(begin, spans_.size()) - 1].end;
    return {at, at};
}

NormalizedText NormalizedText::slice(std::size_t begin, std::size_t end) const {
    NormalizedText out;
    out.text_ = text_.substr(begin, end - begin);
    out.spans_.assign(spans_.begin() + static_cast<std::ptrdiff_t>(begin),
                      spans_.begin() + static_cast<std::ptrdiff_t>(end));
    out.origin_ = span(begin, end).begin;
    return out;
}

void NormalizedText::add(std::string_view bytes, Span from) {
    text_ += bytes;
    spans_.resize(text_.size(), from);
}

void NormalizedText::transform(std::span<const Change> changes) {
    const std::string old = std::move(text_);
    const std::vector<Span> old_spans = std::move(spans_);
    text_.clear();
    spans_.clear();
    text_.reserve(old.size());
    spans_.reserve(old.size());
    std::size_t at = 0;
    std::string bytes;
    for (const auto& [c, change] : changes) {
        Span from{origin_, origin_};
        if (change > 0) {
            if (at > 0) from = old_spans[at - 1];
        } else {
            if (at < old.size()) from = old_spans[at];
            for (int taken = 0; taken <= -change && at < old.size(); ++taken) next_char(old, at);
        }
        bytes.clear();
        append_char(bytes, c);
        add(bytes, from);
    }
}

void NormalizedText::map_chars(const std::function<char32_t(char32_t)>& map) {
    std::vector<Change> changes;
    for (std::size_t at = 0; at < text_.size();) changes.emplace_back(map(next_char(text_, at)), 0);
    transform(changes);
}

void NormalizedText::keep_chars(const std::function<bool(char32_t)>& keep) {
    std::size_t kept = 0;
    for (std::size_t at = 0; at < text_.size();) {
        const std::size_t begin = at;
        if (!keep(next_char(text_, at))) continue;
        for (std::size_t i = begin; i < at; ++i, ++kept) {
            text_[kept] = text_[i];
            spans_[kept] = spans_[i];
        }
    }
    text_.resize(kept);
    spans_.resize(kept);
}

void NormalizedText::replace(const Finder& finder, std::string_view content) {
    const std::vector<Piece> pieces = finder(text_);
    if (std::ranges::none_of(pieces, &Piece::is_match)) return;
    NormalizedText out;
    out.origin_ = origin_;
    out.text_.reserve(text_.size());
    out.spans_.reserve(text_.size());
    for (const Piece& piece : pieces) {
        if (piece.is_match) {
            check_length(out.text_.size() + content.size());
            out.add(content, piece.end > 0 ? spans_[piece.end - 1] : Span{origin_, origin_});
        } else {
            out.text_.append(text_, piece.begin, piece.end - piece.begin);
            out.spans_.insert(out.spans_.end(), spans_.begin() + static_cast<std::ptrdiff_t>(piece.begin),
                              spans_.begin() + static_cast<std::ptrdiff_t>(piece.end));
        }
    }
    *this = std::move(out);
}

void NormalizedText::prepend(std::string_view content) {
    if (text_.empty()) return;
    check_length(text_.size() + content.size());
    text_.insert(0, content);
    spans_.insert(spans_.begin(), content.size(), Span(spans_.front()));
}

void NormalizedText::strip(bool left, bool right) {
    std::size_t begin = text_.size(), end = 0;
    for (std::size_t at = 0; at < text_.size();) {
        const std::size_t here = at;
        if (is_whitespace(next_char(text_, at))) continue;
        begin = std::min(begin, here);
        end = at;
    }
    if (!left) begin = 0;
    if (!right) end = text_.size();
    *this = slice(std::min(begin, end), end);
}

}  // namespace loupe::text
