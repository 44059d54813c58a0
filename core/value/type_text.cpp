// SPDX-License-Identifier: Apache-2.0
// Types as text, in the three forms that PyTorch has.
#include "core/base/strings.h"
#include "core/value/type.h"

namespace loupe {
namespace {

enum class Form { Graph, Schema, Annotation };

std::string text_of(const Type& type, Form form);

std::string list_of(const std::vector<TypePtr>& all, Form form) {
    std::string out;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i > 0) out += ", ";
        out += text_of(*all[i], form);
    }
    return out;
}

using Partial = std::vector<std::optional<std::int64_t>>;

bool is_complete(const std::optional<Partial>& values) {
    if (!values) return false;
    for (const auto& value : *values) {
        if (!value) return false;
    }
    return true;
}

// "Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)".
std::string tensor_text(const TensorType& type) {
    std::string out;
    if (type.dtype) out += dtype_graph_name(*type.dtype);
    if (!type.dtype || !type.sizes) out += "Tensor";
    std::vector<std::string> parts;
    if (type.sizes) {
        for (const auto& size : *type.sizes)
            parts.push_back(!size ? "*" : *size < 0 ? concat("SS(", *size, ")") : std::to_string(*size));
        if (!type.sizes->empty() && is_complete(type.strides) && type.strides->size() == type.sizes->size()) {
            std::vector<std::int64_t> strides;
            for (const auto& stride : *type.strides) strides.push_back(*stride);
            parts.push_back(concat("strides=[", join(strides, ", "), "]"));
        }
    }
    if (type.requires_grad) parts.push_back(*type.requires_grad ? "requires_grad=1" : "requires_grad=0");
    if (type.device) parts.push_back(concat("device=", device_name(*type.device)));
    if (type.sizes || !parts.empty()) out += concat("(", join(parts, ", "), ")");
    if (type.undefined) out += "[Undefined]";
    return out;
}

std::string tuple_text(const TupleType& type, Form form) {
    if (form == Form::Annotation) {
        if (!type.fields().empty()) return type.name();
        return concat("Tuple[", type.contained().empty() ? "()" : list_of(type.contained(), form), "]");
    }
    if (type.fields().empty()) return concat("(", list_of(type.contained(), form), ")");
    if (form == Form::Schema) return type.name();
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < type.fields().size(); ++i) {
        parts.push_back(concat(type.fields()[i], " : ", text_of(*type.contained()[i], form)));
    }
    return concat("NamedTuple(", join(parts, ", "), ")");
}

std::string container_text(const Type& type, Form form) {
    const bool annotation = form == Form::Annotation;
    // PyTorch's graph printer looks into lists, optionals, tuples and futures; inside others it prints as schemas do.
    const Form inner = annotation ? form : Form::Schema;
    switch (type.kind()) {
        case TypeKind::List:
            return annotation ? concat("List[", text_of(*type.element(), form), "]")
                              : text_of(*type.element(), form) + "[]";
        case TypeKind::Optional:
            return annotation ? concat("Optional[", text_of(*type.element(), form), "]")
                              : text_of(*type.element(), form) + "?";
        case TypeKind::Future:
            return form == Form::Schema ? concat("Future(", text_of(*type.element(), form), ")")
                                        : concat("Future[", text_of(*type.element(), form), "]");
        case TypeKind::Dict:
            return annotation ? concat("Dict[", list_of(type.contained(), inner), "]")
                              : concat("Dict(", list_of(type.contained(), inner), ")");
        default:
            return annotation ? concat("Union[", list_of(type.contained(), inner), "]")
                              : concat("Union(", list_of(type.contained(), inner), ")");
    }
}

std::string text_of(const Type& type, Form form) {
    switch (type.kind()) {
        case TypeKind::Any:
            return "Any";
        case TypeKind::Tensor:
            return form == Form::Graph ? tensor_text(*type.as<TensorType>()) : "Tensor";
        case TypeKind::Int:
            return "int";
        case TypeKind::Float:
            return "float";
        case TypeKind::Complex:
            return "complex";
        case TypeKind::Bool:
            return "bool";
        case TypeKind::Number:
            return form == Form::Annotation ? "number" : "Scalar";
        case TypeKind::String:
            return "str";
        case TypeKind::None:
            return "NoneType";
        case TypeKind::Device:
            return "Device";
        case TypeKind::Generator:
            return "Generator";
        case TypeKind::Storage:
            return "Storage";
        case TypeKind::Capsule:
            return type.name().empty() ? "Capsule" : type.name();
        case TypeKind::List:
        case TypeKind::Dict:
        case TypeKind::Optional:
        case TypeKind::Union:
        case TypeKind::Future:
            return container_text(type, form);
        case TypeKind::Tuple:
            return tuple_text(*type.as<TupleType>(), form);
        case TypeKind::AnyList:
            return "list";
        case TypeKind::AnyTuple:
            return "tuple";
        case TypeKind::AnyClass:
            return "AnyClassType";
        case TypeKind::AnyEnum:
            return "AnyEnumType";
        case TypeKind::Var:
        case TypeKind::Class:
            return type.name();
        case TypeKind::Interface:
            return form == Form::Annotation ? type.name()
                                            : concat("InterfaceType<", split(type.name(), '.').back(), ">");
        case TypeKind::Enum:
            return form == Form::Annotation ? type.name() : concat("Enum<", type.name(), ">");
        case TypeKind::Function:
            return "Function";
    }
    __builtin_unreachable();
}

}  // namespace

std::string Type::str() const { return text_of(*this, Form::Graph); }
std::string Type::schema_str() const { return text_of(*this, Form::Schema); }
std::string Type::annotation_str() const { return text_of(*this, Form::Annotation); }

}  // namespace loupe
