// SPDX-License-Identifier: Apache-2.0
// A training between two steps, taken and put back.
#include <chrono>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/dispatch/functions.h"
#include "core/train/trainer.h"

namespace loupe::session {
namespace {

bool is_mode(const nn::Module& module, std::size_t slot) {
    const auto& attributes = module.type()->attributes();
    return slot < attributes.size() && attributes[slot].name == "training";
}

// Slots whose values steps may change: not children, and not whether the module learns.
TrainerState::ModuleState state_of(const nn::ModulePtr& module) {
    TrainerState::ModuleState out{module, {}};
    for (std::size_t i = 0; i < module->slot_count(); ++i) {
        const IValue& value = module->slot(i);
        const bool is_fixed = value.is_object() || value.is_other() || is_mode(*module, i);
        if (is_fixed || (value.is_tensor() && !value.to_tensor().defined())) continue;
        out.attributes.push_back({i, value.is_tensor() ? value.to_tensor() : Tensor(), SavedValue(value)});
    }
    return out;
}

void put_back(const TrainerState::ModuleState& state) {
    for (const TrainerState::Slot& slot : state.attributes) {
        const IValue value = slot.saved.value();
        if (!slot.tensor.defined()) {
            if (!values_equal(state.module->slot(slot.index), value)) state.module->set_slot(slot.index, value);
            continue;
        }
        state.module->set_slot(slot.index, slot.tensor);
        fn::copy_(slot.tensor, value.to_tensor());
    }
}

}  // namespace

TrainerState Trainer::state(Gradients gradients) const {
    const GradModeScope no_grad(false);
    const NestedCallScope nested;
    TrainerState out;
    out.steps_done = steps_done_;
    out.epoch = epoch_;
    out.is_epoch_begun = is_epoch_begun_;
    out.epoch_steps = epoch_steps_;
    out.epoch_loss = epoch_loss_;
    out.epoch_hits = epoch_hits_;
    out.epoch_examples = epoch_examples_;
    out.epoch_rated = epoch_rated_;
    out.random = batch_ ? batch_random_ : random_state();
    out.epoch_random = epoch_random_;
    out.options = options_;
    for (const auto& [path, module] : program_->module().named_modules()) out.modules.push_back(state_of(module));
    if (loss_) {
        for (const auto& [path, module] : loss_->named_modules()) out.modules.push_back(state_of(module));
    }
    if (gradients == Gradients::With) {
        for (const Tensor& parameter : parameters_) {
            const Tensor gradient = grad_of(parameter);
            out.gradients.emplace_back(parameter, SavedValue(gradient.defined() ? IValue(gradient) : IValue()));
        }
    }
    out.optimizer = optimizer_;
    out.schedule = schedule_;
    out.optimizer_state = SavedValue(IValue(optimizer_->state()));
    for (const IValue& group : optimizer_->param_groups()->elements) {
        const auto options = make_ptr<DictObject>(types::any(), types::any());
        for (const auto& [name, value] : group.to_dict().entries()) {
            if (name.to_string() != "params") options->set(name, value);
        }
        out.groups.emplace_back(IValue(options));
    }
    if (schedule_) out.schedule_state = SavedValue(schedule_->state_dict());
    if (scaler_) out.scaler_state = SavedValue(scaler_->state_dict());
    return out;
}

void Trainer::restore(const TrainerState& state) {
    const GradModeScope no_grad(false);
    const NestedCallScope nested;
    batch_.reset();
    buffers_before_.clear();
    is_updating_ = false;
    for (const TrainerState::ModuleState& each : state.modules) put_back(each);
    optimizer_ = state.optimizer;
    schedule_ = state.schedule;
    optimizer_->zero_grad(true);
    optimizer_->state()->clear();
    const IValue saved = state.optimizer_state.value();
    for (const auto& [key, value] : saved.to_dict().entries()) optimizer_->state()->set(key, value);
    for (std::size_t i = 0; i < state.groups.size(); ++i) {
        DictObject& group = optimizer_->param_groups()->elements[i].to_dict();
        const IValue options = state.groups[i].value();
        for (const auto& [name, value] : options.to_dict().entries()) group.set(name, value);
    }
    if (schedule_) schedule_->load_state_dict(state.schedule_state.value());
    if (scaler_) scaler_->load_state_dict(state.scaler_state.value());
    for (const auto& [parameter, gradient] : state.gradients) {
        const IValue value = gradient.value();
        set_grad(parameter, value.is_tensor() ? value.to_tensor() : Tensor());
    }
    options_ = state.options;
    steps_done_ = state.steps_done;
    epoch_ = state.epoch;
    epoch_steps_ = state.epoch_steps;
    epoch_loss_ = state.epoch_loss;
    epoch_hits_ = state.epoch_hits;
    epoch_examples_ = state.epoch_examples;
    epoch_rated_ = state.epoch_rated;
    epoch_random_ = state.epoch_random;
    is_epoch_begun_ = state.is_epoch_begun;
    if (is_epoch_begun_) {
        // The same batches in the same order, up to the place.
        set_random_state(epoch_random_);
        sets_.training->begin_epoch();
        for (std::int64_t i = 0; i < epoch_steps_; ++i) sets_.training->next();
        epoch_began_ = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    }
    set_random_state(state.random);
}

}  // namespace loupe::session
