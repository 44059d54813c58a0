// SPDX-License-Identifier: Apache-2.0
// max, min, amax, amin, aminmax, argmax, argmin.

#include "core/autograd/engine.h"
#include "core/base/torch_release.h"
#include "core/base/typed_error.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/reduction/family.h"
#include "core/ops/reduction/reduction.h"
#include "core/ops/samples.h"

namespace loupe {
namespace {

using namespace arithmetic;
using namespace reduction;
using G = GradientContext;

void require_order(const Tensor& self, const char* name) {
    require(!is_complex(self.dtype()), "\"", name, "\" not implemented for '", dtype_graph_name(self.dtype()), "'");
}
// A reduction without a value for no elements.
void require_elements(const Tensor& self, const IValue& dim, const char* name) {
    if (self.numel() > 0) return;
    if (dim.is_none() || (dim.is_list() && dim.to_list().elements.empty())) {
        const std::string text = concat(name, "(): Expected reduction dim to be specified for input.numel() == 0.",
                                        !is_older_torch() && std::string_view(name).starts_with("arg")
                                            ? ""
                                            : " Specify the reduction dim with the 'dim' argument.");
        if (std::string_view(name).starts_with("arg")) fail_with_index(text);
        require(false, text);
    }
    for (const std::int64_t d : Reduced(self.dim(), dim).dims()) {
        if (self.size(d) == 0)
            fail_with_index(concat(name, "(): Expected reduction dim ", d, " to have non-zero size."));
    }
}

template <bool kMax>
constexpr const char* kName = kMax ? "max" : "min";
template <bool kMax>
constexpr ReduceOp kValue = kMax ? ReduceOp::Max : ReduceOp::Min;
template <bool kMax>
constexpr ReduceOp kArg = kMax ? ReduceOp::ArgMax : ReduceOp::ArgMin;

template <bool kMax>
TensorMeta infer_whole(const Tensor& self) {
    require_order(self, kMax ? "max_all" : "min_all");
    require_elements(self, IValue(), kName<kMax>);
    return reduced_meta(self, IValue(), false, self.dtype());
}
template <bool kMax>
void whole(const Tensor& out, const Tensor& self) {
    run(reduction_kernel(kValue<kMax>, compute_type(self.dtype())), self, IValue(), std::span(&out, 1));
}
template <bool kMax>
MetaList infer_dim(const Tensor& self, std::int64_t dim, bool keepdim) {
    require(!is_complex(self.dtype()), kName<kMax>, "(): does not support complex input");
    require_elements(self, dim, kName<kMax>);
    return {reduced_meta(self, dim, keepdim, self.dtype()), reduced_meta(self, dim, keepdim, ScalarType::Int64)};
}
template <bool kMax>
void along(const Tensor& values, const Tensor& indices, const Tensor& self, std::int64_t dim, bool) {
    const std::array<Tensor, 2> outputs{values, indices};
    run(reduction_kernel(kArg<kMax>, compute_type(self.dtype())), self, dim, outputs);
}
template <bool kMax>
TensorMeta infer_extremum(const Tensor& self, const IValue& dim, bool keepdim) {
    require_order(self, kMax ? "max_values_cpu" : "min_values_cpu");
    require_elements(self, dim, kMax ? "amax" : "amin");
    return reduced_meta(self, dim, keepdim, self.dtype());
}
template <bool kMax>
void extremum(const Tensor& out, const Tensor& self, const IValue& dim, bool) {
    run(reduction_kernel(kValue<kMax>, compute_type(self.dtype())), self, dim, std::span(&out, 1));
}
template <bool kMax>
TensorMeta infer_arg(const Tensor& self, const IValue& dim, bool keepdim) {
    const char* name = kMax ? "argmax" : "argmin";
    require(!is_complex(self.dtype()), name, "(): does not support complex input");
    require(self.dtype() != ScalarType::Bool, name, "(): does not support bool input");
    require_elements(self, dim, name);
    return reduced_meta(self, dim, keepdim, ScalarType::Int64);
}
template <bool kMax>
void arg(const Tensor& out, const Tensor& self, const IValue& dim, bool) {
    const std::array<Tensor, 2> outputs{empty(out.sizes(), self.dtype()), out};
    run(reduction_kernel(kArg<kMax>, compute_type(self.dtype())), self, dim, outputs);
}

MetaList infer_aminmax(const Tensor& self, const IValue& dim, bool keepdim) {
    require(!is_complex(self.dtype()), "aminmax not implemented for ", dtype_graph_name(self.dtype()));
    if (dim.is_none())
        require(self.numel() > 0,
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.");
    else if (self.dim() > 0)
        require(self.size(dim.to_int()) > 0, "aminmax: Expected reduction dim ", wrap_dim(dim.to_int(), self.dim()),
                " to have non-zero size.");
    TensorMeta meta = reduced_meta(self, dim, keepdim, self.dtype());
    if (self.dim() == 0 && keepdim && !dim.is_none()) meta.sizes = {1};  // as PyTorch, for this operator only
    return {meta, meta};
}
void aminmax(const Tensor& low, const Tensor& high, const Tensor& self, const IValue& dim, bool) {
    const ScalarType as = compute_type(self.dtype());
    run(reduction_kernel(ReduceOp::Min, as), self, dim, std::span(&low, 1));
    run(reduction_kernel(ReduceOp::Max, as), self, dim, std::span(&high, 1));
}

// Elements equal to the result share its gradient.
Tensor shared(const Tensor& g, const Tensor& x, const Tensor& result, const IValue& dim, bool keepdim) {
    const Tensor wide_result = unsqueezed(result, x.dim(), dim, keepdim);
    Tensor equal = fn::eq(x, wide_result);
    if (gradient_arithmetic().has_nan(result))
        equal = fn::logical_or(equal, fn::logical_and(fn::isnan(x), fn::isnan(wide_result)));
    const Tensor mask = fn::to_dtype(equal, static_cast<std::int64_t>(g.dtype()));
    const Tensor count = fn::sum_dim(mask, dim, true, IValue());
    return unsqueezed(g, x.dim(), dim, keepdim) * mask / count;
}
void whole_backward(G& c) {
    c.set_grad("self", shared(c.grad_output(), c.argument("self"), c.result(), IValue(), false));
}
void extremum_backward(G& c) {
    c.set_grad("self",
               shared(c.grad_output(), c.argument("self"), c.result(), c.value("dim"), c.value("keepdim").to_bool()));
}
void aminmax_backward(G& c) {
    const Tensor x = c.argument("self");
    Tensor total;
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
        if (!c.grad_output(i).defined()) continue;
        const Tensor part = shared(c.grad_output(i), x, c.result(i), c.value("dim"), c.value("keepdim").to_bool());
        total = total.defined() ? total + part : part;
    }
    c.set_grad("self", total);
}
// The gradient goes to the element that was chosen.
void dim_backward(G& c) {
    const Tensor g = c.grad_output(0);
    if (!g.defined()) return;
    const IntSpan sizes = c.sizes("self");
    if (sizes.empty()) return c.set_grad("self", g);
    const auto rank = static_cast<std::int64_t>(sizes.size());
    const bool keepdim = c.value("keepdim").to_bool();
    const Tensor zeros =
        fn::zeros(to_dims(sizes), static_cast<std::int64_t>(g.dtype()), IValue(), g.device(), IValue());
    static const OperatorHandle<> scatter_into{"aten::scatter_.src"};
    c.set_grad("self", scatter_into(zeros, c.value("dim"), unsqueezed(c.result(1), rank, c.value("dim"), keepdim),
                                    unsqueezed(g, rank, c.value("dim"), keepdim)));
}

std::vector<Sample> ordered_whole_samples(Random& random, ScalarType dtype) {
    if (is_complex(dtype) || dtype == ScalarType::Bool) return {};
    return {{{random_ladder(random, {2, 3}, dtype)}, {}},
            {{random_ladder(random, {}, dtype)}, "0-dimensional"},
            {{random_ladder(random, {150}, dtype)}, "a vector"}};
}
std::vector<Sample> list_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = one_dim_samples(random, dtype);
    for (Sample& s : samples) s.arguments[1] = Dims{s.arguments[1].to_int()};
    return samples;
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::max(Tensor self) -> Tensor",
     .summary = "Greatest element; NaN if there is one.",
     .formula = "max_i x_i",
     .infer = inferring<infer_whole<true>>,
     .kernel = filling<whole<true>>,
     .derivative = {whole_backward, {save_argument("self"), save_result()}, "MaxBackward1"},
     .gradient = "self: grad / m at the m elements that are the greatest, else 0",
     .samples = ordered_whole_samples,
     .dtypes = {.kernel = "max_all"}},
    {.schema = "aten::min(Tensor self) -> Tensor",
     .summary = "Smallest element; NaN if there is one.",
     .formula = "min_i x_i",
     .infer = inferring<infer_whole<false>>,
     .kernel = filling<whole<false>>,
     .derivative = {whole_backward, {save_argument("self"), save_result()}, "MinBackward1"},
     .gradient = "self: grad / m at the m elements that are the smallest, else 0",
     .samples = ordered_whole_samples,
     .dtypes = {.kernel = "min_all"}},
    {.schema = "aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
     .summary = "Greatest elements along a dimension, and where they are.",
     .formula = "max_i x_i, argmax_i x_i",
     .infer = inferring<infer_dim<true>>,
     .kernel = filling<along<true>, 2>,
     .derivative = {dim_backward, {save_result(1)}},
     .gradient = "self: grad at the place of the greatest, else 0",
     .samples = one_dim_samples,
     .variants = kOut,
     .out = {.overload = "dim_max", .names = "max max_values", .refusal = out_refusal::kStructured}},
    {.schema = "aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
     .summary = "Smallest elements along a dimension, and where they are.",
     .formula = "min_i x_i, argmin_i x_i",
     .infer = inferring<infer_dim<false>>,
     .kernel = filling<along<false>, 2>,
     .derivative = {dim_backward, {save_result(1)}},
     .gradient = "self: grad at the place of the smallest, else 0",
     .samples = one_dim_samples,
     .variants = kOut,
     .out = {.overload = "dim_min", .names = "min min_indices", .refusal = out_refusal::kStructured}},
    {.schema = "aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
     .summary = "Greatest elements along dimensions; equals share the gradient.",
     .formula = "max_i x_i",
     .infer = inferring<infer_extremum<true>>,
     .kernel = filling<extremum<true>>,
     .derivative = {extremum_backward, {save_argument("self"), save_result()}},
     .gradient = "self: grad / m at the m elements that are the greatest, else 0",
     .samples = list_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kMatch},
     .dtypes = {.kernel = "max_values_cpu"}},
    {.schema = "aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
     .summary = "Smallest elements along dimensions; equals share the gradient.",
     .formula = "min_i x_i",
     .infer = inferring<infer_extremum<false>>,
     .kernel = filling<extremum<false>>,
     .derivative = {extremum_backward, {save_argument("self"), save_result()}},
     .gradient = "self: grad / m at the m elements that are the smallest, else 0",
     .samples = list_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kMatch},
     .dtypes = {.kernel = "min_values_cpu"}},
    {.schema = "aten::aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)",
     .summary = "Smallest and greatest elements.",
     .formula = "min_i x_i, max_i x_i",
     .infer = inferring<infer_aminmax>,
     .kernel = filling<aminmax, 2>,
     .derivative = {aminmax_backward, {save_argument("self"), save_result(0), save_result(1)}},
     .gradient = "self: grad0 shared by the smallest elements, grad1 by the greatest",
     .samples = one_dim_samples,
     .variants = kOut,
     .out = {.names = "min max", .refusal = out_refusal::kStructured}},
    {.schema = "aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
     .summary = "Where the greatest element is, the first of equals; over all elements in row-major order without dim.",
     .formula = "argmax_i x_i",
     .infer = inferring<infer_arg<true>>,
     .kernel = filling<arg<true>>,
     .samples = one_dim_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured},
     .is_gradient_stop = true},
    {.schema = "aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
     .summary = "Where the smallest element is, the first of equals; over all elements in row-major order without dim.",
     .formula = "argmin_i x_i",
     .infer = inferring<infer_arg<false>>,
     .kernel = filling<arg<false>>,
     .samples = one_dim_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured},
     .is_gradient_stop = true},
};

}  // namespace

std::span<const OperatorRecord> reduction::extremum_records() { return kRecords; }

}  // namespace loupe
