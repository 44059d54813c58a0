// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tables of expectations: one row a line, columns divided by a separator.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/strings.h"

namespace loupe::test {

// path: below tests/.
inline std::vector<std::vector<std::string>> read_table(const std::string& path, char separator = ' ') {
    const std::string text = read_text_file(std::filesystem::path(LOUPE_SOURCE_DIR) / "tests" / path);
    std::vector<std::vector<std::string>> rows;
    for (const auto line : split(text, '\n')) {
        if (line.empty()) continue;
        const auto parts = split(line, separator);
        rows.emplace_back(parts.begin(), parts.end());
    }
    return rows;
}

// "2,3" -> {2, 3}; "-" -> {}.
inline std::vector<std::int64_t> int_list(std::string_view text) {
    std::vector<std::int64_t> out;
    if (text == "-") return out;
    for (const auto part : split(text, ',')) out.push_back(std::stoll(std::string(part)));
    return out;
}

}  // namespace loupe::test
