// SPDX-License-Identifier: Apache-2.0
#pragma once
// A formula for one element, as steps over registers: one kernel runs any of them over lists of tensors, each element
// read and written once. Updates of optimisers and operators on lists (_foreach_add_) are such programs. Includes
// nothing of the engine: devices compile it.

#include <cstdint>

namespace loupe {

enum class ListOp : std::uint8_t {
    Add,
    Sub,
    Mul,
    Div,
    Maximum,  // NaN where either is
    Minimum,
    Pow,
    Greater,  // comparisons and Or give 1 or 0
    Less,
    NotEqual,
    Or,
    Choose,  // a is not 0 ? b : c
    Sqrt,
    Abs,
    Neg,
    Sign,
    Exp,
    Expm1,
    Log,
    Log10,
    Log1p,
    Log2,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Erf,
    Erfc,
    Lgamma,
    Ceil,
    Floor,
    Round,  // to even
    Trunc,
    Frac,
    Sigmoid,
    Reciprocal,
    Is,            // a
    FlagInfinite,  // a, and the call's flag becomes 1 where it is not finite
};

// Operands below kNumberPlace are registers; from there on the numbers of an entry.
inline constexpr int kListNumberPlace = 64;

struct ListStep {
    ListOp op = ListOp::Is;
    std::uint8_t to = 0;
    std::uint8_t a = 0, b = 0, c = 0;

    friend bool operator==(const ListStep& x, const ListStep& y) {
        return x.op == y.op && x.to == y.to && x.a == y.a && x.b == y.b && x.c == y.c;
    }
};

// Registers 0 to tensors - 1 hold the element of each tensor at first. Numbers: those that are given with an entry,
// then its scalars (tensors of one element on the device), then what the prologue makes of them, once and in double.
struct ListProgram {
    static constexpr int kMaxTensors = 6;
    static constexpr int kMaxScalars = 3;
    static constexpr int kMaxNumbers = 32;
    static constexpr int kMaxRegisters = 16;
    static constexpr int kMaxSteps = 48;
    static constexpr int kMaxPrologue = 12;

    std::uint8_t tensors = 0;
    std::uint8_t numbers = 0;
    std::uint8_t scalars = 0;
    std::uint8_t prologue_steps = 0;
    std::uint8_t steps = 0;
    ListStep prologue[kMaxPrologue] = {};
    ListStep step[kMaxSteps] = {};
    bool is_read[kMaxTensors] = {};
    bool is_written[kMaxTensors] = {};
    std::uint8_t result[kMaxTensors] = {};  // the operand that a written tensor gets

    friend bool operator==(const ListProgram& x, const ListProgram& y) {
        bool same = x.tensors == y.tensors && x.numbers == y.numbers && x.scalars == y.scalars &&
                    x.prologue_steps == y.prologue_steps && x.steps == y.steps;
        for (int i = 0; same && i < x.prologue_steps; ++i) same = x.prologue[i] == y.prologue[i];
        for (int i = 0; same && i < x.steps; ++i) same = x.step[i] == y.step[i];
        for (int i = 0; same && i < x.tensors; ++i)
            same = x.is_written[i] == y.is_written[i] && (!x.is_written[i] || x.result[i] == y.result[i]);
        return same;
    }
};

}  // namespace loupe
