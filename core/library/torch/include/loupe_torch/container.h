// SPDX-License-Identifier: Apache-2.0
#pragma once
// Modules that hold modules or parameters: Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict; functions
// as modules.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <loupe_torch/any.h>

namespace torch::nn {

// A function as a module of a Sequential.
class FunctionalImpl : public Cloneable<FunctionalImpl> {
  public:
    using Function = std::function<at::Tensor(at::Tensor)>;
    explicit FunctionalImpl(Function function)
        : Cloneable("torch::nn::FunctionalImpl"), function_(std::move(function)) {}
    // Of an overloaded function: that of one tensor.
    explicit FunctionalImpl(at::Tensor (*function)(const at::Tensor&))
        : Cloneable("torch::nn::FunctionalImpl"), function_(function) {}
    // The arguments after the tensor: Functional(torch::elu, 1, 0, 1).
    template <typename SomeFunction, typename... Arguments>
    requires(sizeof...(Arguments) > 0) explicit FunctionalImpl(SomeFunction function, Arguments&&... arguments)
        : Cloneable("torch::nn::FunctionalImpl"),
          function_([function, ... arguments = std::forward<Arguments>(arguments)](at::Tensor input) {
              return function(std::move(input), arguments...);
          }) {}
    at::Tensor forward(at::Tensor input) { return function_(std::move(input)); }
    at::Tensor operator()(at::Tensor input) { return forward(std::move(input)); }
    void reset() override {}
    void pretty_print(std::ostream& out) const override { out << "torch::nn::Functional()"; }
    bool is_serializable() const override { return false; }

  private:
    Function function_;
};
TORCH_MODULE(Functional);

// Modules one after the other: each takes what the one before it gives.
class SequentialImpl : public Cloneable<SequentialImpl> {
  public:
    using Iterator = std::vector<AnyModule>::iterator;
    using ConstIterator = std::vector<AnyModule>::const_iterator;

    SequentialImpl() : Cloneable("torch::nn::SequentialImpl") {}
    template <typename... Modules>
    requires(sizeof...(Modules) > 0) explicit SequentialImpl(Modules&&... modules) : SequentialImpl() {
        (push_back(std::forward<Modules>(modules)), ...);
    }
    explicit SequentialImpl(OrderedDict<std::string, AnyModule>&& modules) : SequentialImpl() {
        for (auto& item : modules) push_back(item.key(), std::move(item.value()));
    }
    explicit SequentialImpl(std::initializer_list<NamedAnyModule> modules) : SequentialImpl() {
        for (const NamedAnyModule& each : modules) push_back(each.name(), each.module());
    }
    std::shared_ptr<Module> clone(const std::optional<c10::Device>& device = std::nullopt) const override {
        auto copy = std::make_shared<SequentialImpl>();
        const std::vector<std::string> names = named_children().keys();
        for (std::size_t i = 0; i < size(); ++i) copy->push_back(names[i], modules_[i].clone(device));
        return copy;
    }
    void reset() override {}
    void pretty_print(std::ostream& out) const override { out << "torch::nn::Sequential"; }

    // Throws c10::Error when there is no module, or the last gives another type.
    template <typename Result = at::Tensor, typename... Inputs>
    Result forward(Inputs&&... inputs) {
        TORCH_CHECK(!is_empty(), "Cannot call forward() on an empty Sequential");
        AnyValue value = modules_.front().any_forward(std::forward<Inputs>(inputs)...);
        for (std::size_t i = 1; i < size(); ++i) value = modules_[i].any_forward(std::move(value));
        Result* result = value.try_get<Result>();
        TORCH_CHECK(result != nullptr, "The type of the return value is ", detail::demangled(value.type_info()),
                    ", but you asked for type ", detail::demangled(typeid(Result)));
        return std::move(*result);
    }

    template <typename M>
    void push_back(M&& module) {
        push_back(std::to_string(size()), std::forward<M>(module));
    }
    template <typename M>
    void push_back(std::string name, M&& module) {
        if constexpr (std::is_same_v<std::remove_cvref_t<M>, AnyModule>)
            add(std::move(name), std::forward<M>(module));
        else
            add(std::move(name), AnyModule(std::forward<M>(module)));
    }
    template <typename Container>
    void extend(const Container& container) {
        for (const auto& module : container) push_back(module);
    }

    Iterator begin() { return modules_.begin(); }
    ConstIterator begin() const { return modules_.begin(); }
    Iterator end() { return modules_.end(); }
    ConstIterator end() const { return modules_.end(); }
    // Throw c10::Error for an index out of range or a module of another class.
    template <detail::IsModule M>
    M& at(std::size_t index) const {
        TORCH_CHECK(index < size(), "Index out of range");
        return modules_[index].get<M>();
    }
    std::shared_ptr<Module> ptr(std::size_t index) const {
        TORCH_CHECK(index < size(), "Index out of range");
        return modules_[index].ptr();
    }
    template <detail::IsModule M>
    std::shared_ptr<M> ptr(std::size_t index) const {
        TORCH_CHECK(index < size(), "Index out of range");
        return modules_[index].ptr<M>();
    }
    std::shared_ptr<Module> operator[](std::size_t index) const { return ptr(index); }
    std::size_t size() const noexcept { return modules_.size(); }
    bool is_empty() const noexcept { return modules_.empty(); }

  private:
    void add(std::string name, AnyModule module) {
        register_module(std::move(name), module.ptr());
        modules_.push_back(std::move(module));
    }
    std::vector<AnyModule> modules_;
};
class Sequential : public ModuleHolder<SequentialImpl> {
  public:
    using ModuleHolder<SequentialImpl>::ModuleHolder;
    Sequential() = default;
    Sequential(std::initializer_list<NamedAnyModule> modules)
        : ModuleHolder(std::make_shared<SequentialImpl>(modules)) {}
};

// Modules by their number.
class ModuleListImpl : public Cloneable<ModuleListImpl> {
  public:
    using Iterator = std::vector<std::shared_ptr<Module>>::iterator;
    using ConstIterator = std::vector<std::shared_ptr<Module>>::const_iterator;

    ModuleListImpl() : Cloneable("torch::nn::ModuleListImpl") {}
    template <typename... Modules>
    requires(sizeof...(Modules) > 0) explicit ModuleListImpl(Modules&&... modules) : ModuleListImpl() {
        (push_back(std::forward<Modules>(modules)), ...);
    }
    std::shared_ptr<Module> clone(const std::optional<c10::Device>& device = std::nullopt) const override {
        auto copy = std::make_shared<ModuleListImpl>();
        for (const auto& module : modules_) copy->push_back(module->clone(device));
        return copy;
    }
    void reset() override {}
    void pretty_print(std::ostream& out) const override { out << "torch::nn::ModuleList"; }

    template <typename M>
    void push_back(M&& module) {
        insert(size(), std::forward<M>(module));
    }
    template <typename Container>
    void extend(const Container& container) {
        for (const auto& module : container) push_back(module);
    }
    // Before the module of that number, or at the end. Throws c10::Error for a number above the size.
    template <typename M>
    void insert(std::size_t index, M&& module) {
        if constexpr (detail::IsModule<M>)
            insert_module(index, std::make_shared<std::remove_cvref_t<M>>(std::forward<M>(module)));
        else if constexpr (detail::IsHolder<M>)
            insert_module(index, module.ptr());
        else
            insert_module(index, std::forward<M>(module));
    }

    Iterator begin() { return modules_.begin(); }
    ConstIterator begin() const { return modules_.begin(); }
    Iterator end() { return modules_.end(); }
    ConstIterator end() const { return modules_.end(); }
    std::size_t size() const noexcept { return modules_.size(); }
    bool is_empty() const noexcept { return modules_.empty(); }
    // Throw c10::Error for an index out of range or a module of another class.
    std::shared_ptr<Module> ptr(std::size_t index) const {
        TORCH_CHECK(index < size(), "Index out of range");
        return modules_[index];
    }
    template <detail::IsModule M>
    std::shared_ptr<M> ptr(std::size_t index) const {
        return std::dynamic_pointer_cast<M>(ptr(index));
    }
    template <detail::IsModule M>
    M& at(std::size_t index) const {
        const auto module = ptr<M>(index);
        TORCH_CHECK(module != nullptr, "Unable to cast module[", index, "] to ", detail::demangled(typeid(M)));
        return *module;
    }
    std::shared_ptr<Module> operator[](std::size_t index) const { return ptr(index); }

  private:
    void insert_module(std::size_t index, std::shared_ptr<Module> module);
    std::vector<std::shared_ptr<Module>> modules_;
};
TORCH_MODULE(ModuleList);

// Modules by name.
class ModuleDictImpl : public Cloneable<ModuleDictImpl> {
  public:
    using Modules = OrderedDict<std::string, std::shared_ptr<Module>>;
    using Pairs = std::vector<std::pair<std::string, std::shared_ptr<Module>>>;
    using Iterator = Modules::Iterator;
    using ConstIterator = Modules::ConstIterator;

    ModuleDictImpl() : Cloneable("torch::nn::ModuleDictImpl") {}
    explicit ModuleDictImpl(const Pairs& modules) : ModuleDictImpl() { update(modules); }
    explicit ModuleDictImpl(const Modules& modules) : ModuleDictImpl() { update(modules); }
    std::shared_ptr<Module> clone(const std::optional<c10::Device>& device = std::nullopt) const override {
        auto copy = std::make_shared<ModuleDictImpl>();
        for (const auto& item : modules_) copy->insert(item.key(), item.value()->clone(device));
        return copy;
    }
    void reset() override {}
    void pretty_print(std::ostream& out) const override { out << "torch::nn::ModuleDict"; }

    Pairs items() const { return modules_.pairs(); }
    std::vector<std::string> keys() const { return modules_.keys(); }
    std::vector<std::shared_ptr<Module>> values() const { return modules_.values(); }
    Iterator begin() { return modules_.begin(); }
    ConstIterator begin() const { return modules_.begin(); }
    Iterator end() { return modules_.end(); }
    ConstIterator end() const { return modules_.end(); }
    std::size_t size() const noexcept { return modules_.size(); }
    bool empty() const noexcept { return modules_.is_empty(); }
    bool contains(const std::string& key) const noexcept { return modules_.contains(key); }
    // As LibTorch's: what clear and pop take out stays a child, and is printed and trained.
    void clear() { modules_.clear(); }
    // Throw c10::Error for a key that is not there or a module of another class.
    std::shared_ptr<Module> pop(const std::string& key) {
        auto module = modules_[key];
        modules_.erase(key);
        return module;
    }
    std::shared_ptr<Module> operator[](const std::string& key) const { return modules_[key]; }
    template <detail::IsModule M>
    M& at(const std::string& key) const {
        auto* module = modules_[key]->template as<M>();
        TORCH_CHECK(module != nullptr, "Unable to cast module[", key, "] to ", detail::demangled(typeid(M)));
        return *module;
    }
    void update(const Pairs& modules) {
        for (const auto& [key, module] : modules) insert(key, module);
    }
    template <typename Container>
    void update(const Container& container) {
        for (const auto& item : container) insert(item.key(), item.value());
    }

  private:
    void insert(const std::string& key, std::shared_ptr<Module> module);
    Modules modules_;
};
TORCH_MODULE(ModuleDict);

// Parameters by their number.
class ParameterListImpl : public Cloneable<ParameterListImpl> {
  public:
    using Item = OrderedDict<std::string, at::Tensor>::Item;
    using Iterator = std::vector<Item>::iterator;
    using ConstIterator = std::vector<Item>::const_iterator;

    ParameterListImpl() : Cloneable("torch::nn::ParameterListImpl") {}
    template <typename... Tensors>
    requires(sizeof...(Tensors) > 0) explicit ParameterListImpl(Tensors&&... tensors) : ParameterListImpl() {
        (append(std::forward<Tensors>(tensors)), ...);
    }
    void reset() override {}
    void pretty_print(std::ostream& out) const override;

    // A parameter requires grad when the tensor does.
    void append(const at::Tensor& tensor) {
        register_parameter(std::to_string(size()), tensor, tensor.requires_grad());
    }
    void append(const Item& item) { append(item.value()); }
    template <typename Container>
    void extend(const Container& container) {
        for (const auto& each : container) append(each);
    }
    Iterator begin() { return parameters_.begin(); }
    ConstIterator begin() const { return parameters_.begin(); }
    Iterator end() { return parameters_.end(); }
    ConstIterator end() const { return parameters_.end(); }
    // Throws c10::Error for an index out of range.
    at::Tensor& at(std::size_t index) {
        TORCH_CHECK(index < size(), "Index out of range");
        return parameters_[index].value();
    }
    const at::Tensor& at(std::size_t index) const { return const_cast<ParameterListImpl*>(this)->at(index); }
    at::Tensor& operator[](std::size_t index) { return at(index); }
    const at::Tensor& operator[](std::size_t index) const { return at(index); }
    std::size_t size() const noexcept { return parameters_.size(); }
    bool is_empty() const noexcept { return parameters_.is_empty(); }
    template <typename Container>
    ParameterListImpl& operator+=(const Container& other) {
        extend(other);
        return *this;
    }
};
TORCH_MODULE(ParameterList);

// Parameters by name.
class ParameterDictImpl : public Cloneable<ParameterDictImpl> {
  public:
    using Parameters = OrderedDict<std::string, at::Tensor>;
    using Iterator = Parameters::Iterator;
    using ConstIterator = Parameters::ConstIterator;

    ParameterDictImpl() : Cloneable("torch::nn::ParameterDictImpl") {}
    explicit ParameterDictImpl(const Parameters& parameters) : ParameterDictImpl() {
        for (const auto& item : parameters) insert(item.key(), item.value());
    }
    void reset() override {}
    void pretty_print(std::ostream& out) const override;

    at::Tensor& insert(const std::string& key, const at::Tensor& tensor) {
        return register_parameter(key, tensor, tensor.requires_grad());
    }
    // Throw c10::Error for a key that is not there.
    at::Tensor pop(const std::string& key) {
        at::Tensor tensor = parameters_[key];
        parameters_.erase(key);
        return tensor;
    }
    template <typename Container>
    void update(const Container& container) {
        for (const auto& item : container) parameters_[item.key()] = item.value();
    }
    const at::Tensor& get(const std::string& key) const { return parameters_[key]; }
    at::Tensor& get(const std::string& key) { return parameters_[key]; }
    at::Tensor& operator[](const std::string& key) { return parameters_[key]; }
    const at::Tensor& operator[](const std::string& key) const { return parameters_[key]; }
    std::vector<std::string> keys() const { return parameters_.keys(); }
    std::vector<at::Tensor> values() const { return parameters_.values(); }
    Iterator begin() { return parameters_.begin(); }
    ConstIterator begin() const { return parameters_.begin(); }
    Iterator end() { return parameters_.end(); }
    ConstIterator end() const { return parameters_.end(); }
    std::size_t size() const noexcept { return parameters_.size(); }
    bool empty() const noexcept { return parameters_.is_empty(); }
    void clear() { parameters_.clear(); }
    bool contains(const std::string& key) const noexcept { return parameters_.contains(key); }
};
TORCH_MODULE(ParameterDict);

// Gives its input; any arguments are taken.
class IdentityImpl : public Cloneable<IdentityImpl> {
  public:
    IdentityImpl() : Cloneable("torch::nn::IdentityImpl") {}
    void reset() override {}
    void pretty_print(std::ostream& out) const override { out << "torch::nn::Identity()"; }
    at::Tensor forward(const at::Tensor& input) { return input; }
};
TORCH_MODULE(Identity);

}  // namespace torch::nn
