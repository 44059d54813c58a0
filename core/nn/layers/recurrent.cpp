// SPDX-License-Identifier: Apache-2.0
// torch.nn.modules.rnn.
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/base/typed_error.h"
#include "core/dispatch/functions.h"
#include "core/nn/init/init.h"
#include "core/nn/layers/families.h"
#include "core/nn/layers/support.h"
#include "core/nn/tied_size.h"
#include "core/nn/utils/packed_sequence.h"
#include "core/ops/numbers/warnings.h"

namespace loupe::nn::layers {
namespace {

constexpr std::string_view kPython = "torch.nn.modules.rnn";

[[noreturn]] void run_error(std::string message) { throw Error(ErrorKind::Run, std::move(message)); }

void reset_recurrent(Module& self) {
    const auto hidden = static_cast<double>(integer(self, "hidden_size"));
    const double bound = hidden > 0 ? 1 / std::sqrt(hidden) : 0;
    for (const auto& [name, parameter] : self.named_parameters()) init::uniform_(parameter, -bound, bound);
}

struct RecurrentArguments {
    std::string mode;
    std::int64_t input_size = 0;
    std::int64_t hidden_size = 0;
    std::int64_t num_layers = 1;
    bool bias = true;
    bool batch_first = false;
    double dropout = 0;
    bool bidirectional = false;
    std::int64_t proj_size = 0;
};

std::int64_t gates_of(const std::string& mode) { return mode == "LSTM" ? 4 : mode == "GRU" ? 3 : 1; }

void check(const RecurrentArguments& a) {
    if (a.dropout < 0 || a.dropout > 1) {
        run_error("dropout should be a number in range [0, 1] representing the probability of an element being zeroed");
    }
    if (a.dropout > 0 && a.num_layers == 1) {
        warn(
            concat("dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                   "num_layers greater than 1, but "
                   "got dropout=",
                   python_str(a.dropout), " and num_layers=1"));
    }
    if (a.proj_size < 0) run_error("proj_size should be a positive integer or zero to disable projections");
    if (a.proj_size > 0 && a.mode != "LSTM") run_error("proj_size argument is only supported for LSTM, not RNN or GRU");
    if (a.proj_size > 0 && a.proj_size >= a.hidden_size) run_error("proj_size has to be smaller than hidden_size");
}

void build(Module& self, const RecurrentArguments& a, const Factory& factory) {
    check(a);
    self.set_attribute("mode", a.mode);
    self.set_attribute("input_size", a.input_size);
    self.set_attribute("hidden_size", a.hidden_size);
    self.set_attribute("num_layers", a.num_layers);
    self.set_attribute("bias", a.bias);
    self.set_attribute("batch_first", a.batch_first);
    self.set_attribute("dropout", a.dropout);
    self.set_attribute("bidirectional", a.bidirectional);
    self.set_attribute("proj_size", a.proj_size);
    const std::int64_t directions = a.bidirectional ? 2 : 1;
    const std::int64_t gates = gates_of(a.mode) * a.hidden_size;
    const std::int64_t state = a.proj_size > 0 ? a.proj_size : a.hidden_size;
    const auto names = make_ptr<ListObject>(types::string());
    const auto parameter = [&](std::string name, std::initializer_list<std::int64_t> sizes) {
        factory.parameter(self, name, sizes);
        names->elements.emplace_back(std::move(name));
    };
    for (std::int64_t layer = 0; layer < a.num_layers; ++layer) {
        for (std::int64_t direction = 0; direction < directions; ++direction) {
            const std::string suffix = concat("_l", layer, direction == 1 ? "_reverse" : "");
            parameter("weight_ih" + suffix, {gates, layer == 0 ? a.input_size : state * directions});
            parameter("weight_hh" + suffix, {gates, state});
            if (a.bias) {
                parameter("bias_ih" + suffix, {gates});
                parameter("bias_hh" + suffix, {gates});
            }
            if (a.proj_size > 0) parameter("weight_hr" + suffix, {a.proj_size, a.hidden_size});
        }
    }
    self.set_attribute("_flat_weights_names", names);
    reset_recurrent(self);
}

// (input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size, device, dtype)
RecurrentArguments recurrent_arguments(std::string mode, Arguments a) {
    return {std::move(mode), a[0].to_int(),    a[1].to_int(),  a[2].to_int(), a[3].to_bool(),
            a[4].to_bool(),  a[5].to_double(), a[6].to_bool(), a[7].to_int()};
}
Factory factory_of(Arguments a) {
    return {loupe::detail::Unbox<std::optional<Device>>::from(a[8]),
            loupe::detail::Unbox<std::optional<ScalarType>>::from(a[9])};
}
void init_base(Module& self, Arguments a) {
    build(self, recurrent_arguments(a[0].to_string(), a.subspan(1)), factory_of(a.subspan(1)));
}
void init_rnn(Module& self, Arguments a) {
    const std::string& nonlinearity = a[10].to_string();
    if (nonlinearity != "tanh" && nonlinearity != "relu")
        fail_with_value(concat("Unknown nonlinearity '", nonlinearity, "'",
                               is_older_torch() ? "" : ". Select from 'tanh' or 'relu'."));
    self.set_attribute("nonlinearity", nonlinearity);
    build(self, recurrent_arguments(nonlinearity == "tanh" ? "RNN_TANH" : "RNN_RELU", a), factory_of(a));
}
void init_lstm(Module& self, Arguments a) { build(self, recurrent_arguments("LSTM", a), factory_of(a)); }
void init_gru(Module& self, Arguments a) { build(self, recurrent_arguments("GRU", a), factory_of(a)); }

TensorList flat_weights(const Module& self) {
    TensorList out;
    for (const IValue& name : self.attribute("_flat_weights_names").to_list().elements)
        out.push_back(tensor(self, name.to_string()));
    return out;
}

std::string tuple_text(std::initializer_list<std::int64_t> values) { return concat("(", join(values, ", "), ")"); }

void check_size(const Tensor& hidden, std::initializer_list<std::int64_t> want, const char* what) {
    const auto sizes = hidden.sizes();
    if (std::equal(sizes.begin(), sizes.end(), want.begin(), want.end())) return;
    run_error(concat("Expected ", what, " size ", tuple_text(want), ", got ", shape_list_text(sizes)));
}

// One run: the operator's inputs, and how its results are returned.
struct Run {
    Tensor input;        // [T, B, in], [B, T, in], or packed [n, in]
    Tensor batch_sizes;  // of packed input
    TensorList hidden;   // h, and c of an LSTM: [layers * directions, B, size]
};

// zeros(sizes) like another tensor.
Tensor zeros_of(const Tensor& like, std::initializer_list<TiedSize> sizes) {
    const IValue dtype = static_cast<std::int64_t>(like.dtype());
    return fn::zeros(tied_dims(fn::zeros, 0, sizes), dtype, IValue(), like.device(), IValue());
}

TensorList initial_state(const Module& self, const Tensor& like, const TiedSize& batch, bool is_lstm) {
    const std::int64_t count = integer(self, "num_layers") * (flag(self, "bidirectional") ? 2 : 1);
    const std::int64_t hidden = integer(self, "hidden_size");
    const std::int64_t projected = integer(self, "proj_size");
    TensorList out{zeros_of(like, {count, batch, projected > 0 ? projected : hidden})};
    if (is_lstm) out.push_back(zeros_of(like, {count, batch, hidden}));
    return out;
}

void check_state(const Module& self, const TensorList& state, std::int64_t batch, bool is_lstm) {
    const std::int64_t count = integer(self, "num_layers") * (flag(self, "bidirectional") ? 2 : 1);
    const std::int64_t hidden = integer(self, "hidden_size");
    const std::int64_t projected = integer(self, "proj_size");
    check_size(state[0], {count, batch, projected > 0 ? projected : hidden}, is_lstm ? "hidden[0]" : "hidden");
    if (is_lstm) check_size(state[1], {count, batch, hidden}, "hidden[1]");
}

// The operator's results: the output and the last state.
TensorList run_operator(const Module& self, const Run& run, bool is_lstm) {
    const std::string& mode = self.attribute("mode").to_string();
    const char* base = is_lstm ? "lstm" : mode == "GRU" ? "gru" : mode == "RNN_TANH" ? "rnn_tanh" : "rnn_relu";
    const bool is_packed = run.batch_sizes.defined();
    const Operator& op =
        loupe::detail::operator_or_throw(concat("aten::", base, is_packed ? ".data" : ".input").c_str());
    const IValue state = is_lstm ? IValue(run.hidden) : IValue(run.hidden[0]);
    std::vector<IValue> arguments{run.input};
    if (is_packed) arguments.emplace_back(run.batch_sizes);
    for (const IValue& argument :
         {state, IValue(flat_weights(self)), self.attribute("bias"), self.attribute("num_layers"),
          self.attribute("dropout"), IValue(self.is_training()), self.attribute("bidirectional")}) {
        arguments.push_back(argument);
    }
    if (!is_packed) arguments.push_back(self.attribute("batch_first"));
    std::vector<IValue> results(op.result_count());
    call_operator(op, arguments, results.data());
    TensorList out;
    for (const IValue& result : results) out.push_back(result.to_tensor());
    return out;
}

TensorList each_of(const IValue& hx, bool is_lstm) {
    if (hx.is_none()) return {};
    if (!is_lstm) return {hx.to_tensor()};
    const auto& parts = hx.is_list() ? hx.to_list().elements : hx.to_tuple().elements;
    if (parts.size() != 2) run_error("LSTM: expected hx to be a pair of tensors");
    return {parts[0].to_tensor(), parts[1].to_tensor()};
}

IValue state_value(const TensorList& results, bool is_lstm) {
    return is_lstm ? tuple({IValue(results[1]), IValue(results[2])}) : IValue(results[1]);
}

void check_input(const Module& self, const Tensor& input) {
    const std::int64_t want = integer(self, "input_size");
    if (input.size(-1) != want) {
        run_error(concat("input.size(-1) must be equal to input_size. Expected ", want, ", got ", input.size(-1)));
    }
}

IValue run_packed(const Module& self, const PackedSequence& packed, const IValue& hx, bool is_lstm) {
    check_input(self, packed.data);
    const std::int64_t batch = item(fn::select(packed.batch_sizes, 0, 0)).to_int();
    Run run{packed.data, packed.batch_sizes, each_of(hx, is_lstm)};
    if (run.hidden.empty()) {
        run.hidden = initial_state(self, packed.data, batch, is_lstm);
    } else if (packed.sorted_indices.defined()) {
        for (Tensor& state : run.hidden) state = fn::index_select(state, 1, packed.sorted_indices);
    }
    check_state(self, run.hidden, batch, is_lstm);
    TensorList results = run_operator(self, run, is_lstm);
    if (packed.unsorted_indices.defined()) {
        for (std::size_t i = 1; i < results.size(); ++i)
            results[i] = fn::index_select(results[i], 1, packed.unsorted_indices);
    }
    const PackedSequence output{results[0], packed.batch_sizes, packed.sorted_indices, packed.unsorted_indices};
    return tuple({output.to_value(), state_value(results, is_lstm)});
}

IValue recur(Module& self, const IValue& given, const IValue& hx) {
    const bool is_lstm = self.attribute("mode").to_string() == "LSTM";
    if (is_packed_sequence(given)) return run_packed(self, packed_sequence_of(given), hx, is_lstm);
    const Tensor input = given.to_tensor();
    // An unbatched input is one sequence.
    if (input.dim() != 2 && input.dim() != 3) {
        if (is_older_torch()) run_error(concat("input must have 3 dimensions, got ", input.dim() + 1));
        const std::string& mode = self.attribute("mode").to_string();
        const bool is_plain = mode.starts_with("RNN");
        fail_with_value(concat(is_plain ? "RNN" : mode, ": Expected input to be 2D or 3D, got ", input.dim(), "D ",
                               is_plain ? "tensor instead" : "instead"));
    }
    const bool has_batch = input.dim() == 3;
    const std::int64_t batch_dim = flag(self, "batch_first") ? 0 : 1;
    Run run{has_batch ? input : fn::unsqueeze(input, batch_dim), {}, each_of(hx, is_lstm)};
    check_input(self, run.input);
    for (Tensor& state : run.hidden) {
        if (state.dim() != input.dim()) {
            if (is_lstm && !is_older_torch()) {
                run_error(concat("For ", has_batch ? "batched 3-D" : "unbatched 2-D",
                                 " input, hx and cx should also be ", input.dim(), "-D but got (", run.hidden[0].dim(),
                                 "-D, ", run.hidden[1].dim(), "-D) tensors"));
            }
            run_error(concat("For ", has_batch ? "batched 3-D" : "unbatched 2-D", " input, hx should also be ",
                             input.dim(), "-D but got ", state.dim(), "-D tensor"));
        }
        if (!has_batch) state = fn::unsqueeze(state, 1);
    }
    if (run.hidden.empty()) run.hidden = initial_state(self, run.input, size_of(run.input, batch_dim), is_lstm);
    check_state(self, run.hidden, run.input.size(batch_dim), is_lstm);
    TensorList results = run_operator(self, run, is_lstm);
    if (!has_batch) {
        results[0] = fn::squeeze(results[0], batch_dim);
        for (std::size_t i = 1; i < results.size(); ++i) results[i] = fn::squeeze(results[i], 1);
    }
    return tuple({IValue(results[0]), state_value(results, is_lstm)});
}

std::string recurrent_repr(const Module& self) {
    const auto text = [&](const char* name) { return python_str(self.attribute(name)); };
    std::string out = concat(text("input_size"), ", ", text("hidden_size"));
    if (integer(self, "proj_size") != 0) out += ", proj_size=" + text("proj_size");
    if (integer(self, "num_layers") != 1) out += ", num_layers=" + text("num_layers");
    if (!flag(self, "bias")) out += ", bias=False";
    if (flag(self, "batch_first")) out += ", batch_first=True";
    if (number(self, "dropout") != 0) out += ", dropout=" + text("dropout");
    if (flag(self, "bidirectional")) out += ", bidirectional=True";
    return out;
}

void build_cell(Module& self, std::int64_t input_size, std::int64_t hidden_size, bool bias, std::int64_t chunks,
                const Factory& factory) {
    self.set_attribute("input_size", input_size);
    self.set_attribute("hidden_size", hidden_size);
    self.set_attribute("bias", bias);
    factory.parameter(self, "weight_ih", {chunks * hidden_size, input_size});
    factory.parameter(self, "weight_hh", {chunks * hidden_size, hidden_size});
    for (const char* name : {"bias_ih", "bias_hh"}) {
        bias ? factory.parameter(self, name, {chunks * hidden_size}) : no_parameter(self, name);
    }
    reset_recurrent(self);
}
void init_cell_base(Module& self, std::int64_t input_size, std::int64_t hidden_size, bool bias, std::int64_t chunks,
                    std::optional<Device> device, std::optional<ScalarType> dtype) {
    build_cell(self, input_size, hidden_size, bias, chunks, Factory(device, dtype));
}
void init_rnn_cell(Module& self, std::int64_t input_size, std::int64_t hidden_size, bool bias,
                   std::string_view nonlinearity, std::optional<Device> device, std::optional<ScalarType> dtype) {
    build_cell(self, input_size, hidden_size, bias, 1, Factory(device, dtype));
    self.set_attribute("nonlinearity", std::string(nonlinearity));
}
template <int kChunks>
void init_cell(Module& self, std::int64_t input_size, std::int64_t hidden_size, bool bias, std::optional<Device> device,
               std::optional<ScalarType> dtype) {
    build_cell(self, input_size, hidden_size, bias, kChunks, Factory(device, dtype));
}

// One step. kind: the operator's prefix.
IValue step(Module& self, const Tensor& given, const IValue& hx, const char* kind) {
    const bool is_lstm = std::string_view(kind) == "lstm";
    if (given.dim() != 1 && given.dim() != 2) {
        run_error(
            concat(self.layer()->name, ": Expected input to be 1-D or 2-D but received ", given.dim(), "-D tensor"));
    }
    const bool has_batch = given.dim() == 2;
    const Tensor input = has_batch ? given : fn::unsqueeze(given, 0);
    TensorList state = each_of(hx, is_lstm);
    for (Tensor& each : state) {
        if (!has_batch) each = fn::unsqueeze(each, 0);
    }
    if (state.empty()) {
        state.assign(is_lstm ? 2 : 1, zeros_of(input, {size_of(input, 0), integer(self, "hidden_size")}));
    }
    const Operator& op = loupe::detail::operator_or_throw(concat("aten::", kind, "_cell").c_str());
    const std::vector<IValue> arguments{input,
                                        is_lstm ? IValue(state) : IValue(state[0]),
                                        self.attribute("weight_ih"),
                                        self.attribute("weight_hh"),
                                        self.attribute("bias_ih"),
                                        self.attribute("bias_hh")};
    std::vector<IValue> results(op.result_count());
    call_operator(op, arguments, results.data());
    if (!has_batch) {
        for (IValue& result : results) result = fn::squeeze(result.to_tensor(), 0);
    }
    return is_lstm ? tuple(std::move(results)) : results[0];
}
IValue step_rnn(Module& self, const Tensor& input, const IValue& hx) {
    const std::string& nonlinearity = self.attribute("nonlinearity").to_string();
    if (nonlinearity != "tanh" && nonlinearity != "relu") run_error(concat("Unknown nonlinearity: ", nonlinearity));
    return step(self, input, hx, nonlinearity == "tanh" ? "rnn_tanh" : "rnn_relu");
}
IValue step_lstm(Module& self, const Tensor& input, const IValue& hx) { return step(self, input, hx, "lstm"); }
IValue step_gru(Module& self, const Tensor& input, const IValue& hx) { return step(self, input, hx, "gru"); }

IValue nothing(Module&, Arguments) { return {}; }
constexpr LayerMethod kMethods[] = {{"flatten_parameters() -> ()", nothing}};

#define LOUPE_RECURRENT                                                                                               \
    "int input_size, int hidden_size, int num_layers=1, bool bias=True, bool batch_first=False, Scalar dropout=0.0, " \
    "bool "                                                                                                           \
    "bidirectional=False, int proj_size=0, Device? device=None, ScalarType? dtype=None"
#define LOUPE_CELL "(int input_size, int hidden_size, bool bias=True, Device? device=None, ScalarType? dtype=None)"
constexpr std::string_view kForward = "(Any input, Any hx=None) -> Any";
constexpr std::string_view kStep = "(Tensor input, Any hx=None) -> Any";

std::string cell_repr(const Module& self) {
    const auto text = [&](const char* name) { return python_str(self.attribute(name)); };
    std::string out = concat(text("input_size"), ", ", text("hidden_size"));
    if (!flag(self, "bias")) out += ", bias=False";
    if (self.find_attribute("nonlinearity") != nullptr && text("nonlinearity") != "tanh")
        out += ", nonlinearity=" + text("nonlinearity");
    return out;
}

constexpr LayerRecord kRecords[] = {
    {.name = "RNNBase",
     .base = "Module",
     .module = kPython,
     .summary = "The base of recurrent layers.",
     .constructor = "(str mode, " LOUPE_RECURRENT ")",
     .init = init_base,
     .forward_schema = kForward,
     .forward = computes<recur>,
     .constants = "mode input_size hidden_size num_layers bias batch_first dropout bidirectional proj_size",
     .extra_repr = recurrent_repr,
     .reset_parameters = reset_recurrent,
     .methods = kMethods},
    {.name = "RNN",
     .base = "RNNBase",
     .module = kPython,
     .summary = "The Elman network.",
     .constructor = "(" LOUPE_RECURRENT ", *, str nonlinearity=\"tanh\")",
     .init = init_rnn,
     .constants = "nonlinearity"},
    {.name = "LSTM",
     .base = "RNNBase",
     .module = kPython,
     .summary = "Long short-term memory.",
     .constructor = "(" LOUPE_RECURRENT ")",
     .init = init_lstm},
    {.name = "GRU",
     .base = "RNNBase",
     .module = kPython,
     .summary = "The gated recurrent unit.",
     .constructor = "(" LOUPE_RECURRENT ")",
     .init = init_gru},
    {.name = "RNNCellBase",
     .base = "Module",
     .module = kPython,
     .summary = "The base of recurrent cells.",
     .constructor =
         "(int input_size, int hidden_size, bool bias, int num_chunks, Device? device=None, ScalarType? dtype=None)",
     .init = builds<init_cell_base>,
     .constants = "input_size hidden_size bias",
     .extra_repr = cell_repr,
     .reset_parameters = reset_recurrent},
    {.name = "RNNCell",
     .base = "RNNCellBase",
     .module = kPython,
     .summary = "One step of an RNN.",
     .constructor = "(int input_size, int hidden_size, bool bias=True, str nonlinearity=\"tanh\", Device? device=None, "
                    "ScalarType? "
                    "dtype=None)",
     .init = builds<init_rnn_cell>,
     .forward_schema = kStep,
     .forward = computes<step_rnn>,
     .constants = "nonlinearity",
     .annotations = "bias_ih: Optional[Tensor]; bias_hh: Optional[Tensor]"},
    {.name = "LSTMCell",
     .base = "RNNCellBase",
     .module = kPython,
     .summary = "One step of an LSTM.",
     .constructor = LOUPE_CELL,
     .init = builds<init_cell<4>>,
     .forward_schema = kStep,
     .forward = computes<step_lstm>,
     .annotations = "bias_ih: Optional[Tensor]; bias_hh: Optional[Tensor]"},
    {.name = "GRUCell",
     .base = "RNNCellBase",
     .module = kPython,
     .summary = "One step of a GRU.",
     .constructor = LOUPE_CELL,
     .init = builds<init_cell<3>>,
     .forward_schema = kStep,
     .forward = computes<step_gru>,
     .annotations = "bias_ih: Optional[Tensor]; bias_hh: Optional[Tensor]"},
};
#undef LOUPE_RECURRENT
#undef LOUPE_CELL

}  // namespace

LayerFamily recurrent_layers() { return kRecords; }

}  // namespace loupe::nn::layers
