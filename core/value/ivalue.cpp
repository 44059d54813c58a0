// SPDX-License-Identifier: Apache-2.0
#include "core/value/ivalue.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe {

static_assert(sizeof(IValue) == 16);

IValue::IValue(std::complex<double> value) : IValue(Tag::Complex, new ComplexObject(value)) {}
IValue::IValue(std::string text) : IValue(Tag::String, new StringObject(std::move(text))) {}
IValue IValue::other(Ptr<RefCounted> object) { return {Tag::Other, object.get()}; }

IValue::IValue(const Scalar& value) : IValue() {
    switch (value.kind()) {
        case Scalar::Kind::Bool:
            *this = value.to_bool();
            break;
        case Scalar::Kind::Int:
            *this = value.to_int();
            break;
        case Scalar::Kind::Double:
            *this = value.to_double();
            break;
        case Scalar::Kind::Complex:
            *this = value.to_complex();
            break;
    }
}

IValue::IValue(IntSpan values)
    : IValue(make_ptr<ListObject>(types::integer(), std::vector<IValue>(values.begin(), values.end()))) {}
IValue::IValue(std::span<const double> values)
    : IValue(make_ptr<ListObject>(types::floating(), std::vector<IValue>(values.begin(), values.end()))) {}
IValue::IValue(const TensorList& values)
    : IValue(make_ptr<ListObject>(types::tensor(), std::vector<IValue>(values.begin(), values.end()))) {}

void IValue::wrong_tag(const char* expected) const {
    throw Error(ErrorKind::Run, concat("expected ", expected, ", got ", value_type_name(*this)));
}

std::complex<double> IValue::to_complex() const {
    if (tag_ == Tag::Complex) return static_cast<ComplexObject*>(payload_.object)->value;
    if (!is_number()) wrong_tag("complex");
    return to_double();
}

Scalar IValue::to_scalar() const {
    switch (tag_) {
        case Tag::Bool:
            return payload_.integer != 0;
        case Tag::Int:
            return payload_.integer;
        case Tag::Double:
            return payload_.real;
        case Tag::Complex:
            return to_complex();
        default:
            wrong_tag("Scalar");
    }
}

Device IValue::to_device() const {
    if (tag_ != Tag::Device) wrong_tag("Device");
    return payload_.device;
}

const std::string& IValue::to_string() const {
    if (tag_ != Tag::String) wrong_tag("str");
    return static_cast<StringObject*>(payload_.object)->text;
}

ListObject& IValue::to_list() const {
    if (tag_ != Tag::List) wrong_tag("List");
    return *static_cast<ListObject*>(payload_.object);
}

TupleObject& IValue::to_tuple() const {
    if (tag_ != Tag::Tuple) wrong_tag("Tuple");
    return *static_cast<TupleObject*>(payload_.object);
}

DictObject& IValue::to_dict() const {
    if (tag_ != Tag::Dict) wrong_tag("Dict");
    return *static_cast<DictObject*>(payload_.object);
}

Ptr<Object> IValue::to_object() const {
    if (tag_ != Tag::Object) wrong_tag("an object");
    return static_cast<Object*>(payload_.object);
}

EnumValue& IValue::to_enum() const {
    if (tag_ != Tag::Enum) wrong_tag("an enum");
    return *static_cast<EnumValue*>(payload_.object);
}

FutureObject& IValue::to_future() const {
    if (tag_ != Tag::Future) wrong_tag("Future");
    return *static_cast<FutureObject*>(payload_.object);
}

Ptr<RefCounted> IValue::to_other() const {
    if (!is_counted()) wrong_tag("an object");
    return payload_.object;
}

namespace {
// Python takes a tuple wherever it takes a list of numbers.
const std::vector<IValue>& elements_of(const IValue& value) {
    return value.is_tuple() ? value.to_tuple().elements : value.to_list().elements;
}
}  // namespace

Dims IValue::to_ints() const {
    Dims out;
    if (tag_ == Tag::Int) {
        out.push_back(payload_.integer);
        return out;
    }
    const auto& elements = elements_of(*this);
    out.reserve(elements.size());
    for (const auto& element : elements) out.push_back(element.to_int());
    return out;
}

std::vector<double> IValue::to_doubles() const {
    if (tag_ == Tag::Int || tag_ == Tag::Double) return {to_double()};
    std::vector<double> out;
    for (const auto& element : elements_of(*this)) out.push_back(element.to_double());
    return out;
}

std::vector<bool> IValue::to_bools() const {
    if (tag_ == Tag::Bool) return {to_bool()};
    std::vector<bool> out;
    for (const auto& element : elements_of(*this)) out.push_back(element.to_bool());
    return out;
}

TensorList IValue::to_tensors() const {
    const auto& elements = elements_of(*this);
    TensorList out;
    out.reserve(elements.size());
    for (const auto& element : elements) out.push_back(element.to_tensor());
    return out;
}

bool IValue::is_same(const IValue& other) const {
    if (tag_ != other.tag_) return false;
    switch (tag_) {
        case Tag::None:
            return true;
        case Tag::Double:
            return payload_.real == other.payload_.real;
        case Tag::Device:
            return payload_.device == other.payload_.device;
        case Tag::Bool:
        case Tag::Int:
            return payload_.integer == other.payload_.integer;
        default:
            return payload_.object == other.payload_.object;
    }
}

std::string value_type_name(const IValue& value) { return type_of(value)->annotation_str(); }

TypePtr type_of(const IValue& value) {
    switch (value.tag()) {
        case IValue::Tag::None:
            return types::none();
        case IValue::Tag::Bool:
            return types::boolean();
        case IValue::Tag::Int:
            return types::integer();
        case IValue::Tag::Double:
            return types::floating();
        case IValue::Tag::Device:
            return types::device();
        case IValue::Tag::Tensor:
            return types::tensor();
        case IValue::Tag::Complex:
            return types::complex();
        case IValue::Tag::String:
            return types::string();
        case IValue::Tag::List:
            return types::list(value.to_list().element_type);
        case IValue::Tag::Dict:
            return types::dict(value.to_dict().key_type, value.to_dict().value_type);
        case IValue::Tag::Object:
            return value.to_object()->type();
        case IValue::Tag::Enum:
            return value.to_enum().type;
        case IValue::Tag::Future:
            return types::future(type_of(value.to_future().value));
        case IValue::Tag::Other:
            return types::shared(TypeKind::Capsule);
        case IValue::Tag::Tuple:
            break;
    }
    const TupleObject& tuple = value.to_tuple();
    if (tuple.type) return tuple.type;
    std::vector<TypePtr> elements;
    for (const auto& element : tuple.elements) elements.push_back(type_of(element));
    return types::tuple(std::move(elements));
}

}  // namespace loupe
