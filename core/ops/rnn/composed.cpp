// SPDX-License-Identifier: Apache-2.0
// Cells and layers written with operators, and the cell operators of PyTorch.
#include "core/ops/nn/common.h"
#include "core/ops/rnn/family.h"
#include "core/ops/rnn/layer.h"

namespace loupe {
namespace rnn {

namespace {

// i, f, g, o in one row of gates.
std::pair<Tensor, Tensor> lstm_step(const Tensor& gates, const Tensor& c) {
    const TensorList parts = fn::chunk(gates, std::int64_t{4}, std::int64_t{1});
    const Tensor kept = fn::mul(fn::sigmoid(parts[1]), c);
    const Tensor added = fn::mul(fn::sigmoid(parts[0]), fn::tanh(parts[2]));
    const Tensor cell = fn::add(kept, added);
    return {fn::mul(fn::sigmoid(parts[3]), fn::tanh(cell)), cell};
}

Tensor gru_step(const Tensor& x_gates, const Tensor& h_gates, const Tensor& h) {
    const TensorList x = fn::chunk(x_gates, std::int64_t{3}, std::int64_t{1});
    const TensorList u = fn::chunk(h_gates, std::int64_t{3}, std::int64_t{1});
    const Tensor reset = fn::sigmoid(fn::add(x[0], u[0]));
    const Tensor update = fn::sigmoid(fn::add(x[1], u[1]));
    const Tensor candidate = fn::tanh(fn::add(x[2], fn::mul(reset, u[2])));
    return fn::add(fn::mul(fn::sub(h, candidate), update), candidate);
}

// One step from the input's gates.
std::pair<Tensor, Tensor> step_from_gates(Mode mode, const Tensor& x_gates, const Tensor& h, const Tensor& c,
                                          const LayerWeights& w) {
    const Tensor h_gates = fn::linear(h, w.w_hh, w.b_hh);
    if (mode == Mode::Gru) return {gru_step(x_gates, h_gates, h), Tensor()};
    const Tensor gates = fn::add(h_gates, x_gates);
    if (mode == Mode::Tanh) return {fn::tanh(gates), Tensor()};
    if (mode == Mode::Relu) return {fn::relu(gates), Tensor()};
    auto [hidden, cell] = lstm_step(gates, c);
    if (w.projection.defined()) hidden = fn::linear(hidden, w.projection, Tensor());
    return {hidden, cell};
}

Tensor first_rows(const Tensor& t, std::int64_t count) {
    return count == t.size(0) ? t : fn::narrow(t, std::int64_t{0}, std::int64_t{0}, count);
}
// The state with its first rows replaced.
Tensor with_first_rows(const Tensor& state, const Tensor& rows) {
    const std::int64_t count = rows.size(0);
    if (count == state.size(0)) return rows;
    return fn::cat(TensorList{rows, fn::narrow(state, std::int64_t{0}, count, state.size(0) - count)}, std::int64_t{0});
}

}  // namespace

std::pair<Tensor, Tensor> composed_cell(Mode mode, const Tensor& x, const Tensor& h, const Tensor& c,
                                        const LayerWeights& weights) {
    return step_from_gates(mode, fn::linear(x, weights.w_ih, weights.b_ih), h, c, weights);
}

std::tuple<Tensor, Tensor, Tensor> composed_layer(Mode mode, const Tensor& input, const Tensor& hx, const Tensor& cx,
                                                  const LayerWeights& weights, IntSpan batch_sizes, bool reverse) {
    const Steps steps(batch_sizes, reverse);
    const Tensor gates = fn::linear(input, weights.w_ih, weights.b_ih);
    Tensor h = hx;
    Tensor c = cx;
    TensorList outputs;
    for (const Steps::Step& step : steps.order) {
        const Tensor rows = fn::narrow(gates, std::int64_t{0}, step.row, step.count);
        const auto [hidden, cell] = step_from_gates(mode, rows, first_rows(h, step.count),
                                                    c.defined() ? first_rows(c, step.count) : c, weights);
        h = with_first_rows(h, hidden);
        if (c.defined()) c = with_first_rows(c, cell);
        outputs.push_back(hidden);
    }
    if (reverse) std::reverse(outputs.begin(), outputs.end());
    return {fn::cat(outputs, std::int64_t{0}), h, c};
}

}  // namespace rnn
namespace {

using namespace rnn;

void check_cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh) {
    require(w_ih.dim() == 2 && w_hh.dim() == 2, "expected weights of 2 dimensions, but got ",
            shape_list_text(w_ih.sizes()), " and ", shape_list_text(w_hh.sizes()));
    require(input.size(-1) == w_ih.size(1), "input has inconsistent input_size: got ", input.size(-1), " expected ",
            w_ih.size(1));
    require(hx.size(-1) == w_hh.size(1), "hidden", 0, " has inconsistent hidden_size: got ", hx.size(-1), ", expected ",
            w_hh.size(1));
    require(input.dim() == 1 || input.size(0) == hx.size(0), "Input batch size ", input.size(0),
            " doesn't match hidden", 0, " batch size ", hx.size(0));
}

std::tuple<Tensor, Tensor> lstm_cell(const Tensor& input, const TensorList& hx, const Tensor& w_ih, const Tensor& w_hh,
                                     const Tensor& b_ih, const Tensor& b_hh) {
    require(hx.size() == 2, "lstm_cell expects two hidden states");
    check_cell(input, hx[0], w_ih, w_hh);
    const auto [h, c] = composed_cell(Mode::Lstm, input, hx[0], hx[1], {w_ih, w_hh, b_ih, b_hh, Tensor()});
    return {h, c};
}

template <Mode mode>
Tensor cell(const Tensor& input, const Tensor& hx, const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih,
            const Tensor& b_hh) {
    check_cell(input, hx, w_ih, w_hh);
    return composed_cell(mode, input, hx, Tensor(), {w_ih, w_hh, b_ih, b_hh, Tensor()}).first;
}

template <Mode mode>
std::vector<Sample> cell_samples(Random& random, ScalarType dtype) {
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    const std::int64_t g = gate_count(mode) * 3;
    const IValue state = mode == Mode::Lstm ? IValue(TensorList{t({2, 3}), t({2, 3})}) : IValue(t({2, 3}));
    return {{{t({2, 4}), state, t({g, 4}), t({g, 3}), t({g}), t({g})}},
            {{t({2, 4}), state, t({g, 4}), t({g, 3}), IValue(), IValue()}, "no bias"}};
}

#define LOUPE_CELL_ARGUMENTS "Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None"

constexpr OperatorRecord kRecords[] = {
    {
        .schema = "aten::lstm_cell(Tensor input, Tensor[] hx, " LOUPE_CELL_ARGUMENTS ") -> (Tensor, Tensor)",
        .summary = "One step of an LSTM: the new hidden and cell state.",
        .formula = "i, f, o = sigmoid(W x + U h + b), g = tanh(W x + U h + b); c' = f c + i g; h' = o tanh(c')",
        .composite = boxed<lstm_cell>,
        .gradient = "input: dz W\nhx: dz U, dc' f\nw_ih: dz^T input\nw_hh: dz^T h\nb_ih: sum_n dz\nb_hh: sum_n dz",
        .samples = cell_samples<Mode::Lstm>,
        .autocast = {.cuda = Autocast::Lower},
    },
    {
        .schema = "aten::gru_cell(Tensor input, Tensor hx, " LOUPE_CELL_ARGUMENTS ") -> Tensor",
        .summary = "One step of a GRU: the new hidden state.",
        .formula = "r, z = sigmoid(W x + U h + b), n = tanh(W x + r (U h + b)); h' = (1 - z) n + z h",
        .composite = boxed<cell<Mode::Gru>>,
        .gradient = "input: dz W\nhx: dz U + z grad\nw_ih: dz^T input\nw_hh: dz^T h\nb_ih: sum_n dz\nb_hh: sum_n dz",
        .samples = cell_samples<Mode::Gru>,
        .autocast = {.cuda = Autocast::Lower},
    },
    {
        .schema = "aten::rnn_tanh_cell(Tensor input, Tensor hx, " LOUPE_CELL_ARGUMENTS ") -> Tensor",
        .summary = "One step of a plain recurrent network.",
        .formula = "h' = tanh(W x + U h + b)",
        .composite = boxed<cell<Mode::Tanh>>,
        .gradient = "input: dz W, dz = grad (1 - out^2)\n"
                    "hx: dz U\n"
                    "w_ih: dz^T input\n"
                    "w_hh: dz^T hx\n"
                    "b_ih: sum_n dz\n"
                    "b_hh: sum_n dz",
        .samples = cell_samples<Mode::Tanh>,
        .autocast = {.cuda = Autocast::Lower},
    },
    {
        .schema = "aten::rnn_relu_cell(Tensor input, Tensor hx, " LOUPE_CELL_ARGUMENTS ") -> Tensor",
        .summary = "One step of a plain recurrent network with ReLU.",
        .formula = "h' = relu(W x + U h + b)",
        .composite = boxed<cell<Mode::Relu>>,
        .gradient = "input: dz W, dz = grad where out > 0\n"
                    "hx: dz U\n"
                    "w_ih: dz^T input\n"
                    "w_hh: dz^T hx\n"
                    "b_ih: sum_n dz\n"
                    "b_hh: sum_n dz",
        .samples = cell_samples<Mode::Relu>,
        .autocast = {.cuda = Autocast::Lower},
    },
};

}  // namespace

std::span<const OperatorRecord> rnn::cell_records() { return kRecords; }

}  // namespace loupe
