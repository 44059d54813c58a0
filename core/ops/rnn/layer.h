// SPDX-License-Identifier: Apache-2.0
#pragma once
// One direction of one layer of a recurrent network, over a packed sequence: step t has the next batch_sizes[t] rows of
// the input, and sequences end in order, so that step t continues with the first batch_sizes[t] rows of the state.

#include <string_view>
#include <vector>

#include "core/dispatch/boxing.h"
#include "core/dispatch/functions.h"
#include "core/ops/matrix/layout.h"
#include "core/tensor/tensor.h"

namespace loupe::rnn {

enum class Mode { Lstm, Gru, Tanh, Relu };
// "lstm", "gru", "rnn_tanh", "rnn_relu"; throws for others.
Mode parse_mode(std::string_view text);
std::string_view mode_name(Mode mode);
inline std::int64_t gate_count(Mode mode) { return mode == Mode::Lstm ? 4 : mode == Mode::Gru ? 3 : 1; }
// Values a row and unit that the backward pass needs beside the output: LSTM: i, f, g, o, c; GRU: r, z, n, W_hn h +
// b_hn.
inline std::int64_t workspace_width(Mode mode) { return mode == Mode::Lstm ? 5 : mode == Mode::Gru ? 4 : 0; }

// Where the rows of each step start, in the order in which the steps run.
struct Steps {
    struct Step {
        std::int64_t row;    // first row
        std::int64_t count;  // rows
    };
    std::vector<Step> order;
    std::int64_t rows = 0;

    Steps(IntSpan batch_sizes, bool reverse);
};

// The same layer written with operators; input [rows, I], hx [B, H]. Gives output, hy, cy (undefined but for an LSTM).
// projection: the weight that an LSTM's hidden state is projected with; undefined for none.
struct LayerWeights {
    Tensor w_ih, w_hh, b_ih, b_hh, projection;
};
std::tuple<Tensor, Tensor, Tensor> composed_layer(Mode mode, const Tensor& input, const Tensor& hx, const Tensor& cx,
                                                  const LayerWeights& weights, IntSpan batch_sizes, bool reverse);
// One step with operators: new h, and new c of an LSTM.
std::pair<Tensor, Tensor> composed_cell(Mode mode, const Tensor& x, const Tensor& h, const Tensor& c,
                                        const LayerWeights& weights);

}  // namespace loupe::rnn
