// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/losses.h"

#include "core/dispatch/boxing.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

// x [N, C] or [C], or [N, C, H, W].
NllShape shape_of(const Tensor& x, std::int64_t reduction, std::int64_t ignored, Fault* fault) {
    NllShape shape;
    const IntSpan sizes = x.sizes();
    shape.classes = sizes.size() == 1 ? sizes[0] : sizes[1];
    shape.batch = sizes.size() == 1 ? 1 : sizes[0];
    for (std::size_t d = 2; d < sizes.size(); ++d) shape.pixels *= sizes[d];
    shape.reduction = static_cast<int>(reduction);
    shape.ignored = ignored;
    shape.element = element_of(x.dtype());
    shape.fault = fault;
    return shape;
}
const std::int64_t* whole(const Tensor& t) { return static_cast<const std::int64_t*>(address_of(t)); }

void forward(const Tensor& out, const Tensor& total, const Tensor& self, const Tensor& target, const Tensor& weight,
             std::int64_t reduction, std::int64_t ignored) {
    const Tensor x = dense(self), classes = dense(target), w = dense(weight, self.dtype());
    const Room to(out), sum(total);
    const Queue queue = queue_of(self.device());
    run_nll(queue, shape_of(x, reduction, ignored, fault_for(queue, "aten::nll_loss")), address_of(x), whole(classes),
            address_of(w), address_of(to.tensor()), address_of(sum.tensor()));
    to.put_back();
    sum.put_back();
    check_faults(queue);
}

void backward(const Tensor& out, const Tensor& grad_output, const Tensor& self, const Tensor& target,
              const Tensor& weight, std::int64_t reduction, std::int64_t ignored, const Tensor& total) {
    if (out.numel() == 0) return;
    const ScalarType dtype = out.dtype();
    const Tensor grad = dense(grad_output, dtype), classes = dense(target), w = dense(weight, dtype),
                 sum = dense(total, dtype);
    const Room to(out);
    const Queue queue = queue_of(out.device());
    fill_with(to.tensor(), 0);
    run_nll_gradient(queue, shape_of(self, reduction, ignored, fault_for(queue, "aten::nll_loss_backward")),
                     address_of(grad), whole(classes), address_of(w), address_of(sum), address_of(to.tensor()));
    to.put_back();
    check_faults(queue);
}

// A target each, and a gradient that has the sizes it is read with.
bool takes_forward(Arguments a, std::string* why) { return takes_floating<0, 2>(a, why); }
bool takes_backward(Arguments a, std::string* why) {
    if (!takes_floating<0, 1, 3, 6>(a, why)) return false;
    const Tensor grad = a[0].to_tensor(), total = a[6].to_tensor();
    const bool keeps = a[4].to_int() == 0;
    const bool fits = grad.numel() == (keeps ? a[2].to_tensor().numel() : 1) && (keeps || total.numel() == 1);
    if (!fits && why != nullptr) *why = "sizes that do not fit";
    return fits;
}

}  // namespace

void register_losses(const Registration& to) {
    to.add("aten::nll_loss_forward", filling<forward, 2>, takes_forward);
    to.add("aten::nll_loss_backward", filling<backward>, takes_backward);
    to.add("aten::nll_loss2d_forward", filling<forward, 2>, takes_forward);
    to.add("aten::nll_loss2d_backward", filling<backward>, takes_backward);
}

}  // namespace loupe::cuda
