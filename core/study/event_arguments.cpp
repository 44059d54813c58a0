// SPDX-License-Identifier: Apache-2.0
#include "core/study/event_arguments.h"

#include <charconv>
#include <string>

namespace loupe::session {
namespace {

template <typename T>
std::optional<T> parsed(std::string_view text) {
    T value{};
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

}  // namespace

std::optional<std::string_view> written_argument(const Event& event, std::string_view name) {
    for (const std::string& each : event.arguments) {
        const std::string_view text = each;
        if (text.size() > name.size() && text.starts_with(name) && text[name.size()] == '=')
            return text.substr(name.size() + 1);
    }
    return std::nullopt;
}

std::optional<std::int64_t> integer_argument(const Event& event, std::string_view name) {
    const auto text = written_argument(event, name);
    return text ? parsed<std::int64_t>(*text) : std::nullopt;
}

std::optional<double> number_argument(const Event& event, std::string_view name) {
    const auto text = written_argument(event, name);
    return text ? parsed<double>(*text) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> integers_argument(const Event& event, std::string_view name) {
    const auto text = written_argument(event, name);
    if (!text) return std::nullopt;
    if (const auto one = parsed<std::int64_t>(*text)) return std::vector{*one};
    if (!text->starts_with('[') || !text->ends_with(']')) return std::nullopt;
    std::vector<std::int64_t> out;
    std::string_view left = text->substr(1, text->size() - 2);
    while (!left.empty()) {
        const std::size_t comma = std::min(left.find(", "), left.size());
        const auto value = parsed<std::int64_t>(left.substr(0, comma));
        if (!value) return std::nullopt;
        out.push_back(*value);
        left.remove_prefix(std::min(comma + 2, left.size()));
    }
    return out;
}

}  // namespace loupe::session
