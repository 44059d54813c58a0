// SPDX-License-Identifier: Apache-2.0
// The out= forms of operators that are written with others: the result is computed, then put into the tensors given.

#include "core/dispatch/forward.h"
#include "core/dispatch/out_checks.h"
#include "core/ops/linalg/batch.h"
#include "core/ops/linalg/family.h"
#include "core/ops/not_finite.h"
#include "core/ops/sparse/sparse.h"

namespace loupe::linalg {
namespace {

// How C++ spells the dtypes, which some of PyTorch's messages show.
std::string_view cpp_name(ScalarType dtype) {
    switch (dtype) {
        case ScalarType::Float32:
            return "float";
        case ScalarType::Float64:
            return "double";
        case ScalarType::Complex64:
            return "c10::complex<float>";
        case ScalarType::Complex128:
            return "c10::complex<double>";
        case ScalarType::Int32:
            return "int";
        case ScalarType::Int64:
            return "long int";
        default:
            return dtype_name(dtype);
    }
}

// kExact: the tensors must have the dtypes of the results, else ones that these can be cast to.
template <detail::OperatorName kName, std::size_t kOutputs, bool kExact = false>
void into(Arguments arguments, IValue* results) {
    static const Operator& target = detail::operator_or_throw(kName.text);
    check_out_without_grad(arguments, target.schema.name);
    const Arguments inputs = arguments.first(arguments.size() - kOutputs);
    call_operator(target, inputs, results);
    for (std::size_t i = 0; kExact && i < kOutputs; ++i) {
        const ScalarType given = arguments[inputs.size() + i].to_tensor().dtype();
        const ScalarType wanted = results[i].to_tensor().dtype();
        require(given == wanted, "Expected out tensor to have dtype ", cpp_name(wanted), ", but got ", cpp_name(given),
                " instead");
    }
    for (std::size_t i = 0; !kExact && i < kOutputs; ++i) {
        const ScalarType given = arguments[inputs.size() + i].to_tensor().dtype();
        const ScalarType made = results[i].to_tensor().dtype();
        check_out_dtype(target, made, given);
    }
    for (std::size_t i = 0; i < kOutputs; ++i)
        results[i] = write_out(arguments[inputs.size() + i].to_tensor(), results[i].to_tensor());
}

void throw_errors(Arguments arguments, IValue*) {
    check_errors(arguments[0].to_tensor(), arguments[1].to_string(), arguments[2].to_bool());
}

constexpr OperatorRecord out_form(std::string_view schema, KernelFunction function) {
    return {.schema = schema, .summary = "Into tensors that are given.", .composite = function};
}

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kNormNotFinite[] = {
    {In::Backward, When::Zero, -1, "the norm of a zero vector, where it has no derivative",
     "add an eps: (x.square().sum(dim) + 1e-12).sqrt()"},
    {In::Forward, When::Always, 0, "a norm that leaves the range of its dtype", advice::kShrink},
};
constexpr NotFiniteNote kDistNotFinite[] = {
    {In::Backward, When::Zero, -1, "the distance of equal points, where it has no derivative",
     "add an eps under the root of a distance of your own"},
};

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::_linalg_check_errors(Tensor info, str api_name, *, bool is_matrix) -> ()",
     .summary = "Throws what LAPACK's error numbers mean.",
     .composite = throw_errors},
    out_form("aten::linalg_lu_factor.out(Tensor A, "
             "*, bool pivot=True, Tensor(a!) LU, Tensor(b!) pivots) -> (Tensor(a!) LU, Tensor(b!) pivots)",
             into<"aten::linalg_lu_factor", 2, true>),
    out_form("aten::lu_solve.out(Tensor self, Tensor LU_data, Tensor LU_pivots, *, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::lu_solve", 1, true>),
    out_form("aten::triangular_solve.X(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool "
             "unitriangular=False, "
             "*, Tensor(a!) X, Tensor(b!) M) -> (Tensor(a!) solution, Tensor(b!) cloned_coefficient)",
             into<"aten::triangular_solve", 2, true>),
    out_form("aten::linalg_solve_ex.out(Tensor A, Tensor B, "
             "*, bool left=True, bool check_errors=False, Tensor(a!) result, Tensor(b!) info) -> (Tensor(a!) result, "
             "Tensor(b!) info)",
             into<"aten::linalg_solve_ex", 2, true>),
    out_form("aten::linalg_solve.out(Tensor A, Tensor B, *, bool left=True, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_solve", 1, true>)
        .with_formula("A out = B"),
    out_form("aten::linalg_inv.out(Tensor A, *, Tensor(a!) out) -> Tensor(a!)", into<"aten::linalg_inv", 1, true>),
    out_form("aten::inverse.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)", into<"aten::inverse", 1, true>),
    out_form("aten::linalg_tensorinv.out(Tensor self, int ind=2, *, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_tensorinv", 1>),
    out_form("aten::linalg_tensorsolve.out(Tensor self, Tensor other, int[]? dims=None, "
             "*, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_tensorsolve", 1>),
    out_form("aten::linalg_det.out(Tensor A, *, Tensor(a!) out) -> Tensor(a!)", into<"aten::linalg_det", 1, true>),
    out_form("aten::linalg_slogdet.out(Tensor A, "
             "*, Tensor(a!) sign, Tensor(b!) logabsdet) -> (Tensor(a!) sign, Tensor(b!) logabsdet)",
             into<"aten::linalg_slogdet", 2, true>),
    out_form("aten::slogdet.out(Tensor self, "
             "*, Tensor(a!) sign, Tensor(b!) logabsdet) -> (Tensor(a!) sign, Tensor(b!) logabsdet)",
             into<"aten::slogdet", 2, true>),
    out_form("aten::linalg_cholesky.out(Tensor self, *, bool upper=False, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_cholesky", 1, true>),
    out_form("aten::linalg_ldl_factor.out(Tensor self, "
             "*, bool hermitian=False, Tensor(a!) LD, Tensor(b!) pivots) -> (Tensor(a!) LD, Tensor(b!) pivots)",
             into<"aten::linalg_ldl_factor", 2>),
    out_form("aten::qr.Q(Tensor self, bool some=True, *, Tensor(a!) Q, Tensor(b!) R) -> (Tensor(a!) Q, Tensor(b!) R)",
             into<"aten::qr", 2, true>),
    out_form("aten::orgqr.out(Tensor self, Tensor input2, *, Tensor(a!) out) -> Tensor(a!)", into<"aten::orgqr", 1>),
    out_form("aten::linalg_svd.U(Tensor A, bool full_matrices=True, "
             "*, str? driver=None, Tensor(a!) U, Tensor(b!) S, Tensor(c!) Vh) -> (Tensor(a!) U, Tensor(b!) S, "
             "Tensor(c!) Vh)",
             into<"aten::linalg_svd", 3, true>),
    out_form("aten::linalg_svdvals.out(Tensor A, *, str? driver=None, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_svdvals", 1, true>),
    out_form("aten::svd.U(Tensor self, bool some=True, bool compute_uv=True, "
             "*, Tensor(a!) U, Tensor(b!) S, Tensor(c!) V) -> (Tensor(a!) U, Tensor(b!) S, Tensor(c!) V)",
             into<"aten::svd", 3>),
    out_form("aten::linalg_eigh.eigvals(Tensor self, str UPLO='L', "
             "*, Tensor(a!) eigvals, Tensor(b!) eigvecs) -> (Tensor(a!) eigenvalues, Tensor(b!) eigenvectors)",
             into<"aten::linalg_eigh", 2, true>),
    out_form("aten::linalg_eigvalsh.out(Tensor self, str UPLO='L', *, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_eigvalsh", 1, true>),
    out_form("aten::symeig.e(Tensor self, bool eigenvectors=False, bool upper=True, "
             "*, Tensor(a!) e, Tensor(b!) V) -> (Tensor(a!) eigenvalues, Tensor(b!) eigenvectors)",
             into<"aten::symeig", 2>),
    out_form("aten::linalg_lstsq.out(Tensor self, Tensor b, float? rcond=None, *, str? driver=None, Tensor(a!) "
             "solution, Tensor(b!) residuals, Tensor(c!) rank, Tensor(d!) singular_values) "
             "-> (Tensor(a!) solution, Tensor(b!) residuals, Tensor(c!) rank, Tensor(d!) singular_values)",
             into<"aten::linalg_lstsq", 4>),
    out_form("aten::linalg_pinv.atol_rtol_tensor_out(Tensor self, "
             "*, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_pinv.atol_rtol_tensor", 1>),
    out_form("aten::linalg_pinv.atol_rtol_float_out(Tensor self, "
             "*, float? atol=None, float? rtol=None, bool hermitian=False, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_pinv.atol_rtol_float", 1>),
    out_form("aten::linalg_pinv.out(Tensor self, float rcond, bool hermitian=False, *, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_pinv", 1>),
    out_form("aten::linalg_pinv.out_rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False, "
             "*, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_pinv.rcond_tensor", 1>),
    out_form("aten::linalg_matrix_rank.atol_rtol_tensor_out(Tensor input, "
             "*, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_matrix_rank.atol_rtol_tensor", 1>),
    out_form("aten::linalg_matrix_rank.atol_rtol_float_out(Tensor self, "
             "*, float? atol=None, float? rtol=None, bool hermitian=False, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_matrix_rank.atol_rtol_float", 1>),
    out_form("aten::linalg_matrix_rank.out(Tensor self, float tol, bool hermitian=False, "
             "*, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_matrix_rank", 1>),
    out_form("aten::linalg_matrix_rank.out_tol_tensor(Tensor input, Tensor tol, bool hermitian=False, "
             "*, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_matrix_rank.tol_tensor", 1>),
    out_form("aten::linalg_cond.out(Tensor self, Scalar? p=None, *, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_cond", 1>),
    out_form("aten::linalg_cond.p_str_out(Tensor self, str p, *, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_cond.p_str", 1>),
    out_form("aten::linalg_matrix_norm.out(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, "
             "*, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_matrix_norm", 1>),
    out_form("aten::linalg_matrix_norm.str_ord_out(Tensor self, str ord='fro', int[] dim=[-2, -1], bool keepdim=False, "
             "*, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_matrix_norm.str_ord", 1>),
    out_form("aten::linalg_norm.out(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, "
             "*, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_norm", 1>),
    out_form("aten::linalg_norm.ord_str_out(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, "
             "*, ScalarType? dtype=None, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_norm.ord_str", 1>),
    out_form("aten::nuclear_norm.out(Tensor self, bool keepdim=False, *, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::nuclear_norm", 1>),
    out_form("aten::nuclear_norm.dim_out(Tensor self, int[2] dim, bool keepdim=False, "
             "*, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::nuclear_norm.dim", 1>),
    out_form("aten::linalg_matrix_power.out(Tensor self, int n, *, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_matrix_power", 1, true>),
    out_form("aten::matrix_power.out(Tensor self, int n, *, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::matrix_power", 1, true>),
    out_form("aten::cross.out(Tensor self, Tensor other, int? dim=None, *, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::cross", 1>),
    out_form("aten::linalg_vecdot.out(Tensor x, Tensor y, *, int dim=-1, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_vecdot", 1>),
    out_form("aten::_trilinear.out(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3, int[] "
             "sumdim, int unroll_dim=1, *, Tensor(a!) out) "
             "-> Tensor(a!)",
             into<"aten::_trilinear", 1>),
    out_form("aten::linalg_multi_dot.out(Tensor[] tensors, *, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_multi_dot", 1>),
    out_form("aten::chain_matmul.out(Tensor[] matrices, *, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::chain_matmul", 1>),
    out_form("aten::linalg_matmul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::linalg_matmul", 1, true>),
    out_form("aten::tensordot.out(Tensor self, Tensor other, int[] dims_self, int[] dims_other, "
             "*, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::tensordot", 1>),
    out_form("aten::frobenius_norm.out(Tensor self, int[1] dim, bool keepdim=False, "
             "*, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::frobenius_norm.dim", 1>)
        .with_formula("sqrt(sum(|x|^2))")
        .with_gradient("self: grad x / out"),
    out_form("aten::norm.out(Tensor self, Scalar? p, int[1] dim, bool keepdim=False, "
             "*, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::norm.ScalarOpt_dim", 1>)
        .with_sparse({.run = on_sparse::norm})
        .with_formula("sum(|x|^p)^(1 / p)")
        .with_gradient("self: grad x |x|^(p - 2) / out^(p - 1)")
        .with_not_finite(kNormNotFinite),
    out_form("aten::norm.Scalar_out(Tensor self, Scalar p=2, *, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::norm.Scalar", 1>)
        .with_sparse({.run = on_sparse::norm}),
    out_form("aten::norm.ScalarOpt_dtype_out(Tensor self, Scalar? p, "
             "*, ScalarType dtype, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::norm.ScalarOpt_dtype", 1>)
        .with_sparse({.run = on_sparse::norm}),
    out_form("aten::norm.dtype_out(Tensor self, Scalar? p, int[1] dim, bool keepdim, "
             "*, ScalarType dtype, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::norm.ScalarOpt_dim_dtype", 1>)
        .with_sparse({.run = on_sparse::norm}),
    out_form("aten::dist.out(Tensor self, Tensor other, Scalar p=2, *, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::dist", 1>)
        .with_formula("sum(|self - other|^p)^(1 / p)")
        .with_gradient("self: grad d |d|^(p - 2) / out^(p - 1), d = self - other\n"
                       "other: -grad d |d|^(p - 2) / out^(p - 1), d = self - other")
        .with_not_finite(kDistNotFinite),
    out_form("aten::ger.out(Tensor self, Tensor vec2, *, Tensor(a!) out) -> Tensor(a!)", into<"aten::ger", 1>),
    out_form("aten::outer.out(Tensor self, Tensor vec2, *, Tensor(a!) out) -> Tensor(a!)", into<"aten::outer", 1>),
    out_form("aten::inner.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)", into<"aten::inner", 1>),
    out_form("aten::kron.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)", into<"aten::kron", 1>)
        .with_formula("out[i q + k, j r + l] = self[i, j] other[k, l]")
        .with_gradient("self: sum_{k, l} grad other\nother: sum_{i, j} grad self"),
    out_form("aten::matmul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)",
             into<"aten::matmul", 1, true>),
    out_form("aten::trace.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)", into<"aten::trace", 1>)
        .with_formula("sum_i self[i, i]")
        .with_gradient("self: grad on the diagonal, else 0"),
};

}  // namespace

std::span<const OperatorRecord> out_form_records() { return kRecords; }

}  // namespace loupe::linalg
