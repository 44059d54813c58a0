// SPDX-License-Identifier: Apache-2.0
// sum, mean, nansum, nanmean, prod, any, all, count_nonzero.

#include "core/dispatch/out_refusals.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/not_finite.h"
#include "core/ops/reduction/family.h"
#include "core/ops/reduction/reduction.h"
#include "core/ops/sparse/sparse.h"

namespace loupe {
namespace {

using namespace arithmetic;
using namespace reduction;
using G = GradientContext;

ScalarType sum_dtype(const Tensor& self, const IValue& dtype) {
    return dtype_or(dtype, is_integral(self.dtype()) ? ScalarType::Int64 : self.dtype());
}
ScalarType mean_dtype(const Tensor& self, const IValue& dtype) {
    const ScalarType chosen = dtype_or(dtype, self.dtype());
    if (is_differentiable(chosen)) return chosen;
    if (dtype.is_none()) {
        require(
            false,
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: ",
            dtype_graph_name(chosen));
    }
    require(
        false,
        "mean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. Got: ",
        dtype_graph_name(chosen));
    return chosen;
}

// (self, dtype)
TensorMeta infer_sum(const Tensor& self, const IValue& dtype) {
    return reduced_meta(self, IValue(), false, sum_dtype(self, dtype));
}
TensorMeta infer_mean(const Tensor& self, const IValue& dtype) {
    return reduced_meta(self, IValue(), false, mean_dtype(self, dtype));
}
// (self, dim, keepdim, dtype)
TensorMeta infer_sum_dim(const Tensor& self, const IValue& dim, bool keepdim, const IValue& dtype) {
    return reduced_meta(self, dim, keepdim, sum_dtype(self, dtype));
}
TensorMeta infer_mean_dim(const Tensor& self, const IValue& dim, bool keepdim, const IValue& dtype) {
    return reduced_meta(self, dim, keepdim, mean_dtype(self, dtype));
}

void reduce(ReduceOp op, const Tensor& out, const Tensor& self, const IValue& dim) {
    // A mean in 16 bits is the quotient of a sum that has been rounded to them, as long as they hold the sum.
    constexpr std::int64_t kRoundedElements = 32768;
    const bool is_narrow = out.dtype() == ScalarType::Float16 || out.dtype() == ScalarType::BFloat16;
    if (const std::int64_t count = Reduced(self.dim(), dim).count(self.sizes());
        op == ReduceOp::Mean && is_narrow && count <= kRoundedElements) {
        reduce(ReduceOp::Sum, out, self, dim);
        fn::div_scalar_(out, Scalar(count));
        return;
    }
    run(reduction_kernel(op, compute_type(out.dtype())), self, dim, std::span(&out, 1));
}
template <ReduceOp kOp>
void whole(const Tensor& out, const Tensor& self, const IValue&) {
    reduce(kOp, out, self, IValue());
}
template <ReduceOp kOp>
void along(const Tensor& out, const Tensor& self, const IValue& dim, bool, const IValue&) {
    reduce(kOp, out, self, dim);
}

Scalar one_over_count(const G& c, const IValue& dim) {
    const IntSpan sizes = c.sizes("self");
    return 1.0 / static_cast<double>(Reduced(static_cast<std::int64_t>(sizes.size()), dim).count(sizes));
}
void sum_backward(G& c) { c.set_grad("self", spread(c.grad_output(), c.sizes("self"), IValue(), false)); }
void sum_dim_backward(G& c) {
    c.set_grad("self", spread(c.grad_output(), c.sizes("self"), c.value("dim"), c.value("keepdim").to_bool()));
}
void mean_backward(G& c) {
    c.set_grad("self", spread(c.grad_output() * one_over_count(c, IValue()), c.sizes("self"), IValue(), false));
}
void mean_dim_backward(G& c) {
    c.set_grad("self", spread(c.grad_output() * one_over_count(c, c.value("dim")), c.sizes("self"), c.value("dim"),
                              c.value("keepdim").to_bool()));
}
void nansum_backward(G& c) {
    const Tensor g = spread(c.grad_output(), c.sizes("self"), c.value("dim"), c.value("keepdim").to_bool());
    c.set_grad("self", fn::masked_fill(g, fn::isnan(c.argument("self")), Scalar(0)));
}
TensorMeta infer_nansum(const Tensor& self, const IValue& dim, bool keepdim, const IValue& dtype) {
    require(!is_complex(self.dtype()), "nansum on CPU does not support complex inputs");
    return reduced_meta(self, dim, keepdim, sum_dtype(self, dtype));
}
Tensor nanmean(const Tensor& self, const IValue& dim, bool keepdim, const IValue& dtype) {
    require(is_differentiable(self.dtype()),
            "nanmean(): expected input to have floating point or complex dtype but got ",
            dtype_graph_name(self.dtype()));
    const Tensor count = fn::sum_dim(fn::logical_not(fn::isnan(self)), dim, keepdim, IValue());
    return fn::nansum(self, dim, keepdim, dtype) / count;
}

// The product of all but one: from the left times from the right, so that zeros are no special case.
Tensor product_of_others(const Tensor& x, std::int64_t dim) {
    const std::int64_t n = x.size(dim);
    if (n == 0) return x;
    const Tensor one = fn::ones_like(fn::narrow(x, dim, 0, 1));
    const auto running = [&](const Tensor& t) {
        return fn::cumprod(fn::cat(TensorList{one, fn::narrow(t, dim, 0, n - 1)}, dim), dim, IValue());
    };
    const Dims flipped{dim};
    return running(x) * fn::flip(running(fn::flip(x, flipped)), flipped);
}
bool has_zeros(const Tensor& x) { return item(fn::any(fn::eq_scalar(x, Scalar(0)))).to_bool(); }

Tensor prod_slope(const Tensor& g, const Tensor& x, const Tensor& result, std::int64_t dim) {
    if (!has_zeros(x)) return g * conj(result / x);
    return g * conj(product_of_others(x, dim));
}
void prod_backward(G& c) {
    const Tensor x = c.argument("self");
    if (x.dim() == 0) return c.set_grad("self", c.grad_output());
    const Tensor flat = fn::reshape(x, Dims{-1});
    c.set_grad("self", fn::reshape(prod_slope(c.grad_output(), flat, c.result(), 0), to_dims(c.sizes("self"))));
}
void prod_dim_backward(G& c) {
    const Tensor x = c.argument("self");
    if (x.dim() == 0) return c.set_grad("self", c.grad_output());
    const std::int64_t dim = wrap_dim(c.value("dim").to_int(), x.dim());
    const bool keepdim = c.value("keepdim").to_bool();
    const Tensor g = unsqueezed(c.grad_output(), x.dim(), dim, keepdim);
    c.set_grad("self", prod_slope(g, x, unsqueezed(c.result(), x.dim(), dim, keepdim), dim));
}

// any and all give bool, uint8 for uint8.
ScalarType truth_dtype(const Tensor& self) {
    return self.dtype() == ScalarType::UInt8 ? ScalarType::UInt8 : ScalarType::Bool;
}
TensorMeta infer_truth(const Tensor& self) { return reduced_meta(self, IValue(), false, truth_dtype(self)); }
TensorMeta infer_truth_dim(const Tensor& self, std::int64_t dim, bool keepdim) {
    return reduced_meta(self, dim, keepdim, truth_dtype(self));
}
ScalarType truth_compute_type(ScalarType dtype) {
    return dtype == ScalarType::Bool || dtype == ScalarType::UInt8 ? dtype : compute_type(dtype);
}
template <ReduceOp kOp>
void truth(const Tensor& out, const Tensor& self) {
    run(reduction_kernel(kOp, truth_compute_type(self.dtype())), self, IValue(), std::span(&out, 1));
}
template <ReduceOp kOp>
void truth_along(const Tensor& out, const Tensor& self, std::int64_t dim, bool) {
    run(reduction_kernel(kOp, truth_compute_type(self.dtype())), self, dim, std::span(&out, 1));
}
TensorMeta infer_count(const Tensor& self, const IValue& dim) {
    return reduced_meta(self, dim, false, ScalarType::Int64);
}
void count_along(const Tensor& out, const Tensor& self, const IValue& dim) {
    run(reduction_kernel(ReduceOp::CountNonzero, compute_type(self.dtype())), self, dim, std::span(&out, 1));
}

Tensor sum_to_size(const Tensor& self, const Dims& size) {
    const auto refuse_unless = [&](bool holds) {
        require(holds, "size {", shape_list_text(span_of(size)), "} is not expandable to size {",
                shape_list_text(self.sizes()), "}.");
    };
    refuse_unless(size.size() <= self.sizes().size());
    if (size.empty()) return fn::sum(self, IValue());
    Dims dims;
    const std::size_t extra = self.sizes().size() - size.size();
    for (std::size_t d = 0; d < self.sizes().size(); ++d) {
        const bool sums = d < extra || (size[d - extra] == 1 && self.sizes()[d] != 1);
        refuse_unless(sums || size[d - extra] == self.sizes()[d]);
        if (sums) dims.push_back(static_cast<std::int64_t>(d));
    }
    return dims.empty() ? self : fn::reshape(fn::sum_dim(self, dims, true, IValue()), size);
}

std::vector<Sample> with_dtype(std::vector<Sample> samples) {
    for (Sample& s : samples) s.arguments.push_back(IValue());
    return samples;
}
std::vector<Sample> sum_samples(Random& random, ScalarType dtype) { return with_dtype(whole_samples(random, dtype)); }
std::vector<Sample> sum_dim_samples(Random& random, ScalarType dtype) {
    return with_dtype(dim_list_samples(random, dtype));
}
std::vector<Sample> mean_samples(Random& random, ScalarType dtype) {
    return is_differentiable(dtype) ? sum_samples(random, dtype) : std::vector<Sample>();
}
std::vector<Sample> mean_dim_samples(Random& random, ScalarType dtype) {
    return is_differentiable(dtype) ? sum_dim_samples(random, dtype) : std::vector<Sample>();
}
std::vector<Sample> nansum_samples(Random& random, ScalarType dtype) {
    return is_complex(dtype) ? std::vector<Sample>() : sum_dim_samples(random, dtype);
}
std::vector<Sample> prod_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = sum_samples(random, dtype);
    samples.pop_back();  // a long product says little
    return samples;
}
std::vector<Sample> prod_dim_samples(Random& random, ScalarType dtype) {
    return with_dtype(one_dim_samples(random, dtype));
}
std::vector<Sample> truth_dim_samples(Random& random, ScalarType dtype) { return one_dim_samples(random, dtype); }

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kMeanNotFinite[] = {
    {In::Forward, When::Nothing, 0, "the mean of no elements", advice::kNone},
    {In::Either, When::Infinite, 0, "Inf \u2212 Inf in a mean", advice::kDifference},
    {In::Forward, When::Always, 0, "a mean whose sum leaves the range of its dtype", advice::kShrink},
};
constexpr NotFiniteNote kSumNotFinite[] = {
    {In::Either, When::Infinite, 0, "Inf \u2212 Inf in a sum", advice::kDifference},
    {In::Forward, When::Always, 0, "a sum that leaves the range of its dtype", advice::kShrink},
};
constexpr NotFiniteNote kProdNotFinite[] = {
    {In::Either, When::Infinite, 0, "0 \u00b7 Inf in a product", advice::kProduct},
    {In::Forward, When::Always, 0, "a product that leaves the range of its dtype", "sum logarithms instead"},
};

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
     .summary = "Sum of all elements; integers sum in int64.",
     .formula = "sum_i x_i",
     .infer = inferring<infer_sum>,
     .kernel = filling<whole<ReduceOp::Sum>>,
     .derivative = {sum_backward},
     .gradient = "self: grad, repeated over what was summed",
     .samples = sum_samples,
     .variants = kOut,
     .out = {.overload = "out"},
     .sparse = {.run = on_sparse::norm},
     .autocast = {.cuda = Autocast::Float32Result},
     .not_finite = kSumNotFinite,
     .dtypes = {kWithUnsigned}},
    {.schema =
         "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
     .summary = "Sum along dimensions.",
     .infer = inferring<infer_sum_dim>,
     .kernel = filling<along<ReduceOp::Sum>>,
     .derivative = {sum_dim_backward, {}, "SumBackward1"},
     .samples = sum_dim_samples,
     .variants = kOut,
     .out = {.overload = "IntList_out"},
     .sparse = {.run = on_sparse::norm},
     .autocast = {.cuda = Autocast::Float32Result},
     .dtypes = {kWithUnsigned}},
    {.schema = "aten::sum_to_size(Tensor self, int[] size) -> Tensor",
     .summary = "Sums what broadcasting from that size would have repeated.",
     .formula = "sum_i x_i over the dimensions that size lacks or has as 1",
     .composite = boxed<sum_to_size>,
     .gradient = "self: grad, repeated over what was summed"},
    {.schema = "aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor",
     .summary = "Mean of all elements.",
     .formula = "sum_i x_i / n",
     .infer = inferring<infer_mean>,
     .kernel = filling<whole<ReduceOp::Mean>>,
     .derivative = {mean_backward},
     .gradient = "self: grad / n, repeated",
     .samples = mean_samples,
     .not_finite = kMeanNotFinite,
     .dtypes = {.kernel = "sum_cpu"}},
    {.schema = "aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
     .summary = "Mean along dimensions.",
     .infer = inferring<infer_mean_dim>,
     .kernel = filling<along<ReduceOp::Mean>>,
     .derivative = {mean_dim_backward, {}, "MeanBackward1"},
     .samples = mean_dim_samples,
     .variants = kOut,
     .dtypes = {.kernel = "sum_cpu"}},
    {.schema = "aten::nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
     .summary = "Sum that takes NaN as 0.",
     .formula = "sum_i x_i over x_i that are not NaN",
     .infer = inferring<infer_nansum>,
     .kernel = filling<along<ReduceOp::NanSum>>,
     .derivative = {nansum_backward, {save_argument("self")}},
     .gradient = "self: grad where x is not NaN, else 0",
     .samples = nansum_samples,
     .variants = kOut,
     .dtypes = {kWithUnsigned}},
    {.schema = "aten::nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
     .summary = "Mean of what is not NaN.",
     .formula = "nansum(x) / number of x that are not NaN",
     .composite = boxed<nanmean>,
     .gradient = "self: grad / number of x that are not NaN, 0 where x is NaN",
     .variants = kOut},
    {.schema = "aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor",
     .summary = "Product of all elements.",
     .formula = "prod_i x_i",
     .infer = inferring<infer_sum>,
     .kernel = filling<whole<ReduceOp::Prod>>,
     .derivative = {prod_backward, {save_argument("self"), save_result()}},
     .gradient = "self: grad out / x; where x is 0, grad times the product of the others",
     .samples = prod_samples,
     .variants = kOut,
     .autocast = {.cpu = Autocast::Float32, .cuda = Autocast::Float32Result},
     .not_finite = kProdNotFinite,
     .dtypes = {kWithUnsigned, "prod_out_cpu"}},
    {.schema = "aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
     .summary = "Product along a dimension.",
     .infer = inferring<infer_sum_dim>,
     .kernel = filling<along<ReduceOp::Prod>>,
     .derivative = {prod_dim_backward, {save_argument("self"), save_result()}, "ProdBackward1"},
     .samples = prod_dim_samples,
     .variants = kOut,
     .out = {.overload = "int_out"},
     .autocast = {.cpu = Autocast::Float32, .cuda = Autocast::Float32Result},
     .dtypes = {kWithUnsigned, "prod_out_cpu"}},
    {.schema = "aten::any(Tensor self) -> Tensor",
     .summary = "Is any element nonzero?",
     .formula = "x_1 != 0 or .. or x_n != 0",
     .infer = inferring<infer_truth>,
     .kernel = filling<truth<ReduceOp::Any>>,
     .samples = whole_samples,
     .variants = kOut,
     .out = {.overload = "all_out", .refusal = out_refusal::kBoolResult, .takes_bytes = true},
     .is_gradient_stop = true,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
     .summary = "Is any element along the dimension nonzero?",
     .infer = inferring<infer_truth_dim>,
     .kernel = filling<truth_along<ReduceOp::Any>>,
     .samples = truth_dim_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kBoolResult, .takes_bytes = true},
     .is_gradient_stop = true,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::all(Tensor self) -> Tensor",
     .summary = "Are all elements nonzero?",
     .formula = "x_1 != 0 and .. and x_n != 0",
     .infer = inferring<infer_truth>,
     .kernel = filling<truth<ReduceOp::All>>,
     .samples = whole_samples,
     .variants = kOut,
     .out = {.overload = "all_out", .refusal = out_refusal::kBoolResult, .takes_bytes = true},
     .is_gradient_stop = true,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
     .summary = "Are all elements along the dimension nonzero?",
     .infer = inferring<infer_truth_dim>,
     .kernel = filling<truth_along<ReduceOp::All>>,
     .samples = truth_dim_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kBoolResult, .takes_bytes = true},
     .is_gradient_stop = true,
     .dtypes = {kAnyDtype}},
    {.schema = "aten::count_nonzero(Tensor self, int? dim=None) -> Tensor",
     .summary = "How many elements are nonzero.",
     .formula = "number of x_i != 0",
     .infer = inferring<infer_count>,
     .kernel = filling<count_along>,
     .variants = kOut,
     .is_gradient_stop = true,
     .dtypes = {.kernel = "nonzero_count_cpu"}},
    {.schema = "aten::count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor",
     .summary = "How many elements are nonzero along dimensions.",
     .infer = inferring<infer_count>,
     .kernel = filling<count_along>,
     .variants = kOut,
     .out = {.overload = "dim_IntList_out"},
     .is_gradient_stop = true,
     .dtypes = {kAnyDtype}},
};

}  // namespace

std::span<const OperatorRecord> reduction::sum_records() { return kRecords; }

}  // namespace loupe
