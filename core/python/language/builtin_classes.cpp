// SPDX-License-Identifier: Apache-2.0
// The classes of built-in values and how their instances are made.
#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <mutex>

#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/code_object.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/foreign_type.h"
#include "core/python/language/key_lookup.h"

namespace loupe::python {
namespace {

using Made = ClassObject::Made;

// A plain value for the class itself, one that knows its class for those derived from it.
Made made_value(ClassObject& cls, IValue value) {
    if (cls.is_builtin()) return {std::move(value), true};
    return {IValue::other(make_ptr<Instance>(ClassPtr(&cls), std::move(value))), false};
}

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\n\r\f\v");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\n\r\f\v") + 1 - begin);
}

int digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char letter = static_cast<char>(c | 0x20);
    return letter >= 'a' && letter <= 'z' ? letter - 'a' + 10 : 99;
}

[[noreturn]] void fail_literal(const IValue& given, std::int64_t base) {
    constexpr std::size_t kShown = 200;  // characters
    std::string text = repr(given);
    const auto parts = characters(text);
    if (parts.size() > kShown) text.resize(static_cast<std::size_t>(parts[kShown].data() - text.data()));
    throw_value_error(concat("invalid literal for int() with base ", base, ": ", text));
}

// Digits with single underscores between them, of the base, or of the base that a prefix names when it is 0.
IValue parse_int(const IValue& given, std::string_view text, std::int64_t given_base) {
    if (given_base != 0 && (given_base < 2 || given_base > 36))
        throw_value_error("int() base must be >= 2 and <= 36, or 0");
    std::string_view rest = trimmed(text);
    const bool is_negative = rest.starts_with('-');
    if (is_negative || rest.starts_with('+')) rest.remove_prefix(1);
    const char mark = rest.size() > 1 && rest[0] == '0' ? static_cast<char>(rest[1] | 0x20) : '\0';
    const int marked = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
    int base = static_cast<int>(given_base);
    if (marked != 0 && (base == 0 || base == marked)) {
        rest.remove_prefix(2);
        base = marked;
        if (rest.starts_with('_')) rest.remove_prefix(1);
    }
    const bool allows_zero_first = base != 0 || !rest.starts_with('0');
    if (base == 0) base = 10;
    std::string digits = is_negative ? "-" : "";
    const std::size_t sign_size = digits.size();
    char before = '_';
    std::size_t at = 0;
    for (; at < rest.size() && (rest[at] == '_' || digit_of(rest[at]) < base); before = rest[at++]) {
        if (rest[at] != '_')
            digits += rest[at];
        else if (before == '_')
            fail_literal(given, given_base);
    }
    if (before == '_') fail_literal(given, given_base);
    const std::string_view magnitude = std::string_view(digits).substr(sign_size);
    if (!std::has_single_bit(static_cast<unsigned>(base))) check_decimal_digits(magnitude.size());
    const bool is_zero = magnitude.find_first_not_of('0') == std::string_view::npos;
    if (at != rest.size() || (!allows_zero_first && !is_zero)) fail_literal(given, given_base);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (error == std::errc()) return value;
    return integer_from_digits(magnitude, base, is_negative);
}

IValue int_of(const IValue& given) {
    if (is_foreign(given)) {
        if (auto number = foreign_type(given).to_int(given)) return std::move(*number);
    }
    const IValue& value = plain(given);
    if (value.is_int() || value.is_bool()) return value.to_int();
    if (is_big_integer(value)) return value;
    if (value.is_double()) {
        const double real = value.to_double();
        if (std::isnan(real)) throw_value_error("cannot convert float NaN to integer");
        if (std::isinf(real)) throw_error("OverflowError", "cannot convert float infinity to integer");
        return integer_of(real);
    }
    if (value.is_string()) return parse_int(given, value.to_string(), 10);
    if (const auto* bytes = object_as<BytesObject>(value)) return parse_int(given, bytes->data, 10);
    if (const ClassObject* cls = dynamic_class(value)) {
        if (auto made = call_special(*cls, "__int__", value)) return *made;
        if (auto made = call_special(*cls, "__index__", value)) return *made;
        if (auto made = call_special(*cls, "__trunc__", value)) return *made;
    }
    throw_type_error(
        concat("int() argument must be a string, a bytes-like object or a real number, not '", type_name(given), "'"));
}

double parse_float(const std::string& text) {
    std::string digits(trimmed(text));
    std::erase(digits, '_');
    std::transform(digits.begin(), digits.end(), digits.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const bool has_plus = digits.starts_with('+');
    const std::string_view rest = std::string_view(digits).substr(has_plus ? 1 : 0);
    const bool is_negative = rest.starts_with('-');
    const std::string_view magnitude = rest.substr(is_negative ? 1 : 0);
    if (magnitude == "inf" || magnitude == "infinity") return is_negative ? -HUGE_VAL : HUGE_VAL;
    if (magnitude == "nan") return std::nan("");
    double value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    const bool is_whole = end == rest.data() + rest.size() && !rest.empty();
    if (error == std::errc::result_out_of_range && is_whole) {
        return rest.find("e-") != std::string_view::npos ? 0.0 : is_negative ? -HUGE_VAL : HUGE_VAL;
    }
    if (error != std::errc() || !is_whole)
        throw_value_error(concat("could not convert string to float: ", repr(IValue(text))));
    return value;
}

IValue float_of(const IValue& given) {
    if (is_foreign(given)) {
        if (auto number = foreign_type(given).to_float(given)) return std::move(*number);
    }
    const IValue& value = plain(given);
    if (value.is_string()) return parse_float(value.to_string());
    if (value.is_int() || value.is_bool() || value.is_double()) return value.to_double();
    if (is_big_integer(value)) return integer_to_double(value);
    if (const ClassObject* cls = dynamic_class(value);
        cls != nullptr && (cls->find("__float__") || cls->find("__index__"))) {
        return to_float(value);
    }
    throw_type_error(concat("float() argument must be a string or a real number, not '", type_name(given), "'"));
}

Made new_int(ClassObject& cls, CallArguments& a) {
    const BoundArguments given(a, "int", {"x=", "base="});
    if (given.has(1)) {
        if (!plain(given[0]).is_string()) throw_type_error("int() can't convert non-string with explicit base");
        return made_value(cls, parse_int(given[0], plain(given[0]).to_string(), to_index(given[1])));
    }
    return made_value(cls, given.has(0) ? int_of(given[0]) : IValue(0));
}

Made new_float(ClassObject& cls, CallArguments& a) {
    check_positional(a, "float", 0, 1);
    return made_value(cls, a.positional.empty() ? IValue(0.0) : float_of(a.positional[0]));
}

Made new_complex(ClassObject& cls, CallArguments& a) {
    const BoundArguments given(a, "complex", {"real=", "imag="});
    const auto part = [](const IValue& v) {
        return v.is_complex() ? v.to_complex() : std::complex<double>(to_float(v));
    };
    const auto real = given.has(0) ? part(given[0]) : std::complex<double>(0);
    const auto imaginary = given.has(1) ? part(given[1]) : std::complex<double>(0);
    return made_value(cls, IValue(real + imaginary * std::complex<double>(0, 1)));
}

Made new_bool(ClassObject&, CallArguments& a) {
    check_positional(a, "bool", 0, 1);
    return {!a.positional.empty() && truth(a.positional[0]), true};
}

Made new_string(ClassObject& cls, CallArguments& a) {
    const BoundArguments given(a, "str", {"object=", "encoding=", "errors="});
    if (!given.has(0)) return made_value(cls, IValue(""));
    if (const auto* bytes = object_as<BytesObject>(given[0]); bytes != nullptr && given.has(1)) {
        return made_value(cls, IValue(bytes->data));
    }
    return made_value(cls, IValue(str(given[0])));
}

Made new_bytes(ClassObject&, CallArguments& a) {
    const BoundArguments given(a, "bytes", {"source=", "encoding=", "errors="});
    return {make_bytes(given.has(0) ? bytes_from(given[0]) : std::string()), true};
}

Made new_byte_array(ClassObject&, CallArguments& a) {
    const BoundArguments given(a, "bytearray", {"source=", "encoding=", "errors="});
    return {IValue::other(make_ptr<ByteArray>(given.has(0) ? bytes_from(given[0]) : std::string())), true};
}

Made new_list(ClassObject& cls, CallArguments& a) {
    if (!cls.is_builtin()) return {make_ptr<ListObject>(make_ptr<ContainerClass>(ClassPtr(&cls))), false};
    check_positional(a, "list", 0, 1);
    return {make_list(a.positional.empty() ? std::vector<IValue>{} : to_vector(a.positional[0])), true};
}

Made new_tuple(ClassObject& cls, CallArguments& a) {
    check_positional(a, "tuple", 0, 1);
    if (cls.is_builtin() && a.positional.size() == 1 && a.positional[0].is_tuple() &&
        !a.positional[0].to_tuple().type) {
        return {a.positional[0], true};
    }
    auto values = a.positional.empty() ? std::vector<IValue>{} : to_vector(a.positional[0]);
    return {make_ptr<TupleObject>(std::move(values), cls.tuple_type), cls.is_builtin()};
}

Made new_dict(ClassObject& cls, CallArguments& a) {
    if (!cls.is_builtin()) return {make_ptr<DictObject>(types::any(), make_ptr<ContainerClass>(ClassPtr(&cls))), false};
    auto dict = make_dict();
    if (a.positional.size() > 1)
        throw_type_error(concat("dict expected at most 1 argument, got ", a.positional.size()));
    if (!a.positional.empty()) update_dict(*dict, a.positional[0]);
    for (const auto& [name, value] : a.keywords) set_key(*dict, IValue(name), value);
    return {IValue(dict), true};
}

ClassObject::New new_set(bool frozen) {
    return [frozen](ClassObject& cls, CallArguments& a) -> Made {
        if (!cls.is_builtin()) {  // a set is filled by its __init__
            const bool has_values = frozen && !a.positional.empty();
            const auto held = has_values ? make_set(a.positional[0], true) : make_ptr<SetObject>(frozen);
            return {IValue::other(make_ptr<Instance>(ClassPtr(&cls), IValue::other(held))), false};
        }
        check_positional(a, frozen ? "frozenset" : "set", 0, 1);
        if (a.positional.empty()) return {IValue::other(make_ptr<SetObject>(frozen)), true};
        return {IValue::other(make_set(a.positional[0], frozen)), true};
    };
}

Made new_range(ClassObject&, CallArguments& a) {
    check_positional(a, "range", 1, 3);
    const bool has_start = a.positional.size() > 1;
    const std::int64_t start = has_start ? to_index(a.positional[0]) : 0;
    const std::int64_t stop = to_index(a.positional[has_start ? 1 : 0]);
    const std::int64_t step = a.positional.size() > 2 ? to_index(a.positional[2]) : 1;
    return {IValue::other(make_ptr<RangeObject>(start, stop, step)), true};
}

Made new_slice(ClassObject&, CallArguments& a) {
    check_positional(a, "slice", 1, 3);
    const bool has_start = a.positional.size() > 1;
    return {IValue::other(make_ptr<SliceObject>(has_start ? a.positional[0] : IValue(), a.positional[has_start ? 1 : 0],
                                                a.positional.size() > 2 ? a.positional[2] : IValue())),
            true};
}

Made new_property(ClassObject&, CallArguments& a) {
    const BoundArguments given(a, "property", {"fget=", "fset=", "fdel=", "doc="});
    auto property = make_ptr<Property>();
    property->getter = given.value_or(0, {});
    property->setter = given.value_or(1, {});
    property->deleter = given.value_or(2, {});
    property->doc = given.value_or(3, {});
    return {IValue::other(property), true};
}

ClassObject::New new_wrapper(MethodWrapper::Kind kind) {
    return [kind](ClassObject&, CallArguments& a) -> Made {
        check_positional(a, kind == MethodWrapper::Kind::Static ? "staticmethod" : "classmethod", 1, 1);
        return {IValue::other(make_ptr<MethodWrapper>(kind, a.positional[0])), true};
    };
}

// type(x), type(name, bases, names).
Made new_type(ClassObject& cls, CallArguments& a) {
    if (a.positional.size() == 1 && a.keywords.empty() && cls.is_builtin()) {
        return {IValue::other(class_of(a.positional[0])), true};
    }
    if (a.positional.size() != 3) throw_type_error("type() takes 1 or 3 arguments");
    ClassParts parts;
    parts.name = str(a.positional[0]);
    parts.qualified_name = parts.name;
    parts.bases = to_vector(a.positional[1]);
    parts.keywords = a.keywords;
    parts.module = "__main__";
    for (const auto& [key, value] : a.positional[2].to_dict().entries()) {
        const std::string name = str(key);
        if (name == "__qualname__")
            parts.qualified_name = str(value);
        else if (name == "__module__")
            parts.module = str(value);
        else
            parts.names.set(name, value);
    }
    return {IValue::other(make_class(std::move(parts), cls.is_builtin() ? nullptr : ClassPtr(&cls))), false};
}

Made new_object(ClassObject& cls, CallArguments& a) {
    const IValue* maker = cls.find("__new__");
    const auto* written = maker != nullptr ? object_as<MethodWrapper>(*maker) : nullptr;
    const bool has_own_new = written != nullptr && object_as<FunctionObject>(written->function) != nullptr;
    const IValue* init = cls.find("__init__");
    const bool has_own_init = init != nullptr && object_as<NativeMethod>(*init) == nullptr;
    if (!has_own_init && !has_own_new && (!a.positional.empty() || !a.keywords.empty())) {
        throw_type_error(concat(cls.name(), "() takes no arguments"));
    }
    return {IValue::other(make_ptr<Instance>(ClassPtr(&cls))), false};
}

Made new_exception(ClassObject& cls, CallArguments& a) {
    return {IValue::other(make_ptr<ExceptionObject>(ClassPtr(&cls), a.positional)), cls.is_builtin()};
}

BuiltinClasses* make_builtin_classes() {
    const EvaluatorScope outside(nullptr);  // they outlive every program
    auto* classes = new BuiltinClasses();
    const auto make = [&](ClassPtr& slot, std::string name, ClassObject::New make_instance, ClassPtr base = nullptr) {
        std::vector<ClassPtr> bases;
        if (base)
            bases.push_back(base);
        else if (classes->object)
            bases.push_back(classes->object);
        slot = make_ptr<ClassObject>(std::move(name), "builtins", std::move(bases));
        slot->set_builtin(std::move(make_instance));
    };
    make(classes->object, "object", new_object);
    make(classes->type, "type", new_type);
    make(classes->none, "NoneType", nullptr);
    make(classes->integer, "int", new_int);
    make(classes->boolean, "bool", new_bool, classes->integer);
    make(classes->floating, "float", new_float);
    make(classes->complex, "complex", new_complex);
    make(classes->string, "str", new_string);
    make(classes->bytes, "bytes", new_bytes);
    make(classes->byte_array, "bytearray", new_byte_array);
    make(classes->list, "list", new_list);
    make(classes->tuple, "tuple", new_tuple);
    make(classes->dict, "dict", new_dict);
    make(classes->set, "set", new_set(false));
    make(classes->frozenset, "frozenset", new_set(true));
    make(classes->range, "range", new_range);
    make(classes->slice, "slice", new_slice);
    make(classes->function, "function", new_function);
    make(classes->builtin_function, "builtin_function_or_method", nullptr);
    make(classes->method, "method", nullptr);
    make(classes->module, "module", nullptr);
    make(classes->property, "property", new_property);
    make(classes->static_method, "staticmethod", new_wrapper(MethodWrapper::Kind::Static));
    make(classes->class_method, "classmethod", new_wrapper(MethodWrapper::Kind::Class));
    make(classes->generator, "generator", nullptr);
    make(classes->super, "super", nullptr);
    make(classes->ellipsis, "ellipsis", nullptr);
    make(classes->not_implemented, "NotImplementedType", nullptr);
    make(classes->generic_alias, "GenericAlias", nullptr);
    make(classes->union_type, "UnionType", nullptr);
    make(classes->base_exception, "BaseException", new_exception);
    define_object_methods(*classes);
    define_string_methods(*classes->string);
    define_bytes_methods(*classes->bytes);
    define_bytes_methods(*classes->byte_array);
    define_byte_array_methods(*classes->byte_array);
    define_list_methods(*classes->list);
    define_tuple_methods(*classes->tuple);
    define_dict_methods(*classes->dict);
    define_set_methods(*classes->set);
    define_set_methods(*classes->frozenset);
    define_number_methods(*classes);
    return classes;
}

}  // namespace

const BuiltinClasses& builtin_classes() {
    static const BuiltinClasses* const classes = make_builtin_classes();
    return *classes;
}

ClassPtr named_class(std::string_view type_name) {
    static const auto* const known = [] {
        const BuiltinClasses& c = builtin_classes();
        auto* map = new std::map<std::string_view, ClassPtr>();
        for (const ClassPtr& cls :
             {c.integer,       c.bytes,        c.byte_array,       c.set,    c.frozenset, c.range,
              c.slice,         c.function,     c.builtin_function, c.method, c.module,    c.property,
              c.static_method, c.class_method, c.generator,        c.super,  c.ellipsis,  c.not_implemented,
              c.generic_alias, c.union_type}) {
            map->emplace(cls->name(), cls);
        }
        return map;
    }();
    if (const auto found = known->find(type_name); found != known->end()) return found->second;
    // One class a name for all others; programs on other threads ask too.
    static std::mutex mutex;
    static auto* const others = new std::map<std::string, ClassPtr, std::less<>>();
    const std::lock_guard lock(mutex);
    if (const auto found = others->find(type_name); found != others->end()) return found->second;
    const EvaluatorScope outside(nullptr);
    auto cls =
        make_ptr<ClassObject>(std::string(type_name), "builtins", std::vector<ClassPtr>{builtin_classes().object});
    cls->set_builtin(nullptr);
    others->emplace(std::string(type_name), cls);
    return cls;
}

}  // namespace loupe::python
