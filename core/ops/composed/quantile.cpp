// SPDX-License-Identifier: Apache-2.0
// quantile and nanquantile: values at a share of the sorted elements.

#include <cmath>

#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/composed/family.h"
#include "core/ops/samples.h"
#include "core/tensor/device_copy.h"

namespace loupe::composed {
namespace {

using namespace arithmetic;

const OperatorHandle<fn::TwoTensors> kSortCall{"aten::sort"};
const OperatorHandle<> kFloor{"aten::floor"};
const OperatorHandle<> kCeil{"aten::ceil"};
const OperatorHandle<> kAnyDim{"aten::any.dim"};

template <typename... Parts>
void check(bool holds, const Parts&... parts) {
    if (!holds) throw Error(ErrorKind::Run, concat("quantile() ", parts...));
}

void check_inputs(const Tensor& self, const Tensor& q, std::string_view interpolation) {
    const bool known = interpolation == "linear" || interpolation == "lower" || interpolation == "higher" ||
                       interpolation == "midpoint" || interpolation == "nearest";
    check(known, "interpolation must be one of linear, lower, higher, midpoint or nearest, but got ", interpolation);
    check(self.numel() > 0, "input tensor must be non-empty");
    check(q.dim() <= 1, "q must be a scalar or 1D tensor");
    check(self.dtype() == ScalarType::Float32 || self.dtype() == ScalarType::Float64,
          "input tensor must be either float or double dtype");
    check(self.dtype() == q.dtype(), "q tensor must be same dtype as the input tensor");
    const Tensor inside = fn::all(fn::logical_and(fn::ge_scalar(q, Scalar(0)), fn::le_scalar(q, Scalar(1))));
    check(fn::is_nonzero(inside), "q values must be in the range [0, 1]");
}

Tensor to_long(const Tensor& t) { return fn::to_dtype(t, static_cast<std::int64_t>(ScalarType::Int64)); }

// Places among the sorted elements, [.., q]; a line with NaN has its last place, or counts only its numbers.
Tensor ranks_of(const Tensor& sorted, const Tensor& q, bool ignore_nan) {
    const Tensor is_nan = fn::isnan(sorted);
    if (ignore_nan) {
        const Tensor count = fn::sum_dim(fn::logical_not(is_nan), Dims{-1}, true);
        return fn::clamp(q * (count - Scalar(1)), Scalar(0), IValue());
    }
    const std::int64_t last = sorted.size(-1) - 1;
    Dims sizes = to_dims(sorted.sizes());
    sizes.back() = q.size(0);
    return fn::masked_fill(fn::expand(q * Scalar(last), sizes), kAnyDim(is_nan, std::int64_t{-1}, true), Scalar(last));
}

// [.., q] from sorted [.., n].
Tensor values_at(const Tensor& sorted, Tensor rank, std::string_view interpolation) {
    if (interpolation == "lower") rank = kFloor(rank);
    if (interpolation == "higher") rank = kCeil(rank);
    if (interpolation == "nearest") rank = fn::round(rank);
    const Tensor below = to_long(rank);
    const Tensor values = fn::gather(sorted, -1, below);
    if (interpolation != "linear" && interpolation != "midpoint") return values;
    const Tensor weights = interpolation == "midpoint" ? fn::full_like(rank, Scalar(0.5)) : rank - below;
    return fn::lerp(values, fn::gather(sorted, -1, to_long(kCeil(rank))), weights);
}

Tensor quantile_of(const Tensor& self, const Tensor& q, std::optional<std::int64_t> dim, bool keepdim,
                   std::string_view interpolation, bool ignore_nan) {
    check_inputs(self, q, interpolation);
    const std::int64_t along = wrap_dim(dim.value_or(0), self.dim());
    const bool is_flat = !dim || self.dim() == 0;
    const Tensor lines = is_flat ? fn::reshape(self, Dims{-1}) : fn::movedim(self, along, -1);
    const Tensor sorted = std::get<0>(kSortCall(lines));
    check(sorted.size(-1) <= (std::int64_t{1} << 24), "input tensor is too large");
    const Tensor shares = q.dim() == 0 ? fn::unsqueeze(q, 0) : q;
    Tensor values = fn::movedim(values_at(sorted, ranks_of(sorted, shares, ignore_nan), interpolation), -1, 0);
    if (keepdim && is_flat) {
        Dims sizes(static_cast<std::size_t>(self.dim()) + 1, 1);
        sizes[0] = shares.size(0);
        values = fn::reshape(values, sizes);
    } else if (keepdim) {
        values = fn::unsqueeze(values, along + 1);
    }
    return q.dim() == 0 ? fn::squeeze(values, 0) : values;
}

Tensor share_tensor(const Tensor& self, double q) {
    check(q >= 0 && q <= 1, "q must be in the range [0, 1] but got ", q);
    check(self.dtype() == ScalarType::Float32 || self.dtype() == ScalarType::Float64,
          "input tensor must be either float or double dtype");
    return on_device(scalar_tensor(Scalar(q), self.dtype()), self.device());
}

template <bool IgnoreNan>
Tensor quantile(const Tensor& self, const Tensor& q, std::optional<std::int64_t> dim, bool keepdim,
                std::string_view interpolation) {
    return quantile_of(self, q, dim, keepdim, interpolation, IgnoreNan);
}
template <bool IgnoreNan>
Tensor quantile_at(const Tensor& self, double q, std::optional<std::int64_t> dim, bool keepdim,
                   std::string_view interpolation) {
    return quantile_of(self, share_tensor(self, q), dim, keepdim, interpolation, IgnoreNan);
}

std::vector<Sample> scalar_samples(Random& random, ScalarType dtype) {
    if (dtype != ScalarType::Float64 && dtype != ScalarType::Float32) return {};
    const Tensor x = random_ladder(random, {3, 4}, dtype);
    return {{{x, 0.3, IValue(), false, "linear"}},
            {{x, 0.6, 0, true, "midpoint"}, "kept"},
            {{x, 1.0, -1, false, "nearest"}, "last"}};
}
std::vector<Sample> tensor_samples(Random& random, ScalarType dtype) {
    if (dtype != ScalarType::Float64 && dtype != ScalarType::Float32) return {};
    const Tensor x = random_ladder(random, {3, 4}, dtype);
    const Tensor q = fn::to_dtype(tensor_of<double>({0, 0.25, 0.9}, {3}), static_cast<std::int64_t>(dtype));
    return {{{x, q, 1, true, "linear"}}, {{x, q, IValue(), false, "lower"}, "flat"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str "
               "interpolation=\"linear\") -> Tensor",
     .summary = "The values below which shares q of the elements lie.",
     .composite = boxed<quantile<false>>,
     .samples = tensor_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kQuantile},
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str "
               "interpolation=\"linear\") -> Tensor",
     .summary = "The value below which a share q of the elements lies.",
     .composite = boxed<quantile_at<false>>,
     .samples = scalar_samples,
     .variants = kOut,
     .out = {.overload = "scalar_out", .refusal = out_refusal::kQuantile},
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str "
               "interpolation=\"linear\") -> Tensor",
     .summary = "The values below which shares q of the elements that are numbers lie.",
     .composite = boxed<quantile<true>>,
     .samples = tensor_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kQuantile},
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str "
               "interpolation=\"linear\") -> Tensor",
     .summary = "The value below which a share q of the elements that are numbers lies.",
     .composite = boxed<quantile_at<true>>,
     .samples = scalar_samples,
     .variants = kOut,
     .out = {.overload = "scalar_out", .refusal = out_refusal::kQuantile},
     .autocast = {.cpu = Autocast::Float32}},
};

}  // namespace

std::span<const OperatorRecord> quantile_records() { return kRecords; }

}  // namespace loupe::composed
