// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a rank did last, in a page that its launcher reads when the rank is gone.

#include <string>
#include <string_view>

namespace loupe::distributed {

// In the folder that LOUPE_RANKS_FOLDER names; nowhere without it.
void note_last_act(int rank, std::string_view line);
std::string read_last_act(const std::string& folder, int rank);  // empty: none

}  // namespace loupe::distributed
