// SPDX-License-Identifier: Apache-2.0
#include "core/formats/sources/source_record.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::data {
namespace {

template <typename T>
std::optional<T> parse(std::string_view text) {
    T value{};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::vector<std::string_view> parts_of(std::string_view text) {
    return text.empty() ? std::vector<std::string_view>() : split(text, ',');
}

}  // namespace

SourceOptions::SourceOptions(const SourceRecord& record, const std::map<std::string, std::string>& given)
    : record_(record) {
    for (const SourceOption& known : record.options) values_.emplace(known.name, known.default_text);
    for (const auto& [name, value] : given) {
        const auto found = values_.find(name);
        if (found == values_.end()) {
            std::vector<std::string_view> names;
            for (const SourceOption& known : record.options) names.push_back(known.name);
            throw Error(ErrorKind::Usage,
                        concat("source ", record.name, " has no option '", name, "'; it has ", join(names, ", ")));
        }
        found->second = value;
    }
}

const SourceOption& SourceOptions::option(std::string_view name) const {
    return *std::ranges::find(record_.options, name, &SourceOption::name);
}

void SourceOptions::refuse(std::string_view name) const {
    throw Error(ErrorKind::Usage, concat("option ", name, " of source ", record_.name, " takes ", option(name).form,
                                         ", not '", text(name), "'"));
}

const std::string& SourceOptions::text(std::string_view name) const { return values_.find(name)->second; }

std::int64_t SourceOptions::integer(std::string_view name, std::int64_t least) const {
    const auto value = parse<std::int64_t>(text(name));
    if (!value || *value < least) refuse(name);
    return *value;
}

double SourceOptions::number(std::string_view name) const {
    const auto value = parse<double>(text(name));
    if (!value || !std::isfinite(*value)) refuse(name);
    return *value;
}

bool SourceOptions::flag(std::string_view name) const {
    const std::string& value = text(name);
    if (value == "true" || value == "1" || value == "yes") return true;
    if (value == "false" || value == "0" || value == "no") return false;
    refuse(name);
}

std::vector<double> SourceOptions::numbers(std::string_view name) const {
    std::vector<double> values;
    for (const std::string_view part : parts_of(text(name))) {
        const auto value = parse<double>(part);
        if (!value || !std::isfinite(*value)) refuse(name);
        values.push_back(*value);
    }
    return values;
}

std::vector<std::string> SourceOptions::texts(std::string_view name) const {
    std::vector<std::string> values;
    for (const std::string_view part : parts_of(text(name))) values.emplace_back(part);
    return values;
}

std::string_view SourceOptions::choice(std::string_view name) const {
    for (const std::string_view known : split(option(name).form, '|')) {
        if (known == text(name)) return known;
    }
    refuse(name);
}

}  // namespace loupe::data
