// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "core/nn/module.h"

namespace loupe::session {

// All modules in eval mode while it lives: dropout and batch statistics are no part of what a model has learnt.
class EvaluationMode {
  public:
    explicit EvaluationMode(nn::Module& module) {
        for (const auto& [name, each] : module.named_modules()) {
            before_.emplace_back(each, each->is_training());
            was_training_ = was_training_ || each->is_training();
        }
        if (was_training_) module.eval();
    }
    EvaluationMode(const EvaluationMode&) = delete;
    EvaluationMode& operator=(const EvaluationMode&) = delete;
    ~EvaluationMode() {
        // Parents come first, and set what is below them.
        for (const auto& [each, mode] : before_)
            if (was_training_ && each->is_training() != mode) each->train(mode);
    }

  private:
    std::vector<std::pair<nn::ModulePtr, bool>> before_;
    bool was_training_ = false;
};

}  // namespace loupe::session
