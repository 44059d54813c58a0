// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/ivalue.h>

#include "core/base/strings.h"
#include "core/library/torch/call.h"
#include "core/nn/module.h"
#include "core/ops/numbers/text.h"

using namespace loupe::torch_api;

namespace c10 {
namespace {

[[noreturn]] void refuse(const char* expected, const IValue& value) {
    throw Error(loupe::concat("Expected ", expected, " but got ", value.tagKind()));
}

bool is_list_of(const loupe::IValue& value, loupe::TypeKind kind) {
    return value.is_list() && value.to_list().element_type->kind() == kind;
}

loupe::IValue list_of(const std::vector<IValue>& values, const loupe::TypePtr& type) {
    auto list = loupe::make_ptr<loupe::ListObject>(type);
    for (const IValue& value : values) list->elements.push_back(value.engine());
    return list;
}

loupe::TypePtr common_type(const std::vector<IValue>& values) {
    if (values.empty()) return loupe::types::any();
    const loupe::TypePtr first = loupe::type_of(values[0].engine());
    for (const IValue& value : values)
        if (!loupe::type_of(value.engine())->equals(*first)) return loupe::types::any();
    return first;
}

}  // namespace

IValue::IValue(Device device) : engine_(engine_device(device)) {}
IValue::IValue(const std::vector<at::Tensor>& tensors) : engine_(box(at::TensorList(tensors))) {}
IValue::IValue(const std::vector<double>& values) : engine_(std::span<const double>(values)) {}
IValue::IValue(const std::vector<bool>& values) : IValue(List<bool>(std::vector<bool>(values.begin(), values.end()))) {}
IValue::IValue(const std::vector<std::string>& values) : IValue(List<std::string>(values)) {}
IValue::IValue(const std::vector<IValue>& values) : engine_(list_of(values, common_type(values))) {}
IValue::IValue(const intrusive_ptr<ivalue::Tuple>& tuple) {
    std::vector<loupe::IValue> elements;
    for (const IValue& each : tuple->elements()) elements.push_back(each.engine());
    engine_ = loupe::make_ptr<loupe::TupleObject>(std::move(elements));
}

bool IValue::isTensorList() const { return is_list_of(engine_, loupe::TypeKind::Tensor); }
bool IValue::isIntList() const { return is_list_of(engine_, loupe::TypeKind::Int); }
bool IValue::isDoubleList() const { return is_list_of(engine_, loupe::TypeKind::Float); }
bool IValue::isModule() const { return loupe::nn::as_module(engine_) != nullptr; }

std::string IValue::tagKind() const {
    switch (engine_.tag()) {
        case loupe::IValue::Tag::None:
            return "None";
        case loupe::IValue::Tag::Bool:
            return "Bool";
        case loupe::IValue::Tag::Int:
            return "Int";
        case loupe::IValue::Tag::Double:
            return "Double";
        case loupe::IValue::Tag::Device:
            return "Device";
        case loupe::IValue::Tag::Tensor:
            return "Tensor";
        case loupe::IValue::Tag::Complex:
            return "ComplexDouble";
        case loupe::IValue::Tag::String:
            return "String";
        case loupe::IValue::Tag::List:
            return "GenericList";
        case loupe::IValue::Tag::Tuple:
            return "Tuple";
        case loupe::IValue::Tag::Dict:
            return "GenericDict";
        case loupe::IValue::Tag::Object:
            return "Object";
        case loupe::IValue::Tag::Enum:
            return "Enum";
        case loupe::IValue::Tag::Future:
            return "Future";
        case loupe::IValue::Tag::Other:
            break;
    }
    return "Capsule";
}

at::Tensor IValue::toTensor() const {
    if (!isTensor()) refuse("Tensor", *this);
    return at::Tensor(engine_.to_tensor());
}
std::int64_t IValue::toInt() const {
    if (!isInt()) refuse("Int", *this);
    return engine_.to_int();
}
double IValue::toDouble() const {
    if (!isDouble()) refuse("Double", *this);
    return engine_.to_double();
}
bool IValue::toBool() const {
    if (!isBool()) refuse("Bool", *this);
    return engine_.to_bool();
}
Scalar IValue::toScalar() const {
    if (!isScalar()) refuse("Scalar", *this);
    return engine_.to_scalar();
}
Device IValue::toDevice() const {
    if (!isDevice()) refuse("Device", *this);
    return torch_device(engine_.to_device());
}
std::string IValue::toStringRef() const { return std::string(toStringView()); }
std::string_view IValue::toStringView() const {
    if (!isString()) refuse("String", *this);
    return engine_.to_string();
}
intrusive_ptr<ivalue::Tuple> IValue::toTuple() const {
    if (!isTuple()) refuse("Tuple", *this);
    std::vector<IValue> elements;
    for (const loupe::IValue& each : engine_.to_tuple().elements) elements.emplace_back(each);
    return ivalue::Tuple::create(std::move(elements));
}
ivalue::Tuple IValue::toTupleRef() const { return *toTuple(); }
List<IValue> IValue::toList() const {
    if (!isList()) refuse("GenericList", *this);
    return List<IValue>(loupe::Ptr<loupe::ListObject>(&engine_.to_list()));
}
std::vector<IValue> IValue::toListRef() const { return toList().vec(); }
List<at::Tensor> IValue::toTensorList() const {
    if (!isTensorList()) refuse("TensorList", *this);
    return List<at::Tensor>(loupe::Ptr<loupe::ListObject>(&engine_.to_list()));
}
std::vector<at::Tensor> IValue::toTensorVector() const { return toTensorList().vec(); }
std::vector<std::int64_t> IValue::toIntVector() const { return toIntList().vec(); }
List<std::int64_t> IValue::toIntList() const {
    if (!isIntList()) refuse("IntList", *this);
    return List<std::int64_t>(loupe::Ptr<loupe::ListObject>(&engine_.to_list()));
}
std::vector<double> IValue::toDoubleVector() const { return toDoubleList().vec(); }
List<double> IValue::toDoubleList() const {
    if (!isDoubleList()) refuse("DoubleList", *this);
    return List<double>(loupe::Ptr<loupe::ListObject>(&engine_.to_list()));
}
Dict<IValue, IValue> IValue::toGenericDict() const {
    if (!isGenericDict()) refuse("GenericDict", *this);
    return Dict<IValue, IValue>(loupe::Ptr<loupe::DictObject>(&engine_.to_dict()));
}

std::ostream& operator<<(std::ostream& out, const IValue& value) {
    return out << translated([&] { return loupe::numbers::stream_text(value.engine()); });
}

}  // namespace c10
