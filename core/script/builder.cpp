// SPDX-License-Identifier: Apache-2.0
#include "core/script/builder.h"

#include <algorithm>

#include "core/script/symbols.h"

namespace loupe::script {

const Symbols& symbols() {
    static const Symbols table;
    return table;
}

ir::Value* Builder::constant(IValue value, Range range) {
    ir::Node* node = graph_.insert(graph_.create_constant(std::move(value)));
    node->set_range(place(range));
    return node->output();
}

ir::Value* Builder::list(const TypePtr& element, std::span<ir::Value* const> values) {
    return insert(ir::prim::ListConstruct, values)->output()->set_type(types::list(element));
}

ir::Value* Builder::tuple(std::span<ir::Value* const> values, TypePtr type) {
    if (type == nullptr) {
        std::vector<TypePtr> elements;
        elements.reserve(values.size());
        for (const ir::Value* value : values) elements.push_back(value->type());
        type = types::tuple(std::move(elements));
    }
    return insert(ir::prim::TupleConstruct, values)->output()->set_type(std::move(type));
}

std::vector<ir::Value*> Builder::unpack_tuple(ir::Value* value) {
    if (value->node()->kind() == ir::prim::TupleConstruct) return value->node()->inputs();
    const auto& elements = value->type()->contained();
    ir::Node* node = insert(ir::prim::TupleUnpack, {value}, elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) node->output(i)->set_type(elements[i]);
    return node->outputs();
}

ir::Value* Builder::unchecked_cast(ir::Value* value, const TypePtr& type) {
    return insert(ir::prim::unchecked_cast, {value})->output()->set_type(type);
}

ir::Value* Builder::uninitialized(const TypePtr& type) {
    return insert(ir::prim::Uninitialized, {})->output()->set_type(type);
}

ir::Value* Builder::get_attribute(ir::Value* object, const std::string& name, const TypePtr& type) {
    ir::Node* node = insert(ir::prim::GetAttr, {object});
    node->set_s(ir::attr::name, name);
    return node->output()->set_type(type)->set_name(attribute_value_name(name));
}

void Builder::set_attribute(ir::Value* object, const std::string& name, ir::Value* value) {
    insert(ir::prim::SetAttr, {object, value}, 0)->set_s(ir::attr::name, name);
}

ir::Value* Builder::tuple_index(ir::Value* value, ir::Value* index, const TypePtr& type) {
    return insert(ir::prim::TupleIndex, {value, index})->output()->set_type(type);
}

ir::Value* Builder::call_function(Function& function, std::span<ir::Value* const> inputs, const TypePtr& type) {
    std::vector<ir::Value*> all = {graph_.insert(ir::create_function_constant(graph_, function))->output()};
    all.insert(all.end(), inputs.begin(), inputs.end());
    return insert(ir::prim::CallFunction, all)->output()->set_type(type);
}

ir::Value* Builder::call_method(std::string_view name, std::span<ir::Value* const> inputs, const TypePtr& type) {
    ir::Node* node = insert(ir::prim::CallMethod, inputs);
    node->set_s(ir::attr::name, std::string(name));
    return node->output()->set_type(type);
}

std::string attribute_value_name(const std::string& name) {
    const bool is_number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
    return is_number ? "_" + name : name;
}

bool is_meaningful_name(std::string_view name) {
    if (name.empty() || name.front() == '$') return false;
    return name.front() != '_' || name.substr(1).find_first_not_of("0123456789") != std::string_view::npos;
}

void copy_nodes_before(ir::Node* before, const ir::Block& block, ir::ValueMap& map) {
    const auto mapped = [&map](ir::Value* value) {
        const auto found = map.find(value);
        return found != map.end() ? found->second : value;
    };
    for (const ir::Node* node : block.nodes()) {
        ir::Node* copy = before->graph()->create_copy(*node, mapped, false)->insert_before(before);
        for (std::size_t i = 0; i < node->block_count(); ++i) copy->add_block()->copy_from(*node->block_at(i), map);
        for (std::size_t i = 0; i < node->outputs().size(); ++i) map[node->output(i)] = copy->output(i);
    }
}

TypePtr unify_or_union(const TypePtr& a, const TypePtr& b) {
    if (auto unified = unify_types(a, b)) return *unified;
    return types::union_of({a, b});
}

TypePtr unify_or_union(std::span<const TypePtr> all) {
    TypePtr unified = all.front();
    for (const TypePtr& type : all.subspan(1)) unified = unify_or_union(unified, type);
    return unified;
}

const TypePtr& without_optional(const TypePtr& type) {
    return type->kind() == TypeKind::Optional ? type->element() : type;
}

bool is_convertible_to_list(const Type& type, const Type& list) {
    if (list.kind() != TypeKind::List) return false;
    if (type.is_subtype_of(list)) return true;
    if (type.kind() != TypeKind::Tuple) return false;
    return std::all_of(type.contained().begin(), type.contained().end(),
                       [&](const TypePtr& element) { return element->is_subtype_of(*list.element()); });
}

const TypePtr& inferred_tensor() {
    static const TypePtr type = make_ptr<TensorType>();
    return type;
}

}  // namespace loupe::script
