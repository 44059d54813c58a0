// SPDX-License-Identifier: Apache-2.0
// LU factorisation with partial pivoting, unpacking, and solving with it.

#include <numeric>

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

std::int64_t shorter_side(const Tensor& A) { return std::min(A.size(-2), A.size(-1)); }

// ---- factorisation

MetaList infer_factor(const Tensor& A, bool, bool) {
    require(A.dim() >= 2,
            "torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: ", shape_list_text(A.sizes()),
            " instead");
    const Dims batch = batch_sizes(A);
    return {column_meta(to_dims(A.sizes()), A.dtype()),
            plain_meta(with_batch(span_of(batch), {shorter_side(A)}), ScalarType::Int32),
            plain_meta(batch, ScalarType::Int32)};
}

void factor(const Tensor& LU, const Tensor& pivots, const Tensor& info, const Tensor& A, bool pivot, bool check) {
    check_kernel_dtype(A, "lu_cpu");
    require(pivot, "linalg.lu_factor: LU without pivoting is not implemented on the CPU");
    const LapackScope lapack;
    const Tensor work = columns_for(LU);
    if (!work.is_same(A)) copy_strided(work, A);
    const Tensor rows = buffer_for(pivots);
    const Tensor codes = buffer_for(info);
    const std::int64_t m = A.size(-2);
    const std::int64_t n = A.size(-1);
    visit_lapack(A.dtype(), [&]<typename T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < batch_count(A); ++i) {
            std::int32_t& code = codes.data<std::int32_t>()[i];
            code = 0;
            if (m == 0 || n == 0) continue;
            code = Lapack<T>::getrf(LAPACK_COL_MAJOR, narrow(m), narrow(n), matrix_at<T>(work, i), leading(m),
                                    vector_at<std::int32_t>(rows, i));
        }
    });
    put_back(LU, work);
    put_back(pivots, rows);
    put_back(info, codes);
    if (check) check_errors(info, "torch.linalg.lu_factor_ex", A.dim() == 2);
}

// Zeros beside or below t up to `size` along dim.
Tensor padded(const Tensor& t, std::int64_t dim, std::int64_t size) {
    Dims pad(4, 0);
    pad[dim == -1 ? 1 : 3] = size - t.size(dim);
    return fn::constant_pad_nd(t, pad, Scalar(0));
}
Tensor minus_or(const Tensor& a, const Tensor& b) { return a.defined() ? a - b : -b; }

// A = P L U. Differentials of L's strictly lower part and U's upper part: Hogben, Dharan (2021).
Tensor factors_gradient(const Tensor& gL, const Tensor& gU, const Tensor& P, const Tensor& L, const Tensor& U,
                        bool pivot) {
    const std::int64_t m = L.size(-2);
    const std::int64_t n = U.size(-1);
    const std::int64_t k = std::min(m, n);
    const Tensor L1 = m > n ? fn::narrow(L, -2, 0, k) : L;
    const Tensor U1 = n > m ? fn::narrow(U, -1, 0, k) : U;
    Tensor lower;
    Tensor upper;
    if (gL.defined()) lower = fn::matmul(mH(L1), m > n ? fn::narrow(gL, -2, 0, k) : gL);
    if (gU.defined()) upper = fn::matmul(n > m ? fn::narrow(gU, -1, 0, k) : gU, mH(U1));
    if (n > m && gU.defined())
        lower = minus_or(lower, fn::matmul(fn::narrow(gU, -1, k, n - k), mH(fn::narrow(U, -1, k, n - k))));
    if (m > n && gL.defined())
        upper = minus_or(upper, fn::matmul(mH(fn::narrow(L, -2, k, m - k)), fn::narrow(gL, -2, k, m - k)));
    Tensor middle;
    if (lower.defined()) middle = fn::tril(lower, -1);
    if (upper.defined()) middle = middle.defined() ? middle + fn::triu(upper, 0) : fn::triu(upper, 0);
    const Tensor left_inverse = mH(L1);
    const auto by_L = [&](const Tensor& t) { return call::solve_triangular(left_inverse, t, true, true, true); };
    const auto by_U = [&](const Tensor& t) { return call::solve_triangular(mH(U1), t, false, false, false); };
    Tensor gA = by_L(by_U(middle));
    if (n > m) {
        const Tensor rest = gU.defined() ? by_L(fn::narrow(gU, -1, k, n - k)) : Tensor();
        gA = rest.defined() ? fn::cat(TensorList{gA, rest}, -1) : padded(gA, -1, n);
    } else if (m > n) {
        const Tensor rest = gL.defined() ? by_U(fn::narrow(gL, -2, k, m - k)) : Tensor();
        gA = rest.defined() ? fn::cat(TensorList{gA, rest}, -2) : padded(gA, -2, m);
    }
    return pivot ? fn::matmul(P, gA) : gA;
}

void factor_backward(GradientContext& context) {
    if (!context.grad_output(0).defined()) return;
    const Tensor LU = context.result(0);
    const auto [P, L, U] = call::lu_unpack(LU, context.result(1), true, true);
    const std::int64_t k = shorter_side(LU);
    const Tensor g = context.grad_output(0);
    context.set_grad("A", factors_gradient(fn::narrow(g, -1, 0, k), fn::narrow(g, -2, 0, k), P, L, U, true));
}

std::tuple<Tensor, Tensor> lu_factor(const Tensor& A, bool pivot) {
    const auto [LU, pivots, info] = call::lu_factor_ex(A, pivot, false);
    check_errors(info, "torch.linalg.lu_factor", A.dim() == 2);
    return {LU, pivots};
}
std::tuple<Tensor, Tensor, Tensor> lu_with_info(const Tensor& self, bool pivot, bool check) {
    return call::lu_factor_ex(self, pivot, check);
}

// ---- P, L and U

MetaList infer_unpack(const Tensor& LU, const Tensor& pivots, bool data, bool with_pivots) {
    require(LU.dim() >= 2,
            "torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: ", shape_list_text(LU.sizes()),
            " instead");
    if (with_pivots) {
        require(pivots.dtype() == ScalarType::Int32,
                "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\nNote: this "
                "function is intended to be "
                "used with the output produced by torch.linalg.lu_factor");
    }
    const Dims batch = batch_sizes(LU);
    const std::int64_t m = LU.size(-2);
    const std::int64_t n = LU.size(-1);
    const std::int64_t k = std::min(m, n);
    if (with_pivots) {
        const bool fits = pivots.dim() == LU.dim() - 1 &&
                          std::equal(batch.begin(), batch.end(), pivots.sizes().begin()) && pivots.size(-1) <= m;
        require(fits, "torch.lu_unpack: LU_pivots of shape ", shape_list_text(pivots.sizes()),
                " do not fit LU_data of shape ", shape_list_text(LU.sizes()));
    }
    const auto meta = [&](bool wanted, std::int64_t rows, std::int64_t columns) {
        return plain_meta(wanted ? with_batch(span_of(batch), {rows, columns}) : Dims{0}, LU.dtype());
    };
    return {meta(with_pivots, m, m), meta(data, m, k), meta(data, k, n)};
}

// The rows' order after all exchanges, rows counted from 1 as LAPACK does.
std::vector<std::int64_t> row_order(const std::int32_t* pivots, std::int64_t count, std::int64_t rows) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
    std::iota(order.begin(), order.end(), 0);
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t other = pivots[i] - 1;
        require(other >= 0 && other < rows,
                "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
                "Did you properly pass the result of lu_factor?");
        std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(other)]);
    }
    return order;
}

void unpack(const Tensor& P, const Tensor& L, const Tensor& U, const Tensor& LU, const Tensor& pivots, bool data,
            bool with_pivots) {
    const std::int64_t m = LU.size(-2);
    const std::int64_t k = shorter_side(LU);
    if (data) {
        copy_into(U, fn::triu(fn::narrow(LU, -2, 0, k), 0));
        copy_into(L, fn::tril(fn::narrow(LU, -1, 0, k), -1));
        if (L.numel() > 0) fn::fill_(fn::diagonal(L, 0, -2, -1), Scalar(1));
    }
    if (!with_pivots) return;
    const Tensor matrices = buffer_for(P);
    fill_zero(matrices);
    const Tensor rows = packed(pivots);
    visit_dtype(P.dtype(), [&]<typename T>(std::type_identity<T>) {
        const T one = Scalar(1).to<T>();
        for (std::int64_t i = 0; i < batch_count(LU) && m > 0; ++i) {
            const auto order = row_order(rows.data<std::int32_t>() + i * rows.size(-1), rows.size(-1), m);
            T* matrix = matrix_at<T>(matrices, i);
            for (std::int64_t r = 0; r < m; ++r) matrix[order[static_cast<std::size_t>(r)] * m + r] = one;
        }
    });
    put_back(P, matrices);
}

void unpack_backward(GradientContext& context) {
    const IntSpan sizes = context.sizes("LU_data");
    const std::int64_t m = sizes[sizes.size() - 2];
    const std::int64_t n = sizes.back();
    Tensor g;
    if (context.grad_output(1).defined()) g = padded(fn::tril(context.grad_output(1), -1), -1, n);
    if (context.grad_output(2).defined()) {
        const Tensor upper = padded(fn::triu(context.grad_output(2), 0), -2, m);
        g = g.defined() ? g + upper : upper;
    }
    context.set_grad("LU_data", g);
}

MetaList infer_lu(const Tensor& A, bool) {
    require(A.dim() >= 2,
            "linalg.lu: Expected tensor with 2 or more dimensions. Got size: ", shape_list_text(A.sizes()), " instead");
    const Dims batch = batch_sizes(A);
    const std::int64_t k = shorter_side(A);
    return {plain_meta(with_batch(span_of(batch), {A.size(-2), A.size(-2)}), A.dtype()),
            plain_meta(with_batch(span_of(batch), {A.size(-2), k}), A.dtype()),
            plain_meta(with_batch(span_of(batch), {k, A.size(-1)}), A.dtype())};
}
void lu(const Tensor& P, const Tensor& L, const Tensor& U, const Tensor& A, bool pivot) {
    const auto [LU, pivots, info] = call::lu_factor_ex(A, pivot, false);
    if (A.device().is_cpu()) return unpack(P, L, U, LU, pivots, true, true);
    const auto [permutation, lower, upper] = call::lu_unpack(LU, pivots, true, true);
    copy_into(P, permutation);
    copy_into(L, lower);
    copy_into(U, upper);
}
void lu_backward(GradientContext& context) {
    if (!context.grad_output(1).defined() && !context.grad_output(2).defined()) return;
    context.set_grad("A", factors_gradient(context.grad_output(1), context.grad_output(2), context.result(0),
                                           context.result(1), context.result(2), true));
}

// ---- solving

TensorMeta infer_solve(const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left, bool) {
    check_floating(LU, "torch.linalg.lu_solve");
    require(LU.dtype() == B.dtype(), "linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type ",
            dtype_graph_name(LU.dtype()), " and B of type ", dtype_graph_name(B.dtype()), " instead");
    require(pivots.dtype() == ScalarType::Int32,
            "linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32");
    check_square(LU, "torch.linalg.lu_solve");
    check_solver_inputs(LU, B, left, "linalg.lu_solve");
    require(pivots.dim() >= 1 && LU.size(-1) == pivots.size(-1),
            "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix");
    require(std::equal(pivots.sizes().begin(), pivots.sizes().end(), LU.sizes().begin(), LU.sizes().end() - 1),
            "linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape ",
            shape_list_text(pivots.sizes()), " instead");
    const Dims batch = broadcast_batches(LU, B);
    Dims sizes = with_batch(span_of(batch), {B.size(-2), B.size(-1)});
    if (left) return column_meta(std::move(sizes), B.dtype());
    return plain_meta(std::move(sizes), B.dtype());
}

// left: A X = B. Else (X A = B) the transposed equation, whose columns are the rows of X.
void solve(const Tensor& out, const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left, bool adjoint) {
    check_kernel_dtype(LU, "linalg.lu_solve_cpu");
    if (out.numel() == 0) return;
    const LapackScope lapack;
    const Dims batch = batch_sizes(out);
    const Tensor target = left ? out : mT(out);
    const Tensor work = columns_for(target);
    const Tensor wide = in_batch(B, span_of(batch));
    Tensor right = left ? wide : mT(wide);
    // X A^H = B: A conj(X)^T = conj(B)^T.
    const bool conjugates = !left && adjoint && is_complex(out.dtype());
    if (conjugates) right = fn::conj_physical(right);
    copy_strided(work, right);
    const Tensor factors = column_copy(in_batch(LU, span_of(batch)));
    const Tensor rows = packed(fn::squeeze(in_batch(fn::unsqueeze(pivots, -2), span_of(batch)), -2));
    const std::int64_t n = LU.size(-1);
    check_exchanges(rows, n, "linalg.lu_solve");
    visit_lapack(out.dtype(), [&]<typename T>(std::type_identity<T>) {
        const char plain = left ? (adjoint ? (kIsComplex<T> ? 'C' : 'T') : 'N') : (adjoint ? 'N' : 'T');
        for (std::int64_t i = 0; i < batch_count(out); ++i) {
            Lapack<T>::getrs(LAPACK_COL_MAJOR, plain, narrow(n), narrow(work.size(-1)), matrix_at<T>(factors, i),
                             leading(n), vector_at<std::int32_t>(rows, i), matrix_at<T>(work, i), leading(n));
        }
    });
    if (conjugates) copy_strided(work, fn::conj_physical(work));
    put_back(target, work);
}

Tensor solve_gradient_of_factors(const Tensor& gX, const Tensor& LU, const Tensor& pivots, const Tensor& X, bool left,
                                 bool adjoint) {
    const auto [P, L, U] = call::lu_unpack(LU, pivots, true, left == adjoint);
    if (left != adjoint) {
        const Tensor product = -fn::matmul(left ? gX : mH(gX), left ? mH(X) : X);
        const Tensor gR = call::solve_triangular(mH(U), product, false, true, false);
        const Tensor gL = call::solve_triangular(mH(L), fn::matmul(gR, mH(U)), true, true, true);
        return fn::tril(gL, -1) + fn::triu(gR, 0);
    }
    Tensor gR = -fn::matmul(fn::matmul(fn::matmul(mT(P), left ? X : mH(X)), left ? mH(gX) : gX), P);
    gR = call::solve_triangular(mH(L), gR, true, false, true);
    const Tensor gU = call::solve_triangular(mH(U), fn::matmul(mH(L), gR), false, false, false);
    return fn::tril(gR, -1) + fn::triu(gU, 0);
}
void solve_backward(GradientContext& context) {
    const Tensor& g = context.grad_output();
    const bool left = context.value("left").to_bool();
    const bool adjoint = context.value("adjoint").to_bool();
    context.grad("LU", [&] {
        return solve_gradient_of_factors(g, context.argument("LU"), context.argument("pivots"), context.result(), left,
                                         adjoint);
    });
    context.grad("B",
                 [&] { return call::lu_solve(context.argument("LU"), context.argument("pivots"), g, left, !adjoint); });
}

Tensor old_solve(const Tensor& self, const Tensor& LU, const Tensor& pivots) {
    return call::lu_solve(LU, pivots, self, true, false);
}

// ---- samples

std::vector<Sample> factor_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    return {{{random_tensor(random, {3, 3}, dtype), true, false}},
            {{random_tensor(random, {2, 4, 2}, dtype), true, false}, "tall"},
            {{random_tensor(random, {2, 4}, dtype), true, false}, "wide"},
            {{random_tensor(random, {0, 3, 3}, dtype), true, false}, "empty batch"}};
}
std::vector<Sample> lu_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples = factor_samples(random, dtype);
    for (Sample& s : samples) s.arguments.resize(2);
    return samples;
}
std::vector<Sample> unpack_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    return {{{random_tensor(random, {3, 3}, dtype), tensor_of<std::int32_t>({2, 3, 3}, {3}), true, true}},
            {{random_tensor(random, {3, 2}, dtype), tensor_of<std::int32_t>({2, 3}, {2}), true, true}, "tall"}};
}
std::vector<Sample> solve_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples;
    if (!is_lapack_dtype(dtype)) return samples;
    for (const bool left : {true, false}) {
        for (const bool adjoint : {true, false}) {
            samples.push_back({{random_tensor(random, {3, 3}, dtype), tensor_of<std::int32_t>({2, 3, 3}, {3}),
                                random_tensor(random, {2, 3, 3}, dtype), left, adjoint}});
        }
    }
    return samples;
}

Cost factor_cost(Arguments arguments, std::span<const IValue> results) {
    const Tensor A = arguments[0].to_tensor();
    const double n = static_cast<double>(shorter_side(A));
    const double larger = static_cast<double>(std::max(A.size(-2), A.size(-1)));
    const double matrices = static_cast<double>(batch_count(A));
    return {matrices * (larger * n * n - n * n * n / 3) * (is_complex(A.dtype()) ? 4 : 1),
            static_cast<double>(A.bytes() + results[0].to_tensor().bytes())};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor "
               "pivots, Tensor info)",
     .summary = "LU factors in one matrix, the row exchanges, and LAPACK's error numbers.",
     .formula = "A = P L U",
     .infer = inferring<infer_factor>,
     .kernel = filling<factor, 3>,
     .derivative = {factor_backward, {save_result(0), save_result(1)}},
     .gradient = "A: P L^-H (tril(L^H grad_L) below the diagonal + triu(grad_U U^H)) U^-H",
     .cost = factor_cost,
     .samples = factor_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured},
     .dtypes = {.kernel = "lu_cpu"}},
    {.schema = "aten::linalg_lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)",
     .summary = "LU factors in one matrix, and the row exchanges.",
     .formula = "A = P L U",
     .composite = boxed<lu_factor>,
     .gradient = "A: P L^-H (tril(L^H grad_L) below the diagonal + triu(grad_U U^H)) U^-H"},
    {.schema = "aten::_lu_with_info(Tensor self, bool pivot=True, bool check_errors=True) -> (Tensor LU, Tensor "
               "pivots, Tensor info)",
     .summary = "linalg_lu_factor_ex under its old name.",
     .composite = boxed<lu_with_info>,
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> "
               "(Tensor P, Tensor L, Tensor U)",
     .summary = "The permutation, lower and upper factor out of what lu_factor gives.",
     .formula = "P, L, U of LU_data = L + U - 1",
     .infer = inferring<infer_unpack>,
     .kernel = filling<unpack, 3>,
     .derivative = {unpack_backward},
     .gradient = "LU_data: tril(grad_L) below the diagonal + triu(grad_U)",
     .samples = unpack_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured},
     .constant_results = 0b001,
     .dtypes = {.kernel = "triu"}},
    {.schema = "aten::linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)",
     .summary = "The LU factorisation with its permutation.",
     .formula = "A = P L U",
     .infer = inferring<infer_lu>,
     .kernel = filling<lu, 3>,
     .derivative = {lu_backward, {save_result(0), save_result(1), save_result(2)}},
     .gradient = "A: P L^-H (tril(L^H grad_L) below the diagonal + triu(grad_U U^H)) U^-H",
     .cost = factor_cost,
     .samples = lu_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured},
     .constant_results = 0b001,
     .dtypes = {.kernel = "lu_cpu"}},
    {.schema =
         "aten::linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor",
     .summary = "Solves a linear system whose matrix is given by its LU factors.",
     .formula = "A X = B, or X A = B; adjoint: with A^H",
     .infer = inferring<infer_solve>,
     .kernel = filling<solve>,
     .derivative = {solve_backward, {save_argument("LU"), save_argument("pivots"), save_result(0, "LU")}},
     .gradient = "LU: triu(-U^-H grad out^H) + tril(-L^-H U^-H grad (U out)^H) below the diagonal\nB: A^-H grad",
     .samples = solve_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured},
     .dtypes = {.kernel = "lu_solve_cpu"}},
    {.schema = "aten::lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor",
     .summary = "linalg_lu_solve under its old name.",
     .composite = boxed<old_solve>,
     .autocast = {.cpu = Autocast::Float32}},
};

}  // namespace

std::span<const OperatorRecord> lu_records() { return kRecords; }

}  // namespace loupe::linalg
