// SPDX-License-Identifier: Apache-2.0
#include "core/autograd/accumulate_grad.h"

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"

namespace loupe {
namespace {

// A gradient has the strides of its variable where that is dense, and is contiguous otherwise.
bool obeys_layout(const Tensor& grad, const Tensor& variable) {
    if (!variable.is_non_overlapping_and_dense()) return grad.is_contiguous();
    if (grad.is_contiguous() && variable.is_contiguous()) return true;
    const auto a = grad.strides();
    const auto b = variable.strides();
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// No other reference to the elements, except the base of a view that covers all of it and is its only owner.
bool is_held_alone(const Tensor& grad) {
    if (grad.impl()->use_count() != 1) return false;
    const auto holders = grad.storage()->use_count();
    if (holders == 1) return true;
    const AutogradMeta* meta = autograd_meta(grad);
    const bool has_own_base = meta != nullptr && meta->view && meta->view->base.impl()->use_count() == 1;
    return holders == 2 && has_own_base && grad.storage()->bytes() == grad.bytes();
}

Tensor with_layout_of(const Tensor& grad, const Tensor& variable) {
    if (obeys_layout(grad, variable)) return gradient_arithmetic().clone(grad);
    const Dims dense = contiguous_strides(variable.sizes());
    return gradient_arithmetic().restride(
        grad, variable.is_non_overlapping_and_dense() ? variable.strides() : span_of(dense));
}

}  // namespace

AccumulateGrad::AccumulateGrad(Tensor variable) : Node(kFirst), variable_(std::move(variable)) {
    add_output(variable_);
    ensure_autograd_meta(variable_).accumulator = this;
}

AccumulateGrad::~AccumulateGrad() {
    if (AutogradMeta* meta = autograd_meta(variable_); meta != nullptr && meta->accumulator == this) {
        meta->accumulator = nullptr;
    }
}

void AccumulateGrad::run_leaf_hooks(Tensor& grad) const {
    for (const auto& entry : ensure_autograd_meta(variable_).leaf_hooks.snapshot()) {
        if (!grad.defined()) return;
        if (Tensor replacement = entry.hook(grad); replacement.defined()) grad = std::move(replacement);
    }
}

TensorList AccumulateGrad::apply(TensorList grads) {
    Tensor grad = std::move(grads[0]);
    grads.clear();
    AutogradMeta& meta = ensure_autograd_meta(variable_);
    run_leaf_hooks(grad);
    if (!grad.defined() || !meta.requires_grad) return {};
    const bool record = GradMode::is_enabled();
    if (grad.is_sparse() && !meta.grad.defined()) {
        meta.grad = detach(grad);
    } else if (meta.grad.defined() && meta.grad.is_sparse() && !grad.is_sparse()) {
        meta.grad = gradient_arithmetic().add(grad, meta.grad);
    } else if (!meta.grad.defined()) {
        if (!record && is_held_alone(grad) && obeys_layout(grad, variable_)) {
            meta.grad = detach(grad);
        } else {
            meta.grad = with_layout_of(grad, variable_);
        }
        meta.grad.storage()->set_category(MemoryCategory::Gradient);
    } else if (record) {
        meta.grad = gradient_arithmetic().add(meta.grad, grad);
    } else {
        gradient_arithmetic().add_in_place(meta.grad, grad);
    }
    for (const auto& entry : meta.accumulated_hooks.snapshot()) entry.hook(variable_);
    return {};
}

}  // namespace loupe
