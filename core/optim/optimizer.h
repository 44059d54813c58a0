// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch.optim.Optimizer: parameter groups with their options, a state for each parameter, and a step. An optimiser is
// one record: its constructor, its checks, and the update of one parameter.
//
//     const Ptr<Optimizer> sgd = make_optimizer("SGD", {model->parameters()}, {{"lr", 0.1}, {"momentum", 0.9}});
//     sgd->zero_grad(); backward({loss}); sgd->step();

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/optim/options.h"
#include "core/value/callable.h"

namespace loupe::optim {

class Optimizer;
// Recomputes the loss and its gradients; called with grad mode on.
using Closure = std::function<IValue()>;

struct OptimizerRecord {
    std::string_view name;     // "SGD"
    std::string_view summary;  // one sentence, with the paper
    // In schema syntax; the first argument is `params`, the others are the options. "Any" where Python's default is no
    // number: `complete` puts it in.
    std::string_view constructor;
    // Sets defaults that a schema cannot express, and throws Error (Run) for options out of range.
    void (*complete)(DictObject& options);
    // One parameter's step: changes the parameter and its state, in place.
    void (*update)(const Options& group, const Tensor& parameter, const Tensor& gradient, DictObject& state) = nullptr;
    // Instead of `update`, for methods over all parameters at once.
    IValue (*step)(Optimizer& optimizer, const Closure& closure) = nullptr;
    // The same for a sparse gradient; null: refused with PyTorch's message.
    void (*update_sparse)(const Options& group, const Tensor& parameter, const Tensor& gradient,
                          DictObject& state) = nullptr;
    std::string_view sparse_hint = {};  // ", please consider SparseAdam instead"
    // Initial state; null: created at the first step.
    void (*begin)(const Options& group, const Tensor& parameter, DictObject& state) = nullptr;
};

class Optimizer final : public RefCounted {
  public:
    // params: tensors (a list, tuple), or dicts with "params" and options. Throws Error (Run) with PyTorch's messages.
    Optimizer(const OptimizerRecord& record, const IValue& params, Ptr<DictObject> defaults);

    const OptimizerRecord& record() const { return record_; }
    const Ptr<DictObject>& defaults() const { return defaults_; }
    // Dicts: "params" and the options. May be changed between steps.
    const Ptr<ListObject>& param_groups() const { return groups_; }
    // By parameter (identity): a dict each.
    const Ptr<DictObject>& state() const { return state_; }
    Ptr<DictObject> state_of(const Tensor& parameter);

    // Updates each parameter that has a gradient; returns the closure's loss, None without one. A step that throws half
    // way has changed the parameters before.
    IValue step(const Closure& closure = nullptr);
    // How often step() was called since a scheduler took the optimiser.
    std::int64_t step_count() const { return step_count_; }
    void reset_step_count() { step_count_ = 0; }
    void zero_grad(bool set_to_none = false);
    void add_param_group(const IValue& group);

    // {"state": {index: {...}}, "param_groups": [{..., "params": [index, ...]}]}, as PyTorch saves it; tensors are
    // shared.
    IValue state_dict() const;
    // Copies; tensors take the dtype of their parameter. Throws Error (Run) with PyTorch's messages when groups differ.
    void load_state_dict(const IValue& state);

    std::string str() const;  // as PyTorch prints it

  private:
    void update_all();
    IValue step_all(const Closure& closure);

    const OptimizerRecord& record_;
    Ptr<DictObject> defaults_;
    Ptr<ListObject> groups_;
    Ptr<DictObject> state_;
    std::int64_t step_count_ = 0;
};

// The parameters of a group, in order.
TensorList parameters_of(const DictObject& group);

std::span<const OptimizerRecord* const> optimizer_records();
// Null for a name that is no optimiser's.
const OptimizerRecord* find_optimizer(std::string_view name);
// Binds the arguments to the record's constructor. Throws Error (Run).
Ptr<Optimizer> make_optimizer(const OptimizerRecord& record, CallArguments arguments);
Ptr<Optimizer> make_optimizer(std::string_view name, std::vector<IValue> arguments,
                              std::vector<std::pair<std::string, IValue>> keywords = {});

}  // namespace loupe::optim
