// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a rank did last, in memory that another process reads when the rank is gone.

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace loupe::distributed {

struct LastAct {
    std::array<char, 512> line;  // its last collective; ends with a 0
    int gone;  // 1 + the number of a rank that had ended before, and was waited for; 0: none; -1: it fails itself
};

// Where it is noted: zeros at first; null, at the beginning: nowhere.
void set_last_act_page(LastAct* page);
void note_last_act(std::string_view line);
// It ends by an error of its own: others' ends are no reason for it any more.
void note_own_end();
// "rank 1 has ended: ...", which what waits for it ends with. It is noted.
std::string say_gone(int rank, std::string_view text);

}  // namespace loupe::distributed
