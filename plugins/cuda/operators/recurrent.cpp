// SPDX-License-Identifier: Apache-2.0
// loupe::rnn_layer and its gradients: the input's products at once, then a product and a loop for each step. Numbers of
// 16 bits are computed with in float32.
#include "plugins/cuda/loops/recurrent.h"

#include <algorithm>
#include <array>

#include "core/dispatch/functions.h"
#include "core/ops/rnn/layer.h"
#include "plugins/cuda/operators/dense.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

using rnn::Mode;
using rnn::Steps;

const OperatorHandle<> op_addmm("aten::addmm");
const OperatorHandle<> op_addmm_("aten::addmm_");

static_assert(static_cast<int>(Recurrence::Gru) == static_cast<int>(Mode::Gru) &&
              static_cast<int>(Recurrence::Relu) == static_cast<int>(Mode::Relu));

ScalarType wide(ScalarType dtype) { return dtype == ScalarType::Float64 ? dtype : ScalarType::Float32; }
Tensor turned(const Tensor& matrix) { return fn::transpose(matrix, std::int64_t{0}, std::int64_t{1}); }
Tensor rows_of(const Tensor& t, std::int64_t first, std::int64_t count) {
    return fn::narrow(t, std::int64_t{0}, first, count);
}
// Row `row` of a dense matrix.
void* row_at(const Tensor& t, std::int64_t row) {
    if (!t.defined()) return nullptr;
    return static_cast<char*>(address_of(t)) + row * t.size(1) * static_cast<std::int64_t>(t.element_size());
}

// (input, hx, cx, w_ih, w_hh, b_ih, b_hh, batch_sizes, mode, reverse)
void layer(Arguments a, IValue* results) {
    const Mode mode = rnn::parse_mode(a[8].to_string());
    const Dims sizes = a[7].to_ints();
    const Steps steps(span_of(sizes), a[9].to_bool());
    const ScalarType dtype = wide(a[0].to_tensor().dtype());
    const Tensor input = dense(a[0].to_tensor(), dtype), w_ih = dense(a[3].to_tensor(), dtype),
                 w_hh = dense(a[4].to_tensor(), dtype), b_ih = dense(a[5].to_tensor(), dtype),
                 b_hh = dense(a[6].to_tensor(), dtype);
    const Room output(results[0].to_tensor(), dtype), hy(results[1].to_tensor(), dtype),
        cy(results[2].to_tensor(), dtype), workspace(results[3].to_tensor(), dtype);
    copy_into(hy.tensor(), a[1].to_tensor());
    if (mode == Mode::Lstm) copy_into(cy.tensor(), a[2].to_tensor());
    Tensor gates;
    if (b_ih.defined())
        gates = op_addmm(mode == Mode::Gru ? b_ih : fn::add(b_ih, b_hh), input, turned(w_ih), Scalar(1), Scalar(1));
    else
        gates = fn::mm(input, turned(w_ih));
    const Tensor of_state = turned(w_hh);
    RecurrentStep step;
    step.kind = static_cast<Recurrence>(mode);
    step.element = element_of(dtype);
    step.hidden = w_hh.size(1);
    step.hidden_bias = mode == Mode::Gru ? address_of(b_hh) : nullptr;
    step.h = address_of(hy.tensor());
    step.c = mode == Mode::Lstm ? address_of(cy.tensor()) : nullptr;
    const Queue queue = queue_of(input.device());
    for (const Steps::Step& at : steps.order) {
        if (at.count == 0) continue;
        const Tensor hidden_gates = fn::mm(rows_of(hy.tensor(), 0, at.count), of_state);
        step.rows = at.count;
        step.gates = row_at(gates, at.row);
        step.hidden_gates = address_of(hidden_gates);
        step.output = row_at(output.tensor(), at.row);
        step.workspace = row_at(workspace.tensor(), at.row);
        run_recurrent_step(queue, step);
    }
    for (const Room* result : {&output, &hy, &cy, &workspace}) result->put_back();
}

// What the steps of a backward pass read and write.
struct Backward {
    Mode mode;
    Tensor grad_output, hx, cx, w_hh, output, workspace;
    Tensor gates, hidden_gates, h_before, dh, dc;

    void run(const Steps& steps) const {
        RecurrentBackwardStep step;
        step.kind = static_cast<Recurrence>(mode);
        step.element = element_of(output.dtype());
        step.hidden = w_hh.size(1);
        step.h_first = address_of(hx);
        step.c_first = address_of(cx);
        step.dh = address_of(dh);
        step.dc = address_of(dc);
        const Queue queue = queue_of(output.device());
        for (std::size_t s = steps.order.size(); s-- > 0;) {
            const Steps::Step& at = steps.order[s];
            if (at.count == 0) continue;
            // Sequences end in order, so that a row that ran in some step before ran in the last one.
            const bool is_first = s == 0;
            step.rows = at.count;
            step.rows_before = is_first ? 0 : std::min(at.count, steps.order[s - 1].count);
            step.output_before = is_first ? nullptr : row_at(output, steps.order[s - 1].row);
            step.workspace_before = is_first ? nullptr : row_at(workspace, steps.order[s - 1].row);
            step.grad_output = row_at(grad_output, at.row);
            step.output = row_at(output, at.row);
            step.workspace = row_at(workspace, at.row);
            step.gates = row_at(gates, at.row);
            step.hidden_gates = row_at(hidden_gates, at.row);
            step.h_before = row_at(h_before, at.row);
            run_recurrent_backward_step(queue, step);
            op_addmm_(rows_of(dh, 0, at.count), rows_of(hidden_gates, at.row, at.count), w_hh,
                      Scalar(mode == Mode::Gru ? 1 : 0), Scalar(1));
        }
    }
};

Tensor start_state(const IValue& grad, const Tensor& like) {
    const Tensor state = empty(like.sizes(), like.dtype(), like.device());
    if (grad.is_tensor() && grad.to_tensor().defined())
        copy_into(state, grad.to_tensor());
    else
        fill_with(state, 0);
    return state;
}

// (grad_output, grad_hy, grad_cy, input, hx, cx, w_ih, w_hh, b_ih, b_hh, batch_sizes, mode, reverse, output, workspace)
void layer_backward(Arguments a, IValue* results) {
    const Mode mode = rnn::parse_mode(a[11].to_string());
    const Dims sizes = a[10].to_ints();
    const Steps steps(span_of(sizes), a[12].to_bool());
    const ScalarType given = a[3].to_tensor().dtype(), dtype = wide(given);
    const Tensor input = dense(a[3].to_tensor(), dtype), w_ih = dense(a[6].to_tensor(), dtype);
    Backward b{mode,
               dense(a[0].to_tensor(), dtype),
               dense(a[4].to_tensor(), dtype),
               dense(a[5].to_tensor(), dtype),
               dense(a[7].to_tensor(), dtype),
               dense(a[13].to_tensor(), dtype),
               dense(a[14].to_tensor(), dtype),
               {},
               {},
               {},
               {},
               {}};
    const std::int64_t rows = input.size(0);
    b.gates = empty(std::array{rows, b.w_hh.size(0)}, dtype, input.device());
    b.hidden_gates = mode == Mode::Gru ? empty(b.gates.sizes(), dtype, input.device()) : b.gates;
    b.h_before = empty(std::array{rows, b.w_hh.size(1)}, dtype, input.device());
    b.dh = start_state(a[1], b.hx);
    if (mode == Mode::Lstm) b.dc = start_state(a[2], b.hx);
    b.run(steps);
    const auto as_given = [&](const Tensor& t) { return dense(t, given); };
    results[0] = as_given(fn::mm(b.gates, w_ih));
    results[1] = as_given(b.dh);
    if (b.dc.defined()) results[2] = as_given(b.dc);
    results[3] = as_given(fn::mm(turned(b.gates), input));
    results[4] = as_given(fn::mm(turned(b.hidden_gates), b.h_before));
    if (a[8].is_none() || !a[8].to_tensor().defined()) return;
    const Tensor sums = fn::sum_dim(b.gates, Dims{0}, false);
    results[5] = as_given(sums);
    results[6] = as_given(mode == Mode::Gru ? fn::sum_dim(b.hidden_gates, Dims{0}, false) : fn::clone(sums));
}

// Something to compute: an empty sequence is the CPU's.
template <std::size_t kInput>
bool takes_rows(Arguments a, std::string* why) {
    if (!takes_floating<kInput>(a, why)) return false;
    const bool has_rows = a[kInput].to_tensor().numel() > 0 && a[kInput + 1].to_tensor().numel() > 0;
    if (!has_rows && why != nullptr) *why = "no elements";
    return has_rows;
}

// The gradient of a network that no library took, on the device: the operator's definition.
void network_backward(Arguments arguments, IValue* results) {
    static const Operator& own = *find_operator("loupe::rnn_network_backward");
    own.record->kernel.function(arguments, results);
}

}  // namespace

void register_recurrent(const Registration& to) {
    to.add("loupe::rnn_layer", layer, takes_rows<0>);
    to.add("loupe::rnn_layer_backward", layer_backward, takes_rows<3>);
    to.add("loupe::rnn_network_backward", network_backward, takes_rows<3>);
}

}  // namespace loupe::cuda
