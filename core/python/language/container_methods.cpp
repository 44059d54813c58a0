// SPDX-License-Identifier: Apache-2.0
// Methods of list, tuple, dict, set.
#include <algorithm>

#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/key_lookup.h"
#include "core/python/language/sorting.h"

namespace loupe::python {
namespace {

std::vector<IValue>& elements_of(const CallArguments& a) {
    if (a.positional.empty() || !a.positional[0].is_list()) throw_type_error("a method of list needs a list");
    return a.positional[0].to_list().elements;
}
DictObject& dict_of(const CallArguments& a) {
    if (a.positional.empty() || !a.positional[0].is_dict()) throw_type_error("a method of dict needs a dict");
    return a.positional[0].to_dict();
}
SetObject& set_of(const CallArguments& a) {
    auto* set = a.positional.empty() ? nullptr : object_as<SetObject>(plain(a.positional[0]));
    if (set == nullptr) throw_type_error("a method of set needs a set");
    return *set;
}
bool same_or_equal(const IValue& a, const IValue& b) { return a.is_same(b) || equals(a, b); }

std::optional<std::size_t> position_of(const std::vector<IValue>& values, const IValue& wanted, std::size_t from = 0,
                                       std::size_t to = SIZE_MAX) {
    for (std::size_t i = from; i < values.size() && i < to; ++i) {
        const IValue value = values[i];
        if (same_or_equal(value, wanted)) return i;
    }
    return std::nullopt;
}

std::int64_t count_of(const std::vector<IValue>& values, const IValue& wanted) {
    std::int64_t count = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const IValue value = values[i];
        count += same_or_equal(value, wanted) ? 1 : 0;
    }
    return count;
}

IValue index_of(const std::vector<IValue>& values, const CallArguments& a, std::string_view type) {
    check_positional(a, "index", 2, 4);
    const std::int64_t from = a.positional.size() > 2 ? to_index(a.positional[2]) : 0;
    const std::int64_t until = a.positional.size() > 3 ? to_index(a.positional[3]) : INT64_MAX;
    const auto size = static_cast<std::int64_t>(values.size());  // after every __index__
    const auto start = static_cast<std::size_t>(std::clamp<std::int64_t>(from < 0 ? from + size : from, 0, size));
    const auto stop = static_cast<std::size_t>(std::max<std::int64_t>(until < 0 ? until + size : until, 0));
    if (const auto found = position_of(values, a.positional[1], start, stop))
        return IValue(static_cast<std::int64_t>(*found));
    throw_value_error(type == "list" ? concat(repr(a.positional[1]), " is not in list")
                                     : "tuple.index(x): x not in tuple");
}

IValue list_pop(const CallArguments& a) {
    check_positional(a, "pop", 1, 2);
    auto& values = elements_of(a);
    std::int64_t index = a.positional.size() > 1 ? to_index(a.positional[1]) : -1;
    if (values.empty()) throw_error("IndexError", "pop from empty list");
    if (index < 0) index += static_cast<std::int64_t>(values.size());
    if (index < 0 || index >= static_cast<std::int64_t>(values.size())) {
        throw_error("IndexError", "pop index out of range");
    }
    IValue value = std::move(values[static_cast<std::size_t>(index)]);
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(index));
    return value;
}

IValue list_insert(const CallArguments& a) {
    check_positional(a, "insert", 3, 3);
    auto& values = elements_of(a);
    std::int64_t index = to_index(a.positional[1]);
    const auto size = static_cast<std::int64_t>(values.size());
    index = std::clamp<std::int64_t>(index < 0 ? index + size : index, 0, size);
    values.insert(values.begin() + static_cast<std::ptrdiff_t>(index), a.positional[2]);
    return {};
}

IValue list_extend(const CallArguments& a) {
    check_positional(a, "extend", 2, 2);
    elements_of(a);
    extend_list(a.positional[0], a.positional[1]);
    return {};
}

void clear_list(const CallArguments& a) {
    std::vector<IValue> gone;  // go when the list is empty
    gone.swap(elements_of(a));
}

IValue list_remove(const CallArguments& a) {
    check_positional(a, "remove", 2, 2);
    auto& values = elements_of(a);
    const auto found = position_of(values, a.positional[1]);
    if (!found) throw_value_error("list.remove(x): x not in list");
    if (*found >= values.size()) return {};  // the comparison has shortened the list
    const IValue gone = values[*found];
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(*found));
    return {};
}

IValue list_sort(CallArguments& a) {
    const BoundArguments given(a, "sort", {"self", "*", "key=", "reverse="});
    auto& values = given[0].to_list().elements;
    std::vector<IValue> taken;
    taken.swap(values);
    try {
        taken = sorted_values(taken, given.value_or(1, {}), given.truth_or(2, false));
    } catch (...) {
        given[0].to_list().elements.swap(taken);
        throw;
    }
    const bool has_changed = given[0].to_list().elements.capacity() != 0;
    given[0].to_list().elements.swap(taken);
    if (has_changed) throw_value_error("list modified during sort");
    return {};
}

void fill_dict(DictObject& dict, const CallArguments& a, std::string_view method) {
    if (a.positional.size() > 2) {
        throw_type_error(concat(method, " expected at most 1 argument, got ", a.positional.size() - 1));
    }
    if (a.positional.size() == 2) update_dict(dict, a.positional[1]);
    for (const auto& [name, value] : a.keywords) set_key(dict, IValue(name), value);
}

// Keeps the class of a derived dict.
IValue copy_dict(const CallArguments& a) {
    const DictObject& dict = dict_of(a);
    auto out = make_ptr<DictObject>(dict.key_type, dict.value_type);
    if (const ContainerClass* mark = container_class(dict)) {
        auto copied = make_ptr<ContainerClass>(mark->cls);
        copied->attributes = mark->attributes;
        out->value_type = copied;
    }
    const auto entries = dict.entries();
    for (const auto& [key, value] : entries) set_key(*out, key, value);
    return IValue(out);
}

IValue dict_pop(const CallArguments& a) {
    check_positional(a, "pop", 2, 3);
    check_hashable(a.positional[1]);
    DictObject& dict = dict_of(a);
    if (auto value = take_key(dict, a.positional[1])) return std::move(*value);
    if (a.positional.size() == 3) return a.positional[2];
    throw_key_error(a.positional[1]);
}

IValue dict_popitem(const CallArguments& a) {
    DictObject& dict = dict_of(a);
    const auto last = take_last(dict);
    if (!last) throw_error("KeyError", "popitem(): dictionary is empty");
    return make_tuple({last->first, last->second});
}

// Other sets may be any iterables.
template <typename Combine>
IValue combined(const CallArguments& a, Combine combine) {
    IValue out = IValue::other(make_set(a.positional.at(0), set_of(a).is_frozen));
    for (std::size_t i = 1; i < a.positional.size(); ++i) {
        out = combine(out, IValue::other(make_set(a.positional[i])));
    }
    return out;
}

void clear_set(SetObject& set) {
    const auto gone = set.values();  // go when the set is empty
    set.clear();
}

void difference_update(SetObject& set, const IValue& other) {
    if (const auto* given = object_as<SetObject>(plain(other))) {
        for (const IValue& value : given->values()) set.discard(value);
        return;
    }
    for_each(other, [&](const IValue& value) {
        set.discard(value);
        return true;
    });
}

// The set is as it was when one of the others raises.
void intersection_update(const CallArguments& a) {
    const IValue common =
        combined(a, [](const IValue& x, const IValue& y) { return *set_binary(OperatorKind::BitAnd, x, y); });
    for (const IValue& value : set_of(a).values()) {
        if (!object_as<SetObject>(common)->has(value)) set_of(a).discard(value);
    }
}

void symmetric_difference_update(const CallArguments& a) {
    check_positional(a, "symmetric_difference_update", 2, 2);
    for (const IValue& value : make_set(a.positional[1])->values()) {
        if (!set_of(a).discard(value)) set_of(a).add(value);
    }
}

void define_set_operators(ClassObject& cls) {
    const auto by = [&](std::string_view name, OperatorKind op) {
        cls.define(name, [op](CallArguments a) {
            set_of(a);
            return combined(a, [op](const IValue& x, const IValue& y) { return *set_binary(op, x, y); });
        });
    };
    by("union", OperatorKind::BitOr);
    by("intersection", OperatorKind::BitAnd);
    by("difference", OperatorKind::Sub);
    by("symmetric_difference", OperatorKind::BitXor);
    const auto test = [&](std::string_view name, OperatorKind op) {
        cls.define(name, [op, name = std::string(name)](CallArguments a) {
            check_positional(a, name, 2, 2);
            set_of(a);
            return *set_binary(op, plain(a.positional[0]), IValue::other(make_set(a.positional[1])));
        });
    };
    test("issubset", OperatorKind::Le);
    test("issuperset", OperatorKind::Ge);
    cls.define("isdisjoint", [](CallArguments a) {
        check_positional(a, "isdisjoint", 2, 2);
        bool is_disjoint = true;
        for_each(a.positional[1], [&](const IValue& value) { return is_disjoint = !set_of(a).has(value); });
        return IValue(is_disjoint);
    });
    cls.define("copy",
               [](CallArguments a) { return IValue::other(make_set(a.positional.at(0), set_of(a).is_frozen)); });
}

}  // namespace

void define_list_methods(ClassObject& cls) {
    cls.define("append", [](CallArguments a) -> IValue {
        check_positional(a, "list.append", 2, 2);
        elements_of(a).push_back(std::move(a.positional[1]));
        return {};
    });
    cls.define("pop", [](CallArguments a) { return list_pop(a); });
    cls.define("insert", [](CallArguments a) { return list_insert(a); });
    cls.define("extend", [](CallArguments a) { return list_extend(a); });
    cls.define("remove", [](CallArguments a) { return list_remove(a); });
    cls.define("sort", [](CallArguments a) { return list_sort(a); });
    cls.define("reverse", [](CallArguments a) -> IValue {
        std::reverse(elements_of(a).begin(), elements_of(a).end());
        return {};
    });
    cls.define("clear", [](CallArguments a) -> IValue {
        clear_list(a);
        return {};
    });
    cls.define("copy", [](CallArguments a) { return make_list(elements_of(a)); });
    cls.define("index", [](CallArguments a) { return index_of(elements_of(a), a, "list"); });
    cls.define("count", [](CallArguments a) {
        check_positional(a, "count", 2, 2);
        return IValue(count_of(elements_of(a), a.positional[1]));
    });
    cls.define("__init__", [](CallArguments a) -> IValue {
        check_positional(a, "list", 1, 2);
        clear_list(a);
        if (a.positional.size() > 1) list_extend(a);
        return {};
    });
}

void define_tuple_methods(ClassObject& cls) {
    const auto values = [](const CallArguments& a) -> const std::vector<IValue>& {
        if (a.positional.empty() || !a.positional[0].is_tuple()) throw_type_error("a method of tuple needs a tuple");
        return a.positional[0].to_tuple().elements;
    };
    cls.define("index", [values](CallArguments a) { return index_of(values(a), a, "tuple"); });
    cls.define("count", [values](CallArguments a) {
        check_positional(a, "count", 2, 2);
        return IValue(count_of(values(a), a.positional[1]));
    });
}

void define_dict_methods(ClassObject& cls) {
    cls.define("get", [](CallArguments a) {
        check_positional(a, "get", 2, 3);
        check_hashable(a.positional[1]);
        if (const IValue* found = find_key(dict_of(a), a.positional[1])) return *found;
        return a.positional.size() == 3 ? a.positional[2] : IValue();
    });
    for (const auto& [name, kind] :
         {std::pair{"keys", DictView::Kind::Keys}, std::pair{"values", DictView::Kind::Values},
          std::pair{"items", DictView::Kind::Items}}) {
        cls.define(name, [kind = kind](CallArguments a) {
            return IValue::other(make_ptr<DictView>(Ptr<DictObject>(&dict_of(a)), kind));
        });
    }
    cls.define("pop", [](CallArguments a) { return dict_pop(a); });
    cls.define("popitem", [](CallArguments a) { return dict_popitem(a); });
    cls.define("setdefault", [](CallArguments a) {
        check_positional(a, "setdefault", 2, 3);
        check_hashable(a.positional[1]);
        return find_or_set(dict_of(a), a.positional[1], a.positional.size() == 3 ? a.positional[2] : IValue());
    });
    cls.define("update", [](CallArguments a) -> IValue {
        fill_dict(dict_of(a), a, "update");
        return {};
    });
    cls.define("__init__", [](CallArguments a) -> IValue {
        fill_dict(dict_of(a), a, "dict");
        return {};
    });
    cls.define("clear", [](CallArguments a) -> IValue {
        const auto gone = dict_of(a).entries();  // go when the dict is empty
        dict_of(a).clear();
        return {};
    });
    cls.define("copy", [](CallArguments a) { return copy_dict(a); });
    cls.define_class_method("fromkeys", [](CallArguments a) {
        check_positional(a, "fromkeys", 2, 3);
        IValue out = call(a.positional[0], CallArguments{});
        const IValue value = a.positional.size() == 3 ? a.positional[2] : IValue();
        for_each(a.positional[1], [&](const IValue& key) {
            set_item(out, key, value);
            return true;
        });
        return out;
    });
}

void define_set_methods(ClassObject& cls) {
    define_set_operators(cls);
    if (cls.name() == "frozenset") return;
    cls.define("__init__", [](CallArguments a) -> IValue {
        check_positional(a, "set", 1, 2);
        clear_set(set_of(a));
        if (a.positional.size() == 2) update_set(set_of(a), a.positional[1]);
        return {};
    });
    cls.define("add", [](CallArguments a) -> IValue {
        check_positional(a, "add", 2, 2);
        set_of(a).add(a.positional[1]);
        return {};
    });
    cls.define("discard", [](CallArguments a) -> IValue {
        check_positional(a, "discard", 2, 2);
        set_of(a).discard(a.positional[1]);
        return {};
    });
    cls.define("remove", [](CallArguments a) -> IValue {
        check_positional(a, "remove", 2, 2);
        if (!set_of(a).discard(a.positional[1])) throw_key_error(a.positional[1]);
        return {};
    });
    cls.define("pop", [](CallArguments a) {
        const auto values = set_of(a).values();
        if (values.empty()) throw_error("KeyError", "pop from an empty set");
        set_of(a).discard(values.front());
        return values.front();
    });
    cls.define("clear", [](CallArguments a) -> IValue {
        clear_set(set_of(a));
        return {};
    });
    cls.define("update", [](CallArguments a) -> IValue {
        for (std::size_t i = 1; i < a.positional.size(); ++i) update_set(set_of(a), a.positional[i]);
        return {};
    });
    cls.define("intersection_update", [](CallArguments a) -> IValue {
        intersection_update(a);
        return {};
    });
    cls.define("difference_update", [](CallArguments a) -> IValue {
        for (std::size_t i = 1; i < a.positional.size(); ++i) difference_update(set_of(a), a.positional[i]);
        return {};
    });
    cls.define("symmetric_difference_update", [](CallArguments a) -> IValue {
        symmetric_difference_update(a);
        return {};
    });
}

}  // namespace loupe::python
