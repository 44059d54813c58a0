// SPDX-License-Identifier: Apache-2.0
// Distances between rows, and norms.
#include "plugins/cuda/loops/distances.h"

#include <numeric>
#include <vector>

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

// x spread over the batches of `like`.
Tensor in_batches(const Tensor& x, IntSpan like) {
    Dims sizes(like.begin(), like.end() - 2);
    sizes.push_back(x.size(-2));
    sizes.push_back(x.size(-1));
    return dense(fn::expand(x, sizes, false));
}
PairShape pairs_of(const Tensor& distances, const Tensor& x, double p) {
    PairShape shape;
    shape.element = element_of(x.dtype());
    shape.p = p;
    shape.rows = distances.size(-2);
    shape.columns = distances.size(-1);
    shape.width = x.size(-1);
    shape.batch = distances.numel() / std::max<std::int64_t>(shape.rows * shape.columns, 1);
    return shape;
}

void cdist(const Tensor& out, const Tensor& x1, const Tensor& x2, double p, const IValue&) {
    if (out.numel() == 0) return;
    const Tensor x = in_batches(x1, out.sizes()), y = in_batches(x2, out.sizes());
    const Room to(out);
    run_distances(queue_of(out.device()), pairs_of(out, x1, p), address_of(x), address_of(y), address_of(to.tensor()));
    to.put_back();
}
void cdist_backward(const Tensor& out, const Tensor& grad, const Tensor& x1, const Tensor& x2, double p,
                    const Tensor& distances) {
    if (out.numel() == 0) return;
    if (distances.numel() == 0) return fill_with(out, 0);
    const Tensor x = in_batches(x1, distances.sizes()), y = in_batches(x2, distances.sizes());
    const Tensor g = dense(grad), whole = dense(distances);
    const Room to(out);
    run_distance_slopes(queue_of(out.device()), pairs_of(distances, x1, p), address_of(g), address_of(x), address_of(y),
                        address_of(whole), address_of(to.tensor()));
    to.put_back();
}

PairShape own_pairs(const Tensor& x, double p) {
    PairShape shape;
    shape.element = element_of(x.dtype());
    shape.p = p;
    shape.rows = x.size(0);
    shape.width = x.size(1);
    return shape;
}
void pdist(const Tensor& out, const Tensor& self, double p) {
    if (out.numel() == 0) return;
    const Tensor x = dense(self);
    const Room to(out);
    run_own_distances(queue_of(out.device()), own_pairs(x, p), address_of(x), address_of(to.tensor()));
    to.put_back();
}
void pdist_backward(const Tensor& out, const Tensor& grad, const Tensor& self, double p, const Tensor& distances) {
    if (out.numel() == 0) return;
    if (distances.numel() == 0) return fill_with(out, 0);
    const Tensor x = dense(self), g = dense(grad), whole = dense(distances);
    const Room to(out);
    run_own_distance_slopes(queue_of(out.device()), own_pairs(x, p), address_of(g), address_of(x), address_of(whole),
                            address_of(to.tensor()));
    to.put_back();
}

// Of numbers of 32 or 64 bits.
template <std::size_t kTensor>
bool takes_wide(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const ScalarType dtype = a[kTensor].to_tensor().dtype();
    const bool is_wide = dtype == ScalarType::Float32 || dtype == ScalarType::Float64;
    if (!is_wide && why != nullptr) *why = std::string(dtype_name(dtype)) + " input";
    return is_wide;
}

// ---- norms

std::vector<std::int64_t> all_dims(const Tensor& self, const IValue& dim) {
    if (dim.is_int()) return {dim.to_int()};
    if (!dim.is_none()) {
        const auto given = dim.to_ints();
        if (!given.empty()) return {given.begin(), given.end()};
    }
    std::vector<std::int64_t> dims(static_cast<std::size_t>(self.dim()));
    std::iota(dims.begin(), dims.end(), 0);
    return dims;
}
void vector_norm(const Tensor& out, const Tensor& self, const Scalar& order, const IValue& dim, bool keepdim,
                 const IValue&) {
    const double p = order.to_double();
    if (is_complex(self.dtype())) return vector_norm(out, fn::abs(self), order, dim, keepdim, IValue());
    // 16 bits are added up in 32.
    const Tensor x = dense(self, out.dtype() == ScalarType::Float64 ? ScalarType::Float64 : ScalarType::Float32);
    const std::vector<std::int64_t> dims = all_dims(self, dim);
    const auto sum = [&](const Tensor& t) { return fn::sum_dim(t, dims, keepdim, IValue()); };
    const auto float_of = [&](const Tensor& t) { return fn::to_dtype(t, static_cast<std::int64_t>(x.dtype())); };
    const Tensor size = fn::abs(x);
    if (std::isinf(p)) return copy_into(out, p > 0 ? fn::amax(size, dims, keepdim) : fn::amin(size, dims, keepdim));
    if (p == 0) return copy_into(out, sum(float_of(fn::ne_scalar(x, Scalar(0)))));
    if (p == 1) return copy_into(out, sum(size));
    if (p == 2) return copy_into(out, fn::sqrt(sum(fn::mul(x, x))));
    copy_into(out, fn::pow_scalar(sum(fn::pow_scalar(size, Scalar(p))), Scalar(1 / p)));
}
bool takes_norm(Arguments a, std::string* why) {
    const Tensor self = a[0].to_tensor();
    const bool is_taken = is_complex_element(self.dtype()) ? takes(a, why) : takes_floating<0>(a, why);
    if (!is_taken) return false;
    if (self.numel() == 0 && why != nullptr) *why = "no elements";
    return self.numel() > 0;
}

}  // namespace

void register_distances(const Registration& to) {
    to.add("aten::_cdist_forward", filling<cdist>, takes_wide<0>);
    to.add("aten::_cdist_backward", filling<cdist_backward>, takes_wide<1>);
    to.add("aten::_pdist_forward", filling<pdist>, takes_wide<0>);
    to.add("aten::_pdist_backward", filling<pdist_backward>, takes_wide<1>);
    to.add("aten::linalg_vector_norm", filling<vector_norm>, takes_norm);
}

}  // namespace loupe::cuda
