// SPDX-License-Identifier: Apache-2.0
// QR factorisation, and products of Householder reflectors.

#include "core/dispatch/gradient_context.h"
#include "core/dispatch/out_refusals.h"
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

// ---- kernels on matrices in columns

// tau: contiguous.
void reflect(const Tensor& matrices, const Tensor& tau) {
    check_kernel_dtype(matrices, "geqrf_cpu");
    if (matrices.numel() == 0) return;
    const LapackScope lapack;
    const std::int64_t m = matrices.size(-2);
    visit_lapack(matrices.dtype(), [&]<typename T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < batch_count(matrices); ++i) {
            Lapack<T>::geqrf(LAPACK_COL_MAJOR, narrow(m), narrow(matrices.size(-1)), matrix_at<T>(matrices, i),
                             leading(m), vector_at<T>(tau, i));
        }
    });
}
// The first columns of the product of reflectors, in place.
void multiply_out(const Tensor& matrices, const Tensor& tau) {
    check_kernel_dtype(matrices, "orgqr_cpu");
    if (matrices.numel() == 0) return;
    const LapackScope lapack;
    const std::int64_t m = matrices.size(-2);
    visit_lapack(matrices.dtype(), [&]<typename T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < batch_count(matrices); ++i) {
            Lapack<T>::orgqr(LAPACK_COL_MAJOR, narrow(m), narrow(matrices.size(-1)), narrow(tau.size(-1)),
                             matrix_at<T>(matrices, i), leading(m), vector_at<T>(tau, i));
        }
    });
}

Dims tau_sizes(const Tensor& A) {
    const Dims batch = batch_sizes(A);
    return with_batch(span_of(batch), {std::min(A.size(-2), A.size(-1))});
}

MetaList infer_geqrf(const Tensor& A) {
    require(A.dim() >= 2, "torch.geqrf: input must have at least 2 dimensions.");
    return {column_meta(to_dims(A.sizes()), A.dtype()), plain_meta(tau_sizes(A), A.dtype())};
}
void geqrf(const Tensor& a, const Tensor& tau, const Tensor& A) {
    const Tensor work = columns_for(a);
    const Tensor scales = buffer_for(tau);
    copy_strided(work, A);
    reflect(work, scales);
    put_back(a, work);
    put_back(tau, scales);
}

// ---- qr

struct QrMode {
    bool with_q;
    bool reduced;
};
QrMode parse_mode(std::string_view mode) {
    if (mode == "reduced") return {true, true};
    if (mode == "complete") return {true, false};
    if (mode == "r") return {false, true};
    fail_run(concat("qr received unrecognized mode '", mode,
                    "' but expected one of 'reduced' (default), 'r', or 'complete'"));
}

MetaList infer_qr(const Tensor& A, std::string_view mode) {
    check_matrix(A, "linalg.qr");
    check_floating(A, "linalg.qr");
    const QrMode wanted = parse_mode(mode);
    const std::int64_t m = A.size(-2);
    const std::int64_t k = wanted.reduced ? std::min(m, A.size(-1)) : m;
    const Dims batch = batch_sizes(A);
    const TensorMeta q =
        wanted.with_q ? column_meta(with_batch(span_of(batch), {m, k}), A.dtype()) : plain_meta({0}, A.dtype());
    return {q, column_meta(with_batch(span_of(batch), {k, A.size(-1)}), A.dtype())};
}
void qr(const Tensor& Q, const Tensor& R, const Tensor& A, std::string_view mode) {
    const QrMode wanted = parse_mode(mode);
    const Tensor factors = column_copy(A);
    const Dims sizes = tau_sizes(A);
    const Tensor tau = empty(span_of(sizes), A.dtype());
    reflect(factors, tau);
    copy_into(R, fn::triu(fn::narrow(factors, -2, 0, R.size(-2)), 0));
    if (!wanted.with_q || Q.numel() == 0) return;
    const Tensor work = columns_for(Q);
    const std::int64_t columns = std::min(Q.size(-1), A.size(-1));
    if (columns == 0) {
        copy_strided(Q, identity_like(Q));
        return;
    }
    copy_into(fn::narrow(work, -1, 0, columns), fn::narrow(factors, -1, 0, columns));
    multiply_out(work, tau);
    put_back(Q, work);
}

// Hermitian part for the differential of a triangular factor.
Tensor hermitian_part(const Tensor& X) {
    const Tensor sum = X + mH(X);
    return sum - fn::diag_embed(fn::diagonal(sum, 0, -2, -1) * Scalar(0.5), 0, -2, -1);
}
Tensor qr_gradient(const Tensor& gQ, const Tensor& gR, const Tensor& Q, const Tensor& R) {
    const std::int64_t m = Q.size(-2);
    const std::int64_t n = R.size(-1);
    Tensor inner;
    if (gR.defined()) inner = fn::matmul(gR, mH(R));
    if (gQ.defined()) {
        const Tensor product = fn::matmul(mH(Q), gQ);
        inner = inner.defined() ? inner - product : -product;
    }
    if (m >= n) {
        Tensor gA = fn::matmul(Q, hermitian_part(fn::triu(inner, 0)));
        if (gQ.defined()) gA = gA + gQ;
        return call::solve_triangular(mH(R), gA, false, false, false);
    }
    // Wide: Q is square, and the columns of R after the first m follow.
    Tensor skew = fn::tril(mH(inner) - inner, 0);
    skew = skew - fn::diag_embed(fn::diagonal(skew, 0, -2, -1) * Scalar(0.5), 0, -2, -1);
    const Tensor first = call::solve_triangular(mH(fn::narrow(R, -1, 0, m)), skew, false, false, false);
    Tensor gA = fn::constant_pad_nd(first, Dims{0, n - m}, Scalar(0));
    if (gR.defined()) gA = gA + gR;
    return fn::matmul(Q, gA);
}
void qr_backward(GradientContext& context) {
    const Tensor& gQ = context.grad_output(0);
    const Tensor& gR = context.grad_output(1);
    if (!gQ.defined() && !gR.defined()) return;
    const QrMode mode = parse_mode(context.value("mode").to_string());
    require(mode.with_q,
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, "
            "mode='reduced') "
            "if you are going to require its derivative.");
    const Tensor Q = context.result(0);
    const Tensor R = context.result(1);
    require(mode.reduced || Q.size(-2) <= R.size(-1),
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols.");
    context.set_grad("A", qr_gradient(gQ, gR, Q, R));
}
std::tuple<Tensor, Tensor> old_qr(const Tensor& self, bool some) {
    return call::qr(self, some ? "reduced" : "complete");
}

// ---- reflectors

void check_tau(const Tensor& input, const Tensor& tau, std::string_view function) {
    require(input.dim() - tau.dim() == 1, function,
            ": Expected tau to have one dimension less than input, but got tau.ndim equal to ", tau.dim(),
            " and input.ndim is equal to ", input.dim());
    const IntSpan batch = tau.sizes().first(tau.sizes().size() - 1);
    require(std::equal(batch.begin(), batch.end(), input.sizes().begin(), input.sizes().end() - 2), function,
            ": Expected batch dimensions of tau to be equal to input.shape[:-2], but got ", shape_list_text(batch));
    require(tau.dtype() == input.dtype(), function, ": tau dtype ", dtype_graph_name(tau.dtype()),
            " does not match input dtype ", dtype_graph_name(input.dtype()));
}

TensorMeta infer_product(const Tensor& input, const Tensor& tau) {
    constexpr std::string_view kName = "torch.linalg.householder_product";
    require(input.dim() >= 2, kName, ": input must have at least 2 dimensions.");
    require(input.size(-2) >= input.size(-1), kName,
            ": input.shape[-2] must be greater than or equal to input.shape[-1]");
    require(tau.dim() == 0 || input.size(-1) >= tau.size(-1), kName,
            ": input.shape[-1] must be greater than or equal to tau.shape[-1]");
    check_tau(input, tau, kName);
    return column_meta(to_dims(input.sizes()), input.dtype());
}
void product(const Tensor& out, const Tensor& input, const Tensor& tau) {
    const Tensor work = columns_for(out);
    copy_strided(work, input);
    multiply_out(work, packed(tau));
    put_back(out, work);
}

struct ReflectorGradients {
    Tensor vectors;
    Tensor tau;
    Tensor other;
};
// Of Y = H_1 .. H_k C, or of Y = (H_1 .. H_k)^H C, H_i = 1 - tau_i v_i v_i^H: one reflector after the other, backwards.
ReflectorGradients reflectors_gradient(const Tensor& input, const Tensor& tau, const Tensor& C, Tensor g,
                                       bool transpose) {
    const std::int64_t k = tau.size(-1);
    const Tensor vectors = fn::tril(input, -1) + identity_like(input);
    const auto vector = [&](std::int64_t i) { return fn::narrow(vectors, -1, i, std::int64_t{1}); };
    const auto scale = [&](std::int64_t i) {
        const Tensor t = fn::unsqueeze(fn::narrow(tau, -1, i, std::int64_t{1}), -1);
        return transpose ? conj(t) : t;
    };
    // steps[s]: the operand of reflector order(s).
    const auto order = [&](std::int64_t s) { return transpose ? s : k - 1 - s; };
    TensorList steps{C};
    for (std::int64_t s = 0; s + 1 < k; ++s) {
        const Tensor v = vector(order(s));
        const Tensor& Y = steps.back();
        steps.push_back(Y - scale(order(s)) * fn::matmul(v, fn::matmul(mH(v), Y)));
    }
    TensorList of_vectors(static_cast<std::size_t>(k));
    TensorList of_tau(static_cast<std::size_t>(k));
    for (std::int64_t s = k - 1; s >= 0; --s) {
        const auto at = static_cast<std::size_t>(order(s));
        const Tensor v = vector(order(s));
        const Tensor t = scale(order(s));
        const Tensor& Y = steps[static_cast<std::size_t>(s)];
        const Tensor w = fn::matmul(mH(v), Y);
        const Tensor u = fn::matmul(mH(v), g);
        of_vectors[at] = -(conj(t) * fn::matmul(g, mH(w)) + t * fn::matmul(Y, mH(u)));
        const Tensor of_scale = -fn::matmul(u, mH(w));
        of_tau[at] = fn::squeeze(transpose ? conj(of_scale) : of_scale, -1);
        g = g - conj(t) * fn::matmul(v, u);
    }
    if (k == 0) return {fn::zeros_like(input), fn::zeros_like(tau), g};
    const Tensor all = fn::tril(fn::cat(of_vectors, -1), -1);
    return {k == input.size(-1) ? all : fn::constant_pad_nd(all, Dims{0, input.size(-1) - k}, Scalar(0)),
            fn::cat(of_tau, -1), g};
}

void product_backward(GradientContext& context) {
    const Tensor input = context.argument("input");
    if (input.numel() == 0 || context.argument("tau").numel() == 0) return;  // undefined, as in PyTorch
    const ReflectorGradients grads =
        reflectors_gradient(input, context.argument("tau"), identity_like(input), context.grad_output(), false);
    context.grad("input", [&] { return grads.vectors; });
    context.grad("tau", [&] { return grads.tau; });
}

TensorMeta infer_ormqr(const Tensor& input, const Tensor& tau, const Tensor& other, bool left, bool) {
    constexpr std::string_view kName = "torch.ormqr";
    require(input.dim() >= 2, kName, ": input must have at least 2 dimensions.");
    require(other.dim() >= 2, kName, ": other must have at least 2 dimensions.");
    const std::int64_t side = left ? -2 : -1;
    require(other.size(side) >= tau.size(-1), kName, ": other.shape[", side,
            "] must be greater than or equal to tau.shape[-1]");
    require(other.size(side) == input.size(-2), kName, ": other.shape[", side, "] must be equal to input.shape[-2]");
    require(tau.size(-1) <= input.size(-1), kName, ": tau.shape[-1] must be less than or equal to input.shape[-1]");
    require(input.dim() == other.dim(), kName,
            ": Expected other to have the same number of dimensions as input, but got other.ndim equal to ",
            other.dim(), " and input.ndim is equal to ", input.dim());
    check_tau(input, tau, kName);
    const Dims batch = batch_sizes(other);
    require(std::equal(batch.begin(), batch.end(), input.sizes().begin(), input.sizes().end() - 2), kName,
            ": Expected batch dimensions of other to be equal to input.shape[:-2], but got ",
            shape_list_text(span_of(batch)));
    require(other.dtype() == input.dtype(), kName,
            ": Expected input and other to have the same dtype, but input has dtype ", dtype_graph_name(input.dtype()),
            " and other has dtype ", dtype_graph_name(other.dtype()));
    return column_meta(to_dims(other.sizes()), other.dtype());
}
void ormqr(const Tensor& out, const Tensor& input, const Tensor& tau, const Tensor& other, bool left, bool transpose) {
    check_kernel_dtype(input, "ormqr_cpu");
    const Tensor work = columns_for(out);
    copy_strided(work, other);
    if (work.numel() > 0 && tau.numel() > 0) {
        const LapackScope lapack;
        const Tensor reflectors = column_copy(input);
        const Tensor scales = packed(tau);
        const std::int64_t m = other.size(-2);
        visit_lapack(out.dtype(), [&]<typename T>(std::type_identity<T>) {
            const char turned = transpose ? (kIsComplex<T> ? 'C' : 'T') : 'N';
            for (std::int64_t i = 0; i < batch_count(out); ++i) {
                Lapack<T>::ormqr(LAPACK_COL_MAJOR, left ? 'L' : 'R', turned, narrow(m), narrow(other.size(-1)),
                                 narrow(tau.size(-1)), matrix_at<T>(reflectors, i), leading(input.size(-2)),
                                 vector_at<T>(scales, i), matrix_at<T>(work, i), leading(m));
            }
        });
    }
    put_back(out, work);
}
void ormqr_backward(GradientContext& context) {
    const bool left = context.value("left").to_bool();
    const bool transpose = context.value("transpose").to_bool();
    const Tensor& g = context.grad_output();
    if (context.needs("self") || context.needs("input2")) {
        const Tensor other = context.argument("input3");
        // C Q = (Q^H C^H)^H.
        const ReflectorGradients grads =
            reflectors_gradient(context.argument("self"), context.argument("input2"), left ? other : mH(other),
                                left ? g : mH(g), left ? transpose : !transpose);
        context.grad("self", [&] { return grads.vectors; });
        context.grad("input2", [&] { return grads.tau; });
    }
    context.grad("input3", [&] {
        return call::ormqr(context.argument("self"), context.argument("input2"), g, left, !transpose);
    });
}

// ---- samples

std::vector<Sample> qr_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    return {{{random_tensor(random, {4, 3}, dtype), "reduced"}, "tall"},
            {{random_tensor(random, {2, 3, 3}, dtype), "complete"}, "square"},
            {{random_tensor(random, {2, 3}, dtype), "reduced"}, "wide"}};
}
std::vector<Sample> matrix_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    return {{{random_tensor(random, {4, 3}, dtype)}}, {{random_tensor(random, {2, 2, 3}, dtype)}, "batch"}};
}
std::vector<Sample> product_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    return {{{random_tensor(random, {4, 3}, dtype), random_tensor(random, {3}, dtype)}},
            {{random_tensor(random, {2, 3, 3}, dtype), random_tensor(random, {2, 2}, dtype)}, "fewer reflectors"}};
}
std::vector<Sample> ormqr_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples;
    if (!is_lapack_dtype(dtype)) return samples;
    for (const bool left : {true, false}) {
        for (const bool transpose : {true, false}) {
            const Tensor other =
                left ? random_tensor(random, {2, 4, 2}, dtype) : random_tensor(random, {2, 2, 4}, dtype);
            samples.push_back({{random_tensor(random, {2, 4, 3}, dtype), random_tensor(random, {2, 3}, dtype), other,
                                left, transpose}});
        }
    }
    return samples;
}

constexpr std::string_view kProductSummary =
    "The first columns of the product of Householder reflectors, as geqrf gives them.";

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::linalg_qr(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R)",
     .summary = "A matrix with orthonormal columns times an upper triangular one.",
     .formula = "A = Q R",
     .infer = inferring<infer_qr>,
     .kernel = filling<qr, 2>,
     .derivative = {qr_backward, {save_result(0), save_result(1)}},
     .gradient = "A: (grad_Q + Q (H + H^H)) R^-H, H = triu(grad_R R^H - Q^H grad_Q) with its diagonal halved",
     .samples = qr_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured},
     .autocast = {.cpu = Autocast::Float32},
     .dtypes = {.kernel = "geqrf_cpu"}},
    {.schema = "aten::qr(Tensor self, bool some=True) -> (Tensor Q, Tensor R)",
     .summary = "linalg_qr under its old name.",
     .formula = "self = Q R",
     .composite = boxed<old_qr>},
    {.schema = "aten::geqrf(Tensor self) -> (Tensor a, Tensor tau)",
     .summary = "The QR factorisation as LAPACK keeps it: R above, reflectors below the diagonal.",
     .infer = inferring<infer_geqrf>,
     .kernel = filling<geqrf, 2>,
     .samples = matrix_samples,
     .variants = kOut,
     .out = {.overload = "a"},
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::linalg_householder_product(Tensor input, Tensor tau) -> Tensor",
     .summary = kProductSummary,
     .formula = "H_1 H_2 .. H_k, H_i = 1 - tau_i v_i v_i^H",
     .infer = inferring<infer_product>,
     .kernel = filling<product>,
     .derivative = {product_backward, {save_argument("input"), save_argument("tau")}},
     .gradient = "input: of each reflector, with the product of the others around it\ntau: as input",
     .samples = product_samples,
     .variants = kOut,
     .autocast = {.cpu = Autocast::Float32},
     .dtypes = {.kernel = "orgqr_cpu"}},
    {.schema = "aten::orgqr(Tensor self, Tensor input2) -> Tensor",
     .summary = kProductSummary,
     .formula = "H_1 H_2 .. H_k, H_i = 1 - tau_i v_i v_i^H",
     .composite = [](Arguments arguments,
                     IValue* results) { results[0] = call::householder_product(arguments[0], arguments[1]); },
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor",
     .summary = "A matrix times the product of Householder reflectors.",
     .formula = "Q other, or other Q; transpose: with Q^H",
     .infer = inferring<infer_ormqr>,
     .kernel = filling<ormqr>,
     .derivative = {ormqr_backward, {save_argument("self"), save_argument("input2"), save_argument("input3")}},
     .gradient = "input3: Q^H grad, grad Q^H on the right\n"
                 "self: as linalg_householder_product, for grad input3^H\n"
                 "input2: as self",
     .samples = ormqr_samples,
     .variants = kOut,
     .out = {.refusal = {"torch.ormqr: Expected input and result to have the same dtype, but input has dtype{T} and "
                         "result has dtype {O}"}},
     .autocast = {.cpu = Autocast::Float32}},
};

}  // namespace

std::span<const OperatorRecord> qr_records() { return kRecords; }

}  // namespace loupe::linalg
