// SPDX-License-Identifier: Apache-2.0
// Products of three tensors.

#include <algorithm>

#include "core/dispatch/gradient_context.h"
#include "core/kernels/arithmetic.h"
#include "core/kernels/elementwise.h"
#include "core/ops/linalg/batch.h"
#include "core/ops/linalg/family.h"
#include "core/ops/samples.h"

namespace loupe::linalg {
namespace {

using namespace arithmetic;

Tensor trilinear(const Tensor& i1, const Tensor& i2, const Tensor& i3, const Dims& expand1, const Dims& expand2,
                 const Dims& expand3, const Dims& sumdim, std::int64_t unroll_dim);

void check_bilinear(const Tensor& x1, const Tensor& x2, const Tensor& weight, const Tensor& bias) {
    require(x1.dim() == x2.dim(), "bilinear(): input dimensions do not match: got ", x1.dim(), " and ", x2.dim());
    for (std::int64_t d = 0; d + 1 < x1.dim(); ++d) {
        require(x1.size(d) == x2.size(d), "bilinear(): input batch dimensions do not match at dim ", d, ": got ",
                x1.size(d), " and ", x2.size(d));
    }
    require(x1.size(-1) == weight.size(1), "bilinear(): input1 size does not match weight size: got ", x1.size(-1),
            " but expected ", weight.size(1));
    require(x2.size(-1) == weight.size(2), "bilinear(): input2 size does not match weight size: got ", x2.size(-1),
            " but expected ", weight.size(2));
    require(!bias.defined() || bias.size(0) == weight.size(0), "bilinear(): bias size does not match weight size: got ",
            bias.defined() ? bias.size(0) : 0, " but expected ", weight.size(0));
}
Tensor bilinear(const Tensor& x1, const Tensor& x2, const Tensor& weight, const Tensor& bias) {
    check_bilinear(x1, x2, weight, bias);
    Dims sizes(x1.sizes().begin(), x1.sizes().end() - 1);
    sizes.push_back(weight.size(0));
    const Tensor rows1 = fn::reshape(x1, Dims{checked_numel(x1.sizes().first(x1.sizes().size() - 1)), x1.size(-1)});
    const Tensor rows2 = fn::reshape(x2, Dims{rows1.size(0), x2.size(-1)});
    const Tensor out = trilinear(rows1, weight, rows2, Dims{1, 3}, Dims{0}, Dims{1, 2}, Dims{2, 3}, 1);
    const Tensor shaped = fn::reshape(out, sizes);
    return bias.defined() ? shaped + bias : shaped;
}

Tensor with_ones(Tensor t, const Dims& at) {
    for (const std::int64_t d : at) t = fn::unsqueeze(t, d);
    return t;
}
bool contains(const Dims& dims, std::int64_t d) { return std::find(dims.begin(), dims.end(), d) != dims.end(); }

std::int64_t extent(const Tensor& t, const Dims& dims) {
    std::int64_t product = 1;
    for (const std::int64_t d : dims) product *= t.size(d);
    return product;
}
Dims joined(std::initializer_list<const Dims*> lists) {
    Dims all;
    for (const Dims* list : lists) all.insert(all.end(), list->begin(), list->end());
    return all;
}

// sum(a * b) over dimensions, kept as 1, by one product of matrices. Both have the same number of dimensions.
Tensor sum_of_products(Tensor a, Tensor b, const Dims& summed) {
    if (summed.empty()) return a * b;
    Dims shared, left, right, inner, sizes;
    for (std::int64_t d = 0; d < a.dim(); ++d) {
        const bool in_a = a.size(d) != 1;
        const bool in_b = b.size(d) != 1;
        const bool is_summed = contains(summed, d);
        if (is_summed && in_a != in_b) (in_a ? a : b) = fn::sum_dim(in_a ? a : b, Dims{d}, true, IValue());
        if (is_summed && in_a && in_b)
            inner.push_back(d);
        else if (!is_summed && in_a && in_b)
            shared.push_back(d);
        else
            (in_a && !is_summed ? left : right).push_back(d);
        sizes.push_back(is_summed ? 1 : std::max(a.size(d), b.size(d)));
    }
    const std::int64_t batch = extent(a, shared);
    const Tensor folded_a = fn::reshape(fn::permute(a, joined({&shared, &left, &inner, &right})),
                                        Dims{batch, extent(a, left), extent(a, inner)});
    const Tensor folded_b = fn::reshape(fn::permute(b, joined({&shared, &inner, &right, &left})),
                                        Dims{batch, extent(b, inner), extent(b, right)});
    const Dims order = joined({&shared, &left, &inner, &right});
    Dims shape;
    Dims back(order.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
        shape.push_back(sizes[static_cast<std::size_t>(order[i])]);
        back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    }
    return fn::permute(fn::reshape(fn::bmm(folded_a, folded_b), shape), back);
}

// Slice by slice along unroll_dim; dimensions that the third factor lacks are summed first.
void trilinear_kernel(const Tensor& out, const Tensor& i1, const Tensor& i2, const Tensor& i3, const Dims& expand1,
                      const Dims& expand2, const Dims& expand3, const Dims& sumdim, std::int64_t unroll_dim) {
    const Tensor a = with_ones(i1, expand1);
    const Tensor b = with_ones(i2, expand2);
    const Tensor c = with_ones(i3, expand3);
    fill_with(out, Scalar(0));
    if (a.numel() == 0 || b.numel() == 0 || c.numel() == 0) return;
    Dims early, late, sizes;
    for (const std::int64_t d : sumdim) (contains(expand3, d) ? early : late).push_back(d);
    for (std::int64_t d = 0; d < a.dim(); ++d)
        sizes.push_back(contains(sumdim, d) ? 1 : std::max({a.size(d), b.size(d), c.size(d)}));
    const Tensor kept = zeros(span_of(sizes), out.dtype(), out.device());
    const std::int64_t steps = std::max({a.size(unroll_dim), b.size(unroll_dim), c.size(unroll_dim)});
    const auto slice = [unroll_dim](const Tensor& t, std::int64_t k) {
        return fn::narrow(t, unroll_dim, t.size(unroll_dim) == 1 ? 0 : k, std::int64_t{1});
    };
    for (std::int64_t k = 0; k < steps; ++k) {
        const Tensor product = sum_of_products(sum_of_products(slice(a, k), slice(b, k), early), slice(c, k), late);
        fn::add_(slice(kept, k), product, Scalar(1));
    }
    copy_into(out, fn::reshape(kept, to_dims(out.sizes())));
}

TensorMeta infer_trilinear(const Tensor& i1, const Tensor& i2, const Tensor& i3, const Dims& expand1,
                           const Dims& expand2, const Dims& expand3, const Dims& sumdim, std::int64_t unroll_dim) {
    const std::int64_t rank = i1.dim() + static_cast<std::int64_t>(expand1.size());
    require(unroll_dim >= 0 && unroll_dim < rank, "unroll_dim must be in [0,", rank - 1, "]");
    const Tensor a = with_ones(i1, expand1);
    const Tensor b = with_ones(i2, expand2);
    const Tensor c = with_ones(i3, expand3);
    require(b.dim() == rank && c.dim() == rank, "number of dimensions must match");
    Dims sizes;
    for (std::int64_t d = 0; d < rank; ++d) {
        const std::int64_t n = a.size(d) != 1 ? a.size(d) : b.size(d) != 1 ? b.size(d) : c.size(d);
        for (const Tensor* t : {&a, &b, &c})
            require(t->size(d) == 1 || t->size(d) == n, "non-broadcast dimensions must match");
        if (!contains(sumdim, d)) sizes.push_back(n);
    }
    return plain_meta(std::move(sizes), i1.dtype());
}

Tensor trilinear(const Tensor& i1, const Tensor& i2, const Tensor& i3, const Dims& expand1, const Dims& expand2,
                 const Dims& expand3, const Dims& sumdim, std::int64_t unroll_dim) {
    static const OperatorHandle<> trilinear_{"aten::_trilinear"};
    return trilinear_(i1, i2, i3, expand1, expand2, expand3, sumdim, unroll_dim);
}

// The gradient has the same form: its missing dimensions are summed.
void trilinear_backward(GradientContext& context) {
    const Dims expand1 = context.value("expand1").to_ints();
    const Dims expand2 = context.value("expand2").to_ints();
    const Dims expand3 = context.value("expand3").to_ints();
    const Dims sumdim = context.value("sumdim").to_ints();
    const Tensor& g = context.grad_output();
    const auto conjugated = [&](std::size_t i) { return conj(context.argument(i)); };
    context.grad("i1",
                 [&] { return trilinear(g, conjugated(1), conjugated(2), sumdim, expand2, expand3, expand1, 1); });
    context.grad("i2",
                 [&] { return trilinear(conjugated(0), g, conjugated(2), expand1, sumdim, expand3, expand2, 1); });
    context.grad("i3",
                 [&] { return trilinear(conjugated(0), conjugated(1), g, expand1, expand2, sumdim, expand3, 1); });
}

std::vector<Sample> bilinear_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    return {{{t({2, 3}), t({2, 4}), t({5, 3, 4}), t({5})}},
            {{t({2, 2, 3}), t({2, 2, 4}), t({5, 3, 4}), IValue()}, "no bias"}};
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
     .samples = bilinear_samples,
     .autocast = {.cuda = Autocast::Widest}},
    {.schema = "aten::_trilinear(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3, int[] "
               "sumdim, int unroll_dim=1) -> Tensor",
     .summary = "The product of three tensors, each with dimensions put in, summed over some.",
     .formula = "sum of i1 i2 i3 over sumdim",
     .infer = inferring<infer_trilinear>,
     .kernel = filling<trilinear_kernel>,
     .derivative = {trilinear_backward, {save_argument("i1"), save_argument("i2"), save_argument("i3")}},
     .gradient = "i1: sum of grad i2 i3\ni2: sum of grad i1 i3\ni3: sum of grad i1 i2",
     .samples = trilinear_samples},
};

}  // namespace

std::span<const OperatorRecord> bilinear_records() { return kRecords; }

}  // namespace loupe::linalg
