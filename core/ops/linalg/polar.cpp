// SPDX-License-Identifier: Apache-2.0
// Polar decomposition, and the square root of a Hermitian matrix.

#include <cmath>

#include "core/dispatch/gradient_context.h"
#include "core/kernels/arithmetic.h"
#include "core/kernels/elementwise.h"
#include "core/ops/linalg/batch.h"
#include "core/ops/linalg/calls.h"
#include "core/ops/linalg/family.h"
#include "core/ops/samples.h"

namespace loupe::linalg {
namespace {

using namespace arithmetic;

const OperatorHandle<> op_clamp_min("aten::clamp_min");

// X with S X + X S = F by elements, S of non-negative numbers on a diagonal: F_ij / (s_i + s_j), 0 where both are 0.
Tensor over_sums(const Tensor& F, const Tensor& S) {
    const Tensor sums = fn::unsqueeze(S, -1) + fn::unsqueeze(S, -2);
    const Tensor none = fn::eq_scalar(sums, Scalar(0));
    return fn::masked_fill(F / fn::masked_fill(sums, none, Scalar(1)), none, Scalar(0));
}

// ---- A = U H, U with orthonormal columns, H Hermitian: of A = W S V^H, U = W V^H and H = V S V^H

MetaList infer_polar(const Tensor& A) {
    check_matrix(A, "linalg.polar");
    check_floating(A, "linalg.polar");
    require(A.size(-2) >= A.size(-1), "linalg.polar: input must have at least as many rows as columns, but got ",
            A.size(-2), " by ", A.size(-1), " matrices");
    check_kernel_dtype(A, "linalg_svd_cpu");
    const Dims batch = batch_sizes(A);
    return {plain_meta(to_dims(A.sizes()), A.dtype()),
            plain_meta(with_batch(span_of(batch), {A.size(-1), A.size(-1)}), A.dtype())};
}

void polar(const Tensor& U, const Tensor& H, const Tensor& A) {
    const auto [W, S, Vh] = call::svd(A, false, IValue());
    copy_into(U, fn::matmul(W, Vh));
    copy_into(H, fn::matmul(mH(Vh) * fn::unsqueeze(S, -2), Vh));
}

// With E = W^H dA V, V^H dH V = X and W^H dU V = Y: E = Y S + X, X Hermitian and Y skew-Hermitian, so that
// Y = (E - E^H) / (s_i + s_j). What dA has outside of A's columns goes to U alone.
void polar_backward(GradientContext& c) {
    const Tensor U = c.result(0);
    const Tensor H = c.result(1);
    const Tensor& of_U = c.grad_output(0);
    const Tensor& of_H = c.grad_output(1);
    if (!of_U.defined() && !of_H.defined()) return;
    const auto [S, V] = call::eigh(H, "L");
    const Tensor W = fn::matmul(U, V);
    const Tensor s = fn::unsqueeze(S, -2);
    const Tensor Q = of_H.defined() ? fn::matmul(fn::matmul(mH(V), of_H), V) : Tensor();
    Tensor R = Q.defined() ? -(Q * s) : Tensor();
    if (of_U.defined()) {
        const Tensor P = fn::matmul(fn::matmul(mH(W), of_U), V);
        R = R.defined() ? P + R : P;
    }
    Tensor inside = over_sums(R - mH(R), S);
    if (Q.defined()) inside = inside + Q;
    Tensor grad = fn::matmul(fn::matmul(W, inside), mH(V));
    if (of_U.defined() && U.size(-2) > U.size(-1)) {
        const Tensor outside = of_U - fn::matmul(U, fn::matmul(mH(U), of_U));
        grad = grad + fn::matmul(fn::matmul(outside, V) / s, mH(V));
    }
    c.set_grad("A", grad);
}

// ---- X X = A

TensorMeta infer_matrix_sqrth(const Tensor& A) {
    check_square(A, "linalg.matrix_sqrth");
    check_floating(A, "linalg.matrix_sqrth", false);
    return plain_meta(to_dims(A.sizes()), A.dtype());
}

// Eigenvalues that rounding made negative count as 0.
void matrix_sqrth(const Tensor& out, const Tensor& A) {
    if (!item(fn::all(fn::isfinite(A))).to_bool()) return fill_with(out, Scalar(std::nan("")));
    const auto [L, V] = call::eigh(A, "L");
    const Tensor roots = fn::sqrt(op_clamp_min(L, Scalar(0)));
    copy_into(out, fn::matmul(V * fn::unsqueeze(roots, -2), mH(V)));
}

// X dX + dX X = dA, in the basis of X's eigenvectors.
void matrix_sqrth_backward(GradientContext& c) {
    const auto [S, V] = call::eigh(c.result(), "L");
    const Tensor g = c.grad_output();
    const Tensor symmetric = (g + mH(g)) / 2;
    const Tensor inside = over_sums(fn::matmul(fn::matmul(mH(V), symmetric), V), S);
    c.set_grad("self", fn::matmul(fn::matmul(V, inside), mH(V)));
}

std::vector<Sample> polar_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    return {{{random_tensor(random, {3, 3}, dtype)}},
            {{random_tensor(random, {2, 4, 2}, dtype)}, "batch, tall"},
            {{random_tensor(random, {0, 0}, dtype)}, "empty"}};
}
std::vector<Sample> sqrth_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    const Tensor x = random_tensor(random, {2, 3, 3}, dtype);
    return {{{fn::matmul(x, mH(x)) + identity_like(x)}, "batch"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::linalg_polar(Tensor A) -> (Tensor U, Tensor H)",
     .summary = "The polar decomposition: a matrix with orthonormal columns and a Hermitian one.",
     .formula = "A = U H, U = W V^H, H = V S V^H of the singular values A = W S V^H",
     .infer = inferring<infer_polar>,
     .kernel = filling<polar, 2>,
     .derivative = {polar_backward, {save_result(0), save_result(1)}},
     .gradient = "A: W (Q + (R - R^H)_ij / (s_i + s_j)) V^H + (grad_U - U U^H grad_U) V S^-1 V^H, "
                 "Q = V^H grad_H V, R = W^H grad_U V - Q S",
     .samples = polar_samples,
     .variants = kOut,
     .out = {.names = "U H"},
     .dtypes = {.kernel = "linalg_svd_cpu"}},
    {.schema = "aten::linalg_matrix_sqrth(Tensor self) -> Tensor",
     .summary = "The square root of a Hermitian matrix without negative eigenvalues.",
     .formula = "V sqrt(L) V^H of the eigenvalues self = V L V^H",
     .infer = inferring<infer_matrix_sqrth>,
     .kernel = filling<matrix_sqrth>,
     .derivative = {matrix_sqrth_backward, {save_result()}},
     .gradient = "self: V ((V^H grad V)_ij / (r_i + r_j)) V^H, r the eigenvalues of out, grad's Hermitian part",
     .samples = sqrth_samples,
     .variants = kOut,
     .autocast = {.cpu = Autocast::Float32, .cuda = Autocast::Float32}},
};

}  // namespace

std::span<const OperatorRecord> polar_records() { return kRecords; }

}  // namespace loupe::linalg
