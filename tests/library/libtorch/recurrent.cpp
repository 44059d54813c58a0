// SPDX-License-Identifier: Apache-2.0
// Recurrent layers and cells, sequences of different lengths, and a training of a sequence model.
#include <torch/torch.h>

#include <cstdio>
#include <iostream>
#include <optional>
#include <tuple>
#include <vector>

namespace nn = torch::nn;

namespace {

template <typename Layer>
void print_parameters(const Layer& layer) {
    for (const auto& pair : layer->named_parameters()) std::cout << pair.key() << ' ' << pair.value().sizes() << '\n';
}

void run_rnn(const torch::Tensor& x) {
    nn::RNN plain(4, 3);
    auto [out, last] = plain(x);
    std::cout << out << '\n' << last << '\n';
    nn::RNN rnn(nn::RNNOptions(4, 3).num_layers(2).nonlinearity(torch::kReLU).bidirectional(true).bias(false));
    print_parameters(rnn);
    std::tie(out, last) = rnn->forward(x, torch::ones({4, 2, 3}));
    std::cout << out << '\n' << last << '\n' << rnn->options.num_layers() << ' ' << rnn->options.bias() << '\n';
}

void run_gru(const torch::Tensor& x) {
    nn::GRU gru(nn::GRUOptions(4, 3).batch_first(true).num_layers(2).dropout(0.5));
    auto batch_first = x.transpose(0, 1);
    auto [out, last] = gru(batch_first);  // with dropout between the layers
    std::cout << out.sizes() << '\n' << last << '\n';
    gru->eval();
    std::tie(out, last) = gru->forward(batch_first, torch::full({2, 2, 3}, 0.5));
    std::cout << out << '\n' << gru->options.dropout() << ' ' << gru->options.batch_first() << '\n';
}

void run_lstm(const torch::Tensor& x) {
    nn::LSTM lstm(nn::LSTMOptions(4, 3).num_layers(2).proj_size(2).bidirectional(true));
    print_parameters(lstm);
    auto [out, state] = lstm(x);
    std::cout << out << '\n' << std::get<0>(state) << '\n' << std::get<1>(state) << '\n';
    std::tie(out, state) = lstm->forward(x, std::make_tuple(torch::ones({4, 2, 2}), torch::ones({4, 2, 3})));
    std::cout << out << '\n' << lstm->options.proj_size() << ' ' << lstm->options.hidden_size() << '\n';
    out.sum().backward();
    std::cout << lstm->parameters()[0].grad().slice(0, 0, 3) << '\n' << lstm->all_weights().size() << '\n';
    try {
        lstm(torch::ones({5, 2, 7}));
    } catch (const c10::Error&) {
        std::cout << "the input has another size\n";
    }
}

void run_cells(const torch::Tensor& x) {
    nn::RNNCell cell(nn::RNNCellOptions(4, 3).nonlinearity(torch::kReLU));
    nn::GRUCell gru(4, 3);
    nn::LSTMCell lstm(nn::LSTMCellOptions(4, 3).bias(false));
    torch::Tensor h, g;
    std::optional<std::tuple<torch::Tensor, torch::Tensor>> state;
    for (int64_t t = 0; t < x.size(0); ++t) {
        h = cell(x[t], h);
        g = gru->forward(x[t], g);
        state = lstm->forward(x[t], state);
    }
    std::cout << h << '\n' << g << '\n' << std::get<0>(*state) << '\n' << std::get<1>(*state) << '\n';
    std::cout << cell->weight_ih.sizes() << ' ' << gru->bias_hh.sizes() << ' ' << lstm->bias_ih.defined() << ' '
              << lstm->weight_hh.sizes() << '\n';
}

void run_packed() {
    namespace rnn = nn::utils::rnn;
    std::vector<torch::Tensor> sequences{torch::linspace(0, 1, 8).view({2, 4}), torch::linspace(-1, 1, 16).view({4, 4}),
                                         torch::linspace(1, 2, 12).view({3, 4})};
    auto packed = rnn::pack_sequence(sequences, /*enforce_sorted=*/false);
    std::cout << packed.data().sizes() << '\n'
              << packed.batch_sizes() << '\n'
              << packed.sorted_indices() << '\n'
              << packed.unsorted_indices() << '\n';
    nn::LSTM lstm(4, 3);
    auto [out, state] = lstm->forward_with_packed_input(packed);
    auto [padded, lengths] = rnn::pad_packed_sequence(out, /*batch_first=*/true);
    std::cout << padded << '\n' << lengths << '\n' << std::get<0>(state) << '\n' << std::get<1>(state) << '\n';

    nn::GRU gru(nn::GRUOptions(4, 2).bidirectional(true));
    auto input = rnn::pad_sequence(sequences, /*batch_first=*/false, /*padding_value=*/9.0);
    auto repacked = rnn::pack_padded_sequence(input, torch::tensor({2, 4, 3}), false, false);
    auto [gru_out, gru_last] = gru->forward_with_packed_input(repacked, torch::ones({2, 3, 2}));
    std::cout << std::get<0>(rnn::pad_packed_sequence(gru_out, false, -1.0, 5)) << '\n' << gru_last << '\n';
    try {
        rnn::pack_padded_sequence(input, torch::tensor({2, 4, 3}));
    } catch (const c10::Error&) {
        std::cout << "the lengths are not sorted\n";
    }
}

struct Tagger : nn::Module {
    Tagger() : embedding(6, 4), lstm(nn::LSTMOptions(4, 5).batch_first(true)), out(5, 3) {
        register_module("embedding", embedding);
        register_module("lstm", lstm);
        register_module("out", out);
    }
    torch::Tensor forward(const torch::Tensor& words) { return out(std::get<0>(lstm(embedding(words)))).flatten(0, 1); }
    nn::Embedding embedding;
    nn::LSTM lstm;
    nn::Linear out;
};

void train() {
    auto net = std::make_shared<Tagger>();
    auto words = torch::arange(12).view({2, 6}) % 6;
    auto tags = (words % 3).flatten();
    torch::optim::Adam adam(net->parameters(), torch::optim::AdamOptions(0.05));
    for (int step = 1; step <= 30; ++step) {
        adam.zero_grad();
        auto loss = nn::functional::cross_entropy(net->forward(words), tags);
        loss.backward();
        auto norm = nn::utils::clip_grad_norm_(net->parameters(), 0.5);
        adam.step();
        if (step % 10 == 0) std::printf("step %d: %.3f, norm %.2f\n", step, loss.item<float>(), norm);
    }
    std::fflush(stdout);
    auto values = nn::utils::parameters_to_vector(net->out->parameters());
    std::cout << values.sizes() << '\n';
    nn::utils::vector_to_parameters(torch::zeros_like(values), net->out->parameters());
    nn::utils::clip_grad_value_(net->out->weight, 0.001);
    std::cout << net->out->weight << '\n' << (net->out->weight.grad().abs().max() <= 0.001).item<bool>() << '\n';
    auto copy = std::dynamic_pointer_cast<nn::LSTMImpl>(net->lstm->clone());
    auto x = torch::ones({1, 2, 4});
    std::cout << torch::allclose(std::get<0>(copy->forward(x)), std::get<0>(net->lstm(x))) << ' '
              << copy->parameters()[0].is_same(net->lstm->parameters()[0]) << '\n';
}

}  // namespace

int main() {
    torch::manual_seed(11);
    auto x = torch::randn({5, 2, 4});
    run_rnn(x);
    run_gru(x);
    run_lstm(x);
    run_cells(x);
    run_packed();
    train();
    return 0;
}
