// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/optim.h>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <limits>
#include <unordered_set>

#include "core/base/strings.h"
#include "core/library/torch/box_options.h"

using namespace loupe::torch_api;

namespace torch::optim {

std::unique_ptr<OptimizerParamState> OptimizerParamState::clone() const {
    TORCH_CHECK(false,
                "clone() has not been implemented for torch::optim::OptimizerParamState. Subclass "
                "torch::optim::OptimizerCloneableParamState<YourOptimizerParamState> instead of "
                "torch::optim::OptimizerParamState to inherit the ability to clone.");
}
void OptimizerParamState::serialize(serialize::InputArchive&) {
    TORCH_CHECK(false,
                "void serialize(torch::serialize::InputArchive& archive) has not been implemented for "
                "torch::optim::OptimizerParamState. You must override it in your subclass of "
                "torch::optim::OptimizerCloneableParamState<YourOptimizerParamState>.");
}
void OptimizerParamState::serialize(serialize::OutputArchive&) const {
    TORCH_CHECK(false,
                "void serialize(torch::serialize::OutputArchive& archive) has not been implemented for "
                "torch::optim::OptimizerParamState. You must override it in your subclass of "
                "torch::optim::OptimizerCloneableParamState<YourOptimizerParamState>.");
}

std::unique_ptr<OptimizerOptions> OptimizerOptions::clone() const {
    TORCH_CHECK(false,
                "clone() has not been implemented for torch::optim::OptimizerOptions. Subclass "
                "torch::optim::OptimizerCloneableOptions<YourOptimizerOptions> instead of "
                "torch::optim::OptimizerOptions to inherit the ability to clone.");
}
void OptimizerOptions::serialize(serialize::InputArchive&) {
    TORCH_CHECK(false,
                "void serialize(torch::serialize::InputArchive& archive) has not been implemented for "
                "torch::optim::OptimizerOptions. You must override it in your subclass of "
                "torch::optim::OptimizerCloneableOptions<YourOptimizerOptions>.");
}
void OptimizerOptions::serialize(serialize::OutputArchive& archive) const {
    for (const auto& [name, value] : engine_arguments()) archive.write(name, c10::IValue(value));
}
double OptimizerOptions::get_lr() const {
    TORCH_CHECK(false,
                "double get_lr() has not been overidden and implemented in subclass of "
                "torch::optim::OptimizerOptions, you must override it in your subclass.");
}
void OptimizerOptions::set_lr(double) {
    TORCH_CHECK(false,
                "double set_lr() has not been overidden and implemented in subclass of "
                "torch::optim::OptimizerOptions, you must override it in your subclass.");
}
nn::detail::Arguments OptimizerOptions::engine_arguments() const { return {}; }

Optimizer::Optimizer(const std::vector<OptimizerParamGroup>& param_groups, std::unique_ptr<OptimizerOptions> defaults)
    : defaults_(std::move(defaults)) {
    for (const OptimizerParamGroup& group : param_groups) add_param_group(group);
}

void Optimizer::add_param_group(const OptimizerParamGroup& group) {
    std::unordered_set<const void*> known;
    for (const OptimizerParamGroup& each : param_groups_)
        for (const at::Tensor& parameter : each.params()) known.insert(parameter.unsafeGetTensorImpl());
    for (const at::Tensor& parameter : group.params()) {
        TORCH_CHECK(parameter.is_leaf(), "can't optimize a non-leaf Tensor");
        TORCH_CHECK(!known.contains(parameter.unsafeGetTensorImpl()),
                    "some parameters appear in more than one parameter group");
    }
    OptimizerParamGroup added(group.params());
    if (group.has_options()) {
        added.set_options(group.options().clone());
        added.options().inherit(*defaults_);
    } else {
        added.set_options(defaults_->clone());
    }
    param_groups_.push_back(std::move(added));
}
void Optimizer::add_parameters(const std::vector<at::Tensor>& added) {
    auto& all = parameters();
    all.insert(all.end(), added.begin(), added.end());
}
std::vector<at::Tensor>& Optimizer::parameters() {
    TORCH_CHECK(param_groups_.size() == 1, "parameters() is of optimisers with one group of parameters");
    return param_groups_.front().params();
}
std::size_t Optimizer::size() const noexcept {
    std::size_t count = 0;
    for (const OptimizerParamGroup& group : param_groups_) count += group.params().size();
    return count;
}
void Optimizer::zero_grad(bool set_to_none) {
    for (const OptimizerParamGroup& group : param_groups_)
        for (const at::Tensor& parameter : group.params()) {
            at::Tensor gradient = parameter.grad();
            if (!gradient.defined()) continue;
            if (set_to_none)
                loupe::set_grad(parameter.engine(), {});
            else
                gradient.detach_().zero_();
        }
}

serialize::OutputArchive& operator<<(serialize::OutputArchive& archive, const Optimizer& optimizer) {
    optimizer.save(archive);
    return archive;
}
serialize::InputArchive& operator>>(serialize::InputArchive& archive, Optimizer& optimizer) {
    optimizer.load(archive);
    return archive;
}

namespace detail {
namespace {

// An option without a value is the engine's default.
void set_options(loupe::DictObject& group, const OptimizerOptions& options) {
    for (auto& [name, value] : options.engine_arguments())
        if (!value.is_none()) group.set(loupe::IValue(name), value);
}

loupe::IValue group_value(const OptimizerParamGroup& group) {
    auto dict = loupe::make_ptr<loupe::DictObject>(loupe::types::string(), loupe::types::any());
    dict->set(loupe::IValue("params"), box(at::TensorList(group.params())));
    set_options(*dict, group.options());
    return dict;
}

bool has_parameters(const loupe::DictObject& group, const std::vector<at::Tensor>& parameters) {
    const loupe::TensorList known = loupe::optim::parameters_of(group);
    return std::equal(known.begin(), known.end(), parameters.begin(), parameters.end(),
                      [](const loupe::Tensor& a, const at::Tensor& b) { return a.is_same(b.engine()); });
}

std::string key_of(const at::Tensor& parameter) {
    return std::to_string(reinterpret_cast<std::size_t>(parameter.unsafeGetTensorImpl()));
}

// The state of a parameter as LibTorch lays it out: its steps are a number.
void write_state(serialize::OutputArchive& archive, const loupe::DictObject& state) {
    for (const auto& [name, value] : state.entries()) {
        const std::string key(name.to_string());
        if (key == "step" && value.is_tensor())
            archive.write(key, c10::IValue(static_cast<std::int64_t>(at::Tensor(value.to_tensor()).item<double>())));
        else if (!value.is_none())
            archive.write(key, c10::IValue(value));
    }
}
void read_state(serialize::InputArchive& archive, const at::Tensor& parameter, loupe::DictObject& state) {
    for (const std::string& key : archive.keys()) {
        c10::IValue value;
        archive.read(key, value);
        if (key == "step" && value.isInt())
            state.set(loupe::IValue(key), loupe::optim::number_tensor(static_cast<double>(value.toInt())));
        else if (value.isTensor())
            state.set(loupe::IValue(key), value.toTensor().to(parameter.device()).engine());
        else
            state.set(loupe::IValue(key), value.engine());
    }
}

}  // namespace

EngineOptimizer::EngineOptimizer(const char* record, const std::vector<OptimizerParamGroup>& groups,
                                 std::unique_ptr<OptimizerOptions> defaults)
    : Optimizer(groups, std::move(defaults)), record_(record) {
    // What the options may not be is refused here; without a parameter there is nothing to make.
    if (size() > 0) static_cast<void>(engine());
}

const loupe::Ptr<loupe::optim::Optimizer>& EngineOptimizer::engine() const {
    translated([&] {
        if (engine_ == nullptr) {
            auto groups = loupe::make_ptr<loupe::ListObject>(loupe::types::any());
            for (const OptimizerParamGroup& group : param_groups_) groups->elements.push_back(group_value(group));
            engine_ = loupe::optim::make_optimizer(record_, {loupe::IValue(groups)}, defaults_->engine_arguments());
            return;
        }
        auto& groups = engine_->param_groups()->elements;
        for (std::size_t i = 0; i < param_groups_.size(); ++i) {
            const OptimizerParamGroup& group = param_groups_[i];
            if (i >= groups.size()) {
                engine_->add_param_group(group_value(group));
                continue;
            }
            loupe::DictObject& known = groups[i].to_dict();
            set_options(known, group.options());
            if (!has_parameters(known, group.params()))
                known.set(loupe::IValue("params"), box(at::TensorList(group.params())));
        }
    });
    return engine_;
}

at::Tensor EngineOptimizer::step(LossClosure closure) {
    return translated([&] {
        if (size() == 0) return closure ? closure() : at::Tensor();
        const auto& engine = this->engine();
        if (!closure) return engine->step(), at::Tensor();
        return at::Tensor(engine->step([&] { return loupe::IValue(closure().engine()); }).to_tensor());
    });
}

void EngineOptimizer::save(serialize::OutputArchive& archive) const {
    archive.write("pytorch_version", c10::IValue("1.5.0"));
    serialize::OutputArchive state;
    serialize::OutputArchive groups;
    groups.write("param_groups/size", torch::tensor(static_cast<std::int64_t>(param_groups_.size())));
    for (std::size_t i = 0; i < param_groups_.size(); ++i) {
        const auto& parameters = param_groups_[i].params();
        serialize::OutputArchive group;
        group.write("params/size", torch::tensor(static_cast<std::int64_t>(parameters.size())));
        for (std::size_t k = 0; k < parameters.size(); ++k) {
            const std::string key = key_of(parameters[k]);
            group.write(loupe::concat("params/", k), c10::IValue(key));
            if (engine_ == nullptr) continue;
            const auto known = engine_->state_of(parameters[k].engine());
            if (known == nullptr || known->entries().empty()) continue;
            serialize::OutputArchive of_parameter;
            write_state(of_parameter, *known);
            state.write(key, of_parameter);
        }
        serialize::OutputArchive options;
        param_groups_[i].options().serialize(options);
        group.write("options", options);
        groups.write(loupe::concat("param_groups/", i), group);
    }
    archive.write("state", state);
    archive.write("param_groups", groups);
}

void EngineOptimizer::load(serialize::InputArchive& archive) {
    serialize::InputArchive states, groups;
    archive.read("state", states);
    archive.read("param_groups", groups);
    at::Tensor count;
    groups.read("param_groups/size", count);
    TORCH_CHECK(count.item<std::int64_t>() == static_cast<std::int64_t>(param_groups_.size()),
                "loaded state dict has a different number of parameter groups");
    for (std::size_t i = 0; i < param_groups_.size(); ++i) {
        serialize::InputArchive group, options;
        groups.read(loupe::concat("param_groups/", i), group);
        group.read("options", options);
        param_groups_[i].options().serialize(options);
        const auto& parameters = param_groups_[i].params();
        at::Tensor size;
        group.read("params/size", size);
        TORCH_CHECK(size.item<std::int64_t>() == static_cast<std::int64_t>(parameters.size()),
                    "loaded state dict contains a parameter group that has a different size than the optimizer's "
                    "parameter group");
        for (std::size_t k = 0; k < parameters.size(); ++k) {
            c10::IValue key;
            group.read(loupe::concat("params/", k), key);
            serialize::InputArchive state;
            if (states.try_read(key.toStringRef(), state))
                read_state(state, parameters[k], *engine()->state_of(parameters[k].engine()));
        }
    }
}

}  // namespace detail

#include "optimizers_written.inc"

void LRScheduler::step() {
    const std::vector<double> rates = get_lrs();
    auto& groups = optimizer_.param_groups();
    TORCH_CHECK(rates.size() == groups.size(), "Number of learning rates not equal to the number of param groups");
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i].options().set_lr(rates[i]);
    ++step_count_;
}
std::vector<double> LRScheduler::get_current_lrs() const {
    std::vector<double> rates;
    for (const OptimizerParamGroup& group : optimizer_.param_groups()) rates.push_back(group.options().get_lr());
    return rates;
}

std::vector<double> StepLR::get_lrs() {
    std::vector<double> rates = get_current_lrs();
    if (step_count_ == 0 || step_count_ % step_size_ != 0) return rates;
    for (double& rate : rates) rate *= gamma_;
    return rates;
}

ReduceLROnPlateauScheduler::ReduceLROnPlateauScheduler(Optimizer& optimizer, SchedulerMode mode, float factor,
                                                       int patience, double threshold, ThresholdMode threshold_mode,
                                                       int cooldown, const std::vector<float>& min_lr, double eps,
                                                       bool verbose)
    : optimizer_(optimizer),
      mode_(mode),
      factor_(factor),
      patience_(patience),
      threshold_(threshold),
      threshold_mode_(threshold_mode),
      cooldown_(cooldown),
      min_lrs_(min_lr),
      eps_(eps),
      verbose_(verbose),
      best_(mode == min ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity()) {
    TORCH_CHECK(factor < 1.0, "Factor should be < 1.0.");
    const std::size_t groups = optimizer.param_groups().size();
    if (min_lrs_.empty()) min_lrs_.assign(groups, 0);
    TORCH_CHECK(min_lrs_.size() == groups, "Number of learning rates not equal to the number of param groups\n",
                "Number of learning rates given: ", min_lrs_.size(), "\nNumber of param groups: ", groups);
}

bool ReduceLROnPlateauScheduler::is_better(float metric) const {
    const double value = metric, best = best_;
    if (mode_ == min) return value < (threshold_mode_ == rel ? best * (1 - threshold_) : best - threshold_);
    return value > (threshold_mode_ == rel ? best * (threshold_ + 1) : best + threshold_);
}

void ReduceLROnPlateauScheduler::step(float metric) {
    ++last_epoch_;
    if (is_better(metric)) {
        best_ = metric;
        bad_epochs_ = 0;
    } else {
        ++bad_epochs_;
    }
    if (cooldown_left_ > 0) {
        --cooldown_left_;
        bad_epochs_ = 0;
    }
    if (bad_epochs_ <= patience_) return;
    reduce_lr();
    cooldown_left_ = cooldown_;
    bad_epochs_ = 0;
}

void ReduceLROnPlateauScheduler::reduce_lr() {
    auto& groups = optimizer_.param_groups();
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const double before = groups[i].options().get_lr();
        const double now = std::max(before * static_cast<double>(factor_), static_cast<double>(min_lrs_[i]));
        if (before - now <= eps_) continue;
        groups[i].options().set_lr(now);
        if (verbose_)
            std::cout << std::setprecision(4) << "Epoch " << last_epoch_ << ": reducing learning rate of group " << i
                      << " to " << now << '\n';
    }
}

}  // namespace torch::optim
