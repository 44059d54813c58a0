// SPDX-License-Identifier: Apache-2.0
#include "core/passes/graph_tools.h"

#include <algorithm>
#include <cstring>

#include "core/autograd/variable.h"

namespace loupe::passes {

using ir::Block;
using ir::Node;
using ir::Value;

std::optional<IValue> constant_input(const Node* node, std::string_view argument) {
    const Value* value = node->named_input(argument);
    return value != nullptr ? ir::constant_of(value) : std::nullopt;
}

std::optional<bool> constant_bool(const Value* value) {
    const auto constant = ir::constant_of(value);
    return constant && constant->is_bool() ? std::optional(constant->to_bool()) : std::nullopt;
}

std::optional<std::int64_t> constant_int(const Value* value) {
    const auto constant = ir::constant_of(value);
    return constant && constant->is_int() ? std::optional(constant->to_int()) : std::nullopt;
}

std::optional<Tensor> constant_tensor(const Value* value) {
    const auto constant = ir::constant_of(value);
    return constant && constant->is_tensor() ? std::optional(constant->to_tensor()) : std::nullopt;
}

std::optional<double> constant_number(const Value* value) {
    const auto constant = ir::constant_of(value);
    return constant && (constant->is_int() || constant->is_double()) ? std::optional(constant->to_double())
                                                                     : std::nullopt;
}

void for_each_node(Block* block, const std::function<void(Node*)>& visit) {
    for (Node* node : block->nodes()) {
        for (std::size_t i = 0; i < node->block_count(); ++i) for_each_node(node->block_at(i), visit);
        visit(node);
    }
}

namespace {

bool same_tensor(const Tensor& a, const Tensor& b) {
    if (a.is_same(b)) return true;
    if (!a.defined() || !b.defined() || a.dtype() != b.dtype() || !(a.device() == b.device())) return false;
    if (!std::equal(a.sizes().begin(), a.sizes().end(), b.sizes().begin(), b.sizes().end())) return false;
    if (a.device().type != DeviceType::Cpu || !a.is_contiguous() || !b.is_contiguous()) return false;
    return requires_grad(a) == requires_grad(b) && std::memcmp(a.raw_data(), b.raw_data(), a.bytes()) == 0;
}

bool same_value(const IValue& a, const IValue& b);

bool same_elements(const std::vector<IValue>& a, const std::vector<IValue>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_value);
}

// As constants: exact, bit for bit where floats differ in sign or NaN.
bool same_value(const IValue& a, const IValue& b) {
    if (a.tag() != b.tag()) return false;
    switch (a.tag()) {
        case IValue::Tag::Tensor:
            return same_tensor(a.to_tensor(), b.to_tensor());
        case IValue::Tag::Double: {
            const double x = a.to_double();
            const double y = b.to_double();
            return std::memcmp(&x, &y, sizeof x) == 0;
        }
        case IValue::Tag::List:
            return same_elements(a.to_list().elements, b.to_list().elements);
        case IValue::Tag::Tuple:
            return same_elements(a.to_tuple().elements, b.to_tuple().elements);
        case IValue::Tag::Dict:
        case IValue::Tag::Object:
        case IValue::Tag::Future:
        case IValue::Tag::Other:
            return a.is_same(b);
        default:
            return values_equal(a, b);
    }
}

struct SameAttribute {
    template <typename T>
    bool operator()(const T& a, const T& b) const {
        if constexpr (std::is_same_v<T, IValue>)
            return same_value(a, b);
        else if constexpr (std::is_same_v<T, Tensor>)
            return a.defined() && same_tensor(a, b);
        else if constexpr (std::is_same_v<T, TypePtr>)
            return a->equals(*b);
        else if constexpr (std::is_same_v<T, TensorList>)
            return false;
        else if constexpr (std::is_same_v<T, std::vector<TypePtr>>) {
            return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                              [](const TypePtr& x, const TypePtr& y) { return x->equals(*y); });
        } else
            return a == b;
    }
    template <typename T, typename U>
    bool operator()(const T&, const U&) const {
        return false;
    }
};

void mix(std::size_t& hash, std::size_t value) { hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2); }

std::size_t constant_hash(const IValue& value) {
    switch (value.tag()) {
        case IValue::Tag::Bool:
        case IValue::Tag::Int:
            return std::hash<std::int64_t>()(value.to_int());
        case IValue::Tag::Double:
            return std::hash<double>()(value.to_double());
        case IValue::Tag::String:
            return std::hash<std::string>()(value.to_string());
        case IValue::Tag::Tensor:
            return std::hash<std::int64_t>()(value.to_tensor().numel());
        default:
            return static_cast<std::size_t>(value.tag());
    }
}

}  // namespace

bool same_computation(const Node* a, const Node* b) {
    if (a->kind() != b->kind() || a->inputs() != b->inputs()) return false;
    if (a->outputs().size() != b->outputs().size() || a->attributes().size() != b->attributes().size()) return false;
    if (a->block_count() != 0 || b->block_count() != 0) return false;
    for (std::size_t i = 0; i < a->outputs().size(); ++i) {
        if (!a->output(i)->type()->equals(*b->output(i)->type())) return false;
    }
    return std::all_of(a->attributes().begin(), a->attributes().end(), [b](const auto& attribute) {
        const ir::AttributeValue* other = b->find_attribute(attribute.first);
        return other != nullptr && std::visit(SameAttribute(), attribute.second, *other);
    });
}

std::size_t computation_hash(const Node* node) {
    std::size_t hash = node->kind().id();
    for (const Value* input : node->inputs()) mix(hash, input->id());
    for (const Value* output : node->outputs()) mix(hash, static_cast<std::size_t>(output->type()->kind()));
    for (const auto& [name, value] : node->attributes()) {
        mix(hash, name.id());
        if (const IValue* constant = std::get_if<IValue>(&value)) mix(hash, constant_hash(*constant));
        if (const std::string* text = std::get_if<std::string>(&value)) mix(hash, std::hash<std::string>()(*text));
    }
    return hash;
}

void inline_block_before(Node* node, Block* block) {
    for (Node* inner : block->nodes()) inner->move_before(node);
    for (std::size_t i = 0; i < node->outputs().size(); ++i) {
        node->output(i)->replace_all_uses_with(block->outputs()[i]);
    }
    node->destroy();
}

bool can_be_constant(const IValue& value) {
    switch (value.tag()) {
        case IValue::Tag::Object:
        case IValue::Tag::Future:
        case IValue::Tag::Other:
            return false;
        case IValue::Tag::Tensor:
            return !requires_grad(value.to_tensor());
        case IValue::Tag::List: {
            const auto& elements = value.to_list().elements;
            return std::all_of(elements.begin(), elements.end(), can_be_constant);
        }
        case IValue::Tag::Tuple: {
            const auto& elements = value.to_tuple().elements;
            return std::all_of(elements.begin(), elements.end(), can_be_constant);
        }
        case IValue::Tag::Dict: {
            const auto& entries = value.to_dict().entries();
            return std::all_of(entries.begin(), entries.end(), [](const auto& entry) {
                return can_be_constant(entry.first) && can_be_constant(entry.second);
            });
        }
        default:
            return true;
    }
}

}  // namespace loupe::passes
