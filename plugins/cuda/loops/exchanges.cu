// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/exchanges.h"

#include "plugins/cuda/loops/launch.h"

namespace loupe::cuda {
namespace {

struct RowOrderBody {
    std::int64_t count, rows;
    const std::int32_t* pivots;
    std::int64_t* order;
    Fault* fault;

    LOUPE_HD void operator()(std::int64_t b) const {
        std::int64_t* const own = order + b * rows;
        for (std::int64_t r = 0; r < rows; ++r) own[r] = r;
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t other = pivots[b * count + i] - 1;
            if (other < 0 || other >= rows) {
                report(fault, FaultKind::Pivot, other + 1, rows);
                continue;
            }
            const std::int64_t held = own[i];
            own[i] = own[other];
            own[other] = held;
        }
    }
};

}  // namespace

void run_row_orders(const Queue& queue, std::int64_t batch, std::int64_t count, std::int64_t rows,
                    const std::int32_t* pivots, std::int64_t* order, Fault* fault) {
    launch(queue, batch, RowOrderBody{count, rows, pivots, order, fault});
}

}  // namespace loupe::cuda
