// SPDX-License-Identifier: Apache-2.0
#include "core/ir/schema_match.h"

namespace loupe::ir {
namespace {

bool has_variables(const Type& type) {
    if (type.kind() == TypeKind::Var) return true;
    for (const TypePtr& part : type.contained()) {
        if (has_variables(*part)) return true;
    }
    return false;
}

bool bind(const std::string& name, const TypePtr& actual, TypeBindings& bindings) {
    const auto [place, is_new] = bindings.try_emplace(name, actual);
    if (is_new || actual->is_subtype_of(*place->second)) return true;
    const auto unified = unify_types(place->second, actual);
    if (!unified) return false;
    place->second = *unified;
    return true;
}

bool match_contained(const TypePtr& formal, const TypePtr& actual, TypeBindings& bindings) {
    if (actual->kind() != formal->kind() || actual->contained().size() != formal->contained().size()) return false;
    for (std::size_t i = 0; i < formal->contained().size(); ++i) {
        if (!match_type(formal->contained()[i], actual->contained()[i], bindings)) return false;
    }
    return true;
}

}  // namespace

bool match_type(const TypePtr& formal, const TypePtr& actual, TypeBindings& bindings) {
    if (!has_variables(*formal)) {
        if (actual->is_subtype_of(*formal)) return true;
        // None is of every optional; a future or list of a subtype is no subtype, but a refined tensor is only a
        // tensor.
        return formal->kind() == TypeKind::Optional && match_type(formal->element(), actual, bindings);
    }
    switch (formal->kind()) {
        case TypeKind::Var:
            return bind(formal->name(), actual, bindings);
        case TypeKind::Optional:
            if (actual->kind() == TypeKind::None) return true;
            if (actual->kind() == TypeKind::Optional) return match_type(formal->element(), actual->element(), bindings);
            return match_type(formal->element(), actual, bindings);
        case TypeKind::List:
            if (actual->kind() == TypeKind::Tuple && !actual->contained().empty()) {
                for (const TypePtr& part : actual->contained()) {
                    if (!match_type(formal->element(), part, bindings)) return false;
                }
                return true;
            }
            return match_contained(formal, actual, bindings);
        default:
            return match_contained(formal, actual, bindings);
    }
}

TypePtr substitute(const TypePtr& type, const TypeBindings& bindings) {
    if (!has_variables(*type)) return type;
    if (type->kind() == TypeKind::Var) {
        const auto found = bindings.find(type->name());
        return found == bindings.end() ? type : found->second;
    }
    std::vector<TypePtr> parts;
    for (const TypePtr& part : type->contained()) parts.push_back(substitute(part, bindings));
    switch (type->kind()) {
        case TypeKind::List:
            return types::list(parts[0]);
        case TypeKind::Dict:
            return types::dict(parts[0], parts[1]);
        case TypeKind::Optional:
            return types::optional(parts[0]);
        case TypeKind::Future:
            return types::future(parts[0]);
        case TypeKind::Tuple:
            return types::tuple(std::move(parts));
        case TypeKind::Union:
            return types::union_of(std::move(parts));
        default:
            return type;
    }
}

bool match_schema(const FunctionSchema& schema, std::span<const TypePtr> arguments, TypeBindings& bindings) {
    if (arguments.size() < schema.arguments.size()) return false;
    if (arguments.size() > schema.arguments.size() && !schema.is_vararg) return false;
    for (std::size_t i = 0; i < schema.arguments.size(); ++i) {
        if (!match_type(schema.arguments[i].type, arguments[i], bindings)) return false;
    }
    return true;
}

int match_cost(const Type& formal, const Type& actual) {
    switch (formal.kind()) {
        case TypeKind::Number:
            return actual.kind() == TypeKind::Number ? 0 : 1;
        case TypeKind::Var:
        case TypeKind::AnyList:
        case TypeKind::AnyTuple:
        case TypeKind::AnyClass:
        case TypeKind::AnyEnum:
            return 1;
        case TypeKind::Any:
            return 2;
        case TypeKind::Optional: {
            const Type& inner = actual.kind() == TypeKind::Optional ? *actual.element() : actual;
            return actual.kind() == TypeKind::None ? 0 : match_cost(*formal.element(), inner);
        }
        case TypeKind::List:
            return actual.kind() == TypeKind::List ? match_cost(*formal.element(), *actual.element()) : 1;
        default:
            return 0;
    }
}

const Operator* match_operator(std::string_view name, std::span<const TypePtr> arguments,
                               std::optional<std::size_t> results) {
    const Operator* best = nullptr;
    int least = 0;
    for (const Operator* op : operators_named(name)) {
        if (results && op->result_count() != *results) continue;
        TypeBindings bindings;
        if (!match_schema(op->schema, arguments, bindings)) continue;
        int cost = 0;
        for (std::size_t i = 0; i < op->schema.arguments.size(); ++i) {
            cost += match_cost(*op->schema.arguments[i].type, *arguments[i]);
        }
        if (best != nullptr && cost >= least) continue;
        best = op;
        least = cost;
        if (cost == 0) break;
    }
    return best;
}

}  // namespace loupe::ir
