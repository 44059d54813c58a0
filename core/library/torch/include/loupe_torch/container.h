// SPDX-License-Identifier: Apache-2.0
#pragma once
// Modules that hold modules of any class: AnyModule, ModuleList.

#include <any>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <loupe_torch/nn.h>

namespace torch::nn {

// A module of any class with one forward. Arguments have the types of forward's parameters; left out ones are empty
// tensors.
class AnyModule {
  public:
    AnyModule() = default;
    template <typename M>
    explicit AnyModule(std::shared_ptr<M> module)
        : module_(module), forward_(bound(module, &M::forward)), clone_([module](const auto& device) {
              return AnyModule(std::dynamic_pointer_cast<M>(module->clone(device)));
          }) {}
    template <typename M>
    explicit AnyModule(const ModuleHolder<M>& holder) : AnyModule(holder.ptr()) {}
    template <typename M>
    requires std::is_base_of_v<Module, std::remove_cvref_t<M>>
    explicit AnyModule(M&& module) : AnyModule(std::make_shared<std::remove_cvref_t<M>>(std::forward<M>(module))) {}

    bool is_empty() const noexcept { return module_ == nullptr; }
    // Throw c10::Error for an empty one, other types of arguments or another type of result.
    template <typename Result = at::Tensor, typename... Arguments>
    Result forward(Arguments&&... arguments) const {
        TORCH_CHECK(!is_empty(), "Cannot call forward() on an empty AnyModule");
        const std::any result = forward_({std::any(std::forward<Arguments>(arguments))...});
        const Result* value = std::any_cast<Result>(&result);
        TORCH_CHECK(value != nullptr, "Attempted to cast AnyValue to another type than forward() returns");
        return *value;
    }
    AnyModule clone(const std::optional<c10::Device>& device = std::nullopt) const {
        return is_empty() ? AnyModule() : clone_(device);
    }
    std::shared_ptr<Module> ptr() const {
        TORCH_CHECK(!is_empty(), "Cannot call ptr() on an empty AnyModule");
        return module_;
    }
    template <typename M>
    std::shared_ptr<M> ptr() const {
        auto cast = std::dynamic_pointer_cast<M>(ptr());
        TORCH_CHECK(cast != nullptr, "Attempted to cast module of type ", module_->name(), " to another type");
        return cast;
    }
    template <typename M>
    requires std::is_base_of_v<Module, M> M& get() const { return *ptr<M>(); }
    // A holder: any.get<torch::nn::Linear>().
    template <typename Holder>
    requires requires { typename Holder::ContainedType; }
    Holder get() const { return Holder(ptr<typename Holder::ContainedType>()); }

  private:
    using Arguments = std::vector<std::any>;
    using Forward = std::function<std::any(const Arguments&)>;

    template <typename M, typename Class, typename Result, typename... Parameters>
    static Forward bound(std::shared_ptr<M> module, Result (Class::*forward)(Parameters...)) {
        return [module, forward](const Arguments& arguments) {
            return called<Parameters...>(arguments, std::index_sequence_for<Parameters...>(), [&](auto&&... values) {
                return (module.get()->*forward)(std::forward<decltype(values)>(values)...);
            });
        };
    }
    template <typename M, typename Class, typename Result, typename... Parameters>
    static Forward bound(std::shared_ptr<M> module, Result (Class::*forward)(Parameters...) const) {
        return [module, forward](const Arguments& arguments) {
            return called<Parameters...>(arguments, std::index_sequence_for<Parameters...>(), [&](auto&&... values) {
                return (module.get()->*forward)(std::forward<decltype(values)>(values)...);
            });
        };
    }
    template <typename... Parameters, std::size_t... I, typename Call>
    static std::any called(const Arguments& arguments, std::index_sequence<I...>, const Call& call) {
        TORCH_CHECK(arguments.size() <= sizeof...(Parameters), "forward() takes ", sizeof...(Parameters),
                    " argument(s), but received ", arguments.size());
        return std::any(call(argument<std::decay_t<Parameters>>(arguments, I)...));
    }
    template <typename T>
    static T argument(const Arguments& arguments, std::size_t i) {
        if (i < arguments.size()) {
            const T* value = std::any_cast<T>(&arguments[i]);
            TORCH_CHECK(value != nullptr, "Expected argument #", i, " of forward() to be of its parameter's type");
            return *value;
        }
        if constexpr (std::is_same_v<T, at::Tensor>) return at::Tensor();
        TORCH_CHECK(false, "forward() needs argument #", i);
    }

    std::shared_ptr<Module> module_;
    Forward forward_;
    std::function<AnyModule(const std::optional<c10::Device>&)> clone_;
};

// Modules by their number.
class ModuleListImpl : public Module {
  public:
    ModuleListImpl() : Module("torch::nn::ModuleListImpl") {}
    template <typename... Modules>
    requires(sizeof...(Modules) > 0) explicit ModuleListImpl(const Modules&... modules) : ModuleListImpl() {
        (push_back(modules), ...);
    }
    void push_back(std::shared_ptr<Module> module) {
        register_module(std::to_string(modules_.size()), module);
        modules_.push_back(std::move(module));
    }
    template <typename M>
    void push_back(const ModuleHolder<M>& holder) {
        push_back(std::shared_ptr<Module>(holder.ptr()));
    }
    template <typename M>
    requires std::is_base_of_v<Module, std::remove_cvref_t<M>>
    void push_back(M&& module) {
        push_back(std::shared_ptr<Module>(std::make_shared<std::remove_cvref_t<M>>(std::forward<M>(module))));
    }
    template <typename Container>
    void extend(const Container& container) {
        for (const auto& module : container) push_back(module);
    }
    std::shared_ptr<Module> clone(const std::optional<c10::Device>& device = std::nullopt) const override {
        auto copy = std::make_shared<ModuleListImpl>();
        for (const auto& module : modules_) copy->push_back(module->clone(device));
        return copy;
    }
    std::size_t size() const { return modules_.size(); }
    bool is_empty() const { return modules_.empty(); }
    auto begin() const { return modules_.begin(); }
    auto end() const { return modules_.end(); }
    // Throw c10::Error for an index out of range or a module of another class.
    std::shared_ptr<Module> ptr(std::size_t index) const {
        TORCH_CHECK(index < size(), "Index out of range");
        return modules_[index];
    }
    template <typename M>
    std::shared_ptr<M> ptr(std::size_t index) const {
        return std::dynamic_pointer_cast<M>(ptr(index));
    }
    template <typename M>
    M& at(std::size_t index) const {
        const auto module = ptr<M>(index);
        TORCH_CHECK(module != nullptr, "Unable to cast module[", index, "] to another type");
        return *module;
    }
    std::shared_ptr<Module> operator[](std::size_t index) const { return ptr(index); }

  private:
    std::vector<std::shared_ptr<Module>> modules_;
};
TORCH_MODULE(ModuleList);

class IdentityImpl : public Module {
  public:
    IdentityImpl() : Module("torch::nn::IdentityImpl") {}
    at::Tensor forward(const at::Tensor& input) { return input; }
    std::shared_ptr<Module> clone(const std::optional<c10::Device>&) const override {
        return std::make_shared<IdentityImpl>();
    }
};
TORCH_MODULE(Identity);

}  // namespace torch::nn
