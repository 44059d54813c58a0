// SPDX-License-Identifier: Apache-2.0
// Singular values and vectors.

#include <algorithm>
#include <cmath>
#include <complex>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
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

MetaList infer_svd(const Tensor& A, bool full, bool with_vectors, const IValue&) {
    check_matrix(A, "linalg.svd");
    check_floating(A, "linalg.svd");
    const std::int64_t m = A.size(-2);
    const std::int64_t n = A.size(-1);
    const std::int64_t k = std::min(m, n);
    const Dims batch = batch_sizes(A);
    const TensorMeta values = plain_meta(with_batch(span_of(batch), {k}), to_real_type(A.dtype()));
    if (!with_vectors) return {plain_meta({0}, A.dtype()), values, plain_meta({0}, A.dtype())};
    return {column_meta(with_batch(span_of(batch), {m, full ? m : k}), A.dtype()), values,
            column_meta(with_batch(span_of(batch), {full ? n : k, n}), A.dtype())};
}

// LAPACK's iteration does not end on some matrices with infinities.
template <typename T>
bool is_finite(const T* matrix, std::int64_t count) {
    return std::all_of(matrix, matrix + count,
                       [](const T& v) { return std::isfinite(std::real(v)) && std::isfinite(std::imag(v)); });
}

void decompose(const Tensor& U, const Tensor& S, const Tensor& Vh, const Tensor& A, char job) {
    check_kernel_dtype(A, "linalg_svd_cpu");
    const LapackScope lapack;
    const Tensor work = column_copy(A);
    const Dims batch = batch_sizes(A);
    const Tensor info = zeros(span_of(batch), ScalarType::Int32);
    const std::int64_t m = A.size(-2);
    const std::int64_t n = A.size(-1);
    visit_lapack(A.dtype(), [&]<typename T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < batch_count(A); ++i) {
            T* u = job == 'N' ? nullptr : matrix_at<T>(U, i);
            T* vh = job == 'N' ? nullptr : matrix_at<T>(Vh, i);
            std::int32_t& code = info.data<std::int32_t>()[i];
            code = -4;  // LAPACK's code for NaN
            if (!is_finite(matrix_at<T>(work, i), m * n)) continue;
            code =
                Lapack<T>::gesdd(LAPACK_COL_MAJOR, job, narrow(m), narrow(n), matrix_at<T>(work, i), leading(m),
                                 vector_at<RealOf<T>>(S, i), u, leading(m), vh, leading(job == 'N' ? 1 : Vh.size(-2)));
            if (code < 0) ++code;  // LAPACKE counts the layout as an argument too
        }
    });
    check_errors(info, "linalg.svd", A.dim() == 2);
}
void svd(const Tensor& U, const Tensor& S, const Tensor& Vh, const Tensor& A, bool full, bool with_vectors,
         const IValue& driver) {
    require(driver.is_none(),
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend.");
    if (A.numel() == 0) {
        if (!with_vectors) return;
        copy_strided(U, identity_like(U));
        copy_strided(Vh, identity_like(Vh));
        return;
    }
    const Tensor left = with_vectors ? columns_for(U) : U;
    const Tensor right = with_vectors ? columns_for(Vh) : Vh;
    const Tensor values = buffer_for(S);
    decompose(left, values, right, A, !with_vectors ? 'N' : full ? 'A' : 'S');
    put_back(U, left);
    put_back(S, values);
    put_back(Vh, right);
}

Tensor skew(const Tensor& t) { return t - mH(t); }

// Complex singular vectors are fixed up to a phase that both share; a loss that feels it has no derivative.
void check_phase(const Tensor& of_U, const Tensor& of_V) {
    static const OperatorHandle<bool> allclose{"aten::allclose"};
    const auto angles = [](const Tensor& t) { return fn::imag(fn::diagonal(t, 0, -2, -1)); };
    const Tensor left = of_U.defined() ? angles(of_U) : Tensor();
    const Tensor right = of_V.defined() ? -angles(of_V) : Tensor();
    const Tensor a = left.defined() ? left : fn::zeros_like(right);
    const Tensor b = right.defined() ? right : fn::zeros_like(left);
    require(allclose(a, b, 1e-2, 1e-2, false),
            "svd_backward: The singular vectors in the complex case are specified up to multiplication by e^{i phi}. "
            "The specified loss function "
            "depends on this quantity, so it is ill-defined.");
}

// Between singular values: S_j^2 - S_i^2, ones on the diagonal.
Tensor gaps(const Tensor& S) {
    const Tensor squares = S * S;
    const Tensor between = fn::unsqueeze(squares, -2) - fn::unsqueeze(squares, -1);
    return between + fn::diag_embed(fn::ones_like(S), 0, -2, -1);
}

// U, Vh: of min(m, n) columns and rows. Townsend (2016), Differentiating the singular value decomposition.
Tensor svd_gradient(const Tensor& gU, const Tensor& gS, const Tensor& gVh, const Tensor& U, const Tensor& S,
                    const Tensor& Vh) {
    const std::int64_t m = U.size(-2);
    const std::int64_t n = Vh.size(-1);
    const Tensor row = fn::unsqueeze(S, -2);
    const Tensor column = fn::unsqueeze(S, -1);
    if (!gU.defined() && !gVh.defined()) {
        return m >= n ? fn::matmul(U, fn::unsqueeze(gS, -1) * Vh) : fn::matmul(U * fn::unsqueeze(gS, -2), Vh);
    }
    const Tensor of_U = gU.defined() ? skew(fn::matmul(mH(U), gU)) : Tensor();
    const Tensor of_V = gVh.defined() ? skew(fn::matmul(Vh, mH(gVh))) : Tensor();
    const bool complex = is_complex(U.dtype());
    if (complex) check_phase(of_U, of_V);
    const Tensor E = gaps(S);
    Tensor inner;
    if (gU.defined() && gVh.defined())
        inner = (of_U * row + column * of_V) / E;
    else if (gU.defined())
        inner = of_U / E * row;
    else
        inner = column * (of_V / E);
    if (gS.defined()) inner = inner + fn::diag_embed(gS, 0, -2, -1);
    if (complex && gU.defined() && gVh.defined()) {
        inner = inner + fn::diag_embed(fn::diagonal(of_U, 0, -2, -1) / (S * Scalar(2.0)), 0, -2, -1);
    }
    if (m > n && gU.defined()) {
        const Tensor outside = gU / row;
        const Tensor left = fn::matmul(U, inner) + outside - fn::matmul(U, fn::matmul(mH(U), outside));
        return fn::matmul(left, Vh);
    }
    if (m < n && gVh.defined()) {
        const Tensor outside = gVh / column;
        const Tensor right = fn::matmul(inner, Vh) + outside - fn::matmul(fn::matmul(outside, mH(Vh)), Vh);
        return fn::matmul(U, right);
    }
    return m >= n ? fn::matmul(U, fn::matmul(inner, Vh)) : fn::matmul(fn::matmul(U, inner), Vh);
}
void svd_backward(GradientContext& context) {
    const Tensor& gS = context.grad_output(1);
    Tensor gU = context.grad_output(0);
    Tensor gVh = context.grad_output(2);
    if (!gU.defined() && !gS.defined() && !gVh.defined()) return;
    require(context.value("compute_uv").to_bool(), "linalg_svd: derivatives need compute_uv=True");
    Tensor U = context.result(0);
    const Tensor S = context.result(1);
    Tensor Vh = context.result(2);
    const std::int64_t k = S.size(-1);
    const auto first_columns = [k](const Tensor& t) {
        return t.defined() && t.size(-1) != k ? fn::narrow(t, -1, 0, k) : t;
    };
    const auto first_rows = [k](const Tensor& t) {
        return t.defined() && t.size(-2) != k ? fn::narrow(t, -2, 0, k) : t;
    };
    context.set_grad("A", svd_gradient(first_columns(gU), gS, first_rows(gVh), first_columns(U), S, first_rows(Vh)));
}

std::tuple<Tensor, Tensor, Tensor> linalg_svd(const Tensor& A, bool full, const IValue& driver) {
    return call::svd_all(A, full, true, driver);
}
Tensor svdvals(const Tensor& A, const IValue& driver) {
    const bool records = GradMode::is_enabled() && requires_grad(A);
    return std::get<1>(call::svd_all(A, false, records, driver));
}
std::tuple<Tensor, Tensor, Tensor> old_svd(const Tensor& self, bool some, bool with_vectors) {
    require(self.dim() >= 2, "linalg.svd: input should have at least 2 dimensions, but has ", self.dim(),
            " dimensions instead");
    if (with_vectors) {
        const auto [U, S, Vh] = linalg_svd(self, !some, IValue());
        return {U, S, mH(Vh)};
    }
    const Dims batch = batch_sizes(self);
    const Dims left = with_batch(span_of(batch), {self.size(-2), self.size(-2)});
    const Dims right = with_batch(span_of(batch), {self.size(-1), self.size(-1)});
    return {zeros(span_of(left), self.dtype()), svdvals(self, IValue()), mT(zeros(span_of(right), self.dtype()))};
}

std::vector<Sample> svd_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    return {{{random_tensor(random, {3, 3}, dtype), false, true, IValue()}},
            {{random_tensor(random, {2, 4, 2}, dtype), false, true, IValue()}, "tall"},
            {{random_tensor(random, {2, 4}, dtype), false, true, IValue()}, "wide"}};
}
std::vector<Sample> values_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    return {{{random_tensor(random, {3, 3}, dtype), IValue()}},
            {{random_tensor(random, {2, 2, 4}, dtype), IValue()}, "wide"}};
}

Cost svd_cost(Arguments arguments, std::span<const IValue> results) {
    const Tensor A = arguments[0].to_tensor();
    const double smaller = static_cast<double>(std::min(A.size(-2), A.size(-1)));
    const double larger = static_cast<double>(std::max(A.size(-2), A.size(-1)));
    Cost cost;
    // Golub, Van Loan: R-SVD with both bases.
    cost.flops = static_cast<double>(batch_count(A)) *
                 (6 * larger * smaller * smaller + 20 * smaller * smaller * smaller) * (is_complex(A.dtype()) ? 4 : 1);
    cost.bytes = static_cast<double>(A.bytes());
    for (const IValue& result : results) cost.bytes += static_cast<double>(result.to_tensor().bytes());
    return cost;
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::_linalg_svd(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) -> "
               "(Tensor U, Tensor S, Tensor Vh)",
     .summary = "Singular values, greatest first, with the vectors if they are wanted.",
     .formula = "A = U diag(S) Vh",
     .infer = inferring<infer_svd>,
     .kernel = filling<svd, 3>,
     .derivative = {svd_backward, {save_result(0), save_result(1), save_result(2)}},
     .gradient = "A: U diag(grad_S) Vh, with terms of 1 / (S_j^2 - S_i^2) when U or Vh has a gradient",
     .cost = svd_cost,
     .samples = svd_samples,
     .variants = kOut,
     .out = {.overload = "U", .refusal = out_refusal::kStructured},
     .dtypes = {.kernel = "linalg_svd_cpu"}},
    {.schema =
         "aten::linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)",
     .summary = "Singular values, greatest first, and vectors.",
     .formula = "A = U diag(S) Vh",
     .composite = boxed<linalg_svd>,
     .gradient = "A: U diag(grad_S) Vh, with terms of 1 / (S_j^2 - S_i^2) when U or Vh has a gradient",
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor",
     .summary = "Singular values, greatest first.",
     .formula = "S of A = U diag(S) Vh",
     .composite = boxed<svdvals>,
     .gradient = "A: U diag(grad) Vh",
     .samples = values_samples,
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)",
     .summary = "Singular values, greatest first, and vectors; the right ones in columns.",
     .formula = "self = U diag(S) V^H",
     .composite = boxed<old_svd>,
     .autocast = {.cpu = Autocast::Float32}},
};

}  // namespace

std::span<const OperatorRecord> svd_records() { return kRecords; }

}  // namespace loupe::linalg
