// SPDX-License-Identifier: Apache-2.0
#pragma once
// Running results along lines. Includes nothing of the engine.

#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

enum class Running : std::int8_t { Sum, Product, LogSumExp };

// Dense arrays of [outer, length, inner] of one dtype. Results are held in double precision, whole numbers as int64.
// False for what a dtype has not.
bool run_scan(const Queue& queue, Running running, Element element, std::int64_t outer, std::int64_t length,
              std::int64_t inner, const void* x, void* y);

}  // namespace loupe::cuda
