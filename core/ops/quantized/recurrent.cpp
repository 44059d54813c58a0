// SPDX-License-Identifier: Apache-2.0
// Recurrent layers of packed cells: at::native's RNN.cpp with QuantizedCellParamsDynamic and QuantizedCellParamsFP16.
// The input's products are made for all steps at once, in one range; the state's in the range of each step.

#include "core/ops/quantized/family.h"
#include "core/ops/quantized/products.h"

namespace loupe::quantized_ops {
namespace {

const OperatorHandle<> stack_of("aten::stack"), narrow_of("aten::narrow");

const PackedCell& cell_of(const IValue& value) { return packed_as<PackedCell>(value, "rnn.CellParamsBase"); }

Ptr<PackedLinear> linear_of(const IValue& value) {
    packed_as<PackedLinear>(value, "quantized.LinearPackedParamsBase");
    return value.to_other_as<PackedLinear>();
}
IValue make_dynamic(const IValue& input, const IValue& hidden, const Tensor&, const Tensor&, bool reduce_range) {
    return IValue::other(make_ptr<PackedCell>(linear_of(input), linear_of(hidden), reduce_range));
}
IValue make_fp16(const IValue& input, const IValue& hidden) {
    return IValue::other(make_ptr<PackedCell>(linear_of(input), linear_of(hidden), false));
}

// at::fbgemm_linear_quantize_weight: a scale and zero point for the range of the weight.
Ptr<PackedLinear> rounded_layer(const Tensor& weight, const Tensor& bias) {
    require(weight.dim() == 2 && weight.dtype() == ScalarType::Float32 && !weight.is_sparse(),
            "quantized::make_quantized_cell_params takes matrices of float32");
    const auto [least, most] = least_and_most(weight);
    const Parameters chosen = choose_parameters(least, most, integers_in(ScalarType::Int8), false);
    return pack_linear(quantize(weight, static_cast<double>(chosen.scale), chosen.zero_point, ScalarType::Int8), bias)
        .to_other_as<PackedLinear>();
}
IValue make_rounded(const Tensor& w_ih, const Tensor& w_hh, const Tensor& b_ih, const Tensor& b_hh) {
    return IValue::other(make_ptr<PackedCell>(rounded_layer(w_ih, b_ih), rounded_layer(w_hh, b_hh), false));
}

Tensor product(const Tensor& x, const PackedLinear& layer, bool reduce_range) {
    return is_quantized(layer.weight) ? linear_of_floats(x, layer, reduce_range) : linear_of_halves(x, layer);
}

struct State {
    Tensor h, c;  // c of LSTM alone
};

// gates: of the input, of the state.
State lstm_step(const Tensor& input_gates, const Tensor& hidden_gates, const State& state) {
    const TensorList gates = fn::chunk(fn::add(input_gates, hidden_gates, Scalar(1)), 4, 1);
    const Tensor kept = fn::mul(fn::sigmoid(gates[1]), state.c);
    const Tensor c = fn::add(kept, fn::mul(fn::sigmoid(gates[0]), fn::tanh(gates[2])), Scalar(1));
    return {fn::mul(fn::sigmoid(gates[3]), fn::tanh(c)), c};
}
State gru_step(const Tensor& input_gates, const Tensor& hidden_gates, const State& state) {
    const TensorList of_input = fn::chunk(input_gates, 3, 1), of_hidden = fn::chunk(hidden_gates, 3, 1);
    const Tensor reset = fn::sigmoid(fn::add(of_hidden[0], of_input[0], Scalar(1)));
    const Tensor update = fn::sigmoid(fn::add(of_hidden[1], of_input[1], Scalar(1)));
    const Tensor fresh = fn::tanh(fn::add(of_input[2], fn::mul(of_hidden[2], reset), Scalar(1)));
    return {fn::add(fn::mul(fn::sub(state.h, fresh, Scalar(1)), update), fresh, Scalar(1)), Tensor()};
}
using Step = State (*)(const Tensor&, const Tensor&, const State&);

// data: [sum of batches, features], the rows of each step after those before; batches shrink from step to step.
struct Sequence {
    Tensor data;
    Dims batches;
};

Tensor first_rows(const Tensor& t, std::int64_t count) { return narrow_of(t, 0, 0, count); }

// Rows whose sequence has ended keep their state.
State replaced(const State& all, const State& now) {
    const std::int64_t count = now.h.size(0), total = all.h.size(0);
    if (count == total) return now;
    const auto joined = [&](const Tensor& fresh, const Tensor& old) {
        return fresh.defined() ? fn::cat(TensorList{fresh, narrow_of(old, 0, count, total - count)}, 0) : Tensor();
    };
    return {joined(now.h, all.h), joined(now.c, all.c)};
}

Tensor run_direction(const Sequence& input, const PackedCell& cell, Step step, bool is_backward, State& state) {
    const Tensor gates = product(input.data, *cell.input, cell.reduce_range);
    const std::size_t steps = input.batches.size();
    std::vector<std::int64_t> starts(steps, 0);
    for (std::size_t t = 1; t < steps; ++t) starts[t] = starts[t - 1] + input.batches[t - 1];
    TensorList outputs(steps);
    for (std::size_t i = 0; i < steps; ++i) {
        const std::size_t t = is_backward ? steps - 1 - i : i;
        const std::int64_t batch = input.batches[t];
        const State before{first_rows(state.h, batch), state.c.defined() ? first_rows(state.c, batch) : Tensor()};
        const Tensor hidden = product(before.h, *cell.hidden, cell.reduce_range);
        const State after = step(narrow_of(gates, 0, starts[t], batch), hidden, before);
        state = replaced(state, after);
        outputs[t] = after.h;
    }
    return fn::cat(outputs, 0);
}

struct Result {
    Tensor data;
    TensorList h, c;
};

// h, c: [layers * directions, batch, hidden].
Result run_layers(Sequence input, const Tensor& h, const Tensor& c, const std::vector<IValue>& cells,
                  std::int64_t layers, bool bidirectional, Step step) {
    const std::int64_t directions = bidirectional ? 2 : 1;
    require(!input.batches.empty(), "Expected sequence length to be larger than 0 in RNN");
    require(static_cast<std::int64_t>(cells.size()) == layers * directions, "quantised recurrent layers take ",
            layers * directions, " cells, got ", cells.size());
    require(h.dim() == 3 && h.size(0) == layers * directions && h.size(1) == input.batches[0],
            "the hidden state should have the sizes [", layers * directions, ", ", input.batches[0], ", hidden]");
    Result result;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        TensorList outputs;
        for (std::int64_t direction = 0; direction < directions; ++direction) {
            const std::int64_t place = layer * directions + direction;
            State state{fn::select(h, 0, place), c.defined() ? fn::select(c, 0, place) : Tensor()};
            outputs.push_back(
                run_direction(input, cell_of(cells[static_cast<std::size_t>(place)]), step, direction == 1, state));
            result.h.push_back(state.h);
            if (state.c.defined()) result.c.push_back(state.c);
        }
        input.data = outputs.size() == 1 ? outputs[0] : fn::cat(outputs, -1);
    }
    result.data = input.data;
    return result;
}

std::vector<IValue> cells_of(const IValue& value) {
    require(value.is_list(), "expected a list of torch.classes.rnn.CellParamsBase");
    return {value.to_list().elements.begin(), value.to_list().elements.end()};
}

Result run_plain(const Tensor& input, const Tensor& h, const Tensor& c, const IValue& cells, std::int64_t layers,
                 bool bidirectional, bool batch_first, Step step) {
    require(input.dim() == 3, "quantised recurrent layers take an input of three dimensions, got ", input.dim());
    const Tensor x = batch_first ? fn::transpose(input, 0, 1) : input;
    const std::int64_t steps = x.size(0), batch = x.size(1);
    Sequence sequence{fn::reshape(x, Dims{steps * batch, x.size(2)}), Dims(static_cast<std::size_t>(steps), batch)};
    Result result = run_layers(sequence, h, c, cells_of(cells), layers, bidirectional, step);
    result.data = fn::reshape(result.data, Dims{steps, batch, result.data.size(1)});
    if (batch_first) result.data = fn::transpose(result.data, 0, 1);
    return result;
}
Sequence packed_sequence(const Tensor& data, const Tensor& batch_sizes) {
    const Tensor sizes = fn::contiguous(fn::to_dtype(batch_sizes, number_of(ScalarType::Int64)), 0);
    Dims batches(sizes.data<std::int64_t>(), sizes.data<std::int64_t>() + sizes.numel());
    std::int64_t total = 0;
    for (std::size_t t = 0; t < batches.size(); ++t) {
        require(batches[t] > 0 && (t == 0 || batches[t] <= batches[t - 1]), "batch_sizes should fall and be above 0");
        total += batches[t];
    }
    require(data.dim() == 2 && data.size(0) == total, "batch_sizes should add up to the rows of the data");
    return {data, std::move(batches)};
}

using ThreeTensors = std::tuple<Tensor, Tensor, Tensor>;
using TwoTensors = std::tuple<Tensor, Tensor>;

void check_states(const TensorList& hx) { require(hx.size() == 2, "lstm expects two hidden states"); }

ThreeTensors lstm(const Tensor& input, const TensorList& hx, const IValue& cells, bool, std::int64_t layers, double,
                  bool, bool bidirectional, bool batch_first, const IValue&, bool) {
    check_states(hx);
    const Result result = run_plain(input, hx[0], hx[1], cells, layers, bidirectional, batch_first, lstm_step);
    return {result.data, stack_of(result.h, 0), stack_of(result.c, 0)};
}
ThreeTensors lstm_data(const Tensor& data, const Tensor& batch_sizes, const TensorList& hx, const IValue& cells, bool,
                       std::int64_t layers, double, bool, bool bidirectional, const IValue&, bool) {
    check_states(hx);
    const Result result =
        run_layers(packed_sequence(data, batch_sizes), hx[0], hx[1], cells_of(cells), layers, bidirectional, lstm_step);
    return {result.data, stack_of(result.h, 0), stack_of(result.c, 0)};
}
TwoTensors gru(const Tensor& input, const Tensor& hx, const IValue& cells, bool, std::int64_t layers, double, bool,
               bool bidirectional, bool batch_first) {
    const Result result = run_plain(input, hx, Tensor(), cells, layers, bidirectional, batch_first, gru_step);
    return {result.data, stack_of(result.h, 0)};
}
TwoTensors gru_data(const Tensor& data, const Tensor& batch_sizes, const Tensor& hx, const IValue& cells, bool,
                    std::int64_t layers, double, bool, bool bidirectional) {
    const Result result =
        run_layers(packed_sequence(data, batch_sizes), hx, Tensor(), cells_of(cells), layers, bidirectional, gru_step);
    return {result.data, stack_of(result.h, 0)};
}

Tensor gates_of(const Tensor& x, const IValue& layer) { return product(x, *linear_of(layer), false); }
TwoTensors lstm_cell(const Tensor& input, const TensorList& hx, const IValue& w_ih, const IValue& w_hh, const Tensor&,
                     const Tensor&) {
    check_states(hx);
    const State after = lstm_step(gates_of(input, w_ih), gates_of(hx[0], w_hh), {hx[0], hx[1]});
    return {after.h, after.c};
}
Tensor gru_cell(const Tensor& input, const Tensor& hx, const IValue& w_ih, const IValue& w_hh, const Tensor&,
                const Tensor&) {
    return gru_step(gates_of(input, w_ih), gates_of(hx, w_hh), {hx, Tensor()}).h;
}
template <bool IsRectified>
Tensor rnn_cell(const Tensor& input, const Tensor& hx, const IValue& w_ih, const IValue& w_hh, const Tensor&,
                const Tensor&) {
    const Tensor sum = fn::add(gates_of(hx, w_hh), gates_of(input, w_ih), Scalar(1));
    return IsRectified ? fn::relu(sum) : fn::tanh(sum);
}

constexpr OperatorRecord call(std::string_view schema, std::string_view summary, KernelFunction kernel) {
    return {.schema = schema, .summary = summary, .kernel = kernel, .is_gradient_stop = true};
}

constexpr std::string_view kLstm = "LSTM layers whose products are of 8 or 16 bits.";
constexpr std::string_view kGru = "GRU layers whose products are of 8 or 16 bits.";
constexpr std::string_view kCell = "One step of a recurrent layer whose products are of 8 bits.";
constexpr std::string_view kMake = "The packed layers of a recurrent cell as one object.";

#define LOUPE_LINEAR "__torch__.torch.classes.quantized.LinearPackedParamsBase"
#define LOUPE_CELL "__torch__.torch.classes.rnn.CellParamsBase"
#define LOUPE_ONE_STEP(NAME, KERNEL)                                                         \
    call("quantized::" NAME "(Tensor input, Tensor hx, " LOUPE_LINEAR " w_ih, " LOUPE_LINEAR \
         " w_hh, Tensor b_ih, Tensor b_hh) -> Tensor",                                       \
         kCell, boxed<KERNEL>)

constexpr OperatorRecord kRecords[] = {
    call("quantized::make_quantized_cell_params_dynamic(" LOUPE_LINEAR " w_ih, " LOUPE_LINEAR
         " w_hh, Tensor bias_ih, Tensor bias_hh, bool reduce_range=False) -> " LOUPE_CELL,
         kMake, boxed<make_dynamic>),
    call("quantized::make_quantized_cell_params(Tensor w_ih, Tensor w_hh, Tensor b_ih, Tensor b_hh) -> " LOUPE_CELL,
         "The weights of a recurrent cell, rounded to 8 bits, as one object.", boxed<make_rounded>),
    call("quantized::make_quantized_cell_params_fp16(" LOUPE_LINEAR " w_ih, " LOUPE_LINEAR " w_hh) -> " LOUPE_CELL,
         kMake, boxed<make_fp16>),
    call("aten::quantized_lstm.input(Tensor input, Tensor[] hx, " LOUPE_CELL
         "[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first, "
         "*, ScalarType? dtype=None, bool use_dynamic=False) -> (Tensor, Tensor, Tensor)",
         kLstm, boxed<lstm>),
    call("aten::quantized_lstm.data(Tensor data, Tensor batch_sizes, Tensor[] hx, " LOUPE_CELL
         "[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, *, ScalarType? "
         "dtype=None, bool use_dynamic=False) -> (Tensor, Tensor, Tensor)",
         kLstm, boxed<lstm_data>),
    call("aten::quantized_gru.input(Tensor input, Tensor hx, " LOUPE_CELL
         "[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) "
         "-> (Tensor, Tensor)",
         kGru, boxed<gru>),
    call("aten::quantized_gru.data(Tensor data, Tensor batch_sizes, Tensor hx, " LOUPE_CELL
         "[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional) -> (Tensor, "
         "Tensor)",
         kGru, boxed<gru_data>),
    call("quantized::quantized_lstm_cell_dynamic(Tensor input, Tensor[] hx, " LOUPE_LINEAR " w_ih, " LOUPE_LINEAR
         " w_hh, Tensor bias_ih, Tensor bias_hh) -> (Tensor, Tensor)",
         kCell, boxed<lstm_cell>),
    LOUPE_ONE_STEP("quantized_gru_cell_dynamic", gru_cell),
    LOUPE_ONE_STEP("quantized_rnn_relu_cell_dynamic", rnn_cell<true>),
    LOUPE_ONE_STEP("quantized_rnn_tanh_cell_dynamic", rnn_cell<false>),
};

}  // namespace

std::span<const OperatorRecord> recurrent_records() { return kRecords; }

}  // namespace loupe::quantized_ops
