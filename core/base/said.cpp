// SPDX-License-Identifier: Apache-2.0
#include "core/base/said.h"

#include <algorithm>

namespace loupe {
namespace {

// What is deeper is text: readers of messages take sentences in sentences so far and no further.
constexpr int kMostDepth = 24;

int depth_of(const Said& said) {
    int deepest = 0;
    for (const Said& part : said.parts()) deepest = std::max(deepest, depth_of(part));
    return deepest + 1;
}

Said shallow(Said said) { return depth_of(said) >= kMostDepth ? Said(said.text()) : said; }

}  // namespace

std::string fill_places(std::string_view form, const std::vector<Said>& parts) {
    std::string out;
    for (std::size_t at = 0; at < form.size(); ++at) {
        const bool is_place = form[at] == '%' && at + 1 < form.size() && form[at + 1] >= '1' && form[at + 1] <= '9';
        if (!is_place) {
            out += form[at];
            continue;
        }
        const auto place = static_cast<std::size_t>(form[++at] - '1');
        if (place < parts.size()) out += parts[place].text();
    }
    return out;
}

Said Said::sentence(std::string_view form, std::string_view singular, std::int64_t count, std::vector<Said> parts) {
    Said out(fill_places(count == 1 ? singular : form, parts));
    out.form_ = form;
    out.singular_ = singular;
    out.count_ = count;
    for (Said& part : parts) out.parts_.push_back(shallow(std::move(part)));
    return out;
}

Said& Said::operator+=(const Said& more) {
    if (more.empty()) return *this;
    if (empty()) return *this = more;
    const bool is_row = form_.empty() && !parts_.empty();
    // Text behind text is text.
    if (!is_row && form_.empty() && more.form_.empty() && more.parts_.empty()) {
        text_ += more.text_;
        return *this;
    }
    if (!is_row) {
        Said row(text_ + more.text_);
        row.parts_ = {shallow(std::move(*this)), shallow(more)};
        return *this = std::move(row);
    }
    text_ += more.text_;
    const bool more_is_row = more.form_.empty() && !more.parts_.empty();
    const std::vector<Said> added = more_is_row ? more.parts_ : std::vector<Said>{shallow(more)};
    parts_.insert(parts_.end(), added.begin(), added.end());
    return *this;
}

Said said_list(const std::vector<Said>& parts, std::string_view separator) {
    Said row;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (i > 0) row += separator;
        row += parts[i];
    }
    return row;
}

}  // namespace loupe
