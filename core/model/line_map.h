// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the lines of a text are in a later version of it.

#include <string_view>
#include <vector>

namespace loupe::session {

// For each line of `before`, from 0: its line in `after`, from 0; -1 when it was deleted. Lines that both have keep
// their order; of lines that others took the place of, each goes to the one most like it, as far as there are enough.
std::vector<int> map_lines(std::string_view before, std::string_view after);

}  // namespace loupe::session
