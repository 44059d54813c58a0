// SPDX-License-Identifier: Apache-2.0
// Linear systems and inverses.

#include <numeric>

#include "core/autograd/grad_mode.h"
#include "core/dispatch/forward.h"
#include "core/dispatch/gradient_context.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/linalg/batch.h"
#include "core/ops/linalg/calls.h"
#include "core/ops/linalg/family.h"
#include "core/ops/samples.h"

namespace loupe::linalg {
namespace {

using namespace arithmetic;

// LU of A^T when A is real and row major: its columns are A's rows, so no copy is needed.
bool factors_transposed(const Tensor& A) { return A.is_contiguous() && !is_complex(A.dtype()); }
bool factors_transposed(const GradientContext& context) {
    const Dims dense = contiguous_strides(context.sizes(0));
    return !is_complex(context.dtype(0)) && std::ranges::equal(context.strides(0), dense);
}

MetaList infer_solve(const Tensor& A, const Tensor& B, bool left, bool) {
    check_floating(A, "linalg.solve");
    require(A.dtype() == B.dtype(), "linalg.solve: Expected A and B to have the same dtype, but found A of type ",
            dtype_graph_name(A.dtype()), " and B of type ", dtype_graph_name(B.dtype()), " instead");
    check_square(A, "linalg.solve");
    const bool is_vector = is_vector_batch(A, B);
    const Tensor matrix = is_vector ? fn::unsqueeze(B, -1) : B;
    check_solver_inputs(A, matrix, left, "linalg.solve");
    require(left || !is_vector,
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case "
            "linalg.solve is equivalent to B / A.squeeze(-1)");
    const Dims batch = broadcast_batches(A, matrix);
    Dims sizes = with_batch(span_of(batch), {matrix.size(-2), matrix.size(-1)});
    if (is_vector) sizes.pop_back();
    const TensorMeta result =
        left && sizes.size() > 1 ? column_meta(std::move(sizes), A.dtype()) : plain_meta(std::move(sizes), A.dtype());
    const Dims own = batch_sizes(A);
    return {result, column_meta(to_dims(A.sizes()), A.dtype()),
            plain_meta(with_batch(span_of(own), {A.size(-1)}), ScalarType::Int32), plain_meta(own, ScalarType::Int32)};
}
void solve(const Tensor& result, const Tensor& LU, const Tensor& pivots, const Tensor& info, const Tensor& A,
           const Tensor& B, bool left, bool check) {
    const bool transposed = factors_transposed(A);
    const auto [factors, rows, codes] = call::lu_factor_ex(transposed ? mT(A) : A, true, false);
    copy_strided(LU, factors);
    copy_strided(pivots, rows);
    copy_strided(info, codes);
    if (check) check_errors(codes, "torch.linalg.solve_ex", A.dim() == 2);
    const bool is_vector = is_vector_batch(A, B);
    const Tensor X = call::lu_solve(factors, rows, is_vector ? fn::unsqueeze(B, -1) : B, left, transposed);
    copy_strided(result, is_vector ? fn::squeeze(X, -1) : X);
}
void solve_backward(GradientContext& context) {
    if (!context.grad_output(0).defined()) return;
    const bool left = context.value("left").to_bool();
    const Tensor X = context.result(0);
    const Tensor LU = context.result(1);
    const bool is_vector = is_vector_batch(LU, X);
    const auto as_matrix = [is_vector](const Tensor& t) { return is_vector ? fn::unsqueeze(t, -1) : t; };
    const Tensor g = as_matrix(context.grad_output(0));
    const Tensor gB = GradMode::is_enabled()
                          ? call::solve(mH(context.argument("A")), g, left)
                          : call::lu_solve(LU, context.result(2), g, left, !factors_transposed(context));
    context.grad("A", [&] {
        const Tensor XH = mH(as_matrix(X));
        return -(left ? fn::matmul(gB, XH) : fn::matmul(XH, gB));
    });
    context.grad("B", [&] { return is_vector ? fn::squeeze(gB, -1) : gB; });
}

std::tuple<Tensor, Tensor> solve_ex(const Tensor& A, const Tensor& B, bool left, bool check) {
    const auto [result, LU, pivots, info] = call::solve_all(A, B, left, check);
    return {result, info};
}
Tensor solve_checked(const Tensor& A, const Tensor& B, bool left) {
    const auto [result, info] = solve_ex(A, B, left, false);
    check_errors(info, "torch.linalg.solve", A.dim() == 2);
    return result;
}

// ---- inverses

MetaList infer_inverse(const Tensor& A, bool) {
    check_square(A, "linalg.inv");
    check_floating(A, "linalg.inv", false);
    return {column_meta(to_dims(A.sizes()), A.dtype()), plain_meta(batch_sizes(A), ScalarType::Int32)};
}
void invert(const Tensor& inverse, const Tensor& info, const Tensor& A, bool check) {
    const auto [X, codes] = solve_ex(A, identity_like(A), true, false);
    copy_strided(inverse, X);
    copy_strided(info, codes);
    if (check) check_errors(codes, "linalg.inv_ex", A.dim() == 2);
}
void invert_backward(GradientContext& context) {
    if (!context.grad_output(0).defined()) return;
    const Tensor adjoint = mH(context.result(0));
    context.set_grad("A", -fn::matmul(adjoint, fn::matmul(context.grad_output(0), adjoint)));
}
Tensor inverse(const Tensor& A) {
    const auto [result, info] = call::inv_ex(A, false);
    check_errors(info, "linalg.inv", A.dim() == 2);
    return result;
}

// ---- tensors as matrices

std::int64_t product(IntSpan sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

Tensor tensorinv(const Tensor& self, std::int64_t ind) {
    require(ind > 0, "Expected a strictly positive integer for 'ind', but got ", ind);
    const auto cut = static_cast<std::size_t>(std::min(ind, self.dim()));
    const IntSpan first = self.sizes().first(cut);
    const IntSpan rest = self.sizes().subspan(cut);
    require(product(rest) == product(first),
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got ",
            product(rest), " != ", product(first));
    Dims sizes = to_dims(rest);
    sizes.insert(sizes.end(), first.begin(), first.end());
    return fn::reshape(call::inv(fn::reshape(self, Dims{product(rest), product(first)})), sizes);
}

Tensor tensorsolve(const Tensor& self, const Tensor& other, const std::optional<Dims>& dims) {
    Tensor a = self;
    if (dims) {
        // The named dimensions go to the end, in their order.
        Dims order;
        Dims last;
        for (const std::int64_t d : *dims) last.push_back(wrap_dim(d, self.dim()));
        for (std::int64_t d = 0; d < self.dim(); ++d) {
            if (std::find(last.begin(), last.end(), d) == last.end()) order.push_back(d);
        }
        order.insert(order.end(), last.begin(), last.end());
        a = fn::permute(self, order);
    }
    const auto cut = static_cast<std::size_t>(std::min(other.dim(), a.dim()));
    const IntSpan first = a.sizes().first(cut);
    const IntSpan rest = a.sizes().subspan(cut);
    const Dims result_sizes = to_dims(rest);
    require(product(rest) == product(first),
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            "but got ",
            product(rest), " != ", product(first));
    const Tensor matrix = fn::reshape(a, Dims{product(rest), product(rest)});
    return fn::reshape(call::solve(matrix, fn::reshape(other, Dims{-1}), true), result_sizes);
}

// ---- samples

Tensor steady(Random& random, std::initializer_list<std::int64_t> sizes, ScalarType dtype) {
    const Tensor t = random_tensor(random, sizes, dtype);
    return t + identity_like(t) * Scalar(4);
}
std::vector<Sample> solve_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    return {{{steady(random, {3, 3}, dtype), random_tensor(random, {3, 2}, dtype), true, false}},
            {{steady(random, {2, 3, 3}, dtype), random_tensor(random, {2, 3}, dtype), true, false}, "batch of vectors"},
            {{steady(random, {3, 3}, dtype), random_tensor(random, {2, 2, 3}, dtype), false, false}, "from the right"},
            {{random_tensor(random, {0, 0}, dtype), random_tensor(random, {0, 2}, dtype), true, false}, "empty"}};
}
std::vector<Sample> inverse_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    return {{{steady(random, {3, 3}, dtype), false}},
            {{steady(random, {2, 1, 2, 2}, dtype), false}, "batch"},
            {{random_tensor(random, {2, 0, 0}, dtype), false}, "empty"}};
}
std::vector<Sample> tensorinv_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    return {{{fn::reshape(steady(random, {6, 6}, dtype), Dims{2, 3, 6}), 2}}};
}

Cost solve_cost(Arguments arguments, std::span<const IValue> results) {
    const Tensor A = arguments[0].to_tensor();
    const Tensor X = results[0].to_tensor();
    const double n = static_cast<double>(A.size(-1));
    const double factoring = static_cast<double>(batch_count(A)) * n * n * n * 2 / 3;
    return {(factoring + 2 * n * static_cast<double>(X.numel())) * (is_complex(A.dtype()) ? 4 : 1),
            static_cast<double>(A.bytes() + 2 * X.bytes())};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::_linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor "
               "result, Tensor LU, Tensor pivots, "
               "Tensor info)",
     .summary = "Solves a linear system, and gives the LU factors that it took.",
     .formula = "A X = B, or X A = B",
     .infer = inferring<infer_solve>,
     .kernel = filling<solve, 4>,
     .derivative = {solve_backward, {save_argument("A"), save_result(0), save_result(1), save_result(2)}},
     .gradient = "A: -grad_B out^H, grad_B = A^-H grad\nB: A^-H grad",
     .cost = solve_cost,
     .variants = kOut,
     .out = {.overload = "result"},
     .constant_results = 0b1110,
     .dtypes = {.kernel = "lu_cpu"}},
    {.schema = "aten::linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor "
               "result, Tensor info)",
     .summary = "Solves a linear system; an error number says whether it could.",
     .formula = "A X = B, or X A = B",
     .composite = boxed<solve_ex>,
     .samples = solve_samples},
    {.schema = "aten::linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor",
     .summary = "Solves a linear system.",
     .formula = "A X = B, or X A = B",
     .composite = boxed<solve_checked>,
     .gradient = "A: -grad_B out^H, grad_B = A^-H grad\nB: A^-H grad",
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)",
     .summary = "The inverse matrix; an error number says whether there is one.",
     .formula = "A^-1",
     .infer = inferring<infer_inverse>,
     .kernel = filling<invert, 2>,
     .derivative = {invert_backward, {save_result(0)}},
     .gradient = "A: -out^H grad out^H",
     .samples = inverse_samples,
     .variants = kOut,
     .out = {.overload = "inverse", .refusal = out_refusal::kStructured},
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::linalg_inv(Tensor A) -> Tensor",
     .summary = "The inverse matrix.",
     .formula = "A^-1",
     .composite = boxed<inverse>,
     .gradient = "A: -out^H grad out^H",
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::inverse(Tensor self) -> Tensor",
     .summary = "The inverse matrix.",
     .formula = "A^-1",
     .composite = boxed<inverse>,
     .gradient = "self: -out^H grad out^H",
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::linalg_tensorinv(Tensor self, int ind=2) -> Tensor",
     .summary = "The inverse of a tensor as a map from its last to its first dimensions.",
     .composite = boxed<tensorinv>,
     .samples = tensorinv_samples,
     .autocast = {.cpu = Autocast::Float32}},
    {.schema = "aten::linalg_tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor",
     .summary = "Solves tensordot(self, X, X.ndim) = other.",
     .composite = boxed<tensorsolve>,
     .autocast = {.cpu = Autocast::Float32}},
};

}  // namespace

std::span<const OperatorRecord> solve_records() { return kRecords; }

}  // namespace loupe::linalg
