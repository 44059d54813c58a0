// SPDX-License-Identifier: Apache-2.0
#pragma once
// Orders that exchanges of rows make. Includes nothing of the engine.

#include "plugins/cuda/loops/fault.h"
#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// Of each matrix of a batch the order of `rows` rows after row i was exchanged with row pivots[i], counted from 1 as
// LAPACK does. pivots [batch, count], order [batch, rows]. An exchange with no row is a fault and left out.
void run_row_orders(const Queue& queue, std::int64_t batch, std::int64_t count, std::int64_t rows,
                    const std::int32_t* pivots, std::int64_t* order, Fault* fault);

}  // namespace loupe::cuda
