// SPDX-License-Identifier: Apache-2.0
// repr, str, format; characters of UTF-8.
#include <algorithm>
#include <array>
#include <cstdio>

#include "core/base/strings.h"
#include "core/python/language/big_integer.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/foreign_type.h"
#include "core/python/language/format.h"
#include "core/python/language/frame.h"

namespace loupe::python {
namespace {

// Containers that are being written, so that a list in itself is "[...]".
class Visit {
  public:
    explicit Visit(const void* object) {
        is_repeated_ = std::find(open().begin(), open().end(), object) != open().end();
        open().push_back(object);
    }
    ~Visit() { open().pop_back(); }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    bool is_repeated() const { return is_repeated_; }

  private:
    static std::vector<const void*>& open() {
        static thread_local std::vector<const void*> objects;
        return objects;
    }
    bool is_repeated_ = false;
};

std::string elements_text(const std::vector<IValue>& values) {
    std::string out;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const IValue value = values[i];
        if (i > 0) out += ", ";
        out += repr(value);
    }
    return out;
}

std::string list_repr(const IValue& value) {
    const Visit visit(value.object_pointer());
    if (visit.is_repeated()) return "[...]";
    return concat("[", elements_text(value.to_list().elements), "]");
}

std::string tuple_repr(const IValue& value) {
    const Visit visit(value.object_pointer());
    if (visit.is_repeated()) return "(...)";
    const TupleObject& tuple = value.to_tuple();
    const auto* type = tuple.type ? tuple.type->as<TupleType>() : nullptr;
    if (type != nullptr && type->fields().empty() && !type->name().empty() && dynamic_class(value) == nullptr) {
        return concat(type->name(), "([", elements_text(tuple.elements), "])");  // torch.Size
    }
    if (type != nullptr && !type->fields().empty() && type->fields().size() == tuple.elements.size()) {
        std::vector<std::string> parts;
        for (std::size_t i = 0; i < tuple.elements.size(); ++i) {
            parts.push_back(concat(type->fields()[i], "=", repr(tuple.elements[i])));
        }
        if (type->name().starts_with("torch.return_types.")) {
            return concat(type->name(), "(\n", join(parts, ",\n"), ")");
        }
        const ClassObject* cls = dynamic_class(value);
        const std::string name = cls != nullptr ? cls->name() : std::string(split(type->name(), '.').back());
        return concat(name, "(", join(parts, ", "), ")");
    }
    return concat("(", elements_text(tuple.elements), tuple.elements.size() == 1 ? ",)" : ")");
}

std::string dict_repr(const IValue& value) {
    const Visit visit(value.object_pointer());
    if (visit.is_repeated()) return "{...}";
    std::string out = "{";
    const DictObject& dict = value.to_dict();
    for (std::size_t i = 0; i < dict.entries().size(); ++i) {
        const auto entry = dict.entries()[i];
        if (i > 0) out += ", ";
        out += concat(repr(entry.first), ": ", repr(entry.second));
    }
    return out + "}";
}

std::string string_result(const IValue& value, std::string_view method) {
    if (plain(value).is_string()) return plain(value).to_string();
    throw_type_error(concat(method, " returned non-string (type ", type_name(value), ")"));
}

std::string instance_repr(const Instance& instance) {
    const ClassObject& cls = *instance.cls();
    if (object_as<SetObject>(instance.payload) != nullptr) {
        if (length(instance.payload) == 0) return concat(cls.name(), "()");
        std::string text = repr(instance.payload);
        if (text.starts_with("frozenset(")) text = text.substr(10, text.size() - 11);
        return concat(cls.name(), "(", text, ")");
    }
    if (!instance.payload.is_none()) return repr(instance.payload);
    const std::string& module = cls.module();
    const std::string prefix = module.empty() || module == "builtins" ? "" : concat(module, ".");
    return concat("<", prefix, cls.qualified_name(), " object at ", address_text(&instance), ">");
}

}  // namespace

std::string repr(const IValue& value) {
    check_stack();
    if (const ClassObject* cls = dynamic_class(value); cls != nullptr && object_as<ClassObject>(value) == nullptr) {
        if (auto text = call_special(*cls, "__repr__", value)) return string_result(*text, "__repr__");
    }
    return default_repr(value);
}

std::string default_repr(const IValue& value) {
    switch (value.tag()) {
        case IValue::Tag::List:
            return list_repr(value);
        case IValue::Tag::Tuple:
            return tuple_repr(value);
        case IValue::Tag::Dict:
            return dict_repr(value);
        case IValue::Tag::Other:
            if (auto* object = object_as<PythonObject>(value)) return object->repr();
            return "<object>";
        default:
            return is_foreign(value) ? foreign_type(value).repr(value) : python_repr(value);
    }
}

std::string str(const IValue& value) {
    if (value.is_string()) return value.to_string();
    if (const ClassObject* cls = dynamic_class(value); cls != nullptr && object_as<ClassObject>(value) == nullptr) {
        if (auto text = call_special(*cls, "__str__", value)) return string_result(*text, "__str__");
        const auto* exception = object_as<ExceptionObject>(value);
        if (exception != nullptr) return exception->message();
        const IValue& held = plain(value);
        if (held.is_string() && cls->find_special("__repr__") == nullptr) return held.to_string();
    }
    if (is_foreign(value) && dynamic_class(value) == nullptr) return foreign_type(value).str(value);
    return repr(value);
}

std::string format(const IValue& value, std::string_view spec) {
    if (is_foreign(value)) {
        if (auto text = foreign_type(value).format(value, spec)) return std::move(*text);
    }
    if (const ClassObject* cls = dynamic_class(value); cls != nullptr && object_as<ClassObject>(value) == nullptr) {
        if (auto text = call_special(*cls, "__format__", value, {IValue(spec)}))
            return string_result(*text, "__format__");
        const IValue& held = plain(value);
        if (!held.is_same(value) && cls->find_special("__str__") == nullptr) return format_builtin(held, spec);
    }
    if (spec.empty()) return str(value);
    if (value.is_number() || value.is_string() || is_big_integer(value)) return format_builtin(value, spec);
    throw_type_error(concat("unsupported format string passed to ", type_name(value), ".__format__"));
}

std::string Instance::repr() { return instance_repr(*this); }

std::string ascii_repr(const IValue& value) {
    std::string out;
    for (const std::string_view part : characters(repr(value))) {
        if (part.size() == 1) {
            out += part;
            continue;
        }
        std::uint32_t code = static_cast<unsigned char>(part[0]) & (0xFFU >> (part.size() + 1));
        for (const char c : part.substr(1)) code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
        std::array<char, 16> escape{};
        std::snprintf(escape.data(), escape.size(),
                      code < 0x100     ? "\\x%02x"
                      : code < 0x10000 ? "\\u%04x"
                                       : "\\U%08x",
                      code);
        out += escape.data();
    }
    return out;
}

std::string address_text(const void* object) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%p", object);
    return text.data();
}

std::vector<std::string_view> characters(std::string_view text) {
    std::vector<std::string_view> out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const auto lead = static_cast<unsigned char>(text[at]);
        std::size_t size = lead < 0x80 ? 1 : lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        size = std::min(size, text.size() - at);
        out.push_back(text.substr(at, size));
        at += size;
    }
    return out;
}

std::int64_t text_length(std::string_view text) {
    std::int64_t count = 0;
    for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
    return count;
}

}  // namespace loupe::python
