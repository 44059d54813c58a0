// SPDX-License-Identifier: Apache-2.0
// Cholesky factorisation; solving and inverting with the factor.

#include "core/dispatch/gradient_context.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/linalg/batch.h"
#include "core/ops/linalg/calls.h"
#include "core/ops/linalg/family.h"
#include "core/ops/linalg/lapack.h"
#include "core/ops/samples.h"

namespace loupe::linalg {
namespace {

using namespace arithmetic;

void factor_columns(const Tensor& L, const Tensor& info, bool upper) {
    check_kernel_dtype(L, "cholesky_cpu");
    const LapackScope lapack;
    const std::int64_t n = L.size(-1);
    visit_lapack(L.dtype(), [&]<typename T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < batch_count(L); ++i) {
            info.data<std::int32_t>()[i] = n == 0 ? 0
                                                  : Lapack<T>::potrf(LAPACK_COL_MAJOR, upper ? 'U' : 'L', narrow(n),
                                                                     matrix_at<T>(L, i), leading(n));
        }
    });
}

Tensor triangle(const Tensor& t, bool upper) { return upper ? fn::triu(t, 0) : fn::tril(t, 0); }

MetaList infer_factor(const Tensor& A, bool, bool) {
    check_square(A, "linalg.cholesky");
    check_floating(A, "linalg.cholesky");
    return {column_meta(to_dims(A.sizes()), A.dtype()), plain_meta(batch_sizes(A), ScalarType::Int32)};
}
void factor(const Tensor& L, const Tensor& info, const Tensor& A, bool upper, bool check) {
    const Tensor work = columns_for(L);
    const Tensor codes = buffer_for(info);
    copy_strided(work, triangle(A, upper));
    factor_columns(work, codes, upper);
    put_back(L, work);
    put_back(info, codes);
    if (check) check_errors(codes, "linalg.cholesky_ex", A.dim() == 2);
}

// Murray (2016), Differentiation of the Cholesky decomposition.
Tensor factor_gradient(const Tensor& grad, const Tensor& factor_, bool upper) {
    const Tensor L = upper ? mH(factor_) : factor_;
    const Tensor g = upper ? mH(grad) : grad;
    const Tensor half = fn::tril(fn::matmul(mH(L), g), 0);
    const Tensor symmetric = (half + mH(fn::tril(half, -1))) * Scalar(0.5);
    const Tensor left = call::solve_triangular(mH(L), symmetric, true, true, false);
    return call::solve_triangular(L, left, false, false, false);
}
void factor_backward(GradientContext& context) {
    if (context.grad_output(0).defined())
        context.set_grad("self",
                         factor_gradient(context.grad_output(0), context.result(0), context.value("upper").to_bool()));
}

Tensor linalg_cholesky(const Tensor& A, bool upper) {
    const auto [L, info] = call::cholesky_ex(A, upper, false);
    check_errors(info, "linalg.cholesky", A.dim() == 2);
    return L;
}

// ---- the old form, which treats empty matrices differently

TensorMeta infer_old(const Tensor& self, bool) {
    if (self.numel() == 0) return plain_meta(to_dims(self.sizes()), self.dtype());
    check_square(self, "cholesky");
    return column_meta(to_dims(self.sizes()), self.dtype());
}
void old(const Tensor& out, const Tensor& self, bool upper) {
    if (self.numel() == 0) return;
    check_kernel_dtype(self, "cholesky_cpu");
    if (!self.device().is_cpu()) {
        const auto [L, codes] = call::cholesky_ex(self, upper, false);
        check_errors(codes, "cholesky", self.dim() == 2);
        return copy_strided(out, L);
    }
    const Tensor work = columns_for(out);
    const Dims batch = batch_sizes(self);
    const Tensor info = empty(span_of(batch), ScalarType::Int32);
    copy_strided(work, triangle(self, upper));
    factor_columns(work, info, upper);
    check_errors(info, "cholesky", self.dim() == 2);
    put_back(out, work);
}
void old_backward(GradientContext& context) {
    context.set_grad("self",
                     factor_gradient(context.grad_output(), context.result(), context.value("upper").to_bool()));
}

// ---- inverse

TensorMeta infer_inverse(const Tensor& L, bool) {
    check_square(L, "cholesky_inverse");
    return column_meta(to_dims(L.sizes()), L.dtype());
}
void invert(const Tensor& out, const Tensor& L, bool upper) {
    check_kernel_dtype(L, "cholesky_inverse_out_cpu");
    const LapackScope lapack;
    const Tensor work = column_copy(L);
    const Dims batch = batch_sizes(L);
    const Tensor info = empty(span_of(batch), ScalarType::Int32);
    const std::int64_t n = L.size(-1);
    visit_lapack(L.dtype(), [&]<typename T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < batch_count(L); ++i) {
            info.data<std::int32_t>()[i] = n == 0 ? 0
                                                  : Lapack<T>::potri(LAPACK_COL_MAJOR, upper ? 'U' : 'L', narrow(n),
                                                                     matrix_at<T>(work, i), leading(n));
        }
    });
    check_errors(info, "cholesky_inverse", L.dim() == 2);
    // potri fills one triangle.
    const Tensor half = triangle(work, upper);
    copy_strided(out, half + mH(upper ? fn::triu(half, 1) : fn::tril(half, -1)));
}
void invert_backward(GradientContext& context) {
    const Tensor L = context.argument("self");
    const Tensor inverse = context.result();
    const Tensor both = context.grad_output() + mH(context.grad_output());
    const Tensor common = fn::matmul(inverse, fn::matmul(both, inverse));
    context.set_grad("self", -(context.value("upper").to_bool() ? fn::matmul(L, common) : fn::matmul(common, L)));
}

// ---- solving

void check_solve(const Tensor& B, const Tensor& L) {
    require(B.dim() >= 2, "b should have at least 2 dimensions, but has ", B.dim(), " dimensions instead");
    require(L.dim() >= 2, "u should have at least 2 dimensions, but has ", L.dim(), " dimensions instead");
    require(L.size(-1) == L.size(-2), "A must be batches of square matrices, but they are ", L.size(-2), " by ",
            L.size(-1), " matrices");
    require(L.size(-1) == B.size(-2), "Incompatible matrix sizes for cholesky_solve: each A matrix is ", L.size(-1),
            " by ", L.size(-1), " but each b matrix is ", B.size(-2), " by ", B.size(-1));
    require(L.dtype() == B.dtype(), "Expected b and A to have the same dtype, but found b of type ",
            dtype_graph_name(B.dtype()), " and A of type ", dtype_graph_name(L.dtype()), " instead.");
}
TensorMeta infer_solve(const Tensor& B, const Tensor& L, bool) {
    check_solve(B, L);
    const Dims batch = broadcast_batches(L, B);
    return column_meta(with_batch(span_of(batch), {B.size(-2), B.size(-1)}), B.dtype());
}
void solve(const Tensor& out, const Tensor& B, const Tensor& L, bool upper) {
    check_kernel_dtype(B, "cholesky_solve_cpu");
    if (out.numel() == 0) return;
    const LapackScope lapack;
    const Dims batch = batch_sizes(out);
    const Tensor factors = column_copy(in_batch(L, span_of(batch)));
    const Tensor work = columns_for(out);
    copy_strided(work, in_batch(B, span_of(batch)));
    const std::int64_t n = L.size(-1);
    visit_lapack(out.dtype(), [&]<typename T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < batch_count(out); ++i) {
            Lapack<T>::potrs(LAPACK_COL_MAJOR, upper ? 'U' : 'L', narrow(n), narrow(out.size(-1)),
                             matrix_at<T>(factors, i), leading(n), matrix_at<T>(work, i), leading(n));
        }
    });
    put_back(out, work);
}
void solve_backward(GradientContext& context) {
    const Tensor L = context.argument(1);
    const bool upper = context.value("upper").to_bool();
    const Tensor gB = call::cholesky_solve(context.grad_output(), L, upper);
    context.grad("self", [&] { return gB; });
    context.grad(1, [&] {
        const Tensor product = fn::matmul(gB, mH(context.result()));
        const Tensor common = product + mH(product);
        return -(upper ? fn::matmul(L, common) : fn::matmul(common, L));
    });
}

// ---- samples

Tensor positive_definite(Random& random, std::initializer_list<std::int64_t> sizes, ScalarType dtype) {
    const Tensor t = random_tensor(random, sizes, dtype);
    return fn::matmul(t, mH(t)) + identity_like(t);
}
std::vector<Sample> old_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples;
    if (!is_lapack_dtype(dtype)) return samples;
    for (const bool upper : {false, true}) {
        samples.push_back({{positive_definite(random, {3, 3}, dtype), upper}});
        samples.push_back({{positive_definite(random, {2, 2, 2}, dtype), upper}, "batch"});
    }
    return samples;
}
std::vector<Sample> factor_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = old_samples(random, dtype);
    for (Sample& s : samples) s.arguments.emplace_back(false);
    return samples;
}
std::vector<Sample> solve_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples;
    if (!is_lapack_dtype(dtype)) return samples;
    for (const bool upper : {false, true}) {
        const Tensor L = random_tensor(random, {2, 3, 3}, dtype);
        samples.push_back(
            {{random_tensor(random, {3, 2}, dtype), triangle(L + identity_like(L) * Scalar(4), upper), upper}});
    }
    return samples;
}
std::vector<Sample> helper_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = solve_samples(random, dtype);
    for (Sample& s : samples) s.arguments[0] = random_tensor(random, {2, 3, 2}, dtype);
    return samples;
}
std::vector<Sample> inverse_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = solve_samples(random, dtype);
    for (Sample& s : samples) {
        s.arguments.erase(s.arguments.begin());
        // A factor's diagonal is real: of another LAPACK's result depends on the order of its steps.
        if (is_complex(dtype)) fn::fill_(fn::imag(fn::diagonal(s.arguments[0].to_tensor(), 0, -2, -1)), Scalar(0));
    }
    return samples;
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, "
               "Tensor info)",
     .summary = "The Cholesky factor, and an error number.",
     .formula = "self = L L^H; upper: U^H U",
     .infer = inferring<infer_factor>,
     .kernel = filling<factor, 2>,
     .derivative = {factor_backward, {save_result(0)}},
     .gradient = "self: L^-H phi(L^H grad) L^-1, phi makes the lower half Hermitian",
     .samples = factor_samples,
     .variants = kOut,
     .out = {.overload = "L", .refusal = out_refusal::kStructured},
     .autocast = {.cpu = Autocast::Float32},
     .dtypes = {.kernel = "cholesky_cpu"}},
    {.schema = "aten::linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor",
     .summary = "The Cholesky factor of a positive definite matrix.",
     .formula = "self = L L^H; upper: U^H U",
     .composite = boxed<linalg_cholesky>,
     .gradient = "self: L^-H phi(L^H grad) L^-1, phi makes the lower half Hermitian",
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::cholesky(Tensor self, bool upper=False) -> Tensor",
     .summary = "The Cholesky factor of a positive definite matrix.",
     .formula = "self = L L^H; upper: U^H U",
     .infer = inferring<infer_old>,
     .kernel = filling<old>,
     .derivative = {old_backward, {save_result()}},
     .gradient = "self: L^-H phi(L^H grad) L^-1, phi makes the lower half Hermitian",
     .samples = old_samples,
     .variants = kOut},
    {.schema = "aten::cholesky_inverse(Tensor self, bool upper=False) -> Tensor",
     .summary = "The inverse of the matrix whose Cholesky factor is given.",
     .formula = "(L L^H)^-1; upper: (U^H U)^-1",
     .infer = inferring<infer_inverse>,
     .kernel = filling<invert>,
     .derivative = {invert_backward, {save_argument("self"), save_result()}},
     .gradient = "self: -out (grad + grad^H) out self",
     .samples = inverse_samples,
     .variants = kOut,
     .autocast = {.cpu = Autocast::Float32},
     .dtypes = {.kernel = "cholesky_inverse_out_cpu"}},
    {.schema = "aten::cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor",
     .summary = "Solves a linear system whose matrix is given by its Cholesky factor.",
     .formula = "L L^H X = self; upper: U^H U X = self",
     .infer = inferring<infer_solve>,
     .kernel = filling<solve>,
     .derivative = {solve_backward, {save_argument("input2"), save_result(0, "input2")}},
     .gradient = "self: A^-1 grad, A = L L^H\ninput2: -(G out^H + out G^H) L, G = A^-1 grad",
     .samples = solve_samples,
     .variants = kOut,
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::_cholesky_solve_helper(Tensor self, Tensor A, bool upper) -> Tensor",
     .summary = "cholesky_solve of batches that need no broadcasting.",
     .formula = "L L^H X = self; upper: U^H U X = self",
     .infer = inferring<infer_solve>,
     .kernel = filling<solve>,
     .derivative = {solve_backward, {save_argument("A"), save_result(0, "A")}},
     .gradient = "self: (A A^H)^-1 grad\nA: -(G out^H + out G^H) A, G = (A A^H)^-1 grad",
     .samples = helper_samples,
     .variants = kOut},
};

}  // namespace

std::span<const OperatorRecord> cholesky_records() { return kRecords; }

}  // namespace loupe::linalg
