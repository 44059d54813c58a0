// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::jit: modules of files, and running them.

#include <filesystem>
#include <iosfwd>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/nn/module.h"

#include <loupe_torch/functions.h>
#include <loupe_torch/ivalue.h>

namespace loupe {
class Model;
}

namespace torch::jit {

using c10::IValue;
using Stack = std::vector<IValue>;
using ExtraFilesMap = std::unordered_map<std::string, std::string>;
using Kwargs = std::unordered_map<std::string, IValue>;

class Module;

template <typename T>
struct Named {
    std::string name;
    T value;
};
using NameTensor = Named<at::Tensor>;
using NameModule = Named<Module>;
using NameValue = Named<IValue>;

// Attributes of one kind, to be iterated over.
template <typename T>
class SlotList : public std::vector<T> {
  public:
    using std::vector<T>::vector;
};
using parameter_list = SlotList<at::Tensor>;
using named_parameter_list = SlotList<NameTensor>;
using named_module_list = SlotList<NameModule>;
using named_attribute_list = SlotList<NameValue>;

class Method {
  public:
    Method(std::shared_ptr<const Module> owner, std::string name) : owner_(std::move(owner)), name_(std::move(name)) {}
    const std::string& name() const { return name_; }
    IValue operator()(std::vector<IValue> inputs, const Kwargs& kwargs = {}) const;
    std::size_t num_inputs() const;

  private:
    std::shared_ptr<const Module> owner_;
    std::string name_;
};

// A handle: copies are the same module.
class Module {
  public:
    Module() = default;
    Module(std::shared_ptr<loupe::Model> model, loupe::nn::ModulePtr module)
        : model_(std::move(model)), module_(std::move(module)) {}

    // Throw c10::Error.
    IValue forward(std::vector<IValue> inputs, const Kwargs& kwargs = {});
    IValue operator()(std::vector<IValue> inputs) { return forward(std::move(inputs)); }
    template <typename... T>
    IValue run_method(const std::string& name, T&&... arguments) {
        return get_method(name)({IValue(std::forward<T>(arguments))...});
    }
    Method get_method(const std::string& name) const;
    std::optional<Method> find_method(const std::string& name) const;
    std::vector<Method> get_methods() const;

    void train(bool mode = true);
    void eval() { train(false); }
    bool is_training() const;
    void to(c10::Device device, c10::ScalarType dtype, bool non_blocking = false);
    void to(c10::ScalarType dtype, bool non_blocking = false);
    void to(c10::Device device, bool non_blocking = false);

    parameter_list parameters(bool recurse = true) const;
    named_parameter_list named_parameters(bool recurse = true) const;
    parameter_list buffers(bool recurse = true) const;
    named_parameter_list named_buffers(bool recurse = true) const;
    // Children; of all depths: named_modules.
    SlotList<Module> children() const;
    named_module_list named_children() const;
    SlotList<Module> modules() const;
    named_module_list named_modules() const;

    IValue attr(const std::string& name) const;
    IValue attr(const std::string& name, IValue otherwise) const;
    bool hasattr(const std::string& name) const;
    void setattr(const std::string& name, const IValue& value);

    // TorchScript, which torch.jit.load and tensorloupe open.
    void save(const std::string& file, const ExtraFilesMap& extra = {}) const;
    Module clone() const;
    Module deepcopy() const { return clone(); }
    Module copy() const { return *this; }
    // As Python prints it.
    std::string dump_to_str(bool code = false, bool attributes = false, bool parameters = false) const;
    void dump(bool code = false, bool attributes = false, bool parameters = false) const;
    std::string type_name() const;

    const loupe::nn::ModulePtr& engine() const { return module_; }
    IValue run(const std::string& method, std::vector<IValue> inputs, const Kwargs& kwargs) const;

  private:
    std::shared_ptr<loupe::Model> model_;
    loupe::nn::ModulePtr module_;
};

namespace script {
using torch::jit::Module;
}

// Any file that the engine opens. device: where its tensors go. Throws c10::Error.
Module load(const std::string& file, std::optional<c10::Device> device = std::nullopt);
Module load(const std::string& file, std::optional<c10::Device> device, ExtraFilesMap& extra);
Module load(std::istream& in, std::optional<c10::Device> device = std::nullopt);
// In eval mode; runs as before.
Module freeze(const Module& module);
Module optimize_for_inference(Module& module, const std::vector<std::string>& other_methods = {});
inline void setGraphExecutorOptimize(bool) {}
inline void set_profiling_mode(bool) {}

}  // namespace torch::jit

namespace torch {
namespace script = torch::jit::script;
}
