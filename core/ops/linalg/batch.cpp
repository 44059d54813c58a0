// SPDX-License-Identifier: Apache-2.0
#include "core/ops/linalg/batch.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/typed_error.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/linalg/lapack.h"
#include "core/tensor/device_copy.h"

namespace loupe::linalg {

LapackScope::LapackScope() {
    static const bool done = [] {
        LAPACKE_set_nancheck(0);
        return true;
    }();
    static_cast<void>(done);
}

void check_matrix(const Tensor& t, std::string_view function, std::string_view name) {
    require(t.dim() >= 2, function, ": The input tensor ", name, " must have at least 2 dimensions.");
}

void check_square(const Tensor& t, std::string_view function, std::string_view name) {
    check_matrix(t, function, name);
    require(t.size(-1) == t.size(-2), function, ": ", name, " must be batches of square matrices, but they are ",
            t.size(-2), " by ", t.size(-1), " matrices");
}

void check_floating(const Tensor& t, std::string_view function, bool low_precision) {
    require(is_differentiable(t.dtype()), function, ": Expected a floating point or complex tensor as input. Got ",
            dtype_graph_name(t.dtype()));
    require(low_precision || (t.dtype() != ScalarType::Float16 && t.dtype() != ScalarType::BFloat16), function,
            ": Low precision dtypes not supported. Got ", dtype_graph_name(t.dtype()));
}

void check_solver_inputs(const Tensor& A, const Tensor& B, bool left, std::string_view function) {
    check_square(A, function, "A");
    check_matrix(B, function, "B");
    require(left ? A.size(-2) == B.size(-2) : A.size(-1) == B.size(-1), function,
            ": Incompatible shapes of A and B for the equation ", left ? "AX = B" : "XA = B", " (", A.size(-2), "x",
            A.size(-1), " and ", B.size(-2), "x", B.size(-1), ")");
}

void check_kernel_dtype(const Tensor& t, std::string_view kernel) {
    require(is_lapack_dtype(t.dtype()), "\"", kernel, "\" not implemented for '", dtype_graph_name(t.dtype()), "'");
}

void check_same_dtype(const Tensor& A, const Tensor& B, std::string_view function) {
    require(A.dtype() == B.dtype(), function, ": Expected A and B to have the same dtype, but found A of type ",
            dtype_graph_name(A.dtype()), " and B of type ", dtype_graph_name(B.dtype()), " instead");
}

void check_exchanges(const Tensor& pivots, std::int64_t n, std::string_view function) {
    const std::int32_t* first = pivots.data<std::int32_t>();
    const bool valid =
        std::all_of(first, first + pivots.numel(), [n](std::int32_t row) { return row >= 1 && row <= n; });
    require(valid, function, ": pivots must be between 1 and ", n,
            " inclusive. Did you properly pass the result of the factorization?");
}

void check_signed_exchanges(const Tensor& pivots, std::int64_t n, std::string_view function) {
    const std::int32_t* rows = pivots.data<std::int32_t>();
    for (std::int64_t i = 0; i < pivots.numel(); ++i) {
        const std::int64_t row = std::abs(static_cast<std::int64_t>(rows[i]));
        bool valid = row >= 1 && row <= n;
        if (valid && rows[i] < 0) {
            valid = i % n + 1 < n && rows[i + 1] < 0 && rows[i + 1] >= -n;
            ++i;
        }
        require(valid, function, ": pivots must be between 1 and ", n,
                " inclusive, or negative in pairs. Did you properly pass the result of the "
                "factorization?");
    }
}

namespace {

std::string meaning(std::string_view function, int info) {
    const auto is_about = [function](std::string_view word) { return function.find(word) != std::string_view::npos; };
    if (info < 0) {
        if (is_about("svd") && info == -4)
            return ": The algorithm failed to converge because the input matrix contained non-finite values.";
        return concat(
            ": Argument ", -info,
            " has illegal value. Most certainly there is a bug in the implementation calling the backend library.");
    }
    if (is_about("inv")) {
        return concat(": The diagonal element ", info,
                      " is zero, the inversion could not be completed because the input matrix is singular.");
    }
    if (is_about("solve")) return ": The solver failed because the input matrix is singular.";
    if (is_about("cholesky")) {
        return concat(
            ": The factorization could not be completed because the input is not positive-definite (the leading minor "
            "of order ",
            info, " is not positive-definite).");
    }
    if (is_about("svd")) {
        return concat(
            ": The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated "
            "singular "
            "values (error code: ",
            info, ").");
    }
    if (is_about("eig") || is_about("syevd")) {
        return concat(
            ": The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated "
            "eigenvalues "
            "(error code: ",
            info, ").");
    }
    if (is_about("lstsq")) {
        return concat(
            ": The least squares solution could not be computed because the input matrix does not have full rank "
            "(error code: ",
            info, ").");
    }
    if (is_about("lu_factor")) {
        return concat(
            ": U[", info, ",", info,
            "] is zero and using it on lu_solve would result in a division by zero. If you still want to "
            "perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)");
    }
    return concat(": Unknown error code: ", info, ".");
}

}  // namespace

void check_errors(const Tensor& info, std::string_view function, bool is_matrix) {
    const Tensor dense = packed_as(on_host(info), ScalarType::Int32);
    const std::int32_t* first = dense.data<std::int32_t>();
    const std::int32_t* bad = std::find_if(first, first + dense.numel(), [](std::int32_t code) { return code != 0; });
    if (bad == first + dense.numel()) return;
    const std::string where = is_matrix ? std::string() : concat(": (Batch element ", bad - first, ")");
    throw TypedError("_LinAlgError", concat(function, where, meaning(function, *bad)));
}

Dims batch_sizes(const Tensor& t) { return Dims(t.sizes().begin(), t.sizes().end() - 2); }

Dims with_batch(IntSpan batch, std::initializer_list<std::int64_t> last) {
    Dims sizes = to_dims(batch);
    sizes.insert(sizes.end(), last.begin(), last.end());
    return sizes;
}

Dims column_strides(IntSpan sizes) {
    Dims strides = contiguous_strides(sizes);
    const std::size_t n = strides.size();
    strides[n - 1] = std::max<std::int64_t>(sizes[n - 2], 1);
    strides[n - 2] = 1;
    return strides;
}

TensorMeta column_meta(Dims sizes, ScalarType dtype) {
    Dims strides = column_strides(span_of(sizes));
    return {std::move(sizes), dtype, {}, std::move(strides)};
}
TensorMeta plain_meta(Dims sizes, ScalarType dtype) { return {std::move(sizes), dtype, {}, {}}; }

Dims broadcast_batches(const Tensor& A, const Tensor& B) {
    const Dims a = batch_sizes(A);
    const Dims b = batch_sizes(B);
    return broadcast_shapes(span_of(a), span_of(b));
}

Tensor in_batch(const Tensor& t, IntSpan batch) {
    const Dims sizes = with_batch(batch, {t.size(-2), t.size(-1)});
    return expanded(t, span_of(sizes));
}

Tensor empty_columns(IntSpan sizes, ScalarType dtype) {
    const Dims strides = column_strides(sizes);
    return empty_strided(sizes, span_of(strides), dtype);
}

Tensor column_copy(const Tensor& t) {
    Tensor copy = empty_columns(t.sizes(), t.dtype());
    copy_strided(copy, t);
    return copy;
}

Tensor columns_for(const Tensor& out) {
    const Dims strides = column_strides(out.sizes());
    for (std::size_t d = 0; d < strides.size(); ++d) {
        if (out.sizes()[d] > 1 && out.strides()[d] != strides[d]) return empty_columns(out.sizes(), out.dtype());
    }
    return out;
}

std::int64_t batch_count(const Tensor& t) {
    std::int64_t count = 1;
    for (std::size_t d = 0; d + 2 < t.sizes().size(); ++d) count *= t.sizes()[d];
    return count;
}

Tensor mT(const Tensor& t) { return fn::transpose(t, -2, -1); }
Tensor mH(const Tensor& t) { return arithmetic::conj(mT(t)); }

bool is_vector_batch(const Tensor& A, const Tensor& B) {
    if (B.dim() == 1) return true;
    return A.dim() - 1 == B.dim() && std::equal(B.sizes().begin(), B.sizes().end(), A.sizes().begin());
}

double epsilon_of(ScalarType dtype) {
    return to_real_type(dtype) == ScalarType::Float32 ? static_cast<double>(std::numeric_limits<float>::epsilon())
                                                      : std::numeric_limits<double>::epsilon();
}

Tensor identity_like(const Tensor& t) {
    const GradModeScope no_grad(false);
    const Tensor out = fn::zeros_like(t);
    fn::fill_(fn::diagonal(out, 0, -2, -1), Scalar(1));
    return out;
}

void check_out_without_grad(Arguments arguments, std::string_view function) {
    if (!GradMode::is_enabled()) return;
    bool records = false;
    for (const IValue& value : arguments) {
        visit_tensors(value, [&](const Tensor& t) { records = records || requires_grad(t); });
    }
    require(!records, function,
            "(): functions with out=... arguments don't support automatic differentiation, but one of the arguments "
            "requires grad.");
}

Tensor write_out(const Tensor& out, const Tensor& result) {
    require(can_cast(result.dtype(), out.dtype()), "result type ", dtype_graph_name(result.dtype()),
            " can't be cast to the desired output type ", dtype_graph_name(out.dtype()));
    if (!std::ranges::equal(out.sizes(), result.sizes())) out.set_metadata_from(empty(result.sizes(), out.dtype()));
    convert_into(out, result);
    out.storage()->bump_version();
    return out;
}

}  // namespace loupe::linalg
