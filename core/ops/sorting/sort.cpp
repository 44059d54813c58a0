// SPDX-License-Identifier: Apache-2.0
// sort, argsort, topk, msort.

#include <algorithm>

#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/dispatch/out_refusals.h"
#include "core/ops/samples.h"
#include "core/ops/sorting/family.h"
#include "core/ops/sorting/order.h"

namespace loupe::sorting {
namespace {

const OperatorHandle<fn::TwoTensors> kStableSort{"aten::sort.stable"};
const OperatorHandle<fn::TwoTensors> kSort{"aten::sort"};
const OperatorHandle<> kScatterBack{"aten::value_selecting_reduction_backward"};

template <typename T, typename Before>
void order_line(std::vector<Entry<T>>& line, bool stable, Before before) {
    // The order of equal elements otherwise is that of the standard library's introsort, as in PyTorch.
    if (stable)
        std::stable_sort(line.begin(), line.end(), before);
    else
        std::sort(line.begin(), line.end(), before);
}
fn::TwoTensors sort_lines(const Tensor& self, bool stable, std::int64_t dim, bool descending) {
    const std::int64_t along = wrap_dim(dim, self.dim());
    const Tensor values = empty(self.sizes(), self.dtype(), self.device());
    const Tensor indices = empty(self.sizes(), ScalarType::Int64, self.device());
    const indexing::Lines lines = indexing::lines_of(self.sizes(), along);
    for_lines(indexing::dense(self), along, [&]<typename T>(std::vector<Entry<T>>& line, LinePlace place) {
        if (descending)
            order_line(line, stable, [](const Entry<T>& a, const Entry<T>& b) { return greater(a.value, b.value); });
        else
            order_line(line, stable, [](const Entry<T>& a, const Entry<T>& b) { return less(a.value, b.value); });
        for (std::size_t k = 0; k < line.size(); ++k) {
            write_entry(values, indices, line[k], place, static_cast<std::int64_t>(k), lines.size, lines.inner);
        }
    });
    return {values, indices};
}
fn::TwoTensors sorted(const Tensor& self, std::int64_t dim, bool descending) {
    return sort_lines(self, false, dim, descending);
}
fn::TwoTensors sort_stable(const Tensor& self, std::optional<bool> stable, std::int64_t dim, bool descending) {
    return sort_lines(self, stable.value_or(false), dim, descending);
}
void sort_backward(GradientContext& context) {
    context.grad("self", [&] {
        return kScatterBack(context.grad_output(), context.value("dim"), context.result(1), context.sizes("self"),
                            true);
    });
}
void sort_stable_backward(GradientContext& context) {
    context.grad("self", [&] {
        return kScatterBack(context.grad_output(), context.value("dim"), context.result(1), context.sizes("self"),
                            true);
    });
}

Tensor argsort(const Tensor& self, std::int64_t dim, bool descending) {
    return std::get<1>(kSort(self, dim, descending));
}
Tensor argsort_stable(const Tensor& self, bool stable, std::int64_t dim, bool descending) {
    return std::get<1>(kStableSort(self, stable, dim, descending));
}
Tensor msort(const Tensor& self) { return std::get<0>(kSort(self, std::int64_t{0}, false)); }

template <typename T, typename Before>
void take_first(std::vector<Entry<T>>& line, std::int64_t k, bool sorted_result, Before before) {
    if (k == 0) return;
    const auto count = static_cast<std::ptrdiff_t>(k);
    if (k * 64 <= static_cast<std::int64_t>(line.size())) {
        std::partial_sort(line.begin(), line.begin() + count, line.end(), before);
    } else {
        std::nth_element(line.begin(), line.begin() + count - 1, line.end(), before);
        if (sorted_result) std::sort(line.begin(), line.begin() + count - 1, before);
    }
}
fn::TwoTensors topk(const Tensor& self, std::int64_t k, std::int64_t dim, bool largest, bool sorted_result) {
    const std::int64_t along = wrap_dim(dim, self.dim());
    const std::int64_t size = self.dim() == 0 ? 1 : self.size(along);
    if (k < 0 || k > size) throw Error(ErrorKind::Run, "selected index k out of range");
    if (is_complex(self.dtype())) throw Error(ErrorKind::Run, " topk does not support complex dtypes on CPU");
    if (self.dtype() == ScalarType::Bool) throw Error(ErrorKind::Run, "topk does not support bool dtypes on CPU");
    Dims sizes = to_dims(self.sizes());
    if (!sizes.empty()) sizes[static_cast<std::size_t>(along)] = k;
    const Tensor values = empty(span_of(sizes), self.dtype(), self.device());
    const Tensor indices = empty(span_of(sizes), ScalarType::Int64, self.device());
    const std::int64_t inner = indexing::lines_of(self.sizes(), along).inner;
    for_lines(indexing::dense(self), along, [&]<typename T>(std::vector<Entry<T>>& line, LinePlace place) {
        if (largest)
            take_first(line, k, sorted_result,
                       [](const Entry<T>& a, const Entry<T>& b) { return greater(a.value, b.value); });
        else
            take_first(line, k, sorted_result,
                       [](const Entry<T>& a, const Entry<T>& b) { return less(a.value, b.value); });
        for (std::int64_t i = 0; i < k; ++i)
            write_entry(values, indices, line[static_cast<std::size_t>(i)], place, i, k, inner);
    });
    return {values, indices};
}
void topk_backward(GradientContext& context) {
    context.grad("self", [&] {
        return kScatterBack(context.grad_output(), context.value("dim"), context.result(1), context.sizes("self"),
                            true);
    });
}

// The gradient of operators that pick elements along dim: zeros except at picked elements.
Tensor scatter_back(const Tensor& grad, std::int64_t dim, const Tensor& indices, const Dims& sizes, bool keepdim) {
    static const OperatorHandle<> scatter_into{"aten::scatter_.src"};
    const Tensor zeros = fn::new_zeros(grad, sizes);
    if (keepdim || sizes.empty()) return scatter_into(zeros, dim, indices, grad);
    const std::int64_t along = wrap_dim(dim, static_cast<std::int64_t>(sizes.size()));
    return scatter_into(zeros, along, fn::unsqueeze(indices, along), fn::unsqueeze(grad, along));
}

std::vector<Sample> sort_samples(Random& random, ScalarType dtype) {
    if (is_complex(dtype)) return {};
    return {{{random_ladder(random, {3, 4}, dtype), -1, false}},
            {{random_ladder(random, {3, 4}, dtype), 0, true}, "descending"}};
}
std::vector<Sample> stable_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = sort_samples(random, dtype);
    for (Sample& s : samples) s.arguments.insert(s.arguments.begin() + 1, true);
    return samples;
}
std::vector<Sample> topk_samples(Random& random, ScalarType dtype) {
    if (is_complex(dtype) || dtype == ScalarType::Bool) return {};
    // No two of a line are equal: which of them is found first is nobody's promise.
    if (is_integral(dtype)) {
        const Tensor whole = tensor_of<std::int64_t>({5, 1, 9, 3, 2, 8, 4, 6, 7, 0, 1, 9}, {3, 4});
        return {{{fn::to_dtype(whole, static_cast<std::int64_t>(dtype)), 2, -1, true, true}}};
    }
    return {{{random_ladder(random, {3, 4}, dtype), 2, -1, true, true}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
     .summary = "The elements in order along dim, and where they stood; NaN is the greatest.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<sorted>,
     .derivative = {sort_backward, {save_result(1)}},
     .samples = sort_samples,
     .variants = kOut,
     .out = {.overload = "values", .names = "values indices", .refusal = out_refusal::kStructured},
     .dtypes = {kWithUnsigned, "sorting_kernel_method_name"}},
    {.schema = "aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, "
               "Tensor indices)",
     .summary = "The elements in order along dim, equal ones as they stood.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<sort_stable>,
     .derivative = {sort_stable_backward, {save_result(1)}, "SortBackward1"},
     .samples = stable_samples,
     .variants = kOut,
     .out = {.overload = "values_stable", .names = "values indices", .refusal = out_refusal::kStructured},
     .dtypes = {kWithUnsigned, "sorting_kernel_method_name"}},
    {.schema = "aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor",
     .summary = "The indices that put the elements in order along dim.",
     .composite = boxed<argsort>},
    {.schema = "aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor",
     .summary = "The indices that put the elements in order along dim, equal ones as they stood.",
     .composite = boxed<argsort_stable>,
     .variants = kOut,
     .out = {.overload = "stable_out"}},
    {.schema = "aten::msort(Tensor self) -> Tensor",
     .summary = "The elements in order along the first dimension.",
     .composite = boxed<msort>,
     .variants = kOut},
    {.schema = "aten::topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, "
               "Tensor indices)",
     .summary = "The k greatest (or least) elements along dim, and where they stood.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<topk>,
     .derivative = {topk_backward, {save_result(1)}},
     .gradient = "self: grad at the indices, else 0",
     .samples = topk_samples,
     .variants = kOut,
     .out = {.overload = "values", .names = "values indices", .refusal = out_refusal::kStructured}},
    {.schema = "aten::value_selecting_reduction_backward(Tensor grad, int dim, Tensor indices, int[] sizes, bool "
               "keepdim) -> Tensor",
     .summary = "The gradient of what picks elements along dim: zeros but for those picked.",
     .composite = boxed<scatter_back>},
};

}  // namespace

std::span<const OperatorRecord> sort_records() { return kRecords; }

}  // namespace loupe::sorting
