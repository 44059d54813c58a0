// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/lanes.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"

namespace loupe {
namespace {

constexpr int kNever = -1;

// Registers that hold what later steps read.
class Registers {
  public:
    explicit Registers(int taken) {
        for (int i = 0; i < taken; ++i) is_taken_[static_cast<std::size_t>(i)] = true;
    }
    int take() {
        const auto free = std::ranges::find(is_taken_, false);
        if (free == is_taken_.end()) throw Error(ErrorKind::Internal, "a formula needs too many registers");
        *free = true;
        return static_cast<int>(free - is_taken_.begin());
    }
    void give_up(int place) { is_taken_[static_cast<std::size_t>(place)] = false; }

  private:
    std::array<bool, ListProgram::kMaxRegisters> is_taken_{};
};

void require_room(std::size_t wanted, int most) {
    if (wanted > static_cast<std::size_t>(most)) throw Error(ErrorKind::Internal, "a formula is too long for a device");
}

}  // namespace

ListRecorder::ListRecorder(int tensors, int scalars)
    : tensors_(tensors), scalars_(scalars), results_(static_cast<std::size_t>(tensors), kNever) {
    require_room(static_cast<std::size_t>(tensors), ListProgram::kMaxTensors);
}

int ListRecorder::number(double value) {
    numbers_.push_back(value);
    return kNumbers + static_cast<int>(numbers_.size()) - 1;
}
int ListRecorder::scalar(int i) { return kScalars + i; }
int ListRecorder::prologue(ListOp op, int a, int b) {
    prologue_.push_back({op, a, b, a});
    return kPrologue + static_cast<int>(prologue_.size()) - 1;
}
int ListRecorder::step(ListOp op, int a, int b, int c) {
    steps_.push_back({op, a, b, c});
    return tensors_ + static_cast<int>(steps_.size()) - 1;
}
void ListRecorder::write(int t, int operand) {
    results_[static_cast<std::size_t>(t)] = operand == t ? kNever : operand;
}

ListProgram ListRecorder::finish() const {
    require_room(steps_.size(), ListProgram::kMaxSteps);
    require_room(prologue_.size(), ListProgram::kMaxPrologue);
    require_room(numbers_.size() + static_cast<std::size_t>(scalars_) + prologue_.size(), ListProgram::kMaxNumbers);
    ListProgram program;
    program.tensors = static_cast<std::uint8_t>(tensors_);
    program.numbers = static_cast<std::uint8_t>(numbers_.size());
    program.scalars = static_cast<std::uint8_t>(scalars_);
    program.prologue_steps = static_cast<std::uint8_t>(prologue_.size());
    program.steps = static_cast<std::uint8_t>(steps_.size());
    const int given = static_cast<int>(numbers_.size());
    const auto number_place = [&](int operand) {
        const int at = operand >= kNumbers    ? operand - kNumbers
                       : operand >= kPrologue ? given + scalars_ + operand - kPrologue
                                              : given + operand - kScalars;
        return static_cast<std::uint8_t>(kListNumberPlace + at);
    };
    for (std::size_t i = 0; i < prologue_.size(); ++i) {
        const Step& s = prologue_[i];
        program.prologue[i] = {s.op, number_place(kPrologue + static_cast<int>(i)), number_place(s.a),
                               number_place(s.b), number_place(s.c)};
    }
    // The last step that reads each register; results are read by the end.
    const int count = tensors_ + static_cast<int>(steps_.size());
    std::vector<int> last(static_cast<std::size_t>(count), kNever), place(static_cast<std::size_t>(count), 0);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        for (const int operand : {steps_[i].a, steps_[i].b, steps_[i].c}) {
            if (operand < kScalars) last[static_cast<std::size_t>(operand)] = static_cast<int>(i);
        }
    }
    for (const int operand : results_) {
        if (operand != kNever && operand < kScalars) last[static_cast<std::size_t>(operand)] = count;
    }
    for (int t = 0; t < tensors_; ++t) program.is_read[t] = last[static_cast<std::size_t>(t)] != kNever;
    Registers registers(tensors_);
    for (int t = 0; t < tensors_; ++t) place[static_cast<std::size_t>(t)] = t;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const Step& s = steps_[i];
        const auto operand_place = [&](int operand) {
            return operand < kScalars ? static_cast<std::uint8_t>(place[static_cast<std::size_t>(operand)])
                                      : number_place(operand);
        };
        ListStep& written = program.step[i];
        written = {s.op, 0, operand_place(s.a), operand_place(s.b), operand_place(s.c)};
        const int operands[] = {s.a, s.b, s.c};
        for (int o = 0; o < 3; ++o) {
            const bool is_seen = std::find(operands, operands + o, operands[o]) != operands + o;
            if (!is_seen && operands[o] < kScalars &&
                last[static_cast<std::size_t>(operands[o])] == static_cast<int>(i))
                registers.give_up(place[static_cast<std::size_t>(operands[o])]);
        }
        const std::size_t own = static_cast<std::size_t>(tensors_) + i;
        place[own] = registers.take();
        if (last[own] == kNever) registers.give_up(place[own]);
        written.to = static_cast<std::uint8_t>(place[own]);
    }
    for (int t = 0; t < tensors_; ++t) {
        const int operand = results_[static_cast<std::size_t>(t)];
        if (operand == kNever) continue;
        program.is_written[t] = true;
        program.result[t] = operand < kScalars ? static_cast<std::uint8_t>(place[static_cast<std::size_t>(operand)])
                                               : number_place(operand);
    }
    return program;
}

}  // namespace loupe
