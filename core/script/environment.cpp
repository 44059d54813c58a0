// SPDX-License-Identifier: Apache-2.0
#include "core/script/environment.h"

#include "core/base/strings.h"
#include "core/script/schema_matching.h"

namespace loupe::script {

ir::Value* insert_load(Builder& builder, std::string_view name, const TypePtr& type) {
    ir::Node* load = builder.insert(ir::prim::Load, {});
    load->set_s(ir::attr::name, std::string(name));
    ir::Value* value = load->output()->set_type(type);
    if (is_meaningful_name(name)) value->set_name(std::string(name));
    return value;
}

ir::Node* create_store(ir::Graph& graph, std::string_view name, ir::Value* value) {
    return graph.create(ir::prim::Store, {value}, 0)->set_s(ir::attr::name, std::string(name));
}

SugaredPtr Environment::get(Builder& builder, std::string_view name) {
    for (Environment* frame = this; frame != nullptr; frame = frame->parent_) {
        if (const auto value = frame->values_.find(name); value != frame->values_.end()) return value->second;
        if (const auto type = frame->types_.find(name); type != frame->types_.end()) {
            return simple(insert_load(builder, name, type->second));
        }
    }
    return nullptr;
}

TypePtr Environment::type_of(std::string_view name) const {
    for (const Environment* frame = this; frame != nullptr; frame = frame->parent_) {
        if (frame->values_.contains(name)) return nullptr;
        if (const auto type = frame->types_.find(name); type != frame->types_.end()) return type->second;
    }
    return nullptr;
}

bool Environment::has(std::string_view name) const {
    for (const Environment* frame = this; frame != nullptr; frame = frame->parent_) {
        if (frame->values_.contains(name) || frame->types_.contains(name)) return true;
    }
    return false;
}

void Environment::check_parent(Builder& builder, std::string_view name, const SugaredPtr& value, Range range,
                               const TypePtr& annotation) const {
    if (annotation != nullptr) {
        builder.fail(concat("Attempting to declare and annotate the type of variable '", name,
                            "' but it is already defined in an outer block"),
                     range);
    }
    if (simple_value(value) == nullptr) {
        builder.fail(concat("Cannot re-assign '", name, "' to a value of type ", value->describe(), " because ", name,
                            " is not a first-class value.  Only reassignments to first-class values are allowed"),
                     range);
    }
    if (parent_->type_of(name) == nullptr) {
        builder.fail(concat("Cannot re-assign '", name, "' because it has type ", value->describe(), " and ", name,
                            " is not a first-class value.  Only reassignments to first-class values are allowed"),
                     range);
    }
}

void Environment::set(Builder& builder, std::string_view name, SugaredPtr sugared, Range range, TypePtr annotation) {
    ir::Value* value = simple_value(sugared);
    // A value of another block keeps its name: this name has no meaning there.
    if (value != nullptr && !value->has_name() && is_meaningful_name(name) && value->node()->block() == block_) {
        value->set_name(std::string(name));
    }
    if (parent_has(name)) {
        check_parent(builder, name, sugared, range, annotation);
        const TypePtr expected = parent_->get(builder, name)->as_value(builder, range)->type();
        value = convert_to_type(builder, expected, value, true, range);
        if (!value->type()->is_subtype_of(*expected)) {
            std::string hint;
            if (expected->kind() == TypeKind::List && value->type()->kind() == TypeKind::List) {
                hint =
                    "\nEmpty lists default to List[Tensor]. Add a variable annotation to the assignment to create an "
                    "empty list of another type (torch.jit.annotate(List[T, []]) where T is the type of elements in "
                    "the list for Python 2)";
            }
            builder.fail(
                concat("Variable '", name, "' previously had type ", expected->annotation_str(),
                       " but is now being assigned to a value of type ", value->type()->annotation_str(), hint),
                range);
        }
    }
    if (value == nullptr) {
        values_[name] = std::move(sugared);
        return;
    }
    if (annotation != nullptr) {
        value = convert_to_type(builder, annotation, value, true, range);
        if (!value->type()->is_subtype_of(*annotation)) {
            builder.fail(concat("Variable '", name, "' is annotated with type ", annotation->annotation_str(),
                                " but is being assigned to a value of type ", value->type()->annotation_str()),
                         range);
        }
    }
    builder.graph().insert(create_store(builder.graph(), name, value))->set_range(builder.place(range));
    types_[name] = annotation != nullptr ? std::move(annotation) : value->type();
    values_.erase(name);
}

bool Environment::remove(std::string_view name) {
    bool removed = false;
    for (Environment* frame = this; frame != nullptr; frame = frame->parent_) {
        removed = (frame->values_.erase(name) + frame->types_.erase(name) > 0) || removed;
    }
    return removed;
}

std::vector<std::string_view> Environment::defined() const {
    std::vector<std::string_view> names;
    for (const auto& [name, type] : types_) names.push_back(name);
    return names;
}

Environment& Environment::root() {
    Environment* frame = this;
    while (frame->parent_ != nullptr) frame = frame->parent_;
    return *frame;
}

void Environment::set_reason(std::string_view name, std::string reason) { root().reasons_[name] = std::move(reason); }

const std::string* Environment::reason(std::string_view name) const {
    const auto& reasons = const_cast<Environment*>(this)->root().reasons_;
    const auto found = reasons.find(name);
    return found != reasons.end() ? &found->second : nullptr;
}

}  // namespace loupe::script
