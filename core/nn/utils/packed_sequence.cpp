// SPDX-License-Identifier: Apache-2.0
#include "core/nn/utils/packed_sequence.h"

#include <array>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"

namespace loupe::nn {
namespace {

const OperatorHandle<std::tuple<Tensor, Tensor>> op_pack("aten::_pack_padded_sequence");
const OperatorHandle<std::tuple<Tensor, Tensor>> op_pad("aten::_pad_packed_sequence");
const OperatorHandle<> op_pad_sequence("aten::pad_sequence");
const OperatorHandle<std::tuple<Tensor, Tensor>> op_sort("aten::sort");

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

const TypePtr& packed_type() {
    static const TypePtr type = types::named_tuple(
        "torch.nn.utils.rnn.PackedSequence", {"data", "batch_sizes", "sorted_indices", "unsorted_indices"},
        {types::tensor(), types::tensor(), types::optional(types::tensor()), types::optional(types::tensor())});
    return type;
}

Tensor inverted(const Tensor& permutation) {
    if (!permutation.defined()) return permutation;
    const Tensor places = fn::arange(permutation.numel(), static_cast<std::int64_t>(ScalarType::Int64));
    return fn::scatter(fn::empty_like(permutation), 0, permutation, places);
}

Tensor lengths_of(const TensorList& sequences) {
    std::vector<std::int64_t> lengths;
    for (const Tensor& sequence : sequences) lengths.push_back(sequence.size(0));
    return tensor_of<std::int64_t>(lengths, std::array<std::int64_t, 1>{static_cast<std::int64_t>(lengths.size())});
}

}  // namespace

IValue PackedSequence::to_value() const {
    return make_ptr<TupleObject>(std::vector<IValue>{data, batch_sizes, sorted_indices, unsorted_indices},
                                 packed_type());
}

bool is_packed_sequence(const IValue& value) {
    return value.is_tuple() && value.to_tuple().type && value.to_tuple().elements.size() == 4 &&
           value.to_tuple().type->name().ends_with("PackedSequence");
}

PackedSequence packed_sequence_of(const IValue& value) {
    if (!is_packed_sequence(value)) run_error(concat("expected a PackedSequence, got ", value_type_name(value)));
    const auto& parts = value.to_tuple().elements;
    return {parts[0].to_tensor(), parts[1].to_tensor(), parts[2].to_tensor(), parts[3].to_tensor()};
}

PackedSequence pack_padded_sequence(const Tensor& input, const Tensor& lengths, bool batch_first, bool enforce_sorted) {
    if (lengths.dim() != 1) run_error("lengths must be a 1D tensor");
    if (enforce_sorted) {
        const auto [data, batch_sizes] = op_pack(input, lengths, batch_first);
        return {data, batch_sizes, {}, {}};
    }
    const auto [sorted, order] = op_sort(lengths, -1, true);
    const Tensor ordered = fn::index_select(input, batch_first ? 0 : 1, order);
    const auto [data, batch_sizes] = op_pack(ordered, sorted, batch_first);
    return {data, batch_sizes, order, inverted(order)};
}

std::pair<Tensor, Tensor> pad_packed_sequence(const PackedSequence& packed, bool batch_first,
                                              const Scalar& padding_value, std::optional<std::int64_t> total_length) {
    const std::int64_t steps = packed.batch_sizes.size(0);
    if (total_length && *total_length < steps) {
        run_error(concat(
            "Expected total_length to be at least the length of the longest sequence in input, but got total_length=",
            *total_length, " and max sequence length being ", steps));
    }
    const auto [padded, lengths] =
        op_pad(packed.data, packed.batch_sizes, batch_first, padding_value, total_length.value_or(steps));
    if (!packed.unsorted_indices.defined()) return {padded, lengths};
    return {fn::index_select(padded, batch_first ? 0 : 1, packed.unsorted_indices),
            fn::index_select(lengths, 0, packed.unsorted_indices)};
}

Tensor pad_sequence(const TensorList& sequences, bool batch_first, double padding_value,
                    std::string_view padding_side) {
    return op_pad_sequence(sequences, batch_first, padding_value, padding_side);
}

TensorList unpad_sequence(const Tensor& padded, const Tensor& lengths, bool batch_first) {
    const Tensor by_batch = batch_first ? padded : fn::transpose(padded, 0, 1);
    TensorList out;
    for (std::int64_t i = 0; i < by_batch.size(0); ++i) {
        out.push_back(fn::narrow(fn::select(by_batch, 0, i), 0, 0, item(fn::select(lengths, 0, i)).to_int()));
    }
    return out;
}

PackedSequence pack_sequence(const TensorList& sequences, bool enforce_sorted) {
    return pack_padded_sequence(pad_sequence(sequences), lengths_of(sequences), false, enforce_sorted);
}

TensorList unpack_sequence(const PackedSequence& packed) {
    const auto [padded, lengths] = pad_packed_sequence(packed, true);
    return unpad_sequence(padded, lengths, true);
}

}  // namespace loupe::nn
