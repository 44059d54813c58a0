// SPDX-License-Identifier: Apache-2.0
// Powers and the exponential of a matrix.

#include <algorithm>
#include <cmath>

#include "core/autograd/grad_mode.h"
#include "core/dispatch/gradient_context.h"
#include "core/kernels/arithmetic.h"
#include "core/ops/linalg/batch.h"
#include "core/ops/linalg/calls.h"
#include "core/ops/linalg/family.h"
#include "core/ops/samples.h"

namespace loupe::linalg {
namespace {

using namespace arithmetic;

// By squaring: from the lowest bit of n to the highest.
Tensor matrix_power(const Tensor& self, std::int64_t n) {
    check_square(self, "linalg.matrix_power");
    // Recorded as a copy over self, whose gradient is zero.
    if (n == 0) return fn::copy_(fn::clone(self, IValue()), identity_like(self));
    if (n == 1) return fn::clone(self, IValue());
    if (n == -1) return call::inv(self);
    const Tensor base = n < 0 ? call::inv(self) : self;
    std::uint64_t rest = n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
    if (rest == 2) return fn::matmul(base, base);
    if (rest == 3) return fn::matmul(fn::matmul(base, base), base);
    Tensor square;
    Tensor result;
    for (; rest > 0; rest /= 2) {
        square = square.defined() ? fn::matmul(square, square) : base;
        if (rest % 2 == 1) result = result.defined() ? fn::matmul(result, square) : square;
    }
    return result;
}

// ---- the exponential

double column_norm(const Tensor& A) {
    const Tensor sums = fn::sum_dim(fn::abs(A), Dims{-2}, false, IValue());
    return item(fn::amax(sums, Dims{-1}, false)).to_double();
}

// Taylor's polynomial of degree 18 after halving until the norm is at most 1, in blocks of four powers (Paterson,
// Stockmeyer 1973), then squared back.
Tensor exponential(const Tensor& A) {
    constexpr int kDegree = 18;
    constexpr int kBlock = 4;
    const double norm = column_norm(A);
    const int halvings = std::isfinite(norm) && norm > 1 ? static_cast<int>(std::ceil(std::log2(norm))) : 0;
    const Tensor x = A * Scalar(std::ldexp(1.0, -halvings));
    TensorList powers{identity_like(A), x};
    while (powers.size() <= kBlock) powers.push_back(fn::matmul(powers.back(), x));
    double factorial[kDegree + 1] = {1};
    for (int k = 1; k <= kDegree; ++k) factorial[k] = factorial[k - 1] * k;
    Tensor sum;
    for (int first = kDegree / kBlock * kBlock; first >= 0; first -= kBlock) {
        Tensor block;
        for (int k = first; k < std::min(first + kBlock, kDegree + 1); ++k) {
            const Tensor term = powers[static_cast<std::size_t>(k - first)] * Scalar(1 / factorial[k]);
            block = block.defined() ? block + term : term;
        }
        sum = sum.defined() ? fn::matmul(sum, powers[kBlock]) + block : block;
    }
    for (int i = 0; i < halvings; ++i) sum = fn::matmul(sum, sum);
    return sum;
}

TensorMeta infer_exp(const Tensor& A) {
    check_floating(A, "linalg.matrix_exp");
    check_square(A, "linalg.matrix_exp");
    return plain_meta(to_dims(A.sizes()), A.dtype());
}
void matrix_exp(const Tensor& out, const Tensor& A) {
    if (A.numel() == 0) return;
    const bool narrow_type = A.dtype() == ScalarType::BFloat16 || A.dtype() == ScalarType::Float16;
    const Tensor wide = narrow_type ? packed_as(A, ScalarType::Float32) : packed(A);
    const Tensor matrices = fn::reshape(wide, Dims{-1, A.size(-1), A.size(-1)});
    TensorList results;
    for (std::int64_t i = 0; i < matrices.size(0); ++i) results.push_back(exponential(fn::select(matrices, 0, i)));
    convert_into(out, fn::reshape(fn::stack(results, 0), to_dims(A.sizes())));
}

// exp([[A^H, G], [0, A^H]]) has the derivative in its corner (Higham, Functions of Matrices, theorem 3.6).
Tensor exp_gradient(const Tensor& A, const Tensor& g) {
    const Tensor adjoint = mH(A);
    const std::int64_t n = A.size(-1);
    const Tensor above = fn::cat(TensorList{adjoint, g}, -1);
    const Tensor below = fn::cat(TensorList{fn::zeros_like(adjoint), adjoint}, -1);
    const Tensor both = call::matrix_exp(fn::cat(TensorList{above, below}, -2));
    return fn::narrow(fn::narrow(both, -2, 0, n), -1, n, n);
}
void exp_backward(GradientContext& context) {
    context.set_grad("self", exp_gradient(context.argument("self"), context.grad_output()));
}
Tensor old_exp(const Tensor& self) { return call::matrix_exp(self); }

std::vector<Sample> power_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples;
    // The powers of rounding errors are left out.
    if (dtype != ScalarType::Float64 && dtype != ScalarType::Complex128) return samples;
    for (const std::int64_t n : {-2, -1, 0, 1, 2, 3, 5})
        samples.push_back({{random_tensor(random, {2, 3, 3}, dtype), n}});
    return samples;
}
std::vector<Sample> exp_samples(Random& random, ScalarType dtype) {
    if (!is_lapack_dtype(dtype)) return {};
    return {{{random_tensor(random, {3, 3}, dtype)}},
            {{random_tensor(random, {2, 2, 2}, dtype)}, "batch"},
            {{random_tensor(random, {0, 0}, dtype)}, "empty"}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::linalg_matrix_power(Tensor self, int n) -> Tensor",
     .summary = "A matrix multiplied with itself n times; with its inverse for negative n.",
     .formula = "self^n",
     .composite = boxed<matrix_power>,
     .samples = power_samples},
    {.schema = "aten::matrix_power(Tensor self, int n) -> Tensor",
     .summary = "A matrix multiplied with itself n times; with its inverse for negative n.",
     .formula = "self^n",
     .composite = boxed<matrix_power>},
    {.schema = "aten::linalg_matrix_exp(Tensor self) -> Tensor",
     .summary = "The exponential of a matrix.",
     .formula = "sum_k self^k / k!",
     .infer = inferring<infer_exp>,
     .kernel = filling<matrix_exp>,
     .derivative = {exp_backward, {save_argument("self")}},
     .gradient = "self: the upper right block of exp([[A^H, grad], [0, A^H]])",
     .samples = exp_samples,
     .variants = kOut,
     .dtypes = {.kernel = "sum_cpu"}},
    {.schema = "aten::matrix_exp(Tensor self) -> Tensor",
     .summary = "The exponential of a matrix.",
     .formula = "sum_k self^k / k!",
     .composite = boxed<old_exp>},
    {.schema = "aten::matrix_exp_backward(Tensor self, Tensor grad) -> Tensor",
     .summary = "The gradient of matrix_exp.",
     .composite = boxed<exp_gradient>},
};

}  // namespace

std::span<const OperatorRecord> power_records() { return kRecords; }

}  // namespace loupe::linalg
