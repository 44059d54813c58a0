// SPDX-License-Identifier: Apache-2.0
// Systems with a triangular matrix.

#include <cblas.h>

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

// b = op(a)^-1 b (left) or b op(a)^-1, b of m x n, all in columns.
template <typename T>
void trsm(CBLAS_SIDE side, CBLAS_UPLO half, CBLAS_TRANSPOSE transpose, CBLAS_DIAG diagonal, std::int64_t m,
          std::int64_t n, const T* a, std::int64_t order, T* b) {
    const T one(1);
    const blasint lda = leading(order);
    const blasint ldb = leading(m);
    if constexpr (std::is_same_v<T, float>) {
        cblas_strsm(CblasColMajor, side, half, transpose, diagonal, narrow(m), narrow(n), one, a, lda, b, ldb);
    } else if constexpr (std::is_same_v<T, double>) {
        cblas_dtrsm(CblasColMajor, side, half, transpose, diagonal, narrow(m), narrow(n), one, a, lda, b, ldb);
    } else if constexpr (std::is_same_v<T, std::complex<float>>) {
        cblas_ctrsm(CblasColMajor, side, half, transpose, diagonal, narrow(m), narrow(n), &one, a, lda, b, ldb);
    } else {
        cblas_ztrsm(CblasColMajor, side, half, transpose, diagonal, narrow(m), narrow(n), &one, a, lda, b, ldb);
    }
}

struct TriangularSystem {
    bool upper;
    bool left;
    bool transpose;
    bool unitriangular;
};
// out, already of the broadcast shape, is B on entry to the loop.
void solve_into(const Tensor& out, const Tensor& A, const Tensor& B, TriangularSystem system) {
    check_kernel_dtype(A, "triangular_solve_cpu");
    if (out.numel() == 0) return;
    const LapackScope lapack;
    const Dims batch = batch_sizes(out);
    const Tensor matrices = column_copy(in_batch(A, span_of(batch)));
    const Tensor work = columns_for(out);
    const Tensor wide = in_batch(B, span_of(batch));
    if (!work.is_same(B)) copy_strided(work, wide);
    visit_lapack(out.dtype(), [&]<typename T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < batch_count(out); ++i) {
            trsm<T>(system.left ? CblasLeft : CblasRight, system.upper ? CblasUpper : CblasLower,
                    system.transpose ? CblasTrans : CblasNoTrans, system.unitriangular ? CblasUnit : CblasNonUnit,
                    out.size(-2), out.size(-1), matrix_at<T>(matrices, i), A.size(-1), matrix_at<T>(work, i));
        }
    });
    put_back(out, work);
}

TensorMeta infer_solve(const Tensor& A, const Tensor& B, bool, bool left, bool) {
    check_solver_inputs(A, B, left, "linalg.solve_triangular");
    check_same_dtype(A, B, "linalg.solve_triangular");
    const Dims batch = broadcast_batches(A, B);
    return column_meta(with_batch(span_of(batch), {B.size(-2), B.size(-1)}), A.dtype());
}
void solve(const Tensor& out, const Tensor& A, const Tensor& B, bool upper, bool left, bool unitriangular) {
    solve_into(out, A, B, {upper, left, false, unitriangular});
}
void solve_backward(GradientContext& context) {
    const bool upper = context.value("upper").to_bool();
    const bool left = context.value("left").to_bool();
    const bool unitriangular = context.value("unitriangular").to_bool();
    const Tensor gB =
        call::solve_triangular(mH(context.argument("self")), context.grad_output(), !upper, left, unitriangular);
    context.grad("self", [&] {
        const Tensor X = mH(context.result());
        const Tensor gA = -(left ? fn::matmul(gB, X) : fn::matmul(X, gB));
        return upper ? fn::triu(gA, unitriangular ? 1 : 0) : fn::tril(gA, unitriangular ? -1 : 0);
    });
    context.grad("B", [&] { return gB; });
}

// ---- the old form: both inputs broadcast come back

MetaList infer_old(const Tensor& B, const Tensor& A, bool, bool, bool) {
    require(B.dim() >= 2, "torch.triangular_solve: Expected b to have at least 2 dimensions, but it has ", B.dim(),
            " dimensions instead");
    require(A.dim() >= 2, "torch.triangular_solve: Expected A to have at least 2 dimensions, but it has ", A.dim(),
            " dimensions instead");
    require(A.size(-1) == A.size(-2), "A must be batches of square matrices, but they are ", A.size(-2), " by ",
            A.size(-1), " matrices");
    require(A.size(-1) == B.size(-2), "Incompatible matrix sizes for triangular_solve: each A matrix is ", A.size(-1),
            " by ", A.size(-1), " but each b matrix is ", B.size(-2), " by ", B.size(-1));
    require(A.dtype() == B.dtype(), "Expected b and A to have the same dtype, but found b of type ",
            dtype_graph_name(B.dtype()), " and A of type ", dtype_graph_name(A.dtype()), " instead.");
    const Dims batch = broadcast_batches(A, B);
    return {column_meta(with_batch(span_of(batch), {B.size(-2), B.size(-1)}), B.dtype()),
            column_meta(with_batch(span_of(batch), {A.size(-2), A.size(-1)}), A.dtype())};
}
void solve_old(const Tensor& X, const Tensor& M, const Tensor& B, const Tensor& A, bool upper, bool transpose,
               bool unitriangular) {
    const Dims batch = batch_sizes(X);
    solve_into(X, A, B, {upper, true, transpose, unitriangular});
    copy_strided(M, in_batch(A, span_of(batch)));
}
void old_backward(GradientContext& context) {
    const bool upper = context.value("upper").to_bool();
    const bool transpose = context.value("transpose").to_bool();
    const bool unitriangular = context.value("unitriangular").to_bool();
    Tensor gA = context.grad_output(1);
    if (context.grad_output(0).defined()) {
        const Tensor gB = std::get<0>(call::triangular_solve(context.grad_output(0), conj(context.argument("A")), upper,
                                                             !transpose, unitriangular));
        context.grad("self", [&] { return gB; });
        if (context.needs("A")) {
            const Tensor X = context.result(0);
            Tensor g = -(transpose ? fn::matmul(conj(X), mT(gB)) : fn::matmul(gB, mH(X)));
            g = upper ? fn::triu(g, unitriangular ? 1 : 0) : fn::tril(g, unitriangular ? -1 : 0);
            gA = gA.defined() ? gA + g : g;
        }
    }
    if (gA.defined()) context.grad("A", [&] { return gA; });
}

// Well away from singular.
Tensor steady(Random& random, std::initializer_list<std::int64_t> sizes, ScalarType dtype) {
    const Tensor t = random_tensor(random, sizes, dtype);
    return t + identity_like(t) * Scalar(4);
}
std::vector<Sample> solve_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples;
    if (!is_lapack_dtype(dtype)) return samples;
    for (const bool upper : {true, false}) {
        for (const bool left : {true, false}) {
            samples.push_back(
                {{steady(random, {2, 3, 3}, dtype), random_tensor(random, {3, 3}, dtype), upper, left, left == upper}});
        }
    }
    return samples;
}
std::vector<Sample> old_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples;
    if (!is_lapack_dtype(dtype)) return samples;
    for (const bool upper : {true, false}) {
        for (const bool transpose : {true, false}) {
            samples.push_back(
                {{random_tensor(random, {3, 2}, dtype), steady(random, {2, 3, 3}, dtype), upper, transpose, false}});
        }
    }
    return samples;
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool "
               "unitriangular=False) -> Tensor",
     .summary = "Solves a linear system with a triangular matrix; the other triangle is not read.",
     .formula = "A X = B, or X A = B",
     .infer = inferring<infer_solve>,
     .kernel = filling<solve>,
     .derivative = {solve_backward, {save_argument("self"), save_result(0, "self")}},
     .gradient = "self: -tri(grad_B out^H), grad_B = A^-H grad\nB: A^-H grad",
     .samples = solve_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kScalarType},
     .dtypes = {.kernel = "triangular_solve_cpu"}},
    {.schema = "aten::triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool "
               "unitriangular=False) -> (Tensor solution, "
               "Tensor cloned_coefficient)",
     .summary = "Solves a linear system with a triangular matrix, which comes back too.",
     .formula = "A X = self, or A^T X = self",
     .infer = inferring<infer_old>,
     .kernel = filling<solve_old, 2>,
     .derivative = {old_backward, {save_argument("A"), save_result(0)}},
     .gradient = "self: A^-H grad\nA: -tri(grad_self out^H)",
     .samples = old_samples,
     .autocast = {.cpu = Autocast::Float32}},
};

}  // namespace

std::span<const OperatorRecord> triangular_records() { return kRecords; }

}  // namespace loupe::linalg
