// SPDX-License-Identifier: Apache-2.0
#pragma once
// Module: parameters, buffers, children and attributes under names; a forward; hooks. torch.nn.Module.
// One class for all: a model read from a file has a class type shared with its like and script methods; one composed in
// C++ has a class type of its own and a C++ forward.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/autograd/variable.h"
#include "core/value/ivalue.h"
#include "core/value/schema.h"

namespace loupe::nn {

class Module;
using ModulePtr = Ptr<Module>;

using ForwardFunction = std::function<IValue(Module& self, std::vector<IValue> inputs)>;
// May return replacement inputs.
using ForwardPreHook = std::function<std::optional<std::vector<IValue>>(Module& self, const std::vector<IValue>& inputs)>;
// May return a replacement output.
using ForwardHook =
    std::function<std::optional<IValue>(Module& self, const std::vector<IValue>& inputs, const IValue& output)>;
// May return replacement gradients of the inputs; undefined where there is none.
using BackwardHook =
    std::function<std::optional<TensorList>(Module& self, const TensorList& grad_inputs, const TensorList& grad_outputs)>;

template <typename T>
using Named = std::vector<std::pair<std::string, T>>;

// What load_state_dict found.
struct LoadReport {
    std::vector<std::string> missing_keys;
    std::vector<std::string> unexpected_keys;
    std::vector<std::string> errors;  // "size mismatch for fc.weight: copying a param with shape ..."
    bool is_clean() const { return missing_keys.empty() && unexpected_keys.empty() && errors.empty(); }
};

class Module : public Object {
  public:
    // A module with a class type of its own, composed in C++.
    explicit Module(std::string class_name);
    // An instance of a class read from a file; slots are empty until set.
    explicit Module(Ptr<ClassType> type);

    // "Conv2d": the last part of the class's qualified name, without a mangle.
    std::string class_name() const;

    // Registering throws Error (Run) with PyTorch's messages: empty name, a dot in it, a name that is taken, a parameter
    // that is no leaf. A module of a file has its names from its class, so only existing ones can be set there.
    void register_parameter(const std::string& name, const Tensor& parameter);
    void register_buffer(const std::string& name, const Tensor& buffer, bool persistent = true);
    void register_module(const std::string& name, ModulePtr child);
    void set_forward(ForwardFunction forward) { forward_ = std::move(forward); }

    // Immediate ones, in registration order. Undefined parameters and buffers (None) are left out.
    Named<Tensor> own_parameters() const;
    Named<Tensor> own_buffers() const;
    Named<ModulePtr> children() const;
    // Attributes that are none of the above, with their types from the class.
    Named<IValue> attributes() const;
    bool is_persistent(std::string_view buffer) const;

    // Depth first, names joined with dots, each object once (the first name wins), as PyTorch.
    Named<Tensor> named_parameters() const;
    Named<Tensor> named_buffers() const;
    Named<ModulePtr> named_modules();  // itself first, under ""
    // "layer1.0.conv1"; null when there is none. "" is the module itself.
    ModulePtr get_submodule(std::string_view path);
    // Throws Error (Run) when the path names no parameter.
    Tensor get_parameter(std::string_view path);

    // Parameters and persistent buffers, shared names kept (not deduplicated), as PyTorch.
    Named<Tensor> state_dict() const;
    // Copies into the existing tensors. With strict, throws Error (Run) that lists every difference at once.
    LoadReport load_state_dict(const Named<Tensor>& state, bool strict = true);

    bool is_training() const;
    void train(bool mode = true);  // the whole tree
    void eval() { train(false); }
    void set_requires_grad(bool value);
    void zero_grad(bool set_to_none = true);

    // Runs pre hooks, forward and hooks. `forward` is the C++ one; script modules are called through the interpreter, which
    // uses call_with_hooks.
    IValue call(std::vector<IValue> inputs);
    // Pre hooks, run(inputs), hooks; for whoever runs the forward. Without hooks it only runs.
    IValue call_with_hooks(std::vector<IValue> inputs, const std::function<IValue(std::vector<IValue>)>& run);
    bool has_hooks() const {
        return !forward_pre_hooks_.empty() || !forward_hooks_.empty() || !backward_hooks_.empty();
    }

    RemovableHandle register_forward_pre_hook(ForwardPreHook hook, bool prepend = false);
    RemovableHandle register_forward_hook(ForwardHook hook, bool prepend = false);
    // Fires when the gradients of the module's inputs have been computed; torch's register_full_backward_hook.
    RemovableHandle register_full_backward_hook(BackwardHook hook, bool prepend = false);
    struct HookCounts {
        std::size_t forward_pre = 0;
        std::size_t forward = 0;
        std::size_t backward = 0;
    };
    HookCounts hook_counts() const;

    // As PyTorch prints a module tree.
    std::string str() const;

  private:
    void check_new_name(const std::string& name, const char* what) const;
    void set_named(const std::string& name, IValue value, TypePtr type, AttributeKind kind);
    template <typename Visit>
    void visit_modules(const std::string& prefix, Visit&& visit);

    ForwardFunction forward_;
    std::vector<std::string> non_persistent_;
    HookList<std::optional<std::vector<IValue>>(Module&, const std::vector<IValue>&)> forward_pre_hooks_;
    HookList<std::optional<IValue>(Module&, const std::vector<IValue>&, const IValue&)> forward_hooks_;
    HookList<std::optional<TensorList>(Module&, const TensorList&, const TensorList&)> backward_hooks_;
};

// The object as a module; null when it is another kind of object.
ModulePtr as_module(const IValue& value);

}  // namespace loupe::nn
