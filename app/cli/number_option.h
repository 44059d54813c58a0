// SPDX-License-Identifier: Apache-2.0
#pragma once
// Options that are numbers, of one parser. CLI11's own takes what does not fit for the largest number that does, -1 for
// the largest unsigned one, and 010 for 8.

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/strings.h"

namespace loupe::cli {

// Digits, or 0x and hexadecimal ones, behind a sign. Returns what is wrong; empty: nothing.
template <std::integral T>
std::string read_number(const std::string& text, T& value) {
    std::string_view digits = text;
    const bool is_negative = digits.starts_with('-');
    if (is_negative || digits.starts_with('+')) digits.remove_prefix(1);
    const bool is_hex = digits.starts_with("0x") || digits.starts_with("0X");
    if (is_hex) digits.remove_prefix(2);
    std::uint64_t magnitude = 0;
    const auto [end, status] =
        std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, is_hex ? 16 : 10);
    if (status == std::errc::invalid_argument || end != digits.data() + digits.size())
        return concat("no whole number: ", text);
    using Limits = std::numeric_limits<T>;
    // -2^63 has no positive counterpart.
    const std::uint64_t most = !is_negative                ? static_cast<std::uint64_t>(Limits::max())
                               : std::unsigned_integral<T> ? 0
                                                           : static_cast<std::uint64_t>(Limits::max()) + 1;
    if (status == std::errc::result_out_of_range || magnitude > most) {
        return concat(text, " is out of range: ", static_cast<std::int64_t>(Limits::min()), " to ",
                      static_cast<std::uint64_t>(Limits::max()));
    }
    value = static_cast<T>(is_negative ? 0 - magnitude : magnitude);
    return {};
}

inline std::string read_number(const std::string& text, double& value) {
    const std::string_view digits = std::string_view(text).substr(text.starts_with('+') ? 1 : 0);
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (status == std::errc::result_out_of_range) return concat(text, " is out of the range of float64");
    if (status != std::errc() || end != digits.data() + digits.size()) return concat("no number: ", text);
    return std::isfinite(value) ? std::string() : concat("no finite number: ", text);
}

// As torch.manual_seed: a negative one counts from the end of the 64 bits.
struct Seed {
    std::uint64_t& value;
};
inline std::string read_number(const std::string& text, Seed seed) {
    if (!text.starts_with('-')) return read_number(text, seed.value);
    std::int64_t number = 0;
    std::string wrong = read_number(text, number);
    seed.value = static_cast<std::uint64_t>(number);
    return wrong;
}

template <typename T>
CLI::Option* add_number(CLI::App& command, const std::string& name, T& value, const std::string& what) {
    const auto read = [&value, name](const std::string& text) {
        if (const std::string wrong = read_number(text, value); !wrong.empty()) throw CLI::ValidationError(name, wrong);
    };
    return command.add_option_function<std::string>(name, read, what)->type_name(std::integral<T> ? "INT" : "FLOAT");
}
inline CLI::Option* add_seed(CLI::App& command, std::uint64_t& value, const std::string& what) {
    const auto read = [&value](const std::string& text) {
        if (const std::string wrong = read_number(text, Seed{value}); !wrong.empty())
            throw CLI::ValidationError("--seed", wrong);
    };
    return command.add_option_function<std::string>("--seed", read, what)->type_name("INT");
}
// Several numbers behind the option.
template <typename T>
CLI::Option* add_numbers(CLI::App& command, const std::string& name, std::vector<T>& values, const std::string& what) {
    const auto read = [&values, name](const std::vector<std::string>& given) {
        values.clear();
        for (const std::string& text : given) {
            if (const std::string wrong = read_number(text, values.emplace_back()); !wrong.empty())
                throw CLI::ValidationError(name, wrong);
        }
    };
    return command.add_option_function<std::vector<std::string>>(name, read, what)->type_name("INT");
}

}  // namespace loupe::cli
