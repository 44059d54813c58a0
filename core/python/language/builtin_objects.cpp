// SPDX-License-Identifier: Apache-2.0
// range, sets, bytes, views of dicts, the objects of typing.
#include "core/python/language/builtin_objects.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/base/strings.h"
#include "core/python/language/key_lookup.h"

namespace loupe::python {
namespace {

std::int64_t range_count(std::int64_t start, std::int64_t stop, std::int64_t step) {
    if (step == 0) throw_value_error("range() arg 3 must not be zero");
    const bool is_empty = step > 0 ? start >= stop : start <= stop;
    if (is_empty) return 0;
    const auto low = static_cast<std::uint64_t>(step > 0 ? start : stop);
    const auto high = static_cast<std::uint64_t>(step > 0 ? stop : start);
    const auto stride = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
    const std::uint64_t count = (high - low - 1) / stride + 1;
    if (count > INT64_MAX) throw_error("OverflowError", "range is too long");
    return static_cast<std::int64_t>(count);
}

// The order in which CPython's set of these ints is iterated: they lie in a table by their value.
std::optional<std::vector<IValue>> small_int_order(const std::vector<DictObject::Entry>& entries) {
    std::size_t table = 8;
    std::vector<std::optional<std::int64_t>> slots(table);
    std::size_t used = 0;
    const auto insert = [](std::vector<std::optional<std::int64_t>>& into, std::int64_t value) {
        const std::size_t mask = into.size() - 1;
        auto perturb = static_cast<std::size_t>(value);
        std::size_t at = perturb & mask;
        while (true) {
            const std::size_t probes = at + 9 <= mask ? 9 : 0;
            for (std::size_t i = 0; i <= probes; ++i) {
                if (!into[at + i]) {
                    into[at + i] = value;
                    return;
                }
            }
            perturb >>= 5U;
            at = (at * 5 + 1 + perturb) & mask;
        }
    };
    for (const auto& [key, unused] : entries) {
        if (!key.is_int() || key.to_int() < 0) return std::nullopt;
        insert(slots, key.to_int());
        if (++used * 5 < (slots.size() - 1) * 3) continue;
        const std::size_t wanted = used > 50000 ? used * 2 : used * 4;
        std::size_t size = 8;
        while (size <= wanted) size <<= 1U;
        std::vector<std::optional<std::int64_t>> larger(size);
        for (const auto& value : slots) {
            if (value) insert(larger, *value);
        }
        slots = std::move(larger);
    }
    std::vector<IValue> out;
    for (const auto& value : slots) {
        if (value) out.emplace_back(*value);
    }
    return out;
}

std::string type_text(const IValue& type) {
    if (type.is_none()) return "None";
    if (const auto* cls = object_as<ClassObject>(type)) {
        return cls->module() == "builtins" || cls->module().empty() ? cls->qualified_name()
                                                                    : concat(cls->module(), ".", cls->qualified_name());
    }
    if (is_same_object(type, ellipsis())) return "...";
    if (type.is_list()) {
        std::vector<std::string> parts;
        for (const IValue& element : type.to_list().elements) parts.push_back(type_text(element));
        return concat("[", join(parts, ", "), "]");
    }
    return repr(type);
}

}  // namespace

std::optional<IValue> FunctionIterator::next() {
    try {
        return next_();
    } catch (const PythonError& error) {
        if (!error.is("StopIteration")) throw;
        return std::nullopt;
    }
}

RangeObject::RangeObject(std::int64_t first, std::int64_t end, std::int64_t by)
    : start(first), stop(end), step(by), count(range_count(first, end, by)) {}

std::optional<IValue> RangeObject::find_attribute(std::string_view name) {
    if (name == "start") return start;
    if (name == "stop") return stop;
    if (name == "step") return step;
    return PythonObject::find_attribute(name);
}

IValue RangeObject::get_item(const IValue& key) {
    if (const auto* slice = object_as<SliceObject>(key)) {
        const auto bounds = slice->bounds(count);
        return IValue::other(
            make_ptr<RangeObject>(at(bounds.start), at(bounds.start + bounds.count * bounds.step), step * bounds.step));
    }
    std::int64_t index = to_index(key);
    if (index < 0) index += count;
    if (index < 0 || index >= count) throw_error("IndexError", "range object index out of range");
    return at(index);
}

Ptr<Iterator> RangeObject::iterate() {
    return make_iterator("range_iterator",
                         [range = Ptr<RangeObject>(this), i = std::int64_t{0}]() mutable -> std::optional<IValue> {
                             if (i >= range->count) return std::nullopt;
                             return IValue(range->at(i++));
                         });
}

bool RangeObject::is_equal(const IValue& other) const {
    const auto* range = object_as<RangeObject>(other);
    if (range == nullptr || range->count != count) return false;
    return count == 0 || (range->start == start && (count == 1 || range->step == step));
}

std::string RangeObject::repr() {
    return step == 1 ? concat("range(", start, ", ", stop, ")") : concat("range(", start, ", ", stop, ", ", step, ")");
}

bool SetObject::add(const IValue& value) {
    check_hashable(value);
    bool is_new = false;
    find_or_set(*items_, value, IValue(), &is_new);
    return is_new;
}
bool SetObject::has(const IValue& value) const {
    check_hashable(value);
    return find_key(*items_, value) != nullptr;
}
bool SetObject::discard(const IValue& value) {
    check_hashable(value);
    return take_key(*items_, value).has_value();
}
std::vector<IValue> SetObject::values() const {
    if (auto ordered = small_int_order(items_->entries())) return std::move(*ordered);
    std::vector<IValue> out;
    for (const auto& [key, unused] : items_->entries()) out.push_back(key);
    return out;
}
bool SetObject::is_subset_of(const SetObject& other) const {
    const auto entries = items_->entries();  // which a comparison may change
    return std::all_of(entries.begin(), entries.end(), [&](const auto& entry) { return other.has(entry.first); });
}
Ptr<Iterator> SetObject::iterate() {
    return make_iterator("set_iterator",
                         [set = Ptr<SetObject>(this), all = values(), size = this->size(),
                          at = std::size_t{0}]() mutable -> std::optional<IValue> {
                             if (set->size() != size) throw_error("RuntimeError", "Set changed size during iteration");
                             if (at >= all.size()) return std::nullopt;
                             return all[at++];
                         });
}
bool SetObject::is_equal(const IValue& other) const {
    const auto* set = object_as<SetObject>(other);
    return set != nullptr && set->size() == size() && is_subset_of(*set);
}
std::size_t SetObject::hash() const {
    std::size_t out = size();
    for (const auto& [key, unused] : items_->entries()) out ^= python::hash(key) * 1000003;
    return out;
}
std::string SetObject::repr() {
    std::vector<std::string> parts;
    for (const IValue& value : values()) parts.push_back(python::repr(value));
    const std::string inner = concat("{", join(parts, ", "), "}");
    if (is_frozen) return parts.empty() ? "frozenset()" : concat("frozenset(", inner, ")");
    return parts.empty() ? "set()" : inner;
}

Ptr<SetObject> make_set(const IValue& iterable, bool frozen) {
    auto set = make_ptr<SetObject>(frozen);
    update_set(*set, iterable);
    return set;
}

std::optional<IValue> set_binary(OperatorKind op, const IValue& a, const IValue& b) {
    const auto as_set = [](const IValue& value) -> Ptr<SetObject> {
        if (auto* set = object_as<SetObject>(value)) return Ptr<SetObject>(set);
        const auto* view = object_as<DictView>(value);
        return view != nullptr && view->kind != DictView::Kind::Values ? make_set(value) : nullptr;
    };
    const Ptr<SetObject> x = as_set(a);
    const Ptr<SetObject> y = x ? as_set(b) : nullptr;
    if (!x || !y) return std::nullopt;
    auto out = make_ptr<SetObject>(x->is_frozen);
    switch (op) {
        case OperatorKind::BitOr:
            for (const IValue& value : x->values()) out->add(value);
            for (const IValue& value : y->values()) out->add(value);
            return IValue::other(out);
        case OperatorKind::BitAnd:
            for (const IValue& value : x->values()) {
                if (y->has(value)) out->add(value);
            }
            return IValue::other(out);
        case OperatorKind::Sub:
            for (const IValue& value : x->values()) {
                if (!y->has(value)) out->add(value);
            }
            return IValue::other(out);
        case OperatorKind::BitXor:
            for (const IValue& value : x->values()) {
                if (!y->has(value)) out->add(value);
            }
            for (const IValue& value : y->values()) {
                if (!x->has(value)) out->add(value);
            }
            return IValue::other(out);
        case OperatorKind::Le:
            return x->is_subset_of(*y);
        case OperatorKind::Lt:
            return x->is_subset_of(*y) && x->size() < y->size();
        case OperatorKind::Ge:
            return y->is_subset_of(*x);
        case OperatorKind::Gt:
            return y->is_subset_of(*x) && y->size() < x->size();
        default:
            return std::nullopt;
    }
}

IValue BytesObject::with(std::string bytes) const { return make_bytes(std::move(bytes)); }
IValue make_bytes(std::string data) { return IValue::other(make_ptr<BytesObject>(std::move(data))); }

IValue BytesObject::get_item(const IValue& key) {
    if (const auto* slice = object_as<SliceObject>(key)) {
        const auto bounds = slice->bounds(static_cast<std::int64_t>(data.size()));
        std::string out;
        for (std::int64_t i = 0; i < bounds.count; ++i) {
            out += data[static_cast<std::size_t>(bounds.start + i * bounds.step)];
        }
        return with(std::move(out));
    }
    std::int64_t index = to_index(key);
    if (index < 0) index += static_cast<std::int64_t>(data.size());
    if (index < 0 || index >= static_cast<std::int64_t>(data.size())) throw_error("IndexError", "index out of range");
    return static_cast<std::int64_t>(static_cast<unsigned char>(data[static_cast<std::size_t>(index)]));
}
Ptr<Iterator> BytesObject::iterate() {
    return make_iterator("bytes_iterator",
                         [bytes = Ptr<BytesObject>(this), at = std::size_t{0}]() mutable -> std::optional<IValue> {
                             if (at >= bytes->data.size()) return std::nullopt;
                             return IValue(static_cast<std::int64_t>(static_cast<unsigned char>(bytes->data[at++])));
                         });
}
bool BytesObject::is_equal(const IValue& other) const {
    const auto* bytes = object_as<BytesObject>(other);
    return bytes != nullptr && bytes->data == data;
}
std::string BytesObject::repr() {
    const bool has_quote = data.find('\'') != std::string::npos && data.find('"') == std::string::npos;
    const char quote = has_quote ? '"' : '\'';
    std::string out = concat("b", quote);
    for (const char c : data) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\\' || c == quote)
            out += concat('\\', c);
        else if (c == '\n')
            out += "\\n";
        else if (c == '\r')
            out += "\\r";
        else if (c == '\t')
            out += "\\t";
        else if (byte >= 0x20 && byte < 0x7F)
            out += c;
        else {
            std::array<char, 8> escape{};
            std::snprintf(escape.data(), escape.size(), "\\x%02x", byte);
            out += escape.data();
        }
    }
    return out + quote;
}

std::string DictView::type_name() const {
    return kind == Kind::Keys ? "dict_keys" : kind == Kind::Values ? "dict_values" : "dict_items";
}
IValue DictView::at(std::size_t index) const {
    const auto& [key, value] = dict->entries()[index];
    return kind == Kind::Keys ? key : kind == Kind::Values ? value : make_tuple({key, value});
}
Ptr<Iterator> DictView::iterate() { return iterate_dict(dict, kind); }
bool DictView::is_equal(const IValue& other) const {
    const IValue self = IValue::other(Ptr<RefCounted>(const_cast<DictView*>(this)));
    if (kind == Kind::Values) return self.is_same(other);
    if (object_as<DictView>(other) == nullptr && object_as<SetObject>(other) == nullptr) return false;
    return make_set(self)->is_equal(IValue::other(make_set(other)));
}
std::string DictView::repr() {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < dict->size(); ++i) parts.push_back(python::repr(at(i)));
    return concat(type_name(), "([", join(parts, ", "), "])");
}

Ptr<Iterator> iterate_dict(Ptr<DictObject> dict, DictView::Kind kind, bool is_reversed) {
    const std::size_t size = dict->size();
    return make_iterator("dict_iterator",
                         [view = make_ptr<DictView>(std::move(dict), kind), size, is_reversed,
                          at = std::size_t{0}]() mutable -> std::optional<IValue> {
                             if (view->dict->size() != size)
                                 throw_error("RuntimeError", "dictionary changed size during iteration");
                             if (at >= size) return std::nullopt;
                             const std::size_t index = at++;
                             return view->at(is_reversed ? size - 1 - index : index);
                         });
}

void TypingObject::set_attribute(std::string_view attribute, IValue value) {
    if (attribute != "__doc__") PythonObject::set_attribute(attribute, std::move(value));
}
std::optional<IValue> TypingObject::find_attribute(std::string_view wanted) {
    if (wanted == "__origin__") return origin ? IValue::other(origin) : IValue();
    if (wanted == "__args__") return make_tuple(arguments);
    if (wanted == "__name__") return IValue(name);
    if (origin) {
        if (auto found = origin->find_attribute(wanted)) return found;
    }
    return PythonObject::find_attribute(wanted);
}

IValue TypingObject::get_item(const IValue& key) {
    auto out = make_ptr<TypingObject>();
    out->name = name;
    out->origin = origin;
    out->arguments = key.is_tuple() ? key.to_tuple().elements : std::vector<IValue>{key};
    out->is_union = is_union || name == "typing.Union" || name == "typing.Optional";
    if (name == "typing.Optional") {
        out->arguments = {key, IValue()};
    }
    return IValue::other(out);
}

bool TypingObject::is_equal(const IValue& other) const {
    const auto* typing = object_as<TypingObject>(other);
    return typing != nullptr && typing->name == name &&
           values_equal(make_tuple(arguments), make_tuple(typing->arguments));
}

std::string TypingObject::repr() {
    std::vector<std::string> parts;
    for (const IValue& argument : arguments) parts.push_back(type_text(argument));
    if (is_written_with_bars) return join(parts, " | ");
    if (is_union) {
        const auto is_none = [](const IValue& v) { return v.is_none(); };
        const bool is_optional = arguments.size() == 2 && std::any_of(arguments.begin(), arguments.end(), is_none);
        if (is_optional) return concat("typing.Optional[", parts[is_none(arguments[0]) ? 1 : 0], "]");
        return concat("typing.Union[", join(parts, ", "), "]");
    }
    return parts.empty() ? name : concat(name, "[", join(parts, ", "), "]");
}

IValue TypingObject::call(CallArguments call_arguments) {
    if (origin && !is_union) return origin->call(std::move(call_arguments));
    throw_type_error(concat("Type ", name, " cannot be instantiated"));
}

namespace {

class NamedSingleton final : public PythonObject {
  public:
    NamedSingleton(std::string type, std::string text) : type_(std::move(type)), text_(std::move(text)) {}
    std::string type_name() const override { return type_; }
    std::string repr() override { return text_; }

  private:
    std::string type_;
    std::string text_;
};

}  // namespace

const IValue& ellipsis() {
    static const IValue value = IValue::other(make_ptr<NamedSingleton>("ellipsis", "Ellipsis"));
    return value;
}
const IValue& not_implemented() {
    static const IValue value = IValue::other(make_ptr<NamedSingleton>("NotImplementedType", "NotImplemented"));
    return value;
}

void extend_list(const IValue& list, const IValue& iterable) {
    const Ptr<ListObject> grown(&list.to_list());
    const bool is_list = iterable.is_list() && (iterable.is_same(list) || dynamic_class(iterable) == nullptr);
    const bool is_tuple = iterable.is_tuple() && dynamic_class(iterable) == nullptr;
    if (is_list || is_tuple || object_as<RangeObject>(iterable) != nullptr) {
        // As it is now: it may be the list itself.
        const std::vector<IValue> added = is_list    ? iterable.to_list().elements
                                          : is_tuple ? iterable.to_tuple().elements
                                                     : to_vector(iterable);
        grown->elements.insert(grown->elements.end(), added.begin(), added.end());
        return;
    }
    for_each(iterable, [&](const IValue& value) {
        grown->elements.push_back(value);
        const std::size_t size = grown->elements.size();
        if ((size & 0xFFFFFU) == 0) check_size(static_cast<std::int64_t>(size), sizeof(IValue));
        return true;
    });
}

void update_set(SetObject& set, const IValue& iterable) {
    if (const auto* other = object_as<SetObject>(plain(iterable))) {
        for (const IValue& value : other->values()) set.add(value);
        return;
    }
    for_each(iterable, [&](const IValue& value) {
        set.add(value);
        return true;
    });
}

void update_dict(DictObject& dict, const IValue& other) {
    if (other.is_dict()) {
        const auto entries = other.to_dict().entries();
        for (const auto& [key, value] : entries) set_key(dict, key, value);
        return;
    }
    if (find_attribute(other, "keys")) {
        for_each(call_method(other, "keys", {}), [&](const IValue& key) {
            check_hashable(key);
            set_key(dict, key, get_item(other, key));
            return true;
        });
        return;
    }
    std::size_t index = 0;
    for_each(other, [&](const IValue& pair) {
        if (!is_iterable(pair)) {
            throw_type_error(concat("cannot convert dictionary update sequence element #", index, " to a sequence"));
        }
        const auto parts = to_vector(pair);
        if (parts.size() != 2) {
            throw_value_error(
                concat("dictionary update sequence element #", index, " has length ", parts.size(), "; 2 is required"));
        }
        check_hashable(parts[0]);
        set_key(dict, parts[0], parts[1]);
        ++index;
        return true;
    });
}

}  // namespace loupe::python
