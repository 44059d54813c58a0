// SPDX-License-Identifier: Apache-2.0
#pragma once
// How many of a thing, as a sentence says it.

#include <concepts>
#include <string>
#include <string_view>

#include "core/base/strings.h"

namespace loupe {

// "1 event", "2 events"; many: where the plural is not the word with an s.
template <std::integral T>
std::string counted(T count, std::string_view one, std::string_view many = {}) {
    if (count == 1) return concat("1 ", one);
    return many.empty() ? concat(count, " ", one, "s") : concat(count, " ", many);
}

}  // namespace loupe
