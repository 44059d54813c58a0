// SPDX-License-Identifier: Apache-2.0
#pragma once
// Evenly spaced numbers and their powers. Includes nothing of the engine.

#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// count numbers from first to last, from both ends to the middle, so that the ends are exact; with a base
// its powers. Steps have the precision of the elements, float for those of 16 bits and double for whole numbers.
struct Spaced {
    Element element = Element::Float32;
    double first = 0, last = 0;
    std::int64_t count = 0;
    bool has_base = false;
    double base = 10;
};
void run_spaced(const Queue& queue, const Spaced& spaced, void* to);

}  // namespace loupe::cuda
