// SPDX-License-Identifier: Apache-2.0
// Trainings as LibTorch's examples have them: digits of a data loader, a generator against a discriminator, a
// polynomial, and a layer on top of a frozen network.
#include <torch/torch.h>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

namespace {

// Pictures of ten patterns, made up.
class Patterns : public torch::data::datasets::Dataset<Patterns> {
  public:
    explicit Patterns(size_t count) : count_(count) {}
    torch::data::Example<> get(size_t index) override {
        const auto label = static_cast<int64_t>(index % 10);
        auto picture = torch::sin(torch::arange(28 * 28) * (0.01 * static_cast<double>(label + 1)) +
                                  0.1 * static_cast<double>(index / 10));
        return {picture.view({1, 28, 28}) * 0.5 + 0.5, torch::tensor(label)};
    }
    std::optional<size_t> size() const override { return count_; }

  private:
    size_t count_;
};

struct Classifier : torch::nn::Module {
    Classifier()
        : conv1(torch::nn::Conv2dOptions(1, 4, /*kernel_size=*/5)),
          conv2(torch::nn::Conv2dOptions(4, 8, /*kernel_size=*/5)),
          fc1(128, 32),
          fc2(32, 10) {
        register_module("conv1", conv1);
        register_module("conv2", conv2);
        register_module("conv2_drop", conv2_drop);
        register_module("fc1", fc1);
        register_module("fc2", fc2);
    }
    torch::Tensor forward(torch::Tensor x) {
        x = torch::relu(torch::max_pool2d(conv1->forward(x), 2));
        x = torch::relu(torch::max_pool2d(conv2_drop->forward(conv2->forward(x)), 2));
        x = x.view({-1, 128});
        x = torch::relu(fc1->forward(x));
        x = torch::dropout(x, /*p=*/0.0, /*training=*/is_training());
        return torch::log_softmax(fc2->forward(x), /*dim=*/1);
    }
    torch::nn::Conv2d conv1, conv2;
    torch::nn::Dropout2d conv2_drop{0.0};
    torch::nn::Linear fc1, fc2;
};

template <typename Loader>
void train(size_t epoch, Classifier& model, torch::Device device, Loader& loader, torch::optim::Optimizer& optimizer,
           size_t size) {
    model.train();
    size_t index = 0;
    for (auto& batch : loader) {
        auto data = batch.data.to(device), targets = batch.target.to(device);
        optimizer.zero_grad();
        auto loss = torch::nll_loss(model.forward(data), targets);
        TORCH_CHECK(!std::isnan(loss.template item<float>()), "the loss is no number");
        loss.backward();
        optimizer.step();
        if (index++ % 4 == 0)
            std::printf("epoch %zu [%zu/%zu] loss %.3f\n", epoch, index * static_cast<size_t>(batch.data.size(0)), size,
                        loss.template item<float>());
    }
}

template <typename Loader>
void test(Classifier& model, torch::Device device, Loader& loader, size_t size) {
    torch::NoGradGuard no_grad;
    model.eval();
    double loss = 0;
    int32_t correct = 0;
    for (const auto& batch : loader) {
        auto data = batch.data.to(device), targets = batch.target.to(device);
        auto output = model.forward(data);
        loss += torch::nll_loss(output, targets, /*weight=*/{}, torch::Reduction::Sum).template item<float>();
        auto predicted = output.argmax(1);
        correct += predicted.eq(targets).sum().template item<int64_t>();
    }
    std::printf("test: loss %.2f, right %.1f\n", loss / static_cast<double>(size),
                static_cast<double>(correct) / static_cast<double>(size));
}

void digits() {
    torch::manual_seed(1);
    torch::DeviceType type = torch::cuda::is_available() && false ? torch::kCUDA : torch::kCPU;
    torch::Device device(type);
    Classifier model;
    model.to(device);
    const auto normalized = [](size_t count) {
        return Patterns(count)
            .map(torch::data::transforms::Normalize<>(0.5, 0.35))
            .map(torch::data::transforms::Stack<>());
    };
    auto train_data = normalized(160);
    const size_t train_size = train_data.size().value();
    auto train_loader =
        torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(std::move(train_data), 20);
    auto test_data = normalized(40);
    auto test_loader = torch::data::make_data_loader(std::move(test_data), 20);
    torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.05).momentum(0.5));
    for (size_t epoch = 1; epoch <= 2; ++epoch) {
        train(epoch, model, device, *train_loader, optimizer, train_size);
        test(model, device, *test_loader, 40);
    }
    std::fflush(stdout);
}

struct GeneratorImpl : torch::nn::Module {
    explicit GeneratorImpl(int noise)
        : conv1(torch::nn::ConvTranspose2dOptions(noise, 8, 4).bias(false)),
          batch_norm1(8),
          conv2(torch::nn::ConvTranspose2dOptions(8, 4, 3).stride(2).padding(1).bias(false)),
          batch_norm2(4),
          conv3(torch::nn::ConvTranspose2dOptions(4, 1, 4).stride(2).padding(1).bias(false)) {
        register_module("conv1", conv1);
        register_module("conv2", conv2);
        register_module("conv3", conv3);
        register_module("batch_norm1", batch_norm1);
        register_module("batch_norm2", batch_norm2);
    }
    torch::Tensor forward(torch::Tensor x) {
        x = torch::relu(batch_norm1(conv1(x)));
        x = torch::relu(batch_norm2(conv2(x)));
        return torch::tanh(conv3(x));
    }
    torch::nn::ConvTranspose2d conv1;
    torch::nn::BatchNorm2d batch_norm1;
    torch::nn::ConvTranspose2d conv2;
    torch::nn::BatchNorm2d batch_norm2;
    torch::nn::ConvTranspose2d conv3;
};
TORCH_MODULE(Generator);

torch::nn::Sequential make_discriminator() {
    namespace nn = torch::nn;
    return nn::Sequential(nn::Conv2d(nn::Conv2dOptions(1, 4, 4).stride(2).padding(1).bias(false)),
                          nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2)),
                          nn::Conv2d(nn::Conv2dOptions(4, 8, 4).stride(2).padding(1).bias(false)), nn::BatchNorm2d(8),
                          nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.2)),
                          nn::Conv2d(nn::Conv2dOptions(8, 1, 3).bias(false)), nn::Sigmoid());
}

// The numbers of every parameter from a formula: LibTorch's order of construction inside of one call is its compiler's.
void set_values(torch::nn::Module& module) {
    torch::NoGradGuard no_grad;
    for (auto& parameter : module.parameters())
        parameter.copy_(torch::sin(torch::arange(parameter.numel()).view(parameter.sizes()) * 0.7) * 0.2);
}

void dcgan() {
    torch::manual_seed(2);
    Generator generator(6);
    auto discriminator = make_discriminator();
    set_values(*generator);
    set_values(*discriminator);
    torch::optim::Adam of_generator(generator->parameters(),
                                    torch::optim::AdamOptions(2e-3).betas(std::make_tuple(0.5, 0.5)));
    torch::optim::Adam of_discriminator(discriminator->parameters(),
                                        torch::optim::AdamOptions(5e-3).betas(std::make_tuple(0.5, 0.5)));
    const auto real = torch::cos(torch::arange(4 * 14 * 14).view({4, 1, 14, 14}) * 0.05);
    for (int step = 0; step < 3; ++step) {
        discriminator->zero_grad();
        const auto labels = torch::empty(4).uniform_(0.8, 1.0);
        const auto of_real = discriminator->forward(real).reshape(labels.sizes());
        const auto real_loss = torch::binary_cross_entropy(of_real, labels);
        real_loss.backward();
        const auto noise = torch::randn({4, 6, 1, 1});
        const auto fake = generator->forward(noise);
        const auto fake_labels = torch::zeros(4);
        const auto of_fake = discriminator->forward(fake.detach()).reshape(fake_labels.sizes());
        const auto fake_loss = torch::binary_cross_entropy(of_fake, fake_labels);
        fake_loss.backward();
        of_discriminator.step();
        generator->zero_grad();
        const auto output = discriminator->forward(fake).reshape({4});
        const auto loss = torch::binary_cross_entropy(output, torch::ones(4));
        loss.backward();
        of_generator.step();
        std::printf("D %.3f G %.3f\n", (real_loss + fake_loss).item<float>(), loss.item<float>());
    }
    std::fflush(stdout);
    std::cout << generator->forward(torch::ones({1, 6, 1, 1})).sizes() << '\n';
}

void polynomial() {
    const auto weights = torch::tensor({{0.5}, {-1.0}, {2.0}}), bias = torch::tensor({0.25});
    torch::nn::Linear fit(3, 1);
    set_values(*fit);
    torch::optim::SGD sgd(fit->parameters(), 0.1);
    torch::manual_seed(8);
    for (int i = 0; i < 60; ++i) {
        auto x = torch::randn({32}).unsqueeze(1);
        auto features = torch::cat({x, x.pow(2), x.pow(3)}, 1).clamp(-2, 2);
        auto loss = torch::smooth_l1_loss(fit(features), features.mm(weights) + bias);
        fit->zero_grad();
        loss.backward();
        sgd.step();
        if (i % 20 == 19) std::printf("loss %.4f\n", loss.item<float>());
    }
    std::fflush(stdout);
}

void transfer() {
    torch::nn::Sequential features(torch::nn::Linear(4, 8), torch::nn::Tanh());
    set_values(*features);
    for (auto& parameter : features->parameters()) parameter.set_requires_grad(false);
    torch::nn::Linear head(8, 2);
    set_values(*head);
    torch::optim::Adam adam(head->parameters(), torch::optim::AdamOptions(0.05));
    const auto x = torch::cos(torch::arange(40).view({10, 4})), target = torch::arange(10) % 2;
    for (int i = 0; i < 10; ++i) {
        auto loss = torch::nn::functional::cross_entropy(head(features->forward(x)), target);
        adam.zero_grad();
        loss.backward();
        adam.step();
        if (i % 3 == 0) std::printf("%.4f ", loss.item<float>());
    }
    std::printf("%d\n", static_cast<int>(features->parameters()[0].grad().defined()));
    std::fflush(stdout);
}

}  // namespace

int main() {
    digits();
    dcgan();
    polynomial();
    transfer();
}
