// SPDX-License-Identifier: Apache-2.0
#include "plugins/onnx/read/attributes.h"

#include "core/formats/archive/byte_reader.h"

namespace loupe::onnx {
namespace {

using proto::AttributeProto;

std::string kind_name(AttributeProto::AttributeType kind) {
    switch (kind) {
        case AttributeProto::FLOAT:
            return "a number";
        case AttributeProto::INT:
            return "a whole number";
        case AttributeProto::STRING:
            return "a text";
        case AttributeProto::TENSOR:
            return "a tensor";
        case AttributeProto::GRAPH:
            return "a graph";
        case AttributeProto::FLOATS:
            return "a list of numbers";
        case AttributeProto::INTS:
            return "a list of whole numbers";
        case AttributeProto::STRINGS:
            return "a list of texts";
        default:
            return concat("of kind ", static_cast<int>(kind));
    }
}

IValue texts(const google::protobuf::RepeatedPtrField<std::string>& strings) {
    std::vector<IValue> elements(strings.begin(), strings.end());
    return make_ptr<ListObject>(types::string(), std::move(elements));
}

IValue numbers(const google::protobuf::RepeatedField<float>& floats) {
    const std::vector<double> wide(floats.begin(), floats.end());
    return std::span<const double>(wide);
}

Tensor tensor_copy(const proto::TensorProto& tensor, ExternalFiles& files) {
    // A function's nodes are emitted at each call: the message keeps its data.
    proto::TensorProto copy = tensor;
    return take_tensor(copy, files);
}

}  // namespace

const AttributeProto* resolved(const AttributeProto& attribute, const CallAttributes& call) {
    if (attribute.ref_attr_name().empty()) return &attribute;
    const auto found = call.find(attribute.ref_attr_name());
    return found == call.end() ? nullptr : found->second;
}

AttributeProto::AttributeType kind_of(const AttributeProto& a) {
    if (a.type() != AttributeProto::UNDEFINED) return a.type();
    if (a.has_f()) return AttributeProto::FLOAT;
    if (a.has_i()) return AttributeProto::INT;
    if (a.has_s()) return AttributeProto::STRING;
    if (a.has_t()) return AttributeProto::TENSOR;
    if (a.has_g()) return AttributeProto::GRAPH;
    if (a.floats_size() > 0) return AttributeProto::FLOATS;
    if (a.ints_size() > 0) return AttributeProto::INTS;
    if (a.strings_size() > 0) return AttributeProto::STRINGS;
    return AttributeProto::UNDEFINED;
}

IValue string_list(const proto::TensorProto& tensor) { return texts(tensor.string_data()); }

IValue plain_value(const AttributeProto& a, ExternalFiles& files) {
    switch (kind_of(a)) {
        case AttributeProto::FLOAT:
            return static_cast<double>(a.f());
        case AttributeProto::INT:
            return a.i();
        case AttributeProto::STRING:
            return a.s();
        case AttributeProto::TENSOR:
            return is_string_tensor(a.t()) ? string_list(a.t()) : IValue(tensor_copy(a.t(), files));
        case AttributeProto::FLOATS:
            return numbers(a.floats());
        case AttributeProto::INTS:
            return std::vector<std::int64_t>(a.ints().begin(), a.ints().end());
        case AttributeProto::STRINGS:
            return texts(a.strings());
        default:
            return {};
    }
}

IValue attribute_value(const AttributeProto& a, const TypePtr& formal, const std::string& node, ExternalFiles& files) {
    const Type& type = formal->kind() == TypeKind::Optional ? *formal->element() : *formal;
    const AttributeProto::AttributeType kind = kind_of(a);
    const TypeKind element = type.kind() == TypeKind::List ? type.element()->kind() : TypeKind::None;
    AttributeProto::AttributeType expected = AttributeProto::UNDEFINED;
    switch (type.kind()) {
        case TypeKind::Int:
            expected = AttributeProto::INT;
            break;
        case TypeKind::Float:
            expected = AttributeProto::FLOAT;
            break;
        case TypeKind::String:
            expected = AttributeProto::STRING;
            break;
        case TypeKind::Tensor:
            expected = AttributeProto::TENSOR;
            break;
        default:
            expected = element == TypeKind::Int     ? AttributeProto::INTS
                       : element == TypeKind::Float ? AttributeProto::FLOATS
                                                    : AttributeProto::STRINGS;
            break;
    }
    // An empty list says nothing of its elements.
    const bool is_empty_list = kind == AttributeProto::UNDEFINED && type.kind() == TypeKind::List;
    if (kind != expected && !is_empty_list) {
        throw_file_error(concat("attribute ", quote_name(a.name()), " of ", node, " is ", kind_name(kind), ", not ",
                                kind_name(expected)));
    }
    if (expected == AttributeProto::INTS) return std::vector<std::int64_t>(a.ints().begin(), a.ints().end());
    if (expected == AttributeProto::FLOATS) return numbers(a.floats());
    if (expected == AttributeProto::STRINGS) return texts(a.strings());
    return plain_value(a, files);
}

}  // namespace loupe::onnx
