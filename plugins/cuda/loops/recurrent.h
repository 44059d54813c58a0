// SPDX-License-Identifier: Apache-2.0
#pragma once
// One step of a recurrent layer beside its products, float32 or float64. Includes nothing of the engine.

#include "plugins/cuda/loops/loop.h"

namespace loupe::cuda {

// As the engine numbers them (core/ops/rnn/layer.h).
enum class Recurrence { Lstm, Gru, Tanh, Relu };

// Dense arrays. Rows are those of the step's sequences, the first of the batch.
struct RecurrentStep {
    Recurrence kind = Recurrence::Lstm;
    Element element = Element::Float32;
    std::int64_t rows = 0;
    std::int64_t hidden = 0;
    const void* gates = nullptr;         // [rows, gates of hidden]: the input's part, with what is added to it
    const void* hidden_gates = nullptr;  // likewise, the state's part
    const void* hidden_bias = nullptr;   // added to the state's part; null: none
    void* output = nullptr;              // [rows, hidden]
    void* workspace = nullptr;           // [rows, what the backward pass needs]
    void* h = nullptr;                   // [batch, hidden]: the states before, and then behind the step
    void* c = nullptr;                   // likewise, of an LSTM
};
void run_recurrent_step(const Queue& queue, const RecurrentStep& step);

struct RecurrentBackwardStep {
    Recurrence kind = Recurrence::Lstm;
    Element element = Element::Float32;
    std::int64_t rows = 0;
    std::int64_t hidden = 0;
    const void* grad_output = nullptr;  // null: none
    const void* output = nullptr;
    const void* workspace = nullptr;
    // The states of the step before, of its first `rows_before` rows; others began with h_first and c_first.
    std::int64_t rows_before = 0;
    const void* output_before = nullptr;
    const void* workspace_before = nullptr;
    const void* h_first = nullptr;
    const void* c_first = nullptr;
    void* gates = nullptr;         // gradients of the input's part
    void* hidden_gates = nullptr;  // of the state's part; the same memory but for a GRU
    void* h_before = nullptr;      // [rows, hidden]: the states before the step
    void* dh = nullptr;            // [batch, hidden]: behind the step; then what goes to the states before it directly
    void* dc = nullptr;            // likewise, of an LSTM
};
void run_recurrent_backward_step(const Queue& queue, const RecurrentBackwardStep& step);

}  // namespace loupe::cuda
