// SPDX-License-Identifier: Apache-2.0
#pragma once
// An optimiser as an object of a program.

#include "core/optim/optimizer.h"
#include "core/optim/scheduler.h"
#include "core/python/language/class.h"

namespace loupe::python {

// Functions that a program wants called, in the order in which they came.
using NumberedHooks = std::vector<std::pair<std::uint64_t, IValue>>;

class OptimizerObject final : public Instance {
  public:
    using Instance::Instance;
    Ptr<optim::Optimizer> optimizer;
    // Of a class of the program, what schedules go through: it has the program's groups and steps nothing.
    Ptr<optim::Optimizer> stand_in;
    NumberedHooks step_pre_hooks;   // hook(optimizer, args, kwargs), which may give others
    NumberedHooks step_post_hooks;  // hook(optimizer, args, kwargs)

    std::optional<IValue> find_attribute(std::string_view name) override {
        if (optimizer) {
            if (name == "param_groups") return IValue(optimizer->param_groups());
            if (name == "state") return IValue(optimizer->state());
            if (name == "defaults") return IValue(optimizer->defaults());
        }
        return Instance::find_attribute(name);
    }
    std::string repr() override;
    void clear_references() override {
        Instance::clear_references();
        optimizer = nullptr;
        stand_in = nullptr;
        step_pre_hooks.clear();
        step_post_hooks.clear();
    }
};

// As PyTorch prints one.
std::string program_optimizer_text(OptimizerObject& object);
inline std::string OptimizerObject::repr() { return optimizer ? optimizer->str() : program_optimizer_text(*this); }

// The engine's optimiser of the object; of a class of the program its stand-in, with the groups that it has now.
Ptr<optim::Optimizer> engine_optimizer(OptimizerObject& object);

// The engine's schedule of a program's object; null for another object.
Ptr<optim::Scheduler> engine_scheduler(const IValue& object);

}  // namespace loupe::python
