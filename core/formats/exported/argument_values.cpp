// SPDX-License-Identifier: Apache-2.0
// The serialized arguments of nodes as values of the graph.
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/exported/node_emitter.h"
#include "core/formats/exported/program_enums.h"

namespace loupe::exported {
namespace {

namespace prim = ir::prim;
constexpr std::string_view kWhat = "argument of a node";

const TypePtr& without_optional(const TypePtr& type) {
    return type->kind() == TypeKind::Optional ? type->element() : type;
}

// Element type of the list that a formal type takes; null when it takes none.
TypePtr element_of(const TypePtr& formal) {
    if (!formal) return nullptr;
    const TypePtr& type = without_optional(formal);
    return type->kind() == TypeKind::List && type->element()->kind() != TypeKind::Var ? type->element() : nullptr;
}

// The plain value of an argument without names; nullopt for other arguments.
std::optional<IValue> plain_value(std::string_view kind, const JsonValue& value) {
    if (kind == "as_none") return IValue();
    if (kind == "as_int") return IValue(int_of(value, kWhat));
    if (kind == "as_float") return IValue(float_of(value, kWhat));
    if (kind == "as_bool") return IValue(bool_of(value, kWhat));
    if (kind == "as_string" || kind == "as_operator") return IValue(std::string(text_of(value, kWhat)));
    if (kind == "as_scalar_type") return IValue(dtype_number(int_of(value, kWhat), kWhat));
    if (kind == "as_layout") return IValue(layout_number(int_of(value, kWhat), kWhat));
    if (kind == "as_memory_format") return IValue(memory_format_number(int_of(value, kWhat), kWhat));
    // Tensors of files are on the CPU, wherever they were saved.
    if (kind == "as_device") return IValue(Device{});
    if (kind == "as_complex") {
        return IValue(std::complex<double>(float_of(member(value, "real", kWhat), kWhat),
                                           float_of(member(value, "imag", kWhat), kWhat)));
    }
    return std::nullopt;
}

// "as_ints" holds what "as_int" holds.
std::string_view element_kind(std::string_view list_kind) {
    if (list_kind == "as_ints") return "as_int";
    if (list_kind == "as_floats") return "as_float";
    if (list_kind == "as_bools") return "as_bool";
    if (list_kind == "as_strings") return "as_string";
    return {};
}

TypePtr type_of_elements(std::string_view list_kind) {
    if (list_kind == "as_ints" || list_kind == "as_sym_ints") return types::integer();
    if (list_kind == "as_floats" || list_kind == "as_sym_floats") return types::floating();
    if (list_kind == "as_bools" || list_kind == "as_sym_bools") return types::boolean();
    if (list_kind == "as_strings") return types::string();
    if (list_kind == "as_optional_tensors") return types::optional(types::tensor());
    if (list_kind == "as_int_lists") return types::list(types::integer());
    if (list_kind == "as_float_lists") return types::list(types::floating());
    if (list_kind == "as_nested_tensors") return types::list(types::tensor());
    return types::tensor();
}

// A number as the type wants it: an int where a float stands in the schema.
IValue converted(const IValue& value, const TypePtr& wanted) {
    if (!wanted) return value;
    const TypeKind kind = without_optional(wanted)->kind();
    if (kind == TypeKind::Float && (value.is_int() || value.is_bool())) {
        return IValue(value.is_int() ? static_cast<double>(value.to_int()) : value.to_bool() ? 1.0 : 0.0);
    }
    if (kind == TypeKind::Int && value.is_bool()) return IValue(std::int64_t{value.to_bool()});
    if (kind == TypeKind::Bool && value.is_int()) return IValue(value.to_int() != 0);
    if (kind == TypeKind::Complex && (value.is_int() || value.is_double()))
        return IValue(std::complex<double>(value.to_double()));
    return value;
}

}  // namespace

ir::Value* NodeEmitter::named(const JsonValue& argument, const Names& names) const {
    const std::string_view name = text_member(argument, "name", kWhat);
    const auto found = names.find(name);
    if (found == names.end()) throw_file_error(concat("a node uses ", quote_name(name), ", which no node gives"));
    return found->second;
}

// {"as_name": "sym_size_int"}, {"as_int": 3}
ir::Value* NodeEmitter::symbolic(const JsonValue& value, const Names& names) {
    const auto [kind, inner] = union_of(value, kWhat);
    if (kind == "as_name") {
        const std::string_view name = text_of(inner, kWhat);
        const auto found = names.find(name);
        if (found == names.end()) throw_file_error(concat("a node uses ", quote_name(name), ", which no node gives"));
        return found->second;
    }
    if (const auto plain = plain_value(kind, inner)) return graph_.insert_constant(*plain);
    throw_file_error(concat("the program's ", kWhat, " is no number"));
}

ir::Value* NodeEmitter::value_of(const JsonValue& argument, const TypePtr& formal, const Names& names) {
    const auto [kind, value] = union_of(argument, kWhat);
    if (const auto plain = plain_value(kind, value)) {
        const TypePtr element = element_of(formal);
        if (element && plain->is_number()) {  // one number for all of int[2]
            const auto list = make_ptr<ListObject>(element, std::vector<IValue>{converted(*plain, element)});
            return graph_.insert_constant(IValue(list));
        }
        const bool is_number = formal && without_optional(formal)->kind() == TypeKind::Number;
        if (plain->is_bool() && is_number) return graph_.insert_constant(*plain, types::number());
        return graph_.insert_constant(converted(*plain, formal));
    }
    if (kind == "as_tensor") return named(value, names);
    if (kind == "as_custom_obj") return named(value, names);
    if (kind == "as_optional_tensor") return value_of(value, formal, names);
    if (kind == "as_sym_int" || kind == "as_sym_float" || kind == "as_sym_bool")
        return fitted(symbolic(value, names), formal);
    if (value.is_list()) return list_value(value.elements(), kind, formal, names);
    throw Error(ErrorKind::Unsupported, concat("arguments of the kind ", kind, " are not supported"));
}

ir::Value* NodeEmitter::list_value(std::span<const JsonValue> list, std::string_view kind, const TypePtr& formal,
                                   const Names& names) {
    TypePtr wanted = element_of(formal);
    const TypePtr own = type_of_elements(kind);
    if (!wanted) wanted = own;
    std::vector<ir::Value*> elements;
    for (const JsonValue& each : list) {
        if (const std::string_view single = element_kind(kind); !single.empty()) {
            elements.push_back(graph_.insert_constant(converted(*plain_value(single, each), wanted)));
        } else if (kind == "as_tensors") {
            elements.push_back(named(each, names));
        } else if (kind == "as_optional_tensors") {
            elements.push_back(value_of(each, types::optional(types::tensor()), names));
        } else if (kind == "as_sym_ints" || kind == "as_sym_floats" || kind == "as_sym_bools") {
            elements.push_back(symbolic(each, names));
        } else if (kind == "as_int_lists" || kind == "as_float_lists" || kind == "as_nested_tensors") {
            const std::string_view inner = kind == "as_int_lists"     ? "as_ints"
                                           : kind == "as_float_lists" ? "as_floats"
                                                                      : "as_tensors";
            elements.push_back(list_value(list_of(each, kWhat), inner, nullptr, names));
        } else {
            throw Error(ErrorKind::Unsupported, concat("arguments of the kind ", kind, " are not supported"));
        }
    }
    return make_list(elements, wanted);
}

// Of constants a constant, else a prim::ListConstruct.
ir::Value* NodeEmitter::make_list(const std::vector<ir::Value*>& elements, const TypePtr& element_type) {
    std::vector<IValue> constants;
    for (const ir::Value* element : elements) {
        const auto constant = ir::constant_of(element);
        const bool is_plain = constant && (constant->is_number() || constant->is_string() || constant->is_list());
        if (!is_plain) break;
        constants.push_back(*constant);
    }
    if (constants.size() == elements.size() && element_type->kind() != TypeKind::Tensor) {
        for (ir::Value* element : elements) {
            if (!element->has_uses()) element->node()->destroy();
        }
        return graph_.insert_constant(IValue(make_ptr<ListObject>(element_type, std::move(constants))));
    }
    ir::Node* node = graph_.create(prim::ListConstruct, elements);
    node->output()->set_type(types::list(element_type));
    return graph_.insert(node)->output();
}

// A computed number as the schema wants it.
ir::Value* NodeEmitter::fitted(ir::Value* value, const TypePtr& formal) {
    if (!formal || value->type()->kind() == TypeKind::None) return value;
    if (const TypePtr element = element_of(formal); element && value->type()->kind() != TypeKind::List) {
        return make_list({value}, element);
    }
    const TypeKind wanted = without_optional(formal)->kind();
    const TypeKind own = value->type()->kind();
    if (wanted == TypeKind::Float && (own == TypeKind::Int || own == TypeKind::Number))
        return as_number(value, types::floating());
    if (wanted == TypeKind::Number && own == TypeKind::Bool) return call_by_types("aten::Int", {value});
    if (wanted == TypeKind::Int && own == TypeKind::Number) return as_number(value, types::integer());
    return value;
}

ir::Value* NodeEmitter::as_number(ir::Value* value, const TypePtr& type) {
    if (value->type()->is_subtype_of(*type)) return value;
    const std::string_view kind = type->kind() == TypeKind::Int     ? "aten::Int"
                                  : type->kind() == TypeKind::Float ? "aten::Float"
                                                                    : "aten::Bool";
    if (type->kind() == TypeKind::Bool && value->type()->kind() == TypeKind::Number)
        value = as_number(value, types::integer());
    return call_by_types(kind, {value});
}

}  // namespace loupe::exported
