// SPDX-License-Identifier: Apache-2.0
// loupe::rnn_layer_backward: back through the steps for the gradients of the gates, then three large products.
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
#include "core/ops/rnn/layer.h"

namespace loupe {
namespace {

using namespace rnn;

struct Call {
    Tensor grad_output, grad_hy, grad_cy, input, hx, cx, w_ih, w_hh, b_ih;
    Dims batch_sizes;
    Mode mode;
    bool reverse;
    Tensor output, workspace;

    explicit Call(Arguments a)
        : grad_output(a[0].to_tensor()),
          grad_hy(a[1].to_tensor()),
          grad_cy(a[2].to_tensor()),
          input(a[3].to_tensor()),
          hx(a[4].to_tensor()),
          cx(a[5].to_tensor()),
          w_ih(a[6].to_tensor()),
          w_hh(a[7].to_tensor()),
          b_ih(a[8].to_tensor()),
          batch_sizes(a[10].to_ints()),
          mode(parse_mode(a[11].to_string())),
          reverse(a[12].to_bool()),
          output(a[13].to_tensor()),
          workspace(a[14].to_tensor()) {}
};

// dh and dc: gradients of the state after the step; dc becomes that of the cell before it.
template <typename T>
LOUPE_INLINE inline void lstm_row(const T* kept, std::int64_t n, const T* c_before, const T* dh, T* dc, T* gates) {
#pragma omp simd
    for (std::int64_t j = 0; j < n; ++j) {
        const T i = kept[j];
        const T f = kept[n + j];
        const T g = kept[2 * n + j];
        const T o = kept[3 * n + j];
        const T tc = fast_tanh(kept[4 * n + j]);
        const T d = dc[j] + dh[j] * o * (T(1) - tc * tc);
        gates[j] = d * g * i * (T(1) - i);
        gates[n + j] = d * c_before[j] * f * (T(1) - f);
        gates[2 * n + j] = d * i * (T(1) - g * g);
        gates[3 * n + j] = dh[j] * tc * o * (T(1) - o);
        dc[j] = d * f;
    }
}

// dh becomes the part of the gradient that goes directly to the previous state.
template <typename T>
LOUPE_INLINE inline void gru_row(const T* kept, std::int64_t n, const T* h_before, T* dh, T* gates, T* hidden_gates) {
#pragma omp simd
    for (std::int64_t j = 0; j < n; ++j) {
        const T r = kept[j];
        const T z = kept[n + j];
        const T m = kept[2 * n + j];
        const T hn = kept[3 * n + j];
        const T dm = dh[j] * (T(1) - z) * (T(1) - m * m);
        const T dz = dh[j] * (h_before[j] - m) * z * (T(1) - z);
        const T dr = dm * hn * r * (T(1) - r);
        gates[j] = dr;
        gates[n + j] = dz;
        gates[2 * n + j] = dm;
        hidden_gates[j] = dr;
        hidden_gates[n + j] = dz;
        hidden_gates[2 * n + j] = dm * r;
        dh[j] *= z;
    }
}

template <typename T>
LOUPE_INLINE inline void plain_row(const T* h, std::int64_t n, bool relu, const T* dh, T* gates) {
    if (relu) {
#pragma omp simd
        for (std::int64_t j = 0; j < n; ++j) gates[j] = h[j] > T(0) ? dh[j] : T(0);
        return;
    }
#pragma omp simd
    for (std::int64_t j = 0; j < n; ++j) gates[j] = dh[j] * (T(1) - h[j] * h[j]);
}

template <typename T>
struct Buffers {
    std::int64_t hidden;
    std::int64_t batch;
    const T* grad_output;  // null when there is none
    const T* hx;
    const T* cx;
    const T* w_hh;
    const T* output;
    const T* workspace;
    T* gates;         // [rows, G H]: gradients of the gates' input part
    T* hidden_gates;  // of the gates' hidden part; the same memory except for a GRU
    T* h_before;      // [rows, H]: the state before each step
    T* dh;            // [B, H]: starts as grad_hy, ends as grad_hx
    T* dc;
};

// The row of the step before, -1 for the first: where row `r` of the batch was last active.
std::int64_t row_before(const Steps& steps, std::size_t step, std::int64_t r) {
    for (std::size_t s = step; s-- > 0;) {
        if (r < steps.order[s].count) return steps.order[s].row + r;
    }
    return -1;
}

template <typename T>
void run_rows(Mode mode, const Steps& steps, const Buffers<T>& b, std::int64_t begin, std::int64_t end) {
    const std::int64_t n = b.hidden;
    const std::int64_t width = gate_count(mode) * n;
    const std::int64_t kept = workspace_width(mode) * n;
    for (std::size_t s = steps.order.size(); s-- > 0;) {
        const Steps::Step& step = steps.order[s];
        const std::int64_t count = std::min(step.count, end) - begin;
        if (count <= 0) continue;
        T* dh = b.dh + begin * n;
        with_best_instructions([&]() LOUPE_INLINE {
            for (std::int64_t r = 0; r < count; ++r) {
                const std::int64_t row = step.row + begin + r;
                const std::int64_t before = row_before(steps, s, begin + r);
                const T* h_old = before < 0 ? b.hx + (begin + r) * n : b.output + before * n;
                std::copy(h_old, h_old + n, b.h_before + row * n);
                T* d = dh + r * n;
                if (b.grad_output != nullptr) {
                    const T* g = b.grad_output + row * n;
#pragma omp simd
                    for (std::int64_t j = 0; j < n; ++j) d[j] += g[j];
                }
                const T* keep = b.workspace + row * kept;
                T* gates = b.gates + row * width;
                if (mode == Mode::Lstm) {
                    const T* c_old = before < 0 ? b.cx + (begin + r) * n : b.workspace + before * kept + 4 * n;
                    lstm_row(keep, n, c_old, d, b.dc + (begin + r) * n, gates);
                } else if (mode == Mode::Gru) {
                    gru_row(keep, n, h_old, d, gates, b.hidden_gates + row * width);
                } else {
                    plain_row(b.output + row * n, n, mode == Mode::Relu, d, gates);
                }
            }
        });
        small_gemm<T>(count, n, width, b.hidden_gates + (step.row + begin) * width, width, b.w_hh, n, dh, n,
                      mode == Mode::Gru);
    }
}

template <typename T>
Tensor column_sums(const Tensor& m) {
    const std::int64_t width = m.sizes()[1];
    Tensor out = zeros(IntSpan(&width, 1), m.dtype());
    T* sums = out.data<T>();
    with_best_instructions([&]() LOUPE_INLINE {
        for (std::int64_t r = 0; r < m.sizes()[0]; ++r) {
            const T* row = m.data<T>() + r * width;
#pragma omp simd
            for (std::int64_t j = 0; j < width; ++j) sums[j] += row[j];
        }
    });
    return out;
}

Tensor with_dtype(const Tensor& t, ScalarType dtype) { return packed_as(t, dtype); }

Tensor start_state(const Tensor& grad, IntSpan sizes, ScalarType dtype) {
    Tensor out = empty(sizes, dtype);
    if (grad.defined())
        convert_into(out, grad);
    else
        fill_zero(out);
    return out;
}

void run_layer_backward(Arguments arguments, IValue* results) {
    const Call call(arguments);
    const Steps steps(span_of(call.batch_sizes), call.reverse);
    const ScalarType dtype = call.input.dtype();
    nn_ops::visit_floating(dtype, "rnn_layer_backward", [&]<typename T>(std::type_identity<T>) {
        constexpr ScalarType kType = scalar_type_of<T>;
        const Tensor input = packed_as(call.input, kType);
        const Tensor hx = packed_as(call.hx, kType);
        const Tensor cx = packed_as(call.cx, kType);
        const Tensor w_ih = packed_as(call.w_ih, kType);
        const Tensor w_hh = packed_as(call.w_hh, kType);
        const Tensor output = packed_as(call.output, kType);
        const Tensor workspace = packed_as(call.workspace, kType);
        const Tensor grad_output = packed_as(call.grad_output, kType);
        const std::int64_t rows = input.sizes()[0];
        const std::int64_t hidden = w_hh.sizes()[1];
        const std::int64_t width = w_hh.sizes()[0];
        const Tensor gates = empty(span_of(Dims{rows, width}), kType);
        const Tensor hidden_gates = call.mode == Mode::Gru ? empty(gates.sizes(), kType) : gates;
        const Tensor h_before = empty(span_of(Dims{rows, hidden}), kType);
        const Tensor dh = start_state(call.grad_hy, hx.sizes(), kType);
        const Tensor dc = call.mode == Mode::Lstm ? start_state(call.grad_cy, hx.sizes(), kType) : Tensor();
        const Buffers<T> buffers{hidden,
                                 hx.sizes()[0],
                                 grad_output.defined() ? grad_output.data<T>() : nullptr,
                                 hx.data<T>(),
                                 cx.defined() ? cx.data<T>() : nullptr,
                                 w_hh.data<T>(),
                                 output.data<T>(),
                                 workspace.data<T>(),
                                 gates.data<T>(),
                                 hidden_gates.data<T>(),
                                 h_before.data<T>(),
                                 dh.data<T>(),
                                 dc.defined() ? dc.data<T>() : nullptr};
        parallel_for(0, buffers.batch, 1,
                     [&](std::int64_t begin, std::int64_t end) { run_rows(call.mode, steps, buffers, begin, end); });
        const Tensor grad_input = empty(input.sizes(), kType);
        const Tensor grad_w_ih = empty(w_ih.sizes(), kType);
        const Tensor grad_w_hh = empty(w_hh.sizes(), kType);
        gemm<T>(T(1), matrix_of<const T>(gates), matrix_of<const T>(w_ih), T(0), matrix_of<T>(grad_input));
        gemm<T>(T(1), matrix_of<const T>(gates).transposed(), matrix_of<const T>(input), T(0), matrix_of<T>(grad_w_ih));
        gemm<T>(T(1), matrix_of<const T>(hidden_gates).transposed(), matrix_of<const T>(h_before), T(0),
                matrix_of<T>(grad_w_hh));
        results[0] = with_dtype(grad_input, dtype);
        results[1] = with_dtype(dh, dtype);
        if (dc.defined()) results[2] = with_dtype(dc, dtype);
        results[3] = with_dtype(grad_w_ih, dtype);
        results[4] = with_dtype(grad_w_hh, dtype);
        if (call.b_ih.defined()) {
            const Tensor sums = column_sums<T>(gates);
            results[5] = with_dtype(sums, dtype);
            results[6] = with_dtype(call.mode == Mode::Gru ? column_sums<T>(hidden_gates) : empty_like(sums), dtype);
            if (call.mode != Mode::Gru) convert_into(results[6].to_tensor(), sums);
        }
    });
}

// The layer written with operators, differentiated twice.
void layer_double_gradient(GradientContext& c) {
    const Dims batch_sizes = c.value("batch_sizes").to_ints();
    const Mode mode = parse_mode(c.value("mode").to_string());
    const bool reverse = c.value("reverse").to_bool();
    const auto forward = [&](const TensorList& in) {
        const LayerWeights weights{in[3], in[4], in[5], in[6], Tensor()};
        const auto [output, hy, cy] = composed_layer(mode, in[0], in[1], in[2], weights, span_of(batch_sizes), reverse);
        return TensorList{output, hy, cy};
    };
    const auto gradients = [&](const TensorList& in) {
        return composed_gradients(forward, TensorList(in.begin() + 3, in.end()), {in[0], in[1], in[2]});
    };
    TensorList cotangents;
    for (std::size_t i = 0; i < 7; ++i) cotangents.push_back(c.grad_output(i));
    set_composed_gradients(c, gradients,
                           {"grad_output", "grad_hy", "grad_cy", "input", "hx", "cx", "w_ih", "w_hh", "b_ih", "b_hh"},
                           cotangents);
}

constexpr OperatorRecord kRecords[] = {
    {
        .schema =
            "loupe::rnn_layer_backward(Tensor? grad_output, Tensor? grad_hy, Tensor? grad_cy, Tensor input, Tensor hx, "
            "Tensor? cx, "
            "Tensor w_ih, Tensor w_hh, Tensor? b_ih, Tensor? b_hh, int[] batch_sizes, str mode, bool reverse, Tensor "
            "output, Tensor "
            "workspace) "
            "-> (Tensor grad_input, Tensor grad_hx, Tensor grad_cx, Tensor grad_w_ih, Tensor grad_w_hh, Tensor "
            "grad_b_ih, "
            "Tensor "
            "grad_b_hh)",
        .summary = "Gradients of loupe::rnn_layer.",
        .formula = "grad_input = dz W, grad_w_ih = sum_t dz[t]^T x[t], grad_w_hh = sum_t dz[t]^T h[t - 1], grad_b = "
                   "sum_t dz[t]",
        .kernel = run_layer_backward,
        .derivative = {layer_double_gradient,
                       {save_argument("grad_output"), save_argument("grad_hy"), save_argument("grad_cy"),
                        save_argument("input"), save_argument("hx"), save_argument("cx"), save_argument("w_ih"),
                        save_argument("w_hh"), save_argument("b_ih"), save_argument("b_hh")},
                       "RnnLayerBackwardBackward0"},
        .gradient = "grad_output: the layer run again on the gradients, linearised\n"
                    "input: derivative of the sums above\n"
                    "hx: as input\n"
                    "w_ih: as input\n"
                    "w_hh: as input",
    },
};

}  // namespace

std::span<const OperatorRecord> rnn::layer_backward_records() { return kRecords; }

}  // namespace loupe
