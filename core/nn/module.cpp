// SPDX-License-Identifier: Apache-2.0
#include "core/nn/module.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/nn/backward_hook.h"

namespace loupe::nn {
namespace {

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

std::string joined(const std::string& prefix, std::string_view name) {
    return prefix.empty() ? std::string(name) : concat(prefix, ".", name);
}

}  // namespace

Module::Module(std::string class_name) : Object(make_ptr<ClassType>(std::move(class_name), true)) {
    set_named("training", true, types::boolean(), AttributeKind::Attribute);
}

Module::Module(Ptr<ClassType> type) : Object(std::move(type)) {}

std::string Module::class_name() const {
    // "__torch__.torch.nn.___torch_mangle_3.Conv2d": the mangle is a part of its own.
    const std::string& name = type_->name();
    const auto dot = name.rfind('.');
    return dot == std::string::npos ? name : name.substr(dot + 1);
}

void Module::check_new_name(const std::string& name, const char* what) const {
    if (name.empty()) run_error(concat(what, " name can't be empty string \"\""));
    if (name.find('.') != std::string::npos) run_error(concat(what, " name can't contain \".\""));
    if (type_->find_attribute(name)) run_error(concat("attribute '", name, "' already exists"));
}

void Module::set_named(const std::string& name, IValue value, TypePtr type, AttributeKind kind) {
    if (const auto slot = type_->find_attribute(name)) {
        set_slot(*slot, std::move(value));
        return;
    }
    set_slot(type_->add_attribute(name, std::move(type), kind), std::move(value));
}

void Module::register_parameter(const std::string& name, const Tensor& parameter) {
    check_new_name(name, "parameter");
    if (parameter.defined() && grad_fn(parameter) != nullptr) {
        run_error(concat("Cannot assign non-leaf Tensor to parameter '", name,
                         "'. Model parameters must be created explicitly. To express '", name,
                         "' as a function of another Tensor, compute the value in the forward() method."));
    }
    if (parameter.defined()) parameter.storage()->set_category(MemoryCategory::Parameter);
    set_named(name, parameter, types::tensor(), AttributeKind::Parameter);
}

void Module::register_buffer(const std::string& name, const Tensor& buffer, bool persistent) {
    check_new_name(name, "buffer");
    if (buffer.defined()) buffer.storage()->set_category(MemoryCategory::Buffer);
    set_named(name, buffer, types::tensor(), AttributeKind::Buffer);
    if (!persistent) non_persistent_.push_back(name);
}

void Module::register_module(const std::string& name, ModulePtr child) {
    check_new_name(name, "module");
    const TypePtr type = child ? TypePtr(child->type()) : types::none();
    set_named(name, Ptr<Object>(std::move(child)), type, AttributeKind::Module);
}

Named<Tensor> Module::own_parameters() const {
    Named<Tensor> out;
    const auto& attributes = type_->attributes();
    for (std::size_t i = 0; i < attributes.size() && i < slots_.size(); ++i) {
        if (attributes[i].kind == AttributeKind::Parameter && slots_[i].is_tensor()) {
            out.emplace_back(attributes[i].name, slots_[i].to_tensor());
        }
    }
    return out;
}

Named<Tensor> Module::own_buffers() const {
    Named<Tensor> out;
    const auto& attributes = type_->attributes();
    for (std::size_t i = 0; i < attributes.size() && i < slots_.size(); ++i) {
        if (attributes[i].kind == AttributeKind::Buffer && slots_[i].is_tensor()) {
            out.emplace_back(attributes[i].name, slots_[i].to_tensor());
        }
    }
    return out;
}

Named<ModulePtr> Module::children() const {
    Named<ModulePtr> out;
    const auto& attributes = type_->attributes();
    for (std::size_t i = 0; i < attributes.size() && i < slots_.size(); ++i) {
        if (attributes[i].kind != AttributeKind::Module) continue;
        if (ModulePtr child = as_module(slots_[i])) out.emplace_back(attributes[i].name, std::move(child));
    }
    return out;
}

Named<IValue> Module::attributes() const {
    Named<IValue> out;
    const auto& attributes = type_->attributes();
    for (std::size_t i = 0; i < attributes.size() && i < slots_.size(); ++i) {
        if (attributes[i].kind == AttributeKind::Attribute) out.emplace_back(attributes[i].name, slots_[i]);
    }
    return out;
}

bool Module::is_persistent(std::string_view buffer) const {
    return std::find(non_persistent_.begin(), non_persistent_.end(), buffer) == non_persistent_.end();
}

template <typename Visit>
void Module::visit_modules(const std::string& prefix, Visit&& visit) {
    // Iterative: a hostile file may nest modules deeply; each object once, so cycles end.
    std::unordered_set<const Module*> seen;
    std::vector<std::pair<std::string, ModulePtr>> stack{{prefix, ModulePtr(this)}};
    while (!stack.empty()) {
        const auto [path, module] = std::move(stack.back());
        stack.pop_back();
        if (!seen.insert(module.get()).second) continue;
        visit(path, module);
        const auto children = module->children();
        for (auto child = children.rbegin(); child != children.rend(); ++child) {
            stack.emplace_back(joined(path, child->first), child->second);
        }
    }
}

Named<Tensor> Module::named_parameters() const {
    Named<Tensor> out;
    std::unordered_set<const TensorImpl*> seen;
    const_cast<Module*>(this)->visit_modules("", [&](const std::string& path, const ModulePtr& module) {
        for (auto& [name, tensor] : module->own_parameters()) {
            if (seen.insert(tensor.impl()).second) out.emplace_back(joined(path, name), tensor);
        }
    });
    return out;
}

Named<Tensor> Module::named_buffers() const {
    Named<Tensor> out;
    std::unordered_set<const TensorImpl*> seen;
    const_cast<Module*>(this)->visit_modules("", [&](const std::string& path, const ModulePtr& module) {
        for (auto& [name, tensor] : module->own_buffers()) {
            if (seen.insert(tensor.impl()).second) out.emplace_back(joined(path, name), tensor);
        }
    });
    return out;
}

Named<ModulePtr> Module::named_modules() {
    Named<ModulePtr> out;
    visit_modules("", [&](const std::string& path, const ModulePtr& module) { out.emplace_back(path, module); });
    return out;
}

ModulePtr Module::get_submodule(std::string_view path) {
    ModulePtr module(this);
    if (path.empty()) return module;
    for (const auto part : split(path, '.')) {
        const auto slot = module->type_->find_attribute(part);
        if (!slot || *slot >= module->slots_.size()) return nullptr;
        module = as_module(module->slots_[*slot]);
        if (!module) return nullptr;
    }
    return module;
}

Tensor Module::get_parameter(std::string_view path) {
    const auto dot = path.rfind('.');
    const auto name = dot == std::string_view::npos ? path : path.substr(dot + 1);
    const ModulePtr owner = get_submodule(dot == std::string_view::npos ? std::string_view() : path.substr(0, dot));
    if (owner) {
        for (const auto& [own, tensor] : owner->own_parameters()) {
            if (own == name) return tensor;
        }
    }
    run_error(concat("no parameter '", path, "'"));
}

Named<Tensor> Module::state_dict() const {
    // Not deduplicated: shared tensors appear under each of their names. A module of a cycle appears once a path step.
    Named<Tensor> out;
    struct Entry {
        std::string path;
        const Module* module;
        std::size_t depth;
    };
    std::vector<Entry> stack{{"", this, 0}};
    while (!stack.empty()) {
        const Entry entry = std::move(stack.back());
        stack.pop_back();
        if (entry.depth > 1000) run_error("modules nest deeper than 1000");
        for (auto& [name, tensor] : entry.module->own_parameters()) out.emplace_back(joined(entry.path, name), tensor);
        for (auto& [name, tensor] : entry.module->own_buffers()) {
            if (entry.module->is_persistent(name)) out.emplace_back(joined(entry.path, name), tensor);
        }
        const auto children = entry.module->children();
        for (auto child = children.rbegin(); child != children.rend(); ++child) {
            stack.push_back({joined(entry.path, child->first), child->second.get(), entry.depth + 1});
        }
    }
    return out;
}

LoadReport Module::load_state_dict(const Named<Tensor>& state, bool strict) {
    LoadReport report;
    std::unordered_map<std::string_view, Tensor> given;
    for (const auto& [name, tensor] : state) given.emplace(name, tensor);
    std::unordered_set<std::string_view> used;
    const Named<Tensor> own = state_dict();
    Named<Tensor> to_copy;
    for (const auto& [name, tensor] : own) {
        const auto found = given.find(name);
        if (found == given.end()) {
            report.missing_keys.push_back(name);
            continue;
        }
        used.insert(found->first);
        const auto a = found->second.sizes();
        const auto b = tensor.sizes();
        if (!std::equal(a.begin(), a.end(), b.begin(), b.end())) {
            report.errors.push_back(concat("size mismatch for ", name, ": copying a param with shape torch.Size(",
                                           shape_list_text(a), ") from checkpoint, the shape in current model is torch.Size(",
                                           shape_list_text(b), ")."));
        } else {
            to_copy.emplace_back(name, tensor);
        }
    }
    for (const auto& [name, tensor] : state) {
        if (!used.contains(name)) report.unexpected_keys.push_back(name);
    }
    if (strict && !report.is_clean()) {
        std::string message = concat("Error(s) in loading state_dict for ", class_name(), ":");
        if (!report.unexpected_keys.empty()) message += concat(" Unexpected key(s): \"", join(report.unexpected_keys, "\", \""), "\".");
        if (!report.missing_keys.empty()) message += concat(" Missing key(s): \"", join(report.missing_keys, "\", \""), "\".");
        for (const auto& error : report.errors) message += " " + error;
        run_error(std::move(message));
    }
    const GradModeScope no_grad(false);
    for (const auto& [name, tensor] : to_copy) {
        gradient_arithmetic().copy(tensor, given.find(name)->second);
        tensor.storage()->bump_version();
    }
    return report;
}

bool Module::is_training() const {
    const auto slot = type_->find_attribute("training");
    return slot && slots_[*slot].is_bool() && slots_[*slot].to_bool();
}

void Module::train(bool mode) {
    visit_modules("", [&](const std::string&, const ModulePtr& module) {
        if (const auto slot = module->type_->find_attribute("training")) module->set_slot(*slot, mode);
    });
}

void Module::set_requires_grad(bool value) {
    for (auto& [name, parameter] : named_parameters()) loupe::set_requires_grad(parameter, value);
}

void Module::zero_grad(bool set_to_none) {
    for (auto& [name, parameter] : named_parameters()) {
        const Tensor grad = grad_of(parameter);
        if (!grad.defined()) continue;
        if (set_to_none) {
            set_grad(parameter, Tensor());
        } else {
            const GradientShape shape{to_dims(grad.sizes()), grad.dtype(), grad.device(), true};
            gradient_arithmetic().copy(grad, gradient_arithmetic().zeros(grad.sizes(), shape));
        }
    }
}

IValue Module::call(std::vector<IValue> inputs) {
    if (!forward_) run_error(concat("Module [", class_name(), "] is missing the required \"forward\" function"));
    const DirectFrame frame(FrameInfo{.function = type_->name(), .module = this});
    return call_with_hooks(std::move(inputs), [this](std::vector<IValue> given) { return forward_(*this, std::move(given)); });
}

IValue Module::call_with_hooks(std::vector<IValue> inputs, const std::function<IValue(std::vector<IValue>)>& run) {
    if (!has_hooks()) return run(std::move(inputs));
    const Ptr<Module> keep(this);
    for (const auto& entry : forward_pre_hooks_.snapshot()) {
        if (auto replaced = entry.hook(*this, inputs)) inputs = std::move(*replaced);
    }
    Ptr<BackwardHookState> state;
    if (!backward_hooks_.empty()) {
        state = make_ptr<BackwardHookState>([keep](const TensorList& grad_inputs, const TensorList& grad_outputs) {
            TensorList result = grad_inputs;
            for (const auto& entry : keep->backward_hooks_.snapshot()) {
                if (auto replaced = entry.hook(*keep, result, grad_outputs)) result = std::move(*replaced);
            }
            return result;
        });
        inputs = state->wrap_inputs(std::move(inputs));
    }
    IValue output = run(inputs);
    for (const auto& entry : forward_hooks_.snapshot()) {
        if (auto replaced = entry.hook(*this, inputs, output)) output = std::move(*replaced);
    }
    return state ? state->wrap_output(std::move(output)) : output;
}

RemovableHandle Module::register_forward_pre_hook(ForwardPreHook hook, bool prepend) {
    return forward_pre_hooks_.add(std::move(hook), prepend);
}
RemovableHandle Module::register_forward_hook(ForwardHook hook, bool prepend) {
    return forward_hooks_.add(std::move(hook), prepend);
}
RemovableHandle Module::register_full_backward_hook(BackwardHook hook, bool prepend) {
    return backward_hooks_.add(std::move(hook), prepend);
}
Module::HookCounts Module::hook_counts() const {
    return {forward_pre_hooks_.size(), forward_hooks_.size(), backward_hooks_.size()};
}

std::string Module::str() const {
    std::string out = class_name() + "(";
    const auto own = children();
    if (own.empty()) return out + ")";
    out += "\n";
    for (const auto& [name, child] : own) {
        std::string text = child->str();
        for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 3)) text.replace(at, 1, "\n  ");
        out += concat("  (", name, "): ", text, "\n");
    }
    return out + ")";
}

ModulePtr as_module(const IValue& value) {
    return value.is_object() ? boost::dynamic_pointer_cast<Module>(value.to_object()) : nullptr;
}

}  // namespace loupe::nn
