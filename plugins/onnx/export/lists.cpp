// SPDX-License-Identifier: Apache-2.0
// Python's lists and dicts: known element by element, or sequences in loops that append.
#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/onnx/export/exporter.h"

namespace loupe::onnx_export {
namespace {

std::int64_t known_index(const Operand& index, std::size_t size) {
    if (index.kind != Operand::Kind::Constant || !index.constant.is_int())
        unsupported("an element of a list that is chosen while the model runs");
    std::int64_t at = index.constant.to_int();
    if (at < 0) at += static_cast<std::int64_t>(size);
    if (at < 0 || at >= static_cast<std::int64_t>(size)) unsupported("an index that is out of the list's range");
    return at;
}

std::size_t find_key(const ListState& dict, const Operand& key) {
    if (key.kind != Operand::Kind::Constant) unsupported("an item of a dict that is chosen while the model runs");
    const auto found = std::find_if(dict.keys.begin(), dict.keys.end(),
                                    [&](const IValue& each) { return values_equal(each, key.constant); });
    return static_cast<std::size_t>(found - dict.keys.begin());
}

}  // namespace

bool Exporter::visit_sequence_operator(const ir::Node& node, ListState& list) {
    const std::string& name = node.kind().str();
    const OnnxValue sequence = *list.sequence;
    if (name == "aten::append") {
        if (list.depth != builder_.depth()) unsupported("a branch, inside of a loop, that appends to a list");
        const OnnxValue given = value_of(at(node.input(1)));
        appended_.try_emplace(&list, given.dtype);
        const OnnxValue element = builder_.cast(given, sequence.dtype);
        OnnxValue longer = builder_.emit("SequenceInsert", {sequence, element}, {}, sequence.dtype);
        longer.is_sequence = true;
        longer.sizes = given.sizes;
        list.sequence = std::move(longer);
        return true;
    }
    if (name == "aten::len") {
        set(node.output(), number_operand(builder_.emit("SequenceLength", {sequence}, {}, ScalarType::Int64, Dims())));
        return true;
    }
    if (name == "aten::__getitem__") {
        const OnnxValue index = value_of(at(node.input(1)));
        set(node.output(),
            tensor_operand(builder_.emit("SequenceAt", {sequence, index}, {}, sequence.dtype, sequence.sizes)));
        return true;
    }
    return false;
}

bool Exporter::visit_dict_operator(const ir::Node& node, ListState& dict) {
    const std::string& name = node.kind().str();
    Operands& elements = dict.elements;
    if (name == "aten::__getitem__") {
        const std::size_t found = find_key(dict, at(node.input(1)));
        if (found >= elements.size()) unsupported("a key that the dict lacks");
        set(node.output(), Operand(elements[found]));
    } else if (name == "aten::__contains__") {
        set(node.output(), constant_operand(IValue(find_key(dict, at(node.input(1))) < elements.size())));
    } else if (name == "aten::_set_item") {
        const std::size_t found = find_key(dict, at(node.input(1)));
        if (found == elements.size()) {
            dict.keys.push_back(at(node.input(1)).constant);
            elements.emplace_back();
        }
        elements[found] = at(node.input(2));
    } else if (name == "aten::values") {
        set(node.output(), list_operand(elements, dict.element_type));
    } else if (name == "aten::keys") {
        Operands keys;
        for (const IValue& key : dict.keys) keys.push_back(constant_operand(key));
        set(node.output(), list_operand(std::move(keys), nullptr));
    } else if (name == "aten::len") {
        set(node.output(), constant_operand(IValue(static_cast<std::int64_t>(elements.size()))));
    } else {
        return false;
    }
    return true;
}

// Operators that change a list of known length.
bool Exporter::change_list(const ir::Node& node, const Operand& whole) {
    const std::string& name = node.kind().str();
    static constexpr std::array<std::string_view, 8> kNames = {"aten::append",    "aten::extend", "aten::add_",
                                                               "aten::_set_item", "aten::pop",    "aten::insert",
                                                               "aten::clear",     "aten::reverse"};
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end()) return false;
    const bool is_from_outside = whole.list->depth < builder_.depth() && !journals_.empty();
    if (is_from_outside) unsupported("a change, inside of a branch or loop, of a list from outside of it");
    Operands& elements = whole.list->elements;
    const auto place = [&](std::size_t room) { return known_index(at(node.input(1)), elements.size() + room); };
    const auto extend = [&] {
        const Operands more = at(node.input(1)).list->elements;
        elements.insert(elements.end(), more.begin(), more.end());
    };
    if (name == "aten::append") {
        elements.push_back(at(node.input(1)));
    } else if (name == "aten::extend") {
        extend();
    } else if (name == "aten::add_") {
        extend();
        set(node.output(), whole);
    } else if (name == "aten::_set_item") {
        elements[static_cast<std::size_t>(place(0))] = at(node.input(2));
    } else if (name == "aten::pop") {
        const std::int64_t index = place(0);
        set(node.output(), Operand(elements[static_cast<std::size_t>(index)]));
        elements.erase(elements.begin() + index);
    } else if (name == "aten::insert") {
        elements.insert(elements.begin() + place(1), at(node.input(2)));
    } else if (name == "aten::clear") {
        elements.clear();
    } else if (name == "aten::reverse") {
        std::reverse(elements.begin(), elements.end());
    } else {
        return false;
    }
    return true;
}

bool Exporter::visit_list_operator(const ir::Node& node) {
    if (node.inputs().empty() || !values_.contains(node.input(0))) return false;
    const Operand whole = at(node.input(0));
    if (!whole.list) return false;
    const ListState& list = *whole.list;
    const Operands& elements = list.elements;
    const std::string& name = node.kind().str();
    if (list.sequence) return visit_sequence_operator(node, *whole.list);
    if (whole.kind == Operand::Kind::Dict) return visit_dict_operator(node, *whole.list);
    if (change_list(node, whole)) return true;
    if (name == "aten::__getitem__") {
        set(node.output(),
            Operand(elements[static_cast<std::size_t>(known_index(at(node.input(1)), elements.size()))]));
    } else if (name == "aten::len") {
        set(node.output(), constant_operand(IValue(static_cast<std::int64_t>(elements.size()))));
    } else if (name == "aten::list" || name == "aten::copy") {
        set(node.output(), list_operand(elements, list.element_type));
    } else if (name == "aten::add" && at(node.input(1)).list) {
        Operands joined = elements;
        const Operands more = at(node.input(1)).list->elements;
        joined.insert(joined.end(), more.begin(), more.end());
        set(node.output(), list_operand(std::move(joined), list.element_type));
    } else if (name == "aten::mul" && at(node.input(1)).kind == Operand::Kind::Constant) {
        Operands repeated;
        for (std::int64_t n = at(node.input(1)).constant.to_int(); n > 0; --n)
            repeated.insert(repeated.end(), elements.begin(), elements.end());
        set(node.output(), list_operand(std::move(repeated), list.element_type));
    } else {
        return name == "aten::slice" && slice_list(node, elements, list.element_type);
    }
    return true;
}

bool Exporter::slice_list(const ir::Node& node, const Operands& elements, const TypePtr& element_type) {
    const auto size = static_cast<std::int64_t>(elements.size());
    const auto bound = [&](std::size_t input, std::int64_t otherwise) {
        const Operand& given = at(node.input(input));
        if (given.is_none()) return otherwise;
        if (given.kind != Operand::Kind::Constant) unsupported("a part of a list that is chosen while the model runs");
        const std::int64_t value = given.constant.to_int();
        return std::clamp<std::int64_t>(value < 0 ? value + size : value, 0, size);
    };
    const Operand& step = at(node.input(3));
    if (step.kind != Operand::Kind::Constant || step.constant.to_int() != 1) return false;
    const std::int64_t start = bound(1, 0);
    const std::int64_t end = std::max(start, bound(2, size));
    set(node.output(), list_operand({elements.begin() + start, elements.begin() + end}, element_type));
    return true;
}

}  // namespace loupe::onnx_export
