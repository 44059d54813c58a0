// SPDX-License-Identifier: Apache-2.0
#include "core/value/map_tensors.h"

#include <algorithm>

namespace loupe {
namespace {

bool holds_tensor(const IValue& value) {
    bool found = false;
    visit_tensors(value, [&](const Tensor&) { found = true; });
    return found;
}

}  // namespace

IValue map_tensors(const IValue& value, const std::function<Tensor(const Tensor&)>& change) {
    if (value.is_tensor()) return change(value.to_tensor());
    if (!holds_tensor(value)) return value;
    if (value.is_list()) {
        auto list = make_ptr<ListObject>(value.to_list().element_type);
        for (const IValue& element : value.to_list().elements) list->elements.push_back(map_tensors(element, change));
        return list;
    }
    if (value.is_tuple()) {
        std::vector<IValue> elements;
        for (const IValue& element : value.to_tuple().elements) elements.push_back(map_tensors(element, change));
        return make_ptr<TupleObject>(std::move(elements), value.to_tuple().type);
    }
    if (value.is_dict()) {
        const DictObject& from = value.to_dict();
        auto dict = make_ptr<DictObject>(from.key_type, from.value_type);
        for (const auto& [key, element] : from.entries()) dict->set(key, map_tensors(element, change));
        return dict;
    }
    return value;
}

IValue copy_with_tensors(const IValue& value, const std::function<Tensor(const Tensor&)>& change) {
    if (value.is_tensor()) return value.to_tensor().defined() ? IValue(change(value.to_tensor())) : value;
    if (value.is_list()) {
        const auto list = make_ptr<ListObject>(value.to_list().element_type, std::vector<IValue>());
        for (const IValue& element : value.to_list().elements)
            list->elements.push_back(copy_with_tensors(element, change));
        return list;
    }
    if (value.is_tuple()) {
        std::vector<IValue> elements;
        for (const IValue& element : value.to_tuple().elements) elements.push_back(copy_with_tensors(element, change));
        return make_ptr<TupleObject>(std::move(elements), value.to_tuple().type);
    }
    if (value.is_dict()) {
        const auto dict = make_ptr<DictObject>(value.to_dict().key_type, value.to_dict().value_type);
        for (const auto& [key, element] : value.to_dict().entries()) dict->set(key, copy_with_tensors(element, change));
        return dict;
    }
    return value;
}

}  // namespace loupe
