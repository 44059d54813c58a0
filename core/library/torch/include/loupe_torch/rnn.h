// SPDX-License-Identifier: Apache-2.0
#pragma once
// Recurrent layers and cells of torch::nn. Their options are written from the engine's records: layers.inc.

#include <optional>
#include <tuple>
#include <vector>

#include <loupe_torch/nn.h>
#include <loupe_torch/packed_sequence.h>

namespace torch::nn {
namespace detail {

// What RNN, LSTM and GRU share. State: the hidden state, with the cell state of an LSTM.
template <typename State>
class RecurrentLayer : public Layer {
  public:
    // All parameters, those of a layer and direction one after the other.
    std::vector<at::Tensor> all_weights() const { return parameters(); }
    // The engine needs no copy of the weights in one piece.
    void flatten_parameters() {}

  protected:
    using Layer::Layer;
    using Packed = utils::rnn::PackedSequence;
    std::tuple<at::Tensor, State> run_padded(const at::Tensor& input, loupe::IValue state) const;
    std::tuple<Packed, State> run_packed(const Packed& input, loupe::IValue state) const;
};

using LstmState = std::tuple<at::Tensor, at::Tensor>;
extern template class RecurrentLayer<at::Tensor>;
extern template class RecurrentLayer<LstmState>;

// One step of a recurrent layer.
class RecurrentCell : public Layer {
  public:
    at::Tensor weight_ih, weight_hh, bias_ih, bias_hh;

  protected:
    RecurrentCell(const char* record, const Arguments& arguments);
};

}  // namespace detail

// The Elman network. input: [T, B, input_size], with batch_first [B, T, input_size]; hx: [layers * directions, B,
// hidden_size], zeros when undefined. Gives the output of every step and the last state.
class RNNImpl : public detail::RecurrentLayer<at::Tensor> {
  public:
    RNNImpl(std::int64_t input_size, std::int64_t hidden_size) : RNNImpl(RNNOptions(input_size, hidden_size)) {}
    explicit RNNImpl(const RNNOptions& given);
    std::tuple<at::Tensor, at::Tensor> forward(const at::Tensor& input, const at::Tensor& hx = {});
    std::tuple<Packed, at::Tensor> forward_with_packed_input(const Packed& input, const at::Tensor& hx = {});
    std::shared_ptr<Module> clone(const std::optional<c10::Device>& device = std::nullopt) const override {
        return copied_to(std::make_shared<RNNImpl>(options), device);
    }
    void pretty_print(std::ostream& out) const override;
    RNNOptions options;
};
TORCH_MODULE(RNN);

// The gated recurrent unit, with inputs and results as RNN.
class GRUImpl : public detail::RecurrentLayer<at::Tensor> {
  public:
    GRUImpl(std::int64_t input_size, std::int64_t hidden_size) : GRUImpl(GRUOptions(input_size, hidden_size)) {}
    explicit GRUImpl(const GRUOptions& given);
    std::tuple<at::Tensor, at::Tensor> forward(const at::Tensor& input, const at::Tensor& hx = {});
    std::tuple<Packed, at::Tensor> forward_with_packed_input(const Packed& input, const at::Tensor& hx = {});
    std::shared_ptr<Module> clone(const std::optional<c10::Device>& device = std::nullopt) const override {
        return copied_to(std::make_shared<GRUImpl>(options), device);
    }
    void pretty_print(std::ostream& out) const override;
    GRUOptions options;
};
TORCH_MODULE(GRU);

// Long short-term memory. The state is (h, c), c: [layers * directions, B, hidden_size]; h and the output have
// proj_size features when that is set.
class LSTMImpl : public detail::RecurrentLayer<detail::LstmState> {
  public:
    using State = detail::LstmState;
    LSTMImpl(std::int64_t input_size, std::int64_t hidden_size) : LSTMImpl(LSTMOptions(input_size, hidden_size)) {}
    explicit LSTMImpl(const LSTMOptions& given);
    std::tuple<at::Tensor, State> forward(const at::Tensor& input, const std::optional<State>& hx = {});
    std::tuple<Packed, State> forward_with_packed_input(const Packed& input, const std::optional<State>& hx = {});
    std::shared_ptr<Module> clone(const std::optional<c10::Device>& device = std::nullopt) const override {
        return copied_to(std::make_shared<LSTMImpl>(options), device);
    }
    void pretty_print(std::ostream& out) const override;
    LSTMOptions options;
};
TORCH_MODULE(LSTM);

// input: [B, input_size]; hx and the result: [B, hidden_size].
class RNNCellImpl : public detail::RecurrentCell {
  public:
    RNNCellImpl(std::int64_t input_size, std::int64_t hidden_size)
        : RNNCellImpl(RNNCellOptions(input_size, hidden_size)) {}
    explicit RNNCellImpl(const RNNCellOptions& given);
    at::Tensor forward(const at::Tensor& input, const at::Tensor& hx = {});
    std::shared_ptr<Module> clone(const std::optional<c10::Device>& device = std::nullopt) const override {
        return copied_to(std::make_shared<RNNCellImpl>(options), device);
    }
    void pretty_print(std::ostream& out) const override;
    RNNCellOptions options;
};
TORCH_MODULE(RNNCell);

class GRUCellImpl : public detail::RecurrentCell {
  public:
    GRUCellImpl(std::int64_t input_size, std::int64_t hidden_size)
        : GRUCellImpl(GRUCellOptions(input_size, hidden_size)) {}
    explicit GRUCellImpl(const GRUCellOptions& given);
    at::Tensor forward(const at::Tensor& input, const at::Tensor& hx = {});
    std::shared_ptr<Module> clone(const std::optional<c10::Device>& device = std::nullopt) const override {
        return copied_to(std::make_shared<GRUCellImpl>(options), device);
    }
    void pretty_print(std::ostream& out) const override;
    GRUCellOptions options;
};
TORCH_MODULE(GRUCell);

// hx and the result are (h, c).
class LSTMCellImpl : public detail::RecurrentCell {
  public:
    using State = detail::LstmState;
    LSTMCellImpl(std::int64_t input_size, std::int64_t hidden_size)
        : LSTMCellImpl(LSTMCellOptions(input_size, hidden_size)) {}
    explicit LSTMCellImpl(const LSTMCellOptions& given);
    State forward(const at::Tensor& input, const std::optional<State>& hx = {});
    std::shared_ptr<Module> clone(const std::optional<c10::Device>& device = std::nullopt) const override {
        return copied_to(std::make_shared<LSTMCellImpl>(options), device);
    }
    void pretty_print(std::ostream& out) const override;
    LSTMCellOptions options;
};
TORCH_MODULE(LSTMCell);

}  // namespace torch::nn
