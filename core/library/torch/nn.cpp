// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/nn.h>

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <typeinfo>

#include "core/base/strings.h"
#include "core/dispatch/plugin_list.h"
#include "core/formats/format_registry.h"
#include "core/formats/torch_writer.h"
#include "core/library/torch/call.h"
#include "core/nn/layer.h"

#include <loupe_torch/optim.h>

using namespace loupe::torch_api;

namespace torch {
namespace nn {
namespace {

using Named = OrderedDict<std::string, at::Tensor>;

Named named(const loupe::nn::Named<loupe::Tensor>& tensors) {
    Named out;
    for (const auto& [name, tensor] : tensors) out.insert(name, at::Tensor(tensor));
    return out;
}

std::string class_name(const std::string& name) { return name.empty() ? "Module" : name; }

std::string demangled(const std::type_info& type) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(type.name(), nullptr, nullptr, &status),
                                                           &std::free);
    return status == 0 ? text.get() : type.name();
}

}  // namespace

Module::Module(std::string name) : name_(std::move(name)) {
    loupe::plugins();
    engine_ = loupe::make_ptr<loupe::nn::Module>(class_name(name_));
}

const std::string& Module::name() const {
    if (name_.empty()) name_ = demangled(typeid(*this));
    return name_;
}

at::Tensor& Module::register_parameter(std::string name, at::Tensor tensor, bool requires_grad) {
    return translated([&]() -> at::Tensor& {
        const loupe::Tensor parameter = loupe::make_parameter(tensor.engine(), requires_grad);
        engine_->register_parameter(name, parameter);
        return tensors_[name] = at::Tensor(parameter);
    });
}
at::Tensor& Module::register_buffer(std::string name, at::Tensor tensor) {
    return translated([&]() -> at::Tensor& {
        engine_->register_buffer(name, tensor.engine());
        return tensors_[name] = std::move(tensor);
    });
}
void Module::add_child(std::string name, std::shared_ptr<Module> module) {
    translated([&] { engine_->register_module(name, module->engine()); });
    children_.insert(std::move(name), std::move(module));
}

Named Module::named_parameters(bool recurse) const { return named(engine_->named_parameters({.recurse = recurse})); }
std::vector<at::Tensor> Module::parameters(bool recurse) const { return named_parameters(recurse).values(); }
Named Module::named_buffers(bool recurse) const { return named(engine_->named_buffers({.recurse = recurse})); }
std::vector<at::Tensor> Module::buffers(bool recurse) const { return named_buffers(recurse).values(); }
std::vector<std::shared_ptr<Module>> Module::children() const { return children_.values(); }

void Module::train(bool on) { engine_->train(on); }
bool Module::is_training() const { return engine_->is_training(); }
void Module::to(c10::Device device, c10::ScalarType dtype, bool non_blocking) {
    to(device, non_blocking);
    to(dtype, non_blocking);
}
void Module::to(c10::ScalarType dtype, bool) {
    translated([&] { engine_->to({.dtype = engine_dtype(dtype)}); });
}
void Module::to(c10::Device device, bool) {
    translated([&] { engine_->to({.device = engine_device(device)}); });
}
std::vector<std::shared_ptr<Module>> Module::modules(bool include_self) {
    std::vector<std::shared_ptr<Module>> all;
    if (include_self) all.push_back(shared_from_this());
    for (const auto& child : children_) {
        const auto below = child.value()->modules();
        all.insert(all.end(), below.begin(), below.end());
    }
    return all;
}
void Module::apply(const std::function<void(Module&)>& function) {
    function(*this);
    for (const auto& child : children_) child.value()->apply(function);
}

std::shared_ptr<Module> Module::clone(const std::optional<c10::Device>&) const {
    TORCH_CHECK(false, "clone() has not been implemented for ", name_, ". Subclass torch::nn::Cloneable<", name_,
                "> instead of torch::nn::Module to inherit the ability to clone.");
}
void Module::start_anew() {
    engine_ = loupe::make_ptr<loupe::nn::Module>(class_name(name_));
    tensors_.clear();
    children_ = {};
}
void Module::copy_values_to(Module& copy, const std::optional<c10::Device>& device) const {
    // LibTorch clones each child once more, for which their initial numbers are drawn again.
    for (const auto& child : children_) child.value()->clone();
    translated([&] { copy.engine()->load_state_dict(engine_->state_dict()); });
    copy.train(is_training());
    if (device) copy.to(*device);
}

void Module::zero_grad(bool set_to_none) { engine_->zero_grad(set_to_none); }

namespace detail {

void Options::set(const char* name, loupe::IValue value) {
    for (auto& [known, given] : given_)
        if (known == name) return given = std::move(value), void();
    given_.emplace_back(name, std::move(value));
}
void Options::set(const char* name, const c10::IntArrayRef& list) {
    set(name, list.size() == 1 ? loupe::IValue(list[0]) : box(list));
}
void Options::set_list(const char* name, const c10::IntArrayRef& list) { set(name, box(list)); }
void Options::set_list(const char* name, const std::vector<double>& list) {
    set(name, box(c10::ArrayRef<double>(list)));
}

namespace {
const loupe::IValue* found_in(const Options::Given& given, const char* name) {
    const auto found = std::find_if(given.begin(), given.end(), [&](const auto& each) { return each.first == name; });
    return found == given.end() ? nullptr : &found->second;
}
}  // namespace

std::int64_t Options::value_or(const char* name, std::int64_t otherwise) const {
    const loupe::IValue* given = found_in(given_, name);
    return given != nullptr ? given->to_int() : otherwise;
}
double Options::value_or(const char* name, double otherwise) const {
    const loupe::IValue* given = found_in(given_, name);
    return given != nullptr ? given->to_double() : otherwise;
}
bool Options::value_or(const char* name, bool otherwise) const {
    const loupe::IValue* given = found_in(given_, name);
    return given != nullptr ? given->to_bool() : otherwise;
}
std::optional<std::int64_t> Options::value_or(const char* name, std::optional<std::int64_t> otherwise) const {
    const loupe::IValue* given = found_in(given_, name);
    if (given == nullptr) return otherwise;
    return given->is_none() ? std::nullopt : std::optional(given->to_int());
}
std::optional<double> Options::value_or(const char* name, std::optional<double> otherwise) const {
    const loupe::IValue* given = found_in(given_, name);
    if (given == nullptr) return otherwise;
    return given->is_none() ? std::nullopt : std::optional(given->to_double());
}
std::optional<bool> Options::value_or(const char* name, std::optional<bool> otherwise) const {
    const loupe::IValue* given = found_in(given_, name);
    if (given == nullptr) return otherwise;
    return given->is_none() ? std::nullopt : std::optional(given->to_bool());
}
at::Tensor Options::value_or(const char* name, at::Tensor otherwise) const {
    const loupe::IValue* given = found_in(given_, name);
    return given != nullptr && given->is_tensor() ? at::Tensor(given->to_tensor()) : std::move(otherwise);
}

namespace {
loupe::nn::ModulePtr made(const char* record, const Options& options) {
    return translated([&] {
        loupe::plugins();
        return loupe::nn::make_layer(record, {}, options.given());
    });
}
at::Tensor member(const loupe::nn::Module& module, const char* name) {
    const loupe::IValue* found = module.find_attribute(name);
    return found != nullptr && found->is_tensor() ? at::Tensor(found->to_tensor()) : at::Tensor();
}
}  // namespace

Layer::Layer(const char* record, const Options& options)
    : Module(loupe::concat("torch::nn::", record, "Impl"), made(record, options)),
      weight(member(*engine(), "weight")),
      bias(member(*engine(), "bias")),
      running_mean(member(*engine(), "running_mean")),
      running_var(member(*engine(), "running_var")) {}

void Layer::reset_parameters() {
    translated([&] { loupe::nn::reset_parameters(*engine()); });
}

at::Tensor Layer::run(std::vector<loupe::IValue> inputs) const {
    return translated([&] { return at::Tensor(engine()->call(std::move(inputs)).to_tensor()); });
}

}  // namespace detail

#include "layers_written.inc"

}  // namespace nn

namespace {

// Of LibTorch's archives: modules without methods, with the tensors alone. Each has a class of its own.
loupe::nn::ModulePtr bare(const loupe::nn::Module& module, int& count) {
    auto out = loupe::make_ptr<loupe::nn::Module>(
        count == 0 ? "__torch__.Module" : loupe::concat("__torch__.___torch_mangle_", count, ".Module"));
    ++count;
    for (const auto& [name, tensor] : module.own_parameters())
        out->register_parameter(name, loupe::make_parameter(tensor, loupe::requires_grad(tensor)));
    for (const auto& [name, tensor] : module.own_buffers()) out->register_buffer(name, tensor);
    for (const auto& [name, child] : module.children())
        if (child != nullptr) out->register_module(name, bare(*child, count));
    return out;
}

}  // namespace

void save(const std::shared_ptr<nn::Module>& module, const std::string& file) {
    translated([&] {
        int count = 0;
        loupe::write_script_module(*bare(*module->engine(), count), file);
    });
}

void load(const std::shared_ptr<nn::Module>& module, const std::string& file) {
    translated([&] {
        const loupe::ModelFile archive = loupe::open_model(file);
        module->engine()->load_state_dict(archive.module->state_dict());
    });
}

namespace optim {

Optimizer::Optimizer(const char* record, const std::vector<at::Tensor>& parameters, const nn::detail::Options& options)
    : engine_(translated(
          [&] { return loupe::optim::make_optimizer(record, {box(at::TensorList(parameters))}, options.given()); })) {}

void Optimizer::zero_grad(bool set_to_none) { engine_->zero_grad(set_to_none); }

at::Tensor Optimizer::step(const std::function<at::Tensor()>& closure) {
    return translated([&] {
        if (!closure) return at::Tensor(engine_->step().to_tensor());
        return at::Tensor(engine_->step([&] { return loupe::IValue(closure().engine()); }).to_tensor());
    });
}

void Optimizer::set_option(const char* name, double value) {
    for (const loupe::IValue& group : engine_->param_groups()->elements)
        group.to_dict().set(loupe::IValue(name), value);
}

#include "optimizers_written.inc"

}  // namespace optim
}  // namespace torch
