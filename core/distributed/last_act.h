// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a rank did last, in memory that another process reads when the rank is gone.

#include <cstddef>
#include <string_view>

namespace loupe::distributed {

inline constexpr std::size_t kLastActBytes = 512;

// Where it is noted: that many bytes; null, at the beginning: nowhere.
void set_last_act_page(char* page);
void note_last_act(std::string_view line);

}  // namespace loupe::distributed
