// SPDX-License-Identifier: Apache-2.0
// The list of operator families. A family is a folder; its family.cpp defines the function that names its records.

#include <vector>

#include "core/dispatch/gradient_arithmetic.h"
#include "core/dispatch/record.h"
#include "core/kernels/vector_targets.h"

namespace loupe {

// One line a family, in the order of the folders:
OperatorFamily matrix_family();
OperatorFamily linalg_family();
OperatorFamily nn_family();
OperatorFamily rnn_family();
OperatorFamily numbers_family();
OperatorFamily pointwise_family();
OperatorFamily creation_family();
OperatorFamily reduction_family();
OperatorFamily random_family();
OperatorFamily view_family();
OperatorFamily joining_family();
OperatorFamily indexing_family();
OperatorFamily sorting_family();
OperatorFamily composed_family();
OperatorFamily fft_family();
OperatorFamily special_family();
OperatorFamily sparse_family();

std::span<const OperatorFamily> operator_families() {
    static const std::vector<OperatorFamily> families = [] {
        // Before the first operator runs.
        limit_vector_targets();
        install_gradient_arithmetic();
        return std::vector<OperatorFamily>{
            matrix_family(),    linalg_family(),   nn_family(),        rnn_family(),      numbers_family(),
            pointwise_family(), creation_family(), reduction_family(), random_family(),   view_family(),
            joining_family(),   indexing_family(), sorting_family(),   composed_family(), fft_family(),
            special_family(),   sparse_family(),
        };
    }();
    return families;
}

}  // namespace loupe
