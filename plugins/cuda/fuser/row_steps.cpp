// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/fuser/row_steps.h"

#include <algorithm>

namespace loupe::cuda {

using runtime::FusedExpression;
using runtime::FusedOperand;
using runtime::FusedStep;
using runtime::LoopFamily;
using runtime::RowShape;

namespace {

RowStep make_step(std::uint32_t value, const FusedStep& step) {
    RowStep made;
    made.value = value;
    const std::string& name = step.rows->name;
    if (step.rows->reduction != nullptr) return made;
    made.is_log = name.starts_with("Log");
    if (name == "Softmax" || name == "LogSoftmax") {
        made.kind = RowStepKind::Softmax;
        made.passes = 2;  // the largest, the sum
    } else if (name == "LayerNorm") {
        made.kind = RowStepKind::LayerNorm;
        made.passes = 2;  // the mean, the squares
    } else {
        made.kind = name.starts_with("LayerNorm") ? RowStepKind::LayerNormGradient : RowStepKind::SoftmaxGradient;
    }
    return made;
}

}  // namespace

RowPlan::RowPlan(const FusedExpression& expression)
    : e_(expression), ready_(expression.inputs.size() + expression.steps.size(), 0) {
    for (std::size_t i = 0; i < e_.steps.size(); ++i) place(static_cast<std::uint32_t>(e_.inputs.size() + i));
    for (const RowStep& step : steps_) passes_ = std::max(passes_, step.pass + step.passes);
    for (const std::uint32_t output : e_.outputs) {
        if (!is_per_row(output) && !is_sum(output)) passes_ = std::max(passes_, ready_[output] + 1);
    }
}

void RowPlan::place(std::uint32_t value) {
    const FusedStep& step = e_.steps[value - e_.inputs.size()];
    if (step.kind.family == LoopFamily::Also) {
        ready_[value] = ready_of_result(steps_.back(), value);
        return;
    }
    int ready = 0;
    for (const FusedOperand& operand : step.inputs) {
        if (!operand.is_number) ready = std::max(ready, ready_[operand.value]);
    }
    ready_[value] = ready;
    if (!step.rows) return;
    steps_.push_back(make_step(value, step));
    steps_.back().pass = ready;
    ready_[value] = ready_of_result(steps_.back(), value);
}

int RowPlan::ready_of_result(const RowStep& step, std::uint32_t result) const {
    // The mean of layer_norm is there before its root.
    if (step.kind == RowStepKind::LayerNorm && result == step.value + 1) return step.pass + 1;
    return is_sum(result) ? step.pass : step.pass + step.passes;
}

const RowStep* RowPlan::step_of(std::uint32_t value) const {
    for (const RowStep& step : steps_) {
        const FusedStep& head = e_.steps[step.value - e_.inputs.size()];
        if (value >= step.value && value < step.value + head.rows->outputs) return &step;
    }
    return nullptr;
}

std::vector<std::uint32_t> RowPlan::elements_of(int pass) const {
    std::vector<bool> needed(ready_.size(), false);
    const auto need_operands = [&](const FusedStep& step) {
        for (const FusedOperand& operand : step.inputs) {
            if (!operand.is_number && !is_per_row(operand.value)) needed[operand.value] = true;
        }
    };
    for (const RowStep& step : steps_) {
        if (pass >= step.pass && pass < step.pass + step.passes) need_operands(e_.steps[step.value - e_.inputs.size()]);
    }
    for (const std::uint32_t output : e_.outputs) {
        if (!is_per_row(output) && !is_sum(output) && ready_[output] == pass) needed[output] = true;
    }
    for (std::size_t value = needed.size(); value-- > e_.inputs.size();) {
        if (!needed[value]) continue;
        const RowStep* const row = step_of(static_cast<std::uint32_t>(value));
        need_operands(e_.steps[(row != nullptr ? row->value : value) - e_.inputs.size()]);
    }
    std::vector<std::uint32_t> values;
    for (std::size_t value = 0; value < needed.size(); ++value) {
        if (needed[value]) values.push_back(static_cast<std::uint32_t>(value));
    }
    return values;
}

}  // namespace loupe::cuda
