// SPDX-License-Identifier: Apache-2.0
// Functions of singular values: pseudo-inverse, rank, condition.

#include <cmath>
#include <limits>

#include "core/dispatch/gradient_context.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/linalg/batch.h"
#include "core/ops/linalg/calls.h"
#include "core/ops/linalg/family.h"
#include "core/ops/linalg/pinv_gradient.h"
#include "core/ops/samples.h"

namespace loupe::linalg {
namespace {

using namespace arithmetic;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr ScalarType kDouble = ScalarType::Float64;

// Singular values over max(atol, rtol * the greatest) count.
struct Tolerances {
    Tensor atol;
    Tensor rtol;
};
double default_rtol(const Tensor& A) {
    return epsilon_of(A.dtype()) * static_cast<double>(std::max(A.size(-2), A.size(-1)));
}

Tolerances tolerances(const Tensor& A, const Tensor& atol, const Tensor& rtol, std::string_view function) {
    for (const auto& [t, name] : {std::pair{&atol, "atol"}, std::pair{&rtol, "rtol"}}) {
        require(!t->defined() || !is_complex(t->dtype()), function, ": ", name,
                " tensor of complex type is not supported. Got ", t->defined() ? dtype_graph_name(t->dtype()) : "");
    }
    const ScalarType real = to_real_type(A.dtype());
    const Tensor absolute = atol.defined() ? atol : scalar_tensor(0.0, real);
    if (rtol.defined()) return {absolute, rtol};
    const Tensor usual = scalar_tensor(default_rtol(A), real);
    if (!atol.defined()) return {absolute, usual};
    return {absolute, fn::where(fn::gt_scalar(atol, Scalar(0)), fn::zeros_like(usual), usual)};
}
Tolerances tolerances(const Tensor& A, std::optional<double> atol, std::optional<double> rtol) {
    const double absolute = atol.value_or(0.0);
    const double relative = rtol.value_or(absolute > 0 ? 0.0 : default_rtol(A));
    return {scalar_tensor(absolute, kDouble), scalar_tensor(relative, kDouble)};
}
Tensor threshold(const Tolerances& tolerance, const Tensor& greatest) {
    return fn::maximum(fn::unsqueeze(tolerance.atol, -1), fn::unsqueeze(tolerance.rtol, -1) * greatest);
}

// ---- pseudo-inverse

void check_pinv(const Tensor& A) {
    require(is_lapack_dtype(A.dtype()) && A.dim() >= 2, "linalg.pinv(", dtype_graph_name(A.dtype()), "{",
            shape_list_text(A.sizes()),
            "}): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types");
}
Tensor inverse_over(const Tensor& values, const Tensor& magnitudes, const Tensor& cut, ScalarType dtype) {
    const Tensor inverted = fn::where(fn::gt(magnitudes, cut), fn::reciprocal(values), fn::zeros_like(values));
    return fn::to_dtype(inverted, static_cast<std::int64_t>(dtype));
}
Tensor pinv(const Tensor& A, const Tensor& atol, const Tensor& rtol, bool hermitian) {
    check_pinv(A);
    const Tolerances tolerance = tolerances(A, atol, rtol, "torch.linalg.pinv");
    if (A.numel() == 0) {
        const Dims batch = batch_sizes(A);
        const Dims sizes = with_batch(span_of(batch), {A.size(-1), A.size(-2)});
        return zeros(span_of(sizes), A.dtype());
    }
    if (hermitian) {
        const auto [S, U] = call::eigh(A, "L");
        const Tensor magnitudes = fn::abs(S);
        const Tensor cut = threshold(tolerance, fn::amax(magnitudes, Dims{-1}, true));
        return fn::matmul(U * fn::unsqueeze(inverse_over(S, magnitudes, cut, A.dtype()), -2), mH(U));
    }
    const auto [U, S, Vh] = call::svd(A, false, IValue());
    const Tensor cut = threshold(tolerance, fn::narrow(S, -1, 0, std::int64_t{1}));
    return fn::matmul(mH(Vh) * fn::unsqueeze(inverse_over(S, S, cut, A.dtype()), -2), mH(U));
}
void pinv_backward(GradientContext& context) {
    context.set_grad("self", pinv_gradient(context.grad_output(), context.result(), context.argument("self")));
}

Tensor pinv_float(const Tensor& A, std::optional<double> atol, std::optional<double> rtol, bool hermitian) {
    check_pinv(A);
    const Tolerances t = tolerances(A, atol, rtol);
    return call::pinv(A, t.atol, t.rtol, hermitian);
}
Tensor pinv_rcond(const Tensor& A, double rcond, bool hermitian) { return pinv_float(A, 0.0, rcond, hermitian); }
Tensor pinv_rcond_tensor(const Tensor& A, const Tensor& rcond, bool hermitian) {
    return call::pinv(A, zeros(rcond.sizes(), rcond.dtype()), rcond, hermitian);
}
Tensor pinverse(const Tensor& A, double rcond) { return pinv_rcond(A, rcond, false); }

// ---- rank

Tensor rank_over(const Tensor& A, const Tolerances& tolerance, bool hermitian) {
    check_matrix(A, "torch.linalg.matrix_rank", "input");
    if (A.numel() == 0) {
        const Dims batch = batch_sizes(A);
        return zeros(span_of(batch), ScalarType::Int64);
    }
    const Tensor S = hermitian ? fn::abs(call::eigvalsh(A, "L")) : call::svdvals(A, IValue());
    const Tensor greatest = hermitian ? fn::amax(S, Dims{-1}, true) : fn::narrow(S, -1, 0, std::int64_t{1});
    return fn::sum_dim(fn::gt(S, threshold(tolerance, greatest)), Dims{-1}, false, IValue());
}
void check_rank_dtype(const Tensor& A) {
    check_matrix(A, "torch.linalg.matrix_rank", "input");
    require(is_lapack_dtype(A.dtype()), "This function doesn't handle types other than float and double");
}
Tensor matrix_rank_tensor(const Tensor& A, const Tensor& atol, const Tensor& rtol, bool hermitian) {
    check_rank_dtype(A);
    return rank_over(A, tolerances(A, atol, rtol, "torch.linalg.matrix_rank"), hermitian);
}
Tensor matrix_rank_float(const Tensor& A, std::optional<double> atol, std::optional<double> rtol, bool hermitian) {
    check_rank_dtype(A);
    return rank_over(A, tolerances(A, atol, rtol), hermitian);
}
Tensor matrix_rank(const Tensor& A, double tol, bool hermitian) { return matrix_rank_float(A, tol, 0.0, hermitian); }
Tensor matrix_rank_tol_tensor(const Tensor& A, const Tensor& tol, bool hermitian) {
    return matrix_rank_tensor(A, tol, zeros(tol.sizes(), tol.dtype()), hermitian);
}

// ---- condition

Tensor empty_condition(const Tensor& A) {
    const Dims batch = batch_sizes(A);
    return zeros(span_of(batch), to_real_type(A.dtype()));
}
// norm(A) norm(A^-1), infinite for singular matrices.
template <typename Norm>
Tensor condition_by_inverse(const Tensor& A, const Norm& norm) {
    const auto [inverse, info] = call::inv_ex(A, false);
    const Tensor singular = fn::unsqueeze(fn::unsqueeze(fn::gt_scalar(info, Scalar(0)), -1), -1);
    const Tensor product = norm(A) * norm(fn::masked_fill(inverse, singular, Scalar(kInfinity)));
    static const OperatorHandle<> nan_to_num{"aten::nan_to_num"};
    return nan_to_num(product, kInfinity, kInfinity, -kInfinity);
}
Tensor cond(const Tensor& A, const std::optional<Scalar>& order) {
    require(A.dim() >= 2, "linalg.cond: The input tensor must have at least 2 dimensions.");
    const Scalar chosen = order.value_or(Scalar(2));
    const double p = chosen.to_double();
    require(std::abs(p) == 2 || std::abs(p) == 1 || std::isinf(p), "linalg.cond got an invalid norm type: ", p);
    if (A.numel() == 0) return empty_condition(A);
    if (std::abs(p) == 2) {
        const Tensor S = call::svdvals(A, IValue());
        const Tensor greatest = fn::narrow(S, -1, 0, std::int64_t{1});
        const Tensor least = fn::narrow(S, -1, S.size(-1) - 1, std::int64_t{1});
        return fn::squeeze(p < 0 ? least / greatest : greatest / least, -1);
    }
    check_square(A, concat("linalg.cond(ord=",
                           is_integral(chosen.dtype()) ? std::to_string(chosen.to_int()) : std::to_string(p), ")"));
    return condition_by_inverse(A, [&](const Tensor& t) {
        return call::matrix_norm(t, chosen, Dims{-2, -1}, false, IValue());
    });
}
Tensor cond_named(const Tensor& A, std::string_view order) {
    check_square(A, concat("linalg.cond(ord=", order, ")"));
    require(order == "fro" || order == "nuc", "linalg.cond got an invalid norm type: ", order);
    if (A.numel() == 0) return empty_condition(A);
    if (order == "nuc") {
        const Tensor S = call::svdvals(A, IValue());
        return fn::sum_dim(S, Dims{-1}, false, IValue()) * fn::sum_dim(fn::reciprocal(S), Dims{-1}, false, IValue());
    }
    return condition_by_inverse(A, [&](const Tensor& t) {
        return call::matrix_norm_str(t, order, Dims{-2, -1}, false, IValue());
    });
}

std::vector<Sample> pinv_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    return {{{random_tensor(random, {4, 3}, dtype), IValue(), IValue(), false}},
            {{random_tensor(random, {2, 2, 3}, dtype), IValue(), IValue(), false}, "wide"}};
}
std::vector<Sample> cond_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    return {{{random_tensor(random, {3, 3}, dtype), IValue()}},
            {{random_tensor(random, {2, 3, 3}, dtype), 1}, "by the inverse"}};
}

constexpr std::string_view kPinvSummary =
    "The Moore-Penrose pseudo-inverse; singular values under the tolerance count as zero.";
constexpr std::string_view kRankSummary = "How many singular values are over the tolerance.";
constexpr std::string_view kCondSummary =
    "The condition number in a norm: norm of the matrix times norm of its inverse.";

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool "
               "hermitian=False) -> Tensor",
     .summary = kPinvSummary,
     .formula = "V diag(1 / S) U^H",
     .kernel = boxed<pinv>,
     .derivative = {pinv_backward, {save_argument("self"), save_result()}},
     .gradient = "self: -P^H grad P^H + terms of the null spaces, P = out",
     .samples = pinv_samples,
     .placement = Placement::Host},
    {.schema = "aten::linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool "
               "hermitian=False) -> Tensor",
     .summary = kPinvSummary,
     .composite = boxed<pinv_float>,
     .placement = Placement::Host},
    {.schema = "aten::linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor",
     .summary = kPinvSummary,
     .composite = boxed<pinv_rcond>,
     .placement = Placement::Host},
    {.schema = "aten::linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False) -> Tensor",
     .summary = kPinvSummary,
     .composite = boxed<pinv_rcond_tensor>,
     .placement = Placement::Host},
    {.schema = "aten::pinverse(Tensor self, float rcond=1.0000000000000001e-15) -> Tensor",
     .summary = kPinvSummary,
     .composite = boxed<pinverse>,
     .placement = Placement::Host,
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::linalg_matrix_rank.atol_rtol_tensor(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool "
               "hermitian=False) -> Tensor",
     .summary = kRankSummary,
     .composite = boxed<matrix_rank_tensor>,
     .placement = Placement::Host,
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool "
               "hermitian=False) -> Tensor",
     .summary = kRankSummary,
     .composite = boxed<matrix_rank_float>,
     .placement = Placement::Host,
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::linalg_matrix_rank(Tensor self, float tol, bool hermitian=False) -> Tensor",
     .summary = kRankSummary,
     .composite = boxed<matrix_rank>,
     .placement = Placement::Host,
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False) -> Tensor",
     .summary = kRankSummary,
     .composite = boxed<matrix_rank_tol_tensor>,
     .placement = Placement::Host,
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::linalg_cond(Tensor self, Scalar? p=None) -> Tensor",
     .summary = kCondSummary,
     .composite = boxed<cond>,
     .samples = cond_samples,
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::linalg_cond.p_str(Tensor self, str p) -> Tensor",
     .summary = kCondSummary,
     .composite = boxed<cond_named>,
     .autocast = {.cpu = Autocast::Float32}},
};

}  // namespace

std::span<const OperatorRecord> pseudo_inverse_records() { return kRecords; }

}  // namespace loupe::linalg
