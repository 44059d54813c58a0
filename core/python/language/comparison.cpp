// SPDX-License-Identifier: Apache-2.0
// ==, <, in, hash, truth.
#include <algorithm>
#include <cmath>

#include "core/base/scoped_value.h"
#include "core/base/strings.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/foreign_type.h"
#include "core/python/language/frame.h"
#include "core/python/language/key_lookup.h"
#include "core/value/hash.h"

namespace loupe::python {
namespace {

const std::vector<IValue>* sequence_of(const IValue& value) {
    if (value.is_list()) return &value.to_list().elements;
    if (value.is_tuple()) return &value.to_tuple().elements;
    return nullptr;
}

bool elements_equal(const std::vector<IValue>& a, const std::vector<IValue>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
        const IValue x = a[i];
        const IValue y = b[i];
        if (!x.is_same(y) && !equals(x, y)) return false;
    }
    return true;
}

bool dicts_equal(const DictObject& a, const DictObject& b) {
    if (a.size() != b.size()) return false;
    const Ptr<DictObject> keep_a(const_cast<DictObject*>(&a));
    const Ptr<DictObject> keep_b(const_cast<DictObject*>(&b));
    for (std::size_t i = 0; i < a.size(); ++i) {  // which a comparison may change
        const auto [key, value] = a.entries()[i];
        const IValue* found = find_key(b, key);
        if (found == nullptr) return false;
        const IValue other = *found;
        if (!other.is_same(value) && !equals(value, other)) return false;
    }
    return true;
}

bool plain_equal(const IValue& a, const IValue& b) {
    if (a.is_number() && b.is_number()) return values_equal(a, b);
    if (is_big_integer(b) && a.is_double()) return integer_order(b, a.to_double()) == 0;
    if (is_big_integer(a) && b.is_double()) return integer_order(a, b.to_double()) == 0;
    if (a.tag() != b.tag()) return false;
    switch (a.tag()) {
        case IValue::Tag::List:
            return elements_equal(a.to_list().elements, b.to_list().elements);
        case IValue::Tag::Tuple:
            return elements_equal(a.to_tuple().elements, b.to_tuple().elements);
        case IValue::Tag::Dict:
            return dicts_equal(a.to_dict(), b.to_dict());
        case IValue::Tag::Other:
            if (a.is_same(b)) return true;
            if (object_as<Instance>(a) != nullptr) return false;  // its class had its say
            if (auto* object = object_as<PythonObject>(a)) return object->equals(b);
            return false;
        default:
            return values_equal(a, b);
    }
}

std::optional<bool> order_of(OperatorKind op, const auto& a, const auto& b) {
    switch (op) {
        case OperatorKind::Lt:
            return a < b;
        case OperatorKind::Gt:
            return b < a;
        case OperatorKind::Le:
            return !(b < a);
        case OperatorKind::Ge:
            return !(a < b);
        default:
            return std::nullopt;
    }
}

constexpr std::int64_t kWidest = std::int64_t{1} << 53;

// One of them, at least, has more bits than a double has.
std::optional<IValue> big_compare(OperatorKind op, const IValue& a, const IValue& b) {
    std::partial_ordering order = std::partial_ordering::unordered;
    if (is_integer(a) && is_integer(b))
        order = integer_order(a, b);
    else if (b.is_double())
        order = integer_order(a, b.to_double());
    else if (a.is_double())
        order = 0 <=> integer_order(b, a.to_double());
    else
        return std::nullopt;
    switch (op) {
        case OperatorKind::Lt:
            return order < 0;
        case OperatorKind::Gt:
            return order > 0;
        case OperatorKind::Le:
            return order <= 0;
        default:
            return order >= 0;
    }
}

std::optional<IValue> plain_compare(OperatorKind op, const IValue& a, const IValue& b) {
    if (a.is_number() && b.is_number() && !a.is_complex() && !b.is_complex()) {
        if (!a.is_double() && !b.is_double()) return order_of(op, a.to_int(), b.to_int());
        // Beyond 53 bits not every int is a double.
        const auto is_wide = [](const IValue& v) {
            return v.is_int() && (v.to_int() > kWidest || v.to_int() < -kWidest);
        };
        if (is_wide(a) || is_wide(b)) return big_compare(op, a, b);
        const double x = a.to_double();
        const double y = b.to_double();
        if (std::isnan(x) || std::isnan(y)) return false;
        return order_of(op, x, y);
    }
    if (a.is_string() && b.is_string()) return order_of(op, a.to_string(), b.to_string());
    if (is_big_integer(a) || is_big_integer(b)) return big_compare(op, a, b);
    if (a.tag() != b.tag()) return std::nullopt;
    const auto* x = sequence_of(a);
    const auto* y = sequence_of(b);
    if (x != nullptr && y != nullptr) {
        for (std::size_t i = 0; i < x->size() && i < y->size(); ++i) {
            const IValue left = (*x)[i];
            const IValue right = (*y)[i];
            if (!left.is_same(right) && !equals(left, right)) return binary(op, left, right);
        }
        return order_of(op, x->size(), y->size());
    }
    if (auto result = set_binary(op, a, b)) return result;
    const auto* bytes_a = object_as<BytesObject>(a);
    const auto* bytes_b = object_as<BytesObject>(b);
    if (bytes_a != nullptr && bytes_b != nullptr) return order_of(op, bytes_a->data, bytes_b->data);
    return std::nullopt;
}

std::optional<IValue> compared_by_method(const IValue& self, std::string_view name, const IValue& other) {
    const ClassObject* cls = dynamic_class(self);
    if (cls == nullptr) return std::nullopt;
    auto result = call_special(*cls, name, self, {other});
    if (result && is_same_object(*result, not_implemented())) return std::nullopt;
    return result;
}

}  // namespace

IValue compare(OperatorKind op, const IValue& a, const IValue& b, std::string_view method, std::string_view reflected,
               std::string_view symbol) {
    const bool is_equality = op == OperatorKind::Eq || op == OperatorKind::Ne;
    const ClassObject* left = dynamic_class(a);
    const ClassObject* right = dynamic_class(b);
    if (left != nullptr || right != nullptr) {
        const bool right_first = left != nullptr && right != nullptr && left != right && right->is_subclass_of(*left);
        if (right_first) {
            if (auto result = compared_by_method(b, reflected, a)) return std::move(*result);
        }
        if (auto result = compared_by_method(a, method, b)) return std::move(*result);
        if (!right_first) {
            if (auto result = compared_by_method(b, reflected, a)) return std::move(*result);
        }
        if (op == OperatorKind::Ne) {  // by default the opposite of ==
            if (auto result = compared_by_method(a, "__eq__", b)) return !truth(*result);
        }
    }
    if (is_foreign(a) || is_foreign(b)) {
        if (auto result = foreign_binary(op, a, b)) return std::move(*result);
    }
    const IValue& x = plain(a);
    const IValue& y = plain(b);
    if (is_equality) {
        check_stack();
        return plain_equal(x, y) == (op == OperatorKind::Eq);
    }
    check_stack();
    if (auto result = plain_compare(op, x, y)) return std::move(*result);
    throw_type_error(
        concat("'", symbol, "' not supported between instances of '", type_name(a), "' and '", type_name(b), "'"));
}

bool equals(const IValue& a, const IValue& b) {
    if (a.is_string() && b.is_string()) return a.to_string() == b.to_string();
    return truth(binary(OperatorKind::Eq, a, b));
}

bool less(const IValue& a, const IValue& b) {
    if (a.is_int() && b.is_int()) return a.to_int() < b.to_int();
    return truth(binary(OperatorKind::Lt, a, b));
}

bool contains(const IValue& container, const IValue& item) {
    if (is_foreign(container)) {
        if (const auto result = foreign_type(container).contains(container, item)) return *result;
    }
    if (const ClassObject* cls = dynamic_class(container)) {
        if (auto result = call_special(*cls, "__contains__", container, {item})) return truth(*result);
    }
    const IValue& value = plain(container);
    if (value.is_string()) {
        if (!plain(item).is_string()) {
            throw_type_error(concat("'in <string>' requires string as left operand, not ", type_name(item)));
        }
        return value.to_string().find(plain(item).to_string()) != std::string::npos;
    }
    if (const auto* bytes = object_as<BytesObject>(value)) {
        if (const auto* part = object_as<BytesObject>(plain(item)))
            return bytes->data.find(part->data) != std::string::npos;
        if (!plain(item).is_int() && !plain(item).is_bool())
            throw_type_error(concat("a bytes-like object is required, not '", type_name(item), "'"));
        const std::int64_t byte = plain(item).to_int();
        if (byte < 0 || byte > 255) throw_error("ValueError", "byte must be in range(0, 256)");
        return bytes->data.find(static_cast<char>(static_cast<unsigned char>(byte))) != std::string::npos;
    }
    if (value.is_dict()) {
        check_hashable(item);
        return find_key(value.to_dict(), item) != nullptr;
    }
    if (const auto* set = object_as<SetObject>(value)) return set->has(item);
    if (const auto* view = object_as<DictView>(value); view != nullptr && view->kind == DictView::Kind::Keys) {
        check_hashable(item);
        return find_key(*view->dict, item) != nullptr;
    }
    if (const auto* range = object_as<RangeObject>(value); range != nullptr && item.is_int()) {
        const std::int64_t offset = item.to_int() - range->start;
        return offset % range->step == 0 && offset / range->step >= 0 && offset / range->step < range->count;
    }
    if (!is_iterable(container)) {
        throw_type_error(concat("argument of type '", type_name(container), "' is not iterable"));
    }
    bool found = false;
    for_each(value, [&](const IValue& element) {
        found = element.is_same(item) || equals(element, item);
        return !found;
    });
    return found;
}

bool truth(const IValue& value) {
    switch (value.tag()) {
        case IValue::Tag::None:
            return false;
        case IValue::Tag::Bool:
            return value.to_bool();
        case IValue::Tag::Int:
            return value.to_int() != 0;
        case IValue::Tag::Double:
            return value.to_double() != 0;
        case IValue::Tag::Complex:
            return value.to_complex() != 0.0;
        case IValue::Tag::String:
            return !value.to_string().empty();
        default:
            break;
    }
    if (is_foreign(value)) {
        if (const auto result = foreign_type(value).truth(value)) return *result;
    }
    if (const ClassObject* cls = dynamic_class(value)) {
        if (auto result = call_special(*cls, "__bool__", value)) return truth(*result);
        if (auto result = call_special(*cls, "__len__", value)) return to_index(*result) != 0;
    }
    const IValue& held = plain(value);
    if (held.is_list()) return !held.to_list().elements.empty();
    if (held.is_tuple()) return !held.to_tuple().elements.empty();
    if (held.is_dict()) return held.to_dict().size() != 0;
    if (!held.is_other()) return held.is_same(value) || truth(held);
    auto* object = object_as<PythonObject>(held);
    return object == nullptr || object->truth();
}

bool Instance::truth() { return true; }

namespace {

// A lookup asks the program's __hash__ and __eq__ only between two walks through the table: a walk that needs an
// answer that is not known yet notes the question, and is done again when the program has answered.
struct Lookup {
    struct Hash {
        IValue key;
        std::size_t hash;
    };
    struct Equality {
        IValue a, b;
        bool is_equal;
    };
    std::vector<Hash> hashes;
    std::vector<Equality> equalities;
    std::optional<std::pair<IValue, IValue>> asked;  // about their equality
    bool is_by_identity = false;
};
thread_local Lookup* current_lookup = nullptr;

class LookupScope final : ScopedValue<Lookup*> {
  public:
    explicit LookupScope(Lookup* lookup) : ScopedValue(current_lookup, lookup) {}
};

// Ends a walk that needs the hash of an object in another one, as in a frozenset.
struct HashAsked {
    IValue key;
};

std::optional<std::size_t> known_hash(const IValue& key) {
    if (current_lookup == nullptr) return std::nullopt;
    for (const auto& known : current_lookup->hashes) {
        if (known.key.is_same(key)) return known.hash;
    }
    throw HashAsked{key};
}

std::optional<bool> known_equality(const IValue& a, const IValue& b) {
    if (current_lookup == nullptr) return std::nullopt;
    if (current_lookup->is_by_identity) return false;
    for (const auto& known : current_lookup->equalities) {
        const bool is_it = (known.a.is_same(a) && known.b.is_same(b)) || (known.a.is_same(b) && known.b.is_same(a));
        if (is_it) return known.is_equal;
    }
    if (!current_lookup->asked) current_lookup->asked.emplace(a, b);
    return false;
}

// Keys of which a walk may ask the program.
bool may_ask(const IValue& key) { return key.is_other() || key.is_tuple(); }

void add_hashes(Lookup& lookup, const IValue& key) {
    if (key.is_tuple()) {
        check_stack();
        for (const IValue& element : key.to_tuple().elements) add_hashes(lookup, element);
    } else if (const auto* instance = object_as<Instance>(key)) {
        lookup.hashes.push_back({key, instance->hash()});
    }
}

// Until every question has its answer: `use` is then called once, while the answers hold.
template <typename Use>
auto with_answers(const DictObject& dict, const IValue& key, Lookup& lookup, const Use& use) {
    if (current_lookup != nullptr) return use(dict.find(key));  // inside of another walk, which asks
    {
        const LookupScope outside(nullptr);
        add_hashes(lookup, key);
    }
    while (true) {
        std::optional<IValue> unhashed;
        {
            const LookupScope scope(&lookup);
            try {
                const IValue* found = dict.find(key);
                if (!lookup.asked) return use(found);
            } catch (const HashAsked& needed) {
                unhashed = needed.key;
            }
        }
        if (unhashed) {
            lookup.hashes.push_back({*unhashed, hash(*unhashed)});
            continue;
        }
        const auto [a, b] = *lookup.asked;
        lookup.asked.reset();
        // The table asks with the wanted key first; CPython asks the key that is there.
        const bool is_equal = equals(b, a);
        lookup.equalities.push_back({a, b, is_equal});
    }
}

// In one walk; nullopt when it needs the program, because of the key or of one of that hash in the dict.
std::optional<const IValue*> find_plain(const DictObject& dict, const IValue& key) {
    if (may_ask(key)) return std::nullopt;
    if (current_lookup != nullptr) return dict.find(key);  // inside of another walk, which asks
    Lookup lookup;
    const LookupScope scope(&lookup);
    const IValue* found = dict.find(key);
    return lookup.asked ? std::nullopt : std::optional(found);
}

// The entry that the found value is in.
DictObject::Entry entry_of(const DictObject& dict, const IValue* found) {
    const auto& entries = dict.entries();
    const auto offset = reinterpret_cast<const char*>(found) - reinterpret_cast<const char*>(&entries.front().second);
    return entries[static_cast<std::size_t>(offset) / sizeof(DictObject::Entry)];
}

}  // namespace

const IValue* find_key(const DictObject& dict, const IValue& key) {
    if (const auto found = find_plain(dict, key)) return *found;
    const Ptr<DictObject> keep(const_cast<DictObject*>(&dict));
    const IValue kept_key = key;
    Lookup lookup;
    return with_answers(dict, kept_key, lookup, [](const IValue* found) { return found; });
}

void set_key(DictObject& dict, IValue key, IValue value) {
    IValue replaced;  // goes when the dict is whole
    if (const auto found = find_plain(dict, key)) {
        if (*found != nullptr) replaced = **found;
        return dict.set(std::move(key), std::move(value));
    }
    const Ptr<DictObject> keep(&dict);
    Lookup lookup;
    with_answers(dict, key, lookup, [&](const IValue* found) {
        if (found != nullptr) replaced = *found;
        dict.set(key, value);  // may be asked for a hash on its way, and is called again then
    });
}

std::optional<IValue> take_key(DictObject& dict, const IValue& key) {
    std::optional<DictObject::Entry> taken;
    const Ptr<DictObject> keep(&dict);
    const IValue kept_key = key;
    const auto take = [&](const IValue* found) {
        if (found == nullptr) return;
        taken = entry_of(dict, found);
        dict.erase(kept_key);
    };
    Lookup lookup;
    if (const auto found = find_plain(dict, kept_key))
        take(*found);
    else
        with_answers(dict, kept_key, lookup, take);
    if (!taken) return std::nullopt;
    return std::move(taken->second);
}

std::optional<DictObject::Entry> take_last(DictObject& dict) {
    const Ptr<DictObject> keep(&dict);
    while (dict.size() > 0) {
        const DictObject::Entry last = dict.entries().back();
        Lookup lookup;
        lookup.is_by_identity = true;
        bool is_taken = false;
        with_answers(dict, last.first, lookup, [&](const IValue* found) {
            is_taken = found != nullptr;
            if (is_taken) dict.erase(last.first);
        });
        if (is_taken) return last;
        if (dict.size() > 0 && dict.entries().back().first.is_same(last.first)) {
            throw_error("RuntimeError", "the hash of a key has changed");
        }
    }
    return std::nullopt;
}

IValue find_or_set(DictObject& dict, const IValue& key, const IValue& value, bool* is_new) {
    const Ptr<DictObject> keep(&dict);
    const IValue kept_key = key;
    const auto use = [&](const IValue* found) {
        if (is_new != nullptr) *is_new = found == nullptr;
        if (found != nullptr) return *found;
        dict.set(kept_key, value);
        return value;
    };
    if (const auto found = find_plain(dict, kept_key)) return use(*found);
    Lookup lookup;
    return with_answers(dict, kept_key, lookup, use);
}

bool Instance::is_equal(const IValue& other) const {
    const IValue self = IValue::other(Ptr<RefCounted>(const_cast<Instance*>(this)));  // counted only
    if (self.is_same(other)) return true;
    if (const auto known = known_equality(self, other)) return *known;
    return self.is_same(other) || python::equals(self, other);
}

bool Instance::equals(const IValue& other) { return is_equal(other); }

std::size_t Instance::hash() const {
    const IValue self = IValue::other(Ptr<RefCounted>(const_cast<Instance*>(this)));
    const IValue* method = cls_->find("__hash__");
    if (method != nullptr && method->is_none()) throw_type_error(concat("unhashable type: '", cls_->name(), "'"));
    if (cls_->find_special("__hash__") != nullptr) {
        if (const auto known = known_hash(self)) return *known;
        const IValue given = *call_special(*cls_, "__hash__", self);
        if (!is_integer(plain(given))) throw_type_error("__hash__ method should return an integer");
        return is_big_integer(plain(given)) || plain(given).to_int() == -1
                   ? hash_value(plain(given))
                   : static_cast<std::size_t>(plain(given).to_int());
    }
    return payload.is_none() ? std::hash<const void*>{}(this) : python::hash(payload);
}

void check_hashable(const IValue& value) {
    switch (value.tag()) {
        case IValue::Tag::List:
        case IValue::Tag::Dict:
            throw_type_error(concat("unhashable type: '", type_name(value), "'"));
        case IValue::Tag::Tuple:
            check_stack();
            for (const IValue& element : value.to_tuple().elements) check_hashable(element);
            return;
        case IValue::Tag::Other: {
            const auto* set = object_as<SetObject>(plain(value));
            const bool is_fixed = (set == nullptr || set->is_frozen) && object_as<SliceObject>(value) == nullptr &&
                                  object_as<ByteArray>(value) == nullptr;
            if (!is_fixed) throw_type_error(concat("unhashable type: '", type_name(value), "'"));
            return;
        }
        default:
            return;
    }
}

std::size_t hash(const IValue& value) {
    check_hashable(value);
    return hash_value(value);
}

}  // namespace loupe::python
