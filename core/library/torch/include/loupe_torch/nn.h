// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::nn: modules written in C++ and the layers of the engine. The layers' options and classes are written from
// their records: layers.inc.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/nn/module.h"

#include <loupe_torch/enum.h>
#include <loupe_torch/functions.h>
#include <loupe_torch/ivalue.h>
#include <loupe_torch/ordered_dict.h>

namespace torch {

namespace nn {

template <typename Impl>
class ModuleHolder;

// The base of modules that a program defines; a tree of the engine's modules stands behind it.
class Module : public std::enable_shared_from_this<Module> {
  public:
    // Without a name: that of its class.
    Module() : Module(std::string()) {}
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
    const std::string& name() const;
    // Null when it is of another class; M may be a holder too.
    template <typename M>
    auto as() {
        if constexpr (requires { typename M::ContainedType; })
            return dynamic_cast<typename M::ContainedType*>(this);
        else
            return dynamic_cast<M*>(this);
    }
    // Itself and all modules below it, each before those below it.
    std::vector<std::shared_ptr<Module>> modules(bool include_self = true);
    void apply(const std::function<void(Module&)>& function);
    // A module of its own with the same options and values. Throws c10::Error for a class that defines none: derive it
    // from Cloneable.
    virtual std::shared_ptr<Module> clone(const std::optional<c10::Device>& device = std::nullopt) const;

    const loupe::nn::ModulePtr& engine() const { return engine_; }

  protected:
    Module(std::string name, loupe::nn::ModulePtr engine) : name_(std::move(name)), engine_(std::move(engine)) {}
    // Without parameters, buffers and children, to get its own ones: of a copy.
    void start_anew();
    // Copies the values of parameters and buffers into a module of the same class and moves it to a device.
    void copy_values_to(Module& copy, const std::optional<c10::Device>& device) const;

  private:
    void add_child(std::string name, std::shared_ptr<Module> module);

    mutable std::string name_;  // empty until it is asked for
    loupe::nn::ModulePtr engine_;
    std::map<std::string, at::Tensor> tensors_;
    OrderedDict<std::string, std::shared_ptr<Module>> children_;
};

// A base of modules whose reset() registers what they consist of: they can be cloned.
template <typename Derived>
class Cloneable : public Module {
  public:
    using Module::Module;
    virtual void reset() = 0;
    std::shared_ptr<Module> clone(const std::optional<c10::Device>& device = std::nullopt) const override {
        auto copy = std::make_shared<Derived>(static_cast<const Derived&>(*this));
        Cloneable& anew = *copy;
        anew.start_anew();
        anew.reset();
        copy_values_to(anew, device);
        return copy;
    }
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
    template <typename Index>
    auto operator[](Index&& index) const {
        return (*pointer())[std::forward<Index>(index)];
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
    void set(const char* name, const Word& word) { set(name, loupe::IValue(word.text())); }
    // One number stands for all dimensions.
    void set(const char* name, const c10::IntArrayRef& list);
    void set_list(const char* name, const c10::IntArrayRef& list);
    void set_list(const char* name, const std::vector<double>& list);
    // What was given, or the value that is used without it.
    std::int64_t value_or(const char* name, std::int64_t otherwise) const;
    double value_or(const char* name, double otherwise) const;
    bool value_or(const char* name, bool otherwise) const;
    std::optional<std::int64_t> value_or(const char* name, std::optional<std::int64_t> otherwise) const;
    std::optional<double> value_or(const char* name, std::optional<double> otherwise) const;
    std::optional<bool> value_or(const char* name, std::optional<bool> otherwise) const;
    at::Tensor value_or(const char* name, at::Tensor otherwise) const;

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
    std::shared_ptr<Module> copied_to(std::shared_ptr<Module> copy, const std::optional<c10::Device>& device) const {
        copy_values_to(*copy, device);
        return copy;
    }
};

}  // namespace detail

#include <loupe_torch/layers.inc>

namespace detail {
template <std::size_t I, typename... Options>
using Chosen = std::tuple_element_t<I, std::tuple<Options...>>;
}

// The options of D dimensions.
template <std::size_t D>
using ConvOptions = detail::Chosen<D - 1, Conv1dOptions, Conv2dOptions, Conv3dOptions>;
template <std::size_t D>
using ConvTransposeOptions =
    detail::Chosen<D - 1, ConvTranspose1dOptions, ConvTranspose2dOptions, ConvTranspose3dOptions>;
template <std::size_t D>
using AvgPoolOptions = detail::Chosen<D - 1, AvgPool1dOptions, AvgPool2dOptions, AvgPool3dOptions>;
template <std::size_t D>
using MaxPoolOptions = detail::Chosen<D - 1, MaxPool1dOptions, MaxPool2dOptions, MaxPool3dOptions>;
template <std::size_t D>
using MaxUnpoolOptions = detail::Chosen<D - 1, MaxUnpool1dOptions, MaxUnpool2dOptions, MaxUnpool3dOptions>;
template <std::size_t D>
using LPPoolOptions = detail::Chosen<D - 1, LPPool1dOptions, LPPool2dOptions, LPPool3dOptions>;
template <std::size_t D>
using FractionalMaxPoolOptions = detail::Chosen<D - 2, FractionalMaxPool2dOptions, FractionalMaxPool3dOptions>;
template <std::size_t D>
using ReflectionPadOptions =
    detail::Chosen<D - 1, ReflectionPad1dOptions, ReflectionPad2dOptions, ReflectionPad3dOptions>;
template <std::size_t D>
using ReplicationPadOptions =
    detail::Chosen<D - 1, ReplicationPad1dOptions, ReplicationPad2dOptions, ReplicationPad3dOptions>;
template <std::size_t D>
using ZeroPadOptions = detail::Chosen<D - 1, ZeroPad1dOptions, ZeroPad2dOptions, ZeroPad3dOptions>;
template <std::size_t D>
using ConstantPadOptions = detail::Chosen<D - 1, ConstantPad1dOptions, ConstantPad2dOptions, ConstantPad3dOptions>;

// A function as a module of a Sequential.
class FunctionalImpl : public Module {
  public:
    explicit FunctionalImpl(std::function<at::Tensor(at::Tensor)> function)
        : Module("torch::nn::FunctionalImpl"), function_(std::move(function)) {}
    // Of an overloaded function: that of one tensor.
    explicit FunctionalImpl(at::Tensor (*function)(const at::Tensor&))
        : Module("torch::nn::FunctionalImpl"), function_(function) {}
    at::Tensor forward(at::Tensor input) { return function_(std::move(input)); }
    std::shared_ptr<Module> clone(const std::optional<c10::Device>&) const override {
        return std::make_shared<FunctionalImpl>(function_);
    }

  private:
    std::function<at::Tensor(at::Tensor)> function_;
};
TORCH_MODULE(Functional);

// Modules one after the other, each of one tensor.
class SequentialImpl : public Module {
  public:
    SequentialImpl() : Module("torch::nn::SequentialImpl") {}
    template <typename... Modules>
    requires(sizeof...(Modules) > 0) explicit SequentialImpl(const Modules&... modules)
        : Module("torch::nn::SequentialImpl") {
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
        register_module(name, module);
        steps_.push_back([module](at::Tensor x) { return module->forward(std::move(x)); });
        clones_.push_back([module, name](SequentialImpl& copy, const std::optional<c10::Device>& device) {
            copy.push_back(name, std::dynamic_pointer_cast<M>(module->clone(device)));
        });
    }
    std::shared_ptr<Module> clone(const std::optional<c10::Device>& device = std::nullopt) const override {
        auto copy = std::make_shared<SequentialImpl>();
        for (const auto& add_clone : clones_) add_clone(*copy, device);
        return copy;
    }
    std::size_t size() const { return steps_.size(); }
    at::Tensor forward(at::Tensor input) {
        for (const auto& step : steps_) input = step(std::move(input));
        return input;
    }

  private:
    std::vector<std::function<at::Tensor(at::Tensor)>> steps_;
    std::vector<std::function<void(SequentialImpl&, const std::optional<c10::Device>&)>> clones_;
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
