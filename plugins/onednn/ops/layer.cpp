// SPDX-License-Identifier: Apache-2.0
// loupe::rnn_layer: a direction of a layer of an LSTM or GRU, without gradients: oneDNN's workspace for backward
// differs from ours. Up to twice as fast. Uses the primitive for training nevertheless: the one for inference is slower
// by half at a batch of one.
#include "core/ops/rnn/layer.h"

#include <algorithm>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "plugins/onednn/ops/kernels.h"
#include "plugins/onednn/runtime.h"

namespace loupe::onednn {
namespace {

using rnn::Mode;

struct Call {
    Tensor input, hx, cx, w_ih, w_hh, b_ih, b_hh;
    Dims batch_sizes;
    Mode mode;
    bool reverse;

    explicit Call(Arguments a)
        : input(packed(a[0].to_tensor())),
          hx(packed(a[1].to_tensor())),
          cx(packed(a[2].to_tensor())),
          w_ih(packed(a[3].to_tensor())),
          w_hh(packed(a[4].to_tensor())),
          b_ih(packed(a[5].to_tensor())),
          b_hh(packed(a[6].to_tensor())),
          batch_sizes(a[7].to_ints()),
          mode(rnn::parse_mode(a[8].to_string())),
          reverse(a[9].to_bool()) {}

    std::int64_t steps() const { return static_cast<std::int64_t>(batch_sizes.size()); }
    std::int64_t batch() const { return hx.sizes()[0]; }
    std::int64_t inputs() const { return input.sizes()[1]; }
    std::int64_t hidden() const { return w_hh.sizes()[1]; }
    std::int64_t gates() const { return rnn::gate_count(mode); }
};

Layout any_weights(const Call& c, std::int64_t inputs) { return any_layout({1, 1, inputs, c.gates(), c.hidden()}); }
// PyTorch's weight [gates * H, inputs], as oneDNN counts it.
Layout own_weights(const Call& c, std::int64_t inputs) {
    const std::int64_t gate = c.hidden() * inputs;
    return {{1, 1, inputs, c.gates(), c.hidden()},
            Memory::data_type::f32,
            {c.gates() * gate, c.gates() * gate, 1, gate, inputs}};
}

RecurrentLayouts layouts_of(const Call& c) {
    constexpr auto kFloat = Memory::data_type::f32;
    RecurrentLayouts l;
    l.sequence = {{c.steps(), c.batch(), c.inputs()}, kFloat, Memory::format_tag::tnc};
    l.state = {{1, 1, c.batch(), c.hidden()}, kFloat, Memory::format_tag::ldnc};
    l.weights_layer = any_weights(c, c.inputs());
    l.weights_iter = any_weights(c, c.hidden());
    l.bias = {{1, 1, 4, c.hidden()}, kFloat, Memory::format_tag::ldgo};
    l.output = {{c.steps(), c.batch(), c.hidden()}, kFloat, Memory::format_tag::tnc};
    return l;
}

dnnl::rnn_direction direction_of(const Call& c) {
    return c.reverse ? dnnl::rnn_direction::unidirectional_right2left : dnnl::rnn_direction::unidirectional_left2right;
}

template <typename Primitive>
struct Plan {
    RecurrentLayouts layouts;
    typename Primitive::primitive_desc descriptor;
    Primitive primitive;

    explicit Plan(const Call& c) : layouts(layouts_of(c)), descriptor(describe(c, layouts)), primitive(descriptor) {}

  private:
    static typename Primitive::primitive_desc describe(const Call& c, const RecurrentLayouts& l) {
        if constexpr (std::is_same_v<Primitive, dnnl::lstm_forward>)
            return lstm_forward(engine(), direction_of(c), l);
        else
            return gru_forward(engine(), direction_of(c), l);
    }
};

template <typename Primitive>
PlanCache<Plan<Primitive>>& plans() {
    static auto* cache = new PlanCache<Plan<Primitive>>;
    return *cache;
}

// A GRU's rows r, z, n as z, r, n.
Tensor update_gate_first(const Tensor& weight) {
    const Tensor out = empty(weight.sizes(), ScalarType::Float32);
    const std::int64_t gate = weight.numel() / 3;
    const float* from = weight.data<float>();
    float* to = out.data<float>();
    std::copy_n(from + gate, gate, to);
    std::copy_n(from, gate, to + gate);
    std::copy_n(from + 2 * gate, gate, to + 2 * gate);
    return out;
}

// The weight in the primitive's layout: cached for a parameter, made in `block` for others.
Memory weights(const Tensor& weight, const Layout& own, const Layout& wanted, Mode mode, Block& block) {
    const PrepareWeight prepare = mode == Mode::Gru ? update_gate_first : nullptr;
    const MemoryCategory category = weight.storage()->category();
    if (category == MemoryCategory::Parameter || category == MemoryCategory::Buffer)
        return packed_weight(weight, own, wanted, prepare);
    const Tensor source = prepare == nullptr ? weight : prepare(weight);
    block = allocate(wanted);
    reorder(memory_at(own, source.raw_data()), block.memory);
    return block.memory;
}

// LSTM: the sums of both biases. GRU: z and r likewise; of n, the input's and then the hidden state's.
Tensor biases(const Call& c) {
    const std::int64_t n = c.hidden();
    const Tensor out = zeros(std::array<std::int64_t, 1>{4 * n});
    if (!c.b_ih.defined()) return out;
    const float* x = c.b_ih.data<float>();
    const float* h = c.b_hh.data<float>();
    float* to = out.data<float>();
    if (c.mode == Mode::Lstm) {
        for (std::int64_t i = 0; i < 4 * n; ++i) to[i] = x[i] + h[i];
        return out;
    }
    for (std::int64_t i = 0; i < n; ++i) {
        to[i] = x[n + i] + h[n + i];
        to[n + i] = x[i] + h[i];
        to[2 * n + i] = x[2 * n + i];
        to[3 * n + i] = h[2 * n + i];
    }
    return out;
}

template <typename Primitive>
void run_layer(const Call& c, IValue* results) {
    Key key;
    key.add(c.steps()).add(c.batch()).add(c.inputs()).add(c.hidden()).add(std::int64_t{c.reverse});
    const Plan<Primitive>& plan = plans<Primitive>().get(key, [&] { return Plan<Primitive>(c); });
    const auto& d = plan.descriptor;
    const RecurrentLayouts& l = plan.layouts;
    const Tensor bias = biases(c);
    Block layer_block;
    Block iter_block;
    const Block workspace = allocate(d.workspace_desc());
    const auto at = [](const Layout& layout, const Tensor& t) { return memory_at(layout, t.raw_data()); };
    std::unordered_map<int, Memory> arguments{
        {DNNL_ARG_SRC_LAYER, at(l.sequence, c.input)},
        {DNNL_ARG_SRC_ITER, at(l.state, c.hx)},
        {DNNL_ARG_WEIGHTS_LAYER,
         weights(c.w_ih, own_weights(c, c.inputs()), d.weights_layer_desc(), c.mode, layer_block)},
        {DNNL_ARG_WEIGHTS_ITER, weights(c.w_hh, own_weights(c, c.hidden()), d.weights_iter_desc(), c.mode, iter_block)},
        {DNNL_ARG_BIAS, at(l.bias, bias)},
        {DNNL_ARG_DST_LAYER, at(l.output, results[0].to_tensor())},
        {DNNL_ARG_DST_ITER, at(l.state, results[1].to_tensor())},
        {DNNL_ARG_WORKSPACE, workspace.memory}};
    if (c.mode == Mode::Lstm) {
        arguments.emplace(DNNL_ARG_SRC_ITER_C, at(l.state, c.cx));
        arguments.emplace(DNNL_ARG_DST_ITER_C, at(l.state, results[2].to_tensor()));
    }
    execute(plan.primitive, std::move(arguments), d.scratchpad_desc());
    // The gates are unused, but visible: they should be defined numbers.
    results[3] = expanded(zeros(std::array<std::int64_t, 2>{1, 1}), results[3].to_tensor().sizes());
}

bool is_recorded(Arguments arguments) {
    if (!GradMode::is_enabled()) return false;
    return std::any_of(arguments.begin(), arguments.begin() + 7,
                       [](const IValue& v) { return v.is_tensor() && requires_grad(v.to_tensor()); });
}

bool accepts(Arguments a, std::string* why) {
    if (!accepts_float32(a, {0, 1, 2, 3, 4, 5, 6}, why)) return false;
    const Mode mode = rnn::parse_mode(a[8].to_string());
    if (mode != Mode::Lstm && mode != Mode::Gru) return decline(why, "neither an LSTM nor a GRU");
    if (is_recorded(a)) return decline(why, "the gates are kept for the backward pass");
    const std::int64_t batch = a[1].to_tensor().sizes()[0];
    const Dims batch_sizes = a[7].to_ints();
    if (std::any_of(batch_sizes.begin(), batch_sizes.end(), [&](std::int64_t size) { return size != batch; })) {
        return decline(why, "sequences of different lengths");
    }
    constexpr std::int64_t kLeastWork = 1 << 19;  // multiplications
    const std::int64_t work = a[0].to_tensor().sizes()[0] * (a[3].to_tensor().numel() + a[4].to_tensor().numel());
    if (work < kLeastWork) return decline(why, "too little to do");
    // Our threads split the rows of a batch without synchronising, oneDNN's synchronise several times per step.
    constexpr std::int64_t kSmallState = 192;
    const bool shares_rows = thread_count() > 1 && batch >= thread_count();
    if (shares_rows && a[1].to_tensor().sizes()[1] < kSmallState) return decline(why, "a batch of small states");
    return true;
}

void run(Arguments arguments, IValue* results) {
    const Call call(arguments);
    if (call.mode == Mode::Lstm)
        run_layer<dnnl::lstm_forward>(call, results);
    else
        run_layer<dnnl::lbr_gru_forward>(call, results);
}

}  // namespace

void register_layer(const PluginRegistries& registries) {
    registries.add_kernel("loupe::rnn_layer", DeviceType::Cpu, {"onednn", run, accepts});
}

}  // namespace loupe::onednn
