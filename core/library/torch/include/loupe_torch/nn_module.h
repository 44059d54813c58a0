// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::nn::Module, its holders, and modules that can be cloned.

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/nn/module.h"

#include <loupe_torch/functions.h>
#include <loupe_torch/ivalue.h>
#include <loupe_torch/ordered_dict.h>

namespace torch {

namespace serialize {
class InputArchive;
class OutputArchive;
}  // namespace serialize

namespace nn {

class Module;
class AnyValue;
template <typename Impl>
class ModuleHolder;

namespace detail {

template <typename T>
concept IsModule = std::is_base_of_v<Module, std::remove_cvref_t<T>>;
template <typename T>
concept IsHolder = requires {
    typename std::remove_cvref_t<T>::ContainedType;
};
template <typename T>
struct Contained {
    using Type = T;
};
template <IsHolder T>
struct Contained<T> {
    using Type = typename T::ContainedType;
};
// Of names of types: "torch::nn::LinearImpl".
std::string demangled(const std::type_info& type);

}  // namespace detail

// The base of modules that a program defines; one of the engine's modules stands behind each.
class Module : public std::enable_shared_from_this<Module> {
  public:
    using ModuleApplyFunction = std::function<void(Module&)>;
    using ConstModuleApplyFunction = std::function<void(const Module&)>;
    using NamedModuleApplyFunction = std::function<void(const std::string&, Module&)>;
    using ConstNamedModuleApplyFunction = std::function<void(const std::string&, const Module&)>;
    using ModulePointerApplyFunction = std::function<void(const std::shared_ptr<Module>&)>;
    using NamedModulePointerApplyFunction = std::function<void(const std::string&, const std::shared_ptr<Module>&)>;

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
    // Throw c10::Error for a name that no module has.
    template <typename M>
    std::shared_ptr<M> replace_module(const std::string& name, std::shared_ptr<M> module) {
        replace_child(name, module);
        return module;
    }
    template <typename M>
    std::shared_ptr<M> replace_module(const std::string& name, ModuleHolder<M> holder) {
        return replace_module(name, holder.ptr());
    }
    void unregister_module(const std::string& name);

    std::vector<at::Tensor> parameters(bool recurse = true) const;
    OrderedDict<std::string, at::Tensor> named_parameters(bool recurse = true) const;
    std::vector<at::Tensor> buffers(bool recurse = true) const;
    OrderedDict<std::string, at::Tensor> named_buffers(bool recurse = true) const;
    std::vector<std::shared_ptr<Module>> children() const;
    OrderedDict<std::string, std::shared_ptr<Module>> named_children() const { return children_; }
    // Itself and all modules below it, each before those below it. Itself: throws c10::Error unless a shared_ptr owns
    // it.
    std::vector<std::shared_ptr<Module>> modules(bool include_self = true) const;
    OrderedDict<std::string, std::shared_ptr<Module>> named_modules(const std::string& prefix = {},
                                                                    bool include_self = true) const;
    // function on itself and every module below it.
    void apply(const ModuleApplyFunction& function);
    void apply(const ConstModuleApplyFunction& function) const;
    void apply(const NamedModuleApplyFunction& function, const std::string& prefix = {});
    void apply(const ConstNamedModuleApplyFunction& function, const std::string& prefix = {}) const;
    void apply(const ModulePointerApplyFunction& function) const;
    void apply(const NamedModulePointerApplyFunction& function, const std::string& prefix = {}) const;

    virtual void train(bool on = true);
    void eval() { train(false); }
    virtual bool is_training() const noexcept;
    virtual void to(c10::Device device, c10::ScalarType dtype, bool non_blocking = false);
    virtual void to(c10::ScalarType dtype, bool non_blocking = false);
    virtual void to(c10::Device device, bool non_blocking = false);
    virtual void zero_grad(bool set_to_none = true);
    const std::string& name() const noexcept;
    // Null when it is of another class; M may be a holder too.
    template <typename M>
    auto as() noexcept {
        return dynamic_cast<typename detail::Contained<M>::Type*>(this);
    }
    template <typename M>
    auto as() const noexcept {
        return dynamic_cast<const typename detail::Contained<M>::Type*>(this);
    }
    // A module of its own with the same options and values. Throws c10::Error for a class that defines none: derive it
    // from Cloneable.
    virtual std::shared_ptr<Module> clone(const std::optional<c10::Device>& device = std::nullopt) const;

    // The text of the module without those below it.
    virtual void pretty_print(std::ostream& out) const;
    // Parameters, buffers and modules below it by their names; modules that are not serializable are left out.
    virtual void save(serialize::OutputArchive& archive) const;
    virtual void load(serialize::InputArchive& archive);
    virtual bool is_serializable() const { return true; }

    const loupe::nn::ModulePtr& engine() const { return engine_; }
    // Of FORWARD_HAS_DEFAULT_ARGS: arguments with the defaults of those that are left out.
    virtual std::vector<AnyValue> _forward_populate_default_args(std::vector<AnyValue>&& arguments);

  protected:
    // As in LibTorch a copy of a module with children of other classes has their initial values.
    virtual bool is_cloneable() const { return false; }
    Module(std::string name, loupe::nn::ModulePtr engine);
    // Without parameters, buffers and children, to get its own ones: of a copy.
    void start_anew();
    // Copies the values of parameters and buffers into a module of the same class and moves it to a device. Throws
    // c10::Error when that has others.
    void copy_values_to(Module& copy, const std::optional<c10::Device>& device) const;

    OrderedDict<std::string, at::Tensor> parameters_{"Parameter"};

  private:
    friend std::ostream& operator<<(std::ostream& out, const Module& module);

    void add_child(std::string name, std::shared_ptr<Module> module);
    void replace_child(const std::string& name, std::shared_ptr<Module> module);
    std::shared_ptr<Module> shared_self() const;
    void take_tensors_of(const Module& other);
    void print_below(std::ostream& out, const std::string& indent) const;
    void visit_below(const NamedModulePointerApplyFunction& function, const std::string& prefix) const;

    mutable std::string name_;  // empty until it is asked for
    loupe::nn::ModulePtr engine_;
    OrderedDict<std::string, at::Tensor> buffers_{"Buffer"};
    OrderedDict<std::string, std::shared_ptr<Module>> children_{"Submodule"};
};

// The module and those below it, one a line.
std::ostream& operator<<(std::ostream& out, const Module& module);

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

  protected:
    bool is_cloneable() const override { return true; }
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
    requires(!(std::is_base_of_v<ModuleHolder, std::remove_cvref_t<Head>> && sizeof...(Tail) == 0) &&
             std::is_constructible_v<Impl, Head, Tail...>) explicit ModuleHolder(Head&& head, Tail&&... tail)
        : impl_(std::make_shared<Impl>(std::forward<Head>(head), std::forward<Tail>(tail)...)) {}

    explicit operator bool() const noexcept { return impl_ != nullptr; }
    bool is_empty() const noexcept { return impl_ == nullptr; }
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
    decltype(auto) operator[](Index&& index) const {
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

template <typename Impl>
std::ostream& operator<<(std::ostream& out, const ModuleHolder<Impl>& holder) {
    return out << *holder;
}

#define TORCH_MODULE_IMPL(Name, Impl)                      \
    class Name : public torch::nn::ModuleHolder<Impl> {    \
      public:                                              \
        using torch::nn::ModuleHolder<Impl>::ModuleHolder; \
    }
#define TORCH_MODULE(Name) TORCH_MODULE_IMPL(Name, Name##Impl)

}  // namespace nn
}  // namespace torch
