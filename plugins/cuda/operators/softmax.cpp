// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/softmax.h"

#include "core/dispatch/boxing.h"
#include "plugins/cuda/loops/host.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

SoftmaxShape shape_of(const Tensor& t, std::int64_t dim, bool is_log) {
    SoftmaxShape shape;
    shape.element = element_of(t.dtype());
    shape.is_log = is_log;
    if (t.dim() == 0) return shape;
    const auto d = static_cast<std::size_t>(wrap_dim(dim, t.dim()));
    for (std::size_t i = 0; i < t.sizes().size(); ++i)
        (i < d ? shape.outer : i == d ? shape.length : shape.inner) *= t.sizes()[i];
    return shape;
}

template <bool kLog>
void softmax(const Tensor& out, const Tensor& self, std::int64_t dim, bool) {
    if (out.numel() == 0) return;
    const Tensor x = dense(self);
    const Room y(out);
    run_softmax(queue_of(self.device()), shape_of(x, dim, kLog), address_of(x), address_of(y.tensor()));
    y.put_back();
}

template <bool kLog>
void softmax_gradient(const Tensor& out, const Tensor& grad_output, const Tensor& output, std::int64_t dim,
                      ScalarType) {
    if (out.numel() == 0) return;
    const Tensor y = dense(output), grad = dense(grad_output, output.dtype());
    const Room room(out, output.dtype());
    run_softmax_gradient(queue_of(out.device()), shape_of(y, dim, kLog), address_of(grad), address_of(y),
                         address_of(room.tensor()));
    room.put_back();
}

}  // namespace

void register_softmax(const Registration& to) {
    to.add("aten::_softmax", filling<softmax<false>>, takes_floating<0>);
    to.add("aten::_log_softmax", filling<softmax<true>>, takes_floating<0>);
    to.add("aten::_softmax_backward_data", filling<softmax_gradient<false>>, takes_floating<0, 1>);
    to.add("aten::_log_softmax_backward_data", filling<softmax_gradient<true>>, takes_floating<0, 1>);
}

}  // namespace loupe::cuda
