// SPDX-License-Identifier: Apache-2.0
// Systems whose matrix is triangular, or given by its factors.
#include <algorithm>

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/ops/linalg/batch.h"
#include "plugins/cuda/loops/exchanges.h"
#include "plugins/cuda/loops/triangular.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

// op(A) X = B, op as LAPACK names it: plain, transposed, adjoint, and conjugated.
enum class Form : std::int8_t { Plain, Transposed, Adjoint, Conjugated };
struct Triangle {
    bool upper = false, unit = false;
    Form form = Form::Plain;
};

Matrices matrices_of(const Tensor& t) {
    Matrices m;
    m.data = address_of(t);
    m.row = t.strides()[t.strides().size() - 2];
    m.column = t.strides().back();
    return m;
}
// A batch as one dimension. A copy where the batch cannot be walked by one step.
Tensor flat_batch(const Tensor& t) { return fn::reshape(t, Dims{-1, t.size(-2), t.size(-1)}); }

// X, dense, in place.
void solve_triangle(const Tensor& A, const Tensor& X, const Triangle& triangle) {
    if (X.numel() == 0) return;
    const Dims batch = linalg::batch_sizes(X);
    const Tensor a = flat_batch(linalg::in_batch(A, span_of(batch))), x = flat_batch(X);
    TriangularShape s;
    s.factor = static_cast<Factor>(X.dtype());
    s.batch = x.size(0);
    s.n = x.size(1);
    s.columns = x.size(2);
    s.unit = triangle.unit;
    s.conjugates = triangle.form == Form::Adjoint || triangle.form == Form::Conjugated;
    s.a = matrices_of(a);
    s.a.batch = a.strides()[0];
    s.x = matrices_of(x);
    s.x.batch = x.strides()[0];
    const bool turns = triangle.form == Form::Transposed || triangle.form == Form::Adjoint;
    if (turns) std::swap(s.a.row, s.a.column);
    s.upper = triangle.upper != turns;
    run_triangular(queue_of(X.device()), s);
}

// Room of our own for X that holds B.
Tensor right_side(const Tensor& B, IntSpan sizes) {
    const Tensor X = empty(sizes, B.dtype(), B.device());
    copy_into(X, linalg::in_batch(B, sizes.first(sizes.size() - 2)));
    return X;
}
Tensor turned(const Tensor& t) { return fn::transpose(t, std::int64_t{-2}, std::int64_t{-1}); }

void solve_triangular(const Tensor& out, const Tensor& A, const Tensor& B, bool upper, bool left, bool unit) {
    if (out.numel() == 0) return;
    if (left) {
        const Tensor X = right_side(B, out.sizes());
        solve_triangle(A, X, {upper, unit, Form::Plain});
        return copy_into(out, X);
    }
    // X A = B: A^T X^T = B^T.
    const Tensor to = turned(out), X = right_side(turned(B), to.sizes());
    solve_triangle(A, X, {upper, unit, Form::Transposed});
    copy_into(to, X);
}
void triangular_solve(const Tensor& X, const Tensor& M, const Tensor& B, const Tensor& A, bool upper, bool transpose,
                      bool unit) {
    const Dims batch = linalg::batch_sizes(X);
    copy_into(M, linalg::in_batch(A, span_of(batch)));
    if (X.numel() == 0) return;
    const Tensor work = right_side(B, X.sizes());
    solve_triangle(A, work, {upper, unit, transpose ? Form::Transposed : Form::Plain});
    copy_into(X, work);
}

// L L^H X = B, or U^H U X = B.
void cholesky_solve(const Tensor& out, const Tensor& B, const Tensor& L, bool upper) {
    if (out.numel() == 0) return;
    const Tensor X = right_side(B, out.sizes());
    solve_triangle(L, X, {upper, false, upper ? Form::Adjoint : Form::Plain});
    solve_triangle(L, X, {upper, false, upper ? Form::Plain : Form::Adjoint});
    copy_into(out, X);
}
void cholesky_inverse(const Tensor& out, const Tensor& L, bool upper) {
    if (out.numel() == 0) return;
    // L^-H L^-1, or U^-1 U^-H, of whose factors LAPACK takes the diagonal for real.
    const Tensor factor = linalg::identity_like(dense(L));
    solve_triangle(L, factor, {upper, false, Form::Plain});
    if (is_complex(L.dtype()))
        fill_with(fn::imag(fn::diagonal(factor, std::int64_t{0}, std::int64_t{-2}, std::int64_t{-1})), 0);
    const Tensor flat = flat_batch(factor), product = empty(flat.sizes(), flat.dtype(), flat.device());
    ProductShape s;
    s.factor = static_cast<Factor>(L.dtype());
    s.batch = flat.size(0);
    s.rows = s.columns = s.depth = flat.size(1);
    s.conjugates = true;
    s.left = s.right = matrices_of(flat);
    s.left.batch = s.right.batch = flat.strides()[0];
    s.out = matrices_of(product);
    s.out.batch = product.strides()[0];
    // The upper one's product turned around: conj(U^-1) (U^-1)^T.
    Matrices& turned_one = upper ? s.right : s.left;
    std::swap(turned_one.row, turned_one.column);
    if (upper) std::swap(s.out.row, s.out.column);
    run_product(queue_of(L.device()), s);
    copy_into(out, fn::view(product, to_dims(out.sizes())));
}

// Of each matrix which row stands where after the exchanges: [batch, n, 1].
Tensor row_orders(const Tensor& pivots, IntSpan batch) {
    const std::int64_t n = pivots.size(-1);
    Dims sizes = to_dims(batch);
    sizes.push_back(n);
    const Tensor rows = dense(fn::expand(pivots, sizes, false));
    sizes.push_back(1);
    const Tensor order = empty(span_of(sizes), ScalarType::Int64, pivots.device());
    const Queue queue = queue_of(pivots.device());
    if (order.numel() > 0)
        run_row_orders(queue, order.numel() / n, n, n, static_cast<const std::int32_t*>(address_of(rows)),
                       static_cast<std::int64_t*>(address_of(order)), fault_for(queue, "aten::linalg_lu_solve"));
    check_faults(queue);
    return order;
}
// P L U X = B, and the forms of it.
void solve_factored(const Tensor& to, const Tensor& LU, const Tensor& pivots, const Tensor& B, Form form) {
    static const OperatorHandle<> scatter("aten::scatter.src");
    const Dims batch = linalg::batch_sizes(to);
    Tensor X = right_side(B, to.sizes());
    const Tensor order = fn::expand(row_orders(pivots, span_of(batch)), to_dims(X.sizes()), false);
    const bool turns = form == Form::Transposed || form == Form::Adjoint;
    if (!turns) X = dense(fn::gather(X, std::int64_t{-2}, order, false));
    solve_triangle(LU, X, {turns, !turns, form});
    solve_triangle(LU, X, {!turns, turns, form});
    copy_into(to, turns ? scatter(fn::empty_like(X), std::int64_t{-2}, order, X) : X);
}
void lu_solve(const Tensor& out, const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left, bool adjoint) {
    if (out.numel() == 0) return;
    if (left) return solve_factored(out, LU, pivots, B, adjoint ? Form::Adjoint : Form::Plain);
    // X A = B: A^T X^T = B^T; X A^H = B: conj(A) X^T = B^T.
    solve_factored(turned(out), LU, pivots, turned(B), adjoint ? Form::Conjugated : Form::Transposed);
}

template <std::size_t... kTensors>
bool takes_systems(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const bool fits =
        ((linalg::is_lapack_dtype(a[kTensors].to_tensor().dtype()) && !a[kTensors].to_tensor().device().is_cpu()) &&
         ...);
    if (!fits && why != nullptr) *why = "a dtype that systems are not solved in";
    return fits;
}

}  // namespace

void register_solving(const Registration& to) {
    to.add("aten::linalg_solve_triangular", filling<solve_triangular>, takes_systems<0, 1>);
    to.add("aten::triangular_solve", filling<triangular_solve, 2>, takes_systems<0, 1>);
    to.add("aten::cholesky_solve", filling<cholesky_solve>, takes_systems<0, 1>);
    to.add("aten::_cholesky_solve_helper", filling<cholesky_solve>, takes_systems<0, 1>);
    to.add("aten::cholesky_inverse", filling<cholesky_inverse>, takes_systems<0>);
    to.add("aten::linalg_lu_solve", filling<lu_solve>, takes_systems<0, 2>);
}

}  // namespace loupe::cuda
