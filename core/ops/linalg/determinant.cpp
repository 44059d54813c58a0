// SPDX-License-Identifier: Apache-2.0
// Determinants, their signs and logarithms.

#include <cmath>

#include "core/autograd/grad_mode.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/arithmetic.h"
#include "core/kernels/elementwise.h"
#include "core/ops/linalg/batch.h"
#include "core/ops/linalg/calls.h"
#include "core/ops/linalg/family.h"
#include "core/ops/linalg/lapack.h"
#include "core/ops/samples.h"

namespace loupe::linalg {
namespace {

using namespace arithmetic;

// As in solve.cpp: factors of A^T when A is row major.
bool factors_transposed(const Tensor& A) { return A.is_contiguous() && !is_complex(A.dtype()); }

struct Factors {
    Tensor LU;
    Tensor pivots;
};
Factors factored(const Tensor& A, const Tensor& LU, const Tensor& pivots) {
    const auto [factors, rows, info] = call::lu_factor_ex(factors_transposed(A) ? mT(A) : A, true, false);
    copy_strided(LU, factors);
    copy_strided(pivots, rows);
    return {factors, rows};
}

std::int64_t number_of_dtype(ScalarType dtype) { return static_cast<std::int64_t>(dtype); }

template <typename T>
T permutation_sign(const std::int32_t* pivots, std::int64_t n) {
    bool odd = false;
    for (std::int64_t i = 0; i < n; ++i) odd ^= pivots[i] != i + 1;
    return odd ? T(-1) : T(1);
}

// On another device: the products of each row of the last dimension, and the sign of its exchanges.
Tensor products_of(const Tensor& t) {
    static const OperatorHandle<> prod("aten::prod.dim_int");
    return prod(t, -1, false, IValue());
}
Tensor signs_there(const Tensor& pivots, ScalarType dtype) {
    const Tensor places =
        fn::arange(Scalar(pivots.size(-1)), number_of_dtype(ScalarType::Int32), IValue(), pivots.device());
    const Tensor moved = fn::ne(pivots, fn::add_scalar(places, Scalar(1), Scalar(1)));
    return products_of(
        fn::add_scalar(fn::mul_scalar(fn::to_dtype(moved, number_of_dtype(dtype)), Scalar(-2)), Scalar(1), Scalar(1)));
}

MetaList infer_factors(const Tensor& A) {
    const Dims batch = batch_sizes(A);
    return {column_meta(to_dims(A.sizes()), A.dtype()),
            plain_meta(with_batch(span_of(batch), {A.size(-1)}), ScalarType::Int32)};
}

MetaList infer_det(const Tensor& A) {
    check_square(A, "linalg.det");
    check_floating(A, "linalg.det");
    MetaList metas{plain_meta(batch_sizes(A), A.dtype())};
    for (const TensorMeta& meta : infer_factors(A)) metas.push_back(meta);
    return metas;
}
void det(const Tensor& result, const Tensor& LU, const Tensor& pivots, const Tensor& A) {
    const Factors factors = factored(A, LU, pivots);
    if (!A.device().is_cpu()) {
        const Tensor diagonal = fn::diagonal(factors.LU, 0, -2, -1);
        return copy_into(result, fn::mul(products_of(diagonal), signs_there(factors.pivots, A.dtype())));
    }
    const Tensor values = buffer_for(result);
    const std::int64_t n = A.size(-1);
    visit_lapack(A.dtype(), [&]<typename T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < batch_count(A); ++i) {
            const T* matrix = matrix_at<T>(factors.LU, i);
            T product(1);
            for (std::int64_t d = 0; d < n; ++d) product *= matrix[d * (n + 1)];
            values.data<T>()[i] = product * permutation_sign<T>(vector_at<std::int32_t>(factors.pivots, i), n);
        }
    });
    put_back(result, values);
}

// Where the matrix is singular, from the SVD: the adjugate is continuous there.
Tensor singular_gradient(const Tensor& A, const Tensor& g) {
    const auto [U, S, Vh] = call::svd(A, true, IValue());
    const Tensor alpha = conj(call::det(U) * call::det(Vh)) * g;
    // The product of all singular values but one, for each.
    Tensor others;
    const std::int64_t n = S.size(-1);
    TensorList columns;
    for (std::int64_t k = 0; k < n; ++k) {
        Tensor product;
        for (std::int64_t j = 0; j < n; ++j) {
            if (j == k) continue;
            const Tensor s = fn::select(S, -1, j);
            product = product.defined() ? product * s : s;
        }
        columns.push_back(product.defined() ? product : fn::ones_like(fn::select(S, -1, k)));
    }
    others = fn::stack(columns, -1);
    const Tensor D = fn::unsqueeze(alpha, -1) * others;
    return fn::matmul(U * fn::unsqueeze(D, -2), Vh);
}
Tensor diagonal_of(const Tensor& values, const Tensor& A) {
    return fn::unsqueeze(fn::unsqueeze(values, -1), -1) * identity_like(A);
}

void det_backward(GradientContext& context) {
    if (!context.grad_output(0).defined()) return;
    const Tensor A = context.argument("A");
    if (A.numel() == 0) return context.set_grad("A", fn::zeros_like(A));
    const Tensor g = context.grad_output(0);
    const Tensor value = context.result(0);
    const Tensor d = diagonal_of(g * conj(value), A);
    if (!GradMode::is_enabled()) {
        // The determinant is smooth: at a singular matrix, that of one beside it.
        const Tensor LU = context.result(1);
        const Tensor zero = fn::eq_scalar(fn::diagonal(LU, 0, -2, -1), Scalar(0));
        const Tensor nudge = fn::to_dtype(zero, static_cast<std::int64_t>(A.dtype())) * Scalar(epsilon_of(A.dtype()));
        const Tensor regular = LU + fn::diag_embed(nudge, 0, -2, -1);
        return context.set_grad("A", call::lu_solve(regular, context.result(2), d, true, !factors_transposed(A)));
    }
    // By the pivots: dividing by a determinant close to rounding errors is not accurate.
    const Tensor pivots = fn::abs(fn::diagonal(context.result(1), 0, -2, -1));
    const double smallest = std::cbrt(epsilon_of(A.dtype()));
    const Tensor singular =
        fn::le(fn::amin(pivots, Dims{-1}, false), fn::amax(pivots, Dims{-1}, false) * Scalar(smallest));
    const bool any = fn::is_nonzero(fn::any(singular));
    const bool all = fn::is_nonzero(fn::all(singular));
    if (!any) return context.set_grad("A", call::solve(mH(A), d, true));
    if (all) return context.set_grad("A", singular_gradient(A, g));
    // Singular and regular matrices of the batch by separate formulas.
    const Tensor flat_A = fn::reshape(A, Dims{-1, A.size(-1), A.size(-1)});
    const Tensor flat_d = fn::reshape(d, Dims{-1, A.size(-1), A.size(-1)});
    const Tensor bad = fn::reshape(fn::nonzero(fn::reshape(singular, Dims{-1})), Dims{-1});
    const Tensor good = fn::reshape(fn::nonzero(fn::logical_not(fn::reshape(singular, Dims{-1}))), Dims{-1});
    const Tensor at_bad =
        singular_gradient(fn::index_select(flat_A, 0, bad), fn::index_select(fn::reshape(g, Dims{-1}), 0, bad));
    const Tensor at_good = call::solve(mH(fn::index_select(flat_A, 0, good)), fn::index_select(flat_d, 0, good), true);
    const Tensor joined = fn::index_copy(fn::index_copy(fn::zeros_like(flat_A), 0, bad, at_bad), 0, good, at_good);
    context.set_grad("A", fn::reshape(joined, to_dims(A.sizes())));
}

Tensor linalg_det(const Tensor& A) { return std::get<0>(call::det_all(A)); }

// ---- sign and logarithm

MetaList infer_slogdet(const Tensor& A) {
    check_square(A, "linalg.slogdet");
    check_floating(A, "linalg.slogdet", false);
    MetaList metas{plain_meta(batch_sizes(A), A.dtype()), plain_meta(batch_sizes(A), to_real_type(A.dtype()))};
    for (const TensorMeta& meta : infer_factors(A)) metas.push_back(meta);
    return metas;
}
void slogdet(const Tensor& sign, const Tensor& logarithm, const Tensor& LU, const Tensor& pivots, const Tensor& A) {
    const Factors factors = factored(A, LU, pivots);
    if (!A.device().is_cpu()) {
        static const OperatorHandle<> sgn("aten::sgn");
        const Tensor diagonal = fn::diagonal(factors.LU, 0, -2, -1);
        copy_into(sign, fn::mul(products_of(sgn(diagonal)), signs_there(factors.pivots, A.dtype())));
        return copy_into(logarithm, fn::sum_dim(fn::log(fn::abs(diagonal)), Dims{-1}, false, IValue()));
    }
    const Tensor signs = buffer_for(sign);
    const Tensor logarithms = buffer_for(logarithm);
    const std::int64_t n = A.size(-1);
    visit_lapack(A.dtype(), [&]<typename T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < batch_count(A); ++i) {
            const T* matrix = matrix_at<T>(factors.LU, i);
            T phase = permutation_sign<T>(vector_at<std::int32_t>(factors.pivots, i), n);
            RealOf<T> sum(0);
            for (std::int64_t d = 0; d < n; ++d) {
                const T pivot = matrix[d * (n + 1)];
                const RealOf<T> magnitude = std::abs(pivot);
                sum += std::log(magnitude);
                phase *= magnitude == RealOf<T>(0) ? T(0) : pivot / magnitude;
            }
            signs.data<T>()[i] = phase;
            logarithms.data<RealOf<T>>()[i] = sum;
        }
    });
    put_back(sign, signs);
    put_back(logarithm, logarithms);
}
void slogdet_backward(GradientContext& context) {
    const Tensor A = context.argument("A");
    const bool complex = is_complex(A.dtype());
    Tensor g = context.grad_output(1);
    if (complex && context.grad_output(0).defined()) {
        const Tensor angle = fn::imag(conj(context.grad_output(0)) * context.result(0));
        const Tensor turned = fn::complex(fn::zeros_like(angle), -angle);
        g = g.defined() ? g + turned : turned;
    }
    if (!g.defined()) {
        if (context.grad_output(0).defined()) context.set_grad("A", fn::zeros_like(A));
        return;
    }
    if (A.numel() == 0) return context.set_grad("A", fn::zeros_like(A));
    const Tensor d = diagonal_of(g, A);
    if (GradMode::is_enabled()) return context.set_grad("A", call::solve(mH(A), d, true));
    context.set_grad("A", call::lu_solve(context.result(2), context.result(3), d, true, !factors_transposed(A)));
}

std::tuple<Tensor, Tensor> linalg_slogdet(const Tensor& A) {
    const auto [sign, logarithm, LU, pivots] = call::slogdet_all(A);
    return {sign, logarithm};
}
Tensor logdet(const Tensor& A) {
    check_square(A, "logdet");
    check_floating(A, "logdet", false);
    const auto [sign, logarithm] = linalg_slogdet(A);
    if (is_complex(A.dtype())) return fn::log(sign) + logarithm;
    // NaN where the sign is -1.
    return fn::where_scalar_self(fn::eq_scalar(sign, Scalar(-1.0)), Scalar(std::nan("")), logarithm);
}

std::vector<Sample> det_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    return {{{random_tensor(random, {3, 3}, dtype)}},
            {{random_tensor(random, {2, 2, 2}, dtype)}, "batch"},
            {{random_tensor(random, {0, 0}, dtype)}, "empty"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::_linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)",
     .summary = "The determinant, and the LU factors that it took.",
     .formula = "prod_i of the diagonal of U, A = P L U, times the sign of P",
     .infer = inferring<infer_det>,
     .kernel = filling<det, 3>,
     .derivative = {det_backward, {save_argument("A"), save_result(0), save_result(1), save_result(2)}},
     .gradient = "A: grad conj(det) A^-H",
     .variants = kOut,
     .out = {.overload = "result"},
     .constant_results = 0b110,
     .dtypes = {.kernel = "lu_cpu"}},
    {.schema = "aten::linalg_det(Tensor A) -> Tensor",
     .summary = "The determinant.",
     .formula = "prod_i of the diagonal of U, A = P L U, times the sign of P",
     .composite = boxed<linalg_det>,
     .gradient = "A: grad conj(det) A^-H",
     .samples = det_samples},
    {.schema = "aten::det(Tensor self) -> Tensor",
     .summary = "The determinant.",
     .formula = "prod_i of the diagonal of U, A = P L U, times the sign of P",
     .composite = boxed<linalg_det>,
     .gradient = "self: grad conj(det) A^-H"},
    {.schema = "aten::_linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)",
     .summary = "Sign and logarithm of the determinant, and the LU factors that it took.",
     .formula = "det(A) = sign exp(logabsdet)",
     .infer = inferring<infer_slogdet>,
     .kernel = filling<slogdet, 4>,
     .derivative = {slogdet_backward, {save_argument("A"), save_result(0), save_result(2), save_result(3)}},
     .gradient = "A: grad1 A^-H, for the logarithm",
     .variants = kOut,
     .out = {.overload = "sign"},
     .constant_results = 0b1100},
    {.schema = "aten::linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)",
     .summary = "Sign and logarithm of the determinant.",
     .formula = "det(A) = sign exp(logabsdet)",
     .composite = boxed<linalg_slogdet>,
     .gradient = "A: grad1 A^-H, for the logarithm",
     .samples = det_samples},
    {.schema = "aten::slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)",
     .summary = "Sign and logarithm of the determinant.",
     .formula = "det(A) = sign exp(logabsdet)",
     .composite = boxed<linalg_slogdet>},
    {.schema = "aten::logdet(Tensor self) -> Tensor",
     .summary = "The logarithm of the determinant; NaN where that is negative.",
     .formula = "ln(det(A))",
     .composite = boxed<logdet>,
     .gradient = "self: grad A^-H"},
};

}  // namespace

std::span<const OperatorRecord> determinant_records() { return kRecords; }

}  // namespace loupe::linalg
