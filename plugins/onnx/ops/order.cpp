// SPDX-License-Identifier: Apache-2.0
// Sorting, and what depends on the order of elements.
#include <algorithm>

#include "core/passes/fake_run.h"
#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

using SortHandle = OperatorHandle<fn::TwoTensors>;
const SortHandle stable_sort("aten::sort.stable");
const OperatorHandle<fn::ThreeTensors> unique_along("aten::unique_dim");

// Of equal elements the first comes first.
fn::TwoTensors top(const Tensor& x, std::int64_t k, std::int64_t axis, bool largest) {
    const std::int64_t dim = wrap_dim(axis, x.dim());
    require(k >= 0 && k <= x.size(dim), k, " of ", x.size(dim), " elements");
    const auto [values, indices] = stable_sort(x, true, dim, largest);
    return {fn::narrow(values, dim, 0, k), fn::narrow(indices, dim, 0, k)};
}
fn::TwoTensors top_k_by(const Tensor& x, std::int64_t axis, std::int64_t k) { return top(x, k, axis, true); }
fn::TwoTensors top_k(const Tensor& x, const Tensor& k, std::int64_t axis, std::int64_t largest, std::int64_t) {
    return top(x, whole_number(k), axis, largest != 0);
}

using FourTensors = std::tuple<Tensor, Tensor, Tensor, Tensor>;
// Values, where each stands first, which value each element has, and how often each value occurs.
FourTensors unique(const Tensor& x, const std::optional<std::int64_t>& axis, std::int64_t sorted) {
    passes::require_elements(x);
    const Tensor from = axis ? x : fn::reshape(x, Dims{-1});
    const std::int64_t dim = axis ? wrap_dim(*axis, x.dim()) : 0;
    auto [values, inverse, counts] = unique_along(from, dim, true, true, true);
    const std::int64_t n = from.size(dim), count = values.size(dim);
    const Tensor places = fn::arange(Scalar(n));
    Tensor first = call_one("aten::scatter_reduce.two",
                            {fn::full(Dims{count}, Scalar(n), static_cast<std::int64_t>(ScalarType::Int64)), 0, inverse,
                             places, "amin", true});
    if (sorted == 0) {
        // In the order in which they appear.
        const Tensor order = std::get<1>(stable_sort(first, true, 0, false));
        const Tensor rank = fn::scatter(fn::zeros_like(order), 0, order, fn::arange(Scalar(count)));
        values = fn::index_select(values, dim, order);
        first = fn::index_select(first, 0, order);
        counts = fn::index_select(counts, 0, order);
        inverse = fn::index_select(rank, 0, inverse);
    }
    return {values, first, inverse, counts};
}

Tensor reverse_sequence(const Tensor& x, const Tensor& sequence_lens, std::int64_t batch_axis, std::int64_t time_axis) {
    require(x.dim() >= 2, "expected at least 2 dimensions, got ", describe(x));
    const std::int64_t batch_dim = wrap_dim(batch_axis, x.dim()), time_dim = wrap_dim(time_axis, x.dim());
    require(batch_dim != time_dim, "the axes of batch and time are the same");
    const Dims lengths = whole_numbers(sequence_lens);
    const std::int64_t batch = x.size(batch_dim), steps = x.size(time_dim);
    require(static_cast<std::int64_t>(lengths.size()) == batch, "sequence_lens has ", lengths.size(), " numbers for ",
            batch, " sequences");
    std::vector<std::int64_t> places;
    for (const std::int64_t length : lengths) {
        require(length >= 0 && length <= steps, "a length of ", length, " in ", steps, " steps");
        for (std::int64_t t = 0; t < steps; ++t) places.push_back(t < length ? length - 1 - t : t);
    }
    Dims sizes(static_cast<std::size_t>(x.dim()), 1);
    sizes[static_cast<std::size_t>(batch_dim)] = batch;
    sizes[static_cast<std::size_t>(time_dim)] = steps;
    Dims table{batch, steps};
    Tensor index = tensor_of(std::span<const std::int64_t>(places), span_of(table));
    if (batch_dim > time_dim) index = fn::transpose(index, 0, 1);
    return fn::gather(x, time_dim, fn::expand(fn::reshape(index, sizes), to_dims(x.sizes())));
}

Tensor non_zero(const Tensor& x) {
    passes::require_elements(x);
    return fn::t(fn::nonzero(x.dim() == 0 ? fn::reshape(x, Dims{1}) : x));
}

Tensor trilu(const Tensor& x, const Tensor& k, std::int64_t upper) {
    const std::int64_t diagonal = k.defined() ? whole_number(k) : 0;
    return upper != 0 ? fn::triu(x, diagonal) : fn::tril(x, diagonal);
}

constexpr OperatorRecord kRecords[] = {
    made_of("onnx::TopK(Tensor X, *, int axis=-1, int k) -> (Tensor, Tensor)", "The largest elements along an axis.",
            boxed<top_k_by>),
    reading("onnx::TopK.v10(Tensor X, Tensor K, *, int axis=-1, int largest=1, int sorted=1) -> (Tensor, Tensor)",
            "The largest or smallest elements along an axis, and their places.", boxed<top_k>),
    reading("onnx::Unique(Tensor X, *, int? axis=None, int sorted=1) -> (Tensor, Tensor, Tensor, Tensor)",
            "Each value once, with the places where it stands.", boxed<unique>),
    reading("onnx::ReverseSequence(Tensor input, Tensor sequence_lens, *, int batch_axis=1, int time_axis=0) -> Tensor",
            "Each sequence backwards up to its length.", boxed<reverse_sequence>),
    reading("onnx::NonZero(Tensor X) -> Tensor", "The indices of elements that are not 0, a column each.",
            boxed<non_zero>),
    reading("onnx::Trilu(Tensor input, Tensor? k=None, *, int upper=1) -> Tensor",
            "The upper or lower triangle of each matrix.", boxed<trilu>),
};

}  // namespace

std::span<const OperatorRecord> order_records() { return kRecords; }

}  // namespace loupe::onnx
