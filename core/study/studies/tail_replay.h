// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a model does with the output of its last layer, computed again on other numbers: final norm, head, and whatever
// else stands there, as the model itself computes them.

#include <vector>

#include "core/autograd/observer.h"
#include "core/dispatch/registry.h"
#include "core/tensor/tensor.h"

namespace loupe::session {

// Keeps the operators that run after begin(). An observer of a forward run.
class TailReplay final : public ExecutionObserver {
  public:
    // from: what other numbers will take the place of.
    void begin(const Tensor& from);
    bool has_begun() const { return from_.defined(); }

    void before_operator(const OperatorCall& call) override;
    void after_operator(const OperatorCall& call) override;

    // The result that would have come, had `from` been this. Throws Error: Unsupported where an operator on the way
    // cannot be computed again, Run where result is not made of `from`.
    Tensor replay(const Tensor& instead, const Tensor& result) const;

  private:
    struct Step {
        const Operator* op = nullptr;
        std::string name;
        std::vector<IValue> inputs;
        TensorList outputs;
    };

    Tensor from_;
    std::vector<Step> steps_;
    bool is_open_ = false;  // between before and after
};

}  // namespace loupe::session
