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

// The same value with other tensors; containers are new ones.
IValue with_tensors(const IValue& value, const std::function<Tensor(const Tensor&)>& map) {
    if (value.is_tensor()) return value.to_tensor().defined() ? IValue(map(value.to_tensor())) : value;
    if (value.is_list()) {
        const auto list = make_ptr<ListObject>(value.to_list().element_type, std::vector<IValue>());
        for (const IValue& element : value.to_list().elements) list->elements.push_back(with_tensors(element, map));
        return list;
    }
    if (value.is_tuple()) {
        std::vector<IValue> elements;
        for (const IValue& element : value.to_tuple().elements) elements.push_back(with_tensors(element, map));
        return make_ptr<TupleObject>(std::move(elements), value.to_tuple().type);
    }
    if (value.is_dict()) {
        const auto dict = make_ptr<DictObject>(value.to_dict().key_type, value.to_dict().value_type);
        for (const auto& [key, element] : value.to_dict().entries()) dict->set(key, with_tensors(element, map));
        return dict;
    }
    return value;
}

}  // namespace loupe::session
