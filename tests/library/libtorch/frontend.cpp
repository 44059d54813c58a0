// SPDX-License-Identifier: Apache-2.0
// A network defined and trained in C++, as LibTorch's tutorial of its C++ frontend does it.
#include <torch/torch.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

struct Net : torch::nn::Module {
    Net()
        : conv1(torch::nn::Conv2dOptions(1, 4, /*kernel_size=*/3).stride(2).padding(1)),
          norm(4),
          fc1(4 * 4 * 4, 16),
          fc2(torch::nn::LinearOptions(16, 3).bias(false)) {
        register_module("conv1", conv1);
        register_module("norm", norm);
        register_module("drop", drop);
        register_module("fc1", fc1);
        register_module("fc2", fc2);
        scale = register_parameter("scale", torch::ones({1}));
        steps = register_buffer("steps", torch::zeros({1}));
    }

    torch::Tensor forward(torch::Tensor x) {
        x = torch::relu(norm(conv1(x)));
        x = torch::relu(fc1->forward(x.flatten(1)));
        x = drop->forward(x) * scale;
        steps += 1;
        return torch::log_softmax(fc2->forward(x), /*dim=*/1);
    }

    torch::nn::Conv2d conv1;
    torch::nn::BatchNorm2d norm;
    torch::nn::Dropout drop{0.25};
    torch::nn::Linear fc1, fc2;
    torch::Tensor scale, steps;
};

int main() {
    torch::manual_seed(3);
    auto net = std::make_shared<Net>();
    for (const auto& pair : net->named_parameters()) std::cout << pair.key() << ' ' << pair.value().sizes() << '\n';
    for (const auto& pair : net->named_buffers()) std::cout << pair.key() << ' ' << pair.value().sizes() << '\n';
    std::cout << net->fc2->weight.slice(1, 0, 4) << '\n' << net->fc2->bias.defined() << '\n';

    auto images = torch::randn({12, 1, 8, 8});
    auto labels = torch::arange(12) % 3;
    torch::optim::SGD sgd(net->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
    for (int step = 1; step <= 12; ++step) {
        sgd.zero_grad();
        auto loss = torch::nll_loss(net->forward(images), labels);
        loss.backward();
        sgd.step();
        if (step % 4 == 0) std::printf("step %d: %.3f\n", step, loss.item<float>());
    }
    std::fflush(stdout);
    std::cout << net->steps.item<float>() << ' ' << net->is_training() << '\n';

    net->eval();
    torch::NoGradGuard no_grad;
    auto before = net->forward(images);
    torch::save(net, "net.pt");
    auto other = std::make_shared<Net>();
    torch::load(other, "net.pt");
    other->eval();
    std::cout << torch::allclose(other->forward(images), before) << ' ' << other->norm->running_mean.sizes() << '\n';

    torch::manual_seed(5);
    torch::nn::Sequential stack(torch::nn::Linear(4, 8), torch::nn::ReLU(), torch::nn::Dropout(0.0),
                                torch::nn::LayerNorm(torch::nn::LayerNormOptions({8})),
                                torch::nn::Functional(torch::tanh), torch::nn::Linear(8, 2));
    std::cout << stack->size() << '\n' << stack->forward(torch::ones({2, 4})) << '\n';
    {
        torch::AutoGradMode grad(true);
        torch::optim::Adam adam(stack->parameters(), torch::optim::AdamOptions(0.01).weight_decay(1e-3));
        torch::nn::MSELoss mse;
        for (int i = 0; i < 3; ++i) {
            stack->zero_grad();
            auto loss = mse(stack->forward(torch::ones({2, 4})), torch::zeros({2, 2}));
            loss.backward();
            adam.step();
            std::printf("%.4f\n", loss.item<float>());
        }
        std::fflush(stdout);
    }
    torch::nn::MaxPool2d pool(torch::nn::MaxPool2dOptions(2).stride({2, 1}));
    torch::nn::Embedding table(10, 3);
    torch::nn::CrossEntropyLoss cross(torch::nn::CrossEntropyLossOptions().reduction(torch::kSum));
    std::cout << pool(torch::ones({1, 1, 4, 4})).sizes() << ' ' << table(torch::tensor({1, 2})).sizes() << '\n'
              << cross(torch::zeros({2, 4}), torch::tensor({0, 3})) << '\n';
    net->to(torch::kDouble);
    std::cout << net->parameters()[0].dtype() << '\n';
    return 0;
}
