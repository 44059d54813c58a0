// SPDX-License-Identifier: Apache-2.0
#pragma once
// Module: parameters, buffers, children and attributes under names; a forward; hooks. torch.nn.Module.
// One class for all: a model read from a file has a shared class type and script methods; a layer of torch.nn has a
// record; one composed in C++ or in a model source has its own class type and a forward.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/autograd/variable.h"
#include "core/nn/module_hooks.h"
#include "core/value/callable.h"
#include "core/value/ivalue.h"
#include "core/value/schema.h"

namespace loupe::nn {

struct LayerRecord;

using ForwardFunction = std::function<IValue(Module& self, std::vector<IValue> inputs)>;
using ForwardWithKeywords = std::function<IValue(Module& self, CallArguments arguments)>;

// An attribute that is computed whenever it is read, as a parametrized weight is.
struct ComputedAttribute {
    std::string name;
    std::function<IValue(Module& self)> get;
    std::function<void(Module& self, IValue value)> set;
    IValue value = {};  // the last value, while it may be read
};

struct LoadOptions {
    bool strict = true;
    bool assign = false;  // replaces the existing tensors instead of copying
    // Of each module's class by its path, as state_versions() gives them; a class that counts versions reads older
    // states.
    std::vector<std::pair<std::string, int>> versions = {};
    // Entries of the state that are no tensors, by name: for set_extra_state.
    Named<IValue> extra = {};
};

struct NameOptions {
    std::string prefix = {};
    bool recurse = true;
    bool remove_duplicate = true;  // the first name of an object wins
};

// Arguments of to(...); the dtype applies to floating and complex tensors only.
struct ToOptions {
    std::optional<Device> device = {};
    std::optional<ScalarType> dtype = {};
    std::optional<std::int64_t> memory_format = {};  // of 4- and 5-dimensional tensors, as aten numbers it
};

class Module : public Object {
  public:
    // A module with an unshared class type, composed in C++.
    explicit Module(std::string class_name);
    // An instance of a class read from a file; slots are empty until set.
    explicit Module(Ptr<ClassType> type);
    // A layer before its __init__.
    explicit Module(const LayerRecord& record);
    // An instance of a model source's class, before Module.__init__(): nothing can be registered yet.
    Module(Ptr<RefCounted> dynamic_class, std::string class_name);

    // "Conv2d": the last part of the class's qualified name, without a mangle.
    std::string class_name() const;
    // The record of a layer, or of the layer that the dynamic class derives from; null otherwise.
    const LayerRecord* layer() const { return layer_; }
    void set_layer(const LayerRecord& record) { layer_ = &record; }
    // Its class in a model source; null for other modules.
    const Ptr<RefCounted>& dynamic_class() const { return dynamic_class_; }
    // Makes it an instance of another class, of that name; null: of its layer's.
    void set_dynamic_class(Ptr<RefCounted> dynamic_class, std::string class_name);
    // Module.__init__(); idempotent.
    void construct();
    bool is_constructed() const;

    // Registering throws Error (Run) with PyTorch's messages: before construction, empty name, a dot in it, a name that
    // is taken, a parameter that is no leaf. A module of a file has its names from its class, so only existing ones can
    // be set there.
    void register_parameter(const std::string& name, const Tensor& parameter);
    void register_buffer(const std::string& name, const Tensor& buffer, bool persistent = true);
    void register_module(const std::string& name, ModulePtr child);
    void set_forward(ForwardFunction forward);
    void set_forward(ForwardWithKeywords forward) { forward_ = std::move(forward); }
    // A method beside forward that C++ may call: "right_inverse" of a model source's class. Null when there is none.
    void set_method(std::string name, ForwardWithKeywords method) { methods_[std::move(name)] = std::move(method); }
    const ForwardWithKeywords* method(const std::string& name) const;
    // For classes of a model source that define extra_repr.
    void set_extra_repr(std::function<std::string(const Module&)> text) { extra_repr_ = std::move(text); }

    // Python's module.name = value: parameters and modules are registered, a buffer's or parameter's name keeps its
    // kind, other values are attributes with the type of their value. Throws Error (Run) with PyTorch's messages.
    void set_attribute(std::string_view name, IValue value);
    // Throws Error (Run) "'Net' object has no attribute 'x'".
    const IValue& attribute(std::string_view name) const;
    // Null when there is none. Parameters, buffers and modules are attributes too.
    const IValue* find_attribute(std::string_view name) const;
    std::optional<AttributeKind> attribute_kind(std::string_view name) const;
    void delete_attribute(std::string_view name);
    // Reading the attribute calls get, writing set. It must not exist.
    void set_computed(ComputedAttribute attribute);
    void remove_computed(std::string_view name);
    bool is_computed(std::string_view name) const;

    // Immediate ones, in registration order. Undefined parameters and buffers (None) are left out.
    Named<Tensor> own_parameters() const;
    Named<Tensor> own_buffers() const;
    Named<ModulePtr> children() const;
    // Attributes that are none of the above, with their types from the class.
    Named<IValue> attributes() const;
    bool is_persistent(std::string_view buffer) const;
    // A parameter or buffer of a lazy layer without a shape yet; it has no elements.
    bool is_uninitialized(std::string_view name) const;
    bool has_uninitialized() const { return !uninitialized_.empty(); }
    void set_uninitialized(const std::string& name) { uninitialized_.push_back(name); }
    // Allocates it with a shape, uninitialised; the object stays the same.
    void materialize(const std::string& name, IntSpan sizes);

    // Depth first, names joined with dots, each object once (the first name wins), as PyTorch.
    Named<Tensor> named_parameters(const NameOptions& options = {}) const;
    Named<Tensor> named_buffers(const NameOptions& options = {}) const;
    Named<ModulePtr> named_modules(const NameOptions& options = {});  // itself first, under ""
    Named<ModulePtr> named_children() const;                          // each once
    // "layer1.0.conv1"; null when there is none. "" is the module itself.
    ModulePtr get_submodule(std::string_view path);
    // Throw Error (Run) with PyTorch's messages when the path names none.
    ModulePtr submodule(std::string_view path);
    Tensor get_parameter(std::string_view path);
    Tensor get_buffer(std::string_view path);

    // Parameters and persistent buffers, shared names kept (not deduplicated), as PyTorch; detached unless keep_vars.
    Named<Tensor> state_dict(const std::string& prefix = {}, bool keep_vars = false) const;
    // The version of each module's class by its path, as state_dict's _metadata has it.
    std::vector<std::pair<std::string, int>> state_versions() const;
    // With the results of the modules' get_extra_state, as PREFIX_extra_state after each module's tensors; state_dict
    // omits those that are no tensors. Methods of these names are set with set_method: get_extra_state() and
    // set_extra_state(state), which load_state_dict calls.
    Named<IValue> full_state_dict(const std::string& prefix = {}, bool keep_vars = false) const;
    // Copies into the existing tensors, after all have been checked. With strict, throws Error (Run) that lists every
    // difference at once.
    LoadReport load_state_dict(const Named<Tensor>& state, bool strict = true);
    LoadReport load_state_dict(const Named<Tensor>& state, const LoadOptions& options);
    // Replaces the existing tensors instead of copying; torch's assign=True.
    LoadReport assign_state_dict(const Named<Tensor>& state, bool strict = true);

    bool is_training() const;
    void train(bool mode = true);  // the whole tree
    void eval() { train(false); }
    void set_requires_grad(bool value);
    void zero_grad(bool set_to_none = true);

    // fn on every module of the tree, children first.
    void apply(const std::function<void(Module&)>& fn);
    // Replaces every parameter's data, its gradient and every buffer by fn(t), keeping the parameter objects;
    // torch's _apply.
    void apply_to_tensors(const std::function<Tensor(const Tensor&)>& fn);
    // Throws Error (Run) for a dtype that is neither floating nor complex.
    void to(const ToOptions& options);
    // Every tensor to the dtype; torch's type().
    void to_type(ScalarType dtype);
    // A copy of the tree that shares nothing with it; sharing within the tree is preserved. Throws Error (Run) for
    // tensors that are no leaves.
    ModulePtr deep_copy() const;

    // Runs pre hooks, forward and hooks. `forward` is the C++ one; script modules are called through the interpreter,
    // which uses call_with_hooks.
    IValue call(std::vector<IValue> inputs);
    IValue invoke(CallArguments arguments);
    // Pre hooks, run(inputs), hooks; for callers that run the forward.
    IValue call_with_hooks(std::vector<IValue> inputs, const std::function<IValue(std::vector<IValue>)>& run);
    IValue invoke_with_hooks(CallArguments arguments, const std::function<IValue(CallArguments)>& run);
    // The forward without hooks. Throws Error (Run) when there is none.
    IValue run_forward(CallArguments arguments);
    bool has_hooks() const;

    RemovableHandle register_forward_pre_hook(ForwardPreHook hook, bool prepend = false);
    RemovableHandle register_forward_pre_hook(ForwardPreHookWithKeywords hook, bool prepend = false);
    RemovableHandle register_forward_hook(ForwardHook hook, bool prepend = false);
    RemovableHandle register_forward_hook(ForwardHookWithKeywords hook, bool prepend = false);
    // Also runs, with None for the output, when the forward or another hook throws; with_kwargs and always_call.
    RemovableHandle register_always_called_forward_hook(ForwardHookWithKeywords hook, bool prepend = false);
    // Fires when the gradients of the module's inputs have been computed; torch's register_full_backward_hook.
    RemovableHandle register_full_backward_hook(BackwardHook hook, bool prepend = false);
    // Called when the gradients of the outputs have arrived, before those of the inputs are computed.
    RemovableHandle register_full_backward_pre_hook(BackwardPreHook hook, bool prepend = false);
    RemovableHandle register_state_dict_pre_hook(StateDictPreHook hook);
    RemovableHandle register_state_dict_hook(StateDictHook hook);
    RemovableHandle register_load_state_dict_pre_hook(LoadStateDictPreHook hook);
    RemovableHandle register_load_state_dict_post_hook(LoadStateDictPostHook hook);
    struct HookCounts {
        std::size_t forward_pre = 0;
        std::size_t forward = 0;
        std::size_t backward = 0;
    };
    HookCounts hook_counts() const;
    ModuleHooks& hooks() { return hooks_; }

    // As PyTorch prints a module tree.
    std::string str() const;
    // The text between the brackets.
    std::string extra_repr() const;

  private:
    class Copier;
    class StateLoader;

    void check_constructed(const char* what) const;
    void check_new_name(const std::string& name, const char* what, AttributeKind kind) const;
    void set_named(const std::string& name, IValue value, TypePtr type, AttributeKind kind);
    void remove_named(std::string_view name);
    void set_plain_attribute(const std::string& name, IValue value);
    template <typename Visit>
    void visit_modules(const std::string& prefix, bool once, Visit&& visit);
    template <typename Get>
    Named<Tensor> named_tensors(const NameOptions& options, Get&& get) const;
    struct State;
    void collect_state(const std::string& prefix, bool keep_vars, std::size_t depth, State& out) const;

    // A class type that is not shared, to which names may be added.
    bool owns_type_ = false;
    const LayerRecord* layer_ = nullptr;
    Ptr<RefCounted> dynamic_class_;
    std::string dynamic_name_;
    ForwardWithKeywords forward_;
    std::function<std::string(const Module&)> extra_repr_;
    std::vector<std::string> non_persistent_;
    std::vector<std::string> uninitialized_;
    std::map<std::string, ForwardWithKeywords> methods_;
    mutable std::vector<ComputedAttribute> computed_;
    ModuleHooks hooks_;
};

// "torch.FloatTensor": Tensor.type().
std::string tensor_type_name(ScalarType dtype);
// The object as a module; null for other objects.
ModulePtr as_module(const IValue& value);

}  // namespace loupe::nn
