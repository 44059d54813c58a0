// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a fusion group computes for one element: steps of the loop engine, in order, each rounded to its dtype as the
// unfused operator rounds its result. Shapes are no part of it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/ops/loops/elementwise.h"

namespace loupe::runtime {

enum class LoopFamily : std::uint8_t { Unary, Test, Activation, Binary, Compare, Ternary, Where, Convert };

// Which of the pointwise kernels it is: `op` is the family's enumerator (UnaryOp, ...; 0 for Where and Convert).
struct LoopKind {
    LoopFamily family = LoopFamily::Convert;
    std::uint8_t op = 0;
    ScalarType as = ScalarType::Float32;  // what the kernel computes in; of Where, a type of that size
    std::uint8_t params = 0;              // how many numbers of its own it reads

    std::string name() const;  // "Mul"
};
// False for a kernel that is none of the pointwise operators'.
bool find_loop_kind(ElementwiseKernel kernel, LoopKind& kind);

// What a kernel reads: a value of the expression or a number, seen as a dtype.
struct FusedOperand {
    bool is_number = false;
    std::uint32_t value = 0;               // inputs first, then the results of the steps
    std::array<std::byte, 16> number{};    // an element of type `as`
    ScalarType as = ScalarType::Float32;
};

struct FusedStep {
    LoopKind kind;
    ElementwiseKernel kernel = nullptr;  // null for Convert
    std::vector<Scalar> params;
    std::vector<FusedOperand> inputs;
    ScalarType result_as = ScalarType::Float32;  // what the kernel writes
    ScalarType dtype = ScalarType::Float32;      // what the result is rounded to
};

struct FusedExpression {
    std::vector<ScalarType> inputs;
    std::vector<FusedStep> steps;
    std::vector<std::uint32_t> outputs;

    ScalarType dtype_of(std::uint32_t value) const {
        return value < inputs.size() ? inputs[value] : steps[value - inputs.size()].dtype;
    }
    // One line a value: equal for expressions that compute the same in the same way.
    //     %0: float32
    //     %1: float32 = Mul(%0, 2)
    //     return %1
    std::string str() const;
};

// A number of the dtype as text that tells it from every other: "2", "0.5", "nan", "true".
std::string number_text(const std::byte* element, ScalarType dtype);

}  // namespace loupe::runtime
