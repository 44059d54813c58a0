// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::autograd: functions with a backward of the program's own, and the nodes of the graph.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/autograd/node.h"
#include "core/autograd/variable.h"

#include <loupe_torch/functions.h>
#include <loupe_torch/guards.h>
#include <loupe_torch/ivalue.h>

namespace torch::autograd {

using tensor_list = variable_list;
using edge_list = std::vector<loupe::Edge>;
using at::AutoGradMode;
using at::GradMode;
using at::NoGradGuard;

// A handle of a node: what made a tensor.
class Node {
  public:
    explicit Node(loupe::Ptr<loupe::Node> engine) : engine_(std::move(engine)) {}
    // "MulBackward0"
    std::string name() const { return engine_->name(); }
    // Where its gradients go; the function is null for inputs without a gradient.
    struct Edge {
        std::shared_ptr<Node> function;
        std::uint32_t input_nr = 0;
        bool is_valid() const { return function != nullptr; }
    };
    std::vector<Edge> next_edges() const;
    Edge next_edge(std::size_t index) const { return next_edges().at(index); }
    std::size_t num_inputs() const { return engine_->outputs().size(); }
    std::size_t num_outputs() const { return engine_->next_edges().size(); }
    std::uint64_t sequence_nr() const { return engine_->sequence(); }
    const loupe::Ptr<loupe::Node>& engine() const { return engine_; }

  private:
    loupe::Ptr<loupe::Node> engine_;
};

// What forward leaves to backward.
class AutogradContext {
  public:
    AutogradContext() = default;
    AutogradContext(const AutogradContext&) = delete;
    AutogradContext& operator=(const AutogradContext&) = delete;

    std::unordered_map<std::string, c10::IValue> saved_data;  // anything but tensors of the graph
    // Inputs and outputs of forward.
    void save_for_backward(variable_list tensors) { to_save_ = std::move(tensors); }
    // Throws c10::Error after a backward that freed them, and for a tensor that was changed since.
    variable_list get_saved_variables() const;
    void mark_dirty(variable_list inputs) { dirty_ = std::move(inputs); }
    void mark_non_differentiable(variable_list outputs) { not_differentiable_ = std::move(outputs); }
    // Without: gradients that did not come are undefined rather than zeros.
    void set_materialize_grads(bool value) { materializes_ = value; }
    // In backward: is the gradient of that tensor among forward's arguments asked for?
    bool needs_input_grad(std::size_t index) const;

  private:
    friend class FunctionCall;

    variable_list to_save_, dirty_, not_differentiable_;
    bool materializes_ = true;
    bool is_freed_ = false;
    std::vector<loupe::SavedTensor> saved_;
    loupe::Node* node_ = nullptr;  // owns this
};

// One call of a Function.
class FunctionCall {
  public:
    using Backward = std::function<variable_list(AutogradContext*, variable_list)>;
    FunctionCall(std::string name, Backward backward);

    AutogradContext* context() { return context_.get(); }
    void add_input(const at::Tensor& tensor) { inputs_.push_back(tensor), is_tensor_.push_back(true); }
    void add_input(const std::optional<at::Tensor>& tensor) {
        if (tensor && tensor->defined())
            add_input(*tensor);
        else
            is_tensor_.push_back(false);
    }
    // As in LibTorch: tensors in a std::vector get no gradient.
    void add_input(at::TensorList tensors) {
        for (const at::Tensor& each : tensors) add_input(each);
    }
    template <typename T>
    void add_input(const T&) {
        is_tensor_.push_back(false);
    }
    // The outputs of forward as outputs of one node.
    variable_list recorded(variable_list outputs);

  private:
    at::Tensor recorded_one(const at::Tensor& output, const loupe::Ptr<loupe::Node>& node) const;
    class FunctionNode;
    std::string name_;
    Backward backward_;
    std::shared_ptr<AutogradContext> context_;
    variable_list inputs_;
    std::vector<bool> is_tensor_;
};

// As LibTorch names the node of such a function: mangled.
std::string node_name(const std::type_info& function);

// struct Mine : Function<Mine> with
//     static at::Tensor forward(AutogradContext* context, ...);  // or variable_list
//     static variable_list backward(AutogradContext* context, variable_list gradients);
// One gradient an argument of forward, undefined for what is no tensor. Mine::apply(...) calls it.
template <typename T>
struct Function {
    template <typename X = T, typename... Arguments>
    static auto apply(Arguments&&... arguments) {
        FunctionCall call(node_name(typeid(T)), [](AutogradContext* context, variable_list gradients) {
            return X::backward(context, std::move(gradients));
        });
        (call.add_input(arguments), ...);
        using Result = decltype(X::forward(call.context(), std::forward<Arguments>(arguments)...));
        const auto run = [&]() -> Result {
            const AutoGradMode no_grad(false);
            return X::forward(call.context(), std::forward<Arguments>(arguments)...);
        };
        if constexpr (std::is_same_v<std::decay_t<Result>, at::Tensor>)
            return call.recorded({run()}).front();
        else
            return call.recorded(run());
    }
};

}  // namespace torch::autograd
