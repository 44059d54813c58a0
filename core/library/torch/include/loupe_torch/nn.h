// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::nn: modules written in C++ and the layers of the engine. The layers' options and classes are written from
// their records: layers.inc.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/nn/module.h"

#include <loupe_torch/functions.h>
#include <loupe_torch/ivalue.h>
#include <loupe_torch/ordered_dict.h>

namespace torch {

// Names that options take where LibTorch has types of their own.
inline constexpr const char* kNone = "none";
inline constexpr const char* kMean = "mean";
inline constexpr const char* kSum = "sum";
inline constexpr const char* kZeros = "zeros";
inline constexpr const char* kReflect = "reflect";
inline constexpr const char* kReplicate = "replicate";
inline constexpr const char* kCircular = "circular";
inline constexpr const char* kTanh = "tanh";

namespace nn {

template <typename Impl>
class ModuleHolder;

// The base of modules that a program defines; a tree of the engine's modules stands behind it.
class Module : public std::enable_shared_from_this<Module> {
  public:
    Module() : Module(std::string("Module")) {}
    explicit Module(std::string name);
    virtual ~Module() = default;

    // Throw c10::Error for a name that is taken or holds a dot.
    at::Tensor& register_parameter(std::string name, at::Tensor tensor, bool requires_grad = true);
    at::Tensor& register_buffer(std::string name, at::Tensor tensor);
    template <typename M>
    std::shared_ptr<M> register_module(std::string name, std::shared_ptr<M> module) {
        add_child(std::move(name), module);
        return module;
    }
    template <typename M>
    std::shared_ptr<M> register_module(std::string name, ModuleHolder<M> holder) {
        return register_module(std::move(name), holder.ptr());
    }

    std::vector<at::Tensor> parameters(bool recurse = true) const;
    OrderedDict<std::string, at::Tensor> named_parameters(bool recurse = true) const;
    std::vector<at::Tensor> buffers(bool recurse = true) const;
    OrderedDict<std::string, at::Tensor> named_buffers(bool recurse = true) const;
    std::vector<std::shared_ptr<Module>> children() const;
    OrderedDict<std::string, std::shared_ptr<Module>> named_children() const { return children_; }

    virtual void train(bool on = true);
    void eval() { train(false); }
    bool is_training() const;
    void to(c10::Device device, c10::ScalarType dtype, bool non_blocking = false);
    void to(c10::ScalarType dtype, bool non_blocking = false);
    void to(c10::Device device, bool non_blocking = false);
    void zero_grad(bool set_to_none = true);
    const std::string& name() const { return name_; }
    template <typename M>
    M* as() {
        return dynamic_cast<M*>(this);
    }

    const loupe::nn::ModulePtr& engine() const { return engine_; }

  protected:
    Module(std::string name, loupe::nn::ModulePtr engine) : name_(std::move(name)), engine_(std::move(engine)) {}

  private:
    void add_child(std::string name, std::shared_ptr<Module> module);

    std::string name_;
    loupe::nn::ModulePtr engine_;
    std::map<std::string, at::Tensor> tensors_;
    OrderedDict<std::string, std::shared_ptr<Module>> children_;
};

// A module by value, as in `torch::nn::Linear fc{nullptr}`: a shared pointer that makes its module.
template <typename Impl>
class ModuleHolder {
  public:
    using ContainedType = Impl;
    ModuleHolder() : impl_(make_default()) {}
    ModuleHolder(std::nullptr_t) {}
    ModuleHolder(std::shared_ptr<Impl> module) : impl_(std::move(module)) {}
    template <typename Head, typename... Tail>
    requires(!std::is_base_of_v<ModuleHolder, std::remove_cvref_t<Head>> &&
             std::is_constructible_v<Impl, Head, Tail...>) explicit ModuleHolder(Head&& head, Tail&&... tail)
        : impl_(std::make_shared<Impl>(std::forward<Head>(head), std::forward<Tail>(tail)...)) {}

    explicit operator bool() const { return impl_ != nullptr; }
    bool is_empty() const { return impl_ == nullptr; }
    Impl* get() const { return pointer(); }
    Impl* operator->() const { return pointer(); }
    Impl& operator*() const { return *pointer(); }
    const std::shared_ptr<Impl>& ptr() const {
        static_cast<void>(pointer());
        return impl_;
    }
    template <typename... Arguments>
    auto operator()(Arguments&&... arguments) const {
        return pointer()->forward(std::forward<Arguments>(arguments)...);
    }

  private:
    static std::shared_ptr<Impl> make_default() {
        if constexpr (std::is_default_constructible_v<Impl>)
            return std::make_shared<Impl>();
        else
            return nullptr;
    }
    Impl* pointer() const {
        if (impl_ == nullptr) throw c10::Error("Accessing empty ModuleHolder");
        return impl_.get();
    }

    std::shared_ptr<Impl> impl_;
};

#define TORCH_MODULE(Name)                                       \
    class Name : public torch::nn::ModuleHolder<Name##Impl> {    \
      public:                                                    \
        using torch::nn::ModuleHolder<Name##Impl>::ModuleHolder; \
    }

namespace detail {

// Arguments of a layer's constructor by Python's names.
class Options {
  public:
    using Given = std::vector<std::pair<std::string, loupe::IValue>>;
    const Given& given() const { return given_; }

  protected:
    void set(const char* name, loupe::IValue value);
    void set(const char* name, const c10::IntArrayRef& list);

  private:
    Given given_;
};

// A layer of the engine. Members that it lacks stay undefined.
class Layer : public Module {
  public:
    at::Tensor weight, bias, running_mean, running_var;
    // Gives the parameters their initial values again.
    void reset_parameters();

  protected:
    Layer(const char* record, const Options& options);
    at::Tensor run(std::vector<loupe::IValue> inputs) const;
};

}  // namespace detail

#include <loupe_torch/layers.inc>

// A function as a module of a Sequential.
class FunctionalImpl : public Module {
  public:
    explicit FunctionalImpl(std::function<at::Tensor(at::Tensor)> function)
        : Module("Functional"), function_(std::move(function)) {}
    // Of an overloaded function: that of one tensor.
    explicit FunctionalImpl(at::Tensor (*function)(const at::Tensor&)) : Module("Functional"), function_(function) {}
    at::Tensor forward(at::Tensor input) { return function_(std::move(input)); }

  private:
    std::function<at::Tensor(at::Tensor)> function_;
};
TORCH_MODULE(Functional);

// Modules one after the other, each of one tensor.
class SequentialImpl : public Module {
  public:
    SequentialImpl() : Module("Sequential") {}
    template <typename... Modules>
    requires(sizeof...(Modules) > 0) explicit SequentialImpl(const Modules&... modules) : Module("Sequential") {
        (push_back(modules), ...);
    }
    template <typename M>
    void push_back(const ModuleHolder<M>& holder) {
        push_back(holder.ptr());
    }
    template <typename M>
    void push_back(const std::shared_ptr<M>& module) {
        push_back(std::to_string(steps_.size()), module);
    }
    template <typename M>
    void push_back(std::string name, const ModuleHolder<M>& holder) {
        push_back(std::move(name), holder.ptr());
    }
    template <typename M>
    void push_back(std::string name, const std::shared_ptr<M>& module) {
        register_module(std::move(name), module);
        steps_.push_back([module](at::Tensor x) { return module->forward(std::move(x)); });
    }
    std::size_t size() const { return steps_.size(); }
    at::Tensor forward(at::Tensor input) {
        for (const auto& step : steps_) input = step(std::move(input));
        return input;
    }

  private:
    std::vector<std::function<at::Tensor(at::Tensor)>> steps_;
};
TORCH_MODULE(Sequential);

}  // namespace nn

// A module's parameters and buffers, as LibTorch lays them out. Throw c10::Error.
void save(const std::shared_ptr<nn::Module>& module, const std::string& file);
void load(const std::shared_ptr<nn::Module>& module, const std::string& file);
template <typename Impl>
void save(const nn::ModuleHolder<Impl>& holder, const std::string& file) {
    save(std::shared_ptr<nn::Module>(holder.ptr()), file);
}
template <typename Impl>
void load(const nn::ModuleHolder<Impl>& holder, const std::string& file) {
    load(std::shared_ptr<nn::Module>(holder.ptr()), file);
}

}  // namespace torch
