// SPDX-License-Identifier: Apache-2.0
#pragma once
// An optimiser as an object of a program.

#include "core/optim/optimizer.h"
#include "core/python/class.h"

namespace loupe::python {

// Functions that a program wants called, in the order in which they came.
using NumberedHooks = std::vector<std::pair<std::uint64_t, IValue>>;

class OptimizerObject final : public Instance {
  public:
    using Instance::Instance;
    Ptr<optim::Optimizer> optimizer;
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
    std::string repr() override { return optimizer ? optimizer->str() : Instance::repr(); }
    void clear_references() override {
        Instance::clear_references();
        optimizer = nullptr;
        step_pre_hooks.clear();
        step_post_hooks.clear();
    }
};

}  // namespace loupe::python
