// SPDX-License-Identifier: Apache-2.0
#pragma once
// Attention a tile of queries and a tile of keys at a time, without keeping the weights (Dao et al. 2022). Nothing is
// added up by atomics, so that results are the same each time. Includes nothing of the engine.

#include <cstddef>

#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// In elements; the last dimension is dense.
struct HeadStrides {
    std::int64_t batch = 0, head = 0, row = 0;
};
struct AttentionShape {
    std::int64_t batch = 0, heads = 0, rows = 0, columns = 0;  // queries and keys
    int width = 0;                                             // of queries and keys, up to kMostWidth
    int out = 0;                                               // of values, likewise
    float scale = 1;
    bool is_causal = false;  // a query sees the keys up to its own place
    Element element = Element::Float32;
    HeadStrides query, key, value;
    // Added to the scores, of the same element; null: none.
    const void* bias = nullptr;
    HeadStrides of_bias;
    std::int64_t bias_column = 0;
    std::int64_t sum_rows = 0;  // elements of the sums from head to head
};
inline constexpr int kMostWidth = 256;  // of float32 and of gradients less: has_attention

// Is there a kernel, and has a block of the device the memory for it? float16, bfloat16, float32.
bool has_attention(Element element, int width, bool with_gradients);
// sums: ln of each query's sum of exponentials, [batch, heads, sum_rows]; null: not wanted.
void run_attention(const Queue& queue, const AttentionShape& shape, const void* query, const void* key,
                   const void* value, void* out, HeadStrides of_out, float* sums);

// Gradients; a null one is not wanted. along: [batch, heads, rows], of run_attention_along.
struct AttentionGradients {
    void* query = nullptr;
    void* key = nullptr;
    void* value = nullptr;
    HeadStrides of_query, of_key, of_value;
};
// The sum of grad times out of each query.
void run_attention_along(const Queue& queue, const AttentionShape& shape, const void* grad, HeadStrides of_grad,
                         const void* out, HeadStrides of_out, float* along);
void run_attention_gradients(const Queue& queue, const AttentionShape& shape, const void* query, const void* key,
                             const void* value, const void* grad, HeadStrides of_grad, const float* sums,
                             const float* along, const AttentionGradients& gradients);

}  // namespace loupe::cuda
