// SPDX-License-Identifier: Apache-2.0
// Functions on a whole tree: conversions, gradients on and off, deep copies.
#include <unordered_map>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/dispatch/functions.h"
#include "core/nn/deep_copy.h"
#include "core/nn/layer.h"
#include "core/nn/module.h"
#include "core/nn/weak_module.h"

namespace loupe::nn {

std::string non_leaf_copy_message() {
    return concat(
        "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment",
        is_older_torch() ? ""
                         : ".  If you were attempting to deepcopy a module, this may be because of a "
                           "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001");
}
namespace {

const OperatorHandle<> to_layout("aten::_to_copy");

// Where fn returns another tensor, the object views its elements.
void replace_data(const Tensor& t, const Tensor& with) {
    if (t.is_same(with)) return;
    const bool is_other_kind = t.dtype() != with.dtype() || t.device() != with.device();
    t.set_metadata_from(with);
    // A graph from before still holds the node that takes gradients of the kind of before.
    if (AutogradMeta* const meta = autograd_meta(t); meta != nullptr && is_other_kind) meta->accumulator = nullptr;
}

}  // namespace

void Module::set_requires_grad(bool value) {
    for (auto& [name, parameter] : named_parameters()) loupe::set_requires_grad(parameter, value);
}

void Module::zero_grad(bool set_to_none) {
    for (auto& [name, parameter] : named_parameters()) {
        const Tensor grad = grad_of(parameter);
        if (!grad.defined()) continue;
        if (set_to_none) {
            set_grad(parameter, Tensor());
        } else if (grad.is_sparse()) {
            fn::zero_(grad);
        } else {
            const GradientShape shape{to_dims(grad.sizes()), grad.dtype(), grad.device(), true};
            gradient_arithmetic().copy(grad, gradient_arithmetic().zeros(grad.sizes(), shape));
        }
    }
}

void Module::apply(const std::function<void(Module&)>& fn) {
    const ModulePtr keep(this);
    for (const auto& [name, child] : named_children()) child->apply(fn);
    fn(*this);
}

void Module::apply_to_tensors(const std::function<Tensor(const Tensor&)>& fn) {
    const GradModeScope no_grad(false);
    // Tensors that are shared are converted once.
    for (const auto& [name, parameter] : named_parameters()) {
        replace_data(parameter, fn(parameter));
        parameter.storage()->set_category(MemoryCategory::Parameter);
        if (const Tensor grad = grad_of(parameter); grad.defined()) replace_data(grad, fn(grad));
    }
    std::unordered_map<const TensorImpl*, Tensor> converted;
    for (const auto& [path, module] : named_modules()) {
        for (const auto& [name, buffer] : module->own_buffers()) {
            auto [place, is_new] = converted.try_emplace(buffer.impl());
            if (is_new) place->second = fn(buffer);
            place->second.storage()->set_category(MemoryCategory::Buffer);
            module->set_slot(*module->type_->find_attribute(name), place->second);
        }
    }
}

void Module::to(const ToOptions& options) {
    if (options.dtype && !is_floating(*options.dtype) && !is_complex(*options.dtype)) {
        throw Error(ErrorKind::Run,
                    concat("nn.Module.to only accepts floating point or complex dtypes, but got desired dtype=torch.",
                           dtype_name(*options.dtype)));
    }
    apply_to_tensors([&](const Tensor& t) {
        const bool converts = options.dtype && (is_floating(t.dtype()) || is_complex(t.dtype()));
        const ScalarType dtype = converts ? *options.dtype : t.dtype();
        const Device device = options.device.value_or(t.device());
        const bool has_format = options.memory_format && (t.dim() == 4 || t.dim() == 5);
        if (dtype == t.dtype() && device == t.device() && !has_format) return t;
        const IValue format = has_format ? IValue(*options.memory_format) : IValue();
        return to_layout(t, static_cast<std::int64_t>(dtype), IValue(), device, IValue(), false, format);
    });
}

void Module::to_type(ScalarType dtype) {
    apply_to_tensors([&](const Tensor& t) {
        return t.dtype() == dtype ? t : fn::to_dtype(t, static_cast<std::int64_t>(dtype), false, false, IValue());
    });
}

// Copies values with a memo, so that sharing is preserved.
class Module::Copier {
  public:
    explicit Copier(DeepCopyScope& memory) : memory_(memory) {}
    ModulePtr copy(const Module& from) {
        if (const auto known = memory_.modules.find(&from); known != memory_.modules.end()) return known->second;
        Ptr<ClassType> type = from.type_;
        if (from.owns_type_) {
            type = make_ptr<ClassType>(from.type_->name(), true);
            for (const auto& attribute : from.type_->attributes())
                type->add_attribute(attribute.name, attribute.type, attribute.kind);
        }
        const auto to = make_ptr<Module>(type);
        memory_.modules.emplace(&from, to);
        to->owns_type_ = from.owns_type_;
        to->layer_ = from.layer_;
        to->dynamic_class_ = from.dynamic_class_;
        to->dynamic_name_ = from.dynamic_name_;
        to->forward_ = from.forward_;
        to->extra_repr_ = from.extra_repr_;
        to->non_persistent_ = from.non_persistent_;
        to->uninitialized_ = from.uninitialized_;
        to->methods_ = from.methods_;
        to->methods_.erase(kEndMark);
        for (const ComputedAttribute& each : from.computed_) to->computed_.push_back({each.name, each.get, each.set});
        copy_hooks(from.hooks_, to->hooks_);
        for (std::size_t i = 0; i < from.slots_.size(); ++i) to->set_slot(i, copy(from.slots_[i]));
        return to;
    }

  private:
    // A separate list of the same hooks; old handles do not remove them.
    template <typename List>
    static void copy_list(const List& from, List& to) {
        for (const auto& entry : from.snapshot()) to.add(entry.hook);
    }
    static void copy_hooks(const ModuleHooks& from, ModuleHooks& to) {
        copy_list(from.forward_pre, to.forward_pre);
        copy_list(from.forward, to.forward);
        copy_list(from.backward, to.backward);
        copy_list(from.backward_pre, to.backward_pre);
        copy_list(from.state_dict_pre, to.state_dict_pre);
        copy_list(from.state_dict, to.state_dict);
        copy_list(from.load_pre, to.load_pre);
        copy_list(from.load_post, to.load_post);
    }

    Tensor copy(const Tensor& from) {
        if (const auto known = memory_.tensors.find(from.impl()); known != memory_.tensors.end()) return known->second;
        if (!is_leaf(from)) {
            throw Error(ErrorKind::Run, non_leaf_copy_message());
        }
        Tensor to;
        {
            const GradModeScope no_grad(false);
            to = fn::clone(from, IValue());
        }
        if (is_parameter(from)) {
            to = make_parameter(to, requires_grad(from));
        } else if (requires_grad(from)) {
            loupe::set_requires_grad(to, true);
        }
        to.storage()->set_category(from.storage()->category());
        memory_.tensors.emplace(from.impl(), to);
        // A parameter's copy starts without a gradient, as in PyTorch.
        if (const Tensor grad = grad_of(from); grad.defined() && !is_parameter(from)) set_grad(to, copy(grad));
        return to;
    }

    IValue copy(const IValue& from) {
        if (from.is_tensor()) return copy(from.to_tensor());
        if (from.is_object()) {
            if (const ModulePtr module = as_module(from)) return Ptr<Object>(copy(*module));
            return from;
        }
        if (memory_.copy_other) return memory_.copy_other(from);
        switch (from.tag()) {
            case IValue::Tag::Tuple: {
                std::vector<IValue> elements;
                for (const IValue& element : from.to_tuple().elements) elements.push_back(copy(element));
                return make_ptr<TupleObject>(std::move(elements), from.to_tuple().type);
            }
            case IValue::Tag::List: {
                const auto list = make_ptr<ListObject>(from.to_list().element_type);
                for (const IValue& element : from.to_list().elements) list->elements.push_back(copy(element));
                return list;
            }
            case IValue::Tag::Dict: {
                const auto dict = make_ptr<DictObject>(from.to_dict().key_type, from.to_dict().value_type);
                for (const auto& [key, value] : from.to_dict().entries()) dict->set(key, copy(value));
                return dict;
            }
            default:
                return from;
        }
    }

    DeepCopyScope& memory_;
};

ModulePtr Module::deep_copy() const {
    if (DeepCopyScope* scope = DeepCopyScope::current()) return Copier(*scope).copy(*this);
    DeepCopyScope scope(nullptr);
    return Copier(scope).copy(*this);
}

namespace {
thread_local DeepCopyScope* current_scope = nullptr;
}

DeepCopyScope::DeepCopyScope(std::function<IValue(const IValue&)> copy)
    : ScopedValue(current_scope, this), copy_other(std::move(copy)) {}
DeepCopyScope* DeepCopyScope::current() { return current_scope; }

}  // namespace loupe::nn
