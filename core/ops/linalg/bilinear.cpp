// SPDX-License-Identifier: Apache-2.0
// Products of three tensors.

#include <algorithm>

#include "core/ops/arithmetic.h"
#include "core/ops/linalg/batch.h"
#include "core/ops/linalg/family.h"
#include "core/ops/samples.h"

namespace loupe::linalg {
namespace {

using namespace arithmetic;

void check_bilinear(const Tensor& x1, const Tensor& x2, const Tensor& weight, const Tensor& bias) {
    require(x1.dim() == x2.dim(), "bilinear(): input dimensions do not match: got ", x1.dim(), " and ", x2.dim());
    for (std::int64_t d = 0; d + 1 < x1.dim(); ++d) {
        require(x1.size(d) == x2.size(d), "bilinear(): input batch dimensions do not match at dim ", d, ": got ", x1.size(d), " and ", x2.size(d));
    }
    require(x1.size(-1) == weight.size(1), "bilinear(): input1 size does not match weight size: got ", x1.size(-1), " but expected ", weight.size(1));
    require(x2.size(-1) == weight.size(2), "bilinear(): input2 size does not match weight size: got ", x2.size(-1), " but expected ", weight.size(2));
    require(!bias.defined() || bias.size(0) == weight.size(0), "bilinear(): bias size does not match weight size: got ",
            bias.defined() ? bias.size(0) : 0, " but expected ", weight.size(0));
}
// [o, b, j] = rows W_o. One output after the other in bfloat16, where a product's size decides how it is rounded.
Tensor left_products(const Tensor& rows, const Tensor& weight) {
    const Tensor batch = fn::unsqueeze(rows, 0);
    if (rows.dtype() != ScalarType::BFloat16 || weight.size(0) == 0) {
        return fn::bmm(fn::expand(batch, Dims{weight.size(0), rows.size(0), rows.size(1)}), weight);
    }
    TensorList parts;
    for (std::int64_t o = 0; o < weight.size(0); ++o) parts.push_back(fn::bmm(batch, fn::narrow(weight, 0, o, std::int64_t{1})));
    return fn::cat(parts, 0);
}
Tensor bilinear(const Tensor& x1, const Tensor& x2, const Tensor& weight, const Tensor& bias) {
    check_bilinear(x1, x2, weight, bias);
    Dims sizes(x1.sizes().begin(), x1.sizes().end() - 1);
    sizes.push_back(weight.size(0));
    const Tensor rows1 = fn::reshape(x1, Dims{checked_numel(x1.sizes().first(x1.sizes().size() - 1)), x1.size(-1)});
    const Tensor rows2 = fn::reshape(x2, Dims{rows1.size(0), x2.size(-1)});
    const Tensor left = left_products(rows1, weight);
    const Tensor out = fn::squeeze(fn::bmm(fn::permute(left, Dims{1, 0, 2}), fn::unsqueeze(rows2, -1)), -1);
    const Tensor shaped = fn::reshape(out, sizes);
    return bias.defined() ? shaped + bias : shaped;
}

Tensor with_ones(Tensor t, const Dims& at) {
    for (const std::int64_t d : at) t = fn::unsqueeze(t, d);
    return t;
}
bool contains(const Dims& dims, std::int64_t d) { return std::find(dims.begin(), dims.end(), d) != dims.end(); }

// Dimensions that the third factor lacks are summed first.
Tensor trilinear(const Tensor& i1, const Tensor& i2, const Tensor& i3, const Dims& expand1, const Dims& expand2, const Dims& expand3, const Dims& sumdim,
                 std::int64_t unroll_dim) {
    const std::int64_t rank = i1.dim() + static_cast<std::int64_t>(expand1.size());
    require(unroll_dim >= 0 && unroll_dim < rank, "unroll_dim must be in [0,", rank - 1, "]");
    Dims early;
    Dims late;
    for (const std::int64_t d : sumdim) (contains(expand3, d) ? early : late).push_back(d);
    Tensor product = with_ones(i1, expand1) * with_ones(i2, expand2);
    if (!early.empty()) product = fn::sum_dim(product, early, true, IValue());
    product = product * with_ones(i3, expand3);
    if (!late.empty()) product = fn::sum_dim(product, late, true, IValue());
    Dims sizes;
    for (std::int64_t d = 0; d < rank; ++d) {
        if (!contains(sumdim, d)) sizes.push_back(product.size(d));
    }
    return fn::reshape(product, sizes);
}

std::vector<Sample> bilinear_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({2, 3}), t({2, 4}), t({5, 3, 4}), t({5})}}, {{t({2, 2, 3}), t({2, 2, 4}), t({5, 3, 4}), IValue()}, "no bias"}};
}
std::vector<Sample> trilinear_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({2, 3}), t({5, 3, 4}), t({2, 4}), Dims{1, 3}, Dims{0}, Dims{1, 2}, Dims{2, 3}, 1}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> Tensor",
     .summary = "A bilinear form of two vectors for each output.",
     .formula = "out[.., o] = input1[..]^T weight[o] input2[..] + bias[o]",
     .composite = boxed<bilinear>,
     .samples = bilinear_samples},
    {.schema = "aten::_trilinear(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3, int[] sumdim, int unroll_dim=1) -> Tensor",
     .summary = "The product of three tensors, each with dimensions put in, summed over some.",
     .composite = boxed<trilinear>,
     .samples = trilinear_samples},
};

}  // namespace

std::span<const OperatorRecord> bilinear_records() { return kRecords; }

}  // namespace loupe::linalg
