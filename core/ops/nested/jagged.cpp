// SPDX-License-Identifier: Apache-2.0
// The operators that make jagged tensors and give their parts.

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/ops/nested/family.h"
#include "core/ops/nested/padding.h"
#include "core/ops/nested/strided.h"
#include "core/ops/samples.h"
#include "core/ops/view/geometry.h"

namespace loupe {
namespace {

const OperatorHandle<> kViewFromJagged{"loupe::nested_view"}, kGetValues{"loupe::nested_values"};

ViewGeometry whole(const Tensor& self) { return geometry_of(self); }
void pass_gradient(GradientContext& context) {
    context.grad(0, [&] { return context.grad_output(); });
}

// torch.nested keeps a known length as the first size of an empty tensor, so that it can be symbolic.
std::optional<std::int64_t> stored_length(const Tensor& t) {
    return t.defined() && t.dim() > 0 ? std::optional(t.size(0)) : std::nullopt;
}
Tensor length_tensor(std::optional<std::int64_t> length) {
    return length ? zeros(span_of(Dims{*length, 0})) : Tensor();
}

Tensor view_from_jagged(const Tensor& values, const Tensor& offsets, const Tensor&, const Tensor& lengths,
                        std::int64_t ragged, const Tensor& least, const Tensor& most) {
    const auto known = std::make_shared<SequenceLengths>(SequenceLengths{stored_length(least), stored_length(most)});
    return make_jagged(kViewFromJagged(values), offsets, lengths, ragged, known);
}

const JaggedParts& parts_of(const Tensor& t) {
    if (!is_jagged(t)) throw Error(ErrorKind::Run, "expected a nested tensor with the jagged layout");
    return jagged_parts(t);
}
Tensor get_values(const Tensor& t) { return kGetValues(parts_of(t).values); }
Tensor get_offsets(const Tensor& t) { return parts_of(t).offsets; }
Tensor get_lengths(const Tensor& t) { return parts_of(t).lengths; }
std::int64_t get_ragged(const Tensor& t) { return parts_of(t).ragged; }
Tensor get_least(const Tensor& t) { return length_tensor(parts_of(t).known->least); }
Tensor get_most(const Tensor& t) { return length_tensor(parts_of(t).known->most); }

Tensor to_padded_tensor(const Tensor& t, double padding, const std::optional<Dims>& size) {
    if (is_strided_nested(t)) {
        if (!t.is_contiguous())
            throw Error(ErrorKind::Run, "for now to_padded_tensor only supports contiguous nested tensor");
        return nested_ops::padded_constituents(t, padding, size);
    }
    if (!is_jagged(t))
        throw Error(ErrorKind::Unsupported,
                    "Could not run 'aten::to_padded_tensor' with arguments from the 'CPU' backend");
    const JaggedParts& parts = parts_of(t);
    if (parts.lengths.defined())
        throw Error(ErrorKind::Run, "to_padded_tensor(): not supported for nested tensors with holes");
    if (size && static_cast<std::int64_t>(size->size()) != t.dim())
        throw Error(ErrorKind::Run, "to_padded_tensor(): output_size needs one size for each dimension");
    if (size) return to_padded(t, padding, (*size)[static_cast<std::size_t>(parts.ragged)]);
    return to_padded(t, padding, parts.known->most ? *parts.known->most : parts.values.size(0));
}

// One ragged dimension of the several that the schemas have room for.
const Tensor& only(const TensorList& offsets) {
    if (offsets.size() != 1) throw Error(ErrorKind::Run, "only one jagged dim is supported for now");
    return offsets[0];
}
Tensor jagged_to_padded(const Tensor& values, const TensorList& offsets, const Dims& most, double padding) {
    if (most.size() != 1 || most[0] < 0 || values.dim() < 1)
        throw Error(ErrorKind::Run, "expected one length of 0 or more, and values of one dimension or more");
    return padded_rows(values, sequences_of(only(offsets), {}, values.size(0)), most[0], padding);
}
Tensor padded_to_jagged(const Tensor& padded, const TensorList& offsets, std::optional<std::int64_t> total) {
    if (padded.dim() < 2) throw Error(ErrorKind::Run, "expected a padded tensor of two dimensions or more");
    const std::int64_t all = total ? *total : item(fn::select(only(offsets), 0, -1)).to_int();
    const auto sequences = sequences_of(only(offsets), {}, all);
    if (static_cast<std::int64_t>(sequences.size()) != padded.size(0))
        throw Error(ErrorKind::Run, "offsets and the padded tensor have different batch sizes");
    return unpadded_rows(padded, sequences, all);
}

Tensor from_padded(const Tensor& padded, const Tensor& offsets, const Tensor&, std::int64_t ragged, const Tensor& least,
                   const Tensor& most, std::optional<std::int64_t> total) {
    const Tensor rows = ragged == 1 ? padded : fn::transpose(padded, ragged, 1);
    const Tensor values = padded_to_jagged(rows, {offsets}, total);
    const auto known = std::make_shared<SequenceLengths>(SequenceLengths{stored_length(least), stored_length(most)});
    return make_jagged(ragged_first(values, ragged - 1), offsets, {}, ragged, known);
}

constexpr OperatorRecord about(std::string_view schema, std::string_view summary, KernelFunction composite) {
    return {.schema = schema, .summary = summary, .composite = composite, .sparse = {.as_is = true}};
}

std::vector<Sample> one_sample(Random& random, ScalarType dtype) { return {{{random_tensor(random, {2, 3}, dtype)}}}; }

// The history of a jagged tensor is that of its values: these are the steps from and to them.
constexpr OperatorRecord view_of_values(std::string_view schema, std::string_view node) {
    return {.schema = schema,
            .summary = "The values of a nested tensor.",
            .infer = inferring_view<whole>,
            .kernel = viewing<whole>,
            .derivative = {pass_gradient, {}, node},
            .gradient = "self: grad",
            .samples = one_sample};
}

constexpr OperatorRecord kRecords[] = {
    view_of_values("loupe::nested_view(Tensor(a) self) -> Tensor(a)", "NestedViewFromJaggedBackward0"),
    view_of_values("loupe::nested_values(Tensor(a) self) -> Tensor(a)", "NestedGetValuesBackward0"),
    about("aten::_nested_view_from_jagged(Tensor(a) self, Tensor offsets, Tensor dummy, Tensor? lengths=None, int "
          "ragged_idx=1, Tensor? min_seqlen=None, Tensor? max_seqlen=None) -> Tensor(a)",
          "The nested tensor whose sequences follow each other in these values.", boxed<view_from_jagged>),
    about("aten::_nested_get_values(Tensor(a) self) -> Tensor(a)", "The values of all sequences.", boxed<get_values>),
    about("aten::_nested_get_offsets(Tensor self) -> Tensor", "Where each sequence begins.", boxed<get_offsets>),
    about("aten::_nested_get_lengths(Tensor self) -> Tensor", "The length of each sequence, where kept.",
          boxed<get_lengths>),
    about("aten::_nested_get_ragged_idx(Tensor self) -> int", "The ragged dimension.", boxed<get_ragged>),
    about("aten::_nested_get_min_seqlen(Tensor self) -> Tensor", "The least length, where known.", boxed<get_least>),
    about("aten::_nested_get_max_seqlen(Tensor self) -> Tensor", "The greatest length, where known.", boxed<get_most>),
    about("aten::to_padded_tensor(Tensor self, float padding, SymInt[]? output_size=None) -> Tensor",
          "The sequences filled up to one length.", boxed<to_padded_tensor>),
    about("aten::nested_to_padded_tensor(Tensor self, float padding, int[]? output_size=None) -> Tensor",
          "The sequences filled up to one length.", boxed<to_padded_tensor>),
    about("aten::_jagged_to_padded_dense_forward(Tensor values, Tensor[] offsets, SymInt[] max_lengths, float "
          "padding_value=0.0) -> Tensor",
          "The sequences of these values filled up to one length.", boxed<jagged_to_padded>),
    about("aten::_padded_dense_to_jagged_forward(Tensor dense, Tensor[] offsets, SymInt? total_L=None) -> Tensor",
          "The sequences' own rows of a padded tensor, one after the other.", boxed<padded_to_jagged>),
    about("aten::_nested_from_padded_tensor(Tensor padded, Tensor offsets, Tensor dummy, int ragged_idx=1, Tensor? "
          "min_seqlen=None, Tensor? max_seqlen=None, SymInt? sum_S=None) -> Tensor",
          "The nested tensor of the sequences' own rows of a padded one.", boxed<from_padded>),
};

}  // namespace

std::span<const OperatorRecord> nested_ops::jagged_records() { return kRecords; }

}  // namespace loupe
