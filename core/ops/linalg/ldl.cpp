// SPDX-License-Identifier: Apache-2.0
// Factors of symmetric and Hermitian matrices that need not be positive definite (Bunch, Kaufman 1977).

#include "core/dispatch/functions.h"
#include "core/dispatch/gradient_context.h"
#include "core/dispatch/out_refusals.h"
#include "core/ops/linalg/batch.h"
#include "core/ops/linalg/calls.h"
#include "core/ops/linalg/family.h"
#include "core/ops/linalg/lapack.h"
#include "core/ops/samples.h"

namespace loupe::linalg {
namespace {

MetaList infer_factor(const Tensor& A, bool, bool) {
    check_square(A, "torch.linalg.ldl_factor_ex");
    check_floating(A, "torch.linalg.ldl_factor_ex");
    return {column_meta(to_dims(A.sizes()), A.dtype()),
            plain_meta(Dims(A.sizes().begin(), A.sizes().end() - 1), ScalarType::Int32),
            plain_meta(batch_sizes(A), ScalarType::Int32)};
}
void factor(const Tensor& LD, const Tensor& pivots, const Tensor& info, const Tensor& A, bool hermitian, bool check) {
    check_kernel_dtype(A, "ldl_factor_kernel_cpu");
    const LapackScope lapack;
    const Tensor work = columns_for(LD);
    const Tensor rows = buffer_for(pivots);
    const Tensor codes = buffer_for(info);
    copy_strided(work, fn::tril(A, 0));
    const std::int64_t n = A.size(-1);
    visit_lapack(A.dtype(), [&]<typename T>(std::type_identity<T>) {
        const auto run = hermitian ? Lapack<T>::hetrf : Lapack<T>::sytrf;
        for (std::int64_t i = 0; i < batch_count(A); ++i) {
            codes.data<std::int32_t>()[i] = n == 0 ? 0
                                                   : run(LAPACK_COL_MAJOR, 'L', narrow(n), matrix_at<T>(work, i),
                                                         leading(n), vector_at<std::int32_t>(rows, i));
        }
    });
    put_back(LD, work);
    put_back(pivots, rows);
    put_back(info, codes);
    if (check) check_errors(codes, "torch.linalg.ldl_factor_ex", A.dim() == 2);
}
std::tuple<Tensor, Tensor> ldl_factor(const Tensor& A, bool hermitian) {
    const auto [LD, pivots, info] = call::ldl_factor_ex(A, hermitian, false);
    check_errors(info, "torch.linalg.ldl_factor", A.dim() == 2);
    return {LD, pivots};
}

TensorMeta infer_solve(const Tensor& LD, const Tensor& pivots, const Tensor& B, bool) {
    check_square(LD, "torch.linalg.ldl_solve");
    check_floating(LD, "torch.linalg.ldl_solve");
    require(B.dim() >= 2, "torch.linalg.ldl_solve: Expected B to have at least 2 dimensions, but it has ", B.dim(),
            " dimensions instead");
    require(
        std::equal(pivots.sizes().begin(), pivots.sizes().end(), LD.sizes().begin(), LD.sizes().end() - 1),
        "torch.linalg.ldl_solve: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape ",
        shape_list_text(pivots.sizes()), " instead");
    require(is_integral(pivots.dtype()) && pivots.dtype() != ScalarType::Bool,
            "torch.linalg.ldl_solve: Expected pivots to be integers. Got ", dtype_graph_name(pivots.dtype()));
    require(LD.size(-1) == B.size(-2), "Incompatible matrix sizes for torch.linalg.ldl_solve: each A matrix is ",
            LD.size(-1), " by ", LD.size(-1), " but each b matrix is ", B.size(-2), " by ", B.size(-1));
    require(LD.dtype() == B.dtype(), "torch.linalg.ldl_solve: LD dtype", dtype_graph_name(LD.dtype()),
            "does not match b dtype", dtype_graph_name(B.dtype()));
    const Dims batch = broadcast_batches(LD, B);
    return column_meta(with_batch(span_of(batch), {B.size(-2), B.size(-1)}), B.dtype());
}
void solve(const Tensor& out, const Tensor& LD, const Tensor& pivots, const Tensor& B, bool hermitian) {
    check_kernel_dtype(LD, "ldl_solve_kernel_cpu");
    if (out.numel() == 0) return;
    const LapackScope lapack;
    const Dims batch = batch_sizes(out);
    const Tensor factors = column_copy(in_batch(LD, span_of(batch)));
    const Tensor rows =
        packed_as(fn::squeeze(in_batch(fn::unsqueeze(pivots, -2), span_of(batch)), -2), ScalarType::Int32);
    const Tensor work = columns_for(out);
    copy_strided(work, in_batch(B, span_of(batch)));
    const std::int64_t n = LD.size(-1);
    check_signed_exchanges(rows, n, "torch.linalg.ldl_solve");
    visit_lapack(out.dtype(), [&]<typename T>(std::type_identity<T>) {
        const auto run = hermitian ? Lapack<T>::hetrs : Lapack<T>::sytrs;
        for (std::int64_t i = 0; i < batch_count(out); ++i) {
            run(LAPACK_COL_MAJOR, 'L', narrow(n), narrow(out.size(-1)), matrix_at<T>(factors, i), leading(n),
                vector_at<std::int32_t>(rows, i), matrix_at<T>(work, i), leading(n));
        }
    });
    put_back(out, work);
}

std::vector<Sample> factor_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    const Tensor t = random_tensor(random, {2, 3, 3}, dtype);
    return {{{fn::add(t, mH(t), Scalar(1)), true, false}}, {{fn::add(t, mT(t), Scalar(1)), false, false}, "symmetric"}};
}
std::vector<Sample> solve_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    const Tensor t = random_tensor(random, {2, 3, 3}, dtype);
    const auto [LD, pivots, info] = call::ldl_factor_ex(fn::add(t, mT(t), Scalar(1)), false, false);
    return {{{LD, pivots, random_tensor(random, {3, 2}, dtype), false}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::linalg_ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False) -> (Tensor "
               "LD, Tensor pivots, Tensor info)",
     .summary = "LDL factors in one matrix, the exchanges, and LAPACK's error numbers.",
     .formula = "self = L D L^T; hermitian: L D L^H",
     .infer = inferring<infer_factor>,
     .kernel = filling<factor, 3>,
     .samples = factor_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured},
     .dtypes = {.kernel = "ldl_factor_cpu"}},
    {.schema = "aten::linalg_ldl_factor(Tensor self, *, bool hermitian=False) -> (Tensor LD, Tensor pivots)",
     .summary = "LDL factors in one matrix, and the exchanges.",
     .formula = "self = L D L^T; hermitian: L D L^H",
     .composite = boxed<ldl_factor>},
    {.schema = "aten::linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor",
     .summary = "Solves a linear system whose matrix is given by its LDL factors.",
     .formula = "L D L^T X = B; hermitian: L D L^H X = B",
     .infer = inferring<infer_solve>,
     .kernel = filling<solve>,
     .samples = solve_samples,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured},
     .dtypes = {.kernel = "ldl_solve_kernel_cpu"}},
};

}  // namespace

std::span<const OperatorRecord> ldl_records() { return kRecords; }

}  // namespace loupe::linalg
