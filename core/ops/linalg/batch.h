// SPDX-License-Identifier: Apache-2.0
#pragma once
// Batches of matrices as LAPACK takes them, and the checks and small formulas that the family shares.

#include <optional>
#include <string>
#include <string_view>

#include "core/dispatch/boxing.h"
#include "core/ops/matrix/layout.h"

namespace loupe::linalg {

// ---- checks, with PyTorch's messages

void check_matrix(const Tensor& t, std::string_view function, std::string_view name = "A");
void check_square(const Tensor& t, std::string_view function, std::string_view name = "A");
// Floating or complex; without `low_precision`, of 32 bits at least.
void check_floating(const Tensor& t, std::string_view function, bool low_precision = true);
// A of square matrices, B fit for A X = B or X A = B.
void check_solver_inputs(const Tensor& A, const Tensor& B, bool left, std::string_view function);
// "kernel" not implemented for 'Half', unless float32, float64 or complex.
void check_kernel_dtype(const Tensor& t, std::string_view kernel);
void check_same_dtype(const Tensor& A, const Tensor& B, std::string_view function);
// Row exchanges as LAPACK counts them, from 1 to n; signed: negative in pairs, for two rows at once. LAPACK trusts
// them.
void check_exchanges(const Tensor& pivots, std::int64_t n, std::string_view function);
void check_signed_exchanges(const Tensor& pivots, std::int64_t n, std::string_view function);
// Throws the error of LAPACK's `info` for a function of that name; info holds one number per matrix.
void check_errors(const Tensor& info, std::string_view function, bool is_matrix);

// ---- shapes

// Sizes without the last two.
Dims batch_sizes(const Tensor& t);
// batch + last...
Dims with_batch(IntSpan batch, std::initializer_list<std::int64_t> last);
// Strides of matrices that lie column by column, one after another.
Dims column_strides(IntSpan sizes);
TensorMeta column_meta(Dims sizes, ScalarType dtype);
TensorMeta plain_meta(Dims sizes, ScalarType dtype);
// The batch dimensions of A and B broadcast.
Dims broadcast_batches(const Tensor& A, const Tensor& B);
// t with these batch dimensions, repeated without a copy; not recorded.
Tensor in_batch(const Tensor& t, IntSpan batch);

// ---- memory

// Uninitialised matrices in columns.
Tensor empty_columns(IntSpan sizes, ScalarType dtype);
// A new copy of t in columns.
Tensor column_copy(const Tensor& t);
// `out` itself when it lies in columns, else a buffer for put_back.
Tensor columns_for(const Tensor& out);

std::int64_t batch_count(const Tensor& t);
// The first element of matrix i of a batch in columns (or of row i of a contiguous batch of vectors).
template <typename T>
T* matrix_at(const Tensor& t, std::int64_t i) {
    return t.data<T>() + i * t.size(-1) * t.size(-2);
}
template <typename T>
T* vector_at(const Tensor& t, std::int64_t i) {
    return t.data<T>() + i * t.size(-1);
}

inline bool is_lapack_dtype(ScalarType dtype) {
    return is_differentiable(dtype) && dtype != ScalarType::Float16 && dtype != ScalarType::BFloat16;
}
// Calls f with the C++ type of one of the four dtypes that LAPACK has.
template <typename F>
void visit_lapack(ScalarType dtype, F&& f) {
    switch (dtype) {
        case ScalarType::Float32:
            return f(std::type_identity<float>{});
        case ScalarType::Float64:
            return f(std::type_identity<double>{});
        case ScalarType::Complex64:
            return f(std::type_identity<std::complex<float>>{});
        case ScalarType::Complex128:
            return f(std::type_identity<std::complex<double>>{});
        default:
            fail_run(concat("linear algebra is not implemented for '", dtype_graph_name(dtype), "'"));
    }
}

// ---- recorded formulas

Tensor mT(const Tensor& t);  // matrices transposed
Tensor mH(const Tensor& t);  // and conjugated
// Is a right side of that shape a batch of vectors, as numpy.linalg.solve takes it?
bool is_vector_batch(const Tensor& A, const Tensor& B);
double epsilon_of(ScalarType dtype);  // of its real type
// Identity matrices of t's shape, in t's dtype.
Tensor identity_like(const Tensor& t);

// The gradient of the functions that out= forms cannot record.
void check_out_without_grad(Arguments arguments, std::string_view function);
// Writes a result into the caller's tensor: cast, resized.
Tensor write_out(const Tensor& out, const Tensor& result);

}  // namespace loupe::linalg
