// SPDX-License-Identifier: Apache-2.0
// lstm, gru, rnn_tanh, rnn_relu over padded and packed sequences: layers and directions of loupe::rnn_layer.
#include <algorithm>

#include "core/ops/nn/common.h"
#include "core/ops/rnn/family.h"
#include "core/ops/rnn/network.h"

namespace loupe {
namespace {

using namespace rnn;

// input [T, B, I], or [B, T, I] with batch_first.
NetworkResult run_padded(Mode mode, const Tensor& input, const Tensor& hx, const Tensor& cx, const TensorList& params,
                         const NetworkOptions& o, bool batch_first) {
    require(input.dim() == 3, "input must have 3 dimensions, got ", input.dim());
    const Tensor steps = batch_first ? fn::transpose(input, std::int64_t{0}, std::int64_t{1}) : input;
    const std::int64_t length = steps.size(0);
    const std::int64_t batch = steps.size(1);
    require(length > 0, "Expected sequence length to be larger than 0 in RNN");
    const Tensor rows = fn::reshape(steps, Dims{length * batch, steps.size(2)});
    NetworkResult result = run_network(mode, rows, hx, cx, params, Dims(static_cast<std::size_t>(length), batch), o);
    result.output = fn::view(result.output, Dims{length, batch, result.output.size(1)});
    if (batch_first) result.output = fn::transpose(result.output, std::int64_t{0}, std::int64_t{1});
    return result;
}

Dims sizes_from(const Tensor& batch_sizes) {
    const Tensor sizes = packed_as(batch_sizes, ScalarType::Int64);
    return {sizes.data<std::int64_t>(), sizes.data<std::int64_t>() + sizes.numel()};
}

std::tuple<Tensor, Tensor, Tensor> lstm_input(const Tensor& input, const TensorList& hx, const TensorList& params,
                                              bool has_biases, std::int64_t layers, double dropout, bool train,
                                              bool bidirectional, bool batch_first) {
    require(hx.size() == 2, "lstm expects two hidden states");
    const NetworkResult r = run_padded(Mode::Lstm, input, hx[0], hx[1], params,
                                       {has_biases, layers, dropout, train, bidirectional}, batch_first);
    return {r.output, r.hy, r.cy};
}
std::tuple<Tensor, Tensor, Tensor> lstm_data(const Tensor& data, const Tensor& batch_sizes, const TensorList& hx,
                                             const TensorList& params, bool has_biases, std::int64_t layers,
                                             double dropout, bool train, bool bidirectional) {
    require(hx.size() == 2, "lstm expects two hidden states");
    const NetworkResult r = run_network(Mode::Lstm, data, hx[0], hx[1], params, sizes_from(batch_sizes),
                                        {has_biases, layers, dropout, train, bidirectional});
    return {r.output, r.hy, r.cy};
}
template <Mode mode>
std::tuple<Tensor, Tensor> rnn_input(const Tensor& input, const Tensor& hx, const TensorList& params, bool has_biases,
                                     std::int64_t layers, double dropout, bool train, bool bidirectional,
                                     bool batch_first) {
    const NetworkResult r =
        run_padded(mode, input, hx, Tensor(), params, {has_biases, layers, dropout, train, bidirectional}, batch_first);
    return {r.output, r.hy};
}
template <Mode mode>
std::tuple<Tensor, Tensor> rnn_data(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx,
                                    const TensorList& params, bool has_biases, std::int64_t layers, double dropout,
                                    bool train, bool bidirectional) {
    const NetworkResult r = run_network(mode, data, hx, Tensor(), params, sizes_from(batch_sizes),
                                        {has_biases, layers, dropout, train, bidirectional});
    return {r.output, r.hy};
}

template <Mode mode>
std::vector<Sample> input_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    const std::int64_t g = gate_count(mode) * 3;
    TensorList params{t({g, 4}), t({g, 3}), t({g}), t({g}), t({g, 4}), t({g, 3}), t({g}), t({g})};
    const IValue state = mode == Mode::Lstm ? IValue(TensorList{t({2, 2, 3}), t({2, 2, 3})}) : IValue(t({2, 2, 3}));
    return {{{t({5, 2, 4}), state, params, true, 1, 0.0, false, true, false}, "bidirectional"}};
}

// FLOPs of all layers, from the weights and the number of rows.
Cost sequence_cost(double rows, const TensorList& params) {
    Cost cost;
    for (const Tensor& p : params) {
        if (p.dim() == 2) cost.flops += 2 * rows * static_cast<double>(p.numel());
        cost.bytes += static_cast<double>(p.bytes());
    }
    return cost;
}
Cost input_cost(Arguments arguments, std::span<const IValue>) {
    const Tensor input = arguments[0].to_tensor();
    return sequence_cost(static_cast<double>(input.size(0) * input.size(1)), arguments[2].to_tensors());
}
Cost data_cost(Arguments arguments, std::span<const IValue>) {
    return sequence_cost(static_cast<double>(arguments[0].to_tensor().size(0)), arguments[3].to_tensors());
}

#define LOUPE_RNN_OPTIONS \
    "Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional"

constexpr std::string_view kThroughTime =
    "input: sum_gates dz W, step by step backwards; dz is the gradient before the gates' functions\n"
    "data: sum_gates dz W, step by step backwards; dz is the gradient before the gates' functions\n"
    "hx: dz U at the first step\n"
    "params: W: sum_t dz[t]^T x[t]; U: sum_t dz[t]^T h[t - 1]; b: sum_t dz[t]";

constexpr OperatorRecord kRecords[] = {
    {
        .schema = "aten::lstm.input(Tensor input, Tensor[] hx, " LOUPE_RNN_OPTIONS
                  ", bool batch_first) -> (Tensor, Tensor, Tensor)",
        .summary =
            "Layers of long short-term memory over a padded sequence: outputs, last hidden and last cell states.",
        .formula = "i, f, o = sigmoid(W x + U h + b), g = tanh(W x + U h + b); c' = f c + i g; h' = o tanh(c')",
        .composite = boxed<lstm_input>,
        .gradient = kThroughTime,
        .cost = input_cost,
        .samples = input_samples<Mode::Lstm>,
    },
    {
        .schema = "aten::lstm.data(Tensor data, Tensor batch_sizes, Tensor[] hx, " LOUPE_RNN_OPTIONS
                  ") -> (Tensor, Tensor, Tensor)",
        .summary = "Layers of long short-term memory over a packed sequence.",
        .composite = boxed<lstm_data>,
        .cost = data_cost,
    },
    {
        .schema =
            "aten::gru.input(Tensor input, Tensor hx, " LOUPE_RNN_OPTIONS ", bool batch_first) -> (Tensor, Tensor)",
        .summary = "Layers of gated recurrent units over a padded sequence: outputs and last hidden states.",
        .formula = "r, z = sigmoid(W x + U h + b), n = tanh(W x + r (U h + b)); h' = (1 - z) n + z h",
        .composite = boxed<rnn_input<Mode::Gru>>,
        .gradient = kThroughTime,
        .cost = input_cost,
        .samples = input_samples<Mode::Gru>,
    },
    {
        .schema =
            "aten::gru.data(Tensor data, Tensor batch_sizes, Tensor hx, " LOUPE_RNN_OPTIONS ") -> (Tensor, Tensor)",
        .summary = "Layers of gated recurrent units over a packed sequence.",
        .composite = boxed<rnn_data<Mode::Gru>>,
        .cost = data_cost,
    },
    {
        .schema = "aten::rnn_tanh.input(Tensor input, Tensor hx, " LOUPE_RNN_OPTIONS
                  ", bool batch_first) -> (Tensor, Tensor)",
        .summary = "Layers of plain recurrence with tanh over a padded sequence.",
        .formula = "h' = tanh(W x + U h + b)",
        .composite = boxed<rnn_input<Mode::Tanh>>,
        .gradient = kThroughTime,
        .cost = input_cost,
        .samples = input_samples<Mode::Tanh>,
    },
    {
        .schema = "aten::rnn_tanh.data(Tensor data, Tensor batch_sizes, Tensor hx, " LOUPE_RNN_OPTIONS
                  ") -> (Tensor, Tensor)",
        .summary = "Layers of plain recurrence with tanh over a packed sequence.",
        .composite = boxed<rnn_data<Mode::Tanh>>,
        .cost = data_cost,
    },
    {
        .schema = "aten::rnn_relu.input(Tensor input, Tensor hx, " LOUPE_RNN_OPTIONS
                  ", bool batch_first) -> (Tensor, Tensor)",
        .summary = "Layers of plain recurrence with ReLU over a padded sequence.",
        .formula = "h' = max(W x + U h + b, 0)",
        .composite = boxed<rnn_input<Mode::Relu>>,
        .gradient = kThroughTime,
        .cost = input_cost,
        .samples = input_samples<Mode::Relu>,
    },
    {
        .schema = "aten::rnn_relu.data(Tensor data, Tensor batch_sizes, Tensor hx, " LOUPE_RNN_OPTIONS
                  ") -> (Tensor, Tensor)",
        .summary = "Layers of plain recurrence with ReLU over a packed sequence.",
        .composite = boxed<rnn_data<Mode::Relu>>,
        .cost = data_cost,
    },
};

}  // namespace

std::span<const OperatorRecord> rnn::call_records() { return kRecords; }

}  // namespace loupe
