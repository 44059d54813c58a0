// SPDX-License-Identifier: Apache-2.0
// Containers, objects, and functions that recurse into values.
#include <algorithm>
#include <typeinfo>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/value/callable.h"
#include "core/value/hash.h"
#include "core/value/ivalue.h"

namespace loupe {
namespace {

bool elements_equal(const std::vector<IValue>& a, const std::vector<IValue>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), values_equal);
}

bool dicts_equal(const DictObject& a, const DictObject& b) {
    if (a.size() != b.size()) return false;
    return std::all_of(a.entries().begin(), a.entries().end(), [&](const auto& entry) {
        const IValue* other = b.find(entry.first);
        return other != nullptr && values_equal(entry.second, *other);
    });
}

bool all_are(const std::vector<IValue>& values, const Type& type) {
    return std::all_of(values.begin(), values.end(), [&](const IValue& v) { return is_instance(v, type); });
}

bool tuple_is_instance(const TupleObject& tuple, const Type& type) {
    if (tuple.type) return tuple.type->is_subtype_of(type);
    const auto& wanted = type.contained();
    if (!type.as<TupleType>()->fields().empty()) return false;
    return std::equal(tuple.elements.begin(), tuple.elements.end(), wanted.begin(), wanted.end(),
                      [](const IValue& v, const TypePtr& t) { return is_instance(v, *t); });
}

bool list_is_instance(const ListObject& list, const Type& element) {
    return list.element_type->equals(element) ||
           (list.elements.empty() && list.element_type->kind() == TypeKind::Any) ||
           (list.element_type->is_subtype_of(element) && all_are(list.elements, element));
}

bool dict_is_instance(const DictObject& dict, const Type& type) {
    const Type& key = *type.contained()[0];
    const Type& value = *type.contained()[1];
    if (dict.key_type->equals(key) && dict.value_type->equals(value)) return true;
    return dict.key_type->is_subtype_of(key) && dict.value_type->is_subtype_of(value) &&
           std::all_of(dict.entries().begin(), dict.entries().end(), [&](const auto& entry) {
               return is_instance(entry.first, key) && is_instance(entry.second, value);
           });
}

bool tensor_is_instance(const IValue& value, const TensorType& type) {
    if (!type.is_refined()) return true;
    const TensorImpl* t = value.tensor_impl();
    if (type.undefined || (type.dtype && *type.dtype != t->dtype)) return false;
    if (type.device && *type.device != t->storage->device()) return false;
    auto agrees = [](const Dims& have, const auto& wanted) {
        return !wanted || std::equal(have.begin(), have.end(), wanted->begin(), wanted->end(),
                                     [](std::int64_t x, const auto& y) { return !y || *y == x; });
    };
    return agrees(t->sizes, type.sizes) && agrees(t->strides, type.strides);
}

}  // namespace

bool values_equal(const IValue& a, const IValue& b) {
    if (a.is_number() && b.is_number()) {
        if (a.is_complex() || b.is_complex()) return a.to_complex() == b.to_complex();
        if (a.is_double() || b.is_double()) return a.to_double() == b.to_double();
        return a.to_int() == b.to_int();
    }
    const auto is_said_equal = [](const IValue& asked, const IValue& other) {
        const auto* callable = dynamic_cast<const Callable*>(asked.object_pointer());
        return callable != nullptr && callable->is_equal(other);
    };
    // An object of a program may be equal to what is none.
    if (a.tag() != b.tag()) return (a.is_other() && is_said_equal(a, b)) || (b.is_other() && is_said_equal(b, a));
    if (a.is_same(b)) return true;
    if (a.is_other() && is_said_equal(a, b)) return true;
    switch (a.tag()) {
        case IValue::Tag::String:
            return a.to_string() == b.to_string();
        case IValue::Tag::List:
            return elements_equal(a.to_list().elements, b.to_list().elements);
        case IValue::Tag::Tuple:
            return elements_equal(a.to_tuple().elements, b.to_tuple().elements);
        case IValue::Tag::Dict:
            return dicts_equal(a.to_dict(), b.to_dict());
        case IValue::Tag::Other: {
            // One of the program may be equal to one that knows nothing of it.
            const RefCounted& x = *a.object_pointer();
            const RefCounted& y = *b.object_pointer();
            return typeid(x) != typeid(y) && is_said_equal(b, a);
        }
        case IValue::Tag::Enum:
            return a.to_enum().type->equals(*b.to_enum().type) && a.to_enum().name == b.to_enum().name;
        default:
            return false;
    }
}

bool is_instance(const IValue& value, const Type& type) {
    switch (type.kind()) {
        case TypeKind::Any:
            return true;
        case TypeKind::Optional:
            return value.is_none() || is_instance(value, *type.element());
        case TypeKind::Union:
            return std::any_of(type.contained().begin(), type.contained().end(),
                               [&](const TypePtr& t) { return is_instance(value, *t); });
        case TypeKind::List:
            return value.is_list() && list_is_instance(value.to_list(), *type.element());
        case TypeKind::Dict:
            return value.is_dict() && dict_is_instance(value.to_dict(), type);
        case TypeKind::Tuple:
            return value.is_tuple() && tuple_is_instance(value.to_tuple(), type);
        case TypeKind::Tensor:
            return value.is_tensor() && tensor_is_instance(value, *type.as<TensorType>());
        case TypeKind::Future:
            return value.is_future() && is_instance(value.to_future().value, *type.element());
        case TypeKind::Capsule:
        case TypeKind::Generator:
        case TypeKind::Storage:
        case TypeKind::Function:
            return value.is_other();
        default:
            return type_of(value)->is_subtype_of(type);
    }
}

bool Callable::is_equal(const IValue& other) const { return other.is_other() && other.object_pointer() == this; }
std::size_t Callable::hash() const { return std::hash<const void*>{}(this); }

void visit_tensors(const IValue& value, const std::function<void(const Tensor&)>& visit) {
    if (value.is_tensor()) {
        visit(value.to_tensor());
    } else if (value.is_list()) {
        for (const auto& element : value.to_list().elements) visit_tensors(element, visit);
    } else if (value.is_tuple()) {
        for (const auto& element : value.to_tuple().elements) visit_tensors(element, visit);
    } else if (value.is_dict()) {
        for (const auto& [key, element] : value.to_dict().entries()) visit_tensors(element, visit);
    }
}

// Equal numbers hash alike whatever their type, as in Python.
std::size_t DictObject::KeyHash::operator()(const IValue& key) const { return hash_value(key); }

void detail::let_go(std::vector<IValue>& elements) {
    constexpr int kDeepest = 50;  // below it recursion is fast and safe
    thread_local int depth = 0;
    thread_local std::vector<std::vector<IValue>> waiting;
    if (elements.empty()) return;
    if (depth == kDeepest) {
        waiting.push_back(std::move(elements));
        return;
    }
    ++depth;
    elements.clear();
    --depth;
    while (depth == 0 && !waiting.empty()) {
        std::vector<IValue> next = std::move(waiting.back());
        waiting.pop_back();
        ++depth;
        next.clear();
        --depth;
    }
}

DictObject::~DictObject() {
    index_.clear();
    std::vector<IValue> values;
    values.reserve(2 * entries_.size());
    for (Entry& entry : entries_) {
        values.push_back(std::move(entry.first));
        values.push_back(std::move(entry.second));
    }
    detail::let_go(values);
}

const IValue* DictObject::find(const IValue& key) const {
    const auto found = index_.find(key);
    return found == index_.end() ? nullptr : &entries_[found->second].second;
}

void DictObject::set(IValue key, IValue value) {
    const auto [at, is_new] = index_.try_emplace(key, entries_.size());
    if (is_new) {
        entries_.emplace_back(std::move(key), std::move(value));
    } else {
        entries_[at->second].second = std::move(value);
    }
}

bool DictObject::erase(const IValue& key) {
    const auto found = index_.find(key);
    if (found == index_.end()) return false;
    const std::size_t position = found->second;
    index_.erase(found);
    entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(position));
    for (auto& [other, index] : index_) {
        if (index > position) --index;
    }
    return true;
}

void DictObject::clear() {
    entries_.clear();
    index_.clear();
}

const IValue& Object::attribute(std::string_view name) const {
    const auto slot = type_->find_attribute(name);
    if (!slot || *slot >= slots_.size()) {
        throw Error(ErrorKind::Run, concat("'", type_->name(), "' object has no attribute '", name, "'"));
    }
    return slots_[*slot];
}

void Object::set_attribute(std::string_view name, IValue value) {
    const auto slot = type_->find_attribute(name);
    if (!slot) throw Error(ErrorKind::Run, concat("'", type_->name(), "' object has no attribute '", name, "'"));
    set_slot(*slot, std::move(value));
}

}  // namespace loupe
