// SPDX-License-Identifier: Apache-2.0
// Values as serialized arguments of nodes: {"as_ints": [1, 2]}.
#include <algorithm>
#include <cmath>
#include <optional>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/exported/graph_recorder.h"
#include "core/formats/exported/program_enums.h"

namespace loupe::exported {
namespace {

const TypePtr& inner_type(const TypePtr& type) { return type->kind() == TypeKind::Optional ? type->element() : type; }

Json float_json(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return value;
}

// Integers in graphs that the schema spells as enumerations.
std::optional<Json> enumeration(std::int64_t value, const Argument& formal) {
    const std::string& text = formal.type_text;
    if (text.starts_with("ScalarType")) return Json{{"as_scalar_type", serialized_dtype_number(value)}};
    if (text.starts_with("MemoryFormat")) return Json{{"as_memory_format", serialized_memory_format(value)}};
    if (text.starts_with("Layout")) return Json{{"as_layout", serialized_layout(value)}};
    return std::nullopt;
}

Json device_json(const Device& device) {
    const std::string text = device_name(device);
    const auto colon = text.find(':');
    if (colon == std::string::npos) return Json{{"as_device", {{"type", text}, {"index", nullptr}}}};
    return Json{{"as_device", {{"type", text.substr(0, colon)}, {"index", std::stoi(text.substr(colon + 1))}}}};
}

TypeKind element_kind(const ListObject& list, const Argument* formal) {
    if (formal != nullptr) {
        const TypePtr& type = inner_type(formal->type);
        if (type->kind() == TypeKind::List && type->element()->kind() != TypeKind::Var)
            return inner_type(type->element())->kind();
    }
    if (!list.elements.empty()) {
        if (list.elements[0].is_tensor()) return TypeKind::Tensor;
        if (const auto number = number_in(list.elements[0])) return number->kind;
    }
    return inner_type(list.element_type)->kind();
}

}  // namespace

Json GraphRecorder::number_argument(const SymbolicNumber& number, std::vector<std::string>& reads) {
    const std::string name = name_of(number);
    reads.push_back(name);
    const char* kind = number.kind == TypeKind::Float  ? "as_sym_float"
                       : number.kind == TypeKind::Bool ? "as_sym_bool"
                                                       : "as_sym_int";
    return Json{{kind, {{"as_name", name}}}};
}

Json GraphRecorder::argument(const IValue& value, const Argument* formal, std::vector<std::string>& reads) {
    if (value.is_none()) return Json{{"as_none", true}};
    if (const auto number = number_in(value)) return number_argument(*number, reads);
    if (value.is_tensor()) {
        reads.push_back(name_of(value.to_tensor()));
        return Json{{"as_tensor", {{"name", reads.back()}}}};
    }
    if (value.is_list()) return list_argument(value.to_list(), formal, reads);
    if (value.is_string()) return Json{{"as_string", value.to_string()}};
    if (value.is_device()) return device_json(value.to_device());
    if (value.is_bool()) return Json{{"as_bool", value.to_bool()}};
    if (value.is_int()) {
        if (formal != nullptr) {
            if (auto found = enumeration(value.to_int(), *formal)) return *found;
            if (inner_type(formal->type)->kind() == TypeKind::Float)
                return Json{{"as_float", static_cast<double>(value.to_int())}};
            if (inner_type(formal->type)->kind() == TypeKind::List)  // one number for all of int[2]
                return Json{{"as_ints", Json::array({value.to_int()})}};
        }
        return Json{{"as_int", value.to_int()}};
    }
    if (value.is_double()) return Json{{"as_float", float_json(value.to_double())}};
    if (value.is_complex()) {
        const auto complex = value.to_complex();
        return Json{{"as_complex", {{"real", float_json(complex.real())}, {"imag", float_json(complex.imag())}}}};
    }
    throw Error(ErrorKind::Unsupported,
                concat("a program of torch.export has no arguments of type ", value_type_name(value)));
}

Json GraphRecorder::list_argument(const ListObject& list, const Argument* formal, std::vector<std::string>& reads) {
    const TypeKind kind = element_kind(list, formal);
    Json out = Json::array();
    if (kind == TypeKind::Tensor) {
        const bool may_be_none =
            (formal != nullptr && inner_type(formal->type)->kind() == TypeKind::List &&
             inner_type(formal->type)->element()->kind() == TypeKind::Optional) ||
            std::ranges::any_of(list.elements, [](const IValue& each) { return !each.is_tensor(); });
        for (const IValue& each : list.elements) {
            if (number_in(each))
                throw Error(ErrorKind::Unsupported, "a program of torch.export has no lists of tensors and numbers");
            Json argument = this->argument(each, nullptr, reads);
            out.push_back(may_be_none ? std::move(argument) : std::move(argument["as_tensor"]));
        }
        return Json{{may_be_none ? "as_optional_tensors" : "as_tensors", out}};
    }
    const bool is_symbolic =
        std::ranges::any_of(list.elements, [](const IValue& e) { return number_in(e) != nullptr; });
    for (const IValue& each : list.elements) {
        if (const auto number = number_in(each)) {
            reads.push_back(name_of(*number));
            out.push_back(Json{{"as_name", reads.back()}});
        } else if (is_symbolic) {
            out.push_back(kind == TypeKind::Float  ? Json{{"as_float", float_json(each.to_double())}}
                          : kind == TypeKind::Bool ? Json{{"as_bool", each.to_bool()}}
                                                   : Json{{"as_int", each.to_int()}});
        } else if (each.is_string()) {
            out.push_back(each.to_string());
        } else if (kind == TypeKind::Float) {
            out.push_back(float_json(each.to_double()));
        } else if (each.is_bool()) {
            out.push_back(each.to_bool());
        } else if (each.is_int()) {
            out.push_back(each.to_int());
        } else if (each.is_double()) {
            out.push_back(float_json(each.to_double()));
        } else {
            throw Error(ErrorKind::Unsupported,
                        concat("a program of torch.export has no lists of ", value_type_name(each)));
        }
    }
    if (is_symbolic)
        return Json{{kind == TypeKind::Float  ? "as_sym_floats"
                     : kind == TypeKind::Bool ? "as_sym_bools"
                                              : "as_sym_ints",
                     out}};
    if (kind == TypeKind::String) return Json{{"as_strings", out}};
    const bool are_floats = kind == TypeKind::Float || (!list.elements.empty() && list.elements[0].is_double());
    const bool are_bools = kind == TypeKind::Bool || (!list.elements.empty() && list.elements[0].is_bool());
    return Json{{are_floats ? "as_floats" : are_bools ? "as_bools" : "as_ints", out}};
}

}  // namespace loupe::exported
