// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/nn_module.h>

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <typeinfo>

#include "core/autograd/grad_mode.h"
#include "core/dispatch/plugin_list.h"
#include "core/library/torch/call.h"

#include <loupe_torch/any.h>
#include <loupe_torch/archive.h>

using namespace loupe::torch_api;

namespace torch::nn {
namespace {

using Tensors = OrderedDict<std::string, at::Tensor>;

std::string class_name(const std::string& name) { return name.empty() ? "Module" : name; }
std::string joined(const std::string& prefix, const std::string& name) {
    return prefix.empty() ? name : prefix + "." + name;
}
void add_defined(const Tensors& tensors, const std::string& prefix, Tensors& out) {
    for (const auto& item : tensors)
        if (item.value().defined()) out.insert(joined(prefix, item.key()), item.value());
}
void check_name(const std::string& name, const char* what) {
    TORCH_CHECK(!name.empty(), what, " name must not be empty");
    TORCH_CHECK(name.find('.') == name.npos, what, " name must not contain a dot (got '", name, "')");
}

}  // namespace

namespace detail {
std::string demangled(const std::type_info& type) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                           &std::free);
    return status == 0 ? text.get() : type.name();
}
}  // namespace detail

Module::Module(std::string name) : name_(std::move(name)) {
    loupe::plugins();
    engine_ = loupe::make_ptr<loupe::nn::Module>(class_name(name_));
}

Module::Module(std::string name, loupe::nn::ModulePtr engine) : name_(std::move(name)), engine_(std::move(engine)) {
    for (const auto& [key, tensor] : engine_->own_parameters()) parameters_.insert(key, at::Tensor(tensor));
    for (const auto& [key, tensor] : engine_->own_buffers()) buffers_.insert(key, at::Tensor(tensor));
}

const std::string& Module::name() const noexcept {
    if (name_.empty()) name_ = detail::demangled(typeid(*this));
    return name_;
}

at::Tensor& Module::register_parameter(std::string name, at::Tensor tensor, bool requires_grad) {
    check_name(name, "Parameter");
    if (!tensor.defined()) return parameters_.insert(std::move(name), std::move(tensor));
    return translated([&]() -> at::Tensor& {
        // The tensor itself where it is a leaf, as LibTorch.
        if (!tensor.is_leaf()) tensor = at::Tensor(loupe::make_parameter(tensor.engine(), requires_grad));
        if (tensor.requires_grad() != requires_grad) tensor.set_requires_grad(requires_grad);
        loupe::ensure_autograd_meta(tensor.engine()).is_parameter = true;
        at::Tensor& kept = parameters_.insert(name, tensor);
        engine_->register_parameter(name, tensor.engine());
        return kept;
    });
}
at::Tensor& Module::register_buffer(std::string name, at::Tensor tensor) {
    check_name(name, "Buffer");
    at::Tensor& kept = buffers_.insert(name, tensor);
    if (tensor.defined()) translated([&] { engine_->register_buffer(name, tensor.engine()); });
    return kept;
}
void Module::add_child(std::string name, std::shared_ptr<Module> module) {
    check_name(name, "Submodule");
    TORCH_CHECK(!children_.contains(name), "Submodule '", name, "' already defined");
    translated([&] { engine_->register_module(name, module->engine()); });
    children_.insert(std::move(name), std::move(module));
}
void Module::replace_child(const std::string& name, std::shared_ptr<Module> module) {
    children_[name] = module;
    translated([&] { engine_->set_attribute(name, loupe::IValue(module->engine())); });
}
void Module::unregister_module(const std::string& name) {
    TORCH_CHECK(children_.contains(name), "No Module with name `", name, "` is registered");
    children_.erase(name);
    translated([&] { engine_->delete_attribute(name); });
}

std::shared_ptr<Module> Module::shared_self() const {
    auto self = std::const_pointer_cast<Module>(weak_from_this().lock());
    TORCH_CHECK(self != nullptr,
                "It looks like you attempted to retrieve your top-level module as a shared_ptr, but it is not stored "
                "in a shared_ptr. Use std::make_shared<",
                name(),
                "> instead of creating your module on the stack, or alternatively do not try to access your "
                "top-level module at all by passing /*include_self=*/false to modules() or named_modules()");
    return self;
}
void Module::visit_below(const NamedModulePointerApplyFunction& function, const std::string& prefix) const {
    for (const auto& child : children_) {
        const std::string path = joined(prefix, child.key());
        function(path, child.value());
        child.value()->visit_below(function, path);
    }
}

Tensors Module::named_parameters(bool recurse) const {
    Tensors out;
    add_defined(parameters_, {}, out);
    if (recurse)
        visit_below([&](const std::string& path, const auto& module) { add_defined(module->parameters_, path, out); },
                    {});
    return out;
}
std::vector<at::Tensor> Module::parameters(bool recurse) const { return named_parameters(recurse).values(); }
Tensors Module::named_buffers(bool recurse) const {
    Tensors out;
    add_defined(buffers_, {}, out);
    if (recurse)
        visit_below([&](const std::string& path, const auto& module) { add_defined(module->buffers_, path, out); }, {});
    return out;
}
std::vector<at::Tensor> Module::buffers(bool recurse) const { return named_buffers(recurse).values(); }
std::vector<std::shared_ptr<Module>> Module::children() const { return children_.values(); }
std::vector<std::shared_ptr<Module>> Module::modules(bool include_self) const {
    return named_modules({}, include_self).values();
}
OrderedDict<std::string, std::shared_ptr<Module>> Module::named_modules(const std::string& prefix,
                                                                        bool include_self) const {
    OrderedDict<std::string, std::shared_ptr<Module>> out;
    if (include_self) out.insert(prefix, shared_self());
    visit_below([&](const std::string& path, const auto& module) { out.insert(path, module); }, prefix);
    return out;
}

void Module::apply(const ModuleApplyFunction& function) {
    function(*this);
    visit_below([&](const std::string&, const auto& module) { function(*module); }, {});
}
void Module::apply(const ConstModuleApplyFunction& function) const {
    function(*this);
    visit_below([&](const std::string&, const auto& module) { function(*module); }, {});
}
void Module::apply(const NamedModuleApplyFunction& function, const std::string& prefix) {
    function(prefix, *this);
    visit_below([&](const std::string& path, const auto& module) { function(path, *module); }, prefix);
}
void Module::apply(const ConstNamedModuleApplyFunction& function, const std::string& prefix) const {
    function(prefix, *this);
    visit_below([&](const std::string& path, const auto& module) { function(path, *module); }, prefix);
}
void Module::apply(const ModulePointerApplyFunction& function) const {
    function(shared_self());
    visit_below([&](const std::string&, const auto& module) { function(module); }, {});
}
void Module::apply(const NamedModulePointerApplyFunction& function, const std::string& prefix) const {
    function(prefix, shared_self());
    visit_below(function, prefix);
}

void Module::train(bool on) {
    engine_->train(on);
    for (const auto& child : children_) child.value()->train(on);
}
bool Module::is_training() const noexcept { return engine_->is_training(); }

void Module::to(c10::Device device, c10::ScalarType dtype, bool non_blocking) {
    for (const auto& child : children_) child.value()->to(device, dtype, non_blocking);
    for (const auto& own : {named_parameters(false), named_buffers(false)})
        for (const auto& item : own) item.value().set_data(item.value().to(device, dtype, non_blocking));
}
void Module::to(c10::ScalarType dtype, bool non_blocking) {
    for (const auto& child : children_) child.value()->to(dtype, non_blocking);
    for (const auto& own : {named_parameters(false), named_buffers(false)})
        for (const auto& item : own) item.value().set_data(item.value().to(dtype, non_blocking));
}
void Module::to(c10::Device device, bool non_blocking) {
    for (const auto& child : children_) child.value()->to(device, non_blocking);
    for (const auto& own : {named_parameters(false), named_buffers(false)})
        for (const auto& item : own) item.value().set_data(item.value().to(device, non_blocking));
}
void Module::zero_grad(bool set_to_none) {
    for (const auto& child : children_) child.value()->zero_grad(set_to_none);
    for (const auto& item : named_parameters(false)) {
        at::Tensor gradient = item.value().grad();
        if (!gradient.defined()) continue;
        if (set_to_none)
            loupe::set_grad(item.value().engine(), {});
        else
            gradient.detach_().zero_();
    }
}

std::shared_ptr<Module> Module::clone(const std::optional<c10::Device>&) const {
    TORCH_CHECK(false, "clone() has not been implemented for ", name(), ". Subclass torch::nn::Cloneable<", name(),
                "> instead of torch::nn::Module to inherit the ability to clone.");
}
void Module::start_anew() {
    engine_ = loupe::make_ptr<loupe::nn::Module>(class_name(name_));
    parameters_.clear();
    buffers_.clear();
    children_.clear();
}
void Module::copy_values_to(Module& copy, const std::optional<c10::Device>& device) const {
    const auto check = [&](std::size_t theirs, std::size_t ours, const char* what, const char* how) {
        TORCH_CHECK(theirs == ours, "The cloned module does not have the same number of ", what,
                    " as the original module after calling reset(). Are you sure you called ", how,
                    "() inside reset() and not the constructor?");
    };
    check(copy.parameters_.size(), parameters_.size(), "parameters", "register_parameter");
    check(copy.buffers_.size(), buffers_.size(), "buffers", "register_buffer");
    check(copy.children_.size(), children_.size(), "child modules", "register_module");
    for (const auto& [from, to] : {std::pair(&parameters_, &copy.parameters_), std::pair(&buffers_, &copy.buffers_)})
        for (const auto& item : *from)
            if (item.value().defined()) (*to)[item.key()].set_data(item.value().detach().clone());
    for (const auto& child : children_)
        if (child.value()->is_cloneable()) copy.children_[child.key()]->take_tensors_of(*child.value()->clone());
    copy.train(is_training());
    if (device) copy.to(*device);
}

void Module::take_tensors_of(const Module& other) {
    for (const auto& item : other.parameters_)
        if (item.value().defined()) parameters_[item.key()].set_data(item.value());
    for (const auto& item : other.buffers_)
        if (item.value().defined()) buffers_[item.key()].set_data(item.value());
    for (const auto& child : other.children_) children_[child.key()]->take_tensors_of(*child.value());
}

void Module::pretty_print(std::ostream& out) const { out << name(); }
void Module::print_below(std::ostream& out, const std::string& indent) const {
    pretty_print(out);
    if (children_.is_empty()) return;
    out << "(\n";
    const std::string inner = indent + "  ";
    for (const auto& child : children_) {
        out << inner << '(' << child.key() << "): ";
        child.value()->print_below(out, inner);
        out << '\n';
    }
    out << indent << ')';
}
std::ostream& operator<<(std::ostream& out, const Module& module) {
    module.print_below(out, {});
    return out;
}

void Module::save(serialize::OutputArchive& archive) const {
    for (const auto& item : named_parameters(false)) archive.write(item.key(), item.value());
    for (const auto& item : named_buffers(false)) archive.write(item.key(), item.value(), /*is_buffer=*/true);
    for (const auto& child : children_) {
        if (!child.value()->is_serializable()) continue;
        serialize::OutputArchive below;
        child.value()->save(below);
        archive.write(child.key(), below);
    }
}
void Module::load(serialize::InputArchive& archive) {
    for (auto& item : named_parameters(false)) archive.read(item.key(), item.value());
    for (auto& item : named_buffers(false)) archive.read(item.key(), item.value(), /*is_buffer=*/true);
    for (const auto& child : children_) {
        if (!child.value()->is_serializable()) continue;
        serialize::InputArchive below;
        archive.read(child.key(), below);
        child.value()->load(below);
    }
}

std::vector<AnyValue> Module::_forward_populate_default_args(std::vector<AnyValue>&& arguments) {
    return std::move(arguments);
}

}  // namespace torch::nn
