// SPDX-License-Identifier: Apache-2.0
// Dictionaries: aten::keys, aten::__getitem__.Dict_str and the rest of Python's dict. One kernel for all key types.

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/ops/numbers/family.h"
#include "core/ops/numbers/text.h"

namespace loupe::numbers {
namespace {

[[noreturn]] void key_error(const IValue& key) { throw Error(ErrorKind::Run, concat("KeyError: ", stream_text(key))); }

const IValue& find_or_throw(const DictObject& dict, const IValue& key) {
    const IValue* value = dict.find(key);
    if (value == nullptr) key_error(key);
    return *value;
}

void make_empty(Arguments, IValue* results) {
    results[0] = IValue(make_ptr<DictObject>(types::string(), types::tensor()));
}
void get_item(Arguments arguments, IValue* results) {
    results[0] = find_or_throw(arguments[0].to_dict(), arguments[1]);
}
void set_item(Arguments arguments, IValue*) { arguments[0].to_dict().set(arguments[1], arguments[2]); }
void contains(Arguments arguments, IValue* results) {
    results[0] = IValue(arguments[0].to_dict().find(arguments[1]) != nullptr);
}
void remove_item(Arguments arguments, IValue*) {
    if (!arguments[0].to_dict().erase(arguments[1])) key_error(arguments[1]);
}
void get(Arguments arguments, IValue* results) {
    const IValue* value = arguments[0].to_dict().find(arguments[1]);
    results[0] = value == nullptr ? IValue() : *value;
}
void get_default(Arguments arguments, IValue* results) {
    const IValue* value = arguments[0].to_dict().find(arguments[1]);
    results[0] = value == nullptr ? arguments[2] : *value;
}
void pop(Arguments arguments, IValue* results) {
    DictObject& dict = arguments[0].to_dict();
    results[0] = find_or_throw(dict, arguments[1]);
    dict.erase(arguments[1]);
}
void pop_default(Arguments arguments, IValue* results) {
    get_default(arguments, results);
    arguments[0].to_dict().erase(arguments[1]);
}
IValue pair_of(const DictObject::Entry& entry) {
    return IValue(make_ptr<TupleObject>(std::vector<IValue>{entry.first, entry.second}));
}
void pop_item(Arguments arguments, IValue* results) {
    DictObject& dict = arguments[0].to_dict();
    if (dict.size() == 0) throw Error(ErrorKind::Run, "popitem(): dictionary is empty");
    const DictObject::Entry entry = dict.entries().front();  // PyTorch's choice; Python takes the last
    results[0] = pair_of(entry);
    dict.erase(entry.first);
}
void set_default(Arguments arguments, IValue* results) {
    DictObject& dict = arguments[0].to_dict();
    const IValue* found = dict.find(arguments[1]);  // never a NaN, which is not equal to itself
    results[0] = found != nullptr ? *found : arguments[2];
    if (found == nullptr) dict.set(arguments[1], arguments[2]);
}
void update(Arguments arguments, IValue*) {
    DictObject& dict = arguments[0].to_dict();
    const std::vector<DictObject::Entry> entries = arguments[1].to_dict().entries();
    for (const auto& [key, value] : entries) dict.set(key, value);
}
void keys(Arguments arguments, IValue* results) {
    const DictObject& dict = arguments[0].to_dict();
    auto list = make_ptr<ListObject>(dict.key_type);
    for (const auto& entry : dict.entries()) list->elements.push_back(entry.first);
    results[0] = IValue(std::move(list));
}
void values(Arguments arguments, IValue* results) {
    const DictObject& dict = arguments[0].to_dict();
    auto list = make_ptr<ListObject>(dict.value_type);
    for (const auto& entry : dict.entries()) list->elements.push_back(entry.second);
    results[0] = IValue(std::move(list));
}
void items(Arguments arguments, IValue* results) {
    const DictObject& dict = arguments[0].to_dict();
    auto list = make_ptr<ListObject>(types::tuple({dict.key_type, dict.value_type}));
    for (const auto& entry : dict.entries()) list->elements.push_back(pair_of(entry));
    results[0] = IValue(std::move(list));
}
void length(Arguments arguments, IValue* results) {
    results[0] = IValue(static_cast<std::int64_t>(arguments[0].to_dict().size()));
}
void copy(Arguments arguments, IValue* results) {
    const DictObject& dict = arguments[0].to_dict();
    auto made = make_ptr<DictObject>(dict.key_type, dict.value_type);
    for (const auto& [key, value] : dict.entries()) made->set(key, value);
    results[0] = IValue(std::move(made));
}
void from_pairs(Arguments arguments, IValue* results) {
    const ListObject& pairs = arguments[0].to_list();
    const auto& contained = pairs.element_type->contained();
    const bool typed = contained.size() == 2;
    auto made = make_ptr<DictObject>(typed ? contained[0] : types::any(), typed ? contained[1] : types::any());
    for (const IValue& pair : pairs.elements) {
        const auto& elements = pair.to_tuple().elements;
        if (elements.size() != 2) throw Error(ErrorKind::Run, "dict() expects pairs of key and value");
        made->set(elements[0], elements[1]);
    }
    results[0] = IValue(std::move(made));
}
void clear(Arguments arguments, IValue*) { arguments[0].to_dict().clear(); }

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::dict() -> Dict(str, Tensor)", .summary = "An empty dictionary.", .kernel = make_empty},
    {.schema = "aten::__getitem__.Dict_str(Dict(str, t) self, str key) -> t(*)",
     .summary = "d[key]; KeyError when it is not there.",
     .kernel = get_item},
    {.schema = "aten::_set_item.str(Dict(str, t)(a!) l, str(b -> *) idx, t(c -> *) v) -> ()",
     .summary = "d[key] = value.",
     .kernel = set_item},
    {.schema = "aten::__contains__.str(Dict(str, t) dict, str key) -> bool",
     .summary = "key in d.",
     .kernel = contains},
    {.schema = "aten::Delete.Dict_str(Dict(str, t)(a!) self, str key) -> ()",
     .summary = "del d[key].",
     .kernel = remove_item},
    {.schema = "aten::get.str(Dict(str, t) self, str key) -> t(*)?",
     .summary = "d.get(key): the value or None.",
     .kernel = get},
    {.schema = "aten::get.default_str(Dict(str, t) self, str key, t default_value) -> t(*)",
     .summary = "d.get(key, default).",
     .kernel = get_default},
    {.schema = "aten::pop.Dict_str(Dict(str, t)(a!) self, str key) -> t(*)", .summary = "d.pop(key).", .kernel = pop},
    {.schema = "aten::pop.Dict_default_str(Dict(str, t)(a!) self, str key, t default_value) -> t(*)",
     .summary = "d.pop(key, default).",
     .kernel = pop_default},
    {.schema = "aten::popitem.str(Dict(str, t)(a!) self) -> ((str, t))",
     .summary = "d.popitem(): takes out one item.",
     .kernel = pop_item},
    {.schema = "aten::setdefault.str(Dict(str, t)(a!) self, str(b -> *) key, t(c -> *) default_value) -> t(*)",
     .summary = "d.setdefault(key, default).",
     .kernel = set_default},
    {.schema = "aten::update.str(Dict(str, t)(a!) self, Dict(str, t)(a!) to_add) -> ()",
     .summary = "d.update(other).",
     .kernel = update},
    {.schema = "aten::keys.str(Dict(str, t) self) -> str[](*)",
     .summary = "The keys, in order of insertion.",
     .kernel = keys},
    {.schema = "aten::values.str(Dict(str, t) self) -> t[](*)",
     .summary = "The values, in order of insertion.",
     .kernel = values},
    {.schema = "aten::items.str(Dict(str, t) self) -> ((str, t)[])",
     .summary = "Pairs of key and value, in order of insertion.",
     .kernel = items},
    {.schema = "aten::len.Dict_str(Dict(str, t) self) -> int", .summary = "How many items it has.", .kernel = length},
    {.schema = "aten::copy.Dict_str(Dict(str, t)(a) self) -> Dict(str, t)",
     .summary = "A copy; the values are shared.",
     .kernel = copy},
    {.schema = "aten::dict.Dict_str(Dict(str, t)(a) self) -> Dict(str, t)",
     .summary = "A copy; the values are shared.",
     .kernel = copy},
    {.schema = "aten::dict.str((str, tVal)[] inputs) -> Dict(str, tVal)",
     .summary = "A dictionary of pairs.",
     .kernel = from_pairs},
    {.schema = "aten::clear.str(Dict(str, t)(a!) self) -> ()", .summary = "Takes out all items.", .kernel = clear},
    {.schema = "aten::__getitem__.Dict_int(Dict(int, t) self, int key) -> t(*)",
     .summary = "d[key]; KeyError when it is not there.",
     .kernel = get_item},
    {.schema = "aten::_set_item.int(Dict(int, t)(a!) l, int(b -> *) idx, t(c -> *) v) -> ()",
     .summary = "d[key] = value.",
     .kernel = set_item},
    {.schema = "aten::__contains__.int(Dict(int, t) dict, int key) -> bool",
     .summary = "key in d.",
     .kernel = contains},
    {.schema = "aten::Delete.Dict_int(Dict(int, t)(a!) self, int key) -> ()",
     .summary = "del d[key].",
     .kernel = remove_item},
    {.schema = "aten::get.int(Dict(int, t) self, int key) -> t(*)?",
     .summary = "d.get(key): the value or None.",
     .kernel = get},
    {.schema = "aten::get.default_int(Dict(int, t) self, int key, t default_value) -> t(*)",
     .summary = "d.get(key, default).",
     .kernel = get_default},
    {.schema = "aten::pop.Dict_int(Dict(int, t)(a!) self, int key) -> t(*)", .summary = "d.pop(key).", .kernel = pop},
    {.schema = "aten::pop.Dict_default_int(Dict(int, t)(a!) self, int key, t default_value) -> t(*)",
     .summary = "d.pop(key, default).",
     .kernel = pop_default},
    {.schema = "aten::popitem.int(Dict(int, t)(a!) self) -> ((int, t))",
     .summary = "d.popitem(): takes out one item.",
     .kernel = pop_item},
    {.schema = "aten::setdefault.int(Dict(int, t)(a!) self, int(b -> *) key, t(c -> *) default_value) -> t(*)",
     .summary = "d.setdefault(key, default).",
     .kernel = set_default},
    {.schema = "aten::update.int(Dict(int, t)(a!) self, Dict(int, t)(a!) to_add) -> ()",
     .summary = "d.update(other).",
     .kernel = update},
    {.schema = "aten::keys.int(Dict(int, t) self) -> int[](*)",
     .summary = "The keys, in order of insertion.",
     .kernel = keys},
    {.schema = "aten::values.int(Dict(int, t) self) -> t[](*)",
     .summary = "The values, in order of insertion.",
     .kernel = values},
    {.schema = "aten::items.int(Dict(int, t) self) -> ((int, t)[])",
     .summary = "Pairs of key and value, in order of insertion.",
     .kernel = items},
    {.schema = "aten::len.Dict_int(Dict(int, t) self) -> int", .summary = "How many items it has.", .kernel = length},
    {.schema = "aten::copy.Dict_int(Dict(int, t)(a) self) -> Dict(int, t)",
     .summary = "A copy; the values are shared.",
     .kernel = copy},
    {.schema = "aten::dict.Dict_int(Dict(int, t)(a) self) -> Dict(int, t)",
     .summary = "A copy; the values are shared.",
     .kernel = copy},
    {.schema = "aten::dict.int((int, tVal)[] inputs) -> Dict(int, tVal)",
     .summary = "A dictionary of pairs.",
     .kernel = from_pairs},
    {.schema = "aten::clear.int(Dict(int, t)(a!) self) -> ()", .summary = "Takes out all items.", .kernel = clear},
    {.schema = "aten::__getitem__.Dict_bool(Dict(bool, t) self, bool key) -> t(*)",
     .summary = "d[key]; KeyError when it is not there.",
     .kernel = get_item},
    {.schema = "aten::_set_item.bool(Dict(bool, t)(a!) l, bool(b -> *) idx, t(c -> *) v) -> ()",
     .summary = "d[key] = value.",
     .kernel = set_item},
    {.schema = "aten::__contains__.bool(Dict(bool, t) dict, bool key) -> bool",
     .summary = "key in d.",
     .kernel = contains},
    {.schema = "aten::Delete.Dict_bool(Dict(bool, t)(a!) self, bool key) -> ()",
     .summary = "del d[key].",
     .kernel = remove_item},
    {.schema = "aten::get.bool(Dict(bool, t) self, bool key) -> t(*)?",
     .summary = "d.get(key): the value or None.",
     .kernel = get},
    {.schema = "aten::get.default_bool(Dict(bool, t) self, bool key, t default_value) -> t(*)",
     .summary = "d.get(key, default).",
     .kernel = get_default},
    {.schema = "aten::pop.Dict_bool(Dict(bool, t)(a!) self, bool key) -> t(*)",
     .summary = "d.pop(key).",
     .kernel = pop},
    {.schema = "aten::pop.Dict_default_bool(Dict(bool, t)(a!) self, bool key, t default_value) -> t(*)",
     .summary = "d.pop(key, default).",
     .kernel = pop_default},
    {.schema = "aten::popitem.bool(Dict(bool, t)(a!) self) -> ((bool, t))",
     .summary = "d.popitem(): takes out one item.",
     .kernel = pop_item},
    {.schema = "aten::setdefault.bool(Dict(bool, t)(a!) self, bool(b -> *) key, t(c -> *) default_value) -> t(*)",
     .summary = "d.setdefault(key, default).",
     .kernel = set_default},
    {.schema = "aten::update.bool(Dict(bool, t)(a!) self, Dict(bool, t)(a!) to_add) -> ()",
     .summary = "d.update(other).",
     .kernel = update},
    {.schema = "aten::keys.bool(Dict(bool, t) self) -> bool[](*)",
     .summary = "The keys, in order of insertion.",
     .kernel = keys},
    {.schema = "aten::values.bool(Dict(bool, t) self) -> t[](*)",
     .summary = "The values, in order of insertion.",
     .kernel = values},
    {.schema = "aten::items.bool(Dict(bool, t) self) -> ((bool, t)[])",
     .summary = "Pairs of key and value, in order of insertion.",
     .kernel = items},
    {.schema = "aten::len.Dict_bool(Dict(bool, t) self) -> int", .summary = "How many items it has.", .kernel = length},
    {.schema = "aten::copy.Dict_bool(Dict(bool, t)(a) self) -> Dict(bool, t)",
     .summary = "A copy; the values are shared.",
     .kernel = copy},
    {.schema = "aten::dict.Dict_bool(Dict(bool, t)(a) self) -> Dict(bool, t)",
     .summary = "A copy; the values are shared.",
     .kernel = copy},
    {.schema = "aten::dict.bool((bool, tVal)[] inputs) -> Dict(bool, tVal)",
     .summary = "A dictionary of pairs.",
     .kernel = from_pairs},
    {.schema = "aten::clear.bool(Dict(bool, t)(a!) self) -> ()", .summary = "Takes out all items.", .kernel = clear},
    {.schema = "aten::__getitem__.Dict_float(Dict(float, t) self, float key) -> t(*)",
     .summary = "d[key]; KeyError when it is not there.",
     .kernel = get_item},
    {.schema = "aten::_set_item.float(Dict(float, t)(a!) l, float(b -> *) idx, t(c -> *) v) -> ()",
     .summary = "d[key] = value.",
     .kernel = set_item},
    {.schema = "aten::__contains__.float(Dict(float, t) dict, float key) -> bool",
     .summary = "key in d.",
     .kernel = contains},
    {.schema = "aten::Delete.Dict_float(Dict(float, t)(a!) self, float key) -> ()",
     .summary = "del d[key].",
     .kernel = remove_item},
    {.schema = "aten::get.float(Dict(float, t) self, float key) -> t(*)?",
     .summary = "d.get(key): the value or None.",
     .kernel = get},
    {.schema = "aten::get.default_float(Dict(float, t) self, float key, t default_value) -> t(*)",
     .summary = "d.get(key, default).",
     .kernel = get_default},
    {.schema = "aten::pop.Dict_float(Dict(float, t)(a!) self, float key) -> t(*)",
     .summary = "d.pop(key).",
     .kernel = pop},
    {.schema = "aten::pop.Dict_default_float(Dict(float, t)(a!) self, float key, t default_value) -> t(*)",
     .summary = "d.pop(key, default).",
     .kernel = pop_default},
    {.schema = "aten::popitem.float(Dict(float, t)(a!) self) -> ((float, t))",
     .summary = "d.popitem(): takes out one item.",
     .kernel = pop_item},
    {.schema = "aten::setdefault.float(Dict(float, t)(a!) self, float(b -> *) key, t(c -> *) default_value) -> t(*)",
     .summary = "d.setdefault(key, default).",
     .kernel = set_default},
    {.schema = "aten::update.float(Dict(float, t)(a!) self, Dict(float, t)(a!) to_add) -> ()",
     .summary = "d.update(other).",
     .kernel = update},
    {.schema = "aten::keys.float(Dict(float, t) self) -> float[](*)",
     .summary = "The keys, in order of insertion.",
     .kernel = keys},
    {.schema = "aten::values.float(Dict(float, t) self) -> t[](*)",
     .summary = "The values, in order of insertion.",
     .kernel = values},
    {.schema = "aten::items.float(Dict(float, t) self) -> ((float, t)[])",
     .summary = "Pairs of key and value, in order of insertion.",
     .kernel = items},
    {.schema = "aten::len.Dict_float(Dict(float, t) self) -> int",
     .summary = "How many items it has.",
     .kernel = length},
    {.schema = "aten::copy.Dict_float(Dict(float, t)(a) self) -> Dict(float, t)",
     .summary = "A copy; the values are shared.",
     .kernel = copy},
    {.schema = "aten::dict.Dict_float(Dict(float, t)(a) self) -> Dict(float, t)",
     .summary = "A copy; the values are shared.",
     .kernel = copy},
    {.schema = "aten::dict.float((float, tVal)[] inputs) -> Dict(float, tVal)",
     .summary = "A dictionary of pairs.",
     .kernel = from_pairs},
    {.schema = "aten::clear.float(Dict(float, t)(a!) self) -> ()", .summary = "Takes out all items.", .kernel = clear},
    {.schema = "aten::__getitem__.Dict_complex(Dict(complex, t) self, complex key) -> t(*)",
     .summary = "d[key]; KeyError when it is not there.",
     .kernel = get_item},
    {.schema = "aten::_set_item.complex(Dict(complex, t)(a!) l, complex(b -> *) idx, t(c -> *) v) -> ()",
     .summary = "d[key] = value.",
     .kernel = set_item},
    {.schema = "aten::__contains__.complex(Dict(complex, t) dict, complex key) -> bool",
     .summary = "key in d.",
     .kernel = contains},
    {.schema = "aten::Delete.Dict_complex(Dict(complex, t)(a!) self, complex key) -> ()",
     .summary = "del d[key].",
     .kernel = remove_item},
    {.schema = "aten::get.complex(Dict(complex, t) self, complex key) -> t(*)?",
     .summary = "d.get(key): the value or None.",
     .kernel = get},
    {.schema = "aten::get.default_complex(Dict(complex, t) self, complex key, t default_value) -> t(*)",
     .summary = "d.get(key, default).",
     .kernel = get_default},
    {.schema = "aten::pop.Dict_complex(Dict(complex, t)(a!) self, complex key) -> t(*)",
     .summary = "d.pop(key).",
     .kernel = pop},
    {.schema = "aten::pop.Dict_default_complex(Dict(complex, t)(a!) self, complex key, t default_value) -> t(*)",
     .summary = "d.pop(key, default).",
     .kernel = pop_default},
    {.schema = "aten::popitem.complex(Dict(complex, t)(a!) self) -> ((complex, t))",
     .summary = "d.popitem(): takes out one item.",
     .kernel = pop_item},
    {.schema =
         "aten::setdefault.complex(Dict(complex, t)(a!) self, complex(b -> *) key, t(c -> *) default_value) -> t(*)",
     .summary = "d.setdefault(key, default).",
     .kernel = set_default},
    {.schema = "aten::update.complex(Dict(complex, t)(a!) self, Dict(complex, t)(a!) to_add) -> ()",
     .summary = "d.update(other).",
     .kernel = update},
    {.schema = "aten::keys.complex(Dict(complex, t) self) -> complex[](*)",
     .summary = "The keys, in order of insertion.",
     .kernel = keys},
    {.schema = "aten::values.complex(Dict(complex, t) self) -> t[](*)",
     .summary = "The values, in order of insertion.",
     .kernel = values},
    {.schema = "aten::items.complex(Dict(complex, t) self) -> ((complex, t)[])",
     .summary = "Pairs of key and value, in order of insertion.",
     .kernel = items},
    {.schema = "aten::len.Dict_complex(Dict(complex, t) self) -> int",
     .summary = "How many items it has.",
     .kernel = length},
    {.schema = "aten::copy.Dict_complex(Dict(complex, t)(a) self) -> Dict(complex, t)",
     .summary = "A copy; the values are shared.",
     .kernel = copy},
    {.schema = "aten::dict.Dict_complex(Dict(complex, t)(a) self) -> Dict(complex, t)",
     .summary = "A copy; the values are shared.",
     .kernel = copy},
    {.schema = "aten::dict.complex((complex, tVal)[] inputs) -> Dict(complex, tVal)",
     .summary = "A dictionary of pairs.",
     .kernel = from_pairs},
    {.schema = "aten::clear.complex(Dict(complex, t)(a!) self) -> ()",
     .summary = "Takes out all items.",
     .kernel = clear},
    {.schema = "aten::__getitem__.Dict_Tensor(Dict(Tensor, t) self, Tensor key) -> t(*)",
     .summary = "d[key]; KeyError when it is not there.",
     .kernel = get_item,
     .placement = Placement::Anywhere},
    {.schema = "aten::_set_item.Tensor(Dict(Tensor, t)(a!) l, Tensor(b -> *) idx, t(c -> *) v) -> ()",
     .summary = "d[key] = value.",
     .kernel = set_item,
     .placement = Placement::Anywhere},
    {.schema = "aten::__contains__.Tensor(Dict(Tensor, t) dict, Tensor key) -> bool",
     .summary = "key in d.",
     .kernel = contains,
     .placement = Placement::Anywhere},
    {.schema = "aten::Delete.Dict_Tensor(Dict(Tensor, t)(a!) self, Tensor key) -> ()",
     .summary = "del d[key].",
     .kernel = remove_item,
     .placement = Placement::Anywhere},
    {.schema = "aten::get.Tensor(Dict(Tensor, t) self, Tensor key) -> t(*)?",
     .summary = "d.get(key): the value or None.",
     .kernel = get,
     .placement = Placement::Anywhere},
    {.schema = "aten::get.default_Tensor(Dict(Tensor, t) self, Tensor key, t default_value) -> t(*)",
     .summary = "d.get(key, default).",
     .kernel = get_default,
     .placement = Placement::Anywhere},
    {.schema = "aten::pop.Dict_Tensor(Dict(Tensor, t)(a!) self, Tensor key) -> t(*)",
     .summary = "d.pop(key).",
     .kernel = pop,
     .placement = Placement::Anywhere},
    {.schema = "aten::pop.Dict_default_Tensor(Dict(Tensor, t)(a!) self, Tensor key, t default_value) -> t(*)",
     .summary = "d.pop(key, default).",
     .kernel = pop_default,
     .placement = Placement::Anywhere},
    {.schema = "aten::popitem.Tensor(Dict(Tensor, t)(a!) self) -> ((Tensor, t))",
     .summary = "d.popitem(): takes out one item.",
     .kernel = pop_item},
    {.schema = "aten::setdefault.Tensor(Dict(Tensor, t)(a!) self, Tensor(b -> *) key, t(c -> *) default_value) -> t(*)",
     .summary = "d.setdefault(key, default).",
     .kernel = set_default,
     .placement = Placement::Anywhere},
    {.schema = "aten::update.Tensor(Dict(Tensor, t)(a!) self, Dict(Tensor, t)(a!) to_add) -> ()",
     .summary = "d.update(other).",
     .kernel = update},
    {.schema = "aten::keys.Tensor(Dict(Tensor, t) self) -> Tensor[](*)",
     .summary = "The keys, in order of insertion.",
     .kernel = keys},
    {.schema = "aten::values.Tensor(Dict(Tensor, t) self) -> t[](*)",
     .summary = "The values, in order of insertion.",
     .kernel = values},
    {.schema = "aten::items.Tensor(Dict(Tensor, t) self) -> ((Tensor, t)[])",
     .summary = "Pairs of key and value, in order of insertion.",
     .kernel = items},
    {.schema = "aten::len.Dict_Tensor(Dict(Tensor, t) self) -> int",
     .summary = "How many items it has.",
     .kernel = length},
    {.schema = "aten::copy.Dict_Tensor(Dict(Tensor, t)(a) self) -> Dict(Tensor, t)",
     .summary = "A copy; the values are shared.",
     .kernel = copy},
    {.schema = "aten::dict.Dict_Tensor(Dict(Tensor, t)(a) self) -> Dict(Tensor, t)",
     .summary = "A copy; the values are shared.",
     .kernel = copy},
    {.schema = "aten::dict.Tensor((Tensor, tVal)[] inputs) -> Dict(Tensor, tVal)",
     .summary = "A dictionary of pairs.",
     .kernel = from_pairs},
    {.schema = "aten::clear.Tensor(Dict(Tensor, t)(a!) self) -> ()",
     .summary = "Takes out all items.",
     .kernel = clear},
};

}  // namespace

std::span<const OperatorRecord> dict_records() { return kRecords; }

}  // namespace loupe::numbers
