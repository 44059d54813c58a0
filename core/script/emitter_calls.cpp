// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "core/base/strings.h"
#include "core/script/emitter.h"
#include "core/script/symbols.h"

namespace loupe::script {

void Emitter::check_argument_count(const Call& call, std::size_t count) {
    const auto name = dotted_name(*call.callee).value_or("this function");
    if (call.arguments.size() != count) {
        fail(concat(name, " expected exactly ", count, " arguments but found ", call.arguments.size()), call.range);
    }
    if (!call.keywords.empty()) fail(name + " takes no keyword arguments", call.range);
}

SugaredPtr Emitter::emit_call(const Call& call, const TypePtr& hint) {
    const SugaredPtr callee = emit_sugared(*call.callee);
    if (const auto* form = dynamic_cast<const SpecialForm*>(callee.get())) return emit_form(form->form(), call, hint);
    if (const SugaredPtr counted = emit_counted(*callee, call)) {
        if (counted->static_length()) return simple(builder_.constant(IValue(*counted->static_length()), call.range));
        const NamedValue argument{call.arguments.front()->range, {}, counted->as_value(builder_, call.range)};
        return callee->call(builder_, {&argument, 1}, {}, call.callee->range);
    }
    const std::vector<NamedValue> arguments = emit_arguments(call.arguments, call.range);
    std::vector<NamedValue> keywords;
    keywords.reserve(call.keywords.size());
    for (const Keyword& keyword : call.keywords) {
        keywords.push_back({keyword.range, keyword.name, emit_value(*keyword.value)});
    }
    // PyTorch reports a call at its callee.
    return callee->call(builder_, arguments, keywords, call.callee->range);
}

// The argument of len() that is no value: a list of modules has a static length. Null for other calls.
SugaredPtr Emitter::emit_counted(const Sugared& callee, const Call& call) {
    const auto* function = dynamic_cast<const MagicMethod*>(&callee);
    if (function == nullptr || function->method() != "__len__" || call.arguments.size() != 1 || !call.keywords.empty())
        return nullptr;
    const Expr& argument = *call.arguments.front();
    const auto* name = as<Name>(&argument);
    const bool is_value = name != nullptr && environment().type_of(name->id) != nullptr;
    if (is_value || (name == nullptr && argument.kind != ExprKind::Attribute)) return nullptr;
    return emit_sugared(argument);
}

SugaredPtr Emitter::emit_form(Form form, const Call& call, const TypePtr& hint) {
    switch (form) {
        case Form::Fork:
            return emit_fork(call);
        case Form::Annotate:
            return emit_annotate(call);
        case Form::UncheckedCast:
            return emit_unchecked_cast(call);
        case Form::GetAttr:
            return emit_getattr(call);
        case Form::HasAttr:
            check_argument_count(call, 2);
            return simple(emit_hasattr(*call.arguments[0], *call.arguments[1]).value);
        case Form::Uninitialized: {
            check_argument_count(call, 1);
            ir::Value* value = builder_.uninitialized(types_.parse(*call.arguments[0]));
            value->node()->set_range(builder_.place(call.range));
            return simple(value);
        }
        case Form::TupleConstruct: {
            if (call.arguments.empty()) return simple(builder_.tuple({}));
            check_argument_count(call, 1);
            std::vector<ir::Value*> values;
            for (const SugaredPtr& element : emit_sugared(*call.arguments[0])->as_tuple(builder_, call.range)) {
                values.push_back(element->as_value(builder_, call.range));
            }
            return simple(builder_.tuple(values));
        }
        case Form::IsInstance:
            check_argument_count(call, 2);
            return simple(emit_isinstance(*call.arguments[0], *call.arguments[1]).value);
        case Form::ToList:
            return emit_tolist(call, hint);
        case Form::CreateObject:
            return emit_create_object(call);
        case Form::Range:
            return make_ptr<RangeValue>(builder_, emit_values(call.arguments), call.range);
        case Form::Enumerate:
            return emit_enumerate(call);
        case Form::Zip:
            return emit_zip(call);
        case Form::List:
            return emit_list_form(call, hint);
        case Form::Dict:
            return emit_dict_form(call, hint);
    }
    fail("unknown form", call.range);
}

// fork(f, ...) becomes a node with the call, or the nested def, as a closure.
SugaredPtr Emitter::emit_fork(const Call& call) {
    if (call.arguments.empty()) fail("Expected at least one argument to fork()", call.range);
    const SugaredPtr forked = emit_sugared(*call.arguments.front());
    const std::vector<NamedValue> arguments = emit_arguments(call.arguments.subspan(1), call.range);
    std::vector<NamedValue> keywords;
    for (const Keyword& keyword : call.keywords) {
        keywords.push_back({keyword.range, keyword.name, emit_value(*keyword.value)});
    }
    ir::Node* node = builder_.insert(symbols().fork_closure, {});
    node->set_range(builder_.place(call.range));
    const ir::InsertPointScope scope(graph_, node);
    ir::Value* closure = nullptr;
    if (dynamic_cast<const ClosureValue*>(forked.get()) != nullptr) {
        closure = forked->as_value(builder_, call.range);
    } else {
        closure = emit_closure([&](ir::Block* block) {
            const SugaredPtr result = forked->call(builder_, arguments, keywords, call.range);
            block->add_output(result->as_value(builder_, call.range));
        });
    }
    node->add_input(closure);
    const TypePtr result = closure->node()->block_at(0)->outputs().front()->type();
    return simple(node->output()->set_type(types::future(result)));
}

SugaredPtr Emitter::emit_annotate(const Call& call) {
    check_argument_count(call, 2);
    const TypePtr type = types_.parse(*call.arguments[0]);
    ir::Value* value = convert_to_type(builder_, type, emit_value(*call.arguments[1], type), true, call.range);
    if (!value->type()->is_subtype_of(*type)) {
        fail(concat("expected an expression of type ", type->annotation_str(), " but found ",
                    value->type()->annotation_str()),
             call.range);
    }
    // None keeps the expected type.
    if (type->kind() == TypeKind::Optional && value->type()->kind() == TypeKind::None) {
        value = graph_.insert(graph_.create_constant(IValue()))->output()->set_type(type);
    }
    return simple(value);
}

SugaredPtr Emitter::emit_unchecked_cast(const Call& call) {
    check_argument_count(call, 2);
    const TypePtr type = types_.parse(*call.arguments[0]);
    ir::Value* value = emit_value(*call.arguments[1]);
    const bool is_cast = value->node()->kind() == ir::prim::unchecked_cast && value->type()->equals(*type);
    return simple(is_cast ? value : builder_.unchecked_cast(value, type));
}

SugaredPtr Emitter::emit_getattr(const Call& call) {
    if (call.arguments.size() != 3) check_argument_count(call, 2);
    const SugaredPtr object = emit_sugared(*call.arguments[0]);
    const auto* name = as<String>(call.arguments[1]);
    if (name == nullptr) fail("getattr's second argument must be a string literal", call.range);
    if (call.arguments.size() == 3 && !object->has_attribute(builder_, name->value, call.range)) {
        return emit_sugared(*call.arguments[2]);
    }
    return object->attribute(builder_, name->value, call.range);
}

// The dimensions and the element type come from the expected type.
SugaredPtr Emitter::emit_tolist(const Call& call, const TypePtr& hint) {
    if (hint == nullptr) fail("Expected type hint for result of tolist()", call.range);
    const auto* callee = as<Attribute>(call.callee);
    ir::Value* tensor = emit_value(*callee->object);
    std::int64_t dimensions = 0;
    TypePtr element = hint;
    for (; element->kind() == TypeKind::List; element = element->element()) ++dimensions;
    const std::int64_t kind = element->kind() == TypeKind::Int       ? 0
                              : element->kind() == TypeKind::Float   ? 1
                              : element->kind() == TypeKind::Bool    ? 2
                              : element->kind() == TypeKind::Complex ? 3
                                                                     : -1;
    if (kind < 0)
        fail(
            hint->annotation_str() + " is not one of the supported element types for tolist: int, float, complex, bool",
            call.range);
    ir::Value* dimension_value = builder_.constant(IValue(dimensions));
    ir::Value* kind_value = builder_.constant(IValue(kind));
    return simple(builder_.insert(ir::prim::tolist, {tensor, dimension_value, kind_value})->output()->set_type(hint));
}

SugaredPtr Emitter::emit_create_object(const Call& call) {
    if (call.arguments.size() != 1) fail("Only one argument to __new__ allowed", call.range);
    const SugaredPtr argument = emit_sugared(*call.arguments.front());
    const auto* type = dynamic_cast<const ClassValue*>(argument.get());
    if (type == nullptr) {
        fail(concat("Expected class value as argument to __new__, got ", argument->describe(), " instead"), call.range);
    }
    ir::Node* node = builder_.insert(ir::prim::CreateObject, {});
    node->set_range(builder_.place(call.range));
    return simple(node->output()->set_type(type->type()));
}

SugaredPtr Emitter::emit_enumerate(const Call& call) {
    if (call.arguments.empty()) fail("enumerate expected at least 1 arguments, got 0", call.range);
    if (call.arguments.size() > 2) {
        fail(concat("enumerate expected at most 2 arguments, got ", call.arguments.size()), call.range);
    }
    std::vector<ir::Value*> inputs;
    if (call.arguments.size() == 2) inputs.push_back(emit_value(*call.arguments[1]));
    for (const Keyword& keyword : call.keywords) {
        if (keyword.name == "start") inputs.push_back(emit_value(*keyword.value));
    }
    inputs.push_back(shared_constant(IValue(std::numeric_limits<std::int64_t>::max()), call.range));
    const SugaredPtr iterable = emit_sugared(*call.arguments[0])->iterate(builder_, call.range);
    const auto tree = make_ptr<IterableTree>();
    tree->add(builder_, make_ptr<RangeValue>(builder_, inputs, call.range, iterable->static_length()), call.range);
    tree->add(builder_, iterable, call.range);
    return tree;
}

SugaredPtr Emitter::emit_zip(const Call& call) {
    if (call.arguments.empty()) fail("zip expected at least 1 arguments, got 0", call.range);
    const auto tree = make_ptr<IterableTree>();
    for (const Expr* argument : call.arguments) {
        tree->add(builder_, emit_sugared(*argument)->iterate(builder_, call.range), call.range);
    }
    return tree;
}

SugaredPtr Emitter::emit_list_form(const Call& call, const TypePtr& hint) {
    if (call.arguments.empty()) {
        const TypePtr type = hint != nullptr ? hint : types::list(types::tensor());
        if (type->kind() != TypeKind::List) {
            fail("Expected list type annotation for list(), found " + type->annotation_str(), call.range);
        }
        return simple(builder_.list(type->element(), {}));
    }
    check_argument_count(call, 1);
    const SugaredPtr argument = emit_sugared(*call.arguments.front());
    if (ir::Value* value = simple_value(argument)) {
        if (value->type()->kind() == TypeKind::List || value->type()->kind() == TypeKind::String) {
            return simple(call_builtin(builder_, "aten::list", {value}, call.range));
        }
    }
    // [element for element in argument]
    Name iterable{};
    iterable.kind = ExprKind::Name;
    iterable.range = call.range;
    iterable.id = temporary_name("_iter");
    environment().set(builder_, iterable.id, argument, call.range);
    Name element = iterable;
    element.id = temporary_name("_elem");
    return simple(emit_list_comprehension(element, element, iterable, hint, call.range));
}

SugaredPtr Emitter::emit_dict_form(const Call& call, const TypePtr& hint) {
    ir::Value* dict = nullptr;
    if (call.arguments.empty()) {
        TypePtr type = hint != nullptr && hint->kind() == TypeKind::Dict ? hint : nullptr;
        if (type == nullptr) {
            TypePtr value_type = types::tensor();
            if (!call.keywords.empty()) {
                // The first keyword determines the type; its value is emitted again below.
                value_type = emit_value(*call.keywords.front().value)->type();
            }
            type = types::dict(types::string(), value_type);
        }
        dict = builder_.insert(ir::prim::DictConstruct, {})->output()->set_type(type);
    } else if (call.arguments.size() > 1) {
        fail(concat("dict expected at most 1 argument, got ", call.arguments.size()), call.range);
    } else {
        const SugaredPtr argument = emit_sugared(*call.arguments.front(), hint);
        ir::Value* value = simple_value(argument);
        if (value != nullptr && value->type()->kind() == TypeKind::Dict) {
            dict = call_builtin(builder_, "aten::dict", {value}, call.range);
        } else {
            Name iterable{};
            iterable.kind = ExprKind::Name;
            iterable.range = call.range;
            iterable.id = temporary_name("_iter");
            environment().set(builder_, iterable.id, argument, call.range);
            Name key = iterable;
            key.id = temporary_name("_key");
            Name item = iterable;
            item.id = temporary_name("_value");
            const Expr* pair[] = {&key, &item};
            const Tuple target{{ExprKind::Tuple, 1, call.range}, pair};
            dict = emit_dict_comprehension(key, item, target, iterable, hint, call.range);
        }
    }
    for (const Keyword& keyword : call.keywords) {
        ir::Value* key = builder_.constant(IValue(keyword.name), keyword.range);
        ir::Value* value = emit_value(*keyword.value);
        call_builtin(builder_, "aten::_set_item", {dict, key, value}, keyword.range);
    }
    return simple(dict);
}

}  // namespace loupe::script
