// SPDX-License-Identifier: Apache-2.0
#pragma once
// Attention of one head and its gradient, some rows at a time, so that intermediates stay in the cache. Columns at the
// end of such a block that the mask hides from all of its rows (the future, to a language model) are not computed where
// a hidden score is -inf: their weights are 0.

#include <cstdint>
#include <vector>

#include "core/ops/matrix/gemm.h"

namespace loupe::nn_ops {

// Sizes of a call: query [batch, heads, rows, width], key [batch, heads, columns, width], value [batch, heads, columns,
// out].
struct Heads {
    std::int64_t batch, heads, rows, columns, width, out;
};

// A mask as numbers of the computation's type, which vectors compare fastest. Rows are contiguous.
template <typename T>
class Hidden {
  public:
    // Without `may_skip` every column is computed.
    Hidden(const Tensor& mask, const Heads& h, bool may_skip);

    // Null without a mask.
    const T* row(std::int64_t batch, std::int64_t head, std::int64_t row) const;
    // Columns from here on are hidden from all rows of the block; each row has a visible one before.
    std::int64_t reach(std::int64_t batch, std::int64_t head, std::int64_t block) const;

  private:
    void find_reach(const Heads& h);
    std::int64_t reach_of(const T* first, const Heads& h, std::int64_t rows) const;

    Tensor numbers_;
    std::int64_t of_batch_ = 0;  // matrices from one of the batch to the next
    std::int64_t of_head_ = 0;
    std::int64_t size_ = 0;  // of a matrix
    std::int64_t row_ = 0;
    std::int64_t columns_;
    std::int64_t blocks_;
    std::vector<std::int64_t> reach_;  // empty: all columns
};

// Operands and results of a head: weights are dense, results have contiguous rows.
template <typename T>
struct ForwardHead {
    MatrixRef<const T> query, key, value;
    MatrixRef<T> weights, out;
};
template <typename T>
struct BackwardHead {
    MatrixRef<const T> grad, query, key, value, weights;
    MatrixRef<T> grad_query, grad_key, grad_value;
};

// weights = softmax(hidden ? fill : scale query key^T), out = weights value.
template <typename T>
void attend(const Heads& h, std::int64_t batch, std::int64_t head, const ForwardHead<T>& t, const Hidden<T>& hidden,
            T scale, T fill);
template <typename T>
void attend_backward(const Heads& h, std::int64_t batch, std::int64_t head, const BackwardHead<T>& t,
                     const Hidden<T>& hidden, T scale);

}  // namespace loupe::nn_ops
