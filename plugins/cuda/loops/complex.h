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
// The same, sixteen bytes at a time where every operand lies densely in the type or is a number: for what takes no
// longer to compute than to read.
template <typename Op, typename T, int kInputs>
bool run_complex_packs(const Queue& queue, const LoopShape& loop, const Numbers& numbers, Element element) {
    if (!loop.is_plain) return false;
    PackBody<Op, T, T, kInputs> body{};
    for (int o = 0; o <= kInputs; ++o) {
        const Operand& operand = loop.operand[o];
        if (operand.data != nullptr && (operand.element != element || !is_aligned(operand.data))) return false;
        if (o == 0) continue;
        body.in[o - 1] = reinterpret_cast<const T*>(operand.data);
        if (operand.data == nullptr) body.number[o - 1] = read<T>(operand, nullptr);
    }
    body.out = reinterpret_cast<T*>(loop.operand[0].data);
    body.count = loop.count;
    body.numbers = numbers;
    launch(queue, (loop.count + Pack<T>::kCount - 1) / Pack<T>::kCount, body);
    return true;
}
template <typename Op, int kInputs>
bool run_complex_fast(Element as, const Queue& queue, const LoopShape& loop, const Numbers& numbers) {
    const bool is_packed =
        as == Element::Complex64
            ? run_complex_packs<Op, Complex<float>, kInputs>(queue, loop, numbers, as)
            : as == Element::Complex128 && run_complex_packs<Op, Complex<double>, kInputs>(queue, loop, numbers, as);
    return is_packed || run_complex<Op, kInputs>(as, queue, loop, numbers);
}
// Where the precision does not matter.
template <typename Op, int kInputs>
bool run_complex_in_double(const Queue& queue, const LoopShape& loop, const Numbers& numbers = {}) {
    return run_slow<Op, Complex<double>, kInputs>(queue, loop, numbers), true;
}

}  // namespace loupe::cuda
