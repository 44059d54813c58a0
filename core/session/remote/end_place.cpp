// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/end_place.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <vector>

#include "core/base/strings.h"

namespace loupe::session {
namespace {

constexpr std::string_view kMark = "tensorloupe-engine was at|";

std::string plain(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return c == '|' || static_cast<unsigned char>(c) < ' '; }, '?');
    return text;
}

template <typename T>
bool read(std::string_view text, T& number) {
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failed == std::errc() && end == text.data() + text.size() && number >= 0;
}

}  // namespace

std::string end_place_line(const RunningPlace::Facts& place) {
    return concat(kMark, place.event, "|", place.is_under_way ? 1 : 0, "|", place.line, "|", place.training_step, "|",
                  plain(place.op), "|", plain(place.scope), "|", plain(place.file));
}

std::optional<RunningPlace::Facts> read_end_place(std::string_view line) {
    if (!line.starts_with(kMark)) return std::nullopt;
    std::vector<std::string_view> parts;
    for (line.remove_prefix(kMark.size());;) {
        const auto bar = line.find('|');
        parts.push_back(line.substr(0, bar));
        if (bar == std::string_view::npos) break;
        line.remove_prefix(bar + 1);
    }
    RunningPlace::Facts place;
    int is_under_way = 0;
    const bool is_one = parts.size() == 7 && read(parts[0], place.event) && read(parts[1], is_under_way) &&
                        read(parts[2], place.line) && read(parts[3], place.training_step);
    if (!is_one) return std::nullopt;
    place.is_under_way = is_under_way == 1;
    place.op = parts[4];
    place.scope = parts[5];
    place.file = parts[6];
    return place;
}

}  // namespace loupe::session
