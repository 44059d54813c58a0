// SPDX-License-Identifier: Apache-2.0
// Jagged tensors: what is expanded, chosen between, written into and normalised over the ragged dimension.

#include <algorithm>

#include "core/dispatch/functions.h"
#include "core/dispatch/refuse_form.h"
#include "core/ops/nested/jagged_rules.h"
#include "core/ops/nested/padding.h"

namespace loupe::nested_ops {
namespace {

const OperatorHandle<> kExpand{"aten::expand"}, kCopy{"aten::copy_"}, kSum{"aten::sum.dim_IntList"},
    kDiv{"aten::div.Tensor"}, kFlatten{"aten::flatten.using_ints"}, kReshape{"aten::reshape"},
    kIndex{"aten::index.Tensor"}, kSqrt{"aten::sqrt"}, kToDevice{"aten::to.dtype_layout"};

void expand(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const JaggedParts& parts = jagged_parts(t);
    Dims size = call.integers(1);
    if (call.function() == "broadcast_to") {
        if (static_cast<std::int64_t>(size.size()) > t.dim()) {
            fail_with_value(
                "broadcast_to(): broadcasting to a higher-dim shape is currently not supported for nested tensors with "
                "the jagged layout");
        }
        size.insert(size.begin(), static_cast<std::size_t>(t.dim()) - size.size(), 1);
    }
    if (static_cast<std::int64_t>(size.size()) != t.dim() || !same_raggedness(t, span_of(size))) {
        fail(concat("expand(): cannot expand shape ", tuple_text(t.sizes()), " -> ", shape_list_text(span_of(size))));
    }
    Dims inner(size.begin() + 1, size.end());
    inner[static_cast<std::size_t>(parts.ragged - 1)] = -1;
    results[0] = with_jagged_values(t, kExpand(parts.values, inner));
}

// The greatest rank of the tensors.
std::int64_t rank_of(const Call& call) {
    std::int64_t most = 0;
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
        if (call.is_tensor(i)) most = std::max(most, call.tensor(i).dim());
    return most;
}

void where(const Call& call, IValue* results) {
    if (!call.has_jagged(0)) {
        fail_with_value(
            "NestedTensor where_self(condition: jt_all, self: any, other: any): expected condition to be a jagged "
            "layout NestedTensor");
    }
    const Tensor nested = call.tensor(0);
    std::vector<IValue> changed = call.copied();
    for (std::size_t i = 0; i < changed.size(); ++i) {
        if (!call.is_tensor(i)) continue;
        const Tensor t = call.tensor(i);
        if (!is_jagged(t)) {
            if (t.dim() < rank_of(call)) continue;
            fail_with_value(
                "broadcast_tensors(): broadcasting nested tensors with dense tensors of equal or higher dim is not "
                "currently supported");
        }
        if (!same_raggedness(nested, t.sizes())) {
            const std::int64_t ragged = jagged_parts(t).ragged;
            fail(concat("Attempting to broadcast a dimension of length ",
                        size_text(t.sizes()[static_cast<std::size_t>(ragged)]), " at ", ragged - t.dim(),
                        "! Mismatching argument at index ", i, " had ", size_object_text(t.sizes()),
                        "; but expected shape should be broadcastable to ", shape_list_text(nested.sizes())));
        }
        changed[i] = jagged_parts(t).values;
    }
    results[0] = with_jagged_values(nested, call.run(changed)[0].to_tensor());
}

void copy_into(const Call& call, IValue* results) {
    for (const auto& [place, name] : {std::pair(0, "self"), std::pair(1, "src")}) {
        if (call.has_jagged(static_cast<std::size_t>(place))) continue;
        fail_with_value(concat("NestedTensor copy_default(self: jt_all, src: jt_all, non_blocking: any?): expected ",
                               name, " to be a jagged layout NestedTensor"));
    }
    const Tensor to = call.tensor(0), from = call.tensor(1);
    results[0] = to;
    if (std::ranges::equal(to.sizes(), from.sizes())) {
        kCopy(jagged_parts(to).values, jagged_parts(from).values);
        return;
    }
    const TensorList left = components(to), right = components(from);
    bool matches = left.size() == right.size();
    for (std::size_t i = 0; matches && i < left.size(); ++i)
        matches = std::ranges::equal(left[i].sizes(), right[i].sizes());
    if (!matches) {
        fail(concat("copy_(): expected compatible input and src shapes, but got: ", size_object_text(to.sizes()),
                    " and ", size_object_text(from.sizes())));
    }
    for (std::size_t i = 0; i < left.size(); ++i) kCopy(left[i], right[i]);
}

// Sequences without the holes between them.
void contiguous(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const JaggedParts& parts = jagged_parts(t);
    if (parts.lengths.defined()) {
        results[0] = jagged_of(components(t), parts.ragged);
        return;
    }
    std::vector<IValue> changed = call.copied();
    changed[0] = parts.values;
    const Tensor values = call.run(changed)[0].to_tensor();
    results[0] = values.is_same(parts.values) ? t : with_jagged_values(t, values);
}

// Along the batch: of some sequences each.
void chunk(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    if (const std::int64_t dim = wrap_dim(call.arguments[2].to_int(), t.dim()); dim != 0) {
        if (dim == jagged_parts(t).ragged) fail("chunk(): not supported for NestedTensor on ragged dim");
        std::vector<IValue> changed = call.copied();
        changed[0] = jagged_parts(t).values;
        changed[2] = dim - 1;
        TensorList pieces = call.run(changed)[0].to_tensors();
        for (Tensor& each : pieces) each = with_jagged_values(t, each);
        results[0] = IValue(pieces);
        return;
    }
    const std::int64_t chunks = call.arguments[1].to_int(), batch = jagged_parts(t).batch();
    if (chunks <= 0) fail(concat("chunk expects `chunks` to be greater than 0, got: ", chunks));
    const std::int64_t step = std::max<std::int64_t>((batch + chunks - 1) / chunks, 1);
    const TensorList all = components(t);
    TensorList out;
    for (std::int64_t i = 0; i < batch; i += step)
        out.push_back(
            jagged_of(TensorList(all.begin() + i, all.begin() + std::min(batch, i + step)), jagged_parts(t).ragged));
    results[0] = IValue(out);
}

// (self, indices, values, accumulate)
void index_put(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const JaggedParts& parts = jagged_parts(t);
    const auto& given = call.arguments[1].to_list().elements;
    const auto count = static_cast<std::int64_t>(given.size());
    if (count > t.dim()) fail(concat("Too many indices: got ", count, " but tensor has ", t.dim(), " dimensions"));
    std::vector<IValue> changed = call.copied();
    Tensor values;
    const auto sequences = sequences_of(t);
    if (count < parts.ragged + 1) {
        if (!t.is_contiguous()) {
            fail("index_put(): If ragged dimension is not part of indices, this only works on contiguous NJTs");
        }
        const Tensor padded = to_padded(t, 0);
        changed[0] = padded;
        const Tensor made = call.run(changed)[0].to_tensor();
        const Tensor rows = parts.ragged == 1 ? made : fn::transpose(made, std::int64_t{1}, parts.ragged);
        values = ragged_first(unpadded_rows(rows, sequences, parts.values.size(parts.ragged - 1)), parts.ragged - 1);
        if (call.is_in_place()) kCopy(parts.values, values);
    } else {
        const auto index = [&](std::int64_t i) { return given[static_cast<std::size_t>(i)]; };
        const Tensor rows = index(0).to_tensor(), places = index(parts.ragged).to_tensor();
        std::vector<std::int64_t> starts, lengths;
        for (const Sequence& each : sequences) {
            starts.push_back(each.start);
            lengths.push_back(each.length);
        }
        const auto of_rows = [&](const std::vector<std::int64_t>& all) {
            const Tensor here = tensor_of(std::span<const std::int64_t>(all), span_of(Dims{parts.batch()}));
            return kIndex(here, IValue(TensorList{rows}));
        };
        if (item(fn::all(fn::lt(places, of_rows(lengths)))).to_int() == 0)
            fail("Some indices in the ragged dimension are out of bounds!");
        TensorList inner;
        for (std::int64_t i = 1; i < count; ++i)
            inner.push_back(i == parts.ragged ? fn::add(of_rows(starts), places, Scalar(1)) : index(i).to_tensor());
        changed[0] = parts.values;
        changed[1] = IValue(inner);
        values = call.run(changed)[0].to_tensor();
    }
    results[0] = call.is_in_place() ? t : with_jagged_values(t, values);
}

// Over the ragged dimension and those after it: mean and variance of each sequence. PyTorch ignores weight and bias.
Tensor normalized_sequences(const Tensor& t, double eps) {
    const JaggedParts& parts = jagged_parts(t);
    if (parts.ragged != 1 || parts.values.dim() < 2) fail("layer_norm(): not supported for NestedTensor on this shape");
    const Tensor flat = kFlatten(parts.values, std::int64_t{1}, std::int64_t{-1});
    const auto sequences = sequences_of(t);
    const std::int64_t most = longest_sequence(t);
    const Tensor padded = padded_rows(flat, sequences, most, 0);
    const Tensor mask = padded_rows(fn::full_like(flat, Scalar(1)), sequences, most, 0);
    std::vector<double> counts;
    for (const Sequence& each : sequences) counts.push_back(static_cast<double>(each.length * flat.size(1)));
    const Tensor count = kToDevice(tensor_of(std::span<const double>(counts), span_of(Dims{parts.batch(), 1, 1})),
                                   static_cast<std::int64_t>(t.dtype()), IValue(), t.device());
    const auto mean = [&](const Tensor& x) { return kDiv(kSum(x, Dims{1, 2}, true, IValue()), count); };
    const Tensor centred = fn::mul(fn::sub(padded, mean(padded), Scalar(1)), mask);
    const Tensor deviation = kSqrt(fn::add_scalar(mean(fn::mul(centred, centred)), Scalar(eps), Scalar(1)));
    const Tensor rows = unpadded_rows(kDiv(centred, deviation), sequences, flat.size(0));
    return with_jagged_values(t, kReshape(rows, to_dims(parts.values.sizes())));
}
// (input, normalized_shape, weight, bias, eps, ...)
void layer_norm(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const JaggedParts& parts = jagged_parts(t);
    const Dims shape = call.integers(1);
    if (t.dim() <= 2) fail("layer_norm(): not supported for NestedTensor objects with 2 or fewer dimensions");
    if (static_cast<std::int64_t>(shape.size()) == t.dim())
        fail("layer_norm(): not supported when normalizing over the batch dimension for NestedTensor");
    const std::int64_t ragged = t.sizes()[static_cast<std::size_t>(parts.ragged)];
    if (std::ranges::find(shape, ragged) != shape.end()) {
        if (parts.lengths.defined()) {
            fail(
                "layer_norm(): not supported where lengths is not None if operating on the ragged dimension for "
                "NestedTensor");
        }
        results[0] = normalized_sequences(t, call.arguments[4].to_double());
        return;
    }
    std::vector<IValue> changed = call.copied();
    changed[0] = parts.values;
    results[0] = with_jagged_values(t, call.run(changed)[0].to_tensor());
}
void rms_norm(const Call& call, IValue* results) {
    const Tensor t = call.tensor(0);
    const JaggedParts& parts = jagged_parts(t);
    if (static_cast<std::int64_t>(call.integers(1).size()) > t.dim() - parts.ragged - 1)
        fail_with_value("rms_norm(): Normalization over the ragged dim not supported for nested tensors");
    std::vector<IValue> changed = call.copied();
    changed[0] = parts.values;
    results[0] = with_jagged_values(t, call.run(changed)[0].to_tensor());
}

// query, key, value: [B, heads, ragged, width], or [B, ragged, heads, width], of which heads are looked at row by row.
void attention(const Call& call, IValue* results) {
    const auto is_nested = [&](std::size_t i) { return call.has_jagged(i) ? "True" : "False"; };
    if (!call.has_jagged(0) || !call.has_jagged(1) || !call.has_jagged(2)) {
        fail_with_value(
            concat("Expected query, key, and value to be nested tensors, but got query.is_nested: ", is_nested(0),
                   ", key.is_nested: ", is_nested(1), ", and value.is_nested: ", is_nested(2), " instead."));
    }
    if (call.is_tensor(3)) fail_with_value("Masks are not yet supported!");
    const Tensor q = call.tensor(0);
    const JaggedParts& parts = jagged_parts(q);
    std::vector<IValue> changed = call.copied();
    if (q.dim() > 3 && parts.ragged == 1) {
        for (std::size_t i = 0; i < 3; ++i) changed[i] = jagged_parts(call.tensor(i)).values;
        results[0] = with_jagged_values(q, call.run(changed)[0].to_tensor());
        return;
    }
    if (q.dim() < 3) {
        fail_with_value(
            concat("Expected query, key, and value to all be  at least 3 dimensional, but got query.dim: ", q.dim(),
                   ", key.dim: ", call.tensor(1).dim(), " and value.dim: ", call.tensor(2).dim(), " instead."));
    }
    TensorList given[3];
    for (std::size_t i = 0; i < 3; ++i) given[i] = components(call.tensor(i));
    if (given[0].size() != given[1].size() || given[1].size() != given[2].size())
        fail("scaled_dot_product_attention: query, key and value have different batch sizes");
    TensorList out;
    for (std::size_t i = 0; i < given[0].size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) changed[k] = given[k][i];
        out.push_back(call.run(changed)[0].to_tensor());
    }
    results[0] = make_jagged(fn::cat(out, parts.ragged - 1), parts.offsets, {}, parts.ragged, parts.known);
}

// What PyTorch has as one kernel, without a rule, and the engine makes of operators that have one.
void refuse(const Call& call, IValue*) { refuse_form(call.op, TensorForm::Jagged); }

}  // namespace

void add_jagged_broadcast_rules(RuleTable& table) {
    table["norm"] = refuse;
    table["expand"] = expand;
    table["broadcast_to"] = expand;
    table["where"] = where;
    table["copy_"] = copy_into;
    table["contiguous"] = contiguous;
    table["index_put"] = index_put;
    table["index_put_"] = index_put;
    table["layer_norm"] = layer_norm;
    table["rms_norm"] = rms_norm;
    table["scaled_dot_product_attention"] = attention;
    table["chunk"] = chunk;
}

}  // namespace loupe::nested_ops
