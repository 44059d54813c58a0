// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loops over complex numbers.

#include "core/ops/pointwise/operations.h"
#include "plugins/cuda/loops/slow.h"

namespace loupe::cuda {

bool run_complex_unary(UnaryOp op, Element as, const Queue& queue, const LoopShape& loop);
bool run_complex_function(UnaryOp op, Element as, const Queue& queue, const LoopShape& loop);
bool run_complex_inverse(UnaryOp op, Element as, const Queue& queue, const LoopShape& loop);
bool run_complex_part(ComplexPartOp op, Element as, const Queue& queue, const LoopShape& loop);
bool run_complex_test(TestOp op, const Queue& queue, const LoopShape& loop);
bool run_complex_binary(BinaryOp op, Element as, const Queue& queue, const LoopShape& loop, const Numbers& numbers);
bool run_complex_power(BinaryOp op, Element as, const Queue& queue, const LoopShape& loop);
bool run_complex_compare(CompareOp op, const Queue& queue, const LoopShape& loop);
bool run_complex_ternary(TernaryOp op, Element as, const Queue& queue, const LoopShape& loop, const Numbers& numbers);
// Converts to or from complex numbers.
void run_complex_copy(const Queue& queue, const LoopShape& loop);

// In the type's own precision, so that what overflows is what overflows on the host.
template <typename Op, int kInputs>
bool run_complex(Element as, const Queue& queue, const LoopShape& loop, const Numbers& numbers) {
    if (as == Element::Complex64) return run_slow<Op, Complex<float>, kInputs>(queue, loop, numbers), true;
    if (as == Element::Complex128) return run_slow<Op, Complex<double>, kInputs>(queue, loop, numbers), true;
    return false;
}
// Where the precision does not matter.
template <typename Op, int kInputs>
bool run_complex_in_double(const Queue& queue, const LoopShape& loop, const Numbers& numbers = {}) {
    return run_slow<Op, Complex<double>, kInputs>(queue, loop, numbers), true;
}

}  // namespace loupe::cuda
