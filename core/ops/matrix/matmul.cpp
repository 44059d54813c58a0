// SPDX-License-Identifier: Apache-2.0
// matmul and operators composed of it: linear, inner, tensordot, chains of products.
#include <algorithm>
#include <numeric>

#include "core/dispatch/functions.h"
#include "core/dispatch/out_refusals.h"
#include "core/ops/matrix/family.h"
#include "core/ops/matrix/layout.h"
#include "core/ops/matrix/products.h"
#include "core/ops/not_finite.h"
#include "core/ops/samples.h"
#include "core/ops/sparse/sparse.h"

namespace loupe {
namespace {

std::int64_t product(IntSpan sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

// [.., m, k] x [k, n] or [k]: the leading dimensions become rows of one matrix.
Tensor fold_left(const Tensor& a, const Tensor& b) {
    const IntSpan sizes = a.sizes();
    const Tensor rows = fn::reshape(a, Dims{-1, sizes.back()});
    Dims out(sizes.begin(), sizes.end() - 1);
    if (b.dim() == 1) return fn::reshape(fn::mv(rows, b), out);
    out.push_back(b.sizes()[1]);
    return fn::reshape(fn::mm(rows, b), out);
}

Tensor batched(const Tensor& a, const Tensor& b) {
    const IntSpan left = a.sizes();
    const IntSpan right = b.sizes();
    const Dims batch = broadcast_shapes(left.first(left.size() - 2), right.first(right.size() - 2));
    const auto in_batch = [&batch](const Tensor& t) {
        Dims sizes = batch;
        sizes.insert(sizes.end(), t.sizes().end() - 2, t.sizes().end());
        const bool same = std::equal(sizes.begin(), sizes.end(), t.sizes().begin(), t.sizes().end());
        const Tensor wide = same ? t : fn::expand(t, sizes);
        if (wide.dim() == 3) return wide;
        return fn::reshape(wide, Dims{product(span_of(batch)), t.size(-2), t.size(-1)});
    };
    const Tensor out = fn::bmm(in_batch(a), in_batch(b));
    if (batch.size() == 1) return out;
    Dims sizes = batch;
    sizes.push_back(out.size(1));
    sizes.push_back(out.size(2));
    return fn::view(out, sizes);
}

Tensor matmul(const Tensor& self, const Tensor& other) {
    const std::int64_t a = self.dim();
    const std::int64_t b = other.dim();
    require(a > 0 && b > 0, "both arguments to matmul need to be at least 1D, but they are ", a, "D and ", b, "D");
    if (a == 1 && b == 1) return fn::dot(self, other);
    if (a == 2 && b == 1) return fn::mv(self, other);
    if (a == 1 && b == 2) return fn::squeeze(fn::mm(fn::unsqueeze(self, 0), other), 0);
    if (a == 2 && b == 2) return fn::mm(self, other);
    if (a >= 3 && b <= 2 && self.numel() != 0) return fold_left(self, other);
    if (b >= 3 && a <= 2 && other.numel() != 0) {
        // (A B^T)^T, folded the same way.
        const Tensor turned = fn::transpose(other, -2, -1);
        if (a == 1) return fold_left(turned, self);
        return fn::transpose(fold_left(turned, fn::transpose(self, 0, 1)), -2, -1);
    }
    if (a == 1) return fn::squeeze(batched(fn::unsqueeze(self, 0), other), -2);
    if (b == 1) return fn::squeeze(batched(self, fn::unsqueeze(other, 1)), -1);
    return batched(self, other);
}

Cost matmul_cost(Arguments arguments, std::span<const IValue> results) {
    return matrix::product_cost(static_cast<double>(arguments[0].to_tensor().size(-1)), arguments, results);
}

std::vector<Sample> matmul_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({2, 3}), t({3, 4})}},
            {{t({3}), t({3})}, "vectors"},
            {{t({2, 3}), t({3})}, "right vector"},
            {{t({3}), t({3, 2})}, "left vector"},
            {{t({2, 2, 3}), t({3, 4})}, "fold"},
            {{t({2, 3}), t({2, 3, 4})}, "fold right"},
            {{t({2, 1, 2, 3}), t({3, 3, 2})}, "broadcast"}};
}

// ---- linear

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
    const std::int64_t rank = input.dim();
    if (!bias.defined()) return fn::matmul(input, fn::t(weight));
    if (rank == 2) return fn::addmm(bias, input, fn::t(weight));
    if (rank == 3 && input.is_contiguous()) {
        const IntSpan sizes = input.sizes();
        const Tensor rows = fn::view(input, Dims{sizes[0] * sizes[1], sizes[2]});
        const Tensor out = fn::addmm(bias, rows, fn::t(weight));
        return fn::view(out, Dims{sizes[0], sizes[1], out.size(1)});
    }
    return fn::add(fn::matmul(input, fn::t(weight)), bias);
}

std::vector<Sample> linear_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({2, 3}), t({4, 3}), t({4})}},
            {{t({2, 3}), t({4, 3}), IValue()}, "no bias"},
            {{t({2, 2, 3}), t({4, 3}), t({4})}, "sequence"},
            {{t({3}), t({4, 3}), t({4})}, "one"}};
}

// ---- others

Tensor inner(const Tensor& self, const Tensor& other) {
    if (self.dim() == 0 || other.dim() == 0) return fn::mul(self, other);
    require(self.size(-1) == other.size(-1),
            "inner() the last dimension must match on both input tensors but got shapes ",
            shape_list_text(self.sizes()), " and ", shape_list_text(other.sizes()));
    return fn::tensordot(self, other, Dims{-1}, Dims{-1});
}

std::vector<Sample> inner_samples(Random& random, ScalarType dtype) {
    return {{{random_tensor(random, {2, 3}, dtype), random_tensor(random, {4, 3}, dtype)}}};
}

Tensor tensordot(const Tensor& self, const Tensor& other, const Dims& dims_self, const Dims& dims_other) {
    require(dims_self.size() == dims_other.size(), "both dimension lists should have same length");
    const auto arrange = [](const Tensor& t, const Dims& dims, bool sum_last, Dims& rest_sizes) {
        std::vector<bool> summed(t.sizes().size(), false);
        Dims order;
        std::int64_t inner_size = 1;
        for (const std::int64_t d : dims) {
            const auto at = static_cast<std::size_t>(wrap_dim(d, t.dim()));
            summed[at] = true;
            order.push_back(static_cast<std::int64_t>(at));
            inner_size *= t.sizes()[at];
        }
        Dims rest;
        for (std::size_t d = 0; d < summed.size(); ++d) {
            if (summed[d]) continue;
            rest.push_back(static_cast<std::int64_t>(d));
            rest_sizes.push_back(t.sizes()[d]);
        }
        const Dims flat =
            sum_last ? Dims{product(span_of(rest_sizes)), inner_size} : Dims{inner_size, product(span_of(rest_sizes))};
        if (sum_last)
            rest.insert(rest.end(), order.begin(), order.end());
        else
            rest.insert(rest.begin(), order.begin(), order.end());
        return fn::reshape(fn::permute(t, rest), flat);
    };
    // A dimension of size 1 meets each element of the other's: the same as its sum.
    Tensor first = self;
    Tensor second = other;
    for (std::size_t i = 0; i < dims_self.size(); ++i) {
        const std::int64_t a = self.size(dims_self[i]);
        const std::int64_t b = other.size(dims_other[i]);
        if (a == b) continue;
        require(a == 1 || b == 1, "contracted dimensions need to match, but first has size ", a, " in dim ",
                dims_self[i], " and second has size ", b, " in dim ", dims_other[i]);
        if (b == 1)
            first = fn::sum_dim(first, Dims{dims_self[i]}, true, static_cast<std::int64_t>(first.dtype()));
        else
            second = fn::sum_dim(second, Dims{dims_other[i]}, true, static_cast<std::int64_t>(second.dtype()));
    }
    Dims left;
    Dims right;
    const Tensor a = arrange(first, dims_self, true, left);
    const Tensor b = arrange(second, dims_other, false, right);
    left.insert(left.end(), right.begin(), right.end());
    return fn::reshape(fn::mm(a, b), left);
}

std::vector<Sample> tensordot_samples(Random& random, ScalarType dtype) {
    return {
        {{random_tensor(random, {2, 3, 4}, dtype), random_tensor(random, {4, 5, 3}, dtype), Dims{1, 2}, Dims{2, 0}}}};
}

// The cheapest order of multiplication, by the classic dynamic programme; split[i][j] is where i..j is cut.
std::vector<std::vector<std::size_t>> best_splits(const Dims& extents) {
    const std::size_t n = extents.size() - 1;
    std::vector<std::vector<double>> cost(n, std::vector<double>(n, 0));
    std::vector<std::vector<std::size_t>> split(n, std::vector<std::size_t>(n, 0));
    for (std::size_t length = 1; length < n; ++length) {
        for (std::size_t i = 0; i + length < n; ++i) {
            const std::size_t j = i + length;
            cost[i][j] = 1e300;
            for (std::size_t k = i; k < j; ++k) {
                const double c = cost[i][k] + cost[k + 1][j] +
                                 static_cast<double>(extents[i]) * static_cast<double>(extents[k + 1]) *
                                     static_cast<double>(extents[j + 1]);
                if (c < cost[i][j]) {
                    cost[i][j] = c;
                    split[i][j] = k;
                }
            }
        }
    }
    return split;
}

Tensor multiply_range(const TensorList& matrices, const std::vector<std::vector<std::size_t>>& split, std::size_t i,
                      std::size_t j) {
    if (i == j) return matrices[i];
    const std::size_t k = split[i][j];
    return fn::mm(multiply_range(matrices, split, i, k), multiply_range(matrices, split, k + 1, j));
}

Tensor multiply_chain(const TensorList& matrices) {
    Dims extents;
    for (const Tensor& m : matrices) extents.push_back(m.size(0));
    extents.push_back(matrices.back().size(1));
    return multiply_range(matrices, best_splits(extents), 0, matrices.size() - 1);
}

Tensor chain_matmul(const TensorList& matrices) {
    require(!matrices.empty(), "chain_matmul(): Expected one or more matrices");
    for (const Tensor& m : matrices) require(m.dim() == 2, "Tensor dimension is ", m.dim(), ", expected 2 instead.");
    return multiply_chain(matrices);
}

Tensor multi_dot(const TensorList& tensors) {
    require(tensors.size() >= 2, "multi_dot(): expected at least 2 tensors but got ", tensors.size());
    TensorList matrices = tensors;
    const bool left_vector = matrices.front().dim() == 1;
    const bool right_vector = matrices.back().dim() == 1;
    if (left_vector) matrices.front() = fn::unsqueeze(matrices.front(), 0);
    if (right_vector) matrices.back() = fn::unsqueeze(matrices.back(), 1);
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        require(matrices[i].dim() == 2, "multi_dot(): tensor ", i, " must be 2D but got ", matrices[i].dim(), "D");
    }
    Tensor out = multiply_chain(matrices);
    if (right_vector) out = fn::squeeze(out, -1);
    if (left_vector) out = fn::squeeze(out, 0);
    return out;
}

std::vector<Sample> chain_samples(Random& random, ScalarType dtype) {
    return {{{TensorList{random_tensor(random, {2, 3}, dtype), random_tensor(random, {3, 5}, dtype),
                         random_tensor(random, {5, 2}, dtype)}}}};
}

using In = NotFiniteNote::In;
using When = NotFiniteNote::When;
constexpr NotFiniteNote kMatmulNotFinite[] = {
    {In::Either, When::Infinite, 0, "0 \u00b7 Inf or Inf \u2212 Inf in a matrix product", advice::kProduct},
    {In::Either, When::Always, 0, "a matrix product that leaves the range of its dtype", advice::kShrink},
};
constexpr NotFiniteNote kLinearNotFinite[] = {
    {In::Either, When::Always, 0, "a matrix product that leaves the range of its dtype", advice::kShrink},
};

constexpr OperatorRecord kRecords[] = {
    {
        .schema = "aten::matmul(Tensor self, Tensor other) -> Tensor",
        .summary = "The matrix product, of vectors, matrices or broadcast batches of them.",
        .formula = "out[.., i, j] = sum_k self[.., i, k] other[.., k, j]",
        .composite = boxed<matmul>,
        .gradient = "self: grad other^T, summed over broadcast dimensions\n"
                    "other: self^T grad, summed over broadcast dimensions",
        .cost = matmul_cost,
        .samples = matmul_samples,
        .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower},
        .not_finite = kMatmulNotFinite,
    },
    {
        .schema = "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
        .summary = "A linear map of the last dimension.",
        .formula = "out = input weight^T + bias",
        .composite = boxed<linear>,
        .gradient = "input: grad weight\nweight: grad^T input\nbias: sum_n grad[n]",
        .cost = matmul_cost,
        .samples = linear_samples,
        .variants = kOut,
        .out = {.refusal = out_refusal::kStructured},
        .sparse = {.run = on_sparse::linear},
        .autocast = {.cpu = Autocast::Lower, .cuda = Autocast::Lower},
        .not_finite = kLinearNotFinite,
    },
    {
        .schema = "aten::inner(Tensor self, Tensor other) -> Tensor",
        .summary = "Dot products over the last dimension of both tensors.",
        .formula = "out[.., i, .., j] = sum_k self[.., i, k] other[.., j, k]",
        .composite = boxed<inner>,
        .gradient = "self: grad other\nother: grad^T self",
        .samples = inner_samples,
        .out = {.refusal = out_refusal::kTensordot},
    },
    {
        .schema = "aten::tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> Tensor",
        .summary = "Sums products over the given dimensions of both tensors.",
        .formula = "out = sum_k self[.., k] other[k, ..] over dims_self and dims_other",
        .composite = boxed<tensordot>,
        .gradient = "self: grad other^T\nother: self^T grad",
        .samples = tensordot_samples,
        .out = {.refusal = out_refusal::kTensordot},
        .autocast = {.cuda = Autocast::Widest},
    },
    {
        .schema = "aten::chain_matmul(Tensor[] matrices) -> Tensor",
        .summary = "The product of several matrices, in the order that costs least.",
        .formula = "matrices[0] matrices[1] .. matrices[n]",
        .composite = boxed<chain_matmul>,
        .gradient = "matrices: (product before)^T grad (product behind)^T",
        .samples = chain_samples,
        .out = {.refusal = out_refusal::kMultiDot},
        .autocast = {.cuda = Autocast::Lower},
    },
    {
        .schema = "aten::linalg_multi_dot(Tensor[] tensors) -> Tensor",
        .summary = "The product of several matrices, in the order that costs least; the ends may be vectors.",
        .formula = "tensors[0] tensors[1] .. tensors[n]",
        .composite = boxed<multi_dot>,
        .gradient = "tensors: (product before)^T grad (product behind)^T",
        .samples = chain_samples,
        .out = {.refusal = out_refusal::kMultiDot},
        .autocast = {.cuda = Autocast::Lower},
    },
    {
        .schema = "aten::linalg_matmul(Tensor self, Tensor other) -> Tensor",
        .summary = "The same as matmul.",
        .composite = boxed<matmul>,
        .cost = matmul_cost,
        .samples = matmul_samples,
    },
};

}  // namespace

std::span<const OperatorRecord> matrix::matmul_records() { return kRecords; }

}  // namespace loupe
