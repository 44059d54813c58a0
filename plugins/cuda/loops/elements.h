// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loops of operators that have two results, or that check what they read. Dense elements. Includes nothing of the
// engine.

#include "plugins/cuda/loops/fault.h"
#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// x = mantissa 2^exponent, the mantissa's magnitude between 1/2 and 1; false for elements that are not floating.
bool run_frexp(const Queue& queue, Element element, const void* x, void* mantissa, std::int32_t* exponent,
               std::int64_t count);
// An element that is not between 0 and 1 is a fault.
void run_share_check(const Queue& queue, Element element, const void* x, std::int64_t count, Fault* fault);

}  // namespace loupe::cuda
