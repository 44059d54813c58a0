// SPDX-License-Identifier: Apache-2.0
// One element of each line by its rank or frequency: kthvalue, median, nanmedian, mode.

#include <algorithm>
#include <limits>

#include "core/base/strings.h"
#include "core/base/typed_error.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/dispatch/out_refusals.h"
#include "core/ops/samples.h"
#include "core/ops/sorting/family.h"
#include "core/ops/sorting/order.h"

namespace loupe::sorting {
namespace {

const OperatorHandle<> kScatterBack{"aten::value_selecting_reduction_backward"};

template <typename T>
using Line = std::vector<Entry<T>>;

template <typename T>
bool entry_less(const Entry<T>& a, const Entry<T>& b) {
    return less(a.value, b.value);
}

// pick(line) gives the one entry of each line.
template <typename Pick>
fn::TwoTensors pick_along(const Tensor& self, std::int64_t dim, bool keepdim, Pick pick) {
    const std::int64_t along = wrap_dim(dim, self.dim());
    Dims sizes = to_dims(self.sizes());
    if (!sizes.empty() && keepdim)
        sizes[static_cast<std::size_t>(along)] = 1;
    else if (!sizes.empty())
        sizes.erase(sizes.begin() + along);
    const Tensor values = empty(span_of(sizes), self.dtype(), self.device());
    const Tensor indices = empty(span_of(sizes), ScalarType::Int64, self.device());
    const std::int64_t inner = indexing::lines_of(self.sizes(), along).inner;
    for_lines(indexing::dense(self), along, [&]<typename T>(Line<T>& line, LinePlace place) {
        write_entry(values, indices, pick(line), place, 0, 1, inner);
    });
    return {values, indices};
}
void check_not_empty(const Tensor& self, std::int64_t dim, const char* name) {
    if (self.dim() == 0 || self.size(dim) != 0) return;
    fail_with_index(concat(name, "(): Expected reduction dim ", wrap_dim(dim, self.dim()), " to have non-zero size."));
}

// Hoare's selection with the median of three as pivot: afterwards line[k] has rank k. The index among several equal
// elements depends on the steps, which are PyTorch's, so that indices agree too.
template <typename T>
void select_rank(Line<T>& line, std::ptrdiff_t k) {
    const auto at = [&](std::ptrdiff_t i) -> Entry<T>& { return line[static_cast<std::size_t>(i)]; };
    const auto is_after = [&](std::ptrdiff_t i, std::ptrdiff_t j) { return greater(at(i).value, at(j).value); };
    const auto order = [&](std::ptrdiff_t i, std::ptrdiff_t j) {
        if (is_after(i, j)) std::swap(at(i), at(j));
    };
    std::ptrdiff_t low = 0;
    std::ptrdiff_t high = static_cast<std::ptrdiff_t>(line.size()) - 1;
    while (high > low + 1) {
        std::swap(at(low + (high - low) / 2), at(low + 1));
        order(low + 1, high);
        order(low, high);
        order(low + 1, low);
        std::ptrdiff_t i = low + 1;
        std::ptrdiff_t j = high;
        for (;;) {
            do ++i;
            while (is_after(low, i));
            do --j;
            while (is_after(j, low));
            if (j < i) break;
            std::swap(at(i), at(j));
        }
        std::swap(at(low), at(j));
        if (j <= k) low = i;
        if (j >= k) high = j - 1;
    }
    if (high == low + 1) order(low, high);
}

fn::TwoTensors kthvalue(const Tensor& self, std::int64_t k, std::int64_t dim, bool keepdim) {
    const std::int64_t size = self.dim() == 0 ? 1 : self.size(dim);
    if (k < 1 || k > size)
        throw Error(ErrorKind::Run, "kthvalue(): selected number k out of range for dimension " +
                                        std::to_string(wrap_dim(dim, self.dim())));
    return pick_along(self, dim, keepdim, [k]<typename T>(Line<T>& line) {
        select_rank(line, static_cast<std::ptrdiff_t>(k - 1));
        return line[static_cast<std::size_t>(k - 1)];
    });
}

// The lower of the two in the middle. A NaN is the median unless NaN is ignored.
template <bool IgnoreNan, typename T>
Entry<T> median_of(Line<T>& line) {
    auto size = static_cast<std::ptrdiff_t>(line.size());
    const auto has_nan = [](const Entry<T>& e) { return is_nan(e.value); };
    if constexpr (IgnoreNan) {
        size = std::max<std::ptrdiff_t>(size - std::ranges::count_if(line, has_nan), 1);
    } else if (const auto found = std::ranges::find_if(line, has_nan); found != line.end()) {
        return *found;
    }
    const auto middle = line.begin() + (size - 1) / 2;
    // Of equal elements the first ranks first.
    std::nth_element(line.begin(), middle, line.end(), [](const Entry<T>& a, const Entry<T>& b) {
        return less(a.value, b.value) || (!less(b.value, a.value) && a.index < b.index);
    });
    return *middle;
}
template <bool IgnoreNan>
fn::TwoTensors median_along(const Tensor& self, std::int64_t dim, bool keepdim) {
    check_not_empty(self, dim, "median");
    return pick_along(self, dim, keepdim, []<typename T>(Line<T>& line) { return median_of<IgnoreNan>(line); });
}
template <bool IgnoreNan>
Tensor median_of_all(const Tensor& self) {
    if (self.numel() == 0)
        return scalar_tensor(is_floating(self.dtype()) ? Scalar(std::numeric_limits<double>::quiet_NaN())
                                                       : Scalar(std::numeric_limits<std::int64_t>::min()),
                             self.dtype());
    return std::get<0>(median_along<IgnoreNan>(fn::reshape(self, Dims{-1}), 0, false));
}
// Shared evenly among the elements that equal the result.
void median_backward(GradientContext& context) {
    context.grad("self", [&] {
        const Tensor self = context.argument("self");
        const Tensor result = context.result();
        const Tensor hits = is_nan(item(result).to_double()) ? fn::isnan(self) : fn::eq(self, result);
        const Tensor mask = fn::to_dtype(hits, static_cast<std::int64_t>(context.grad_output().dtype()));
        return fn::mul(mask, fn::div(context.grad_output(), fn::sum(mask)));
    });
}

// The least of the most frequent.
fn::TwoTensors mode(const Tensor& self, std::int64_t dim, bool keepdim) {
    check_not_empty(self, dim, "mode");
    return pick_along(self, dim, keepdim, []<typename T>(Line<T>& line) {
        std::sort(line.begin(), line.end(), entry_less<T>);
        Entry<T> best = line.front();
        std::size_t longest = 0;
        std::size_t start = 0;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (i + 1 < line.size() && line[i].value == line[i + 1].value) continue;
            if (i + 1 - start > longest) {
                longest = i + 1 - start;
                best = line[i];
            }
            start = i + 1;
        }
        return best;
    });
}

// dim and keepdim are the last two arguments.
template <std::size_t Dim>
void pick_backward(GradientContext& context) {
    context.grad("self", [&] {
        return kScatterBack(context.grad_output(), context.value(Dim), context.result(1), context.sizes("self"),
                            context.value(Dim + 1));
    });
}

std::vector<Sample> kthvalue_samples(Random& random, ScalarType dtype) {
    if (is_complex(dtype) || dtype == ScalarType::Bool) return {};
    // Which of equal elements is named is left open on a device, so that there are none.
    const Tensor distinct = tensor_of<std::int64_t>({7, 2, 9, 4, 1, 8, 3, 5, 6, 0, 11, 10}, {3, 4});
    return {{{is_integral(dtype) ? fn::to_dtype(distinct, static_cast<std::int64_t>(dtype))
                                 : random_ladder(random, {3, 4}, dtype),
              2, -1, false}}};
}
std::vector<Sample> pick_samples(Random& random, ScalarType dtype) {
    if (is_complex(dtype) || dtype == ScalarType::Bool) return {};
    return {{{random_ladder(random, {3, 5}, dtype), 1, false}},
            {{random_ladder(random, {4, 5}, dtype), 0, true}, "kept dimension"}};
}
std::vector<Sample> all_samples(Random& random, ScalarType dtype) {
    if (is_complex(dtype) || dtype == ScalarType::Bool) return {};
    return {{{random_ladder(random, {3, 5}, dtype)}}};
}

constexpr DtypeSet kReal = kCommonDtypes & ~kComplexDtypes;
constexpr DtypeSet kNumbers = kReal & ~dtype_bit(ScalarType::Bool);

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
     .summary = "The k-th least element along dim, and where it stood.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<kthvalue>,
     .derivative = {pick_backward<2>, {save_result(1)}},
     .gradient = "self: grad at the index, else 0",
     .samples = kthvalue_samples,
     .variants = kOut,
     .out = {.overload = "values",
             .names = "values indices",
             .refusal = {"output values must be of same type as input", "output indices must be of scalar type {T}"}},
     .dtypes = {kNumbers}},
    {.schema = "aten::median(Tensor self) -> Tensor",
     .summary = "The median of all elements, the lower one of two.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<median_of_all<false>>,
     .derivative = {median_backward, {save_argument("self"), save_result(0)}},
     .gradient = "self: grad at the median, else 0",
     .samples = all_samples,
     .variants = kOut,
     .dtypes = {kNumbers}},
    {.schema = "aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
     .summary = "The median along dim, and where it stood.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<median_along<false>>,
     .derivative = {pick_backward<1>, {save_result(1)}, "MedianBackward1"},
     .samples = pick_samples,
     .variants = kOut,
     .out = {.overload = "dim_values", .names = "values indices", .refusal = out_refusal::kMedian},
     .dtypes = {kNumbers, "median_out"}},
    {.schema = "aten::nanmedian(Tensor self) -> Tensor",
     .summary = "The median of the elements that are not NaN.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<median_of_all<true>>,
     .derivative = {median_backward, {save_argument("self"), save_result(0)}},
     .gradient = "self: grad at the median, else 0",
     .samples = all_samples,
     .variants = kOut,
     .dtypes = {kNumbers, "median_cpu"}},
    {.schema = "aten::nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
     .summary = "The median along dim of the elements that are not NaN.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<median_along<true>>,
     .derivative = {pick_backward<1>, {save_result(1)}, "NanmedianBackward1"},
     .samples = pick_samples,
     .variants = kOut,
     .out = {.overload = "dim_values", .names = "values indices", .refusal = out_refusal::kMedian},
     .dtypes = {kNumbers, "median_out"}},
    {.schema = "aten::mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
     .summary = "The most frequent element along dim, and where it stood.",
     .results_from = ResultsFrom::Metadata,
     .kernel = boxed<mode>,
     .derivative = {pick_backward<1>, {save_result(1)}},
     .gradient = "self: grad at the index, else 0",
     .samples = pick_samples,
     .variants = kOut,
     .out = {.overload = "values",
             .names = "values indices",
             .refusal = {"expected scalar type '{T}' but got '{O}' for values output",
                         "expected scalar type '{T}' but got '{O}' for indices output"}},
     .dtypes = {kReal}},
};

}  // namespace

std::span<const OperatorRecord> selection_records() { return kRecords; }

}  // namespace loupe::sorting
