// SPDX-License-Identifier: Apache-2.0
// loupe::rnn_layer: a whole layer as one operator. Rows of a batch do not depend on each other, so threads share the
// batch and synchronise only at the end.
#include "core/ops/rnn/layer.h"

#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/dispatch/gradient_context.h"
#include "core/ops/matrix/gemm.h"
#include "core/ops/matrix/small_gemm.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/composed_gradient.h"
#include "core/ops/nn/simd.h"
#include "core/ops/rnn/family.h"
#include "core/ops/samples.h"

namespace loupe {
namespace rnn {

Mode parse_mode(std::string_view text) {
    if (text == "lstm") return Mode::Lstm;
    if (text == "gru") return Mode::Gru;
    if (text == "rnn_tanh") return Mode::Tanh;
    require(text == "rnn_relu", "unknown kind of recurrent layer: ", text);
    return Mode::Relu;
}

std::string_view mode_name(Mode mode) {
    switch (mode) {
        case Mode::Lstm:
            return "lstm";
        case Mode::Gru:
            return "gru";
        case Mode::Tanh:
            return "rnn_tanh";
        case Mode::Relu:
            break;
    }
    return "rnn_relu";
}

Steps::Steps(IntSpan batch_sizes, bool reverse) {
    for (const std::int64_t size : batch_sizes) {
        order.push_back({rows, size});
        rows += size;
    }
    if (reverse) std::reverse(order.begin(), order.end());
}

}  // namespace rnn
namespace {

using namespace rnn;

struct Call {
    Tensor input, hx, cx, w_ih, w_hh, b_ih, b_hh;
    Dims batch_sizes;
    Mode mode;
    bool reverse;

    explicit Call(Arguments a)
        : input(a[0].to_tensor()),
          hx(a[1].to_tensor()),
          cx(a[2].to_tensor()),
          w_ih(a[3].to_tensor()),
          w_hh(a[4].to_tensor()),
          b_ih(a[5].to_tensor()),
          b_hh(a[6].to_tensor()),
          batch_sizes(a[7].to_ints()),
          mode(parse_mode(a[8].to_string())),
          reverse(a[9].to_bool()) {}
    std::int64_t hidden() const { return w_hh.sizes()[1]; }
};

void infer_layer(Arguments arguments, MetaList& outputs) {
    const Call call(arguments);
    require(call.input.dim() == 2 && call.w_ih.dim() == 2 && call.w_hh.dim() == 2,
            "rnn_layer: input and weights must be matrices");
    const std::int64_t gates = gate_count(call.mode) * call.hidden();
    require(call.input.sizes()[1] == call.w_ih.sizes()[1], "input.size(-1) must be equal to input_size. Expected ",
            call.w_ih.sizes()[1], ", got ", call.input.sizes()[1]);
    require(call.w_ih.sizes()[0] == gates && call.w_hh.sizes()[0] == gates, "rnn_layer: weights of size ",
            shape_list_text(call.w_ih.sizes()), " and ", shape_list_text(call.w_hh.sizes()), " do not fit");
    require(call.hx.dim() == 2 && call.hx.sizes()[1] == call.hidden(), "rnn_layer: hidden state of size ",
            shape_list_text(call.hx.sizes()), " does not fit");
    const std::int64_t batch = call.hx.sizes()[0];
    for (const std::int64_t size : call.batch_sizes) {
        require(size >= 0 && size <= batch, "rnn_layer: a step of ", size, " sequences in a batch of ", batch);
    }
    require(call.mode != Mode::Lstm || call.cx.defined(), "lstm expects two hidden states");
    require(call.mode != Mode::Lstm || std::ranges::equal(call.cx.sizes(), call.hx.sizes()),
            "rnn_layer: cell state of size ", call.cx.defined() ? shape_list_text(call.cx.sizes()) : "",
            " does not fit");
    require(call.b_ih.defined() == call.b_hh.defined(), "rnn_layer: one bias without the other");
    for (const Tensor& bias : {call.b_ih, call.b_hh}) {
        require(!bias.defined() || bias.numel() == gates, "rnn_layer: bias of size ",
                bias.defined() ? shape_list_text(bias.sizes()) : "", " does not fit");
    }
    require(is_floating(call.input.dtype()), "\"rnn_layer\" not implemented for '",
            dtype_graph_name(call.input.dtype()), "'");
    for (const Tensor& t : {call.hx, call.w_ih, call.w_hh}) {
        require(t.dtype() == call.input.dtype(), "expected scalar type ", dtype_graph_name(call.input.dtype()),
                " but found ", dtype_graph_name(t.dtype()));
    }
    const ScalarType dtype = call.input.dtype();
    const Device device = call.input.device();
    outputs.push_back({{call.input.sizes()[0], call.hidden()}, dtype, device});
    outputs.push_back({{batch, call.hidden()}, dtype, device});
    outputs.push_back({{call.mode == Mode::Lstm ? batch : 0, call.hidden()}, dtype, device});
    outputs.push_back(
        {{call.input.sizes()[0], workspace_width(call.mode) * call.hidden()}, nn_ops::compute_dtype(dtype), device});
}

// ---- cells: one row. gates: W_ih x + biases already; hidden: the part from h, apart where the GRU needs it apart.

template <typename T>
LOUPE_INLINE inline void lstm_row(const T* gates, std::int64_t n, const T* c_before, T* h, T* workspace) {
    T* keep = workspace;
#pragma omp simd
    for (std::int64_t j = 0; j < n; ++j) {
        const T i = fast_sigmoid(gates[j]);
        const T f = fast_sigmoid(gates[n + j]);
        const T g = fast_tanh(gates[2 * n + j]);
        const T o = fast_sigmoid(gates[3 * n + j]);
        const T c = f * c_before[j] + i * g;
        keep[j] = i;
        keep[n + j] = f;
        keep[2 * n + j] = g;
        keep[3 * n + j] = o;
        keep[4 * n + j] = c;
        h[j] = o * fast_tanh(c);
    }
}

template <typename T>
LOUPE_INLINE inline void gru_row(const T* gates, const T* hidden, std::int64_t n, const T* h_before, T* h,
                                 T* workspace) {
#pragma omp simd
    for (std::int64_t j = 0; j < n; ++j) {
        const T r = fast_sigmoid(gates[j] + hidden[j]);
        const T z = fast_sigmoid(gates[n + j] + hidden[n + j]);
        const T m = fast_tanh(gates[2 * n + j] + r * hidden[2 * n + j]);
        workspace[j] = r;
        workspace[n + j] = z;
        workspace[2 * n + j] = m;
        workspace[3 * n + j] = hidden[2 * n + j];
        h[j] = m + z * (h_before[j] - m);
    }
}

template <typename T>
LOUPE_INLINE inline void plain_row(const T* gates, std::int64_t n, bool relu, T* h) {
    if (relu) {
#pragma omp simd
        for (std::int64_t j = 0; j < n; ++j) h[j] = gates[j] > T(0) ? gates[j] : T(0);
        return;
    }
#pragma omp simd
    for (std::int64_t j = 0; j < n; ++j) h[j] = fast_tanh(gates[j]);
}

// All that the loops of a layer read and write, contiguous.
template <typename T>
struct Buffers {
    std::int64_t hidden;
    std::int64_t batch;
    T* gates;              // [rows, G H]: the input's part
    const T* w_hh_turned;  // [H, G H]
    const T* b_hh;         // of a GRU, added to the hidden part; null without
    const T* hx;
    const T* cx;
    T* output;
    T* hy;
    T* cy;
    T* workspace;
};

// Rows [begin, end) of the batch through all steps.
template <typename T>
void run_rows(Mode mode, const Steps& steps, const Buffers<T>& b, std::int64_t begin, std::int64_t end) {
    const std::int64_t n = b.hidden;
    const std::int64_t width = gate_count(mode) * n;
    const std::int64_t kept = workspace_width(mode) * n;
    std::vector<T> hidden(static_cast<std::size_t>(mode == Mode::Gru ? (end - begin) * width : 0));
    // Where each row's state lies now: at first in hx and cx, then in hy and cy, which are updated as it goes.
    std::copy(b.hx + begin * n, b.hx + end * n, b.hy + begin * n);
    if (mode == Mode::Lstm) std::copy(b.cx + begin * n, b.cx + end * n, b.cy + begin * n);
    for (const Steps::Step& step : steps.order) {
        const std::int64_t count = std::min(step.count, end) - begin;
        if (count <= 0) continue;
        T* gates = b.gates + (step.row + begin) * width;
        T* h = b.hy + begin * n;
        if (mode == Mode::Gru) {
            for (std::int64_t r = 0; r < count; ++r) {
                T* row = hidden.data() + r * width;
                if (b.b_hh != nullptr)
                    std::copy_n(b.b_hh, width, row);
                else
                    std::fill_n(row, width, T(0));
            }
            small_gemm<T>(count, width, n, h, n, b.w_hh_turned, width, hidden.data(), width, true);
        } else {
            small_gemm<T>(count, width, n, h, n, b.w_hh_turned, width, gates, width, true);
        }
        with_best_instructions([&]() LOUPE_INLINE {
            for (std::int64_t r = 0; r < count; ++r) {
                T* out = b.output + (step.row + begin + r) * n;
                T* workspace = b.workspace + (step.row + begin + r) * kept;
                switch (mode) {
                    case Mode::Lstm:
                        lstm_row(gates + r * width, n, b.cy + (begin + r) * n, out, workspace);
                        break;
                    case Mode::Gru:
                        gru_row(gates + r * width, hidden.data() + r * width, n, h + r * n, out, workspace);
                        break;
                    case Mode::Tanh:
                        plain_row(gates + r * width, n, false, out);
                        break;
                    case Mode::Relu:
                        plain_row(gates + r * width, n, true, out);
                        break;
                }
            }
        });
        for (std::int64_t r = 0; r < count; ++r) {
            std::copy_n(b.output + (step.row + begin + r) * n, n, h + r * n);
            if (mode == Mode::Lstm)
                std::copy_n(b.workspace + (step.row + begin + r) * kept + 4 * n, n, b.cy + (begin + r) * n);
        }
    }
}

// gates [rows, G H] = input W_ih^T + b_ih (+ b_hh, but for a GRU).
template <typename T>
Tensor input_gates(const Call& call, const Tensor& input, const Tensor& w_ih, const Tensor& b_ih, const Tensor& b_hh) {
    const std::int64_t width = w_ih.sizes()[0];
    const std::int64_t rows = input.sizes()[0];
    Tensor gates = empty(span_of(Dims{rows, width}), scalar_type_of<T>);
    const bool has_bias = b_ih.defined();
    if (has_bias) {
        std::vector<T> bias(b_ih.data<T>(), b_ih.data<T>() + width);
        if (call.mode != Mode::Gru) {
            for (std::int64_t j = 0; j < width; ++j) bias[static_cast<std::size_t>(j)] += b_hh.data<T>()[j];
        }
        for (std::int64_t r = 0; r < rows; ++r) std::copy(bias.begin(), bias.end(), gates.data<T>() + r * width);
    }
    gemm<T>(T(1), matrix_of<const T>(input), matrix_of<const T>(w_ih).transposed(), has_bias ? T(1) : T(0),
            matrix_of<T>(gates));
    return gates;
}

void run_layer(Arguments arguments, IValue* results) {
    const Call call(arguments);
    const Steps steps(span_of(call.batch_sizes), call.reverse);
    require(steps.rows == call.input.sizes()[0], "rnn_layer: batch sizes sum to ", steps.rows, ", input has ",
            call.input.sizes()[0], " rows");
    nn_ops::visit_floating(call.input.dtype(), "rnn_layer", [&]<typename T>(std::type_identity<T>) {
        constexpr ScalarType kType = scalar_type_of<T>;
        const Tensor b_ih = packed_as(call.b_ih, kType);
        const Tensor b_hh = packed_as(call.b_hh, kType);
        const Tensor hx = packed_as(call.hx, kType);
        const Tensor cx = packed_as(call.cx, kType);
        const Tensor w_hh = packed_as(call.w_hh, kType);
        const Tensor turned = empty(span_of(Dims{w_hh.sizes()[1], w_hh.sizes()[0]}), kType);
        copy_strided(turned,
                     w_hh.view_as_strided(turned.sizes(), span_of(Dims{1, w_hh.sizes()[1]}), w_hh.storage_offset()));
        const Tensor gates =
            input_gates<T>(call, packed_as(call.input, kType), packed_as(call.w_ih, kType), b_ih, b_hh);
        std::array<Tensor, 4> out;
        for (std::size_t i = 0; i < 4; ++i) {
            const Tensor result = results[i].to_tensor();
            out[i] = result.dtype() == kType ? buffer_for(result) : empty(result.sizes(), kType);
        }
        const Buffers<T> buffers{call.hidden(),
                                 hx.sizes()[0],
                                 gates.data<T>(),
                                 turned.data<T>(),
                                 b_hh.defined() ? b_hh.data<T>() : nullptr,
                                 hx.data<T>(),
                                 cx.defined() ? cx.data<T>() : nullptr,
                                 out[0].data<T>(),
                                 out[1].data<T>(),
                                 out[2].data<T>(),
                                 out[3].data<T>()};
        parallel_for(0, buffers.batch, 1,
                     [&](std::int64_t begin, std::int64_t end) { run_rows(call.mode, steps, buffers, begin, end); });
        for (std::size_t i = 0; i < 4; ++i) {
            const Tensor result = results[i].to_tensor();
            if (!out[i].is_same(result)) convert_into(result, out[i]);
        }
    });
}

void layer_gradient(GradientContext& c) {
    const auto grads = fn::rnn_layer_backward(
        IValue(c.grad_output(0)), IValue(c.grad_output(1)), IValue(c.grad_output(2)), c.argument("input"),
        c.argument("hx"), c.argument("cx"), c.argument("w_ih"), c.argument("w_hh"), c.argument("b_ih"),
        c.argument("b_hh"), c.value("batch_sizes"), c.value("mode"), c.value("reverse"), c.result(0), c.result(3));
    const auto set = [&](ArgumentPlace argument, const Tensor& grad) {
        if (c.needs(argument)) c.set_grad(argument, grad);
    };
    set("input", std::get<0>(grads));
    set("hx", std::get<1>(grads));
    set("cx", std::get<2>(grads));
    set("w_ih", std::get<3>(grads));
    set("w_hh", std::get<4>(grads));
    set("b_ih", std::get<5>(grads));
    set("b_hh", std::get<6>(grads));
}

Cost layer_cost(Arguments arguments, std::span<const IValue> results) {
    const Call call(arguments);
    Cost cost;
    for (const Tensor& t :
         {call.input, call.hx, call.w_ih, call.w_hh, results[0].to_tensor(), results[3].to_tensor()}) {
        cost.bytes += static_cast<double>(t.bytes());
    }
    const auto rows = static_cast<double>(call.input.sizes()[0]);
    cost.flops = 2 * rows * static_cast<double>(call.w_ih.numel() + call.w_hh.numel());
    return cost;
}

std::vector<Sample> layer_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> samples;
    for (const Mode mode : {Mode::Lstm, Mode::Gru, Mode::Tanh, Mode::Relu}) {
        const std::int64_t g = gate_count(mode) * 5;
        const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
        const IValue cx = mode == Mode::Lstm ? IValue(t({3, 5})) : IValue();
        for (const bool reverse : {false, true}) {
            samples.push_back({{t({6, 4}), t({3, 5}), cx, t({g, 4}), t({g, 5}), t({g}), t({g}), Dims{3, 2, 1},
                                mode_name(mode), reverse},
                               std::string(mode_name(mode)) + (reverse ? ", reverse" : "")});
        }
    }
    return samples;
}

constexpr OperatorRecord kRecords[] = {
    {
        .schema = "loupe::rnn_layer(Tensor input, Tensor hx, Tensor? cx, Tensor w_ih, Tensor w_hh, Tensor? b_ih, "
                  "Tensor? b_hh, "
                  "int[] "
                  "batch_sizes, str mode, bool reverse) -> (Tensor output, Tensor hy, Tensor cy, Tensor workspace)",
        .summary =
            "One direction of one layer of an LSTM, a GRU or a plain recurrent network over all steps of a packed "
            "sequence.",
        .formula = "LSTM: i, f, o = sigmoid(W x + U h + b), g = tanh(W x + U h + b); c' = f c + i g; h' = o tanh(c')",
        .infer = infer_layer,
        .kernel = FillingKernel{run_layer},
        .derivative = {layer_gradient,
                       {save_argument("input"), save_argument("hx"), save_argument("cx"), save_argument("w_ih"),
                        save_argument("w_hh"), save_argument("b_ih"), save_argument("b_hh"), save_result(0),
                        save_result(3)},
                       "RnnLayerBackward0"},
        .gradient = "input: sum_gates dz W, step by step backwards; dz is the gradient before the gates' functions\n"
                    "hx: dz U at the first step\n"
                    "cx: dc f at the first step\n"
                    "w_ih: sum_t dz[t]^T x[t]\n"
                    "w_hh: sum_t dz[t]^T h[t - 1]\n"
                    "b_ih: sum_t dz[t]\n"
                    "b_hh: sum_t dz[t]",
        .cost = layer_cost,
        .samples = layer_samples,
    },
};

}  // namespace

std::span<const OperatorRecord> rnn::layer_records() { return kRecords; }

}  // namespace loupe
