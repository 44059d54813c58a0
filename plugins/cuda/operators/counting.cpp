// SPDX-License-Identifier: Apache-2.0
// How often numbers occur, whether they do, and rows of tables by bags.
#include <algorithm>
#include <cmath>

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/kernels/promotion.h"
#include "plugins/cuda/loops/bags.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/index_loops.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

constexpr auto kWhole = static_cast<std::int64_t>(ScalarType::Int64);

Tensor counted(const Tensor& places, const Tensor& amounts, std::int64_t bins) {
    const Tensor none = zeros(std::array{bins}, amounts.dtype(), places.device());
    return fn::scatter_add(none, std::int64_t{0}, places, amounts);
}
Tensor ones_of(const Tensor& like, ScalarType dtype) {
    const Tensor ones = empty(like.sizes(), dtype, like.device());
    fill_with(ones, 1);
    return ones;
}

Tensor bincount(const Tensor& self, const Tensor& weights, std::int64_t minlength) {
    const Tensor places = dense(self, ScalarType::Int64);
    if (item(fn::amin(places, Dims{}, false)).to<std::int64_t>() < 0)
        throw Error(ErrorKind::Run, "bincount only supports 1-d non-negative integral inputs.");
    const std::int64_t bins = std::max(minlength, item(fn::amax(places, Dims{}, false)).to<std::int64_t>() + 1);
    if (!weights.defined()) return counted(places, ones_of(places, ScalarType::Int64), bins);
    return counted(places,
                   dense(weights, weights.dtype() == ScalarType::Float32 ? ScalarType::Float32 : ScalarType::Float64),
                   bins);
}
bool takes_whole_vector(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const Tensor self = a[0].to_tensor();
    const Tensor weights = a[1].is_tensor() ? a[1].to_tensor() : Tensor();
    const bool fits = self.dim() == 1 && self.numel() > 0 && is_known(self.dtype()) &&
                      is_integer(element_of(self.dtype())) && self.dtype() != ScalarType::Bool && a[2].to_int() >= 0 &&
                      (!weights.defined() || (weights.dim() == 1 && weights.numel() == self.numel() &&
                                              is_known(weights.dtype()) && weights.device() == self.device()));
    if (!fits && why != nullptr) *why = "arguments that do not fit";
    return fits;
}

// The bin is computed in the dtype, as on the host.
Tensor histc(const Tensor& self, std::int64_t bins, const Scalar& low, const Scalar& high) {
    const Tensor x = fn::reshape(self, Dims{-1});
    double from = low.to<double>(), to = high.to<double>();
    if (from == to) {
        from = item(fn::amin(x, Dims{}, false)).to<double>();
        to = item(fn::amax(x, Dims{}, false)).to<double>();
    }
    if (from == to) {
        from -= 1;
        to += 1;
    }
    if (!std::isfinite(from) || !std::isfinite(to) || from > to)
        throw Error(ErrorKind::Run,
                    from > to ? "torch.histc: max must be larger than min" : "torch.histc: range is not finite");
    const bool is_double = self.dtype() == ScalarType::Float64;
    const double first = is_double ? from : static_cast<double>(static_cast<float>(from));
    const double last = is_double ? to : static_cast<double>(static_cast<float>(to));
    const double width =
        is_double ? last - first : static_cast<double>(static_cast<float>(last) - static_cast<float>(first));
    const Tensor scaled = fn::div_scalar(
        fn::mul_scalar(fn::sub_scalar(x, Scalar(first), Scalar(1)), Scalar(static_cast<double>(bins))), Scalar(width));
    const Tensor inside = fn::logical_and(fn::ge_scalar(x, Scalar(first)), fn::le_scalar(x, Scalar(last)));
    // What is outside or NaN goes to a bin behind the last.
    const Tensor whole = fn::to_dtype(fn::masked_fill(scaled, fn::logical_not(inside), Scalar(0.0)), kWhole);
    const Tensor bin =
        fn::masked_fill(fn::clamp(whole, IValue(), Scalar(bins - 1)), fn::logical_not(inside), Scalar(bins));
    const Tensor counts = counted(bin, ones_of(bin, ScalarType::Int64), bins + 1);
    return dense(fn::narrow(counts, std::int64_t{0}, std::int64_t{0}, bins), self.dtype());
}
bool takes_histogram(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const Tensor self = a[0].to_tensor();
    const bool fits = (self.dtype() == ScalarType::Float32 || self.dtype() == ScalarType::Float64) &&
                      self.numel() > 0 && a[1].to_int() > 0;
    if (!fits && why != nullptr) *why = "arguments that do not fit";
    return fits;
}

// An element is there when places before and behind it differ among the sorted ones.
Tensor isin(const Tensor& elements, const Tensor& test_elements, bool, bool invert) {
    static const OperatorHandle<fn::TwoTensors> sort("aten::sort");
    static const OperatorHandle<> search("aten::searchsorted.Tensor");
    const ScalarType dtype = result_type(elements, test_elements);
    const Tensor asked = dense(elements, dtype);
    const Tensor sorted = std::get<0>(sort(fn::reshape(dense(test_elements, dtype), Dims{-1}), std::int64_t{0}, false));
    const auto place = [&](bool right) { return search(sorted, asked, false, right, IValue(), Tensor()); };
    const Tensor found = fn::logical_and(fn::gt(place(true), place(false)), fn::logical_not(fn::isnan(asked)));
    return invert ? fn::logical_not(found) : found;
}
bool takes_elements(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const Tensor elements = a[0].to_tensor(), given = a[1].to_tensor();
    const auto fits = [&](const Tensor& t) {
        return is_known(t.dtype()) && t.dtype() != ScalarType::Bool && t.numel() > 0 && !t.device().is_cpu();
    };
    const bool both = fits(elements) && fits(given);
    if (!both && why != nullptr) *why = "arguments that do not fit";
    return both;
}

// Comparisons promote a number as isin does.
Tensor isin_number(const Tensor& elements, const Scalar& value, bool, bool invert) {
    return invert ? fn::ne_scalar(elements, value) : fn::eq_scalar(elements, value);
}
Tensor number_isin(const Scalar& value, const Tensor& test_elements, bool, bool invert) {
    const Tensor found = fn::any(fn::eq_scalar(test_elements, value));
    return invert ? fn::logical_not(found) : found;
}
template <std::size_t kTensor>
bool takes_number_among(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const bool fits = is_known(a[kTensor].to_tensor().dtype()) && !a[1 - kTensor].to_scalar().is_complex();
    if (!fits && why != nullptr) *why = "arguments that do not fit";
    return fits;
}

// ---- bags

using FourTensors = std::tuple<Tensor, Tensor, Tensor, Tensor>;
FourTensors embedding_bag(const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool, std::int64_t mode,
                          bool, const Tensor& per_sample_weights, bool include_last_offset, std::int64_t padding_idx) {
    static const OperatorHandle<> search("aten::searchsorted.Tensor");
    const Device device = weight.device();
    const Queue queue = queue_of(device);
    const Tensor table = dense(weight), rows = dense(as_index(indices, device)),
                 begins = dense(as_index(offsets, device));
    const Tensor scales = per_sample_weights.defined() ? dense(per_sample_weights) : Tensor();
    Bags bags;
    bags.element = element_of(weight.dtype());
    bags.mode = static_cast<BagMode>(mode);
    bags.rows = weight.size(0);
    bags.width = weight.size(1);
    bags.count = indices.numel();
    bags.bags = offsets.numel() - (include_last_offset ? 1 : 0);
    bags.padding = padding_idx;
    bags.indices = static_cast<const std::int64_t*>(address_of(rows));
    bags.offsets = static_cast<const std::int64_t*>(address_of(begins));
    bags.fault = fault_for(queue, "aten::embedding_bag");
    const bool is_max = bags.mode == BagMode::Max;
    const Tensor out = empty(std::array{bags.bags, bags.width}, weight.dtype(), device);
    const Tensor sizes = empty(std::array{bags.bags}, ScalarType::Int64, device);
    const Tensor greatest =
        empty(std::array{bags.bags, is_max ? bags.width : std::int64_t{0}}, ScalarType::Int64, device);
    run_bags(queue, bags, address_of(table), address_of(scales), address_of(out),
             static_cast<std::int64_t*>(address_of(sizes)),
             is_max ? static_cast<std::int64_t*>(address_of(greatest)) : nullptr);
    check_faults(queue);
    // Offsets that are not above a place, less one.
    const Tensor places = fn::arange(Scalar(bags.count), kWhole, IValue(), device);
    const Tensor own = fn::narrow(begins, std::int64_t{0}, std::int64_t{0}, bags.bags);
    const Tensor bag_of = fn::add_scalar(search(own, places, false, true, IValue(), Tensor()), Scalar(-1), Scalar(1));
    return {out, bag_of, sizes, greatest};
}
// What the host refuses goes there; offsets are not looked at.
bool takes_bags(Arguments a, std::string* why) {
    if (!takes_floating<0, 6>(a, why)) return false;
    const Tensor weight = a[0].to_tensor(), indices = a[1].to_tensor(), offsets = a[2].to_tensor();
    const Tensor scales = a[6].is_tensor() ? a[6].to_tensor() : Tensor();
    const bool fits = weight.dim() == 2 && indices.dim() == 1 && offsets.dim() == 1 && weight.numel() > 0 &&
                      indices.numel() > 0 && offsets.numel() > (a[7].to_bool() ? 1 : 0) && a[4].to_int() >= 0 &&
                      a[4].to_int() <= 2 &&
                      (!scales.defined() ||
                       (a[4].to_int() == 0 && scales.dtype() == weight.dtype() && scales.numel() == indices.numel()));
    if (!fits && why != nullptr) *why = "arguments that do not fit";
    return fits;
}

}  // namespace

void register_counting(const Registration& to) {
    to.add("aten::bincount", boxed<bincount>, takes_whole_vector);
    to.add("aten::histc", boxed<histc>, takes_histogram);
    to.add("aten::isin.Tensor_Tensor", boxed<isin>, takes_elements);
    to.add("aten::isin.Tensor_Scalar", boxed<isin_number>, takes_number_among<0>);
    to.add("aten::isin.Scalar_Tensor", boxed<number_isin>, takes_number_among<1>);
    to.add("aten::_embedding_bag", boxed<embedding_bag>, takes_bags);
    to.add("aten::_embedding_bag_forward_only", boxed<embedding_bag>, takes_bags);
}

}  // namespace loupe::cuda
