// SPDX-License-Identifier: Apache-2.0
// Sums, means and maxima of the rows of a table, by bags of indices: embedding_bag.

#include <algorithm>

#include "core/base/parallel.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/elementwise.h"
#include "core/ops/indexing/family.h"
#include "core/ops/indexing/indices.h"
#include "core/ops/nn/simd.h"
#include "core/ops/samples.h"

// Vectors stay inside inlined functions, so their calling convention never matters.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace loupe::indexing {
namespace {

using FourTensors = std::tuple<Tensor, Tensor, Tensor, Tensor>;
const OperatorHandle<FourTensors> kBag{"aten::_embedding_bag"};

enum Mode : std::int64_t { kSum = 0, kMean = 1, kMax = 2 };

// Where each bag starts, and after the last its end.
std::vector<std::int64_t> bag_bounds(const Tensor& indices, const Tensor& offsets, bool include_last_offset) {
    std::vector<std::int64_t> bounds = index_values(offsets);
    if (bounds.empty() && include_last_offset) {
        throw Error(ErrorKind::Run, "include_last_offset: number of offset should be at least 1");
    }
    if (!bounds.empty() && bounds[0] != 0) {
        throw Error(
            ErrorKind::Run,
            concat("offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
                   "However, got ",
                   bounds[0]));
    }
    if (!bounds.empty() && bounds.back() > indices.numel()) {
        throw Error(ErrorKind::Run, concat("offsets[-1] can not be greater than input's length ", indices.numel(),
                                           " but got offsets[-1] of ", bounds.back()));
    }
    if (!std::ranges::is_sorted(bounds)) throw Error(ErrorKind::Run, "offsets of embedding_bag must not decrease");
    if (include_last_offset)
        bounds.back() = indices.numel();
    else
        bounds.push_back(indices.numel());
    return bounds;
}

struct BagCall {
    const Tensor& weight;
    const Tensor& out;
    const Tensor& max_indices;
    std::int64_t mode;
    std::int64_t padding_idx;
};

// 16-bit numbers are added up in float32.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <typename T>
struct VectorOf {
    typedef T Type __attribute__((vector_size(64), aligned(alignof(T)), may_alias));
};
template <typename T>
using Vector = typename VectorOf<T>::Type;
template <typename T>
inline constexpr std::int64_t kLanes = 64 / static_cast<std::int64_t>(sizeof(T));
constexpr int kTogether = 4;

// Sums of the rows of each of bags [begin, end), for floats of the type that they are added in.
template <typename T>
void sum_bags(const BagCall& call, std::span<const std::int64_t> bounds, const std::int64_t* rows, const T* scales,
              std::int64_t begin, std::int64_t end) {
    const std::int64_t width = call.weight.size(1);
    const T* table = call.weight.data<T>();
    T* out = call.out.data<T>();
    with_best_instructions([&]() LOUPE_INLINE {
        for (std::int64_t bag = begin; bag < end; ++bag) {
            const std::int64_t first = bounds[static_cast<std::size_t>(bag)],
                               last = bounds[static_cast<std::size_t>(bag) + 1];
            T* __restrict sum = out + bag * width;
            std::int64_t k = 0;
            // Some vectors of the sum stay in registers while the rows go by.
            for (; k + kTogether * kLanes<T> <= width; k += kTogether * kLanes<T>) {
                Vector<T> sums[kTogether] = {};
                for (std::int64_t i = first; i < last; ++i) {
                    const T* from = table + rows[i] * width + k;
                    const T scale = scales == nullptr ? T(1) : scales[i];
#pragma GCC unroll 4
                    for (int v = 0; v < kTogether; ++v)
                        sums[v] += *reinterpret_cast<const Vector<T>*>(from + v * kLanes<T>) * scale;
                }
#pragma GCC unroll 4
                for (int v = 0; v < kTogether; ++v) *reinterpret_cast<Vector<T>*>(sum + k + v * kLanes<T>) = sums[v];
            }
            std::fill(sum + k, sum + width, T(0));
            for (std::int64_t i = first; i < last && k < width; ++i) {
                const T* __restrict from = table + rows[i] * width;
                const T scale = scales == nullptr ? T(1) : scales[i];
#pragma omp simd
                for (std::int64_t j = k; j < width; ++j) sum[j] += from[j] * scale;
            }
        }
    });
}

// sum: room for a row.
template <typename T>
void fill_bag(const BagCall& call, std::int64_t bag, std::span<const std::int64_t> rows, const T* scales,
              std::int64_t count, Wide<T>* sum) {
    const std::int64_t width = call.weight.size(1);
    const T* table = call.weight.data<T>();
    std::fill_n(sum, width, Wide<T>(0));
    bool is_first = true;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i] == call.padding_idx) continue;
        const T* from = table + rows[i] * width;
        if (call.mode != kMax) {
            const Wide<T> scale = scales == nullptr ? Wide<T>(1) : static_cast<Wide<T>>(scales[i]);
            for (std::int64_t k = 0; k < width; ++k) sum[k] += static_cast<Wide<T>>(from[k]) * scale;
            continue;
        }
        auto* places = call.max_indices.data<std::int64_t>() + bag * width;
        for (std::int64_t k = 0; k < width; ++k) {
            const auto value = static_cast<Wide<T>>(from[k]);
            if (!is_first && !(sum[k] < value)) continue;
            sum[k] = value;
            places[k] = rows[i];
        }
        is_first = false;
    }
    const Wide<T> divisor = call.mode == kMean && count > 0 ? static_cast<Wide<T>>(count) : Wide<T>(1);
    T* out = call.out.data<T>() + bag * width;
    for (std::int64_t k = 0; k < width; ++k) out[k] = T(sum[k] / divisor);
}

FourTensors embedding_bag(const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool, std::int64_t mode,
                          bool, const Tensor& per_sample_weights, bool include_last_offset, std::int64_t padding_idx) {
    if (per_sample_weights.defined() && mode != kSum) {
        throw Error(
            ErrorKind::Run,
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum'");
    }
    if (weight.dim() != 2 || indices.dim() != 1 || offsets.dim() != 1) {
        throw Error(ErrorKind::Run, concat("embedding_bag: expected a 2-D table, 1-D indices and offsets, but got ",
                                           shape_list_text(weight.sizes()), ", ", shape_list_text(indices.sizes()),
                                           " and ", shape_list_text(offsets.sizes())));
    }
    if (per_sample_weights.defined() &&
        (per_sample_weights.dtype() != weight.dtype() || per_sample_weights.numel() != indices.numel())) {
        throw Error(ErrorKind::Run,
                    concat("embedding_bag: expected per_sample_weights of the table's dtype, one an index, but got ",
                           describe(per_sample_weights)));
    }
    const Tensor dense_indices = dense(indices, ScalarType::Int64);
    const std::span<const std::int64_t> rows(dense_indices.data<std::int64_t>(),
                                             static_cast<std::size_t>(indices.numel()));
    for (const std::int64_t row : rows) {
        if (static_cast<std::uint64_t>(row) < static_cast<std::uint64_t>(weight.size(0))) [[likely]]
            continue;
        throw Error(ErrorKind::Run,
                    concat("embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be ", row));
    }
    const std::vector<std::int64_t> bounds = bag_bounds(indices, offsets, include_last_offset);
    const auto bags = static_cast<std::int64_t>(bounds.size()) - 1;
    const Tensor out = empty(std::array{bags, weight.size(1)}, weight.dtype());
    const Tensor bag_of = empty(std::array{bags == 0 ? 0 : indices.numel()}, ScalarType::Int64);
    const Tensor sizes = empty(std::array{bags}, ScalarType::Int64);
    const Tensor max_indices =
        zeros(std::array{bags, mode == kMax ? weight.size(1) : std::int64_t{0}}, ScalarType::Int64);
    const Tensor table = dense(weight);
    const Tensor scales = per_sample_weights.defined() ? dense(per_sample_weights) : Tensor();
    const BagCall call{table, out, max_indices, mode, padding_idx};
    visit_dtype(weight.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (is_floating(scalar_type_of<T>)) {
            parallel_for(0, bags, 16, [&](std::int64_t begin, std::int64_t end) {
                const bool is_plain = mode == kSum && padding_idx < 0;
                if constexpr (std::is_floating_point_v<T>) {
                    if (is_plain)
                        sum_bags(call, bounds, rows.data(), scales.defined() ? scales.data<T>() : nullptr, begin, end);
                }
                std::vector<Wide<T>> sum(static_cast<std::size_t>(weight.size(1)));
                for (std::int64_t bag = begin; bag < end; ++bag) {
                    const std::int64_t first = bounds[static_cast<std::size_t>(bag)];
                    const std::int64_t length = bounds[static_cast<std::size_t>(bag) + 1] - first;
                    const std::span<const std::int64_t> own =
                        rows.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(length));
                    std::fill_n(bag_of.data<std::int64_t>() + first, length, bag);
                    const std::int64_t count = padding_idx < 0 ? length : length - std::ranges::count(own, padding_idx);
                    sizes.data<std::int64_t>()[bag] = count;
                    if (is_plain && std::is_floating_point_v<T>) continue;
                    fill_bag<T>(call, bag, own, scales.defined() ? scales.data<T>() + first : nullptr, count,
                                sum.data());
                }
            });
        } else {
            throw Error(ErrorKind::Run,
                        concat("expected scalar type Float or Double for the table of embedding_bag, got ",
                               dtype_graph_name(weight.dtype())));
        }
    });
    return {out, bag_of, sizes, max_indices};
}

const OperatorHandle<> sparse_backward("aten::embedding_sparse_backward");

Tensor weight_gradient(const Tensor& grad, GradientContext& context) {
    const std::int64_t mode = context.value("mode").to_int();
    if (grad.size(0) == 0) return fn::new_zeros(grad, context.sizes("weight"));
    const Tensor indices = context.argument("indices");
    const Tensor sizes = context.result(2);
    if (mode == kMax) {
        const Tensor used = fn::to_dtype(fn::gt_scalar(sizes, Scalar(0)), static_cast<std::int64_t>(grad.dtype()));
        return fn::scatter_add(fn::new_zeros(grad, context.sizes("weight")), 0, context.result(3),
                               fn::mul(grad, fn::unsqueeze(used, 1)));
    }
    const Tensor bag_of = context.result(1);
    Tensor rows = fn::index_select(grad, 0, bag_of);
    if (mode == kMean) {
        const Tensor counts =
            fn::to_dtype(fn::clamp(sizes, Scalar(1), IValue()), static_cast<std::int64_t>(grad.dtype()));
        rows = fn::div(rows, fn::unsqueeze(fn::index_select(counts, 0, bag_of), 1));
    }
    if (context.is_argument_defined("per_sample_weights"))
        rows = fn::mul(rows, fn::unsqueeze(context.argument("per_sample_weights"), 1));
    if (context.value("sparse").to_bool())
        return sparse_backward(rows, indices, context.sizes("weight")[0], context.value("padding_idx"),
                               context.value("scale_grad_by_freq"));
    return fn::embedding_dense_backward(rows, indices, context.sizes("weight")[0], context.value("padding_idx"),
                                        context.value("scale_grad_by_freq"));
}
void embedding_bag_backward(GradientContext& context) {
    if (!context.grad_output(0).defined()) return;
    const Tensor& grad = context.grad_output(0);
    context.grad("weight", [&] { return weight_gradient(grad, context); });
    if (!context.is_argument_defined("per_sample_weights")) return;
    context.grad("per_sample_weights", [&] {
        const Tensor indices = context.argument("indices");
        const Tensor rows = fn::index_select(context.argument("weight"), 0, indices);
        const Tensor products = fn::mul(fn::index_select(grad, 0, context.result(1)), rows);
        const Tensor sums = fn::sum_dim(products, Dims{1}, false);
        return fn::masked_fill(sums, fn::eq_scalar(indices, Scalar(context.value("padding_idx").to_int())), Scalar(0));
    });
}

FourTensors embedding_bag_padded(const Tensor& weight, const Tensor& indices, const Tensor& offsets,
                                 bool scale_grad_by_freq, std::int64_t mode, bool sparse,
                                 const Tensor& per_sample_weights, bool include_last_offset,
                                 std::optional<std::int64_t> padding_idx) {
    std::int64_t padding = -1;
    if (padding_idx) {
        if (*padding_idx < -weight.size(0) || *padding_idx >= weight.size(0)) {
            throw Error(ErrorKind::Run, concat("padding_idx must be within the number of embeddings, -", weight.size(0),
                                               " through ", weight.size(0) - 1, ", but got ", *padding_idx));
        }
        padding = *padding_idx < 0 ? *padding_idx + weight.size(0) : *padding_idx;
    }
    return kBag(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset,
                padding);
}
FourTensors embedding_bag_plain(const Tensor& weight, const Tensor& indices, const Tensor& offsets,
                                bool scale_grad_by_freq, std::int64_t mode, bool sparse,
                                const Tensor& per_sample_weights, bool include_last_offset) {
    return kBag(weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset,
                std::int64_t{-1});
}

// Three bags, the last one empty.
std::vector<Sample> bag_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    std::vector<Sample> samples;
    for (const std::int64_t mode : {0, 1, 2}) {
        const IValue weights = mode == 0 ? IValue(random_tensor(random, {5}, dtype)) : IValue();
        samples.push_back({{random_ladder(random, {4, 3}, dtype), tensor_of<std::int64_t>({0, 2, 3, 1, 3}, {5}),
                            tensor_of<std::int64_t>({0, 2, 5}, {3}), false, mode, false, weights, false, -1},
                           mode == 0   ? "sum, weighted"
                           : mode == 1 ? "mean"
                                       : "max"});
    }
    return samples;
}

constexpr OperatorRecord kRecords[] = {
    {.schema =
         "aten::_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int "
         "mode=0, "
         "bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> "
         "(Tensor, Tensor, Tensor, Tensor)",
     .summary = "Sum (0), mean (1) or maximum (2) of the table's rows in each bag; the bag of each index, the bags' "
                "sizes, and the rows "
                "of the maxima.",
     .formula = "out[b] = sum_{i in bag b} weight[indices[i]]",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<embedding_bag>,
     .derivative = {embedding_bag_backward,
                    {save_argument("weight", "per_sample_weights"), save_argument("indices"),
                     save_argument("per_sample_weights", "weight"), save_result(1), save_result(2), save_result(3)}},
     .gradient = "weight: sum of grad[b] at indices[i] of bag b; divided by its size for the mean",
     .samples = bag_samples,
     .variants = kOut},
    {.schema = "aten::_embedding_bag_forward_only(Tensor weight, Tensor indices, Tensor offsets, bool "
               "scale_grad_by_freq=False, "
               "int mode=0, bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, "
               "int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)",
     .summary = "Sum, mean or maximum of the table's rows in each bag.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<embedding_bag>,
     .variants = kOut,
     .is_gradient_stop = true},
    {.schema = "aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int "
               "mode=0, "
               "bool sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False) -> "
               "(Tensor, Tensor, Tensor, Tensor)",
     .summary = "Sum, mean or maximum of the table's rows in each bag.",
     .formula = "out[b] = sum_{i in bag b} weight[indices[i]]",
     .composite = boxed<embedding_bag_plain>,
     .gradient = "weight: sum of grad[b] at indices[i] of bag b; divided by its size for the mean"},
    {.schema = "aten::embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets, bool "
               "scale_grad_by_freq, int mode, "
               "bool sparse, Tensor? per_sample_weights, bool include_last_offset, int? padding_idx) -> "
               "(Tensor, Tensor, Tensor, Tensor)",
     .summary = "Sum, mean or maximum of the table's rows in each bag; one row counts for nothing.",
     .composite = boxed<embedding_bag_padded>},
};

}  // namespace

std::span<const OperatorRecord> embedding_bag_records() { return kRecords; }

}  // namespace loupe::indexing
