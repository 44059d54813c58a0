// SPDX-License-Identifier: Apache-2.0
#pragma once
// torch::optim: the optimisers of the engine, and those that a program derives. The options and classes of the engine's
// are written from their records: optimizers.inc.

#include <functional>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/optim/optimizer.h"

#include <loupe_torch/archive.h>
#include <loupe_torch/nn.h>

namespace torch::optim {

// What an optimiser that a program derives keeps of a parameter.
class OptimizerParamState {
  public:
    virtual ~OptimizerParamState() = default;
    virtual std::unique_ptr<OptimizerParamState> clone() const;
    virtual void serialize(serialize::InputArchive& archive);
    virtual void serialize(serialize::OutputArchive& archive) const;
};
template <typename Derived>
class OptimizerCloneableParamState : public OptimizerParamState {
    std::unique_ptr<OptimizerParamState> clone() const override {
        return std::make_unique<Derived>(static_cast<const Derived&>(*this));
    }
};

// Those that are not overridden throw c10::Error.
class OptimizerOptions {
  public:
    virtual ~OptimizerOptions() = default;
    virtual std::unique_ptr<OptimizerOptions> clone() const;
    virtual void serialize(serialize::InputArchive& archive);
    virtual void serialize(serialize::OutputArchive& archive) const;
    virtual double get_lr() const;
    virtual void set_lr(double lr);
    // Of the engine's optimisers: the options by their names; taking those that were not set from an optimiser's own.
    virtual nn::detail::Arguments engine_arguments() const;
    virtual void inherit(const OptimizerOptions&) {}
};
template <typename Derived>
class OptimizerCloneableOptions : public OptimizerOptions {
    std::unique_ptr<OptimizerOptions> clone() const override {
        return std::make_unique<Derived>(static_cast<const Derived&>(*this));
    }
};

class OptimizerParamGroup {
  public:
    OptimizerParamGroup(std::vector<at::Tensor> params) : params_(std::move(params)) {}
    OptimizerParamGroup(std::vector<at::Tensor> params, std::unique_ptr<OptimizerOptions> options)
        : params_(std::move(params)), options_(std::move(options)) {}
    OptimizerParamGroup(const OptimizerParamGroup& other)
        : params_(other.params_), options_(other.has_options() ? other.options_->clone() : nullptr) {}
    OptimizerParamGroup(OptimizerParamGroup&&) = default;
    OptimizerParamGroup& operator=(const OptimizerParamGroup&) = delete;
    OptimizerParamGroup& operator=(OptimizerParamGroup&&) = default;

    bool has_options() const { return options_ != nullptr; }
    // Throw c10::Error without any.
    OptimizerOptions& options() { return const_cast<OptimizerOptions&>(std::as_const(*this).options()); }
    const OptimizerOptions& options() const {
        TORCH_CHECK(has_options(), "the group has no options");
        return *options_;
    }
    void set_options(std::unique_ptr<OptimizerOptions> options) { options_ = std::move(options); }
    std::vector<at::Tensor>& params() { return params_; }
    const std::vector<at::Tensor>& params() const { return params_; }

  private:
    std::vector<at::Tensor> params_;
    std::unique_ptr<OptimizerOptions> options_;
};

class Optimizer {
  public:
    using LossClosure = std::function<at::Tensor()>;
    using State = std::unordered_map<void*, std::unique_ptr<OptimizerParamState>>;

    // A group without options has the defaults. Throw c10::Error for parameters that are no leaves, or in two groups.
    explicit Optimizer(const std::vector<OptimizerParamGroup>& param_groups,
                       std::unique_ptr<OptimizerOptions> defaults);
    explicit Optimizer(std::vector<at::Tensor> parameters, std::unique_ptr<OptimizerOptions> defaults)
        : Optimizer(std::vector<OptimizerParamGroup>{OptimizerParamGroup(std::move(parameters))}, std::move(defaults)) {
    }
    Optimizer(Optimizer&&) = default;
    Optimizer& operator=(Optimizer&&) = default;
    virtual ~Optimizer() = default;

    // closure: computes the loss and its gradients; its value is returned.
    virtual at::Tensor step(LossClosure closure = nullptr) = 0;
    void zero_grad(bool set_to_none = true);
    void add_param_group(const OptimizerParamGroup& group);
    void add_parameters(const std::vector<at::Tensor>& parameters);
    // Of the first group. Throw c10::Error when there are several.
    std::vector<at::Tensor>& parameters();
    const std::vector<at::Tensor>& parameters() const { return const_cast<Optimizer*>(this)->parameters(); }
    std::size_t size() const noexcept;
    OptimizerOptions& defaults() noexcept { return *defaults_; }
    const OptimizerOptions& defaults() const noexcept { return *defaults_; }
    // Changed options apply from the next step on.
    std::vector<OptimizerParamGroup>& param_groups() noexcept { return param_groups_; }
    const std::vector<OptimizerParamGroup>& param_groups() const noexcept { return param_groups_; }
    // Of derived optimisers; the engine's keep theirs in engine()->state().
    State& state() noexcept { return state_; }
    const State& state() const noexcept { return state_; }
    virtual void save(serialize::OutputArchive&) const {}
    virtual void load(serialize::InputArchive&) {}

  protected:
    std::vector<OptimizerParamGroup> param_groups_;
    State state_;
    std::unique_ptr<OptimizerOptions> defaults_;
};

serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const Optimizer& optimizer);
serialize::InputArchive& operator>>(serialize::InputArchive& archive, Optimizer& optimizer);

namespace detail {

// An optimiser of the engine.
class EngineOptimizer : public Optimizer {
  public:
    at::Tensor step(LossClosure closure = nullptr) override;
    // As LibTorch writes them: each reads the other's files.
    void save(serialize::OutputArchive& archive) const override;
    void load(serialize::InputArchive& archive) override;
    // With the groups as they are now.
    const loupe::Ptr<loupe::optim::Optimizer>& engine() const;

  protected:
    EngineOptimizer(const char* record, const std::vector<OptimizerParamGroup>& groups,
                    std::unique_ptr<OptimizerOptions> defaults);

  private:
    const char* record_;
    mutable loupe::Ptr<loupe::optim::Optimizer> engine_;
};

}  // namespace detail

#include <loupe_torch/optimizers.inc>

// Schedules of the learning rates of an optimiser's groups: after each epoch, step().
class LRScheduler {
  public:
    explicit LRScheduler(Optimizer& optimizer) : optimizer_(optimizer) {}
    virtual ~LRScheduler() = default;
    void step();

  protected:
    virtual std::vector<double> get_lrs() = 0;
    std::vector<double> get_current_lrs() const;
    unsigned step_count_ = 0;

  private:
    Optimizer& optimizer_;
};

// Multiplies the rates by gamma every step_size steps.
class StepLR : public LRScheduler {
  public:
    StepLR(Optimizer& optimizer, unsigned step_size, double gamma = 0.1)
        : LRScheduler(optimizer), step_size_(step_size), gamma_(gamma) {}

  private:
    std::vector<double> get_lrs() override;
    const unsigned step_size_;
    const double gamma_;
};

// Multiplies the rates by factor when a metric has not become better for more than `patience` steps.
class ReduceLROnPlateauScheduler {
  public:
    enum SchedulerMode { min, max };
    enum ThresholdMode { rel, abs };
    // Throws c10::Error for a factor of 1 or more, or min_lr of another length than the groups.
    ReduceLROnPlateauScheduler(Optimizer& optimizer, SchedulerMode mode = min, float factor = 0.1F, int patience = 10,
                               double threshold = 1e-4, ThresholdMode threshold_mode = rel, int cooldown = 0,
                               const std::vector<float>& min_lr = {}, double eps = 1e-8, bool verbose = false);
    virtual ~ReduceLROnPlateauScheduler() = default;
    void step(float metric);

  private:
    void reduce_lr();
    bool is_better(float metric) const;

    Optimizer& optimizer_;
    SchedulerMode mode_;
    float factor_;
    int patience_;
    double threshold_;
    ThresholdMode threshold_mode_;
    int cooldown_;
    std::vector<float> min_lrs_;
    double eps_;
    bool verbose_;
    float best_;
    int cooldown_left_ = 0, last_epoch_ = 0, bad_epochs_ = 0;
};

}  // namespace torch::optim
