// SPDX-License-Identifier: Apache-2.0
#include "core/value/type.h"

#include <algorithm>
#include <array>

namespace loupe {
namespace {

const TypePtr& shared_type(TypeKind kind) {
    static const auto instances = [] {
        std::array<TypePtr, static_cast<std::size_t>(TypeKind::Function) + 1> all;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto each = static_cast<TypeKind>(i);
            if (each != TypeKind::Tensor) all[i] = make_type(each);
        }
        all[static_cast<std::size_t>(TypeKind::Tensor)] = make_ptr<TensorType>();
        return all;
    }();
    return instances[static_cast<std::size_t>(kind)];
}

// PyTorch keeps the alternatives of a Union sorted by kind, in the order of its enumeration, then by text.
int union_rank(TypeKind kind) {
    constexpr std::array kOrder{TypeKind::Any,      TypeKind::Enum,     TypeKind::AnyEnum,  TypeKind::Tensor,
                                TypeKind::Storage,  TypeKind::Tuple,    TypeKind::List,     TypeKind::Dict,
                                TypeKind::Number,   TypeKind::Float,    TypeKind::Complex,  TypeKind::Future,
                                TypeKind::Int,      TypeKind::None,     TypeKind::String,   TypeKind::Generator,
                                TypeKind::Bool,     TypeKind::Optional, TypeKind::Var,      TypeKind::Device,
                                TypeKind::Function, TypeKind::Class,    TypeKind::Capsule,  TypeKind::Interface,
                                TypeKind::AnyList,  TypeKind::AnyTuple, TypeKind::AnyClass, TypeKind::Union};
    return static_cast<int>(std::find(kOrder.begin(), kOrder.end(), kind) - kOrder.begin());
}

void flatten_alternative(const TypePtr& type, std::vector<TypePtr>& out) {
    if (type->kind() == TypeKind::Union || type->kind() == TypeKind::Optional) {
        for (const auto& inner : type->contained()) flatten_alternative(inner, out);
        if (type->kind() == TypeKind::Optional) out.push_back(types::none());
        return;
    }
    out.push_back(type);
}

// int, float and complex together are a Scalar.
void join_numbers(std::vector<TypePtr>& all) {
    auto has = [&](TypeKind kind) {
        return std::any_of(all.begin(), all.end(), [&](const TypePtr& t) { return t->kind() == kind; });
    };
    if (has(TypeKind::Int) && has(TypeKind::Float) && has(TypeKind::Complex)) all.push_back(types::number());
}

// Drops alternatives that another includes.
std::vector<TypePtr> distinct_alternatives(const std::vector<TypePtr>& all) {
    std::vector<TypePtr> kept;
    for (const auto& type : all) {
        const bool included =
            std::any_of(kept.begin(), kept.end(), [&](const auto& k) { return type->is_subtype_of(*k); });
        if (included) continue;
        std::erase_if(kept, [&](const auto& k) { return k->is_subtype_of(*type); });
        kept.push_back(type);
    }
    std::stable_sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
        const int x = union_rank(a->kind());
        const int y = union_rank(b->kind());
        return x != y ? x < y : a->str() < b->str();
    });
    return kept;
}

}  // namespace

TypePtr make_type(TypeKind kind, std::vector<TypePtr> contained, std::string name) {
    return TypePtr(new Type(kind, std::move(contained), std::move(name)));
}

namespace types {

const TypePtr& shared(TypeKind kind) { return shared_type(kind); }
const TypePtr& any() { return shared_type(TypeKind::Any); }
const TypePtr& tensor() { return shared_type(TypeKind::Tensor); }
const TypePtr& integer() { return shared_type(TypeKind::Int); }
const TypePtr& floating() { return shared_type(TypeKind::Float); }
const TypePtr& complex() { return shared_type(TypeKind::Complex); }
const TypePtr& boolean() { return shared_type(TypeKind::Bool); }
const TypePtr& number() { return shared_type(TypeKind::Number); }
const TypePtr& string() { return shared_type(TypeKind::String); }
const TypePtr& none() { return shared_type(TypeKind::None); }
const TypePtr& device() { return shared_type(TypeKind::Device); }
const TypePtr& generator() { return shared_type(TypeKind::Generator); }

TypePtr list(TypePtr element) { return make_type(TypeKind::List, {std::move(element)}); }
TypePtr dict(TypePtr key, TypePtr value) { return make_type(TypeKind::Dict, {std::move(key), std::move(value)}); }
TypePtr tuple(std::vector<TypePtr> elements) { return make_ptr<TupleType>(std::move(elements)); }

TypePtr named_tuple(std::string qualified_name, std::vector<std::string> fields, std::vector<TypePtr> elements) {
    return make_ptr<TupleType>(std::move(elements), std::move(qualified_name), std::move(fields));
}

TypePtr optional(TypePtr element) {
    if (element->kind() == TypeKind::Optional || element->kind() == TypeKind::None) return element;
    return make_type(TypeKind::Optional, {std::move(element)});
}

TypePtr union_of(std::vector<TypePtr> alternatives) {
    std::vector<TypePtr> flat;
    for (const auto& type : alternatives) flatten_alternative(type, flat);
    join_numbers(flat);
    std::vector<TypePtr> kept = distinct_alternatives(flat);
    if (kept.size() == 1) return kept.front();
    if (kept.size() == 2) {
        if (kept[0]->kind() == TypeKind::None) return optional(kept[1]);
        if (kept[1]->kind() == TypeKind::None) return optional(kept[0]);
    }
    return make_type(TypeKind::Union, std::move(kept));
}

TypePtr future(TypePtr element) { return make_type(TypeKind::Future, {std::move(element)}); }

}  // namespace types
}  // namespace loupe
