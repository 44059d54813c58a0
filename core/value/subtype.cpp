// SPDX-License-Identifier: Apache-2.0
// Equality, subtyping and unification of types.
#include <algorithm>

#include "core/value/schema.h"
#include "core/value/type.h"

namespace loupe {
namespace {

bool same_contained(const Type& a, const Type& b) {
    return std::equal(a.contained().begin(), a.contained().end(), b.contained().begin(), b.contained().end(),
                      [](const TypePtr& x, const TypePtr& y) { return x->equals(*y); });
}

bool tensors_equal(const TensorType& a, const TensorType& b) {
    return a.dtype == b.dtype && a.device == b.device && a.sizes == b.sizes && a.strides == b.strides &&
           a.requires_grad == b.requires_grad && a.undefined == b.undefined;
}

// Does a state everything that b states?
bool tensor_refines(const TensorType& a, const TensorType& b) {
    auto states = [](const auto& mine, const auto& theirs) { return !theirs || mine == theirs; };
    auto states_each = [](const auto& mine, const auto& theirs) {
        if (!theirs) return true;
        return mine && std::equal(mine->begin(), mine->end(), theirs->begin(), theirs->end(),
                                  [](const auto& x, const auto& y) { return !y || x == y; });
    };
    return states(a.dtype, b.dtype) && states(a.device, b.device) && states(a.requires_grad, b.requires_grad) &&
           states_each(a.sizes, b.sizes) && states_each(a.strides, b.strides) && (!b.undefined || a.undefined);
}

template <typename T>
std::optional<T> agreed(const std::optional<T>& a, const std::optional<T>& b) {
    return a == b ? a : std::nullopt;
}

using Partial = std::optional<std::vector<std::optional<std::int64_t>>>;
Partial agreed_each(const Partial& a, const Partial& b) {
    if (!a || !b || a->size() != b->size()) return std::nullopt;
    Partial out = a;
    for (std::size_t i = 0; i < out->size(); ++i) (*out)[i] = agreed((*a)[i], (*b)[i]);
    return out;
}

// The shape facts that both tensor types share.
TypePtr merge_tensors(const TensorType& a, const TensorType& b) {
    auto out = make_ptr<TensorType>();
    out->dtype = agreed(a.dtype, b.dtype);
    out->device = agreed(a.device, b.device);
    out->sizes = agreed_each(a.sizes, b.sizes);
    out->strides = agreed_each(a.strides, b.strides);
    out->requires_grad = agreed(a.requires_grad, b.requires_grad);
    out->undefined = a.undefined && b.undefined;
    return out;
}

// May a method with schema `have` be called where `wanted` is declared? self always differs.
bool is_callable_as(const FunctionSchema& have, const FunctionSchema& wanted) {
    if (have.arguments.size() != wanted.arguments.size() || have.returns.size() != wanted.returns.size()) return false;
    for (std::size_t i = 1; i < have.arguments.size(); ++i) {
        if (have.arguments[i].name != wanted.arguments[i].name) return false;
        if (!wanted.arguments[i].type->is_subtype_of(*have.arguments[i].type)) return false;
    }
    for (std::size_t i = 0; i < have.returns.size(); ++i) {
        if (!have.returns[i].type->is_subtype_of(*wanted.returns[i].type)) return false;
    }
    return true;
}

bool implements(const Type& type, const InterfaceType& interface) {
    for (const auto& wanted : interface.methods) {
        if (const auto* cls = type.as<ClassType>()) {
            const Function* method = cls->find_method(wanted->name);
            if (method == nullptr || !is_callable_as(method->schema(), *wanted)) return false;
        } else if (const auto* other = type.as<InterfaceType>()) {
            const auto& all = other->methods;
            const bool has = std::any_of(all.begin(), all.end(), [&](const auto& m) {
                return m->name == wanted->name && is_callable_as(*m, *wanted);
            });
            if (!has) return false;
        } else {
            return false;
        }
    }
    return true;
}

bool tuple_is_subtype(const Type& a, const Type& b) {
    const auto* mine = a.as<TupleType>();
    const auto* theirs = b.as<TupleType>();
    if (!theirs->fields().empty() && mine->fields() != theirs->fields()) return false;
    return std::equal(a.contained().begin(), a.contained().end(), b.contained().begin(), b.contained().end(),
                      [](const TypePtr& x, const TypePtr& y) { return x->is_subtype_of(*y); });
}

bool all_are_subtypes(const std::vector<TypePtr>& all, const Type& of) {
    return std::all_of(all.begin(), all.end(), [&](const TypePtr& t) { return t->is_subtype_of(of); });
}

// Of the same kind, or of a kind that includes it.
bool kind_is_subtype(const Type& a, const Type& b) {
    switch (b.kind()) {
        case TypeKind::Number:
            return a.kind() == TypeKind::Int || a.kind() == TypeKind::Float || a.kind() == TypeKind::Complex;
        case TypeKind::AnyList:
            return a.kind() == TypeKind::List;
        case TypeKind::AnyTuple:
            return a.kind() == TypeKind::Tuple;
        case TypeKind::AnyClass:
            return a.kind() == TypeKind::Class;
        case TypeKind::AnyEnum:
            return a.kind() == TypeKind::Enum;
        case TypeKind::Tensor:
            return a.as<TensorType>() && tensor_refines(*a.as<TensorType>(), *b.as<TensorType>());
        case TypeKind::Tuple:
            return a.kind() == TypeKind::Tuple && tuple_is_subtype(a, b);
        case TypeKind::Future:
            return a.kind() == TypeKind::Future && a.element()->is_subtype_of(*b.element());
        case TypeKind::Interface:
            return implements(a, *b.as<InterfaceType>());
        default:
            return false;
    }
}

// Without shape facts of tensors inside.
TypePtr unshaped(const TypePtr& type) {
    if (type->kind() == TypeKind::Tensor) return types::tensor();
    if (type->contained().empty() || type->kind() == TypeKind::Enum) return type;
    std::vector<TypePtr> inner;
    for (const auto& t : type->contained()) inner.push_back(unshaped(t));
    if (const auto* t = type->as<TupleType>()) return make_ptr<TupleType>(std::move(inner), t->name(), t->fields());
    return make_type(type->kind(), std::move(inner), type->name());
}

std::optional<TypePtr> unify_tuples(const Type& a, const Type& b) {
    if (a.contained().size() != b.contained().size()) return std::nullopt;
    std::vector<TypePtr> elements;
    for (std::size_t i = 0; i < a.contained().size(); ++i) {
        auto element = unify_types(a.contained()[i], b.contained()[i]);
        if (!element) return std::nullopt;
        elements.push_back(std::move(*element));
    }
    return types::tuple(std::move(elements));
}

}  // namespace

bool Type::equals(const Type& other) const {
    if (this == &other) return true;
    if (kind_ != other.kind_ || name_ != other.name_) return false;
    switch (kind_) {
        case TypeKind::Tensor:
            return tensors_equal(*as<TensorType>(), *other.as<TensorType>());
        case TypeKind::Tuple:
            return as<TupleType>()->fields() == other.as<TupleType>()->fields() && same_contained(*this, other);
        case TypeKind::Class:
        case TypeKind::Interface:
        case TypeKind::Enum:
            return true;
        default:
            return same_contained(*this, other);
    }
}

bool Type::is_subtype_of(const Type& other) const {
    if (other.kind_ == TypeKind::Any || equals(other)) return true;
    if (kind_ == TypeKind::Union) return all_are_subtypes(contained_, other);
    if (kind_ == TypeKind::Optional) {
        return types::none()->is_subtype_of(other) && element()->is_subtype_of(other);
    }
    if (other.kind_ == TypeKind::Optional) return kind_ == TypeKind::None || is_subtype_of(*other.element());
    if (other.kind_ == TypeKind::Union) {
        const auto& all = other.contained_;
        if (std::any_of(all.begin(), all.end(), [&](const TypePtr& t) { return is_subtype_of(*t); })) return true;
        return kind_ == TypeKind::Number && types::integer()->is_subtype_of(other) &&
               types::floating()->is_subtype_of(other) && types::complex()->is_subtype_of(other);
    }
    return kind_is_subtype(*this, other);
}

std::optional<TypePtr> unify_types(const TypePtr& a, const TypePtr& b) {
    if (a->is_subtype_of(*b)) return b;
    if (b->is_subtype_of(*a)) return a;
    if (a->kind() == TypeKind::Tensor && b->kind() == TypeKind::Tensor) {
        return merge_tensors(*a->as<TensorType>(), *b->as<TensorType>());
    }
    if (a->kind() == TypeKind::None) return types::optional(b);
    if (b->kind() == TypeKind::None) return types::optional(a);
    if (a->kind() == TypeKind::Optional || b->kind() == TypeKind::Optional) {
        const bool first = a->kind() == TypeKind::Optional;
        if (auto element = unify_types((first ? a : b)->element(), first ? b : a)) return types::optional(*element);
    }
    if (a->kind() == TypeKind::Tuple && b->kind() == TypeKind::Tuple) return unify_tuples(*a, *b);
    if (a->kind() == TypeKind::Future && b->kind() == TypeKind::Future) {
        if (auto element = unify_types(a->element(), b->element())) return types::future(*element);
    }
    const TypePtr plain_a = unshaped(a);
    const TypePtr plain_b = unshaped(b);
    if (plain_a->is_subtype_of(*plain_b)) return plain_b;
    if (plain_b->is_subtype_of(*plain_a)) return plain_a;
    return std::nullopt;
}

}  // namespace loupe
