// SPDX-License-Identifier: Apache-2.0
// The list of operator families. A family is a folder; its family.cpp defines the function that names its records.

#include <vector>

#include "core/dispatch/gradient_arithmetic.h"
#include "core/dispatch/record.h"
#include "core/kernels/vector_targets.h"

namespace loupe {

// One line adds a family.
#define LOUPE_FAMILIES(FAMILY) \
    FAMILY(matrix)             \
    FAMILY(linalg)             \
    FAMILY(nn)                 \
    FAMILY(rnn)                \
    FAMILY(numbers)            \
    FAMILY(pointwise)          \
    FAMILY(creation)           \
    FAMILY(reduction)          \
    FAMILY(random)             \
    FAMILY(view)               \
    FAMILY(joining)            \
    FAMILY(indexing)           \
    FAMILY(sorting)            \
    FAMILY(composed)           \
    FAMILY(fft)                \
    FAMILY(special)            \
    FAMILY(sparse)             \
    FAMILY(quantized)          \
    FAMILY(nested)             \
    FAMILY(distributed)

#define LOUPE_DECLARE_FAMILY(name) OperatorFamily name##_family();
#define LOUPE_TAKE_FAMILY(name) name##_family(),
LOUPE_FAMILIES(LOUPE_DECLARE_FAMILY)

std::span<const OperatorFamily> operator_families() {
    static const std::vector<OperatorFamily> families = [] {
        // Before the first operator runs.
        limit_vector_targets();
        install_gradient_arithmetic();
        return std::vector<OperatorFamily>{LOUPE_FAMILIES(LOUPE_TAKE_FAMILY)};
    }();
    return families;
}

}  // namespace loupe
