// SPDX-License-Identifier: Apache-2.0
#include "core/distributed/last_act.h"

#include <algorithm>
#include <cstring>

namespace loupe::distributed {
namespace {

char* act_page = nullptr;

}  // namespace

void set_last_act_page(char* page) { act_page = page; }

void note_last_act(std::string_view line) {
    if (act_page == nullptr) return;
    const std::size_t count = std::min(line.size(), kLastActBytes - 1);
    std::memcpy(act_page, line.data(), count);
    act_page[count] = '\0';
}

}  // namespace loupe::distributed
