// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/recurrent.h"

#include "plugins/cuda/loops/launch.h"

namespace loupe::cuda {
namespace {

template <typename T>
LOUPE_HD T sigmoid(T x) {
    return T(1) / (T(1) + std::exp(-x));
}

template <typename T>
struct StepBody {
    Recurrence kind;
    std::int64_t n;
    const T *gates, *hidden_gates, *bias;
    T *output, *workspace, *h, *c;

    LOUPE_HD void operator()(std::int64_t index) const {
        const std::int64_t row = index / n, j = index % n;
        if (kind == Recurrence::Lstm)
            lstm(index, row, j);
        else if (kind == Recurrence::Gru)
            gru(index, row, j);
        else
            plain(index);
    }

  private:
    LOUPE_HD void lstm(std::int64_t index, std::int64_t row, std::int64_t j) const {
        const auto gate = [&](std::int64_t k) {
            const std::int64_t at = (row * 4 + k) * n + j;
            return gates[at] + hidden_gates[at];
        };
        const T in = sigmoid(gate(0)), forget = sigmoid(gate(1)), cell = std::tanh(gate(2)), out = sigmoid(gate(3));
        const T now = forget * c[index] + in * cell;
        T* const keep = workspace + row * 5 * n + j;
        keep[0] = in;
        keep[n] = forget;
        keep[2 * n] = cell;
        keep[3 * n] = out;
        keep[4 * n] = now;
        c[index] = now;
        h[index] = output[index] = out * std::tanh(now);
    }
    LOUPE_HD void gru(std::int64_t index, std::int64_t row, std::int64_t j) const {
        const auto given = [&](std::int64_t k) { return gates[(row * 3 + k) * n + j]; };
        const auto of_state = [&](std::int64_t k) {
            return hidden_gates[(row * 3 + k) * n + j] + (bias != nullptr ? bias[k * n + j] : T(0));
        };
        const T reset = sigmoid(given(0) + of_state(0)), update = sigmoid(given(1) + of_state(1)), own = of_state(2);
        const T fresh = std::tanh(given(2) + reset * own);
        T* const keep = workspace + row * 4 * n + j;
        keep[0] = reset;
        keep[n] = update;
        keep[2 * n] = fresh;
        keep[3 * n] = own;
        h[index] = output[index] = fresh + update * (h[index] - fresh);
    }
    LOUPE_HD void plain(std::int64_t index) const {
        const T sum = gates[index] + hidden_gates[index];
        h[index] = output[index] = kind == Recurrence::Tanh ? std::tanh(sum) : sum > T(0) || sum != sum ? sum : T(0);
    }
};

template <typename T>
struct BackwardBody {
    Recurrence kind;
    std::int64_t n, rows_before;
    const T *grad_output, *output, *workspace, *output_before, *workspace_before, *h_first, *c_first;
    T *gates, *hidden_gates, *h_before, *dh, *dc;

    LOUPE_HD void operator()(std::int64_t index) const {
        const std::int64_t row = index / n, j = index % n;
        const bool has_before = row < rows_before;
        const T state = has_before ? output_before[index] : h_first[index];
        h_before[index] = state;
        const T grad = dh[index] + (grad_output != nullptr ? grad_output[index] : T(0));
        if (kind == Recurrence::Lstm)
            lstm(index, row, j, grad, has_before ? workspace_before[(row * 5 + 4) * n + j] : c_first[index]);
        else if (kind == Recurrence::Gru)
            gru(index, row, j, grad, state);
        else if (kind == Recurrence::Tanh)
            gates[index] = grad * (T(1) - output[index] * output[index]);
        else
            gates[index] = output[index] > T(0) ? grad : T(0);
    }

  private:
    LOUPE_HD void lstm(std::int64_t index, std::int64_t row, std::int64_t j, T grad, T before) const {
        const T* const keep = workspace + row * 5 * n + j;
        const T in = keep[0], forget = keep[n], cell = keep[2 * n], out = keep[3 * n], shown = std::tanh(keep[4 * n]);
        const T of_cell = dc[index] + grad * out * (T(1) - shown * shown);
        T* const to = gates + row * 4 * n + j;
        to[0] = of_cell * cell * in * (T(1) - in);
        to[n] = of_cell * before * forget * (T(1) - forget);
        to[2 * n] = of_cell * in * (T(1) - cell * cell);
        to[3 * n] = grad * shown * out * (T(1) - out);
        dc[index] = of_cell * forget;
    }
    LOUPE_HD void gru(std::int64_t index, std::int64_t row, std::int64_t j, T grad, T before) const {
        const T* const keep = workspace + row * 4 * n + j;
        const T reset = keep[0], update = keep[n], fresh = keep[2 * n], own = keep[3 * n];
        const T of_fresh = grad * (T(1) - update) * (T(1) - fresh * fresh);
        const T of_update = grad * (before - fresh) * update * (T(1) - update);
        const T of_reset = of_fresh * own * reset * (T(1) - reset);
        const std::int64_t at = row * 3 * n + j;
        gates[at] = hidden_gates[at] = of_reset;
        gates[at + n] = hidden_gates[at + n] = of_update;
        gates[at + 2 * n] = of_fresh;
        hidden_gates[at + 2 * n] = of_fresh * reset;
        dh[index] = grad * update;
    }
};

template <typename T>
StepBody<T> body_of(const RecurrentStep& s) {
    const auto from = [](const void* place) { return static_cast<const T*>(place); };
    const auto to = [](void* place) { return static_cast<T*>(place); };
    return {s.kind,          s.hidden, from(s.gates), from(s.hidden_gates), from(s.hidden_bias), to(s.output),
            to(s.workspace), to(s.h),  to(s.c)};
}
template <typename T>
BackwardBody<T> body_of(const RecurrentBackwardStep& s) {
    const auto from = [](const void* place) { return static_cast<const T*>(place); };
    const auto to = [](void* place) { return static_cast<T*>(place); };
    return {s.kind,
            s.hidden,
            s.rows_before,
            from(s.grad_output),
            from(s.output),
            from(s.workspace),
            from(s.output_before),
            from(s.workspace_before),
            from(s.h_first),
            from(s.c_first),
            to(s.gates),
            to(s.hidden_gates),
            to(s.h_before),
            to(s.dh),
            to(s.dc)};
}
template <typename Step>
void run(const Queue& queue, const Step& step) {
    const std::int64_t count = step.rows * step.hidden;
    if (step.element == Element::Float64)
        launch(queue, count, body_of<double>(step));
    else
        launch(queue, count, body_of<float>(step));
}

}  // namespace

void run_recurrent_step(const Queue& queue, const RecurrentStep& step) { run(queue, step); }
void run_recurrent_backward_step(const Queue& queue, const RecurrentBackwardStep& step) { run(queue, step); }

}  // namespace loupe::cuda
