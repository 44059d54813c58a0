// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and eigenvectors: of Hermitian matrices (eigh, symeig) and of any (eig).

#include <cctype>
#include <cmath>

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

bool records(const Tensor& t) { return GradMode::is_enabled() && requires_grad(t); }

// ---- Hermitian

char parse_triangle(std::string_view uplo) {
    const char letter = uplo.size() == 1 ? static_cast<char>(std::toupper(static_cast<unsigned char>(uplo[0]))) : '?';
    require(letter == 'U' || letter == 'L', "Expected UPLO argument to be 'L' or 'U', but got ", uplo);
    return letter;
}

MetaList hermitian_metas(const Tensor& A, bool with_vectors) {
    return {plain_meta(Dims(A.sizes().begin(), A.sizes().end() - 1), to_real_type(A.dtype())),
            with_vectors ? column_meta(to_dims(A.sizes()), A.dtype()) : plain_meta({0}, A.dtype())};
}
MetaList infer_eigh(const Tensor& A, std::string_view uplo, bool with_vectors) {
    check_square(A, "linalg.eigh");
    parse_triangle(uplo);
    return hermitian_metas(A, with_vectors);
}
void decompose_hermitian(const Tensor& values, const Tensor& vectors, const Tensor& A, char triangle, bool with_vectors,
                         std::string_view function) {
    check_kernel_dtype(A, "linalg_eigh_cpu");
    if (A.numel() == 0) return;
    const LapackScope lapack;
    const Tensor work = with_vectors ? columns_for(vectors) : empty_columns(A.sizes(), A.dtype());
    if (!work.is_same(A)) copy_strided(work, A);
    const Tensor sorted = buffer_for(values);
    const Dims batch = batch_sizes(A);
    const Tensor info = zeros(span_of(batch), ScalarType::Int32);
    const std::int64_t n = A.size(-1);
    visit_lapack(A.dtype(), [&]<typename T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < batch_count(A); ++i) {
            info.data<std::int32_t>()[i] =
                Lapack<T>::syevd(LAPACK_COL_MAJOR, with_vectors ? 'V' : 'N', triangle, narrow(n), matrix_at<T>(work, i),
                                 leading(n), vector_at<RealOf<T>>(sorted, i));
        }
    });
    check_errors(info, function, A.dim() == 2);
    put_back(values, sorted);
    if (with_vectors) put_back(vectors, work);
}
void eigh(const Tensor& values, const Tensor& vectors, const Tensor& A, std::string_view uplo, bool with_vectors) {
    decompose_hermitian(values, vectors, A, parse_triangle(uplo), with_vectors, "linalg.eigh");
}

// Complex eigenvectors are fixed up to a phase; a loss that feels it has no derivative.
void check_phase(const Tensor& diagonal, std::string_view function) {
    if (!is_complex(diagonal.dtype())) return;
    static const OperatorHandle<bool> allclose{"aten::allclose"};
    const Tensor angles = fn::imag(diagonal);
    require(allclose(angles, fn::zeros_like(angles), 1e-2, 1e-2, false), function,
            ": The eigenvectors in the complex case are specified up to multiplication by e^{i phi}. The specified "
            "loss function depends on this "
            "quantity, so it is ill-defined.");
}

// L_j - L_i, ones on the diagonal.
Tensor gaps(const Tensor& values) {
    return fn::unsqueeze(values, -2) - fn::unsqueeze(values, -1) + fn::diag_embed(fn::ones_like(values), 0, -2, -1);
}

Tensor hermitian_gradient(const Tensor& gL, const Tensor& gV, const Tensor& L, const Tensor& V) {
    if (!gV.defined()) return fn::matmul(V * fn::unsqueeze(gL, -2), mH(V));
    const Tensor product = fn::matmul(mH(V), gV);
    check_phase(fn::diagonal(product, 0, -2, -1), "linalg_eigh_backward");
    Tensor inner = (product - mH(product)) * Scalar(0.5) / gaps(L);
    if (gL.defined()) inner = inner + fn::diag_embed(gL, 0, -2, -1);
    return fn::matmul(V, fn::matmul(inner, mH(V)));
}
void eigh_backward(GradientContext& context) {
    const Tensor& gL = context.grad_output(0);
    const Tensor& gV = context.grad_output(1);
    if (!gL.defined() && !gV.defined()) return;
    context.set_grad(0, hermitian_gradient(gL, gV, context.result(0), context.result(1)));
}

std::tuple<Tensor, Tensor> linalg_eigh(const Tensor& A, std::string_view uplo) { return call::eigh_all(A, uplo, true); }
Tensor eigvalsh(const Tensor& A, std::string_view uplo) { return std::get<0>(call::eigh_all(A, uplo, records(A))); }

MetaList infer_symeig(const Tensor& self, bool with_vectors, bool) {
    check_square(self, "linalg.symeig");
    return hermitian_metas(self, with_vectors || self.numel() == 0);
}
void symeig(const Tensor& values, const Tensor& vectors, const Tensor& self, bool with_vectors, bool upper) {
    if (self.device().is_cpu())
        return decompose_hermitian(values, vectors, self, upper ? 'U' : 'L', with_vectors, "symeig");
    const auto [L, V] = call::eigh_all(self, upper ? "U" : "L", with_vectors);
    copy_strided(values, L);
    if (V.numel() == vectors.numel()) copy_strided(vectors, V);
}
void symeig_backward(GradientContext& context) {
    require(context.value("eigenvectors").to_bool(),
            "linalg_eigh_backward: torch.symeig(A, eigenvectors=False) is not differentiable. Use "
            "torch.linalg.eigvalsh(A) instead.");
    eigh_backward(context);
}

// ---- any matrix

void check_complex_type(const Tensor& A) {
    require(is_differentiable(A.dtype()), "Unknown Complex ScalarType for ", dtype_graph_name(A.dtype()));
}
ScalarType eigen_dtype(const Tensor& A) {
    const bool small = A.dtype() == ScalarType::Float16 || A.dtype() == ScalarType::BFloat16;
    return small ? ScalarType::Complex64 : to_complex_type(A.dtype());
}
Dims values_sizes(const Tensor& A) { return Dims(A.sizes().begin(), A.sizes().end() - 1); }

MetaList infer_eig(const Tensor& A) {
    check_square(A, "linalg.eig");
    check_complex_type(A);
    return {plain_meta(values_sizes(A), eigen_dtype(A)), column_meta(to_dims(A.sizes()), eigen_dtype(A))};
}
TensorMeta infer_eigvals(const Tensor& A) {
    check_square(A, "linalg.eigvals");
    check_complex_type(A);
    return plain_meta(values_sizes(A), eigen_dtype(A));
}

// A conjugate pair of eigenvectors comes as real and imaginary part, in two columns.
template <typename Real>
void join_pairs(const Real* imaginary, const Real* columns, std::int64_t n, std::complex<Real>* vectors) {
    for (std::int64_t j = 0; j < n; ++j) {
        const bool pair = imaginary[j] != 0 && j + 1 < n;
        for (std::int64_t r = 0; r < n; ++r) {
            const Real re = columns[j * n + r];
            if (!pair) {
                vectors[j * n + r] = re;
                continue;
            }
            const Real im = columns[(j + 1) * n + r];
            vectors[j * n + r] = {re, im};
            vectors[(j + 1) * n + r] = {re, -im};
        }
        if (pair) ++j;
    }
}

template <typename T>
std::int32_t geev(T* matrix, std::int64_t n, std::complex<RealOf<T>>* values, std::complex<RealOf<T>>* vectors) {
    const char job = vectors == nullptr ? 'N' : 'V';
    const lapack_int order = narrow(n);
    if constexpr (kIsComplex<T>) {
        return Lapack<T>::geev(LAPACK_COL_MAJOR, 'N', job, order, matrix, leading(n), values, nullptr, 1, vectors,
                               leading(n));
    } else {
        std::vector<T> re(static_cast<std::size_t>(n));
        std::vector<T> im(static_cast<std::size_t>(n));
        std::vector<T> columns(vectors == nullptr ? 1 : static_cast<std::size_t>(n * n));
        const std::int32_t info = Lapack<T>::geev(LAPACK_COL_MAJOR, 'N', job, order, matrix, leading(n), re.data(),
                                                  im.data(), nullptr, 1, columns.data(), leading(n));
        for (std::int64_t i = 0; i < n; ++i)
            values[i] = {re[static_cast<std::size_t>(i)], im[static_cast<std::size_t>(i)]};
        if (vectors != nullptr) join_pairs(im.data(), columns.data(), n, vectors);
        return info;
    }
}

// vectors: undefined when not requested.
void decompose(const Tensor& values, const Tensor& vectors, const Tensor& A, std::string_view function) {
    check_kernel_dtype(A, "linalg_eig_out_cpu");
    if (A.numel() == 0) return;
    require(fn::is_nonzero(fn::all(fn::isfinite(A))), function, ": input tensor should not contain infs or NaNs.");
    const LapackScope lapack;
    const Tensor work = column_copy(A);
    const Tensor numbers = buffer_for(values);
    const Tensor columns = vectors.defined() ? columns_for(vectors) : Tensor();
    const Dims batch = batch_sizes(A);
    const Tensor info = zeros(span_of(batch), ScalarType::Int32);
    visit_lapack(A.dtype(), [&]<typename T>(std::type_identity<T>) {
        using Complex = std::complex<RealOf<T>>;
        for (std::int64_t i = 0; i < batch_count(A); ++i) {
            info.data<std::int32_t>()[i] = geev(matrix_at<T>(work, i), A.size(-1), vector_at<Complex>(numbers, i),
                                                columns.defined() ? matrix_at<Complex>(columns, i) : nullptr);
        }
    });
    check_errors(info, function, A.dim() == 2);
    put_back(values, numbers);
    if (vectors.defined()) put_back(vectors, columns);
}
void eig(const Tensor& values, const Tensor& vectors, const Tensor& A) {
    decompose(values, vectors, A, "torch.linalg.eig");
}
void eigvals_only(const Tensor& values, const Tensor& A) { decompose(values, Tensor(), A, "torch.linalg.eigvals"); }

void eig_backward(GradientContext& context) {
    const Tensor& gL = context.grad_output(0);
    const Tensor& gV = context.grad_output(1);
    if (!gL.defined() && !gV.defined()) return;
    const Tensor L = context.result(0);
    const Tensor V = context.result(1);
    if (!gV.defined()) return context.set_grad("self", call::solve(mH(V), fn::unsqueeze(gL, -1) * mH(V), true));
    const Tensor product = fn::matmul(mH(V), gV);
    const Tensor diagonal = fn::diagonal(product, 0, -2, -1);
    check_phase(diagonal, "linalg_eig_backward");
    // The columns keep their length.
    const Tensor tangent = product - fn::matmul(mH(V), V * fn::unsqueeze(fn::real(diagonal), -2));
    Tensor inner = tangent / gaps(conj(L));
    if (gL.defined())
        inner = inner - fn::diag_embed(fn::diagonal(inner, 0, -2, -1), 0, -2, -1) + fn::diag_embed(gL, 0, -2, -1);
    context.set_grad("self", call::solve(mH(V), fn::matmul(inner, mH(V)), true));
}
void eigvals_backward(GradientContext& context) {
    const auto [L, V] = call::eig(context.argument("self"));
    context.set_grad("self", call::solve(mH(V), fn::unsqueeze(context.grad_output(), -1) * mH(V), true));
}

// ---- samples

std::vector<Sample> eigh_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    const Tensor t = random_tensor(random, {2, 3, 3}, dtype);
    return {{{t + mH(t), "L", true}}, {{t + mH(t), "U", true}, "upper"}};
}
std::vector<Sample> symeig_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    const Tensor t = random_tensor(random, {2, 3, 3}, dtype);
    return {{{t + mH(t), true, true}}, {{t + mH(t), true, false}, "lower"}};
}
std::vector<Sample> values_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    return {{{random_tensor(random, {3, 3}, dtype)}}, {{random_tensor(random, {2, 2, 2}, dtype)}, "batch"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema =
         "aten::_linalg_eigh(Tensor A, str UPLO='L', bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors)",
     .summary = "Eigenvalues of Hermitian matrices, least first, with the vectors if they are wanted.",
     .formula = "A = V diag(L) V^H",
     .infer = inferring<infer_eigh>,
     .kernel = filling<eigh, 2>,
     .derivative = {eigh_backward, {save_result(0), save_result(1)}},
     .gradient = "A: V (diag(grad_L) + (V^H grad_V) / E) V^H, E[i, j] = L[j] - L[i]",
     .samples = eigh_samples,
     .variants = kOut,
     .out = {.overload = "eigenvalues", .refusal = out_refusal::kStructured},
     .dtypes = {.kernel = "linalg_eigh_cpu"}},
    {.schema = "aten::linalg_eigh(Tensor self, str UPLO='L') -> (Tensor eigenvalues, Tensor eigenvectors)",
     .summary = "Eigenvalues of Hermitian matrices, least first, and vectors.",
     .formula = "self = V diag(L) V^H",
     .composite = boxed<linalg_eigh>,
     .gradient = "self: V (diag(grad_L) + (V^H grad_V) / E) V^H, E[i, j] = L[j] - L[i]",
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::linalg_eigvalsh(Tensor self, str UPLO='L') -> Tensor",
     .summary = "Eigenvalues of Hermitian matrices, least first.",
     .composite = boxed<eigvalsh>,
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::symeig(Tensor self, bool eigenvectors=False, bool upper=True) -> (Tensor eigenvalues, Tensor "
               "eigenvectors)",
     .summary = "Eigenvalues of Hermitian matrices, least first, and vectors if they are wanted.",
     .formula = "self = V diag(L) V^H",
     .infer = inferring<infer_symeig>,
     .kernel = filling<symeig, 2>,
     .derivative = {symeig_backward, {save_result(0), save_result(1)}},
     .gradient = "self: V (diag(grad_L) + (V^H grad_V) / E) V^H, E[i, j] = L[j] - L[i]",
     .samples = symeig_samples},
    {.schema = "aten::linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)",
     .summary = "Eigenvalues and eigenvectors, which are complex.",
     .formula = "self V = V diag(L)",
     .infer = inferring<infer_eig>,
     .kernel = filling<eig, 2>,
     .derivative = {eig_backward, {save_result(0), save_result(1)}},
     .gradient = "self: V^-H (diag(grad_L) + (M - V^H V diag(real(M))) / conj(E)) V^H, M = V^H grad_V, E[i, j] = "
                 "L[j] - L[i]",
     .variants = kOut,
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::linalg_eigvals(Tensor self) -> Tensor",
     .summary = "Eigenvalues, which are complex.",
     .formula = "L of self V = V diag(L)",
     .infer = inferring<infer_eigvals>,
     .kernel = filling<eigvals_only>,
     .derivative = {eigvals_backward, {save_argument("self")}},
     .gradient = "self: V^-H diag(grad) V^H",
     .samples = values_samples,
     .variants = kOut,
     .autocast = {.cpu = Autocast::Float32}},
};

}  // namespace

std::span<const OperatorRecord> eigen_records() { return kRecords; }

}  // namespace loupe::linalg
