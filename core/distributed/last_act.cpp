// SPDX-License-Identifier: Apache-2.0
#include "core/distributed/last_act.h"

#include <algorithm>
#include <cstring>

#include "core/base/strings.h"

namespace loupe::distributed {
namespace {

LastAct* act_page = nullptr;

}  // namespace

void set_last_act_page(LastAct* page) { act_page = page; }

void note_last_act(std::string_view line) {
    if (act_page == nullptr) return;
    const std::size_t count = std::min(line.size(), act_page->line.size() - 1);
    std::memcpy(act_page->line.data(), line.data(), count);
    act_page->line[count] = '\0';
}

void note_own_end() {
    if (act_page != nullptr && act_page->gone == 0) act_page->gone = -1;
}

std::string say_gone(int rank, std::string_view text) {
    if (act_page != nullptr && act_page->gone == 0) act_page->gone = rank + 1;
    return concat("rank ", rank, " has ended: ", text);
}

}  // namespace loupe::distributed
