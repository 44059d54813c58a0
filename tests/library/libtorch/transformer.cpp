// SPDX-License-Identifier: Apache-2.0
// Attention and transformers, with masks, clones and a training step.
#include <torch/torch.h>

#include <cstdio>
#include <iostream>
#include <tuple>

namespace nn = torch::nn;

namespace {

template <typename Module>
void print_parameters(const Module& module) {
    for (const auto& pair : module->named_parameters()) std::cout << pair.key() << ' ' << pair.value().sizes() << '\n';
}

void run_attention() {
    nn::MultiheadAttention attention(8, 2);
    print_parameters(attention);
    auto query = torch::randn({3, 2, 8}), key = torch::randn({4, 2, 8});
    auto [out, weights] = attention(query, key, key);
    std::cout << out << '\n' << weights << '\n';
    auto padding = torch::zeros({2, 4}, torch::kBool);
    padding.index_put_({1, torch::indexing::Slice(2, torch::indexing::None)}, true);
    auto mask = torch::zeros({3, 4});
    mask[0][3] = -1e9;
    std::tie(out, weights) = attention->forward(query, key, key, padding, /*need_weights=*/true, mask,
                                                /*average_attn_weights=*/false);
    std::cout << out << '\n' << weights << '\n';
    std::tie(out, weights) = attention->forward(query, key, key, {}, /*need_weights=*/false);
    std::cout << out.sizes() << ' ' << weights.defined() << '\n';

    nn::MultiheadAttention other(
        nn::MultiheadAttentionOptions(8, 4).kdim(5).vdim(5).add_bias_kv(true).add_zero_attn(true).bias(false));
    print_parameters(other);
    std::tie(out, weights) = other->forward(query, torch::randn({4, 2, 5}), torch::randn({4, 2, 5}));
    std::cout << out << '\n' << weights << '\n' << other->head_dim << ' ' << other->options.kdim() << '\n';
}

void run_layers() {
    nn::TransformerEncoderLayer encoder(
        nn::TransformerEncoderLayerOptions(8, 2).dim_feedforward(12).dropout(0.0).activation(torch::kGELU));
    print_parameters(encoder);
    auto src = torch::randn({4, 2, 8});
    auto padding = torch::zeros({2, 4}, torch::kBool);
    padding[0][3] = true;
    auto causal = nn::TransformerImpl::generate_square_subsequent_mask(4);
    std::cout << causal << '\n' << encoder(src) << '\n' << encoder(src, causal, padding) << '\n';

    nn::TransformerDecoderLayer decoder(
        nn::TransformerDecoderLayerOptions(8, 2).dim_feedforward(12).dropout(0.2).activation(
            [](const torch::Tensor& x) { return torch::tanh(x); }));
    print_parameters(decoder);
    auto tgt = torch::randn({3, 2, 8});
    std::cout << decoder(tgt, src).sizes() << '\n';  // in training mode, with dropout
    decoder->eval();
    std::cout << decoder(tgt, src, nn::TransformerImpl::generate_square_subsequent_mask(3)) << '\n';

    nn::TransformerEncoder stack(
        nn::TransformerEncoderOptions(encoder, 2).norm(nn::AnyModule(nn::LayerNorm(nn::LayerNormOptions({8})))));
    std::cout << stack->layers->size() << ' ' << stack->parameters().size() << '\n' << stack(src, causal) << '\n';
    nn::TransformerDecoder decoders(decoder, 2);
    decoders->eval();
    std::cout << decoders->forward(tgt, src, {}, {}, {}, padding) << '\n';
}

void run_transformer() {
    nn::Transformer net(nn::TransformerOptions(8, 2, 1, 2).dim_feedforward(16).dropout(0.0));
    print_parameters(net);
    auto src = torch::randn({4, 2, 8}), tgt = torch::randn({3, 2, 8});
    auto out = net(src, tgt, torch::Tensor(), nn::TransformerImpl::generate_square_subsequent_mask(3));
    std::cout << out << '\n';
    torch::optim::SGD sgd(net->parameters(), 0.05);
    for (int step = 0; step < 3; ++step) {
        sgd.zero_grad();
        auto loss = nn::functional::mse_loss(net->forward(src, tgt), torch::ones_like(tgt));
        loss.backward();
        sgd.step();
        std::printf("%.4f\n", loss.item<float>());
    }
    std::fflush(stdout);
    int linear = 0;
    net->apply([&](nn::Module& module) {
        std::cout << module.name() << '\n';
        if (module.as<nn::Linear>() != nullptr) ++linear;
    });
    std::cout << linear << " of " << net->modules().size() << " are linear\n";
    torch::save(net, "transformer.pt");
    nn::Transformer other(nn::TransformerOptions(8, 2, 1, 2).dim_feedforward(16).dropout(0.0));
    torch::load(other, "transformer.pt");
    std::cout << torch::allclose(other(src, tgt), net(src, tgt)) << '\n';
    net->to(torch::kDouble);
    std::cout << net(src.to(torch::kDouble), tgt.to(torch::kDouble)).dtype() << '\n';
    net->to(torch::kFloat);
    try {
        net(src, torch::randn({3, 5, 8}));
    } catch (const c10::Error& e) {
        std::cout << e.msg() << '\n';
    }
    try {
        net(src[0], tgt);
    } catch (const c10::Error& e) {
        std::cout << e.msg() << '\n';
    }
    try {
        nn::MultiheadAttention(8, 3);
    } catch (const c10::Error& e) {
        std::cout << "8 features are not divisible by 3 heads\n";
    }
}

}  // namespace

int main() {
    torch::manual_seed(23);
    run_attention();
    run_layers();
    run_transformer();
    return 0;
}
