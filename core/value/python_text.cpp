// SPDX-License-Identifier: Apache-2.0
// Values as Python and as PyTorch's schemas and graphs write them.
#include <array>
#include <cmath>
#include <cstdio>

#include "core/base/strings.h"
#include "core/value/ivalue.h"

namespace loupe {
namespace {

template <typename Range, typename ToText>
std::string joined(const Range& values, ToText to_text) {
    std::string out;
    for (const auto& value : values) {
        if (!out.empty()) out += ", ";
        out += to_text(value);
    }
    return out;
}

// A part of a complex number: Python drops the ".0" there.
std::string complex_part(double value) {
    std::string text = python_repr(value);
    if (text.ends_with(".0")) text.resize(text.size() - 2);
    return text;
}

std::string complex_repr(std::complex<double> value) {
    const std::string imaginary = complex_part(value.imag()) + "j";
    if (value.real() == 0 && !std::signbit(value.real())) return imaginary;
    const bool has_sign = imaginary.front() == '-';
    return concat("(", complex_part(value.real()), has_sign ? "" : "+", imaginary, ")");
}

std::string tuple_repr(const TupleObject& tuple) {
    const auto* type = tuple.type ? tuple.type->as<TupleType>() : nullptr;
    if (type != nullptr && type->fields().size() == tuple.elements.size() && !type->fields().empty()) {
        std::vector<std::string> parts;
        for (std::size_t i = 0; i < tuple.elements.size(); ++i) {
            parts.push_back(concat(type->fields()[i], "=", python_repr(tuple.elements[i])));
        }
        return concat(split(type->name(), '.').back(), "(", join(parts, ", "), ")");
    }
    if (type != nullptr && type->name() == "torch.Size") {
        return concat("torch.Size([", joined(tuple.elements, [](const IValue& v) { return python_repr(v); }), "])");
    }
    const std::string inner = joined(tuple.elements, [](const IValue& v) { return python_repr(v); });
    return concat("(", inner, tuple.elements.size() == 1 ? ",)" : ")");
}

std::string device_repr(Device device) {
    if (device.type == DeviceType::Cpu) return "device(type='cpu')";
    return concat("device(type='", device_type_name(device.type), "', index=", static_cast<int>(device.index), ")");
}

std::string object_repr(const Object& object) {
    std::array<char, 32> address{};
    std::snprintf(address.data(), address.size(), "%p", static_cast<const void*>(&object));
    return concat("<", object.type()->name(), " object at ", address.data(), ">");
}

// PyTorch's: "1." for whole numbers that an int64 holds, otherwise 17 significant digits. -0 is "0.".
std::string double_text(double value) {
    if (std::fabs(value) < 0x1p63 && std::trunc(value) == value) {
        return concat(static_cast<std::int64_t>(value), ".");
    }
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.17g", value);
    return text.data();
}

std::string complex_text(std::complex<double> value) {
    const double imaginary = value.imag();
    return concat(double_text(value.real()), std::signbit(imaginary) ? "-" : "+", double_text(std::fabs(imaginary)),
                  "j");
}

}  // namespace

std::string python_str(const IValue& value) {
    if (value.is_string()) return value.to_string();
    if (value.is_device()) return device_name(value.to_device());
    if (value.is_enum()) return concat(split(value.to_enum().type->name(), '.').back(), ".", value.to_enum().name);
    return python_repr(value);
}

std::string python_repr(const IValue& value) {
    switch (value.tag()) {
        case IValue::Tag::None:
            return "None";
        case IValue::Tag::Bool:
            return value.to_bool() ? "True" : "False";
        case IValue::Tag::Int:
            return std::to_string(value.to_int());
        case IValue::Tag::Double:
            return python_repr(value.to_double());
        case IValue::Tag::Device:
            return device_repr(value.to_device());
        case IValue::Tag::Tensor:
            return concat("Tensor(", describe(value.to_tensor()), ")");
        case IValue::Tag::Complex:
            return complex_repr(value.to_complex());
        case IValue::Tag::String:
            return python_repr(std::string_view(value.to_string()));
        case IValue::Tag::List:
            return concat("[", joined(value.to_list().elements, [](const IValue& v) { return python_repr(v); }), "]");
        case IValue::Tag::Tuple:
            return tuple_repr(value.to_tuple());
        case IValue::Tag::Dict:
            return concat("{",
                          joined(value.to_dict().entries(),
                                 [](const DictObject::Entry& entry) {
                                     return concat(python_repr(entry.first), ": ", python_repr(entry.second));
                                 }),
                          "}");
        case IValue::Tag::Object:
            return object_repr(*value.to_object());
        case IValue::Tag::Enum:
            return concat("<", python_str(value), ": ", python_repr(value.to_enum().value), ">");
        case IValue::Tag::Future:
            return "<Future object>";
        case IValue::Tag::Other:
            return "<object>";
    }
    __builtin_unreachable();
}

std::string constant_text(const IValue& value) {
    auto inner = [](const IValue& v) { return constant_text(v); };
    switch (value.tag()) {
        case IValue::Tag::Double:
            return double_text(value.to_double());
        case IValue::Tag::Complex:
            return complex_text(value.to_complex());
        case IValue::Tag::String:
            return quoted(value.to_string());
        case IValue::Tag::List:
            return concat("[", joined(value.to_list().elements, inner), "]");
        case IValue::Tag::Tuple:
            return concat("(", joined(value.to_tuple().elements, inner),
                          value.to_tuple().elements.size() == 1 ? ",)" : ")");
        case IValue::Tag::Dict:
            return concat("{",
                          joined(value.to_dict().entries(),
                                 [](const DictObject::Entry& entry) {
                                     return concat(constant_text(entry.first), ": ", constant_text(entry.second));
                                 }),
                          "}");
        case IValue::Tag::Enum:
            return concat("Enum<", value.to_enum().type->name(), ".", value.to_enum().name, ">");
        default:
            return python_str(value);
    }
}

}  // namespace loupe
