// SPDX-License-Identifier: Apache-2.0
#pragma once
// Python's rule for x[start:end:step] of lists and strings.

#include "core/dispatch/record.h"

namespace loupe::numbers {

struct SliceRange {
    std::int64_t start = 0;
    std::int64_t step = 1;
    std::int64_t length = 0;
};

// bounds: start, end (None when left out), step. Throws Error (Run) for step 0.
SliceRange slice_range(std::span<const IValue> bounds, std::int64_t size);

}  // namespace loupe::numbers
