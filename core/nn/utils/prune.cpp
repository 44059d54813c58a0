// SPDX-License-Identifier: Apache-2.0
#include "core/nn/utils/prune.h"

#include "core/base/strings.h"
#include "core/base/typed_error.h"
#include "core/dispatch/functions.h"
#include "core/nn/utils/gradients.h"
#include "core/nn/utils/hook_search.h"

namespace loupe::nn {
namespace {

struct PruningHook {
    PruningMethodPtr method;

    std::optional<CallArguments> operator()(Module& module, const CallArguments&) const {
        module.set_attribute(method->tensor_name, method->apply_mask(module));
        return std::nullopt;
    }
};

[[noreturn]] void fail_assertion(std::string message) { throw TypedError("AssertionError", std::move(message)); }

bool same_sizes(const Tensor& a, const Tensor& b) { return std::ranges::equal(a.sizes(), b.sizes()); }
Tensor as_dtype_of(const Tensor& t, const Tensor& like) {
    return fn::to_dtype(t, static_cast<std::int64_t>(like.dtype()));
}

// Takes the parameter's hook off; the method that is to be applied instead of it.
PruningMethodPtr joined_method(Module& module, const std::string& name, const PruningMethodPtr& method) {
    const PruningMethodPtr before = pruning_of(module, name);
    method->tensor_name = name;
    if (!before) return method;
    remove_hook<PruningHook>(module.hooks().forward_pre,
                             [&](const PruningHook& hook) { return hook.method->tensor_name == name; });
    if (const auto container = boost::dynamic_pointer_cast<PruningContainer>(before)) {
        container->add(method);
        return container;
    }
    const auto container = make_ptr<PruningContainer>();
    container->tensor_name = name;
    container->add(before);
    container->add(method);
    return container;
}

}  // namespace

Tensor PruningMethod::prune(const Tensor& t, const Tensor& default_mask, const Tensor& scores) {
    if (scores.defined() && !same_sizes(scores, t))
        fail_assertion("importance_scores should have the same shape as tensor t");
    const Tensor mask = default_mask.defined() ? default_mask : fn::ones_like(t);
    return fn::mul(t, compute_mask(scores.defined() ? scores : t, mask));
}

Tensor PruningMethod::apply_mask(const Module& module) const {
    const Tensor original = module.attribute(tensor_name + "_orig").to_tensor();
    return fn::mul(as_dtype_of(module.attribute(tensor_name + "_mask").to_tensor(), original), original);
}

void PruningContainer::add(PruningMethodPtr method) {
    if (method->tensor_name != tensor_name) {
        fail_with_value(concat("Can only add pruning methods acting on the parameter named '", tensor_name,
                               "' to PruningContainer ", class_name(), ". Found '", method->tensor_name, "'"));
    }
    methods_.push_back(std::move(method));
}

Tensor PruningContainer::compute_mask(const Tensor& scores, const Tensor& mask) {
    PruningMethod& method = *methods_.back();
    const Tensor whole = fn::clone(as_dtype_of(mask, scores), 0);
    if (method.kind() == Kind::Global) return as_dtype_of(method.compute_mask(scores, mask), whole);
    if (method.kind() == Kind::Unstructured) {
        const Tensor kept = fn::eq_scalar(mask, Scalar(1));
        const Tensor part = method.compute_mask(fn::masked_select(scores, kept), fn::masked_select(mask, kept));
        return fn::masked_scatter(whole, kept, as_dtype_of(part, whole));
    }
    if (!method.dim()) {
        throw TypedError("AttributeError",
                         "Pruning methods of PRUNING_TYPE \"structured\" need to have the attribute `dim` defined.");
    }
    const std::int64_t dims = scores.dim();
    const std::int64_t dim = *method.dim() < 0 ? *method.dim() + dims : *method.dim();
    if (dim < 0) throw TypedError("IndexError", concat("Index is out of bounds for tensor with dimensions ", dims));
    Dims others;
    for (std::int64_t d = 0; d < dims; ++d) {
        if (d != dim) others.push_back(d);
    }
    const Tensor kept = fn::flatten(fn::nonzero(fn::ne_scalar(fn::sum_dim(mask, others, false), Scalar(0))), 0, -1);
    const Tensor part = method.compute_mask(fn::index_select(scores, dim, kept), fn::index_select(mask, dim, kept));
    return fn::index_copy(whole, dim, kept, as_dtype_of(part, whole));
}

PruningMethodPtr apply_pruning(Module& module, const std::string& name, const PruningMethodPtr& given,
                               const Tensor& given_scores) {
    const PruningMethodPtr method = joined_method(module, name, given);
    const bool is_first = method == given;
    const Tensor original = module.attribute(name).to_tensor();
    if (given_scores.defined() && !same_sizes(given_scores, original)) {
        fail_assertion(concat("importance_scores should have the same shape as parameter                 ", name,
                              " of ", module.str()));
    }
    Tensor mask;
    if (is_first) {
        module.register_parameter(name + "_orig", original);
        module.delete_attribute(name);
        mask = fn::ones_like(original);
    } else {
        mask = fn::clone(detach(module.attribute(name + "_mask").to_tensor()), 0);
    }
    try {
        module.register_buffer(name + "_mask",
                               method->compute_mask(given_scores.defined() ? given_scores : original, mask));
        module.set_attribute(name, method->apply_mask(module));
        module.register_forward_pre_hook(ForwardPreHookWithKeywords(PruningHook{method}));
    } catch (...) {
        if (is_first) {
            module.delete_attribute(name + "_orig");
            module.register_parameter(name, original);
        }
        throw;
    }
    return method;
}

void remove_pruning(Module& module, const std::string& name) {
    const PruningMethodPtr method = pruning_of(module, name);
    if (!method) {
        fail_with_value(concat("Parameter '", name, "' of module ", module.str(),
                               " has to be pruned before pruning can be removed"));
    }
    const Tensor pruned = method->apply_mask(module);
    if (module.find_attribute(name) != nullptr) module.delete_attribute(name);
    const Tensor original = module.attribute(name + "_orig").to_tensor();
    original.set_metadata_from(pruned);
    module.delete_attribute(name + "_orig");
    module.delete_attribute(name + "_mask");
    module.set_attribute(name, original);
    remove_hook<PruningHook>(module.hooks().forward_pre,
                             [&](const PruningHook& hook) { return hook.method->tensor_name == name; });
}

bool is_pruned(Module& module) {
    for (const auto& [path, each] : module.named_modules()) {
        if (!prunings_of(*each).empty()) return true;
    }
    return false;
}

PruningMethodPtr pruning_of(Module& module, std::string_view name) {
    const auto* hook = find_hook<PruningHook>(
        module.hooks().forward_pre, [&](const PruningHook& each) { return each.method->tensor_name == name; });
    return hook == nullptr ? nullptr : hook->method;
}

PruningMethodPtr pruning_method_of(const ForwardPreHookWithKeywords& hook) {
    const auto* found = hook.target<PruningHook>();
    return found == nullptr ? nullptr : found->method;
}

std::vector<std::pair<std::string, std::string>> prunings_of(Module& module) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const auto& entry : module.hooks().forward_pre.snapshot()) {
        const auto* hook = entry.hook.target<PruningHook>();
        if (hook != nullptr) out.emplace_back(hook->method->tensor_name, hook->method->class_name());
    }
    return out;
}

void global_unstructured(const std::vector<std::pair<ModulePtr, std::string>>& parameters,
                         const PruningMethodPtr& method, const TensorList& scores) {
    if (method->kind() != PruningMethod::Kind::Unstructured) {
        const char* const kind = method->kind() == PruningMethod::Kind::Structured ? "structured" : "global";
        fail_with_type(concat("Only \"unstructured\" PRUNING_TYPE supported for the `pruning_method`. Found method ",
                              method->class_name(), " of type ", kind));
    }
    TensorList all_scores, masks;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const auto& [module, name] = parameters[i];
        const Tensor t = module->attribute(name).to_tensor();
        all_scores.push_back(i < scores.size() && scores[i].defined() ? scores[i] : t);
        const IValue* mask = module->find_attribute(name + "_mask");
        masks.push_back(mask != nullptr && mask->is_tensor() ? mask->to_tensor() : fn::ones_like(t));
    }
    PruningContainer container;
    container.tensor_name = method->tensor_name = "temp";
    container.add(method);
    const Tensor mask = container.compute_mask(parameters_to_vector(all_scores), parameters_to_vector(masks));
    std::int64_t at = 0;
    for (const auto& [module, name] : parameters) {
        const Tensor t = module->attribute(name).to_tensor();
        apply_pruning(*module, name,
                      custom_from_mask(fn::view(fn::narrow(mask, 0, at, t.numel()), to_dims(t.sizes()))));
        at += t.numel();
    }
}

}  // namespace loupe::nn
