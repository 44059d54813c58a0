// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::nn::AnyModule: a module of any class.

#include <any>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include <loupe_torch/nn_module.h>

namespace torch::nn {

// A value of any type that can be copied.
class AnyValue {
  public:
    template <typename T>
    requires(!std::is_same_v<std::decay_t<T>, AnyValue>) explicit AnyValue(T&& value)
        : value_(std::make_any<std::decay_t<T>>(std::forward<T>(value))) {}
    // Null for another type.
    template <typename T>
    T* try_get() {
        return std::any_cast<T>(&value_);
    }
    // Throws c10::Error for another type.
    template <typename T>
    T get() {
        T* value = try_get<T>();
        TORCH_CHECK(value != nullptr, "Attempted to cast AnyValue to ", detail::demangled(typeid(T)),
                    ", but its actual type is ", detail::demangled(type_info()));
        return *value;
    }
    const std::type_info& type_info() const noexcept { return value_.type(); }

  private:
    std::any value_;
};

// A module of any class with one forward. Arguments have the types of forward's parameters; left out ones are those of
// FORWARD_HAS_DEFAULT_ARGS, or empty tensors.
class AnyModule {
  public:
    AnyModule() = default;
    template <typename M>
    explicit AnyModule(std::shared_ptr<M> module)
        : module_(module), forward_(bound(module)), type_(&typeid(M)), clone_([module](const auto& device) {
              return AnyModule(std::dynamic_pointer_cast<M>(module->clone(device)));
          }) {}
    template <typename M>
    explicit AnyModule(const ModuleHolder<M>& holder) : AnyModule(holder.ptr()) {}
    template <detail::IsModule M>
    explicit AnyModule(M&& module) : AnyModule(std::make_shared<std::remove_cvref_t<M>>(std::forward<M>(module))) {}
    template <typename M>
    AnyModule& operator=(std::shared_ptr<M> module) {
        return *this = AnyModule(std::move(module));
    }

    bool is_empty() const noexcept { return module_ == nullptr; }
    // Throw c10::Error for an empty one, other types of arguments or another type of result.
    template <typename... Arguments>
    AnyValue any_forward(Arguments&&... arguments) const {
        TORCH_CHECK(!is_empty(), "Cannot call forward() on an empty AnyModule");
        std::vector<AnyValue> values;
        values.reserve(sizeof...(arguments));
        (values.push_back(as_value(std::forward<Arguments>(arguments))), ...);
        return forward_(std::move(values));
    }
    template <typename Result = at::Tensor, typename... Arguments>
    Result forward(Arguments&&... arguments) const {
        return any_forward(std::forward<Arguments>(arguments)...).template get<Result>();
    }
    AnyModule clone(const std::optional<c10::Device>& device = std::nullopt) const {
        return is_empty() ? AnyModule() : clone_(device);
    }
    std::shared_ptr<Module> ptr() const {
        TORCH_CHECK(!is_empty(), "Cannot call ptr() on an empty AnyModule");
        return module_;
    }
    template <detail::IsModule M>
    std::shared_ptr<M> ptr() const {
        auto cast = std::dynamic_pointer_cast<M>(ptr());
        TORCH_CHECK(cast != nullptr, "Attempted to cast module of type ", detail::demangled(type_info()), " to type ",
                    detail::demangled(typeid(M)));
        return cast;
    }
    template <detail::IsModule M>
    M& get() const {
        TORCH_CHECK(!is_empty(), "Cannot call get() on an empty AnyModule");
        return *ptr<M>();
    }
    // A holder: any.get<torch::nn::Linear>().
    template <detail::IsHolder Holder>
    Holder get() const {
        return Holder(ptr<typename Holder::ContainedType>());
    }
    const std::type_info& type_info() const {
        TORCH_CHECK(!is_empty(), "Cannot call type_info() on an empty AnyModule");
        return *type_;
    }

  private:
    using Arguments = std::vector<AnyValue>;
    using Forward = std::function<AnyValue(Arguments)>;

    template <typename T>
    static AnyValue as_value(T&& value) {
        if constexpr (std::is_same_v<std::decay_t<T>, AnyValue>)
            return std::forward<T>(value);
        else
            return AnyValue(std::forward<T>(value));
    }
    template <typename M>
    static Forward bound(const std::shared_ptr<M>& module) {
        if constexpr (requires { &M::forward; })
            return bound(module, &M::forward);
        else  // a template, as Sequential's: of one tensor
            return
                [module](Arguments arguments) { return AnyValue(module->forward(argument<at::Tensor>(arguments, 0))); };
    }
    template <typename M, typename Class, typename Result, typename... Parameters>
    static Forward bound(const std::shared_ptr<M>& module, Result (Class::*forward)(Parameters...)) {
        return [module, forward](Arguments arguments) {
            return called<Parameters...>(
                *module, std::move(arguments), std::index_sequence_for<Parameters...>(),
                [&](auto&&... values) { return (module.get()->*forward)(std::forward<decltype(values)>(values)...); });
        };
    }
    template <typename M, typename Class, typename Result, typename... Parameters>
    static Forward bound(const std::shared_ptr<M>& module, Result (Class::*forward)(Parameters...) const) {
        return [module, forward](Arguments arguments) {
            return called<Parameters...>(
                *module, std::move(arguments), std::index_sequence_for<Parameters...>(),
                [&](auto&&... values) { return (module.get()->*forward)(std::forward<decltype(values)>(values)...); });
        };
    }
    template <typename... Parameters, std::size_t... I, typename Call>
    static AnyValue called(Module& module, Arguments given, std::index_sequence<I...>, const Call& call) {
        TORCH_CHECK(given.size() <= sizeof...(Parameters), detail::demangled(typeid(module)),
                    "'s forward() method expects ", sizeof...(Parameters), " argument(s), but received ", given.size(),
                    ".");
        Arguments arguments = module._forward_populate_default_args(std::move(given));
        return AnyValue(call(argument<std::decay_t<Parameters>>(arguments, I)...));
    }
    template <typename T>
    static T argument(Arguments& arguments, std::size_t i) {
        if (i < arguments.size()) {
            T* value = arguments[i].try_get<T>();
            TORCH_CHECK(value != nullptr, "Expected argument #", i, " to be of type ", detail::demangled(typeid(T)),
                        ", but received value of type ", detail::demangled(arguments[i].type_info()));
            return std::move(*value);
        }
        if constexpr (std::is_same_v<T, at::Tensor>) return at::Tensor();
        TORCH_CHECK(false, "forward() needs argument #", i);
    }

    std::shared_ptr<Module> module_;
    Forward forward_;
    const std::type_info* type_ = nullptr;
    std::function<AnyModule(const std::optional<c10::Device>&)> clone_;
};

// In the braces of a Sequential: {"name", torch::nn::Linear(3, 4)}.
class NamedAnyModule {
  public:
    template <typename M>
    NamedAnyModule(std::string name, std::shared_ptr<M> module) : name_(std::move(name)), module_(std::move(module)) {}
    template <typename M>
    NamedAnyModule(std::string name, const ModuleHolder<M>& holder) : NamedAnyModule(std::move(name), holder.ptr()) {}
    template <detail::IsModule M>
    NamedAnyModule(std::string name, M&& module)
        : NamedAnyModule(std::move(name), AnyModule(std::forward<M>(module))) {}
    NamedAnyModule(std::string name, AnyModule module) : name_(std::move(name)), module_(std::move(module)) {}
    const std::string& name() const noexcept { return name_; }
    AnyModule& module() noexcept { return module_; }
    const AnyModule& module() const noexcept { return module_; }

  private:
    std::string name_;
    AnyModule module_;
};

// In a module whose forward has default arguments, which AnyModule and Sequential shall fill in:
// FORWARD_HAS_DEFAULT_ARGS({1, torch::nn::AnyValue(2)}, {2, torch::nn::AnyValue(0.5)})
#define FORWARD_HAS_DEFAULT_ARGS(...)                                                                               \
    std::vector<torch::nn::AnyValue> _forward_populate_default_args(std::vector<torch::nn::AnyValue>&& arguments)   \
        override {                                                                                                  \
        const std::vector<std::pair<std::size_t, torch::nn::AnyValue>> defaults = {__VA_ARGS__};                    \
        std::vector<torch::nn::AnyValue> all = std::move(arguments);                                                \
        TORCH_CHECK(all.size() >= defaults.front().first, torch::nn::detail::demangled(typeid(*this)),              \
                    "'s forward() method expects at least ", defaults.front().first, " argument(s), but received ", \
                    all.size(), ".");                                                                               \
        for (const auto& [place, value] : defaults)                                                                 \
            if (place == all.size()) all.push_back(value);                                                          \
        return all;                                                                                                 \
    }

}  // namespace torch::nn
