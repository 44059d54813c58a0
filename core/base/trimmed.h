// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace loupe {

// Without the white space at both ends, as ASCII knows it.
inline std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\n\r\f\v";
    const auto first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace loupe
