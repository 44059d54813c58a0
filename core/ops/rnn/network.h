// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers and directions of a recurrent network over a packed sequence: of loupe::rnn_layer, or as one call where a
// device's library takes it (loupe::rnn_network).

#include "core/ops/rnn/layer.h"

namespace loupe::rnn {

struct NetworkOptions {
    bool has_biases;
    std::int64_t layers;
    double dropout;
    bool train;
    bool bidirectional;
};

struct NetworkResult {
    Tensor output;
    Tensor hy;
    Tensor cy;  // undefined but for an LSTM
};

// rows [sum of batch_sizes, I]; hx, cx [layers * directions, B, H]; params in PyTorch's order.
NetworkResult run_network(Mode mode, const Tensor& rows, const Tensor& hx, const Tensor& cx, const TensorList& params,
                          const Dims& batch_sizes, const NetworkOptions& options);

}  // namespace loupe::rnn
