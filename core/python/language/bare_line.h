// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "core/ir/source.h"

namespace loupe::python {

// The first line of what stands there, without its indentation.
inline std::string_view bare_line(const ir::SourceRange& range) {
    const std::string_view text = range.line_text();
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace loupe::python
