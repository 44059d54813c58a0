// SPDX-License-Identifier: Apache-2.0
#include <loupe_torch/rnn.h>

#include <type_traits>

#include "core/library/torch/call.h"
#include "core/library/torch/packed_value.h"

using namespace loupe::torch_api;

namespace torch::nn {
namespace {

using detail::LstmState;
using utils::rnn::PackedSequence;

// An undefined state is None: zeros.
loupe::IValue state_value(const at::Tensor& hx) { return hx.defined() ? box(hx) : loupe::IValue(); }
loupe::IValue state_value(const std::optional<LstmState>& hx) {
    if (!hx) return {};
    return loupe::make_ptr<loupe::TupleObject>(
        std::vector<loupe::IValue>{box(std::get<0>(*hx)), box(std::get<1>(*hx))});
}

template <typename State>
State state_of(const loupe::IValue& value) {
    if constexpr (std::is_same_v<State, at::Tensor>) {
        return at::Tensor(value.to_tensor());
    } else {
        const auto& both = value.to_tuple().elements;
        return {at::Tensor(both[0].to_tensor()), at::Tensor(both[1].to_tensor())};
    }
}

at::Tensor parameter(const loupe::nn::Module& module, const char* name) {
    const loupe::IValue* found = module.find_attribute(name);
    return found != nullptr && found->is_tensor() ? at::Tensor(found->to_tensor()) : at::Tensor();
}

}  // namespace

namespace detail {

template <typename State>
std::tuple<at::Tensor, State> RecurrentLayer<State>::run_padded(const at::Tensor& input, loupe::IValue state) const {
    return translated([&]() -> std::tuple<at::Tensor, State> {
        const loupe::IValue result = engine()->call({box(input), std::move(state)});
        const auto& both = result.to_tuple().elements;
        return {at::Tensor(both[0].to_tensor()), state_of<State>(both[1])};
    });
}

template <typename State>
auto RecurrentLayer<State>::run_packed(const Packed& input, loupe::IValue state) const -> std::tuple<Packed, State> {
    return translated([&]() -> std::tuple<Packed, State> {
        const loupe::IValue result = engine()->call({engine_packed(input).to_value(), std::move(state)});
        const auto& both = result.to_tuple().elements;
        return {torch_packed(loupe::nn::packed_sequence_of(both[0])), state_of<State>(both[1])};
    });
}

template class RecurrentLayer<at::Tensor>;
template class RecurrentLayer<LstmState>;

RecurrentCell::RecurrentCell(const char* record, const Arguments& arguments)
    : Layer(record, arguments),
      weight_ih(parameter(*engine(), "weight_ih")),
      weight_hh(parameter(*engine(), "weight_hh")),
      bias_ih(parameter(*engine(), "bias_ih")),
      bias_hh(parameter(*engine(), "bias_hh")) {}

}  // namespace detail

RNNImpl::RNNImpl(const RNNOptions& given) : RecurrentLayer("RNN", given.engine_arguments()), options(given) {}
std::tuple<at::Tensor, at::Tensor> RNNImpl::forward(const at::Tensor& input, const at::Tensor& hx) {
    return run_padded(input, state_value(hx));
}
std::tuple<PackedSequence, at::Tensor> RNNImpl::forward_with_packed_input(const Packed& input, const at::Tensor& hx) {
    return run_packed(input, state_value(hx));
}

GRUImpl::GRUImpl(const GRUOptions& given) : RecurrentLayer("GRU", given.engine_arguments()), options(given) {}
std::tuple<at::Tensor, at::Tensor> GRUImpl::forward(const at::Tensor& input, const at::Tensor& hx) {
    return run_padded(input, state_value(hx));
}
std::tuple<PackedSequence, at::Tensor> GRUImpl::forward_with_packed_input(const Packed& input, const at::Tensor& hx) {
    return run_packed(input, state_value(hx));
}

LSTMImpl::LSTMImpl(const LSTMOptions& given) : RecurrentLayer("LSTM", given.engine_arguments()), options(given) {}
std::tuple<at::Tensor, LstmState> LSTMImpl::forward(const at::Tensor& input, const std::optional<State>& hx) {
    return run_padded(input, state_value(hx));
}
std::tuple<PackedSequence, LstmState> LSTMImpl::forward_with_packed_input(const Packed& input,
                                                                          const std::optional<State>& hx) {
    return run_packed(input, state_value(hx));
}

RNNCellImpl::RNNCellImpl(const RNNCellOptions& given)
    : RecurrentCell("RNNCell", given.engine_arguments()), options(given) {}
at::Tensor RNNCellImpl::forward(const at::Tensor& input, const at::Tensor& hx) {
    return run({box(input), state_value(hx)});
}

GRUCellImpl::GRUCellImpl(const GRUCellOptions& given)
    : RecurrentCell("GRUCell", given.engine_arguments()), options(given) {}
at::Tensor GRUCellImpl::forward(const at::Tensor& input, const at::Tensor& hx) {
    return run({box(input), state_value(hx)});
}

LSTMCellImpl::LSTMCellImpl(const LSTMCellOptions& given)
    : RecurrentCell("LSTMCell", given.engine_arguments()), options(given) {}
LstmState LSTMCellImpl::forward(const at::Tensor& input, const std::optional<State>& hx) {
    return translated([&] { return state_of<LstmState>(engine()->call({box(input), state_value(hx)})); });
}

}  // namespace torch::nn
