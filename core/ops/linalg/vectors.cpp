// SPDX-License-Identifier: Apache-2.0
// Cross products, dot products along a dimension, Vandermonde matrices.

#include "core/dispatch/gradient_context.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/arithmetic.h"
#include "core/kernels/elementwise.h"
#include "core/ops/linalg/batch.h"
#include "core/ops/linalg/family.h"
#include "core/ops/samples.h"
#include "core/tensor/device_copy.h"

namespace loupe::linalg {
namespace {

using namespace arithmetic;

const OperatorHandle<> linalg_cross{"aten::linalg_cross"};

TensorMeta infer_cross(const Tensor& self, const Tensor& other, std::int64_t dim) {
    require(self.dim() == other.dim(), "linalg.cross: inputs must have the same number of dimensions.");
    require(self.size(dim) == 3 && other.size(dim) == 3, "linalg.cross: inputs dimension ", dim,
            " must have length 3. Got ", self.size(dim), " and ", other.size(dim));
    require(self.dtype() == other.dtype(), "expected scalar type ", dtype_graph_name(self.dtype()), " but found ",
            dtype_graph_name(other.dtype()));
    require(self.dtype() != ScalarType::Bool, "\"cross\" not implemented for 'Bool'");
    return plain_meta(broadcast_shapes(self.sizes(), other.sizes()), self.dtype());
}
void cross(const Tensor& out, const Tensor& self, const Tensor& other, std::int64_t dim) {
    if (out.numel() == 0) return;
    const auto at = [dim](const Tensor& t, std::int64_t i) { return fn::select(t, dim, i % 3); };
    TensorList parts;
    for (std::int64_t i = 0; i < 3; ++i)
        parts.push_back(at(self, i + 1) * at(other, i + 2) - at(self, i + 2) * at(other, i + 1));
    for (std::int64_t i = 0; i < 3; ++i) copy_into(at(out, i), parts[static_cast<std::size_t>(i)]);
}
void cross_backward(GradientContext& context) {
    const Tensor& g = context.grad_output();
    const std::int64_t dim = context.value("dim").to_int();
    context.grad("self", [&] { return linalg_cross(conj(context.argument("other")), g, dim); });
    context.grad("other", [&] { return linalg_cross(g, conj(context.argument("self")), dim); });
}
Tensor cross_default(const Tensor& self, const Tensor& other, const std::optional<std::int64_t>& dim) {
    if (dim) return linalg_cross(self, other, *dim);
    const auto three = std::find(self.sizes().begin(), self.sizes().end(), 3);
    require(three != self.sizes().end(), "no dimension of size 3 in input");
    return linalg_cross(self, other, three - self.sizes().begin());
}

Tensor vecdot(const Tensor& x, const Tensor& y, std::int64_t dim) {
    check_floating(x, "linalg.vecdot");
    static const OperatorHandle<> vdot{"aten::vdot"};
    if (x.dim() == 1 && y.dim() == 1) return vdot(x, y);
    return fn::sum_dim(conj(x) * y, Dims{dim}, false, IValue());
}

Tensor vander(const Tensor& x, const std::optional<std::int64_t>& count) {
    const bool known =
        x.dtype() != ScalarType::Bool && x.dtype() != ScalarType::Float16 && x.dtype() != ScalarType::BFloat16;
    require(known, "linalg.vander supports floating point, complex, and integer tensors, but got ",
            dtype_graph_name(x.dtype()));
    const Tensor vector = x.dim() == 0 ? fn::unsqueeze(x, -1) : x;
    const std::int64_t n = count.value_or(vector.size(-1));
    require(n > 1, "N must be greater than 1.");
    Dims sizes = to_dims(vector.sizes());
    sizes.push_back(n - 1);
    const Tensor powers = fn::cumprod(fn::expand(fn::unsqueeze(vector, -1), sizes), -1);
    sizes.back() = 1;
    const Tensor ones = fn::full(sizes, Scalar(1), static_cast<std::int64_t>(powers.dtype()));
    return fn::cat(TensorList{on_device(ones, powers.device()), powers}, -1);
}

std::vector<Sample> cross_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3}, dtype), random_tensor(random, {2, 3}, dtype), -1}},
            {{random_tensor(random, {3, 1, 2}, dtype), random_tensor(random, {3, 4, 2}, dtype), 0}, "broadcast"}};
}
std::vector<Sample> vecdot_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    return {{{random_tensor(random, {2, 3}, dtype), random_tensor(random, {2, 3}, dtype), -1}}};
}
std::vector<Sample> vander_samples(Random& random, ScalarType dtype) {
    if (dtype == ScalarType::Bool || dtype == ScalarType::BFloat16) return {};
    return {{{random_tensor(random, {2, 3}, dtype), 4}}, {{random_tensor(random, {3}, dtype), IValue()}, "square"}};
}

// Powers of a vector's elements, a row each: n columns, the highest power first.
Tensor numpy_vander(const Tensor& x, std::optional<std::int64_t> n, bool increasing) {
    if (x.dim() != 1) throw Error(ErrorKind::Run, "x must be a one-dimensional tensor.");
    const std::int64_t columns = n.value_or(x.size(0));
    if (columns < 0) throw Error(ErrorKind::Run, "N must be non-negative.");
    Dims sizes{x.size(0), columns};
    if (columns == 0) return fn::new_zeros(x, sizes);
    const Tensor powers = fn::arange(Scalar(columns));
    const ScalarType wide = is_integral(x.dtype()) ? ScalarType::Int64 : x.dtype();
    const Tensor ascending = fn::pow(fn::unsqueeze(fn::to_dtype(x, static_cast<std::int64_t>(wide)), -1), powers);
    return increasing ? ascending : fn::flip(ascending, Dims{1});
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor",
     .summary = "The cross product of vectors of three elements along dim.",
     .formula = "out = (a_2 b_3 - a_3 b_2, a_3 b_1 - a_1 b_3, a_1 b_2 - a_2 b_1)",
     .infer = inferring<infer_cross>,
     .kernel = filling<cross>,
     .derivative = {cross_backward, {save_argument("self", "other"), save_argument("other", "self")}},
     .gradient = "self: cross(other, grad)\nother: cross(grad, self)",
     .samples = cross_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured},
     .dtypes = {.kernel = "cross"}},
    {.schema = "aten::cross(Tensor self, Tensor other, int? dim=None) -> Tensor",
     .summary = "The cross product along dim, or along the first dimension of size 3.",
     .formula = "out = (a_2 b_3 - a_3 b_2, a_3 b_1 - a_1 b_3, a_1 b_2 - a_2 b_1)",
     .composite = boxed<cross_default>,
     .gradient = "self: cross(other, grad)\nother: cross(grad, self)",
     .autocast = {.cuda = Autocast::Widest}},
    {.schema = "aten::linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor",
     .summary = "The dot product along dim, the first vector conjugated.",
     .formula = "sum(conj(x) y)",
     .composite = boxed<vecdot>,
     .samples = vecdot_samples,
     .out = {.refusal = {"linalg.vecdot: Expected out of dtype{T} but found {O}"}},
     .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower}},
    {.schema = "aten::linalg_vander(Tensor x, *, int? N=None) -> Tensor",
     .summary = "The powers 0 to N - 1 of each element.",
     .formula = "out[.., i, j] = x[.., i]^j",
     .composite = boxed<vander>,
     .samples = vander_samples},
    {.schema = "aten::vander(Tensor x, int? N=None, bool increasing=False) -> Tensor",
     .summary = "The Vandermonde matrix of a vector.",
     .formula = "out[i, j] = x[i]^(N - 1 - j)",
     .composite = boxed<numpy_vander>},
};

}  // namespace

std::span<const OperatorRecord> vector_records() { return kRecords; }

}  // namespace loupe::linalg
