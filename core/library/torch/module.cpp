// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/module.h>

#include <fstream>
#include <iostream>
#include <sstream>

#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/dispatch/plugin_list.h"
#include "core/formats/torch_writer.h"
#include "core/formats/torchscript/torchscript_reader.h"
#include "core/library/model.h"
#include "core/library/torch/call.h"
#include "core/model/program.h"
#include "core/runtime/interpreter/interpreter.h"

using namespace loupe::torch_api;

namespace torch::jit {
namespace {

using loupe::nn::ModulePtr;

named_parameter_list tensors_of(const loupe::nn::Named<loupe::Tensor>& tensors) {
    named_parameter_list list;
    for (const auto& [name, tensor] : tensors) list.push_back({name, at::Tensor(tensor)});
    return list;
}

parameter_list values_of(const named_parameter_list& named) {
    parameter_list list;
    for (const NameTensor& each : named) list.push_back(each.value);
    return list;
}

const loupe::nn::Module& opened(const ModulePtr& module) {
    if (module == nullptr) throw c10::Error("the module is empty: it was not loaded");
    return *module;
}
loupe::nn::Module& opened_to_change(const ModulePtr& module) {
    static_cast<void>(opened(module));
    return *module;
}

// Keyword arguments in the places that the schema gives them.
std::vector<loupe::IValue> placed(std::vector<IValue> inputs, const Kwargs& kwargs,
                                  const loupe::FunctionSchema* schema) {
    std::vector<loupe::IValue> arguments;
    for (const IValue& input : inputs) arguments.push_back(input.engine());
    if (kwargs.empty()) return arguments;
    if (schema == nullptr) throw c10::Error("this method takes no keyword arguments");
    loupe::CallArguments given{std::move(arguments), {}};
    given.positional.insert(given.positional.begin(), loupe::IValue());  // self
    std::vector<loupe::IValue> all;
    for (std::size_t i = 1; i < schema->arguments.size(); ++i) {
        const loupe::Argument& argument = schema->arguments[i];
        const auto named = kwargs.find(argument.name);
        if (i < given.positional.size())
            all.push_back(given.positional[i]);
        else if (named != kwargs.end())
            all.push_back(named->second.engine());
        else if (argument.default_value)
            all.push_back(*argument.default_value);
        else
            throw c10::Error(loupe::concat(schema->name, "() is missing value for argument '", argument.name, "'."));
    }
    for (const auto& [name, value] : kwargs)
        if (!schema->find_argument(name))
            throw c10::Error(loupe::concat("Unknown keyword argument '", name, "' for operator '", schema->name, "'."));
    return all;
}

}  // namespace

IValue Method::operator()(std::vector<IValue> inputs, const Kwargs& kwargs) const {
    return owner_->run(name_, std::move(inputs), kwargs);
}
std::size_t Method::num_inputs() const {
    const loupe::Function* method = owner_->engine()->type()->find_method(name_);
    return method == nullptr ? 0 : method->schema().arguments.size();
}

IValue Module::run(const std::string& method, std::vector<IValue> inputs, const Kwargs& kwargs) const {
    return translated([&] {
        const loupe::Function* script = opened(module_).type()->find_method(method);
        const bool is_root = model_ != nullptr && model_->module_pointer() == module_;
        if (script == nullptr && !is_root) {
            if (method != "forward") throw c10::Error(loupe::concat("Method '", method, "' is not defined."));
            return IValue(module_->call(placed(std::move(inputs), kwargs, nullptr)));
        }
        if (script == nullptr) return IValue(model_->run(method, placed(std::move(inputs), kwargs, nullptr)));
        auto arguments = placed(std::move(inputs), kwargs, &script->schema());
        return IValue(loupe::runtime::run_method(module_, method, std::move(arguments)));
    });
}

IValue Module::forward(std::vector<IValue> inputs, const Kwargs& kwargs) {
    return run("forward", std::move(inputs), kwargs);
}
Method Module::get_method(const std::string& name) const {
    if (const auto found = find_method(name)) return *found;
    throw c10::Error(loupe::concat("Method '", name, "' is not defined."));
}
std::optional<Method> Module::find_method(const std::string& name) const {
    const bool is_known = opened(module_).type()->find_method(name) != nullptr || name == "forward";
    return is_known ? std::optional(Method(std::make_shared<Module>(*this), name)) : std::nullopt;
}
std::vector<Method> Module::get_methods() const {
    std::vector<Method> methods;
    const auto self = std::make_shared<Module>(*this);
    for (const auto& [name, method] : opened(module_).type()->methods()) methods.emplace_back(self, name);
    return methods;
}

void Module::train(bool mode) { opened_to_change(module_).train(mode); }
bool Module::is_training() const { return opened(module_).is_training(); }
void Module::to(c10::Device device, c10::ScalarType dtype, bool non_blocking) {
    to(device, non_blocking);
    to(dtype, non_blocking);
}
void Module::to(c10::ScalarType dtype, bool) {
    translated([&] { opened_to_change(module_).to({.dtype = engine_dtype(dtype)}); });
}
void Module::to(c10::Device device, bool) {
    translated([&] {
        if (model_ != nullptr && model_->module_pointer() == module_) return model_->to(engine_device(device));
        opened_to_change(module_).to({.device = engine_device(device)});
    });
}

named_parameter_list Module::named_parameters(bool recurse) const {
    return tensors_of(opened(module_).named_parameters({.recurse = recurse}));
}
parameter_list Module::parameters(bool recurse) const { return values_of(named_parameters(recurse)); }
named_parameter_list Module::named_buffers(bool recurse) const {
    return tensors_of(opened(module_).named_buffers({.recurse = recurse}));
}
parameter_list Module::buffers(bool recurse) const { return values_of(named_buffers(recurse)); }

named_module_list Module::named_children() const {
    named_module_list list;
    for (const auto& [name, child] : opened(module_).named_children()) list.push_back({name, Module(model_, child)});
    return list;
}
SlotList<Module> Module::children() const {
    SlotList<Module> list;
    for (const NameModule& each : named_children()) list.push_back(each.value);
    return list;
}
named_module_list Module::named_modules() const {
    named_module_list list;
    for (const auto& [name, child] : opened_to_change(module_).named_modules())
        list.push_back({name, Module(model_, child)});
    return list;
}
SlotList<Module> Module::modules() const {
    SlotList<Module> list;
    for (const NameModule& each : named_modules()) list.push_back(each.value);
    return list;
}

IValue Module::attr(const std::string& name) const {
    return translated([&] { return IValue(opened(module_).attribute(name)); });
}
IValue Module::attr(const std::string& name, IValue otherwise) const {
    return hasattr(name) ? attr(name) : std::move(otherwise);
}
bool Module::hasattr(const std::string& name) const { return opened(module_).find_attribute(name) != nullptr; }
void Module::setattr(const std::string& name, const IValue& value) {
    translated([&] { opened_to_change(module_).set_attribute(name, value.engine()); });
}

void Module::save(const std::string& file, const ExtraFilesMap& extra) const {
    translated([&] {
        if (!extra.empty())
            throw loupe::Error(loupe::ErrorKind::Unsupported, "extra files are not written", {.file = file});
        if (model_ != nullptr && model_->module_pointer() == module_ && !model_->program()->is_eager())
            return loupe::write_torchscript(model_->program()->file(), file);
        loupe::write_script_module(opened(module_), file);
    });
}
Module Module::clone() const {
    return translated([&] { return Module(model_, opened(module_).deep_copy()); });
}
std::string Module::dump_to_str(bool, bool, bool) const { return opened(module_).str() + "\n"; }
void Module::dump(bool code, bool attributes, bool parameters) const {
    std::cout << dump_to_str(code, attributes, parameters);
}
std::string Module::type_name() const { return opened(module_).class_name(); }

Module load(const std::string& file, std::optional<c10::Device> device) {
    return translated([&] {
        auto model = std::make_shared<loupe::Model>(loupe::Model::open(file));
        Module module(model, model->module_pointer());
        if (device) module.to(*device);
        return module;
    });
}

Module load(const std::string& file, std::optional<c10::Device> device, ExtraFilesMap& extra) {
    return translated([&] {
        auto model = std::make_shared<loupe::Model>(loupe::Model::open(file));
        if (const auto& parts = model->program()->file().archive) {
            for (const auto& [name, text] : parts->records) {
                const auto wanted = name.starts_with("extra/") ? extra.find(name.substr(6)) : extra.end();
                if (wanted != extra.end()) wanted->second = text;
            }
        }
        Module module(model, model->module_pointer());
        if (device) module.to(*device);
        return module;
    });
}

Module load(std::istream& in, std::optional<c10::Device> device) {
    return translated([&] {
        loupe::plugins();
        std::ostringstream bytes;
        bytes << in.rdbuf();
        const loupe::FileHandle memory = loupe::memory_file();
        loupe::write_at(memory, 0, bytes.str(), "a stream");
        auto file = loupe::read_torchscript(loupe::MappedFile::map(memory, "a stream"));
        auto model = std::make_shared<loupe::Model>(
            loupe::Model::of_program(std::make_shared<loupe::session::Program>(std::move(file))));
        Module module(model, model->module_pointer());
        if (device) module.to(*device);
        return module;
    });
}

Module freeze(const Module& module) {
    if (module.is_training())
        throw c10::Error(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() before freezing");
    return module;
}
Module optimize_for_inference(Module& module, const std::vector<std::string>&) {
    module.eval();
    return module;
}

}  // namespace torch::jit
