// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/tensor/tensor.h"

namespace loupe::quantized_ops {

// Which rows go into which bag, as the operators of embedding bags have them.
struct Bags {
    Tensor indices;         // [L], or [bags, L]
    Tensor offsets;         // where each bag begins, of [L]
    Tensor sample_weights;  // of each index, or undefined
    Tensor mapping;         // of pruned tables: where each row is, -1 for none; or undefined
    std::int64_t mode = 0;  // 0: sum, 1: mean
    bool includes_last = false;
};
// rows_at: the rows of int64 indices [L] as float32 [L, columns]. Returns [bags, columns].
Tensor bags_of_rows(const std::function<Tensor(const Tensor& indices)>& rows_at, const Bags& bags);

}  // namespace loupe::quantized_ops
