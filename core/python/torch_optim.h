// SPDX-License-Identifier: Apache-2.0
#pragma once
// An optimiser as an object of a program.

#include "core/optim/optimizer.h"
#include "core/python/class.h"

namespace loupe::python {

class OptimizerObject final : public Instance {
  public:
    using Instance::Instance;
    Ptr<optim::Optimizer> optimizer;

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
    }
};

}  // namespace loupe::python
