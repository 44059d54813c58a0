// SPDX-License-Identifier: Apache-2.0
#include "core/ops/rnn/network.h"

#include <algorithm>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/dispatch/autocast.h"
#include "core/dispatch/gradient_context.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/composed_gradient.h"
#include "core/ops/rnn/family.h"
#include "core/ops/samples.h"

namespace loupe {
namespace {

using namespace rnn;

using FourTensors = std::tuple<Tensor, Tensor, Tensor, Tensor>;
const OperatorHandle<FourTensors> op_network("loupe::rnn_network");
const OperatorHandle<std::tuple<Tensor, Tensor, Tensor, TensorList>> op_network_backward("loupe::rnn_network_backward");

// Weights of each layer and direction, in the order in which PyTorch lists them.
std::vector<LayerWeights> gather_weights(const TensorList& params, const NetworkOptions& o, bool has_projections) {
    const auto directions = static_cast<std::size_t>(o.bidirectional ? 2 : 1);
    const std::size_t each = (o.has_biases ? 4u : 2u) + (has_projections ? 1u : 0u);
    const std::size_t count = static_cast<std::size_t>(o.layers) * directions;
    require(o.layers >= 1 && count <= params.size() && params.size() == count * each,
            "got an incorrect number of RNN parameters");
    std::vector<LayerWeights> weights(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Tensor* p = &params[i * each];
        weights[i].w_ih = p[0];
        weights[i].w_hh = p[1];
        if (o.has_biases) {
            weights[i].b_ih = p[2];
            weights[i].b_hh = p[3];
        }
        if (has_projections) weights[i].projection = p[each - 1];
    }
    return weights;
}

// Under autocast, weights and states are cast to an input's lower precision.
void lower(ScalarType dtype, std::initializer_list<Tensor*> tensors) {
    for (Tensor* t : tensors) {
        if (t->defined() && t->dtype() != dtype && is_floating(t->dtype()))
            *t = fn::to_dtype(*t, static_cast<std::int64_t>(dtype));
    }
}

NetworkResult run_direction(Mode mode, Tensor rows, Tensor h, Tensor c, LayerWeights w, const Dims& batch_sizes,
                            bool reverse) {
    const auto& autocast = autocast_settings().devices[static_cast<std::size_t>(rows.device().type)];
    const bool is_plain = mode == Mode::Tanh || mode == Mode::Relu;  // gated ones return the input
    if (detail::autocast_on && autocast.enabled && is_plain && rows.dtype() == ScalarType::Float32)
        lower(autocast.dtype, {&rows});
    if (detail::autocast_on && is_floating(rows.dtype()))
        lower(rows.dtype(), {&h, &c, &w.w_ih, &w.w_hh, &w.b_ih, &w.b_hh, &w.projection});
    // The kernel takes real numbers; integers are allowed with relu only.
    const bool is_unusual = is_complex(rows.dtype()) || (mode == Mode::Relu && !is_floating(rows.dtype()));
    if (w.projection.defined() || is_unusual) {
        const auto [output, hy, cy] = composed_layer(mode, rows, h, c, w, span_of(batch_sizes), reverse);
        return {output, hy, cy};
    }
    const auto [output, hy, cy, workspace] =
        fn::rnn_layer(rows, h, c, w.w_ih, w.w_hh, w.b_ih, w.b_hh, batch_sizes, mode_name(mode), reverse);
    return {output, hy, mode == Mode::Lstm ? cy : Tensor()};
}

// rows [sum of batch_sizes, I]; hx, cx [layers * directions, B, H].
NetworkResult run_layers(Mode mode, Tensor rows, const Tensor& hx, const Tensor& cx, const TensorList& params,
                         const Dims& batch_sizes, const NetworkOptions& o) {
    const bool has_projections = cx.defined() && hx.size(2) != cx.size(2);
    const auto weights = gather_weights(params, o, has_projections);
    const std::int64_t directions = o.bidirectional ? 2 : 1;
    TensorList hidden;
    TensorList cells;
    for (std::int64_t layer = 0; layer < o.layers; ++layer) {
        TensorList outputs;
        for (std::int64_t direction = 0; direction < directions; ++direction) {
            const std::int64_t index = layer * directions + direction;
            const Tensor h = fn::select(hx, std::int64_t{0}, index);
            const Tensor c = cx.defined() ? fn::select(cx, std::int64_t{0}, index) : Tensor();
            const NetworkResult one =
                run_direction(mode, rows, h, c, weights[static_cast<std::size_t>(index)], batch_sizes, direction == 1);
            outputs.push_back(one.output);
            hidden.push_back(one.hy);
            if (one.cy.defined()) cells.push_back(one.cy);
        }
        rows = outputs.size() == 1 ? outputs[0] : fn::cat(outputs, std::int64_t{1});
        if (o.dropout != 0 && o.train && layer + 1 < o.layers) rows = fn::dropout(rows, o.dropout, true);
    }
    return {rows, fn::stack(hidden, std::int64_t{0}), cells.empty() ? Tensor() : fn::stack(cells, std::int64_t{0})};
}

// ---- as one call

struct Call {
    Tensor input, hx, cx;
    TensorList params;
    Dims batch_sizes;
    Mode mode;
    NetworkOptions options;

    // From `first` on: input, hx, cx, params, batch_sizes, mode, layers, has_biases, bidirectional.
    explicit Call(Arguments a, std::size_t first = 0)
        : input(a[first].to_tensor()),
          hx(a[first + 1].to_tensor()),
          cx(a[first + 2].to_tensor()),
          params(a[first + 3].to_tensors()),
          batch_sizes(a[first + 4].to_ints()),
          mode(parse_mode(a[first + 5].to_string())),
          options{a[first + 7].to_bool(), a[first + 6].to_int(), 0, false, a[first + 8].to_bool()} {}
};

// The definition: layer by layer. Nothing is kept for the gradient, which runs them again.
FourTensors network(const Call& call) {
    const NetworkResult r =
        run_layers(call.mode, call.input, call.hx, call.cx, call.params, call.batch_sizes, call.options);
    const auto nothing = [&](ScalarType dtype) {
        return empty(std::array<std::int64_t, 1>{0}, dtype, call.input.device());
    };
    return {r.output, r.hy, r.cy.defined() ? r.cy : nothing(r.output.dtype()), nothing(ScalarType::UInt8)};
}
void run_network_kernel(Arguments arguments, IValue* results) {
    auto [output, hy, cy, reserve] = network(Call(arguments));
    results[0] = output;
    results[1] = hy;
    results[2] = cy;
    results[3] = reserve;
}

// Of input, hx, cx (undefined but for an LSTM) and all parameters.
TensorList layer_gradients(const Call& call, const TensorList& grads) {
    TensorList inputs{call.input, call.hx, call.cx};
    inputs.insert(inputs.end(), call.params.begin(), call.params.end());
    const auto forward = [&](const TensorList& in) {
        const NetworkResult r = run_layers(call.mode, in[0], in[1], in[2], TensorList(in.begin() + 3, in.end()),
                                           call.batch_sizes, call.options);
        return TensorList{r.output, r.hy, r.cy};
    };
    return composed_gradients(forward, inputs, grads);
}

// (grad_output, grad_hy, grad_cy, input, hx, cx, params, batch_sizes, mode, layers, has_biases, bidirectional, output,
// reserve)
void run_backward_kernel(Arguments a, IValue* results) {
    const Call call(a, 3);
    TensorList found = layer_gradients(call, {a[0].to_tensor(), a[1].to_tensor(), a[2].to_tensor()});
    for (std::size_t i = 0; i < 3; ++i) {
        if (found[i].defined()) results[i] = found[i];
    }
    results[3] = IValue(TensorList(found.begin() + 3, found.end()));
}

void network_gradient(GradientContext& c) {
    const TensorList params = c.arguments_of_list("params");
    const Tensor cx = c.is_argument_defined("cx") ? c.argument("cx") : Tensor();
    TensorList grads;
    if (GradMode::is_enabled()) {
        const std::vector<IValue> arguments{c.argument("input"), c.argument("hx"),       IValue(cx),
                                            IValue(params),      c.value("batch_sizes"), c.value("mode"),
                                            c.value("layers"),   c.value("has_biases"),  c.value("bidirectional")};
        grads = layer_gradients(Call(arguments), {c.grad_output(0), c.grad_output(1), c.grad_output(2)});
    } else {
        auto [input, hx, cell, list] = op_network_backward(
            IValue(c.grad_output(0)), IValue(c.grad_output(1)), IValue(c.grad_output(2)), c.argument("input"),
            c.argument("hx"), cx, params, c.value("batch_sizes"), c.value("mode"), c.value("layers"),
            c.value("has_biases"), c.value("bidirectional"), c.result(0), c.result(3));
        grads = {input, hx, cell};
        grads.insert(grads.end(), list.begin(), list.end());
    }
    c.grad("input", [&] { return grads[0]; });
    c.grad("hx", [&] { return grads[1]; });
    if (cx.defined()) c.grad("cx", [&] { return grads[2]; });
    for (std::size_t i = 0; i < params.size(); ++i) {
        if (c.needs("params") && grads[i + 3].defined()) c.set_grad("params", i, grads[i + 3]);
    }
}

Cost network_cost(Arguments arguments, std::span<const IValue>) {
    const Call call(arguments);
    Cost cost;
    for (const Tensor& p : call.params) {
        if (p.dim() == 2) cost.flops += 2 * static_cast<double>(call.input.size(0)) * static_cast<double>(p.numel());
        cost.bytes += static_cast<double>(p.bytes());
    }
    return cost;
}

std::vector<Sample> network_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    const auto t = [&](std::initializer_list<std::int64_t> sizes) { return random_tensor(random, sizes, dtype); };
    std::vector<Sample> samples;
    for (const Mode mode : {Mode::Lstm, Mode::Gru}) {
        const std::int64_t g = gate_count(mode) * 3;
        TensorList params;
        for (const std::int64_t width : {4, 4, 6, 6}) {
            for (const Tensor& p : {t({g, width}), t({g, 3}), t({g}), t({g})}) params.push_back(p);
        }
        const IValue cx = mode == Mode::Lstm ? IValue(t({4, 3, 3})) : IValue();
        samples.push_back({{t({6, 4}), t({4, 3, 3}), cx, params, Dims{3, 2, 1}, mode_name(mode), 2, true, true, false},
                           std::string(mode_name(mode))});
    }
    return samples;
}

// Does a kernel of the device take the whole network?
bool is_one_call(const std::vector<IValue>& arguments, Device device) {
    if (device.is_cpu()) return false;
    const auto& candidates = op_network.get().kernels->candidates[static_cast<std::size_t>(device.type)];
    return std::ranges::any_of(candidates, [&](const KernelCandidate& candidate) {
        return candidate.accepts == nullptr || candidate.accepts(arguments, nullptr);
    });
}
bool is_differentiated(const Tensor& t) { return t.defined() && requires_grad(t); }

std::optional<NetworkResult> run_as_one(Mode mode, Tensor rows, Tensor h, Tensor c, TensorList params,
                                        const Dims& batch_sizes, const NetworkOptions& o) {
    if (detail::autocast_on && is_floating(rows.dtype())) {
        lower(rows.dtype(), {&h, &c});
        for (Tensor& p : params) lower(rows.dtype(), {&p});
    }
    const bool keeps =
        GradMode::is_enabled() && (is_differentiated(rows) || is_differentiated(h) || is_differentiated(c) ||
                                   std::ranges::any_of(params, is_differentiated));
    const std::vector<IValue> arguments{
        rows, h, IValue(c), IValue(params), batch_sizes, mode_name(mode), o.layers, o.has_biases, o.bidirectional,
        keeps};
    if (!is_one_call(arguments, rows.device())) return std::nullopt;
    const auto [output, hy, cy, reserve] = op_network(rows, h, IValue(c), params, batch_sizes, mode_name(mode),
                                                      o.layers, o.has_biases, o.bidirectional, keeps);
    return NetworkResult{output, hy, mode == Mode::Lstm ? cy : Tensor()};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "loupe::rnn_network(Tensor input, Tensor hx, Tensor? cx, Tensor[] params, int[] batch_sizes, str mode, "
               "int layers, bool has_biases, bool bidirectional, bool keeps) -> (Tensor output, Tensor hy, Tensor cy, "
               "Tensor reserve)",
     .summary = "All layers and directions of a recurrent network over a packed sequence, as a device's library has "
                "them.",
     .formula = "LSTM: i, f, o = sigmoid(W x + U h + b), g = tanh(W x + U h + b); c' = f c + i g; h' = o tanh(c')",
     .kernel = run_network_kernel,
     .derivative = {network_gradient,
                    {save_argument("input"), save_argument("hx"), save_argument("cx"), save_argument("params"),
                     save_result(0), save_result(3)},
                    "RnnNetworkBackward0"},
     .gradient = "input: sum_gates dz W, step by step backwards; dz is the gradient before the gates' functions\n"
                 "hx: dz U at the first step\n"
                 "cx: dc f at the first step\n"
                 "params: W: sum_t dz[t]^T x[t]; U: sum_t dz[t]^T h[t - 1]; b: sum_t dz[t]",
     .cost = network_cost,
     .samples = network_samples,
     .constant_results = 8},
    {.schema =
         "loupe::rnn_network_backward(Tensor? grad_output, Tensor? grad_hy, Tensor? grad_cy, Tensor input, Tensor "
         "hx, Tensor? cx, Tensor[] params, int[] batch_sizes, str mode, int layers, bool has_biases, bool "
         "bidirectional, Tensor output, Tensor reserve) -> (Tensor grad_input, Tensor grad_hx, Tensor grad_cx, "
         "Tensor[] grad_params)",
     .summary = "Gradients of loupe::rnn_network.",
     .formula = "grad_input = dz W, grad_W = sum_t dz[t]^T x[t], grad_U = sum_t dz[t]^T h[t - 1], grad_b = sum_t dz[t]",
     .kernel = run_backward_kernel},
};

}  // namespace

namespace rnn {

std::span<const OperatorRecord> network_records() { return kRecords; }

// Numbers that are dropped between layers are the engine's own, so that they can be drawn again: each layer a call
// then.
NetworkResult run_network(Mode mode, const Tensor& rows, const Tensor& hx, const Tensor& cx, const TensorList& params,
                          const Dims& batch_sizes, const NetworkOptions& options) {
    const bool has_projections = cx.defined() && hx.size(2) != cx.size(2);
    const auto directions = static_cast<std::size_t>(options.bidirectional ? 2 : 1);
    const std::size_t each = directions * (options.has_biases ? 4 : 2);
    const auto layers = static_cast<std::size_t>(std::max<std::int64_t>(0, options.layers));
    if (has_projections || rows.device().is_cpu() || layers == 0 || params.size() != layers * each)
        return run_layers(mode, rows, hx, cx, params, batch_sizes, options);
    const bool drops = options.dropout != 0 && options.train && layers > 1;
    if (!drops) {
        if (const auto all = run_as_one(mode, rows, hx, cx, params, batch_sizes, options)) return *all;
        return run_layers(mode, rows, hx, cx, params, batch_sizes, options);
    }
    NetworkOptions one = options;
    one.layers = 1;
    one.dropout = 0;
    NetworkResult result{rows, {}, {}};
    TensorList hidden, cells;
    for (std::size_t layer = 0; layer < layers; ++layer) {
        const auto states = [&](const Tensor& t) {
            return t.defined() ? fn::narrow(t, std::int64_t{0}, static_cast<std::int64_t>(layer * directions),
                                            static_cast<std::int64_t>(directions))
                               : t;
        };
        const TensorList weights(params.begin() + static_cast<std::ptrdiff_t>(layer * each),
                                 params.begin() + static_cast<std::ptrdiff_t>((layer + 1) * each));
        const auto made = run_as_one(mode, result.output, states(hx), states(cx), weights, batch_sizes, one);
        if (!made) return run_layers(mode, rows, hx, cx, params, batch_sizes, options);
        result.output = layer + 1 < layers ? fn::dropout(made->output, options.dropout, true) : made->output;
        hidden.push_back(made->hy);
        if (made->cy.defined()) cells.push_back(made->cy);
    }
    result.hy = fn::cat(hidden, std::int64_t{0});
    if (!cells.empty()) result.cy = fn::cat(cells, std::int64_t{0});
    return result;
}

}  // namespace rnn
}  // namespace loupe
