// SPDX-License-Identifier: Apache-2.0
// histogram and histogramdd: how many points, or what weight, fall in each bin.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/composed/family.h"
#include "core/ops/indexing/indices.h"
#include "core/tensor/device_copy.h"

namespace loupe::composed {
namespace {

using namespace arithmetic;
using Counts = std::vector<std::int64_t>;
using Range = std::optional<std::vector<double>>;

const OperatorHandle<> kLinspace{"aten::linspace"};

template <typename... Parts>
void check(bool holds, const Parts&... parts) {
    if (!holds) throw Error(ErrorKind::Run, concat("torch.histogram", parts...));
}

// As PyTorch's C++ side writes it.
std::string_view cpp_name(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Float32:
            return "float";
        case ScalarType::Float64:
            return "double";
        case ScalarType::Int64:
            return "long int";
        case ScalarType::Int32:
            return "int";
        case ScalarType::Bool:
            return "bool";
        default:
            return dtype_graph_name(dtype);
    }
}

void check_points(const Tensor& points, std::size_t bins, const Tensor& weight) {
    check(points.dim() >= 2, "dd: input tensor should have at least 2 dimensions");
    const std::int64_t rank = points.size(-1);
    check(rank == static_cast<std::int64_t>(bins), "dd: expected ", rank, " sequences of bin edges for a ", rank,
          "-dimensional histogram but got ", bins);
    if (!weight.defined()) return;
    check(weight.dtype() == points.dtype(),
          "dd: if weight tensor is provided, input tensor and weight tensor should have the same dtype, but got input(",
          cpp_name(points.dtype()), "), and weight(", cpp_name(weight.dtype()), ")");
    check(std::equal(points.sizes().begin(), points.sizes().end() - 1, weight.sizes().begin(), weight.sizes().end()),
          "dd: if weight tensor is provided it should have the same shape as the input tensor excluding its innermost "
          "dimension, but got input with shape ",
          shape_list_text(points.sizes()), " and weight with shape ", shape_list_text(weight.sizes()));
}

void check_type(const Tensor& points) {
    if (points.dtype() == ScalarType::Float32 || points.dtype() == ScalarType::Float64) return;
    throw Error(ErrorKind::Run, concat("\"histogramdd\" not implemented for '", dtype_graph_name(points.dtype()), "'"));
}

void check_edges(const Tensor& points, const TensorList& edges) {
    for (std::size_t d = 0; d < edges.size(); ++d) {
        check(edges[d].dtype() == points.dtype(),
              "dd: input tensor and bins tensors should have the same dtype, but got input with dtype ",
              cpp_name(points.dtype()), " and bins for dimension ", d, " with dtype ", cpp_name(edges[d].dtype()));
        check(edges[d].dim() == 1, "dd: bins tensor should have one dimension, but got ", edges[d].dim(),
              " dimensions in the bins tensor for dimension ", d);
        check(edges[d].numel() >= 1, "dd: bins tensor should have at least 1 element, but got ", edges[d].numel(),
              " elements in the bins tensor for dimension ", d);
        check(edges[d].numel() >= 2, "(): bins must be > 0, but got 0 for dimension ", d);
    }
}

// Least and greatest of each coordinate, or what `range` says; equal ones are spread by half.
std::vector<std::pair<double, double>> outer_edges(const Tensor& points, const Range& range) {
    const auto rank = static_cast<std::size_t>(points.size(-1));
    std::vector<std::pair<double, double>> edges(rank, {0, 1});
    if (range) {
        check(range->size() == 2 * rank, "dd: for a ", rank, "-dimensional histogram range should have ", 2 * rank,
              " elements, but got ", range->size());
        for (std::size_t d = 0; d < rank; ++d) edges[d] = {(*range)[2 * d], (*range)[2 * d + 1]};
    } else if (points.numel() > 0) {
        const Tensor rows = fn::reshape(points, Dims{-1, points.size(-1)});
        const Tensor least = on_host(indexing::dense(fn::amin(rows, Dims{0}, false), ScalarType::Float64));
        const Tensor most = on_host(indexing::dense(fn::amax(rows, Dims{0}, false), ScalarType::Float64));
        for (std::size_t d = 0; d < rank; ++d) edges[d] = {least.data<double>()[d], most.data<double>()[d]};
    }
    for (std::size_t d = 0; d < rank; ++d) {
        auto& [low, high] = edges[d];
        check(std::isfinite(low) && std::isfinite(high), "dd: dimension ", d, "'s range [", low, ", ", high,
              "] is not finite");
        check(low <= high, "dd: min should not exceed max, but got min ", low, " max ", high, " for dimension ", d);
        if (low != high) continue;
        low -= 0.5;
        high += 0.5;
    }
    return edges;
}

TensorList linear_edges(const Tensor& points, const Counts& bins, const Range& range) {
    for (std::size_t d = 0; d < bins.size(); ++d) {
        check(bins[d] > 0, "(): bins must be > 0, but got ", bins[d], " for dimension ", d);
        check(bins[d] < std::numeric_limits<std::int64_t>::max(), "(): too many bins: ", bins[d], " for dimension ", d);
    }
    const auto outer = outer_edges(points, range);
    TensorList edges;
    for (std::size_t d = 0; d < bins.size(); ++d) {
        edges.push_back(kLinspace(Scalar(outer[d].first), Scalar(outer[d].second), bins[d] + 1,
                                  static_cast<std::int64_t>(points.dtype()), IValue(), points.device()));
    }
    return edges;
}

// The bin of x, -1 outside; the last bin holds its right edge. `is_linear`: guess, then look at the neighbours.
template <typename T>
std::int64_t bin_of(T x, const T* edges, std::int64_t count, bool is_linear) {
    if (!(x >= edges[0] && x <= edges[count - 1])) return -1;
    std::int64_t first = 0;
    std::int64_t last = count;
    if (is_linear) {
        const T at =
            (x - edges[0]) * static_cast<T>(count - 1) / (edges[count - 1] - edges[0]);  // NaN between infinite edges
        const auto guess = at > 0 ? static_cast<std::int64_t>(std::min(at, static_cast<T>(0x1p62))) : 0;
        first = std::clamp<std::int64_t>(guess - 1, 0, count);
        last = std::clamp<std::int64_t>(guess + 2, first, count);
    }
    const std::int64_t bin = std::upper_bound(edges + first, edges + last, x) - edges - 1;
    return std::clamp<std::int64_t>(bin, 0, count - 2);
}

Tensor as_density(Tensor hist, const TensorList& edges) {
    hist = hist / fn::sum(hist);
    for (std::size_t d = 0; d < edges.size(); ++d) {
        Dims shape(edges.size(), 1);
        shape[d] = -1;
        hist = hist / fn::reshape(fn::narrow(edges[d], 0, 1, edges[d].numel() - 1) -
                                      fn::narrow(edges[d], 0, 0, edges[d].numel() - 1),
                                  shape);
    }
    return hist;
}

// On another device: the bin of each point by a search in the edges, points outside in a bin behind the last.
Tensor counts_there(const Tensor& points, const TensorList& edges, const Dims& sizes, const Tensor& weight) {
    static const OperatorHandle<> search{"aten::searchsorted.Tensor"};
    const std::int64_t total = checked_numel(span_of(sizes));
    const Tensor rows = fn::reshape(points, Dims{-1, static_cast<std::int64_t>(edges.size())});
    Tensor bin, is_inside;
    for (std::size_t d = 0; d < edges.size(); ++d) {
        const Tensor x = fn::contiguous(fn::select(rows, 1, static_cast<std::int64_t>(d)), 0);
        const Tensor edge = fn::contiguous(edges[d], 0);
        const Tensor at =
            fn::clamp(fn::sub_scalar(search(edge, x, false, true, IValue(), Tensor()), Scalar(1), Scalar(1)), Scalar(0),
                      Scalar(sizes[d] - 1));
        const Tensor inside =
            fn::logical_and(fn::ge(x, fn::select(edge, 0, 0)), fn::le(x, fn::select(edge, 0, edge.numel() - 1)));
        bin = bin.defined() ? fn::add(fn::mul_scalar(bin, Scalar(sizes[d])), at, Scalar(1)) : at;
        is_inside = is_inside.defined() ? fn::logical_and(is_inside, inside) : inside;
    }
    const Tensor amounts = weight.defined() ? fn::reshape(weight, Dims{-1}) : fn::ones_like(fn::select(rows, 1, 0));
    const Tensor none = zeros(std::array{total + 1}, points.dtype(), points.device());
    const Tensor counts =
        fn::scatter_add(none, 0, fn::masked_fill(bin, fn::logical_not(is_inside), Scalar(total)), amounts);
    return fn::reshape(fn::narrow(counts, 0, 0, total), sizes);
}

Tensor count_points(const Tensor& points, const TensorList& edges, const Tensor& weight, bool density, bool is_linear) {
    check_type(points);
    Dims sizes;
    for (const Tensor& edge : edges) sizes.push_back(edge.numel() - 1);
    if (!points.device().is_cpu() && points.numel() > 0) {
        const Tensor counts = counts_there(points, edges, sizes, weight);
        return density ? as_density(counts, edges) : counts;
    }
    const Tensor hist = zeros(span_of(sizes), points.dtype(), points.device());
    if (points.numel() == 0) return density ? as_density(hist, edges) : hist;
    const Tensor x = indexing::dense(points);
    const Tensor weights = weight.defined() ? indexing::dense(weight) : weight;
    TensorList bounds;
    for (const Tensor& edge : edges) bounds.push_back(indexing::dense(edge));
    const auto rank = static_cast<std::int64_t>(edges.size());
    const auto count = [&]<typename T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < points.numel() / std::max<std::int64_t>(rank, 1); ++i) {
            std::int64_t at = 0;
            for (std::size_t d = 0; d < edges.size() && at >= 0; ++d) {
                const std::int64_t bin = bin_of(x.data<T>()[i * rank + static_cast<std::int64_t>(d)],
                                                bounds[d].data<T>(), bounds[d].numel(), is_linear);
                at = bin < 0 ? -1 : at * sizes[d] + bin;
            }
            if (at >= 0) hist.data<T>()[at] += weights.defined() ? weights.data<T>()[i] : T(1);
        }
    };
    if (points.dtype() == ScalarType::Float32)
        count(std::type_identity<float>{});
    else
        count(std::type_identity<double>{});
    return density ? as_density(hist, edges) : hist;
}

Counts to_counts(const Dims& bins) { return {bins.begin(), bins.end()}; }
Tensor as_points(const Tensor& self) { return fn::reshape(self, Dims{self.numel(), 1}); }
Tensor flat_weight(const Tensor& weight) {
    return weight.defined() ? fn::reshape(weight, Dims{weight.numel()}) : weight;
}

// ---- of one coordinate

fn::TwoTensors histogram(const Tensor& self, std::int64_t bins, Range range, const Tensor& weight, bool density) {
    const Tensor points = as_points(self);
    const Tensor weights = flat_weight(weight);
    check_points(points, 1, weights);
    check_type(points);
    const TensorList edges = linear_edges(points, {bins}, range);
    return {count_points(points, edges, weights, density, true), edges[0]};
}
fn::TwoTensors histogram_between(const Tensor& self, const Tensor& bins, const Tensor& weight, bool density) {
    const Tensor points = as_points(self);
    const Tensor weights = flat_weight(weight);
    check_points(points, 1, weights);
    check_edges(points, {bins});
    return {count_points(points, {bins}, weights, density, false), fn::clone(bins)};
}

// ---- of several

TensorList bin_edges(const Tensor& self, const Dims& bins, Range range, const Tensor& weight, bool) {
    check_points(self, bins.size(), weight);
    check_type(self);
    return linear_edges(self, to_counts(bins), range);
}
Tensor from_counts(const Tensor& self, const Dims& bins, Range range, const Tensor& weight, bool density) {
    return count_points(self, bin_edges(self, bins, range, weight, density), weight, density, true);
}
Tensor from_edges(const Tensor& self, const TensorList& bins, const Tensor& weight, bool density) {
    check_points(self, bins.size(), weight);
    check_edges(self, bins);
    return count_points(self, bins, weight, density, false);
}
std::tuple<Tensor, TensorList> histogramdd(const Tensor& self, const Dims& bins, Range range, const Tensor& weight,
                                           bool density) {
    const TensorList edges = bin_edges(self, bins, range, weight, density);
    return {count_points(self, edges, weight, density, true), edges};
}
std::tuple<Tensor, TensorList> histogramdd_same(const Tensor& self, std::int64_t bins, Range range,
                                                const Tensor& weight, bool density) {
    check(self.dim() >= 2, "dd: input tensor should have at least 2 dimensions");
    return histogramdd(self, Dims(static_cast<std::size_t>(self.size(-1)), bins), range, weight, density);
}
std::tuple<Tensor, TensorList> histogramdd_between(const Tensor& self, const TensorList& bins, Range,
                                                   const Tensor& weight, bool density) {
    return {from_edges(self, bins, weight, density), bins};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool "
               "density=False) -> (Tensor hist, "
               "Tensor bin_edges)",
     .summary =
         "How many elements, or what weight, fall in each of a number of bins of equal width; and the bins' edges.",
     .kernel = boxed<histogram>,
     .variants = kOut,
     .out = {.overload = "bin_ct_out", .names = "hist bin_edges"},
     .is_gradient_stop = true,
     .dtypes = {.kernel = "histogramdd"}},
    {.schema = "aten::histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> "
               "(Tensor hist, Tensor bin_edges)",
     .summary = "How many elements, or what weight, fall between each two edges.",
     .kernel = boxed<histogram_between>,
     .variants = kOut,
     .out = {.overload = "bins_tensor_out", .names = "hist bin_edges"},
     .is_gradient_stop = true},
    {.schema = "aten::_histogramdd_bin_edges(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, "
               "bool density=False) -> Tensor[]",
     .summary = "The edges of histogramdd's bins.",
     .kernel = boxed<bin_edges>,
     .is_gradient_stop = true,
     .placement = Placement::Host,
     .dtypes = {.kernel = "histogramdd"}},
    {.schema = "aten::_histogramdd_from_bin_cts(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, "
               "bool density=False) -> Tensor",
     .summary = "histogramdd with bins of equal width, without their edges.",
     .kernel = boxed<from_counts>,
     .variants = kOut,
     .is_gradient_stop = true,
     .placement = Placement::Host,
     .dtypes = {.kernel = "histogramdd"}},
    {.schema = "aten::_histogramdd_from_bin_tensors(Tensor self, Tensor[] bins, *, Tensor? weight=None, bool "
               "density=False) -> Tensor",
     .summary = "histogramdd with bins between edges.",
     .kernel = boxed<from_edges>,
     .variants = kOut,
     .is_gradient_stop = true,
     .placement = Placement::Host,
     .dtypes = {.kernel = "histogram_cpu"}},
    {.schema = "aten::histogramdd(Tensor self, int[] bins, float[]? range=None, Tensor? weight=None, bool "
               "density=False) -> (Tensor hist, Tensor[] "
               "bin_edges)",
     .summary = "How many points, the rows of self, or what weight, fall in each bin of a grid; and the bins' edges.",
     .composite = boxed<histogramdd>,
     .placement = Placement::Host},
    {.schema = "aten::histogramdd.int_bins(Tensor self, int bins, float[]? range=None, Tensor? weight=None, bool "
               "density=False) -> (Tensor hist, "
               "Tensor[] bin_edges)",
     .summary = "The same as histogramdd, with as many bins along each coordinate.",
     .composite = boxed<histogramdd_same>,
     .placement = Placement::Host},
    {.schema = "aten::histogramdd.TensorList_bins(Tensor self, Tensor[] bins, float[]? range=None, Tensor? "
               "weight=None, bool density=False) -> (Tensor "
               "hist, Tensor[] bin_edges)",
     .summary = "The same as histogramdd, between edges.",
     .composite = boxed<histogramdd_between>,
     .placement = Placement::Host},
};

}  // namespace

std::span<const OperatorRecord> histogram_records() { return kRecords; }

}  // namespace loupe::composed
