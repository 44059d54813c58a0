// SPDX-License-Identifier: Apache-2.0
// mv, addmv, dot, vdot, outer, addr: products with vectors.
#include "core/base/torch_release.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/promotion.h"
#include "core/ops/matrix/family.h"
#include "core/ops/matrix/gemm.h"
#include "core/ops/matrix/half_gemm.h"
#include "core/ops/matrix/layout.h"
#include "core/ops/matrix/products.h"
#include "core/ops/samples.h"
#include "core/ops/sparse/sparse.h"

namespace loupe {
namespace {

using namespace matrix;

// A vector as a matrix of one column.
template <typename T>
MatrixRef<T> column_of(const Tensor& v) {
    return {v.data<T>(), v.sizes()[0], 1, v.strides()[0], 1};
}

// added: elements of the vector that the product is added to.
void check_fit(std::int64_t added, const Tensor& matrix, const Tensor& vec) {
    const std::int64_t rows = matrix.sizes()[0], columns = matrix.sizes()[1], size = vec.sizes()[0];
    if (columns == size && (is_older_torch() || added == rows || added == 1)) return;
    require(!is_older_torch(), "size mismatch, got ", rows, ", ", rows, "x", columns, ",", size);
    require(false, "size mismatch, got input (", added, "), mat (", rows, "x", columns, "), vec (", size, ")");
}

TensorMeta infer_mv(const Tensor& self, const Tensor& vec) {
    require(self.dim() == 2 && vec.dim() == 1, "vector + matrix @ vector expected, got 1, ", self.dim(), ", ",
            vec.dim());
    check_fit(self.sizes()[0], self, vec);
    require(is_older_torch() || self.dtype() == vec.dtype(), "addmv input tensors must have the same dtype, but got ",
            dtype_graph_name(vec.dtype()), ", ", dtype_graph_name(self.dtype()), ", and ",
            dtype_graph_name(vec.dtype()));
    check_product_dtypes("addmv_impl_cpu", self, vec);
    return {{self.sizes()[0]}, self.dtype(), self.device()};
}

void run_mv(const Tensor& out, const Tensor& matrix, const Tensor& vec, const Scalar& beta, const Scalar& alpha) {
    visit_dtype(out.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (std::is_same_v<T, BFloat16> || std::is_same_v<T, Half>) {
            gemm_of_halves<T>(alpha.to<float>(), matrix_of<const T>(matrix), column_of<const T>(vec), beta.to<float>(),
                              column_of<T>(out));
        } else if constexpr (!std::is_same_v<T, bool> && !std::is_same_v<T, ComplexHalf>) {
            gemm<T>(alpha.to<T>(), matrix_of<const T>(matrix), column_of<const T>(vec), beta.to<T>(),
                    column_of<T>(out));
        }
    });
}

void mv(const Tensor& out, const Tensor& self, const Tensor& vec) { run_mv(out, self, vec, 0, 1); }

void mv_backward(GradientContext& context) {
    const Tensor& g = context.grad_output();
    context.grad("self", [&] { return fn::outer(g, conjugate(context.argument("vec"))); });
    context.grad("vec", [&] { return fn::mv(adjoint(context.argument("self")), g); });
}

Cost mv_cost(Arguments arguments, std::span<const IValue> results) {
    return product_cost(static_cast<double>(arguments[0].to_tensor().size(-1)), arguments, results);
}

std::vector<Sample> mv_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), random_tensor(random, {4}, dtype)}}};
}

TensorMeta infer_addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar&, const Scalar&) {
    if (mat.dim() == 2 && vec.dim() == 1 && self.dim() == 1) check_fit(self.sizes()[0], mat, vec);
    TensorMeta meta = infer_mv(mat, vec);
    expanded(self, span_of(meta.sizes));
    return meta;
}

void addmv(const Tensor& out, const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta,
           const Scalar& alpha) {
    if (!beta.equals(0) && !self.is_same(out)) convert_into(out, expanded(self, out.sizes()));
    run_mv(out, mat, vec, beta, alpha);
}

void addmv_backward(GradientContext& context) {
    const Tensor& g = context.grad_output();
    const Scalar alpha = conjugate(context.value("alpha").to_scalar());
    context.grad("self", [&] { return times(g, conjugate(context.value("beta").to_scalar())); });
    context.grad("mat", [&] { return times(fn::outer(g, conjugate(context.argument("vec"))), alpha); });
    context.grad("vec", [&] { return times(fn::mv(adjoint(context.argument("mat")), g), alpha); });
}

Cost addmv_cost(Arguments arguments, std::span<const IValue> results) {
    return product_cost(static_cast<double>(arguments[1].to_tensor().size(-1)), arguments, results);
}

std::vector<Sample> addmv_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3}, dtype), random_tensor(random, {3, 4}, dtype),
              random_tensor(random, {4}, dtype), 2, 3}}};
}

// ---- dot

TensorMeta infer_dot(const Tensor& self, const Tensor& tensor) {
    require(self.dim() == 1 && tensor.dim() == 1, "1D tensors expected, but got ", self.dim(), "D and ", tensor.dim(),
            "D tensors");
    require(self.dtype() == tensor.dtype(), "dot : expected both vectors to have same dtype, but found ",
            dtype_graph_name(self.dtype()), " and ", dtype_graph_name(tensor.dtype()));
    require(self.dtype() != ScalarType::Bool, "\"dot\" not implemented for 'Bool'");
    require(self.numel() == tensor.numel(), "inconsistent tensor size, expected tensor [", self.numel(), "] and src [",
            tensor.numel(), "] to have the same number of elements, but got ", self.numel(), " and ", tensor.numel(),
            " elements respectively");
    return {{}, self.dtype(), self.device()};
}

void dot(const Tensor& out, const Tensor& self, const Tensor& tensor) {
    visit_dtype(out.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (std::is_same_v<T, BFloat16> || std::is_same_v<T, Half>) {
            gemm_of_halves<T>(1, column_of<const T>(self).transposed(), column_of<const T>(tensor), 0,
                              dense_matrix(out.data<T>(), 1, 1));
        } else if constexpr (!std::is_same_v<T, bool> && !std::is_same_v<T, ComplexHalf>) {
            gemm<T>(T(1), column_of<const T>(self).transposed(), column_of<const T>(tensor), T(0),
                    dense_matrix(out.data<T>(), 1, 1));
        }
    });
}

void dot_backward(GradientContext& context) {
    const Tensor& g = context.grad_output();
    context.grad("self", [&] { return fn::mul(g, conjugate(context.argument("tensor"))); });
    context.grad("tensor", [&] { return fn::mul(g, conjugate(context.argument("self"))); });
}

std::vector<Sample> dot_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {7}, dtype), random_tensor(random, {7}, dtype)}},
            {{random_tensor(random, {0}, dtype), random_tensor(random, {0}, dtype)}, "empty"}};
}

void vdot(const Tensor& out, const Tensor& self, const Tensor& other) { dot(out, conjugate(self), other); }

void vdot_backward(GradientContext& context) {
    const Tensor& g = context.grad_output();
    context.grad("self", [&] { return fn::mul(conjugate(g), context.argument("other")); });
    context.grad("other", [&] { return fn::mul(g, context.argument("self")); });
}

// ---- outer

Tensor outer(const Tensor& self, const Tensor& vec2) {
    require(self.dim() == 1, "outer: Expected 1-D argument self, but got ", self.dim(), "-D");
    require(vec2.dim() == 1, "outer: Expected 1-D argument vec2, but got ", vec2.dim(), "-D");
    return fn::mul(fn::unsqueeze(self, 1), vec2);
}

std::vector<Sample> outer_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3}, dtype), random_tensor(random, {4}, dtype)}}};
}

TensorMeta infer_addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta,
                      const Scalar& alpha) {
    require(vec1.dim() == 1, "addr: Expected 1-D argument vec1, but got ", vec1.dim(), "-D");
    require(vec2.dim() == 1, "addr: Expected 1-D argument vec2, but got ", vec2.dim(), "-D");
    TensorMeta meta{{vec1.sizes()[0], vec2.sizes()[0]}, result_type(self, vec1, vec2), self.device()};
    for (const auto& [number, name] : {std::pair{&beta, "beta"}, std::pair{&alpha, "alpha"}}) {
        require(!is_integral(meta.dtype) || is_integral(number->dtype()), "For integral input tensors, argument ", name,
                " must not be a floating point number.");
    }
    expanded(self, span_of(meta.sizes));
    return meta;
}

void addr(const Tensor& out, const Tensor& self, const Tensor& vec1, const Tensor& vec2, const Scalar& beta,
          const Scalar& alpha) {
    const auto dtype = static_cast<std::int64_t>(out.dtype());
    const auto as_out = [dtype](const Tensor& t) { return fn::to_dtype(t, dtype); };
    const Tensor left = fn::unsqueeze(as_out(vec1), 1);
    const Tensor right = as_out(vec2);
    if (out.dtype() == ScalarType::Bool) {
        Tensor product = fn::logical_and(left, right);
        if (alpha.equals(0)) product = fn::zeros_like(product);
        return copy_into(out, beta.equals(0) ? product : fn::logical_or(as_out(self), product));
    }
    const Tensor product = fn::mul(times(left, alpha), right);
    copy_into(out, beta.equals(0) ? product : fn::add(times(as_out(self), beta), product));
}

void addr_backward(GradientContext& context) {
    const Tensor& g = context.grad_output();
    const Scalar alpha = conjugate(context.value("alpha").to_scalar());
    context.grad("self", [&] { return times(g, conjugate(context.value("beta").to_scalar())); });
    context.grad("vec1", [&] { return times(fn::mv(g, conjugate(context.argument("vec2"))), alpha); });
    context.grad("vec2",
                 [&] { return times(fn::mv(fn::transpose(g, 0, 1), conjugate(context.argument("vec1"))), alpha); });
}

std::vector<Sample> addr_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {3, 4}, dtype), random_tensor(random, {3}, dtype),
              random_tensor(random, {4}, dtype), 2, 3}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::mv(Tensor self, Tensor vec) -> Tensor",
     .summary = "The product of a matrix and a vector.",
     .formula = "out[i] = sum_j self[i, j] vec[j]",
     .infer = inferring<infer_mv>,
     .kernel = filling<mv>,
     .derivative = {mv_backward, {save_argument("self", "vec"), save_argument("vec", "self")}},
     .gradient = "self: grad vec^T\nvec: self^T grad",
     .cost = mv_cost,
     .samples = mv_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured},
     .sparse = {.run = on_sparse::mv},
     .autocast = {.cuda = Autocast::Lower},
     .dtypes = {.kernel = "addmv_impl_cpu"}},
    {.schema = "aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
     .summary = "The product of a matrix and a vector, scaled, added to a vector, scaled.",
     .formula = "out = beta self + alpha mat vec",
     .infer = inferring<infer_addmv>,
     .kernel = filling<addmv>,
     .derivative = {addmv_backward, {save_argument("mat", "vec"), save_argument("vec", "mat")}},
     .gradient = "self: beta grad\nmat: alpha grad vec^T\nvec: alpha mat^T grad",
     .cost = addmv_cost,
     .samples = addmv_samples,
     .variants = kInPlace | kOut,
     .out = {.refusal = out_refusal::kStructured},
     .autocast = {.cuda = Autocast::Lower},
     .python = {.has_older_form = true},
     .dtypes = {.kernel = "addmv_impl_cpu"}},
    {.schema = "aten::dot(Tensor self, Tensor tensor) -> Tensor",
     .summary = "The sum of the products of the elements of two vectors.",
     .formula = "out = sum_i self[i] tensor[i]",
     .infer = inferring<infer_dot>,
     .kernel = filling<dot>,
     .derivative = {dot_backward, {save_argument("self", "tensor"), save_argument("tensor", "self")}},
     .gradient = "self: grad tensor\ntensor: grad self",
     .samples = dot_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kDot},
     .autocast = {.cuda = Autocast::Widest},
     .dtypes = {.kernel = "dot"}},
    {.schema = "aten::vdot(Tensor self, Tensor other) -> Tensor",
     .summary = "The dot product with the first vector conjugated.",
     .formula = "out = sum_i conj(self[i]) other[i]",
     .infer = inferring<infer_dot>,
     .kernel = filling<vdot>,
     .derivative = {vdot_backward, {save_argument("self", "other"), save_argument("other", "self")}},
     .gradient = "self: conj(grad) other\nother: grad self",
     .samples = dot_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kDot},
     .autocast = {.cuda = Autocast::Widest},
     .dtypes = {.kernel = "dot"}},
    {
        .schema = "aten::outer(Tensor self, Tensor vec2) -> Tensor",
        .summary = "All products of an element of one vector and one of another.",
        .formula = "out[i, j] = self[i] vec2[j]",
        .composite = boxed<outer>,
        .gradient = "self: grad vec2\nvec2: grad^T self",
        .samples = outer_samples,
    },
    {
        .schema = "aten::ger(Tensor self, Tensor vec2) -> Tensor",
        .summary = "The same as outer.",
        .formula = "out[i, j] = self[i] vec2[j]",
        .composite = boxed<outer>,
        .gradient = "self: grad vec2\nvec2: grad^T self",
        .samples = outer_samples,
    },
    {
        .schema = "aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
        .summary = "The outer product of two vectors, scaled, added to a matrix, scaled.",
        .formula = "out[i, j] = beta self[i, j] + alpha vec1[i] vec2[j]",
        .infer = inferring<infer_addr>,
        .kernel = filling<addr>,
        .derivative = {addr_backward, {save_argument("vec1", "vec2"), save_argument("vec2", "vec1")}},
        .gradient = "self: beta grad\nvec1: alpha grad vec2\nvec2: alpha grad^T vec1",
        .samples = addr_samples,
        .variants = kInPlace | kOut,
        .autocast = {.cuda = Autocast::Lower},
        .python = {.has_older_form = true},
    },
};

}  // namespace

std::span<const OperatorRecord> matrix::vector_records() { return kRecords; }

}  // namespace loupe
