// SPDX-License-Identifier: Apache-2.0
#pragma once
// The loops that the device has, a file a family of operations. Each returns false for a compute type that an operation
// does not take. Includes nothing of the engine but the names of operations.

#include "core/ops/nn/loss_operations.h"
#include "core/ops/pointwise/operations.h"
#include "core/ops/reduction/operations.h"
#include "core/ops/special/operations.h"
#include "plugins/cuda/loops/fault.h"
#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

bool run_unary(UnaryOp op, Element as, const Queue& queue, const LoopShape& loop, const Numbers& numbers);
// Those that take long to compute.
bool run_slow_unary(UnaryOp op, Element as, const Queue& queue, const LoopShape& loop, const Numbers& numbers);
bool run_special(SpecialOp op, Element as, const Queue& queue, const LoopShape& loop);
bool run_special_pair(SpecialPairOp op, Element as, const Queue& queue, const LoopShape& loop);
bool run_special_triple(SpecialTripleOp op, Element as, const Queue& queue, const LoopShape& loop);
bool run_polynomial(PolynomialOp op, Element as, const Queue& queue, const LoopShape& loop);
bool run_test(TestOp op, Element as, const Queue& queue, const LoopShape& loop);
bool run_activation(ActivationOp op, Element as, const Queue& queue, const LoopShape& loop, const Numbers& numbers);
bool run_activation_gradient(ActivationOp op, Element as, const Queue& queue, const LoopShape& loop,
                             const Numbers& numbers);
bool run_binary(BinaryOp op, Element as, const Queue& queue, const LoopShape& loop, const Numbers& numbers);
// Of int64; a divisor 0 is a fault.
bool run_whole_division(BinaryOp op, const Queue& queue, const LoopShape& loop, Fault* fault);
bool run_compare(CompareOp op, Element as, const Queue& queue, const LoopShape& loop);
bool run_ternary(TernaryOp op, Element as, const Queue& queue, const LoopShape& loop, const Numbers& numbers);
// numbers: the loss's parameter, and of slopes a factor.
bool run_loss(LossOp op, Element as, const Queue& queue, const LoopShape& loop, const Numbers& numbers);
bool run_loss_slope(LossOp op, Element as, const Queue& queue, const LoopShape& loop, const Numbers& numbers);
// Elements of any one size, by their bits: condition ? a : b.
void run_where(int element_size, const Queue& queue, const LoopShape& loop);
// Converts and moves; complex numbers and equal dtypes by their bits (`bytes` of an element, else 0).
void run_copy(int bytes, const Queue& queue, const LoopShape& loop);

// start + i step, in int64 or double.
void run_range(const Queue& queue, Element element, const Numbers& start, const Numbers& step, std::int64_t count,
               void* to);

// A reduction: outer loop over the outputs, inner over what is reduced.
struct ReduceShape {
    LoopShape kept;     // operands: outputs, then the input at the first reduced element
    LoopShape reduced;  // operand 0: the input
    int outputs = 1;
    double parameter = 0;
};
bool run_reduction(ReduceOp op, Element as, const Queue& queue, const ReduceShape& shape);

}  // namespace loupe::cuda
