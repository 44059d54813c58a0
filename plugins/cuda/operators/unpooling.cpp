// SPDX-License-Identifier: Apache-2.0
// Pools whose windows are drawn at random, and values put back where a pool found them.
#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "plugins/cuda/loops/fractional_pooling.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

// Planes as rows of [planes, pixels].
Tensor flat_planes(const Tensor& t, std::size_t spatial) {
    const Tensor x = dense(t);
    const std::int64_t pixels = checked_numel(x.sizes().last(spatial));
    return fn::view(x, Dims{pixels == 0 ? 0 : x.numel() / pixels, pixels});
}

template <std::size_t kSpatial>
void put_at_indices(const Tensor& out, const Tensor& self, const Tensor& indices) {
    if (out.numel() == 0) return;
    static const OperatorHandle<> scatter("aten::scatter.src");
    const std::int64_t pixels = checked_numel(out.sizes().last(kSpatial));
    const Tensor values = flat_planes(self, kSpatial);
    const Tensor none = zeros(std::array{out.numel() / pixels, pixels}, out.dtype(), out.device());
    const Tensor put =
        values.numel() == 0 ? none : scatter(none, std::int64_t{1}, flat_planes(indices, kSpatial), values);
    copy_into(out, fn::view(put, to_dims(out.sizes())));
}
void unpool2d(const Tensor& out, const Tensor& self, const Tensor& indices, const Dims&) {
    put_at_indices<2>(out, self, indices);
}
void unpool3d(const Tensor& out, const Tensor& self, const Tensor& indices, const Dims&, const Dims&, const Dims&) {
    put_at_indices<3>(out, self, indices);
}

template <std::size_t kSpatial>
void fractional_pool(const Tensor& out, const Tensor& indices, const Tensor& self, const Dims& kernel,
                     const Dims& output, const Tensor& samples) {
    if (out.numel() == 0) return;
    const Queue queue = queue_of(self.device());
    FractionalShape s;
    s.element = element_of(self.dtype());
    s.spatial = static_cast<int>(kSpatial);
    s.planes = out.numel() / checked_numel(span_of(output));
    s.fault = fault_for(queue, kSpatial == 2 ? "aten::fractional_max_pool2d" : "aten::fractional_max_pool3d");
    for (std::size_t d = 0; d < kSpatial; ++d) {
        const std::size_t to = 3 - kSpatial + d;
        s.input[to] = self.sizes()[self.sizes().size() - kSpatial + d];
        s.output[to] = output[d];
        s.kernel[to] = kernel[d];
    }
    const Tensor x = dense(self), drawn = dense(samples);
    const Room to(out), at(indices);
    run_fractional_pool(queue, s, address_of(x), address_of(drawn), address_of(to.tensor()),
                        static_cast<std::int64_t*>(address_of(at.tensor())));
    to.put_back();
    at.put_back();
    check_faults(queue);
}

// What meets at one place is added up in the order of the windows.
template <std::size_t kSpatial>
void fractional_pool_backward(const Tensor& out, const Tensor& grad, const Tensor& self, const Dims&, const Dims&,
                              const Tensor& indices) {
    if (out.numel() == 0) return;
    const std::int64_t pixels = checked_numel(self.sizes().last(kSpatial));
    const Tensor none = zeros(std::array{out.numel() / pixels, pixels}, out.dtype(), out.device());
    const Tensor sums = grad.numel() == 0 ? none
                                          : fn::scatter_add(none, std::int64_t{1}, flat_planes(indices, kSpatial),
                                                            flat_planes(grad, kSpatial));
    copy_into(out, fn::view(sums, to_dims(out.sizes())));
}

}  // namespace

void register_unpooling(const Registration& to) {
    to.add("aten::max_unpool2d", filling<unpool2d>, takes_floating<0>);
    to.add("aten::max_unpool3d", filling<unpool3d>, takes_floating<0>);
    to.add("aten::fractional_max_pool2d", filling<fractional_pool<2>, 2>, takes_floating<0, 3>);
    to.add("aten::fractional_max_pool3d", filling<fractional_pool<3>, 2>, takes_floating<0, 3>);
    to.add("aten::fractional_max_pool2d_backward", filling<fractional_pool_backward<2>>, takes_floating<0, 1>);
    to.add("aten::fractional_max_pool3d_backward", filling<fractional_pool_backward<3>>, takes_floating<0, 1>);
}

}  // namespace loupe::cuda
