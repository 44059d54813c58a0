// SPDX-License-Identifier: Apache-2.0
#pragma once
// The steps of an expression of rows: in which pass over a row each value is computed. A pass reads the row once; what
// it adds up is there for the next.

#include <cstdint>
#include <vector>

#include "plugins/cuda/fuser/source.h"

namespace loupe::cuda {

enum class RowStepKind : std::uint8_t { Reduction, Softmax, SoftmaxGradient, LayerNorm, LayerNormGradient };

// A row loop of the expression. Its results are the values from `value` on.
struct RowStep {
    std::uint32_t value = 0;
    RowStepKind kind = RowStepKind::Reduction;
    bool is_log = false;  // of softmax
    int pass = 0;         // the first that reads its row
    int passes = 1;       // that add something up
};

class RowPlan {
  public:
    explicit RowPlan(const runtime::FusedExpression& expression);

    const std::vector<RowStep>& steps() const { return steps_; }
    // The row loop that a value is a result of; null for others.
    const RowStep* step_of(std::uint32_t value) const;
    // How many passes must be over before a value is computed.
    int ready(std::uint32_t value) const { return ready_[value]; }
    int passes() const { return passes_; }
    // Is it one for all of a row?
    bool is_per_row(std::uint32_t value) const { return e_.shapes[value] == runtime::RowShape::PerRow; }
    bool is_sum(std::uint32_t value) const {
        return value >= e_.inputs.size() && e_.shapes[value] == runtime::RowShape::Columns;
    }
    // Values of elements that a pass computes, inputs too, in order.
    std::vector<std::uint32_t> elements_of(int pass) const;

  private:
    void place(std::uint32_t value);
    int ready_of_result(const RowStep& step, std::uint32_t result) const;

    const runtime::FusedExpression& e_;
    std::vector<RowStep> steps_;
    std::vector<int> ready_;
    int passes_ = 1;
};

}  // namespace loupe::cuda
