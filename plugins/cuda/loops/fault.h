// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a kernel found wrong with the elements it read: the first fault is kept, the element is left out, and the host
// says it later. Includes nothing of the engine.

#include <cstdint>

#include "plugins/cuda/loops/portable.h"

namespace loupe::cuda {

enum class FaultKind : std::int32_t {
    None,
    Index,     // value out of bounds for dimension dim with size limit
    TableRow,  // of an embedding
    Pivot,     // an exchange with a row that there is not
    Sample,    // not from 0 to 1; value: its bits
    Class,     // target of a loss
    Chance,    // a probability that is none
};

// In memory that host and device see.
struct Fault {
    std::int32_t kind = 0;  // FaultKind
    std::int32_t dim = 0;
    std::int64_t value = 0;
    std::int64_t limit = 0;
};

LOUPE_HD inline void report(Fault* fault, FaultKind kind, std::int64_t value, std::int64_t limit, int dim = 0) {
#ifdef __CUDA_ARCH__
    if (fault == nullptr) return;
    if (atomicCAS_system(&fault->kind, 0, static_cast<std::int32_t>(kind)) != 0) return;
#else
    if (fault == nullptr || fault->kind != 0) return;
    fault->kind = static_cast<std::int32_t>(kind);
#endif
    fault->dim = dim;
    fault->value = value;
    fault->limit = limit;
}

}  // namespace loupe::cuda
