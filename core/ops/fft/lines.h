// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the lines of a transform lie in memory.
#include <cstdint>

namespace loupe::fft {

// Lines along the middle dimension of a dense [outer, n, inner].
struct Lines {
    std::int64_t outer = 1;
    std::int64_t inner = 1;
};

}  // namespace loupe::fft
