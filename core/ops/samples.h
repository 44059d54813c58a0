// SPDX-License-Identifier: Apache-2.0
#pragma once
// Drawing inputs for the sweep.

#include "core/dispatch/record.h"

namespace loupe {

// Floats and complex numbers from a normal distribution, integers from -3 to 3 (0 to 3 when unsigned), bools evenly.
Tensor random_tensor(Random& random, IntSpan sizes, ScalarType dtype);
inline Tensor random_tensor(Random& random, std::initializer_list<std::int64_t> sizes, ScalarType dtype) {
    return random_tensor(random, IntSpan(sizes.begin(), sizes.size()), dtype);
}
// int64 from 0 to limit - 1.
Tensor random_indices(Random& random, std::initializer_list<std::int64_t> sizes, std::int64_t limit);
// Away from zero, quarters and each other, for operators with kinks: a shuffled ladder of steps of 1/4.
Tensor random_ladder(Random& random, std::initializer_list<std::int64_t> sizes, ScalarType dtype);

}  // namespace loupe
