// SPDX-License-Identifier: Apache-2.0
#include "core/autograd/variable.h"

#include "core/autograd/accumulate_grad.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/saving_observer.h"
#include "core/autograd/view_nodes.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/tensor/nested.h"

namespace loupe {

constinit thread_local SavingObserver* detail::thread_saving = nullptr;

namespace {

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

// "ExpBackward0" is "Exp" in PyTorch 2's messages.
std::string operation_name(const Node& node) {
    std::string name(node.name());
    if (is_older_torch()) return name;
    const auto digits = name.find_last_not_of("0123456789");
    const std::string_view stem = std::string_view(name).substr(0, digits + 1);
    return stem.ends_with("Backward") && stem.size() > 8 ? std::string(stem.substr(0, stem.size() - 8)) : name;
}

GradientShape shape_of(const Tensor& t) { return {to_dims(t.sizes()), t.dtype(), t.device(), true}; }

void keep_gradient(const Tensor& t, AutogradMeta& meta) {
    if (meta.retained) *meta.retained = nullptr;
    meta.retained = std::make_shared<TensorImpl*>(t.impl());
    meta.grad_fn->set_retain_grad(meta.output, meta.retained);
}

// A view of a base that was written through another view: its history starts again from the base's.
void refresh_view(const Tensor& t, AutogradMeta& meta) {
    const Tensor& base = meta.view->base;
    if (meta.view->seen_version == t.version() || !requires_grad(base)) return;
    const auto node = make_ptr<AsStridedNode>(place_in_base(t, base), gradient_edge(base), shape_of(base));
    meta.output = node->add_output(t);
    meta.grad_fn = node;
    if (meta.retained) keep_gradient(t, meta);
    meta.view->seen_version = t.version();
}

// Operators on such a view would be recorded without the write.
void check_view_for_recording(const Tensor& t, const AutogradMeta& meta) {
    if (!meta.view || !meta.view->made_without_grad || meta.view->seen_version == t.version()) return;
    if (meta.grad_fn || !GradMode::is_enabled() || !requires_grad(meta.view->base)) return;
    run_error(
        "A view was created in no_grad mode and its base or another view of its base has been modified inplace with "
        "grad mode "
        "enabled. Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by "
        "moving "
        "both the view and the inplace either both inside the no_grad block (if you don't want the inplace to be "
        "tracked) or "
        "both outside (if you want the inplace to be tracked).");
}

}  // namespace

// Of a nested tensor the values have the history.
AutogradMeta* autograd_meta(const Tensor& t) {
    if (t.is_sparse() && is_nested(t)) [[unlikely]]
        return autograd_meta(nested_values(t));
    return static_cast<AutogradMeta*>(t.impl()->autograd.get());
}

AutogradMeta& ensure_autograd_meta(const Tensor& t) {
    if (t.is_sparse() && is_nested(t)) [[unlikely]]
        return ensure_autograd_meta(nested_values(t));
    if (!t.impl()->autograd) t.impl()->autograd = std::make_unique<AutogradMeta>();
    return *autograd_meta(t);
}

bool requires_grad(const Tensor& t) {
    const AutogradMeta* meta = t.defined() ? autograd_meta(t) : nullptr;
    if (meta == nullptr) return false;
    return meta->requires_grad || meta->grad_fn || (meta->view && requires_grad(meta->view->base));
}

void set_requires_grad(const Tensor& t, bool value) {
    if (value && !is_differentiable(t.dtype())) {
        run_error(is_older_torch() ? "only Tensors of floating point and complex dtype can require gradients"
                                   : "only Tensors of floating point dtype can require gradients");
    }
    if (!value && !is_leaf(t)) {
        run_error(
            "you can only change requires_grad flags of leaf variables. If you want to use a computed variable "
            "in a subgraph that doesn't require differentiation use var_no_grad = var.detach().");
    }
    if (!value && autograd_meta(t) == nullptr) return;
    if (is_leaf(t)) ensure_autograd_meta(t).requires_grad = value;
}

bool is_leaf(const Tensor& t) {
    const AutogradMeta* meta = autograd_meta(t);
    return meta == nullptr || grad_fn(t) == nullptr;
}

Tensor grad_of(const Tensor& t) {
    const AutogradMeta* meta = autograd_meta(t);
    if (meta == nullptr) return {};
    return meta->grad.defined() && is_nested(t) ? with_nested_values(t, meta->grad) : meta->grad;
}

void set_grad(const Tensor& t, const Tensor& grad) { ensure_autograd_meta(t).grad = nested_values_or_itself(grad); }

Ptr<Node> grad_fn(const Tensor& t) {
    AutogradMeta* meta = autograd_meta(t);
    if (meta == nullptr) return nullptr;
    if (meta->view && !meta->view->made_without_grad) refresh_view(t, *meta);
    return meta->grad_fn;
}

Edge gradient_edge(const Tensor& t) {
    if (!t.defined()) return {};
    if (t.is_sparse() && is_nested(t)) [[unlikely]]
        return gradient_edge(nested_values(t));
    AutogradMeta* meta = autograd_meta(t);
    if (meta == nullptr) return {};
    check_view_for_recording(t, *meta);
    if (Ptr<Node> node = grad_fn(t)) return {std::move(node), meta->output};
    if (!meta->requires_grad) return {};
    if (meta->accumulator != nullptr) return {Ptr<Node>(meta->accumulator), 0};
    return {make_ptr<AccumulateGrad>(t), 0};
}

void retain_grad(const Tensor& t) {
    if (!requires_grad(t)) run_error("can't retain_grad on Tensor that has requires_grad=False");
    if (is_leaf(t)) return;
    AutogradMeta& meta = ensure_autograd_meta(t);
    if (!meta.retained) keep_gradient(t, meta);
}

RemovableHandle register_hook(const Tensor& t, std::function<Tensor(const Tensor&)> hook) {
    if (!requires_grad(t)) run_error("cannot register a hook on a tensor that doesn't require gradient");
    AutogradMeta& meta = ensure_autograd_meta(t);
    if (const Ptr<Node> node = grad_fn(t)) return node->add_tensor_hook(meta.output, std::move(hook));
    return meta.leaf_hooks.add(std::move(hook));
}

RemovableHandle register_post_accumulate_grad_hook(const Tensor& t, std::function<void(const Tensor&)> hook) {
    if (!requires_grad(t)) run_error("cannot register a hook on a tensor that doesn't require gradient");
    if (!is_leaf(t)) run_error("post accumulate grad hooks cannot be registered on non-leaf tensors");
    return ensure_autograd_meta(t).accumulated_hooks.add(std::move(hook));
}

// Of nested tensors the values have the history.
Tensor detach(const Tensor& t) {
    if (t.is_sparse() && is_nested(t)) return with_nested_values(t, nested_values(t).shallow_copy());
    return t.shallow_copy();
}

Tensor make_parameter(const Tensor& data, bool requires_grad) {
    const Tensor parameter = detach(data);
    ensure_autograd_meta(parameter).is_parameter = true;
    set_requires_grad(parameter, requires_grad);
    return parameter;
}

bool is_parameter(const Tensor& t) {
    const AutogradMeta* meta = autograd_meta(t);
    return meta != nullptr && meta->is_parameter;
}

void set_history(const Tensor& t, const Ptr<Node>& node) {
    AutogradMeta& meta = ensure_autograd_meta(t);
    meta.output = node->add_output(t);
    meta.grad_fn = node;
}

void check_inplace(const Tensor& t, bool will_record) {
    if (!GradMode::is_enabled() || !will_record) return;
    const AutogradMeta* meta = autograd_meta(t);
    if (meta == nullptr) return;
    if (meta->view) {
        const Tensor& base = meta->view->base;
        if (meta->view->is_multi_output && !meta->view->made_without_grad) {
            run_error(concat("Output ", meta->output, " of ", meta->grad_fn ? operation_name(*meta->grad_fn) : "a view",
                             " is a view and is being modified inplace. This view is the output of a function that "
                             "returns multiple views. Such functions do not allow the output views to be modified "
                             "inplace. You should replace the inplace operation by an out-of-place one."));
        }
        if (meta->view->made_without_grad) {
            run_error(
                "A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given "
                "that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by "
                "moving both the view and the inplace either both inside the no_grad block (if you don't want "
                "the inplace to be tracked) or both outside (if you want the inplace to be tracked).");
        }
        if (requires_grad(base) && is_leaf(base)) {
            run_error("a view of a leaf Variable that requires grad is being used in an in-place operation.");
        }
    }
    if (meta->requires_grad && !meta->grad_fn) {
        run_error("a leaf Variable that requires grad is being used in an in-place operation.");
    }
}

void rebase_history(const Tensor& t, const Ptr<Node>& node) {
    AutogradMeta& meta = ensure_autograd_meta(t);
    if (!meta.view || meta.view->made_without_grad) {
        meta.output = node->add_output(t);
        meta.grad_fn = node;
        if (meta.retained) keep_gradient(t, meta);
        return;
    }
    const Tensor base = meta.view->base;
    node->add_output(t);
    const auto slices = make_ptr<CopySlices>(place_in_base(t, base), gradient_edge(base), node);
    AutogradMeta& base_meta = ensure_autograd_meta(base);
    base_meta.output = slices->add_output(base);
    base_meta.grad_fn = slices;
    meta.grad_fn = nullptr;
    meta.view->seen_version = t.version() - 1;  // so that the view is made again from its base
    refresh_view(t, meta);
}

void set_view(const Tensor& result, const Tensor& base, bool is_multi_output) {
    AutogradMeta& meta = ensure_autograd_meta(result);
    const AutogradMeta* base_meta = autograd_meta(base);
    ViewInfo info;
    info.base = base_meta != nullptr && base_meta->view ? base_meta->view->base : base;
    info.is_multi_output =
        is_multi_output || (base_meta != nullptr && base_meta->view && base_meta->view->is_multi_output);
    const bool is_of_such = base_meta != nullptr && base_meta->view && base_meta->view->made_without_grad;
    info.made_without_grad = !GradMode::is_enabled() || (is_of_such && !is_multi_output);
    info.seen_version = result.version();
    meta.view = std::move(info);
}

namespace {
thread_local SavedTensorHooks* newest_hooks = nullptr;
thread_local std::optional<std::string> hooks_disabled;  // why
}  // namespace

SavedTensorHooks::SavedTensorHooks(PackHook pack) : pack_(std::move(pack)), before_(newest_hooks) {
    if (hooks_disabled) run_error(*hooks_disabled);
    newest_hooks = this;
}
SavedTensorHooks::~SavedTensorHooks() {
    // Mostly the newest; a program may leave them in another order.
    SavedTensorHooks** place = &newest_hooks;
    while (*place != nullptr && *place != this) place = &(*place)->before_;
    if (*place == this) *place = before_;
}

SavedTensorHooksDisabled::SavedTensorHooksDisabled(std::string message)
    : ScopedValue(hooks_disabled, std::move(message)) {
    if (newest_hooks != nullptr) run_error(*hooks_disabled);
}

void SavedTensor::pack(const Tensor& t, const SavedTensorHooks& hooks) {
    packed_ = make_ptr<Packed>();
    if (requires_grad_ && !is_output_) packed_->edge = gradient_edge(t);
    const GradModeScope no_grad(false);
    // Holding the output itself would make a cycle: output -> node -> packed output.
    packed_->tensor = hooks.pack_(is_output_ ? detach(t) : t);
    if (t.version() != version_) {
        run_error(
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook can not "
            "be "
            "modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if you "
            "need to "
            "perform in-place operations on the input to a pack hook.");
    }
}

Tensor SavedTensor::unpack_packed(const Ptr<Node>& owner) const {
    const Tensor data = packed_->tensor->unpack();
    if (!data.defined() || !requires_grad_) return data;
    Tensor out = data.shallow_copy();
    AutogradMeta& meta = ensure_autograd_meta(out);
    meta.grad_fn = is_output_ ? owner : packed_->edge.node;
    meta.output = is_output_ ? output_ : packed_->edge.input;
    return out;
}

SavedTensor::SavedTensor(const Tensor& t, bool is_output) : is_output_(is_output) {
    if (!t.defined()) return;
    version_ = t.version();
    const AutogradMeta* meta = autograd_meta(t);
    requires_grad_ = requires_grad(t);
    if (newest_hooks != nullptr) [[unlikely]] {
        if (is_output) output_ = meta != nullptr ? meta->output : 0;
        pack(t, *newest_hooks);
        return;
    }
    if (is_output) {
        // Holding the output itself would make a cycle: output -> node -> output.
        data_ = t.shallow_copy();
        output_ = meta != nullptr ? meta->output : 0;
    } else {
        data_ = t;
    }
    if (SavingObserver* const observer = saving_observer()) [[unlikely]]
        observer->on_saved(t);
}

Tensor SavedTensor::unpack(const Ptr<Node>& owner) const {
    if (packed_) [[unlikely]]
        return unpack_packed(owner);
    if (!data_.defined()) return {};
    if (data_.version() != version_) {
        std::string origin;
        if (is_output_)
            origin = concat(", which is output ", output_, " of ", operation_name(*owner), ",");
        else if (const Ptr<Node> node = grad_fn(data_))
            origin = concat(", which is output ", autograd_meta(data_)->output, " of ", operation_name(*node), ",");
        run_error(concat(
            "one of the variables needed for gradient computation has been modified by an inplace "
            "operation: [torch.",
            dtype_graph_name(data_.dtype()), "Tensor ", shape_list_text(data_.sizes()), "]", origin, " is at version ",
            data_.version(), "; expected version ", version_,
            " instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
            "torch.autograd.set_detect_anomaly(True",
            is_older_torch() ? ")." : ", check_nan=False)."));
    }
    if (!is_output_ || !requires_grad_) return data_;
    Tensor out = data_.shallow_copy();
    AutogradMeta& meta = ensure_autograd_meta(out);
    meta.grad_fn = owner;
    meta.output = output_;
    return out;
}

}  // namespace loupe
