// SPDX-License-Identifier: Apache-2.0
// Sequences and optional values. A sequence is a list; it is never changed, only copied.
#include <algorithm>

#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

std::size_t place_in(const IValue& position, std::size_t size, std::size_t end) {
    const std::int64_t given = whole_number(position.to_tensor());
    const std::int64_t at = given < 0 ? given + static_cast<std::int64_t>(size) : given;
    require(at >= 0 && at < static_cast<std::int64_t>(end), "place ", given, " in a sequence of ", size);
    return static_cast<std::size_t>(at);
}

Ptr<ListObject> list_of(std::vector<IValue> elements) {
    return make_ptr<ListObject>(types::tensor(), std::move(elements));
}

void construct(Arguments a, IValue* results) { results[0] = list_of(a[0].to_list().elements); }
void make_empty(Arguments, IValue* results) { results[0] = list_of({}); }
void at(Arguments a, IValue* results) {
    const auto& elements = a[0].to_list().elements;
    results[0] = fn::alias(elements[place_in(a[1], elements.size(), elements.size())].to_tensor());
}
void length(Arguments a, IValue* results) {
    results[0] = scalar_tensor(Scalar(static_cast<std::int64_t>(a[0].to_list().elements.size())), ScalarType::Int64);
}
void insert(Arguments a, IValue* results) {
    std::vector<IValue> elements = a[0].to_list().elements;
    const std::size_t place = a[2].is_none() ? elements.size() : place_in(a[2], elements.size(), elements.size() + 1);
    elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(place), a[1]);
    results[0] = list_of(std::move(elements));
}
void erase(Arguments a, IValue* results) {
    std::vector<IValue> elements = a[0].to_list().elements;
    require(!elements.empty(), "nothing to erase from an empty sequence");
    const std::size_t place = a[1].is_none() ? elements.size() - 1 : place_in(a[1], elements.size(), elements.size());
    elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(place));
    results[0] = list_of(std::move(elements));
}

TensorList split(const Tensor& x, const Tensor& sizes, std::int64_t axis, std::int64_t keepdims) {
    const std::int64_t dim = wrap_dim(axis, x.dim());
    if (!sizes.defined()) {
        if (keepdims == 0) return fn::unbind(x, dim);
        return fn::split(x, std::int64_t{1}, dim);
    }
    if (sizes.dim() == 0) return fn::split(x, whole_number(sizes), dim);
    return fn::split_with_sizes(x, whole_numbers(sizes), dim);
}
Tensor concat_sequence(const TensorList& inputs, std::int64_t axis, std::int64_t new_axis) {
    require(!inputs.empty(), "the sequence is empty");
    return new_axis != 0 ? fn::stack(inputs, axis) : fn::cat(inputs, axis);
}

// What a loop's steps gave, as one tensor.
Tensor stacked(const TensorList& elements, std::int64_t axis, std::int64_t reverse) {
    if (elements.empty()) return fn::full(Dims{0}, Scalar(0.0));
    if (reverse == 0) return fn::stack(elements, axis);
    return fn::stack(TensorList(elements.rbegin(), elements.rend()), axis);
}

void identity(Arguments a, IValue* results) { results[0] = a[0]; }
Tensor identity_of(const Tensor& x) { return fn::alias(x); }
void has_element(Arguments a, IValue* results) {
    results[0] = scalar_tensor(Scalar(!a[0].is_none()), ScalarType::Bool);
}
void get_element(Arguments a, IValue* results) {
    require(!a[0].is_none(), "the optional value is empty");
    results[0] = a[0];
}

constexpr OperatorRecord kRecords[] = {
    made_of("onnx::SequenceConstruct(Tensor[] inputs) -> Tensor[]", "A sequence of tensors.", construct),
    made_of("onnx::SequenceEmpty(*, int dtype=1) -> Tensor[]", "A sequence without elements.", make_empty),
    reading("onnx::SequenceAt(Tensor[] input_sequence, Tensor position) -> Tensor", "An element of a sequence.", at),
    made_of("onnx::SequenceLength(Tensor[] input_sequence) -> Tensor", "The number of elements.", length),
    reading("onnx::SequenceInsert(Tensor[] input_sequence, Tensor tensor, Tensor? position=None) -> Tensor[]",
            "A sequence with an element more.", insert),
    reading("onnx::SequenceErase(Tensor[] input_sequence, Tensor? position=None) -> Tensor[]",
            "A sequence without an element.", erase),
    reading("onnx::SplitToSequence(Tensor input, Tensor? split=None, *, int axis=0, int keepdims=1) -> Tensor[]",
            "Parts along an axis, as a sequence.", boxed<split>),
    made_of("onnx::ConcatFromSequence(Tensor[] input_sequence, *, int axis, int new_axis=0) -> Tensor",
            "A sequence's elements one behind another.", boxed<concat_sequence>),
    made_of("onnx::stacked(Tensor[] elements, int axis=0, int reverse=0) -> Tensor",
            "The results of a loop's steps along a new axis.", boxed<stacked>),
    made_of("onnx::Identity(Tensor input) -> Tensor", "The input.", boxed<identity_of>),
    made_of("onnx::Identity.sequence(Tensor[]? input) -> Tensor[]?", "The input.", identity),
    made_of("onnx::Identity.list(Tensor[] input) -> Tensor[]", "The input.", identity),
    made_of("onnx::Optional(Tensor input) -> Tensor?", "An optional value.", identity),
    made_of("onnx::Optional.list(Tensor[] input) -> Tensor[]?", "An optional value.", identity),
    made_of("onnx::OptionalHasElement(Tensor? input=None) -> Tensor", "Is there a value?", has_element),
    made_of("onnx::OptionalHasElement.list(Tensor[]? input=None) -> Tensor", "Is there a value?", has_element),
    made_of("onnx::OptionalGetElement(Tensor? input) -> Tensor", "The value.", get_element),
    made_of("onnx::OptionalGetElement.list(Tensor[]? input) -> Tensor[]", "The value.", get_element),
};

}  // namespace

std::span<const OperatorRecord> sequence_records() { return kRecords; }

}  // namespace loupe::onnx
