// SPDX-License-Identifier: Apache-2.0
// RNN, GRU and LSTM, step by step, so that every activation, clip and peephole of ONNX's fits.
#include <algorithm>
#include <functional>

#include "plugins/onnx/ops/common.h"

namespace loupe::onnx {
namespace {

struct Recurrent {
    Tensor x, w, r, b, lengths, initial_h, initial_c, peepholes;
    std::vector<double> alpha, beta;
    std::vector<std::string> activations;
    double clip = 0;
    std::string direction;
    std::int64_t hidden = 0;
    bool is_batch_first = false;
    bool couples_input_forget = false;
    bool resets_after_product = false;
};

using Activation = std::function<Tensor(const Tensor&)>;

Activation activation_of(std::string name, double alpha, double beta, bool has_alpha, bool has_beta) {
    std::ranges::transform(name, name.begin(),
                           [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
    const auto a = [=](double otherwise) { return Scalar(has_alpha ? alpha : otherwise); };
    const auto b = [=](double otherwise) { return Scalar(has_beta ? beta : otherwise); };
    if (name == "sigmoid") return [](const Tensor& x) { return fn::sigmoid(x); };
    if (name == "tanh") return [](const Tensor& x) { return fn::tanh(x); };
    if (name == "relu") return [](const Tensor& x) { return fn::relu(x); };
    if (name == "affine") return [=](const Tensor& x) { return fn::add_scalar(fn::mul_scalar(x, a(1)), b(0)); };
    if (name == "leakyrelu") return [=](const Tensor& x) { return fn::leaky_relu(x, a(0.01)); };
    if (name == "thresholdedrelu") {
        return [=](const Tensor& x) { return fn::where(fn::gt_scalar(x, a(1)), x, like_number(x, 0)); };
    }
    if (name == "scaledtanh")
        return [=](const Tensor& x) { return fn::mul_scalar(fn::tanh(fn::mul_scalar(x, b(1))), a(1)); };
    if (name == "hardsigmoid") {
        return [=](const Tensor& x) {
            return fn::clamp(fn::add_scalar(fn::mul_scalar(x, a(0.2)), b(0.5)), Scalar(0.0), Scalar(1.0));
        };
    }
    if (name == "elu") return [=](const Tensor& x) { return call_one("aten::elu", {x, a(1)}); };
    if (name == "softsign") return [](const Tensor& x) { return fn::div(x, fn::add_scalar(fn::abs(x), Scalar(1.0))); };
    if (name == "softplus") return [](const Tensor& x) { return fn::softplus(x); };
    fail("no activation of the name ", name);
}

struct State {
    Tensor h, c;
};
// One step: the products of the input are made for all steps at once.
using Step = std::function<State(const Tensor& input_gates, const State& before)>;

Tensor part(const Tensor& t, std::int64_t dim, std::int64_t hidden, std::int64_t index) {
    return fn::narrow(t, dim, index * hidden, hidden);
}

struct Direction {
    Tensor w, r, wb, rb, p;  // of this direction; wb, rb and p may be undefined
    std::vector<Activation> f;
};

Tensor clipped(const Tensor& x, double clip) { return clip > 0 ? fn::clamp(x, Scalar(-clip), Scalar(clip)) : x; }

Step rnn_step(const Recurrent& net, const Direction& d) {
    return [&net, d](const Tensor& gates, const State& before) {
        const Tensor all = fn::add(gates, fn::linear(before.h, d.r, d.rb.defined() ? IValue(d.rb) : IValue()));
        return State{d.f[0](clipped(all, net.clip)), {}};
    };
}

// Gates z, r, h.
Step gru_step(const Recurrent& net, const Direction& d) {
    return [&net, d](const Tensor& gates, const State& before) {
        const std::int64_t n = net.hidden;
        const IValue none;
        const auto bias = [&](std::int64_t i) { return d.rb.defined() ? IValue(part(d.rb, 0, n, i)) : none; };
        const auto product = [&](const Tensor& h, std::int64_t i) {
            return fn::linear(h, part(d.r, 0, n, i), bias(i));
        };
        const Tensor z = d.f[0](clipped(fn::add(part(gates, 1, n, 0), product(before.h, 0)), net.clip));
        const Tensor r = d.f[0](clipped(fn::add(part(gates, 1, n, 1), product(before.h, 1)), net.clip));
        const Tensor recurrent =
            net.resets_after_product ? fn::mul(r, product(before.h, 2)) : product(fn::mul(r, before.h), 2);
        const Tensor h = d.f[1](clipped(fn::add(part(gates, 1, n, 2), recurrent), net.clip));
        return State{fn::add(fn::mul(fn::rsub_scalar(z, Scalar(1.0)), h), fn::mul(z, before.h)), {}};
    };
}

// Gates i, o, f, c; peepholes i, o, f.
Step lstm_step(const Recurrent& net, const Direction& d) {
    return [&net, d](const Tensor& gates, const State& before) {
        const std::int64_t n = net.hidden;
        const Tensor all = fn::add(gates, fn::linear(before.h, d.r, d.rb.defined() ? IValue(d.rb) : IValue()));
        const auto gate = [&](std::int64_t i, const Tensor& cell, std::int64_t peephole) {
            Tensor g = part(all, 1, n, i);
            if (d.p.defined() && peephole >= 0) g = fn::add(g, fn::mul(part(d.p, 0, n, peephole), cell));
            return clipped(g, net.clip);
        };
        const Tensor i = d.f[0](gate(0, before.c, 0));
        const Tensor f = net.couples_input_forget ? fn::rsub_scalar(i, Scalar(1.0)) : d.f[0](gate(2, before.c, 2));
        const Tensor c = fn::add(fn::mul(f, before.c), fn::mul(i, d.f[1](gate(3, before.c, -1))));
        const Tensor o = d.f[0](gate(1, c, 1));
        return State{fn::mul(o, d.f[2](c)), c};
    };
}

struct Outputs {
    Tensor y, h, c;  // [steps, batch, hidden], [batch, hidden]
};

// lengths: of each sequence; behind its end the state stays and outputs are 0.
Outputs run_direction(const Tensor& gates, State state, const Dims& lengths, bool is_reverse, const Step& step) {
    const std::int64_t steps = gates.size(0);
    TensorList ys(static_cast<std::size_t>(steps));
    const bool is_ragged = std::ranges::any_of(lengths, [&](std::int64_t n) { return n != steps; });
    for (std::int64_t k = 0; k < steps; ++k) {
        const std::int64_t t = is_reverse ? steps - 1 - k : k;
        const State next = step(fn::select(gates, 0, t), state);
        if (!is_ragged) {
            state = next;
            ys[static_cast<std::size_t>(t)] = next.h;
            continue;
        }
        std::vector<std::int64_t> alive;
        for (const std::int64_t n : lengths) alive.push_back(t < n ? 1 : 0);
        const Dims column{static_cast<std::int64_t>(alive.size()), 1};
        const Tensor is_alive =
            cast(tensor_of(std::span<const std::int64_t>(alive), span_of(column)), ScalarType::Bool);
        state.h = fn::where(is_alive, next.h, state.h);
        if (next.c.defined()) state.c = fn::where(is_alive, next.c, state.c);
        ys[static_cast<std::size_t>(t)] = fn::where(is_alive, next.h, like_number(next.h, 0));
    }
    return {steps > 0 ? fn::stack(ys, 0) : Tensor(), state.h, state.c};
}

using StepMaker = Step (*)(const Recurrent&, const Direction&);

std::vector<Activation> activations_of(const Recurrent& net, std::size_t direction, std::size_t count,
                                       const std::vector<std::string>& defaults) {
    std::vector<Activation> functions;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = direction * count + i;
        const bool is_given = !net.activations.empty();
        require(!is_given || at < net.activations.size(), "too few activations are named");
        functions.push_back(
            activation_of(is_given ? net.activations[at] : defaults[i], at < net.alpha.size() ? net.alpha[at] : 0,
                          at < net.beta.size() ? net.beta[at] : 0, at < net.alpha.size(), at < net.beta.size()));
    }
    return functions;
}

void run(Recurrent net, std::int64_t gates, const std::vector<std::string>& defaults, StepMaker make, bool has_cell,
         IValue* results) {
    require(net.x.dim() == 3 && net.w.dim() == 3 && net.r.dim() == 3, "expected X, W and R of 3 dimensions");
    if (net.hidden == 0) net.hidden = net.r.size(2);
    const std::int64_t n = net.hidden;
    const std::int64_t directions = net.direction == "bidirectional" ? 2 : 1;
    require(
        net.w.size(0) == directions && net.w.size(1) == gates * n && net.r.size(1) == gates * n && net.r.size(2) == n,
        "W ", describe(net.w), " and R ", describe(net.r), " do not fit ", directions, " directions of ", n);
    const auto turned = [&](const Tensor& t) { return net.is_batch_first && t.defined() ? fn::transpose(t, 0, 1) : t; };
    const Tensor x = turned(net.x);
    const std::int64_t steps = x.size(0), batch = x.size(1);
    const Dims lengths =
        net.lengths.defined() ? whole_numbers(net.lengths) : Dims(static_cast<std::size_t>(batch), steps);
    require(static_cast<std::int64_t>(lengths.size()) == batch, "sequence_lens has ", lengths.size(), " numbers for ",
            batch, " sequences");
    TensorList ys, hs, cs;
    for (std::int64_t k = 0; k < directions; ++k) {
        const auto of = [&](const Tensor& t) { return t.defined() ? fn::select(t, 0, k) : t; };
        Direction d{of(net.w), of(net.r), {}, {}, of(net.peepholes), {}};
        if (net.b.defined()) {
            const Tensor both = of(net.b);
            d.wb = fn::narrow(both, 0, 0, gates * n);
            d.rb = fn::narrow(both, 0, gates * n, gates * n);
        }
        d.f = activations_of(net, static_cast<std::size_t>(k), defaults.size(), defaults);
        const auto start = [&](const Tensor& given) {
            return given.defined() ? fn::select(turned(given), 0, k) : fn::new_zeros(x, Dims{batch, n});
        };
        const State first{start(net.initial_h), has_cell ? start(net.initial_c) : Tensor()};
        const bool is_reverse = net.direction == "reverse" || k == 1;
        const Tensor input_gates = fn::linear(x, d.w, d.wb.defined() ? IValue(d.wb) : IValue());
        const Outputs out = run_direction(input_gates, first, lengths, is_reverse, make(net, d));
        ys.push_back(out.y.defined() ? out.y : fn::new_zeros(x, Dims{0, batch, n}));
        hs.push_back(out.h);
        if (has_cell) cs.push_back(out.c);
    }
    const Tensor y = fn::stack(ys, 1);  // [steps, directions, batch, hidden]
    results[0] = net.is_batch_first ? fn::permute(y, Dims{2, 0, 1, 3}) : y;
    results[1] = turned(fn::stack(hs, 0));
    if (has_cell) results[2] = turned(fn::stack(cs, 0));
}

std::vector<std::string> texts_of(const IValue& list) {
    std::vector<std::string> texts;
    if (list.is_none()) return texts;
    for (const IValue& each : list.to_list().elements) texts.push_back(each.to_string());
    return texts;
}

// activation_alpha, activation_beta, activations, clip, direction, hidden_size, from argument `at` on.
void read_attributes(Recurrent& net, Arguments a, std::size_t at) {
    if (!a[at].is_none()) net.alpha = a[at].to_doubles();
    if (!a[at + 1].is_none()) net.beta = a[at + 1].to_doubles();
    net.activations = texts_of(a[at + 2]);
    if (!a[at + 3].is_none()) net.clip = a[at + 3].to_double();
    net.direction = a[at + 4].to_string();
    if (!a[at + 5].is_none()) net.hidden = a[at + 5].to_int();
}

// The inputs that all have; the others of LSTM follow.
Recurrent recurrent_of(Arguments a) {
    Recurrent net;
    net.x = a[0].to_tensor();
    net.w = a[1].to_tensor();
    net.r = a[2].to_tensor();
    net.b = a[3].to_tensor();
    net.lengths = a[4].to_tensor();
    net.initial_h = a[5].to_tensor();
    return net;
}

void run_rnn(Arguments a, IValue* results) {
    Recurrent net = recurrent_of(a);
    read_attributes(net, a, 6);
    net.is_batch_first = a[12].to_int() != 0;
    run(std::move(net), 1, {"Tanh"}, rnn_step, false, results);
}
void run_gru(Arguments a, IValue* results) {
    Recurrent net = recurrent_of(a);
    read_attributes(net, a, 6);
    net.is_batch_first = a[12].to_int() != 0;
    net.resets_after_product = a[13].to_int() != 0;
    run(std::move(net), 3, {"Sigmoid", "Tanh"}, gru_step, false, results);
}
void run_lstm(Arguments a, IValue* results) {
    Recurrent net = recurrent_of(a);
    net.initial_c = a[6].to_tensor();
    net.peepholes = a[7].to_tensor();
    read_attributes(net, a, 8);
    net.couples_input_forget = a[14].to_int() != 0;
    net.is_batch_first = a[15].to_int() != 0;
    run(std::move(net), 4, {"Sigmoid", "Tanh", "Tanh"}, lstm_step, true, results);
}

#define LOUPE_INPUTS "Tensor X, Tensor W, Tensor R, Tensor? B=None, Tensor? sequence_lens=None, Tensor? initial_h=None"
#define LOUPE_OPTIONS                                                                                            \
    "float[]? activation_alpha=None, float[]? activation_beta=None, str[]? activations=None, float? clip=None, " \
    "str direction=\"forward\", int? hidden_size=None"

constexpr OperatorRecord kRecords[] = {
    reading("onnx::RNN(" LOUPE_INPUTS ", *, " LOUPE_OPTIONS ", int layout=0) -> (Tensor, Tensor)", "A recurrent layer.",
            run_rnn),
    reading("onnx::GRU(" LOUPE_INPUTS ", *, " LOUPE_OPTIONS
            ", int layout=0, int linear_before_reset=0) -> (Tensor, Tensor)",
            "Gated recurrent units.", run_gru),
    reading("onnx::LSTM(" LOUPE_INPUTS ", Tensor? initial_c=None, Tensor? P=None, *, " LOUPE_OPTIONS
            ", int input_forget=0, int layout=0) -> (Tensor, Tensor, Tensor)",
            "Long short-term memory.", run_lstm),
};

#undef LOUPE_INPUTS
#undef LOUPE_OPTIONS

}  // namespace

std::span<const OperatorRecord> recurrent_records() { return kRecords; }

}  // namespace loupe::onnx
