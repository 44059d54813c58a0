// SPDX-License-Identifier: Apache-2.0
// torch.tensor and torch.as_tensor of numbers and nested lists.

#include "core/autograd/variable.h"
#include "core/dispatch/functions.h"
#include "core/ops/creation/creation.h"
#include "core/ops/creation/family.h"

namespace loupe {
namespace {

using namespace creation;

std::optional<ScalarType> dtype_of(const IValue& v) { return detail::Unbox<std::optional<ScalarType>>::from(v); }

// The shape along first elements; every list must agree with it.
Dims shape_of(const IValue& data) {
    Dims shape;
    for (const IValue* at = &data; at->is_list();) {
        const auto& elements = at->to_list().elements;
        shape.push_back(static_cast<std::int64_t>(elements.size()));
        if (elements.empty()) break;
        at = &elements.front();
    }
    return shape;
}

void collect(const IValue& data, const Dims& shape, std::size_t depth, std::vector<Scalar>& numbers) {
    if (!data.is_list()) {
        require(depth == shape.size(), "Expected a sequence at dim ", depth, " (got a number)");
        numbers.push_back(data.is_tensor() ? item(data.to_tensor()) : data.to_scalar());
        return;
    }
    const auto& elements = data.to_list().elements;
    require(depth < shape.size() && static_cast<std::int64_t>(elements.size()) == shape[depth],
            "Expected sequence of length ", depth < shape.size() ? shape[depth] : 0, " at dim ", depth, " (got ",
            elements.size(), ")");
    for (const IValue& element : elements) collect(element, shape, depth + 1, numbers);
}

// The list's declared element type, also of empty lists.
ScalarType element_dtype(const IValue& data, const std::vector<Scalar>& numbers) {
    if (!numbers.empty()) return default_dtype_of(numbers.front());
    TypePtr type = type_of(data);
    while (type->kind() == TypeKind::List) type = type->element();
    if (type->kind() == TypeKind::Int) return ScalarType::Int64;
    return type->kind() == TypeKind::Bool ? ScalarType::Bool : kDefaultDtype;
}

Tensor from_list(const IValue& data, const IValue& dtype) {
    const Dims shape = shape_of(data);
    std::vector<Scalar> numbers;
    collect(data, shape, 0, numbers);
    const Tensor out = empty(span_of(shape), dtype_of(dtype).value_or(element_dtype(data, numbers)));
    visit_any_dtype(out.dtype(), [&]<typename T>(std::type_identity<T>) {
        T* to = out.data<T>();
        for (const Scalar& number : numbers) *to++ = number.to<T>();
    });
    return out;
}
Tensor from_number(const Scalar& value, const IValue& dtype) {
    return scalar_tensor(value, dtype_of(dtype).value_or(default_dtype_of(value)));
}

// (data, dtype, device, requires_grad)
void tensor_kernel(Arguments arguments, IValue* results) {
    const IValue& data = arguments[0];
    Tensor out = data.is_list() ? from_list(data, arguments[1]) : from_number(data.to_scalar(), arguments[1]);
    if (!arguments[2].is_none()) out = fn::to_copy(out, IValue(), IValue(), arguments[2]);
    if (arguments.size() > 3 && arguments[3].to_bool()) set_requires_grad(out, true);
    results[0] = std::move(out);
}
// as_tensor converts a tensor only when its dtype or device differs.
void as_tensor_kernel(Arguments arguments, IValue* results) {
    const Tensor data = arguments[0].to_tensor();
    const auto dtype = static_cast<std::int64_t>(dtype_of(arguments[1]).value_or(data.dtype()));
    const bool moves = !arguments[2].is_none() && !(arguments[2].to_device().type == data.device().type);
    if (!moves && dtype == static_cast<std::int64_t>(data.dtype()))
        results[0] = data;
    else
        results[0] = fn::to_copy(data, dtype, IValue(), arguments[2]);
}
constexpr OperatorRecord literal(std::string_view schema, std::string_view summary) {
    return {.schema = schema, .summary = summary, .kernel = &tensor_kernel, .placement = Placement::Anywhere};
}

constexpr OperatorRecord kRecords[] = {
    literal(
        "aten::tensor(t[] data, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor",
        "A tensor of nested lists of numbers.")
        .with_dtypes({kAnyDtype}),
    literal("aten::tensor.float(float t, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> "
            "Tensor",
            "A 0-dimensional tensor."),
    literal(
        "aten::tensor.int(int t, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor",
        "A 0-dimensional tensor."),
    literal(
        "aten::tensor.bool(bool t, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) -> Tensor",
        "A 0-dimensional tensor."),
    literal("aten::tensor.complex(complex t, *, ScalarType? dtype=None, Device? device=None, bool requires_grad=False) "
            "-> Tensor",
            "A 0-dimensional tensor."),
    {.schema = "aten::as_tensor(Tensor(a) data, *, ScalarType? dtype=None, Device? device=None) -> Tensor(b|a)",
     .summary = "data, converted where it must be.",
     .composite = &as_tensor_kernel,
     .gradient = "data: grad"},
    literal("aten::as_tensor.float(float t, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
            "A 0-dimensional tensor."),
    literal("aten::as_tensor.int(int t, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
            "A 0-dimensional tensor."),
    literal("aten::as_tensor.bool(bool t, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
            "A 0-dimensional tensor."),
    literal("aten::as_tensor.complex(complex t, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
            "A 0-dimensional tensor."),
    literal("aten::as_tensor.list(t[] data, *, ScalarType? dtype=None, Device? device=None) -> Tensor",
            "A tensor of nested lists of numbers."),
};

}  // namespace

std::span<const OperatorRecord> creation::literal_records() { return kRecords; }

}  // namespace loupe
