// SPDX-License-Identifier: Apache-2.0
// One element of each line by its rank or frequency, each element once, and where values belong: what sorting makes.
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/kernels/promotion.h"
#include "core/tensor/device_copy.h"
#include "plugins/cuda/loops/search.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

const OperatorHandle<fn::TwoTensors> kSort{"aten::sort"};
const OperatorHandle<> kScatter{"aten::scatter.src"};
constexpr auto kWhole = static_cast<std::int64_t>(ScalarType::Int64);

Tensor whole_range(std::int64_t begin, std::int64_t end, Device device) {
    return fn::add_scalar(fn::arange(Scalar(end - begin), kWhole, IValue(), device), Scalar(begin), Scalar(1));
}

// ---- by rank

struct SortedLines {
    Tensor values, places;
    std::int64_t dim, length;
    SortedLines(const Tensor& self, std::int64_t along)
        : dim(self.dim() == 0 ? 0 : wrap_dim(along, self.dim())), length(self.dim() == 0 ? 1 : self.size(dim)) {
        std::tie(values, places) = kSort(self.dim() == 0 ? fn::reshape(self, Dims{1}) : self, dim, false);
    }
    // Of rank `at` in each line: [.., 1, ..].
    fn::TwoTensors pick(const Tensor& at) const {
        return {fn::gather(values, dim, at, false), fn::gather(places, dim, at, false)};
    }
};
fn::TwoTensors without_dim(const fn::TwoTensors& picked, const Tensor& self, std::int64_t dim, bool keepdim) {
    if (self.dim() == 0) return {fn::reshape(std::get<0>(picked), Dims{}), fn::reshape(std::get<1>(picked), Dims{})};
    if (keepdim) return picked;
    return {dense(fn::squeeze(std::get<0>(picked), dim)), dense(fn::squeeze(std::get<1>(picked), dim))};
}

// The lower of the two in the middle; of NaN, which are sorted last, the first.
template <bool kIgnoresNan>
fn::TwoTensors median_along(const Tensor& self, std::int64_t dim, bool keepdim) {
    const SortedLines lines(self, dim);
    const Tensor nans =
        fn::sum_dim(fn::to_dtype(fn::isnan(lines.values), kWhole), Dims{lines.dim}, true, IValue(kWhole));
    Tensor at;
    if (kIgnoresNan) {
        const Tensor numbers =
            fn::clamp(fn::sub(fn::full_like(nans, Scalar(lines.length)), nans, Scalar(1)), Scalar(1), IValue());
        // (numbers - 1) / 2: a half is cut off.
        const Tensor wide = fn::to_dtype(numbers, static_cast<std::int64_t>(ScalarType::Float64));
        at = fn::to_dtype(fn::mul_scalar(fn::add_scalar(wide, Scalar(-1), Scalar(1)), Scalar(0.5)), kWhole);
    } else {
        const Tensor first = fn::sub(fn::full_like(nans, Scalar(lines.length)), nans, Scalar(1));
        at = fn::where(fn::gt_scalar(nans, Scalar(0)), first, fn::full_like(nans, Scalar((lines.length - 1) / 2)));
    }
    return without_dim(lines.pick(at), self, lines.dim, keepdim);
}
template <bool kIgnoresNan>
Tensor median_of_all(const Tensor& self) {
    return std::get<0>(median_along<kIgnoresNan>(fn::reshape(self, Dims{-1}), 0, false));
}

fn::TwoTensors kthvalue(const Tensor& self, std::int64_t k, std::int64_t dim, bool keepdim) {
    const SortedLines lines(self, dim);
    Dims sizes = to_dims(lines.values.sizes());
    sizes[static_cast<std::size_t>(lines.dim)] = 1;
    const Tensor at = fn::full(sizes, Scalar(k - 1), kWhole, IValue(), self.device());
    return without_dim(lines.pick(at), self, lines.dim, keepdim);
}

// The least of the most frequent: the longest run in order, and the last of it.
fn::TwoTensors mode(const Tensor& self, std::int64_t dim, bool keepdim) {
    const SortedLines lines(self, dim);
    const Tensor& values = lines.values;
    Dims sizes = to_dims(values.sizes()), first_size = sizes;
    first_size[static_cast<std::size_t>(lines.dim)] = 1;
    const auto bools = static_cast<std::int64_t>(ScalarType::Bool);
    const Tensor first = fn::full(first_size, Scalar(true), bools, IValue(), self.device());
    const Tensor changes = fn::ne(fn::narrow(values, lines.dim, std::int64_t{1}, lines.length - 1),
                                  fn::narrow(values, lines.dim, std::int64_t{0}, lines.length - 1));
    const Tensor begins = fn::cat(TensorList{first, changes}, lines.dim);
    // Where each one's run began: the last beginning so far.
    Dims shape(sizes.size(), 1);
    shape[static_cast<std::size_t>(lines.dim)] = lines.length;
    const Tensor places = fn::expand(fn::view(whole_range(0, lines.length, self.device()), shape), sizes, false);
    static const OperatorHandle<fn::TwoTensors> running("aten::cummax");
    const Tensor starts = std::get<0>(running(fn::where(begins, places, fn::zeros_like(places)), lines.dim));
    const Tensor longest = fn::argmax(fn::sub(places, starts, Scalar(1)), lines.dim, true);
    return without_dim(lines.pick(longest), self, lines.dim, keepdim);
}

// ---- running extremes

template <bool kGreatest>
void running(const Tensor& values, const Tensor& indices, const Tensor& self, std::int64_t dim) {
    if (self.numel() == 0) return;
    const Tensor x = dense(self);
    const Room to(values), places(indices);
    std::int64_t outer = 1, length = 1, inner = 1;
    const std::int64_t along = self.dim() == 0 ? 0 : wrap_dim(dim, self.dim());
    for (std::int64_t d = 0; d < self.dim(); ++d) (d < along ? outer : d == along ? length : inner) *= self.size(d);
    run_running_extreme(queue_of(self.device()), kGreatest, element_of(x.dtype()), outer, length, inner, address_of(x),
                        address_of(to.tensor()), static_cast<std::int64_t*>(address_of(places.tensor())));
    to.put_back();
    places.put_back();
}

// ---- each element once

// Runs of equal neighbours of a vector, and what each place of the elements belongs to.
fn::ThreeTensors runs_of(const Tensor& values, const Tensor& places, IntSpan sizes, bool wants_inverse,
                         bool wants_counts) {
    const Device device = values.device();
    const std::int64_t count = values.numel();
    const Tensor first = fn::full(Dims{1}, Scalar(true), static_cast<std::int64_t>(ScalarType::Bool), IValue(), device);
    const Tensor changes = fn::ne(fn::slice(values, 0, 1, count, 1), fn::slice(values, 0, 0, count - 1, 1));
    const Tensor begins = fn::cat(TensorList{first, changes}, 0);
    const Tensor firsts = fn::reshape(fn::nonzero(begins), Dims{-1});
    Tensor inverse = empty(std::array<std::int64_t, 1>{0}, ScalarType::Int64, device), counts = inverse;
    if (wants_inverse) {
        const Tensor run = fn::sub(fn::cumsum(begins, 0, IValue(kWhole)), fn::ones_like(places), Scalar(1));
        inverse = places.defined() ? kScatter(fn::empty_like(run), std::int64_t{0}, places, run) : run;
        inverse = fn::reshape(inverse, to_dims(sizes));
    }
    if (wants_counts) {
        const Tensor end = fn::full(Dims{1}, Scalar(count), kWhole, IValue(), device);
        const Tensor ends = fn::cat(TensorList{fn::slice(firsts, 0, 1, firsts.numel(), 1), end}, 0);
        counts = fn::sub(ends, firsts, Scalar(1));
    }
    return {fn::index_select(values, 0, firsts), inverse, counts};
}
fn::ThreeTensors unique_sorted(const Tensor& self, bool wants_inverse, bool wants_counts) {
    const auto [values, places] = kSort(fn::reshape(self, Dims{-1}), std::int64_t{0}, false);
    return runs_of(values, places, self.sizes(), wants_inverse, wants_counts);
}
fn::TwoTensors unique(const Tensor& self, bool, bool return_inverse) {
    const auto [values, inverse, counts] = unique_sorted(self, return_inverse, false);
    return {values, inverse};
}
fn::ThreeTensors unique2(const Tensor& self, bool, bool return_inverse, bool return_counts) {
    return unique_sorted(self, return_inverse || return_counts, return_counts);
}
// Whole slices along dim, each once: in the order of their elements, or only neighbours. Sorting by the last element
// first and by each before it, always stable, sorts by all.
fn::ThreeTensors unique_slices(const Tensor& self, std::int64_t dim, bool sorts) {
    static const OperatorHandle<> any("aten::any.dim");
    const std::int64_t along = wrap_dim(dim, self.dim()), count = self.size(along);
    const Tensor rows = fn::reshape(fn::movedim(self, along, std::int64_t{0}), Dims{count, -1});
    Tensor order = whole_range(0, count, self.device());
    for (std::int64_t k = sorts ? rows.size(1) : 0; k-- > 0;) {
        const Tensor column = fn::index_select(fn::select(rows, std::int64_t{1}, k), std::int64_t{0}, order);
        order = fn::index_select(order, std::int64_t{0}, std::get<1>(kSort(column, std::int64_t{0}, false)));
    }
    const Tensor lined = sorts ? fn::index_select(rows, std::int64_t{0}, order) : rows;
    const Tensor changes =
        any(fn::ne(fn::slice(lined, 0, 1, count, 1), fn::slice(lined, 0, 0, count - 1, 1)), std::int64_t{1}, false);
    const Tensor first =
        fn::full(Dims{1}, Scalar(true), static_cast<std::int64_t>(ScalarType::Bool), IValue(), self.device());
    const Tensor begins = fn::cat(TensorList{first, changes}, 0);
    const Tensor firsts = fn::reshape(fn::nonzero(begins), Dims{-1});
    const Tensor run = fn::sub(fn::cumsum(begins, 0, IValue(kWhole)), fn::ones_like(order), Scalar(1));
    const Tensor inverse = kScatter(fn::empty_like(run), std::int64_t{0}, order, run);
    const Tensor end = fn::full(Dims{1}, Scalar(count), kWhole, IValue(), self.device());
    const Tensor ends = fn::cat(TensorList{fn::slice(firsts, 0, 1, firsts.numel(), 1), end}, 0);
    return {fn::index_select(self, along, fn::index_select(order, std::int64_t{0}, firsts)), inverse,
            fn::sub(ends, firsts, Scalar(1))};
}
fn::ThreeTensors unique_dim(const Tensor& self, std::int64_t dim, bool, bool, bool) {
    return unique_slices(self, dim, true);
}
fn::ThreeTensors unique_dim_consecutive(const Tensor& self, std::int64_t dim, bool, bool) {
    return unique_slices(self, dim, false);
}
fn::ThreeTensors unique_consecutive(const Tensor& self, bool return_inverse, bool return_counts,
                                    std::optional<std::int64_t> dim) {
    if (dim && !(self.dim() == 1 && wrap_dim(*dim, 1) == 0)) return unique_slices(self, *dim, false);
    const Tensor flat = fn::reshape(self, Dims{-1});
    return runs_of(flat, whole_range(0, flat.numel(), self.device()), self.sizes(), return_inverse, return_counts);
}

// ---- where values belong

Tensor search(const Tensor& sequence, const Tensor& values, bool out_int32, bool right) {
    const Tensor places = empty(values.sizes(), ScalarType::Int64, values.device());
    if (places.numel() > 0) {
        SortedRows rows;
        const ScalarType dtype = result_type(sequence, values);
        const Tensor sorted = dense(sequence, dtype), wanted = dense(values, dtype);
        rows.element = element_of(dtype);
        rows.length = sequence.size(-1);
        rows.is_shared = sequence.dim() == 1;
        rows.per_row = values.dim() == 0 ? 1 : std::max<std::int64_t>(values.size(-1), 1);
        rows.after = right;
        run_search(queue_of(values.device()), rows, address_of(sorted), address_of(wanted), values.numel(),
                   static_cast<std::int64_t*>(address_of(places)));
    }
    return out_int32 ? dense(places, ScalarType::Int32) : places;
}
Tensor searchsorted(const Tensor& given, const Tensor& values, bool out_int32, bool right,
                    std::optional<std::string_view> side, const Tensor& sorter) {
    const Tensor sequence = sorter.defined() ? fn::gather(given, -1, sorter, false) : given;
    return search(sequence, values, out_int32, right || (side && *side == "right"));
}
Tensor bucketize(const Tensor& values, const Tensor& boundaries, bool out_int32, bool right) {
    return search(boundaries, values, out_int32, right);
}

Tensor searchsorted_number(const Tensor& sequence, const Scalar& value, bool out_int32, bool right,
                           std::optional<std::string_view> side, const Tensor& sorter) {
    return searchsorted(sequence, on_device(scalar_tensor(value, sequence.dtype()), sequence.device()), out_int32,
                        right, side, sorter);
}
Tensor bucketize_number(const Scalar& value, const Tensor& boundaries, bool out_int32, bool right) {
    return search(boundaries, on_device(scalar_tensor(value, boundaries.dtype()), boundaries.device()), out_int32,
                  right);
}

// ---- which calls

// Refusals and calls without elements are the host's.
bool takes_some(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const Tensor self = a[0].to_tensor();
    const bool is_taken = is_known(self.dtype()) && self.numel() > 0;
    if (!is_taken && why != nullptr)
        *why = self.numel() == 0 ? "no elements" : std::string(dtype_name(self.dtype())) + " input";
    return is_taken;
}
bool takes_slices_of(Arguments a, std::string* why) {
    if (!takes_some(a, why)) return false;
    const bool has_slices = a[0].to_tensor().dim() > 0;
    if (!has_slices && why != nullptr) *why = "a number";
    return has_slices;
}
bool takes_runs(Arguments a, std::string* why) { return a[3].is_none() ? takes_some(a, why) : takes_slices_of(a, why); }
bool takes_rank(Arguments a, std::string* why) {
    if (!takes_some(a, why)) return false;
    const Tensor self = a[0].to_tensor();
    const std::int64_t size = self.dim() == 0 ? 1 : self.size(a[2].to_int());
    const bool fits = a[1].to_int() >= 1 && a[1].to_int() <= size;
    if (!fits && why != nullptr) *why = "a rank that there is not";
    return fits;
}
bool have_order(const Tensor& sequence, const Tensor& values, std::string* why) {
    const bool is_taken =
        is_known(sequence.dtype()) && is_known(values.dtype()) && sequence.dim() > 0 &&
        sequence.dtype() != ScalarType::Bool && sequence.device() == values.device() &&
        (sequence.dim() == 1 ||
         (sequence.dim() == values.dim() && std::ranges::equal(sequence.sizes().first(sequence.sizes().size() - 1),
                                                               values.sizes().first(values.sizes().size() - 1))));
    if (!is_taken && why != nullptr) *why = "arguments that do not fit";
    return is_taken;
}
template <bool kNumber>
bool takes_search(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const Tensor sequence = a[0].to_tensor(), values = kNumber ? sequence : a[1].to_tensor();
    if (!have_order(sequence, values, why) || (kNumber && (sequence.dim() != 1 || a[1].to_scalar().is_complex())))
        return false;
    const bool has_sorter = a[5].is_tensor() && a[5].to_tensor().defined();
    const bool fits =
        (a[4].is_none() || a[4].to_string() == "right" || (a[4].to_string() == "left" && !a[3].to_bool())) &&
        (!has_sorter || std::ranges::equal(a[5].to_tensor().sizes(), a[0].to_tensor().sizes()));
    if (!fits && why != nullptr) *why = "arguments that do not fit";
    return fits;
}
bool takes_buckets(Arguments a, std::string* why) {
    return takes(a, why) && a[1].to_tensor().dim() == 1 && have_order(a[1].to_tensor(), a[0].to_tensor(), why);
}

bool takes_buckets_of_number(Arguments a, std::string* why) {
    const Tensor boundaries = a[1].to_tensor();
    return takes(a, why) && boundaries.dim() == 1 && !a[0].to_scalar().is_complex() &&
           have_order(boundaries, boundaries, why);
}

}  // namespace

void register_selection(const Registration& to) {
    to.add("aten::median", boxed<median_of_all<false>>, takes_some);
    to.add("aten::median.dim", boxed<median_along<false>>, takes_some);
    to.add("aten::nanmedian", boxed<median_of_all<true>>, takes_some);
    to.add("aten::nanmedian.dim", boxed<median_along<true>>, takes_some);
    to.add("aten::kthvalue", boxed<kthvalue>, takes_rank);
    to.add("aten::mode", boxed<mode>, takes_some);
    to.add("aten::cummax", filling<running<true>, 2>, takes_some);
    to.add("aten::cummin", filling<running<false>, 2>, takes_some);
    to.add("aten::_unique", boxed<unique>, takes_some);
    to.add("aten::_unique2", boxed<unique2>, takes_some);
    to.add("aten::unique_consecutive", boxed<unique_consecutive>, takes_runs);
    to.add("aten::searchsorted.Tensor", boxed<searchsorted>, takes_search<false>);
    to.add("aten::unique_dim", boxed<unique_dim>, takes_slices_of);
    to.add("aten::unique_dim_consecutive", boxed<unique_dim_consecutive>, takes_slices_of);
    to.add("aten::searchsorted.Scalar", boxed<searchsorted_number>, takes_search<true>);
    to.add("aten::bucketize.Scalar", boxed<bucketize_number>, takes_buckets_of_number);
    to.add("aten::bucketize.Tensor", boxed<bucketize>, takes_buckets);
}

}  // namespace loupe::cuda
