// SPDX-License-Identifier: Apache-2.0
// The functions that every source sees.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "core/base/cancel.h"
#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/code_object.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/foreign_type.h"
#include "core/python/language/format.h"
#include "core/python/language/frame.h"
#include "core/python/language/generator.h"
#include "core/python/language/missing_name.h"
#include "core/python/language/sorting.h"
#include "core/python/language/stream.h"
#include "core/python/language/super_object.h"

namespace loupe::python {
namespace {

using Body = NativeCallable::Body;

IValue print(CallArguments a) {
    std::vector<IValue> values = std::move(a.positional);
    a.positional.clear();
    const BoundArguments given(a, "print", {"*", "sep=", "end=", "file=", "flush="});
    const auto option = [&](std::size_t index, const char* otherwise) {
        return given.value_or(index, {}).is_none() ? std::string(otherwise) : str(given[index]);
    };
    const std::string separator = option(0, " ");
    std::string out;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) out += separator;
        out += str(values[i]);
    }
    out += option(1, "\n");
    if (given.has(2) && !given[2].is_none()) {
        call_method(given[2], "write", CallArguments{{IValue(std::move(out))}, {}});
        return {};
    }
    const Evaluator* const evaluator = Evaluator::current();
    if (evaluator == nullptr) return {};
    const auto sys = evaluator->state().modules.find("sys");
    const auto target = sys != evaluator->state().modules.end() ? find_attribute(sys->second, "stdout") : std::nullopt;
    if (target && !target->is_same(evaluator->state().standard_output)) {
        call_method(*target, "write", CallArguments{{IValue(std::move(out))}, {}});
    } else {
        evaluator->write(out);
    }
    return {};
}

IValue iterator_of(CallArguments a) {
    check_positional(a, "iter", 1, 2);
    if (a.positional.size() == 1) return IValue::other(iterate(a.positional[0]));
    return IValue::other(make_iterator("callable_iterator",
                                       [function = a.positional[0], last = a.positional[1]]() -> std::optional<IValue> {
                                           IValue value = call(function, CallArguments{});
                                           if (equals(value, last)) return std::nullopt;
                                           return value;
                                       }));
}

IValue next_value(CallArguments a) {
    check_positional(a, "next", 1, 2);
    const IValue& object = a.positional[0];
    if (auto* iterator = object_as<Iterator>(object)) {
        const Ptr<Iterator> keep(iterator);
        if (auto value = iterator->next()) return std::move(*value);
        if (a.positional.size() == 2) return a.positional[1];
        auto* generator = dynamic_cast<Generator*>(iterator);
        throw_stop_iteration(generator != nullptr ? generator->result() : IValue());
    }
    const ClassObject* cls = dynamic_class(object);
    if (cls == nullptr || cls->find("__next__") == nullptr) {
        throw_type_error(concat("'", type_name(object), "' object is not an iterator"));
    }
    try {
        return *call_special(*cls, "__next__", object);
    } catch (const PythonError& error) {
        if (!error.is("StopIteration") || a.positional.size() == 1) throw;
    }
    return a.positional[1];
}

IValue zip(CallArguments a) {
    std::vector<IValue> sources = std::move(a.positional);
    a.positional.clear();
    const BoundArguments given(a, "zip", {"*", "strict="});
    const bool is_strict = given.truth_or(0, false);
    std::vector<Ptr<Iterator>> iterators;
    for (const IValue& source : sources) iterators.push_back(iterate(source));
    return IValue::other(make_iterator("zip", [iterators, is_strict]() -> std::optional<IValue> {
        if (iterators.empty()) return std::nullopt;
        std::vector<IValue> values;
        for (std::size_t i = 0; i < iterators.size(); ++i) {
            auto value = iterators[i]->next();
            if (value) {
                values.push_back(std::move(*value));
                continue;
            }
            if (is_strict && i > 0)
                throw_value_error(
                    concat("zip() argument ", i + 1, " is shorter than argument", i == 1 ? " 1" : concat("s 1-", i)));
            for (std::size_t j = 1; is_strict && j < iterators.size(); ++j) {
                if (iterators[j]->next())
                    throw_value_error(concat("zip() argument ", j + 1, " is longer than argument",
                                             j == 1 ? " 1" : concat("s 1-", j)));
            }
            return std::nullopt;
        }
        return make_tuple(std::move(values));
    }));
}

IValue enumerate(CallArguments a) {
    const BoundArguments given(a, "enumerate", {"iterable", "start="});
    return IValue::other(make_iterator(
        "enumerate", [iterator = iterate(given[0]), at = given.int_or(1, 0)]() mutable -> std::optional<IValue> {
            auto value = iterator->next();
            if (!value) return std::nullopt;
            return make_tuple({IValue(at++), std::move(*value)});
        }));
}

IValue map(CallArguments a) {
    if (a.positional.size() < 2) throw_type_error("map() must have at least two arguments.");
    std::vector<Ptr<Iterator>> iterators;
    for (std::size_t i = 1; i < a.positional.size(); ++i) iterators.push_back(iterate(a.positional[i]));
    return IValue::other(make_iterator("map", [function = a.positional[0], iterators]() -> std::optional<IValue> {
        std::vector<IValue> values;
        for (const auto& iterator : iterators) {
            auto value = iterator->next();
            if (!value) return std::nullopt;
            values.push_back(std::move(*value));
        }
        return call(function, std::move(values));
    }));
}

IValue filter(CallArguments a) {
    check_positional(a, "filter", 2, 2);
    return IValue::other(make_iterator(
        "filter", [function = a.positional[0], iterator = iterate(a.positional[1])]() -> std::optional<IValue> {
            while (auto value = iterator->next()) {
                check_cancelled();
                if (truth(function.is_none() ? *value : call(function, std::vector<IValue>{*value}))) return value;
            }
            return std::nullopt;
        }));
}

IValue reversed(CallArguments a) {
    check_positional(a, "reversed", 1, 1);
    const IValue object = a.positional[0];
    if (const ClassObject* cls = dynamic_class(object)) {
        if (auto made = call_special(*cls, "__reversed__", object)) return *made;
    }
    if (object.is_dict())
        return IValue::other(iterate_dict(Ptr<DictObject>(&object.to_dict()), DictView::Kind::Keys, true));
    if (const auto* view = object_as<DictView>(object))
        return IValue::other(iterate_dict(view->dict, view->kind, true));
    if (object_as<SetObject>(plain(object)) || object_as<Iterator>(object) || !find_length(object)) {
        throw_type_error(concat("'", type_name(object), "' object is not reversible"));
    }
    return IValue::other(make_iterator("reversed", [object, at = length(object)]() mutable -> std::optional<IValue> {
        if (at <= 0) return std::nullopt;
        return get_item(object, IValue(--at));
    }));
}

IValue sorted(CallArguments a) {
    const BoundArguments given(a, "sorted", {"iterable", "/", "*", "key=", "reverse="});
    return make_list(sorted_values(to_vector(given[0]), given.value_or(1, {}), given.truth_or(2, false)));
}

IValue sum(CallArguments a) {
    const BoundArguments given(a, "sum", {"iterable", "/", "start="});
    IValue total = given.value_or(1, IValue(0));
    if (total.is_string()) throw_type_error("sum() can't sum strings [use ''.join(seq) instead]");
    for_each(given[0], [&](const IValue& value) {
        total = binary(OperatorKind::Add, total, value);
        return true;
    });
    return total;
}

Body extreme(std::string name, bool is_max) {
    return [name, is_max](CallArguments a) -> IValue {
        std::vector<IValue> values = std::move(a.positional);
        a.positional.clear();
        const BoundArguments given(a, name, {"*", "key=", "default="});
        if (values.empty()) throw_type_error(concat(name, " expected at least 1 argument, got 0"));
        const IValue key = given.value_or(0, {});
        std::optional<IValue> best;
        IValue best_key;
        // Each value meets the best so far before the next one is made.
        const auto meet = [&](const IValue& value) {
            IValue candidate = key.is_none() ? value : call(key, std::vector<IValue>{value});
            if (best && !truth(binary(is_max ? OperatorKind::Gt : OperatorKind::Lt, candidate, best_key))) return true;
            best = value;
            best_key = std::move(candidate);
            return true;
        };
        if (values.size() == 1)
            for_each(values[0], meet);
        else
            for (const IValue& value : values) meet(value);
        if (best) return *best;
        if (given.has(1)) return given[1];
        throw_value_error(concat(name, "() arg is an empty sequence"));
    };
}

Body quantifier(std::string name, bool stops_at) {
    return [name, stops_at](CallArguments a) -> IValue {
        check_positional(a, name, 1, 1);
        bool result = !stops_at;
        for_each(a.positional[0], [&](const IValue& value) {
            if (truth(value) == stops_at) result = stops_at;
            return result != stops_at;
        });
        return result;
    };
}

IValue absolute(CallArguments a) {
    check_positional(a, "abs", 1, 1);
    const IValue& object = a.positional[0];
    if (is_foreign_number(object)) return call_method(object, "abs", {});
    if (const ClassObject* cls = dynamic_class(object)) {
        if (auto made = call_special(*cls, "__abs__", object)) return *made;
    }
    const IValue& value = plain(object);
    if (value.is_double()) return std::fabs(value.to_double());
    if (value.is_complex()) return std::abs(value.to_complex());
    if (value.is_bool()) return value.to_int();
    if (is_integer(value)) return is_negative_integer(value) ? unary(OperatorKind::Negate, value) : value;
    throw_type_error(concat("bad operand type for abs(): '", type_name(object), "'"));
}

// To even, from the exact decimal value, as Python's.
double round_double(double value, std::int64_t digits) {
    if (!std::isfinite(value) || digits > 22) return value;
    if (digits < 0) {
        const double scale = std::pow(10.0, static_cast<double>(-digits));
        return std::nearbyint(value / scale) * scale;
    }
    const std::string text = format_builtin(IValue(value), concat(".", digits, "f"));
    double out = value;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
}

// To a power of ten, halves to the even one.
IValue round_integer(const IValue& value, std::int64_t digits) {
    if (digits >= 0) return value.is_bool() ? IValue(value.to_int()) : value;
    const auto compute = [](OperatorKind op, const IValue& x, const IValue& y) { return binary(op, x, y); };
    const IValue scale = compute(OperatorKind::Pow, 10, IValue(std::min<std::int64_t>(-digits, 5000)));
    const IValue quotient = compute(OperatorKind::FloorDiv, value, scale);
    const IValue rest = compute(OperatorKind::Mul, compute(OperatorKind::Mod, value, scale), 2);
    const bool is_half = equals(rest, scale);
    const bool goes_up = is_half ? truth(compute(OperatorKind::BitAnd, quotient, 1)) : less(scale, rest);
    return compute(OperatorKind::Mul, goes_up ? compute(OperatorKind::Add, quotient, 1) : quotient, scale);
}

IValue round(CallArguments a) {
    const BoundArguments given(a, "round", {"number", "ndigits="});
    const IValue& object = given[0];
    const bool has_digits = given.has(1) && !given[1].is_none();
    if (is_foreign_number(object)) {
        CallArguments arguments;
        if (has_digits) arguments.keywords.emplace_back("decimals", given[1]);
        return call_method(object, "round", std::move(arguments));
    }
    if (const ClassObject* cls = dynamic_class(object)) {
        if (auto made = call_special(*cls, "__round__", object,
                                     has_digits ? std::vector<IValue>{given[1]} : std::vector<IValue>{}))
            return *made;
    }
    const IValue& value = plain(object);
    if (is_integer(value))
        return has_digits ? round_integer(value, to_index(given[1])) : value.is_bool() ? IValue(value.to_int()) : value;
    if (!value.is_double()) throw_type_error(concat("type ", type_name(object), " doesn't define __round__ method"));
    if (has_digits) return round_double(value.to_double(), to_index(given[1]));
    const double rounded = std::nearbyint(value.to_double());
    if (std::isnan(rounded)) throw_value_error("cannot convert float NaN to integer");
    if (std::isinf(rounded)) throw_error("OverflowError", "cannot convert float infinity to integer");
    return integer_of(rounded);
}

IValue power(CallArguments a) {
    const BoundArguments given(a, "pow", {"base", "exp", "mod="});
    if (!given.has(2) || given[2].is_none()) return binary(OperatorKind::Pow, given[0], given[1]);
    for (int i = 0; i < 3; ++i) {
        if (!is_integer(plain(given[static_cast<std::size_t>(i)])))
            throw_type_error("pow() 3rd argument not allowed unless all arguments are integers");
    }
    return integer_power(plain(given[0]), plain(given[1]), plain(given[2]));
}

IValue divide_with_rest(CallArguments a) {
    check_positional(a, "divmod", 2, 2);
    return make_tuple({binary(OperatorKind::FloorDiv, a.positional[0], a.positional[1]),
                       binary(OperatorKind::Mod, a.positional[0], a.positional[1])});
}

Body based(std::string name, char type) {
    return [name, type](CallArguments a) -> IValue {
        check_positional(a, name, 1, 1);
        const IValue& value = plain(a.positional[0]);
        return IValue(format_builtin(is_big_integer(value) ? value : IValue(to_index(value)), concat("#", type)));
    };
}

IValue code_point(CallArguments a) {
    check_positional(a, "ord", 1, 1);
    if (!plain(a.positional[0]).is_string()) {
        throw_type_error(concat("ord() expected string of length 1, but ", type_name(a.positional[0]), " found"));
    }
    const auto parts = characters(plain(a.positional[0]).to_string());
    if (parts.size() != 1)
        throw_type_error(concat("ord() expected a character, but string of length ", parts.size(), " found"));
    std::uint32_t code = static_cast<unsigned char>(parts[0][0]);
    if (parts[0].size() > 1) {
        code &= 0xFFU >> (parts[0].size() + 1);
        for (const char c : parts[0].substr(1)) code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
    }
    return static_cast<std::int64_t>(code);
}

IValue is_subclass(const IValue& cls, const IValue& type) {
    auto* derived = object_as<ClassObject>(cls);
    if (derived == nullptr) throw_type_error("issubclass() arg 1 must be a class");
    if (type.is_tuple()) {
        for (const IValue& element : type.to_tuple().elements) {
            if (is_subclass(cls, element).to_bool()) return true;
        }
        return false;
    }
    if (object_as<MissingName>(type) != nullptr) return false;
    const auto* base = object_as<ClassObject>(type);
    if (base == nullptr) throw_type_error("issubclass() arg 2 must be a class, a tuple of classes, or a union");
    return derived->is_subclass_of(*base);
}

IValue names_of(CallArguments a) {
    check_positional(a, "dir", 0, 1);
    std::vector<IValue> names;
    const auto add = [&](std::string_view name) { names.emplace_back(name); };
    if (a.positional.empty()) {
        for (const auto& [name, value] : locals_of(*thread_state().top)) add(name);
    } else if (auto* module = object_as<PythonModule>(a.positional[0])) {
        for (const auto& [name, value] : module->entries()) add(name);
    } else {
        if (const auto* instance = object_as<Instance>(a.positional[0])) {
            for (const auto& [name, value] : instance->attributes.entries()) add(name);
        }
        auto* cls = object_as<ClassObject>(a.positional[0]);
        const ClassPtr of = cls != nullptr ? ClassPtr(cls) : class_of(a.positional[0]);
        for (const ClassObject* base : of->mro()) {
            for (const auto& [name, value] : base->attributes().entries()) add(name);
        }
    }
    names = sorted_values(std::move(names), {}, false);
    names.erase(std::unique(names.begin(), names.end(),
                            [](const IValue& x, const IValue& y) { return x.to_string() == y.to_string(); }),
                names.end());
    return make_list(std::move(names));
}

IValue local_names(CallArguments a) {
    check_positional(a, "locals", 0, 0);
    auto dict = make_dict();
    for (const auto& [name, value] : locals_of(*thread_state().top)) dict->set(IValue(name), value);
    return IValue(dict);
}

IValue global_names(CallArguments a) {
    check_positional(a, "globals", 0, 0);
    return globals_of(thread_state().top->unit);
}

Body refused(std::string what, std::string instead) {
    return [what, instead](CallArguments) -> IValue {
        throw_error("NotImplementedError", concat(what, " is not available in a model source; ", instead));
    };
}

// At least two arguments: object, name.
std::string name_of(const CallArguments& a, std::string_view function) {
    if (!plain(a.positional[1]).is_string()) throw_type_error(concat(function, "(): attribute name must be string"));
    return plain(a.positional[1]).to_string();
}

void add_attribute_functions(std::map<std::string, Body>& out) {
    out["getattr"] = [](CallArguments a) -> IValue {
        check_positional(a, "getattr", 2, 3);
        const std::string name = name_of(a, "getattr");
        if (a.positional.size() == 2) return get_attribute(a.positional[0], name);
        try {
            if (auto found = find_attribute(a.positional[0], name)) return std::move(*found);
        } catch (const PythonError& error) {
            if (!error.is("AttributeError")) throw;
        }
        return a.positional[2];
    };
    out["hasattr"] = [](CallArguments a) -> IValue {
        check_positional(a, "hasattr", 2, 2);
        try {
            return find_attribute(a.positional[0], name_of(a, "hasattr")).has_value();
        } catch (const PythonError& error) {
            if (!error.is("AttributeError")) throw;
            return false;
        }
    };
    out["setattr"] = [](CallArguments a) -> IValue {
        check_positional(a, "setattr", 3, 3);
        set_attribute(a.positional[0], name_of(a, "setattr"), a.positional[2]);
        return {};
    };
    out["delattr"] = [](CallArguments a) -> IValue {
        check_positional(a, "delattr", 2, 2);
        delete_attribute(a.positional[0], name_of(a, "delattr"));
        return {};
    };
}

void add_object_functions(std::map<std::string, Body>& out) {
    out["isinstance"] = [](CallArguments a) -> IValue {
        check_positional(a, "isinstance", 2, 2);
        return is_instance(a.positional[0], a.positional[1]);
    };
    out["issubclass"] = [](CallArguments a) -> IValue {
        check_positional(a, "issubclass", 2, 2);
        return is_subclass(a.positional[0], a.positional[1]);
    };
    out["callable"] = [](CallArguments a) -> IValue {
        check_positional(a, "callable", 1, 1);
        return is_callable(a.positional[0]);
    };
    out["id"] = [](CallArguments a) -> IValue {
        check_positional(a, "id", 1, 1);
        const IValue& value = a.positional[0];
        if (value.is_int() || value.is_bool()) return value.to_int();
        if (value.is_none() || value.is_double())
            return value.is_none() ? IValue(16) : IValue(static_cast<std::int64_t>(hash(value)));
        return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(value.object_pointer()));
    };
    out["hash"] = [](CallArguments a) -> IValue {
        check_positional(a, "hash", 1, 1);
        return static_cast<std::int64_t>(hash(a.positional[0]));
    };
    out["vars"] = [](CallArguments a) -> IValue {
        check_positional(a, "vars", 0, 1);
        if (a.positional.empty()) return local_names({});
        if (auto found = find_attribute(a.positional[0], "__dict__")) return *found;
        throw_type_error("vars() argument must have __dict__ attribute");
    };
    out["len"] = [](CallArguments a) -> IValue {
        check_positional(a, "len", 1, 1);
        return length(a.positional[0]);
    };
    out["repr"] = [](CallArguments a) -> IValue {
        check_positional(a, "repr", 1, 1);
        return IValue(repr(a.positional[0]));
    };
    out["ascii"] = [](CallArguments a) -> IValue {
        check_positional(a, "ascii", 1, 1);
        return IValue(ascii_repr(a.positional[0]));
    };
    out["format"] = [](CallArguments a) -> IValue {
        check_positional(a, "format", 1, 2);
        return IValue(format(a.positional[0], a.positional.size() > 1 ? str(a.positional[1]) : ""));
    };
    out["chr"] = [](CallArguments a) -> IValue {
        check_positional(a, "chr", 1, 1);
        if (is_big_integer(a.positional[0])) throw_error("OverflowError", "Python int too large to convert to C int");
        return IValue(call_character(to_index(a.positional[0])));
    };
    out["ord"] = code_point;
    out["dir"] = names_of;
    out["locals"] = local_names;
    out["globals"] = global_names;
}

// __import__(name, globals, locals, fromlist, level): the module itself with a fromlist, else the first of the dotted
// name. Relative ones need the place that they are at.
IValue import_by_name(CallArguments a) {
    const BoundArguments given(std::move(a), "__import__", {"name", "globals=", "locals=", "fromlist=", "level="});
    if (!given[0].is_string()) throw_type_error("__import__() argument 1 must be str");
    const std::string name = given[0].to_string();
    if (given.has(4) && to_index(given[4]) != 0)
        throw_error("ImportError", "relative __import__() is not available here");
    Evaluator& evaluator = *Evaluator::current();
    const IValue module = evaluator.import_module(name);
    if (given.has(3) && truth(given[3])) return module;
    const std::size_t dot = name.find('.');
    return dot == std::string::npos ? module : evaluator.import_module(name.substr(0, dot));
}

std::map<std::string, IValue, std::less<>>* make_functions() {
    std::map<std::string, Body> bodies = {
        {"print", print},
        {"iter", iterator_of},
        {"next", next_value},
        {"zip", zip},
        {"enumerate", enumerate},
        {"map", map},
        {"filter", filter},
        {"reversed", reversed},
        {"sorted", sorted},
        {"sum", sum},
        {"min", extreme("min", false)},
        {"max", extreme("max", true)},
        {"any", quantifier("any", true)},
        {"all", quantifier("all", false)},
        {"abs", absolute},
        {"round", round},
        {"pow", power},
        {"divmod", divide_with_rest},
        {"bin", based("bin", 'b')},
        {"oct", based("oct", 'o')},
        {"hex", based("hex", 'x')},
        {"super", make_super},
        {"open", open_file},
        {"input", refused("input()", "set the value in the source")},
        {"eval", refused("eval()", "write the expression out")},
        {"exec", refused("exec()", "write the statements out")},
        {"compile", refused("compile()", "write the code out")},
        {"__import__", import_by_name},
        {"breakpoint", refused("breakpoint()", "set a breakpoint in the Source panel")},
    };
    add_attribute_functions(bodies);
    add_object_functions(bodies);
    const EvaluatorScope outside(nullptr);
    auto* out = new std::map<std::string, IValue, std::less<>>();
    for (auto& [name, body] : bodies)
        out->emplace(name, IValue::other(make_ptr<NativeCallable>(name, std::move(body))));
    return out;
}

const std::map<std::string, IValue, std::less<>>& functions() {
    static const auto* const all = make_functions();
    return *all;
}

}  // namespace

const IValue* builtin_function(std::string_view name) {
    const auto found = functions().find(name);
    return found != functions().end() ? &found->second : nullptr;
}

std::vector<std::pair<std::string, IValue>> builtin_entries() {
    std::vector<std::pair<std::string, IValue>> out(functions().begin(), functions().end());
    const BuiltinClasses& c = builtin_classes();
    for (const ClassPtr& cls :
         {c.object, c.type, c.boolean, c.integer, c.floating, c.complex, c.string, c.bytes, c.byte_array, c.list,
          c.tuple, c.dict, c.set, c.frozenset, c.range, c.slice, c.property, c.static_method, c.class_method}) {
        out.emplace_back(cls->name(), IValue::other(cls));
    }
    for (const auto& [name, cls] : exception_classes()) out.emplace_back(name, IValue::other(cls));
    out.emplace_back("NotImplemented", not_implemented());
    out.emplace_back("Ellipsis", ellipsis());
    out.emplace_back("__debug__", IValue(true));
    return out;
}

}  // namespace loupe::python
