// SPDX-License-Identifier: Apache-2.0
#include "plugins/llvm/schedule.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/ops/pointwise/kernels.h"

namespace loupe::llvm_fuser {

using runtime::FusedOperand;
using runtime::LoopFamily;

namespace {

bool is_native_unary(UnaryOp op, bool is_float) {
    switch (op) {
        case UnaryOp::Abs:
        case UnaryOp::Neg:
        case UnaryOp::Sign:
        case UnaryOp::Reciprocal:
        case UnaryOp::Sqrt:
        case UnaryOp::Rsqrt:
        case UnaryOp::Floor:
        case UnaryOp::Ceil:
        case UnaryOp::Round:
        case UnaryOp::Trunc:
        case UnaryOp::Frac:
            return is_float;
        case UnaryOp::Square:
            return true;
        default:
            return false;
    }
}

bool is_native_binary(BinaryOp op, bool is_float) {
    switch (op) {
        case BinaryOp::Add:
        case BinaryOp::Sub:
        case BinaryOp::Mul:
        case BinaryOp::AddScaled:
        case BinaryOp::SubScaled:
        case BinaryOp::Maximum:
        case BinaryOp::Minimum:
            return true;
        case BinaryOp::Div:
        case BinaryOp::Fmax:
        case BinaryOp::Fmin:
            return is_float;
        case BinaryOp::BitwiseAnd:
        case BinaryOp::BitwiseOr:
        case BinaryOp::BitwiseXor:
            return !is_float;
        default:
            return false;
    }
}

bool is_native_activation(ActivationOp op) {
    switch (op) {
        case ActivationOp::Relu:
        case ActivationOp::Hardtanh:
        case ActivationOp::LeakyRelu:
        case ActivationOp::Threshold:
        case ActivationOp::HardtanhBackward:
        case ActivationOp::LeakyReluBackward:
        case ActivationOp::ThresholdBackward:
        case ActivationOp::SigmoidBackward:
        case ActivationOp::TanhBackward:
            return true;
        default:
            return false;
    }
}

bool has_float_to_integer(const FusedExpression& expression, const FusedStep& step) {
    const auto narrows = [](ScalarType from, ScalarType to) {
        return is_floating(from) && is_integral(to) && to != ScalarType::Bool;
    };
    for (const FusedOperand& operand : step.inputs) {
        if (!operand.is_number && narrows(expression.dtype_of(operand.value), operand.as)) return true;
        if (step.kind.family == LoopFamily::Convert && narrows(operand.as, step.dtype)) return true;
    }
    return narrows(step.result_as, step.dtype);
}

// A call reads arrays: a value per row would have to be expanded to a row.
bool needs_spreading(const FusedExpression& e, std::uint32_t value) {
    const FusedStep& step = e.steps[value - e.inputs.size()];
    if (!e.is_of_rows() || step.rows || is_native(step) || is_per_row(e, value)) return false;
    return std::any_of(step.inputs.begin(), step.inputs.end(),
                       [&](const FusedOperand& o) { return !o.is_number && is_per_row(e, o.value); });
}

}  // namespace

bool is_native(const FusedStep& step) {
    const bool is_float = is_floating(step.kind.as);
    switch (step.kind.family) {
        case LoopFamily::Where:
        case LoopFamily::Convert:
        case LoopFamily::Compare:
            return true;
        case LoopFamily::Test:
            return (static_cast<TestOp>(step.kind.op) == TestOp::IsNan && is_float) ||
                   static_cast<TestOp>(step.kind.op) == TestOp::LogicalNot;
        case LoopFamily::Unary:
            return is_native_unary(static_cast<UnaryOp>(step.kind.op), is_float);
        case LoopFamily::Activation:
            return is_float && is_native_activation(static_cast<ActivationOp>(step.kind.op));
        case LoopFamily::Binary:
            return is_native_binary(static_cast<BinaryOp>(step.kind.op), is_float);
        case LoopFamily::Ternary:
            return is_float;
        default:
            return false;
    }
    return false;
}

bool is_rounded(const FusedStep& step) { return step.result_as != step.dtype; }

std::string refusal(const FusedExpression& expression) {
    const auto refused_type = [](ScalarType t) { return is_complex(t) || !has_dtype(kCommonDtypes, t); };
    for (const ScalarType dtype : expression.inputs) {
        if (refused_type(dtype)) return concat(dtype_name(dtype), " input");
    }
    std::set<std::uint32_t> outputs;
    for (const std::uint32_t output : expression.outputs) {
        if (output < expression.inputs.size() || !outputs.insert(output).second)
            return "a value that is given back as it is";
    }
    for (std::size_t i = 0; i < expression.steps.size(); ++i) {
        const FusedStep& step = expression.steps[i];
        const auto value = static_cast<std::uint32_t>(expression.inputs.size() + i);
        if (needs_spreading(expression, value)) return "a function of elements and of what is one for a row";
        if (refused_type(step.dtype) || (step.kind.family != LoopFamily::Where && refused_type(step.kind.as)))
            return concat(dtype_name(step.dtype), " values");
        if (has_float_to_integer(expression, step)) return "floating numbers that become integers";
    }
    return {};
}

namespace {

class Scheduler {
  public:
    Scheduler(const FusedExpression& expression, const std::vector<bool>& is_number)
        : e_(expression), is_number_(is_number), stage_(expression.inputs.size() + expression.steps.size(), 0) {}

    Schedule make() {
        for (std::size_t i = 0; i < e_.steps.size(); ++i) place(static_cast<std::uint32_t>(e_.inputs.size() + i));
        for (std::size_t i = 0; i < e_.steps.size(); ++i) add_stores(static_cast<std::uint32_t>(e_.inputs.size() + i));
        for (const std::uint32_t output : e_.outputs) {
            if (is_call(output) && is_rounded(step(output)))
                stage(stage_[output] + 1).stores.insert({output, step(output).dtype});
            else if (!is_call(output))
                stage(stage_[output]).stores.insert({output, step(output).dtype});
        }
        return std::move(schedule_);
    }

  private:
    const FusedStep& step(std::uint32_t value) const { return e_.steps[value - e_.inputs.size()]; }
    bool is_input(std::uint32_t value) const { return value < e_.inputs.size(); }
    bool is_call(std::uint32_t value) const { return !is_input(value) && !is_native(step(value)); }
    Stage& stage(std::size_t i) {
        if (schedule_.stages.size() <= i) schedule_.stages.resize(i + 1);
        return schedule_.stages[i];
    }

    // Can a call read another's result without conversion?
    bool reads_as_made(const FusedOperand& operand) const {
        return is_call(operand.value) && !is_rounded(step(operand.value)) && step(operand.value).dtype == operand.as;
    }

    void place(std::uint32_t value) {
        if (step(value).kind.family == LoopFamily::Also) {
            stage_[value] = stage_[value - 1];
            return;
        }
        const bool calls = is_call(value);
        std::size_t earliest = 0;
        for (const FusedOperand& operand : step(value).inputs) {
            if (operand.is_number || is_input(operand.value)) continue;
            const bool waits = is_call(operand.value) && !(calls && reads_as_made(operand));
            earliest = std::max(earliest, stage_[operand.value] + (waits ? 1 : 0));
        }
        stage_[value] = earliest;
        (calls ? stage(earliest).calls : stage(earliest).loop).push_back(value);
        schedule_.has_calls |= calls;
    }

    void add_stores(std::uint32_t value) {
        for (const FusedOperand& operand : step(value).inputs) {
            if (operand.is_number) continue;
            if (is_call(value))
                store_for_call(operand);
            else
                store_for_loop(value, operand);
        }
    }

    void store_for_loop(std::uint32_t value, const FusedOperand& operand) {
        if (is_input(operand.value) || is_call(operand.value) || stage_[operand.value] == stage_[value]) return;
        stage(stage_[operand.value]).stores.insert({operand.value, e_.dtype_of(operand.value)});
    }

    void store_for_call(const FusedOperand& operand) {
        const Stored stored{operand.value, operand.as};
        if (is_input(operand.value)) {
            if (is_number_[operand.value])
                schedule_.constants.insert(stored);
            else if (e_.inputs[operand.value] != operand.as)
                stage(0).stores.insert(stored);
        } else if (is_call(operand.value)) {
            if (!reads_as_made(operand)) stage(stage_[operand.value] + 1).stores.insert(stored);
        } else {
            stage(stage_[operand.value]).stores.insert(stored);
        }
    }

    const FusedExpression& e_;
    const std::vector<bool>& is_number_;
    std::vector<std::size_t> stage_;
    Schedule schedule_;
};

}  // namespace

std::vector<Stored> buffers_of(const FusedExpression& e, const Schedule& schedule, bool apart) {
    std::set<Stored> buffers = schedule.constants;
    for (const Stage& stage : schedule.stages) {
        buffers.insert(stage.stores.begin(), stage.stores.end());
        for (const std::uint32_t value : stage.calls) {
            const FusedStep& step = e.steps[value - e.inputs.size()];
            for (std::uint32_t r = 0; r < (step.rows ? step.rows->outputs : 1); ++r) {
                buffers.insert({value + r, e.steps[value + r - e.inputs.size()].result_as});
            }
        }
    }
    for (const std::uint32_t output : e.outputs) {
        if (!apart) buffers.erase({output, e.dtype_of(output)});
    }
    return {buffers.begin(), buffers.end()};
}

std::vector<Literal> literals_of(const FusedExpression& e, const Schedule& schedule) {
    std::vector<Literal> literals;
    for (const Stage& stage : schedule.stages) {
        for (const std::uint32_t value : stage.calls) {
            const FusedStep& step = e.steps[value - e.inputs.size()];
            for (std::size_t i = 0; i < step.inputs.size(); ++i) {
                if (step.inputs[i].is_number) literals.push_back({value, i});
            }
        }
    }
    return literals;
}

Schedule make_schedule(const FusedExpression& expression, const std::vector<bool>& is_number) {
    return Scheduler(expression, is_number).make();
}

}  // namespace loupe::llvm_fuser
