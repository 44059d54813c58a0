// SPDX-License-Identifier: Apache-2.0
// A module's members by name.
#include "core/nn/module.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/nn/layer.h"
#include "core/value/bind_arguments.h"

namespace loupe::nn {
namespace {

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

std::string joined(const std::string& prefix, std::string_view name) {
    return prefix.empty() ? std::string(name) : concat(prefix, ".", name);
}

// torch.typename().
std::string torch_type_name(const IValue& value) {
    return value.is_tensor() ? tensor_type_name(value.to_tensor().dtype()) : python_type_name(value);
}

}  // namespace

Module::Module(std::string class_name) : Object(make_ptr<ClassType>(std::move(class_name), true)), owns_type_(true) {
    construct();
}
Module::Module(Ptr<ClassType> type) : Object(std::move(type)) {}
Module::Module(const LayerRecord& record)
    : Object(make_ptr<ClassType>(concat("__torch__.", record.module, ".", record.name), true)),
      owns_type_(true),
      layer_(&record) {
    construct();
}
Module::Module(Ptr<RefCounted> dynamic_class, std::string class_name)
    : Object(make_ptr<ClassType>(concat("__torch__.", class_name), true)),
      owns_type_(true),
      dynamic_class_(std::move(dynamic_class)),
      dynamic_name_(std::move(class_name)) {}

std::string Module::class_name() const {
    if (!dynamic_name_.empty()) return dynamic_name_;
    if (owns_type_ && layer_ != nullptr) return std::string(layer_->name);
    // "__torch__.torch.nn.___torch_mangle_3.Conv2d": the mangle is a separate part.
    const std::string& name = type_->name();
    const auto dot = name.rfind('.');
    return dot == std::string::npos ? name : name.substr(dot + 1);
}

void Module::set_dynamic_class(Ptr<RefCounted> dynamic_class, std::string class_name) {
    dynamic_class_ = std::move(dynamic_class);
    dynamic_name_ = std::move(class_name);
}

const ForwardWithKeywords* Module::method(const std::string& name) const {
    if (methods_.empty()) return nullptr;
    const auto found = methods_.find(name);
    return found == methods_.end() || !found->second ? nullptr : &found->second;
}

void Module::set_computed(ComputedAttribute attribute) {
    if (find_attribute(attribute.name) != nullptr) run_error(concat("attribute '", attribute.name, "' already exists"));
    computed_.push_back(std::move(attribute));
}
void Module::remove_computed(std::string_view name) {
    std::erase_if(computed_, [name](const ComputedAttribute& each) { return each.name == name; });
}
bool Module::is_computed(std::string_view name) const {
    return std::ranges::any_of(computed_, [name](const ComputedAttribute& each) { return each.name == name; });
}

void Module::construct() {
    if (!is_constructed()) set_named("training", true, types::boolean(), AttributeKind::Attribute);
}

bool Module::is_constructed() const { return !owns_type_ || type_->find_attribute("training").has_value(); }

void Module::check_constructed(const char* what) const {
    if (!is_constructed()) run_error(concat("cannot assign ", what, " before Module.__init__() call"));
}

void Module::check_new_name(const std::string& name, const char* what, AttributeKind kind) const {
    if (name.find('.') != std::string::npos) {
        run_error(
            concat(what, " name can't contain \".\"", kind == AttributeKind::Module ? concat(", got: ", name) : ""));
    }
    if (name.empty()) run_error(concat(what, " name can't be empty string \"\""));
    const auto slot = type_->find_attribute(name);
    if (slot && type_->attributes()[*slot].kind != kind) run_error(concat("attribute '", name, "' already exists"));
}

void Module::set_named(const std::string& name, IValue value, TypePtr type, AttributeKind kind) {
    if (const auto slot = type_->find_attribute(name)) {
        if (owns_type_) type_->set_attribute_type(*slot, std::move(type), kind);
        set_slot(*slot, std::move(value));
        return;
    }
    set_slot(type_->add_attribute(name, std::move(type), kind), std::move(value));
}

void Module::remove_named(std::string_view name) {
    const auto slot = type_->find_attribute(name);
    if (!slot || !owns_type_) return;
    type_->remove_attribute(*slot);
    if (*slot < slots_.size()) slots_.erase(slots_.begin() + static_cast<std::ptrdiff_t>(*slot));
    std::erase(non_persistent_, name);
}

void Module::register_parameter(const std::string& name, const Tensor& parameter) {
    check_constructed("parameter");
    check_new_name(name, "parameter", AttributeKind::Parameter);
    Tensor registered = parameter;
    if (parameter.defined()) {
        if (grad_fn(parameter) != nullptr) {
            run_error(concat("Cannot assign non-leaf Tensor to parameter '", name,
                             "'. Model parameters must be created explicitly. To express '", name,
                             "' as a function of another Tensor, compute the value in the forward() method."));
        }
        for (const auto& entry : global_hooks().parameter_registration.snapshot()) {
            if (auto replaced = entry.hook(*this, name, registered)) registered = *replaced;
        }
        registered.storage()->set_category(MemoryCategory::Parameter);
    }
    set_named(name, registered, types::tensor(), AttributeKind::Parameter);
}

void Module::register_buffer(const std::string& name, const Tensor& buffer, bool persistent) {
    if (!is_constructed()) run_error("cannot assign buffer before Module.__init__() call");
    check_new_name(name, "buffer", AttributeKind::Buffer);
    Tensor registered = buffer;
    for (const auto& entry : global_hooks().buffer_registration.snapshot()) {
        if (auto replaced = entry.hook(*this, name, registered)) registered = *replaced;
    }
    if (registered.defined()) registered.storage()->set_category(MemoryCategory::Buffer);
    set_named(name, registered, types::tensor(), AttributeKind::Buffer);
    std::erase(non_persistent_, name);
    if (!persistent) non_persistent_.push_back(name);
}

void Module::register_module(const std::string& name, ModulePtr child) {
    check_constructed("module");
    check_new_name(name, "module", AttributeKind::Module);
    if (child) {
        for (const auto& entry : global_hooks().module_registration.snapshot()) {
            if (auto replaced = entry.hook(*this, name, child)) child = std::move(*replaced);
        }
    }
    const TypePtr type = child ? TypePtr(child->type()) : types::none();
    set_named(name, Ptr<Object>(std::move(child)), type, AttributeKind::Module);
}

void Module::set_plain_attribute(const std::string& name, IValue value) {
    const auto slot = type_->find_attribute(name);
    const auto kind = slot ? type_->attributes()[*slot].kind : AttributeKind::Attribute;
    const auto refuse = [&](const char* what, const char* expected) {
        run_error(concat("cannot assign '", torch_type_name(value), "' as ", what, " '", name, "' (", expected,
                         " or None expected)"));
    };
    switch (kind) {
        case AttributeKind::Parameter:
            if (!value.is_none()) refuse("parameter", "torch.nn.Parameter");
            break;
        case AttributeKind::Module:
            if (!value.is_none()) refuse("child module", "torch.nn.Module");
            break;
        case AttributeKind::Buffer:
            if (!value.is_none() && !value.is_tensor()) refuse("buffer", "torch.Tensor");
            break;
        case AttributeKind::Attribute:
            set_named(name, value, type_of(value), kind);
            return;
    }
    set_slot(*slot, std::move(value));
}

void Module::set_attribute(std::string_view name, IValue value) {
    if (!owns_type_) return Object::set_attribute(name, std::move(value));
    for (std::size_t i = 0; i < computed_.size(); ++i) {
        if (computed_[i].name != name) continue;
        const auto set = computed_[i].set;
        return set(*this, std::move(value));
    }
    const std::string key(name);
    const auto kind = attribute_kind(name);
    if (value.is_tensor() && is_parameter(value.to_tensor())) {
        check_constructed("parameters");
        if (kind && kind != AttributeKind::Parameter) remove_named(name);
        return register_parameter(key, value.to_tensor());
    }
    if (ModulePtr child = as_module(value); child && kind != AttributeKind::Parameter) {
        check_constructed("module");
        if (kind && kind != AttributeKind::Module) remove_named(name);
        return register_module(key, std::move(child));
    }
    set_plain_attribute(key, std::move(value));
}

const IValue* Module::find_attribute(std::string_view name) const {
    const auto slot = type_->find_attribute(name);
    if (slot && *slot < slots_.size()) return &slots_[*slot];
    for (std::size_t i = 0; i < computed_.size(); ++i) {
        if (computed_[i].name != name) continue;
        const auto get = computed_[i].get;
        IValue value = get(const_cast<Module&>(*this));
        computed_[i].value = std::move(value);
        return &computed_[i].value;
    }
    return nullptr;
}

const IValue& Module::attribute(std::string_view name) const {
    if (const IValue* found = find_attribute(name)) return *found;
    run_error(concat("'", class_name(), "' object has no attribute '", name, "'"));
}

std::optional<AttributeKind> Module::attribute_kind(std::string_view name) const {
    const auto slot = type_->find_attribute(name);
    if (!slot) return std::nullopt;
    return type_->attributes()[*slot].kind;
}

void Module::delete_attribute(std::string_view name) {
    if (!type_->find_attribute(name)) run_error(concat("'", class_name(), "' object has no attribute '", name, "'"));
    if (!owns_type_) run_error(concat("cannot delete attribute '", name, "' of a model read from a file"));
    remove_named(name);
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

bool Module::is_uninitialized(std::string_view name) const {
    return std::find(uninitialized_.begin(), uninitialized_.end(), name) != uninitialized_.end();
}

void Module::materialize(const std::string& name, IntSpan sizes) {
    const Tensor t = attribute(name).to_tensor();
    const MemoryCategory category = t.storage()->category();
    t.set_metadata_from(empty(sizes, t.dtype(), t.device()));
    t.storage()->set_category(category);
    std::erase(uninitialized_, name);
}

template <typename Visit>
void Module::visit_modules(const std::string& prefix, bool once, Visit&& visit) {
    // Iterative: a hostile file may nest modules deeply; each object once, so cycles end.
    std::unordered_set<const Module*> seen;
    std::vector<std::tuple<std::string, ModulePtr, std::size_t>> stack{{prefix, ModulePtr(this), 0}};
    while (!stack.empty()) {
        const auto [path, module, depth] = std::move(stack.back());
        stack.pop_back();
        if (!seen.insert(module.get()).second && once) continue;
        if (depth > 1000) run_error("modules nest deeper than 1000");
        visit(path, module);
        const auto children = module->children();
        for (auto child = children.rbegin(); child != children.rend(); ++child) {
            stack.emplace_back(joined(path, child->first), child->second, depth + 1);
        }
    }
}

template <typename Get>
Named<Tensor> Module::named_tensors(const NameOptions& options, Get&& get) const {
    Named<Tensor> out;
    std::unordered_set<const TensorImpl*> seen;
    const auto visit = [&](const std::string& path, const Module& module) {
        for (auto& [name, tensor] : get(module)) {
            if (seen.insert(tensor.impl()).second || !options.remove_duplicate)
                out.emplace_back(joined(path, name), tensor);
        }
    };
    if (!options.recurse) {
        visit(options.prefix, *this);
        return out;
    }
    const_cast<Module*>(this)->visit_modules(
        options.prefix, options.remove_duplicate,
        [&](const std::string& path, const ModulePtr& module) { visit(path, *module); });
    return out;
}

Named<Tensor> Module::named_parameters(const NameOptions& options) const {
    return named_tensors(options, [](const Module& module) { return module.own_parameters(); });
}

Named<Tensor> Module::named_buffers(const NameOptions& options) const {
    return named_tensors(options, [](const Module& module) { return module.own_buffers(); });
}

Named<ModulePtr> Module::named_modules(const NameOptions& options) {
    Named<ModulePtr> out;
    visit_modules(options.prefix, options.remove_duplicate,
                  [&](const std::string& path, const ModulePtr& module) { out.emplace_back(path, module); });
    return out;
}

Named<ModulePtr> Module::named_children() const {
    Named<ModulePtr> out;
    std::unordered_set<const Module*> seen;
    for (auto& child : children()) {
        if (seen.insert(child.second.get()).second) out.push_back(std::move(child));
    }
    return out;
}

ModulePtr Module::get_submodule(std::string_view path) {
    ModulePtr module(this);
    if (path.empty()) return module;
    for (const auto part : split(path, '.')) {
        const IValue* found = module->find_attribute(part);
        module = found != nullptr ? as_module(*found) : nullptr;
        if (!module) return nullptr;
    }
    return module;
}

ModulePtr Module::submodule(std::string_view path) {
    ModulePtr module(this);
    if (path.empty()) return module;
    for (const auto part : split(path, '.')) {
        const IValue* found = module->find_attribute(part);
        if (found == nullptr) run_error(concat(module->class_name(), " has no attribute `", part, "`"));
        module = as_module(*found);
        if (!module) run_error(concat("`", part, "` is not an nn.Module"));
    }
    return module;
}

Tensor Module::get_parameter(std::string_view path) {
    const auto dot = path.rfind('.');
    const auto name = dot == std::string_view::npos ? path : path.substr(dot + 1);
    const ModulePtr owner = submodule(dot == std::string_view::npos ? std::string_view() : path.substr(0, dot));
    const IValue* found = owner->find_attribute(name);
    if (found == nullptr) run_error(concat(owner->class_name(), " has no attribute `", name, "`"));
    if (owner->attribute_kind(name) != AttributeKind::Parameter || !found->is_tensor()) {
        run_error(concat("`", name, "` is not an nn.Parameter"));
    }
    return found->to_tensor();
}

Tensor Module::get_buffer(std::string_view path) {
    const auto dot = path.rfind('.');
    const auto name = dot == std::string_view::npos ? path : path.substr(dot + 1);
    const ModulePtr owner = submodule(dot == std::string_view::npos ? std::string_view() : path.substr(0, dot));
    const IValue* found = owner->find_attribute(name);
    if (found == nullptr) run_error(concat(owner->class_name(), " has no attribute `", name, "`"));
    if (owner->attribute_kind(name) != AttributeKind::Buffer) run_error(concat("`", name, "` is not a buffer"));
    return found->to_tensor();
}

bool Module::is_training() const {
    const auto slot = type_->find_attribute("training");
    return slot && slots_[*slot].is_bool() && slots_[*slot].to_bool();
}

void Module::train(bool mode) {
    visit_modules("", true, [&](const std::string&, const ModulePtr& module) {
        if (const auto slot = module->type_->find_attribute("training")) module->set_slot(*slot, mode);
    });
}

std::string tensor_type_name(ScalarType dtype) { return concat("torch.", dtype_graph_name(dtype), "Tensor"); }

ModulePtr as_module(const IValue& value) {
    return value.is_object() ? boost::dynamic_pointer_cast<Module>(value.to_object()) : nullptr;
}

}  // namespace loupe::nn
