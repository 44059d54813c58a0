// SPDX-License-Identifier: Apache-2.0
#pragma once
// out= forms of operators that are written with other operators:
//
//     {.schema = "aten::hann_window.out(int window_length, *, Tensor(a!) out) -> Tensor(a!)", .composite =
//     into_out<hann>}

#include "core/dispatch/record.h"

namespace loupe {

// Gives `out` the result's sizes and elements, converted to its dtype. Throws Error (Run) when the dtypes do not allow
// it.
void put_into(const Tensor& out, const Tensor& result);

namespace detail {
void compute_into_last(KernelFunction compute, Arguments arguments, IValue* results);
}

// The functional form on all arguments but the last, into that one.
template <KernelFunction kCompute>
void into_out(Arguments arguments, IValue* results) {
    detail::compute_into_last(kCompute, arguments, results);
}

}  // namespace loupe
