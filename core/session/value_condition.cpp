// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdlib>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/session/run_control.h"

namespace loupe::session {
namespace {

constexpr std::array<std::string_view, 13> kFields{"nan",    "inf",     "zero", "min",   "max",  "mean", "std",
                                                   "var",    "absmax",  "absmean", "norm", "count", "bytes"};

bool is_field(std::string_view name) {
    for (const auto field : kFields) {
        if (field == name) return true;
    }
    return false;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

}  // namespace

ValueCondition::ValueCondition(std::string_view text) {
    text = trimmed(text);
    if (text.empty()) return;
    const auto end = text.find_first_of(" <>=!");
    field_ = std::string(text.substr(0, end));
    const auto fail = [&] {
        throw Error(ErrorKind::Usage, concat("'", text, "' is no condition"),
                    {.hint = concat("write nan, inf, or one of ", join(kFields, ", "), " with <, >, <=, >=, ==, != and a number")});
    };
    if (!is_field(field_)) fail();
    if (end == std::string_view::npos) return;  // "nan": it is not zero
    std::string_view rest = trimmed(text.substr(end));
    const bool has_equal = rest.size() > 1 && rest[1] == '=';
    if (rest.starts_with("<")) comparison_ = has_equal ? 'l' : '<';
    else if (rest.starts_with(">")) comparison_ = has_equal ? 'g' : '>';
    else if (rest.starts_with("==")) comparison_ = '=';
    else if (rest.starts_with("!=")) comparison_ = '!';
    else fail();
    rest = trimmed(rest.substr(has_equal ? 2 : 1));
    const std::string number(rest);
    char* stop = nullptr;
    operand_ = std::strtod(number.c_str(), &stop);
    if (number.empty() || *stop != '\0') fail();
}

bool ValueCondition::holds(const Value& value) const {
    const auto field = value_field(value, field_);
    if (!field) return false;
    switch (comparison_) {
        case '<': return *field < operand_;
        case '>': return *field > operand_;
        case 'l': return *field <= operand_;
        case 'g': return *field >= operand_;
        case '=': return *field == operand_;
        case '!': return *field != operand_;
        default: return *field != 0;
    }
}

std::optional<double> value_field(const Value& value, std::string_view field) {
    if (field == "bytes") return static_cast<double>(value.bytes);
    if (!value.statistics) return std::nullopt;
    const Statistics& s = *value.statistics;
    if (field == "nan") return static_cast<double>(s.nan_count);
    if (field == "inf") return static_cast<double>(s.inf_count);
    if (field == "zero") return static_cast<double>(s.zero_count);
    if (field == "count") return static_cast<double>(s.count);
    if (!s.finite) return std::nullopt;
    if (field == "min") return s.finite->min;
    if (field == "max") return s.finite->max;
    if (field == "mean") return s.finite->mean;
    if (field == "std") return s.finite->standard_deviation();
    if (field == "var") return s.finite->variance;
    if (field == "absmax") return s.finite->abs_max;
    if (field == "absmean") return s.finite->abs_mean;
    if (field == "norm") return s.finite->norm;
    return std::nullopt;
}

}  // namespace loupe::session
