// SPDX-License-Identifier: Apache-2.0
#include "core/record/module_slots.h"

namespace loupe::session {

std::vector<IValue> slots_of(const nn::Module& module) {
    std::vector<IValue> slots;
    for (std::size_t i = 0; i < module.slot_count(); ++i) slots.push_back(module.slot(i));
    return slots;
}

void put_slots(nn::Module& module, const std::vector<IValue>& slots) {
    for (std::size_t i = 0; i < slots.size(); ++i) module.set_slot(i, slots[i]);
}

}  // namespace loupe::session
