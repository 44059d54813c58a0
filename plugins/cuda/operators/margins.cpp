// SPDX-License-Identifier: Apache-2.0
// Margin losses over classes.
#include "plugins/cuda/loops/margins.h"

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/kernels/elementwise.h"
#include "core/tensor/device_copy.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

constexpr std::int64_t kNone = 0, kMean = 1;

// self: [samples, classes], or [classes].
MarginShape margins_of(const Tensor& self, std::int64_t reduction, Fault* fault) {
    MarginShape shape;
    shape.element = element_of(self.dtype());
    shape.classes = self.dim() == 0 ? 1 : self.size(-1);
    shape.samples = self.dim() < 2 ? 1 : self.size(0);
    shape.share = reduction == kMean ? 1.0 / static_cast<double>(shape.samples) : 1.0;
    shape.fault = fault;
    return shape;
}
const std::int64_t* labels_of(const Tensor& t) { return static_cast<const std::int64_t*>(address_of(t)); }
Tensor on_same(const Tensor& t, const Tensor& like) {
    return dense(t.device() == like.device() ? t : on_device(t, like.device()));
}

void reduce_losses(const Tensor& out, const Tensor& losses, std::int64_t reduction) {
    if (reduction == kNone)
        copy_into(out, fn::reshape(losses, to_dims(out.sizes())));
    else
        copy_into(out, reduction == kMean ? fn::mean(losses) : fn::sum(losses));
}

void multi_margin(const Tensor& out, const Tensor& self, const Tensor& target, const Scalar& p, const Scalar& margin,
                  const Tensor& weight, std::int64_t reduction) {
    const Tensor x = dense(self), labels = on_same(target, self), w = dense(weight);
    const Queue queue = queue_of(self.device());
    MarginShape shape = margins_of(self, reduction, fault_for(queue, "aten::multi_margin_loss"));
    shape.is_square = p.to_double() == 2;
    shape.margin = margin.to_double();
    const Tensor losses = empty(std::array{shape.samples}, self.dtype(), self.device());
    run_multi_margin(queue, shape, address_of(x), labels_of(labels), address_of(w), address_of(losses));
    reduce_losses(out, losses, reduction);
    check_faults(queue);
}
void multi_margin_backward(const Tensor& out, const Tensor& grad, const Tensor& self, const Tensor& target,
                           const Scalar& p, const Scalar& margin, const Tensor& weight, std::int64_t reduction) {
    const Tensor x = dense(self), labels = on_same(target, self), w = dense(weight), g = dense(grad, self.dtype());
    const Queue queue = queue_of(self.device());
    MarginShape shape = margins_of(self, reduction, fault_for(queue, "aten::multi_margin_loss_backward"));
    shape.is_square = p.to_double() == 2;
    shape.margin = margin.to_double();
    shape.has_each = g.numel() == shape.samples;
    const Room to(out);
    run_multi_margin_slope(queue, shape, address_of(g), address_of(x), labels_of(labels), address_of(w),
                           address_of(to.tensor()));
    to.put_back();
    check_faults(queue);
}

void multilabel_margin(const Tensor& out, const Tensor& is_target, const Tensor& self, const Tensor& target,
                       std::int64_t reduction) {
    const Tensor x = dense(self), labels = on_same(target, self);
    const Queue queue = queue_of(self.device());
    const MarginShape shape = margins_of(self, reduction, fault_for(queue, "aten::multilabel_margin_loss_forward"));
    const Tensor losses = empty(std::array{shape.samples}, self.dtype(), self.device());
    const Room marks(is_target, self.dtype());
    fill_with(marks.tensor(), 0);
    run_multilabel_margin(queue, shape, address_of(x), labels_of(labels), address_of(marks.tensor()),
                          address_of(losses));
    marks.put_back();
    reduce_losses(out, losses, reduction);
    check_faults(queue);
}
void multilabel_margin_backward(const Tensor& out, const Tensor& grad, const Tensor& self, const Tensor& target,
                                std::int64_t reduction, const Tensor& is_target) {
    const Tensor x = dense(self), labels = on_same(target, self), marks = dense(is_target, self.dtype()),
                 g = dense(grad, self.dtype());
    const Queue queue = queue_of(self.device());
    MarginShape shape = margins_of(self, reduction, fault_for(queue, "aten::multilabel_margin_loss_backward"));
    shape.has_each = g.numel() == shape.samples;
    const Room to(out);
    fill_with(to.tensor(), 0);
    run_multilabel_margin_slope(queue, shape, address_of(g), address_of(x), labels_of(labels), address_of(marks),
                                address_of(to.tensor()));
    to.put_back();
    check_faults(queue);
}

// Wide numbers of one sample at least, and a gradient for all or for each.
template <std::size_t kSelf>
bool takes_rows(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const Tensor self = a[kSelf].to_tensor();
    const bool is_wide = self.dtype() == ScalarType::Float32 || self.dtype() == ScalarType::Float64;
    if (!is_wide && why != nullptr) *why = std::string(dtype_name(self.dtype())) + " input";
    if (!is_wide) return false;
    const std::int64_t samples = self.dim() < 2 ? 1 : self.size(0);
    bool fits = self.numel() > 0;
    if (kSelf == 1) fits = fits && (a[0].to_tensor().numel() == 1 || a[0].to_tensor().numel() == samples);
    if (!fits && why != nullptr) *why = "sizes that do not fit";
    return fits;
}

}  // namespace

void register_margins(const Registration& to) {
    to.add("aten::multi_margin_loss", filling<multi_margin>, takes_rows<0>);
    to.add("aten::multi_margin_loss_backward", filling<multi_margin_backward>, takes_rows<1>);
    to.add("aten::multilabel_margin_loss_forward", filling<multilabel_margin, 2>, takes_rows<0>);
    to.add("aten::multilabel_margin_loss_backward", filling<multilabel_margin_backward>, takes_rows<1>);
}

}  // namespace loupe::cuda
