// SPDX-License-Identifier: Apache-2.0
// Factorisations by kernels of our own.
#include <algorithm>

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/ops/linalg/batch.h"
#include "plugins/cuda/loops/factorizations.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

// Dense, with the batch as one dimension.
Tensor flat_copy(const Tensor& t) {
    const Tensor copy = empty(t.sizes(), t.dtype(), t.device());
    copy_into(copy, t);
    return fn::view(copy, Dims{linalg::batch_count(t), t.size(-2), t.size(-1)});
}
Matrices matrices_in(const Tensor& flat) {
    Matrices m;
    m.data = address_of(flat);
    m.batch = flat.strides()[0];
    m.row = flat.strides()[1];
    m.column = flat.strides()[2];
    return m;
}
FactorShape shape_of_factors(const Tensor& flat) {
    FactorShape s;
    s.factor = static_cast<Factor>(flat.dtype());
    s.batch = flat.size(0);
    s.rows = flat.size(1);
    s.columns = flat.size(2);
    s.a = matrices_in(flat);
    return s;
}
template <typename T = void>
T* room_of(const Tensor& t) {
    return static_cast<T*>(address_of(t));
}
Tensor numbers(std::int64_t rows, std::int64_t columns, ScalarType dtype, Device device) {
    return zeros(std::array{rows, columns}, dtype, device);
}
void put_flat(const Tensor& out, const Tensor& flat) { copy_into(out, fn::view(flat, to_dims(out.sizes()))); }

void cholesky(const Tensor& L, const Tensor& info, const Tensor& A, bool upper, bool check) {
    fill_with(info, 0);
    if (A.numel() == 0) return;
    const Tensor work = flat_copy(A);
    FactorShape s = shape_of_factors(work);
    // U^T of the matrix read across is the lower factor of its conjugate.
    if (upper) std::swap(s.a.row, s.a.column);
    const Tensor roots = numbers(s.batch, 1, to_real_type(A.dtype()), A.device());
    const Tensor codes = numbers(s.batch, 1, ScalarType::Int32, A.device());
    const Queue queue = queue_of(A.device());
    run_clear_triangle(queue, s, true);
    run_cholesky(queue, s, room_of(roots), room_of<std::int32_t>(codes));
    put_flat(L, work);
    put_flat(info, codes);
    if (check) linalg::check_errors(info, "linalg.cholesky_ex", A.dim() == 2);
}

void lu(const Tensor& LU, const Tensor& pivots, const Tensor& info, const Tensor& A, bool, bool check) {
    fill_with(info, 0);
    if (A.numel() == 0) return;
    const Tensor work = flat_copy(A);
    const FactorShape s = shape_of_factors(work);
    const Tensor rows = numbers(s.batch, std::min(s.rows, s.columns), ScalarType::Int32, A.device());
    const Tensor codes = numbers(s.batch, 1, ScalarType::Int32, A.device());
    run_lu(queue_of(A.device()), s, room_of<std::int32_t>(rows), room_of<std::int32_t>(codes));
    put_flat(LU, work);
    put_flat(pivots, rows);
    put_flat(info, codes);
    if (check) linalg::check_errors(info, "torch.linalg.lu_factor_ex", A.dim() == 2);
}

struct Reflectors {
    Tensor work, tau;
};
Reflectors reflected(const Tensor& A) {
    const Tensor work = flat_copy(A);
    const FactorShape s = shape_of_factors(work);
    const Tensor tau = numbers(s.batch, std::min(s.rows, s.columns), A.dtype(), A.device());
    run_qr(queue_of(A.device()), s, room_of(tau));
    return {work, tau};
}
void geqrf(const Tensor& a, const Tensor& tau, const Tensor& A) {
    if (A.numel() == 0) return;
    const Reflectors found = reflected(A);
    put_flat(a, found.work);
    put_flat(tau, found.tau);
}

// The vectors that `x`'s columns are, reflected.
ReflectorShape reflectors(const Tensor& vectors, const Tensor& tau, const Tensor& x) {
    ReflectorShape s;
    s.factor = static_cast<Factor>(x.dtype());
    s.batch = x.size(0);
    s.rows = x.size(1);
    s.vectors = x.size(2);
    s.count = tau.size(-1);
    s.a = matrices_in(vectors);
    s.tau = address_of(tau);
    s.x = matrices_in(x);
    return s;
}
// H_1 .. H_k of the identity's first columns.
Tensor product_of(const Tensor& vectors, const Tensor& tau, std::int64_t columns) {
    const Tensor Q = zeros(std::array{vectors.size(0), vectors.size(1), columns}, vectors.dtype(), vectors.device());
    fn::fill_(fn::diagonal(Q, std::int64_t{0}, std::int64_t{-2}, std::int64_t{-1}), Scalar(1));
    ReflectorShape s = reflectors(vectors, tau, Q);
    s.last_first = true;
    run_reflectors(queue_of(Q.device()), s);
    return Q;
}
void householder_product(const Tensor& out, const Tensor& input, const Tensor& tau) {
    if (out.numel() == 0) return;
    const Tensor vectors = flat_copy(input);
    put_flat(out, product_of(vectors, fn::reshape(dense(tau), Dims{vectors.size(0), tau.size(-1)}), input.size(-1)));
}
void qr(const Tensor& Q, const Tensor& R, const Tensor& A, std::string_view mode) {
    const Reflectors found = reflected(A);
    const Tensor upper = flat_copy(fn::narrow(found.work, std::int64_t{-2}, std::int64_t{0}, R.size(-2)));
    run_clear_triangle(queue_of(A.device()), shape_of_factors(upper), false);
    put_flat(R, upper);
    if (mode != "r" && Q.numel() > 0) put_flat(Q, product_of(found.work, found.tau, Q.size(-1)));
}

// Q C, Q^H C, C Q or C Q^H. Of the last two the rows of C are vectors: x^T Q is (Q^T x)^T, and Q^T has the conjugate
// vectors, in the opposite order.
void ormqr(const Tensor& out, const Tensor& input, const Tensor& given, const Tensor& other, bool left,
           bool transpose) {
    if (out.numel() == 0) return;
    const Tensor vectors = flat_copy(input), x = flat_copy(other);
    const Tensor tau = fn::reshape(dense(given), Dims{vectors.size(0), given.size(-1)});
    ReflectorShape s = reflectors(vectors, tau, x);
    if (!left) {
        std::swap(s.rows, s.vectors);
        std::swap(s.x.row, s.x.column);
    }
    s.conjugates_vectors = !left;
    s.conjugates_tau = transpose;
    s.last_first = left != transpose;
    run_reflectors(queue_of(x.device()), s);
    put_flat(out, x);
}

template <std::size_t kTensors>
bool takes_matrices(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    bool fits = true;
    for (std::size_t i = 0; i < kTensors; ++i)
        fits = fits && linalg::is_lapack_dtype(a[i].to_tensor().dtype()) && !a[i].to_tensor().device().is_cpu();
    if (!fits && why != nullptr) *why = "a dtype that is not factored";
    return fits;
}
bool takes_pivoted(Arguments a, std::string* why) {
    if (!takes_matrices<1>(a, why)) return false;
    if (!a[1].to_bool() && why != nullptr) *why = "without pivots";
    return a[1].to_bool();
}
bool takes_some_matrix(Arguments a, std::string* why) {
    if (!takes_matrices<1>(a, why)) return false;
    const bool some = a[0].to_tensor().numel() > 0;
    if (!some && why != nullptr) *why = "no elements";
    return some;
}

}  // namespace

void register_factoring(const Registration& to) {
    to.add("aten::linalg_cholesky_ex", filling<cholesky, 2>, takes_matrices<1>);
    to.add("aten::linalg_lu_factor_ex", filling<lu, 3>, takes_pivoted);
    to.add("aten::geqrf", filling<geqrf, 2>, takes_matrices<1>);
    to.add("aten::linalg_qr", filling<qr, 2>, takes_some_matrix);
    to.add("aten::linalg_householder_product", filling<householder_product>, takes_matrices<2>);
    to.add("aten::ormqr", filling<ormqr>, takes_matrices<3>);
}

}  // namespace loupe::cuda
