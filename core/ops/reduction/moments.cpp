// SPDX-License-Identifier: Apache-2.0
// var, std, var_mean, std_mean, with Bessel's or any other correction.

#include "core/dispatch/forward.h"
#include "core/kernels/arithmetic.h"
#include "core/kernels/elementwise.h"
#include "core/ops/not_finite.h"
#include "core/ops/reduction/family.h"
#include "core/ops/reduction/reduction.h"

namespace loupe {
namespace {

using namespace arithmetic;
using namespace reduction;
using G = GradientContext;

// (self, dim, correction, keepdim)
void require_floating(const Tensor& self, const char* name) {
    require(is_differentiable(self.dtype()), name, " only support floating point and complex dtypes");
}
TensorMeta infer_one(const Tensor& self, const IValue& dim, const IValue&, bool keepdim) {
    require_floating(self, "std and var");
    return reduced_meta(self, dim, keepdim, to_real_type(self.dtype()));
}
MetaList infer_two(const Tensor& self, const IValue& dim, const IValue&, bool keepdim) {
    require_floating(self, "var_mean and std_mean");
    return {reduced_meta(self, dim, keepdim, to_real_type(self.dtype())),
            reduced_meta(self, dim, keepdim, self.dtype())};
}

double correction_of(const IValue& correction) {
    return correction.is_none() ? 1 : static_cast<double>(correction.to_int());
}

template <bool kRoot>
void both(const Tensor& spread_out, const Tensor& mean, const Tensor& self, const IValue& dim, const IValue& correction,
          bool keepdim) {
    if (is_complex(self.dtype())) {
        // The variances of the parts add up.
        const Tensor total =
            fn::var(fn::real(self), dim, correction, keepdim) + fn::var(fn::imag(self), dim, correction, keepdim);
        copy_into(spread_out, kRoot ? fn::sqrt(total) : total);
        copy_into(mean, fn::mean_dim(self, dim, keepdim, IValue()));
        return;
    }
    const double params[] = {correction_of(correction)};
    const std::array<Tensor, 2> outputs{spread_out, mean};
    run(reduction_kernel(kRoot ? ReduceOp::Std : ReduceOp::Var, compute_type(self.dtype())), self, dim, outputs,
        params);
}
template <bool kRoot>
void one(const Tensor& out, const Tensor& self, const IValue& dim, const IValue& correction, bool keepdim) {
    both<kRoot>(out, empty(out.sizes(), self.dtype()), self, dim, correction, keepdim);
}

Tensor var_slope(const Tensor& g, const Tensor& x, const IValue& dim, const IValue& correction, bool keepdim) {
    const double count = static_cast<double>(Reduced(x.dim(), dim).count(x.sizes()));
    const Tensor centred = x - fn::mean_dim(x, dim, true, IValue());
    return spread(g * (2 / (count - correction_of(correction))), x.sizes(), dim, keepdim) * centred;
}
Tensor std_slope(const Tensor& g, const Tensor& result, const Tensor& x, const IValue& dim, const IValue& correction,
                 bool keepdim) {
    const Tensor halved = fn::masked_fill(g / (result * 2), fn::eq_scalar(result, Scalar(0)), Scalar(0));
    return var_slope(halved, x, dim, correction, keepdim);
}
template <bool kRoot>
Tensor spread_slope(G& c, const Tensor& g) {
    const IValue& dim = c.value("dim");
    const IValue& correction = c.value("correction");
    const bool keepdim = c.value("keepdim").to_bool();
    if (kRoot) return std_slope(g, c.result(0), c.argument("self"), dim, correction, keepdim);
    return var_slope(g, c.argument("self"), dim, correction, keepdim);
}
template <bool kRoot>
void one_backward(G& c) {
    c.set_grad("self", spread_slope<kRoot>(c, c.grad_output()));
}
template <bool kRoot>
void both_backward(G& c) {
    Tensor total;
    if (c.grad_output(0).defined()) total = spread_slope<kRoot>(c, c.grad_output(0));
    if (c.grad_output(1).defined()) {
        const Tensor x = c.argument("self");
        const double count = static_cast<double>(Reduced(x.dim(), c.value("dim")).count(x.sizes()));
        const Tensor part = spread(c.grad_output(1) / count, x.sizes(), c.value("dim"), c.value("keepdim").to_bool());
        total = total.defined() ? total + part : part;
    }
    c.set_grad("self", total);
}

// (self, unbiased) and (self, dim, unbiased, keepdim)
template <detail::OperatorName kName>
void unbiased_whole(Arguments arguments, IValue* results) {
    const IValue all[] = {arguments[0], IValue(), arguments[1].to_bool() ? 1 : 0, false};
    forward<kName>(all, results);
}
template <detail::OperatorName kName>
void unbiased_dim(Arguments arguments, IValue* results) {
    const IValue all[] = {arguments[0], arguments[1], arguments[2].to_bool() ? 1 : 0, arguments[3]};
    forward<kName>(all, results);
}

std::vector<Sample> moment_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    std::vector<Sample> samples;
    for (const Sample& s : dim_list_samples(random, dtype)) {
        if (s.arguments[0].to_tensor().dim() == 0) continue;
        for (const int correction : {0, 1})
            samples.push_back({{s.arguments[0], s.arguments[1], correction, s.arguments[2]}, s.name});
    }
    return samples;
}

constexpr OperatorRecord composite(std::string_view schema, std::string_view summary, KernelFunction function) {
    return {.schema = schema, .summary = summary, .composite = function};
}

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kVarNotFinite[] = {
    {In::Forward, When::Alone, 0, "the variance of one element", advice::kSpread},
    {In::Either, When::Always, 0, "a variance that leaves the range of its dtype", advice::kShrink},
};
constexpr NotFiniteNote kStdNotFinite[] = {
    {In::Forward, When::Alone, 0, "the standard deviation of one element", advice::kSpread},
    {In::Backward, When::Zero, -1, "std of equal elements: a root at 0", "add an eps to the variance before its root"},
};
constexpr NotFiniteNote kVarMeanNotFinite[] = {
    {In::Forward, When::Alone, 0, "the variance of one element", advice::kSpread},
};
constexpr NotFiniteNote kStdMeanNotFinite[] = {
    {In::Forward, When::Alone, 0, "the standard deviation of one element", advice::kSpread},
};

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::var.correction(Tensor self, int[1]? dim, *, int? correction, bool keepdim=False) -> Tensor",
     .summary = "Variance along dimensions.",
     .formula = "sum((x - mean)^2) / (n - correction)",
     .infer = inferring<infer_one>,
     .kernel = filling<one<false>>,
     .derivative = {one_backward<false>, {save_argument("self")}},
     .gradient = "self: 2 grad (x - mean) / (n - correction)",
     .samples = moment_samples,
     .variants = kOut,
     .out = {.overload = "correction_out"},
     .not_finite = kVarNotFinite},
    {.schema = "aten::std.correction(Tensor self, int[1]? dim, *, int? correction, bool keepdim=False) -> Tensor",
     .summary = "Standard deviation along dimensions.",
     .formula = "sqrt(sum((x - mean)^2) / (n - correction))",
     .infer = inferring<infer_one>,
     .kernel = filling<one<true>>,
     .derivative = {one_backward<true>, {save_argument("self"), save_result()}},
     .gradient = "self: grad (x - mean) / (out (n - correction))",
     .samples = moment_samples,
     .variants = kOut,
     .out = {.overload = "correction_out"},
     .not_finite = kStdNotFinite},
    {.schema = "aten::var_mean.correction(Tensor self, int[1]? dim, *, int? correction, bool keepdim=False) -> "
               "(Tensor, Tensor)",
     .summary = "Variance and mean along dimensions.",
     .formula = "sum((x - mean)^2) / (n - correction), mean = sum_i x_i / n",
     .infer = inferring<infer_two>,
     .kernel = filling<both<false>, 2>,
     .derivative = {both_backward<false>, {save_argument("self")}},
     .gradient = "self: 2 grad0 (x - mean) / (n - correction) + grad1 / n",
     .samples = moment_samples,
     .variants = kOut,
     .out = {.overload = "correction_out"},
     .not_finite = kVarMeanNotFinite,
     .dtypes = {.kernel = "std_cpu"}},
    {.schema = "aten::std_mean.correction(Tensor self, int[1]? dim, *, int? correction, bool keepdim=False) -> "
               "(Tensor, Tensor)",
     .summary = "Standard deviation and mean along dimensions.",
     .formula = "sqrt(sum((x - mean)^2) / (n - correction)), mean = sum_i x_i / n",
     .infer = inferring<infer_two>,
     .kernel = filling<both<true>, 2>,
     .derivative = {both_backward<true>, {save_argument("self"), save_result(0)}},
     .gradient = "self: grad0 (x - mean) / (out0 (n - correction)) + grad1 / n",
     .samples = moment_samples,
     .variants = kOut,
     .out = {.overload = "correction_out"},
     .not_finite = kStdMeanNotFinite,
     .dtypes = {.kernel = "std_cpu"}},
    composite("aten::var(Tensor self, bool unbiased=True) -> Tensor", "Variance of all elements.",
              unbiased_whole<"aten::var.correction">),
    composite("aten::var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
              "Variance along dimensions.", unbiased_dim<"aten::var.correction">)
        .with_out({}),
    composite("aten::std(Tensor self, bool unbiased=True) -> Tensor", "Standard deviation of all elements.",
              unbiased_whole<"aten::std.correction">),
    composite("aten::std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor",
              "Standard deviation along dimensions.", unbiased_dim<"aten::std.correction">)
        .with_out({}),
    composite("aten::var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)",
              "Variance and mean of all elements.", unbiased_whole<"aten::var_mean.correction">),
    composite(
        "aten::var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)",
        "Variance and mean along dimensions.", unbiased_dim<"aten::var_mean.correction">),
    composite("aten::std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)",
              "Standard deviation and mean of all elements.", unbiased_whole<"aten::std_mean.correction">),
    composite(
        "aten::std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)",
        "Standard deviation and mean along dimensions.", unbiased_dim<"aten::std_mean.correction">),
};

}  // namespace

std::span<const OperatorRecord> reduction::moment_records() { return kRecords; }

}  // namespace loupe
