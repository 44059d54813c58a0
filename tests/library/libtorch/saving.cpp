// SPDX-License-Identifier: Apache-2.0
// Tensors, modules, optimisers and values in archives, and back.
#include <torch/torch.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct NetImpl : torch::nn::Module {
    NetImpl() {
        body =
            register_module("body", torch::nn::Sequential(torch::nn::Linear(3, 4), torch::nn::Functional(torch::tanh),
                                                          torch::nn::BatchNorm1d(4)));
        last = register_module("last", torch::nn::Linear(4, 1));
        scale = register_parameter("scale", torch::full({1}, 2.0));
        register_buffer("count", torch::zeros({1}, torch::kLong));
    }
    torch::Tensor forward(const torch::Tensor& x) { return last(body->forward(x)) * scale; }
    torch::nn::Sequential body{nullptr};
    torch::nn::Linear last{nullptr};
    torch::Tensor scale;
};
TORCH_MODULE(Net);

template <typename Optimizer>
void train(Net& net, Optimizer& optimizer, int steps) {
    for (int i = 0; i < steps; ++i) {
        optimizer.zero_grad();
        net(torch::arange(12, torch::kFloat).view({4, 3})).square().mean().backward();
        optimizer.step();
    }
}

// Of two optimisers one goes through a file between: the next steps are the same.
template <typename Optimizer, typename Options>
void check_optimizer(const char* name, const Options& options) {
    torch::manual_seed(2);
    Net net;
    Optimizer optimizer(net->parameters(), options);
    train(net, optimizer, 3);
    torch::save(net, "net.pt");
    torch::save(optimizer, "optimizer.pt");

    Net other;
    Optimizer loaded(other->parameters(), Options(0.5));
    torch::load(other, "net.pt");
    torch::load(loaded, "optimizer.pt");
    train(net, optimizer, 2);
    train(other, loaded, 2);
    bool is_same = true;
    for (const auto& pair : net->named_parameters())
        is_same = is_same && torch::allclose(pair.value(), other->named_parameters()[pair.key()]);
    std::cout << name << ' ' << is_same << ' ' << static_cast<Options&>(loaded.param_groups()[0].options()).lr()
              << '\n';
}

void tensors() {
    const auto x = torch::arange(6).view({2, 3});
    torch::save(x, "x.pt");
    torch::Tensor y;
    torch::load(y, "x.pt");
    std::cout << y << '\n';
    std::vector<torch::Tensor> list = {x, torch::ones({2}, torch::kDouble), torch::tensor(true)}, back;
    torch::save(list, "list.pt");
    torch::load(back, "list.pt");
    std::cout << back.size() << ' ' << back[1].dtype() << ' ' << back[2].item<bool>() << '\n';
    std::stringstream stream;
    torch::save(x.to(torch::kFloat), stream);
    y = torch::Tensor();
    torch::load(y, stream);
    std::cout << y.dtype() << ' ' << y.sum().item<float>() << '\n';
}

void modules() {
    torch::manual_seed(3);
    Net net;
    net->eval();
    const auto x = torch::ones({2, 3});
    const auto before = net(x);
    std::ostringstream out;
    torch::save(net, out);
    std::istringstream in(out.str());
    Net other;
    other->eval();
    torch::load(other, in);
    std::cout << torch::equal(other(x), before) << '\n';
    auto shared = std::make_shared<NetImpl>();
    torch::save(shared, "shared.pt");
    torch::load(shared, "shared.pt");
    auto copy = std::make_shared<NetImpl>();
    torch::load(copy, "shared.pt", torch::kCPU);
    std::cout << torch::equal(copy->scale, shared->scale) << ' ' << copy->scale.requires_grad() << '\n';
    torch::nn::Linear wrong(3, 4);
    try {
        torch::load(wrong, "shared.pt");
    } catch (const c10::Error& error) {
        std::cout << error.what_without_backtrace() << '\n';
    }
}

void archives() {
    torch::serialize::OutputArchive out;
    out.write("x", torch::ones({2}));
    out.write("steps", torch::tensor(7), /*is_buffer=*/true);
    out.write("name", torch::IValue("a name"));
    out.write("rate", torch::IValue(0.25));
    torch::serialize::OutputArchive inner;
    inner.write("y", torch::zeros({1, 2}));
    inner.write("flag", torch::IValue(true));
    out.write("inner", inner);
    out.save_to("archive.pt");

    torch::serialize::InputArchive in;
    in.load_from("archive.pt");
    torch::Tensor x, steps;
    torch::IValue name, rate, flag;
    in.read("x", x);
    in.read("steps", steps, /*is_buffer=*/true);
    in.read("name", name);
    in("rate", rate);
    torch::serialize::InputArchive nested;
    in.read("inner", nested);
    nested.read("flag", flag);
    std::cout << x << '\n'
              << steps.item<int64_t>() << ' ' << name.toStringRef() << ' ' << rate.toDouble() << ' ' << flag.toBool()
              << '\n';
    std::cout << in.try_read("nothing", x) << in.try_read("inner", x) << in.try_read("x", nested) << '\n';
    in.read("inner", nested);
    try {
        nested.read("z", x);
    } catch (const c10::Error& error) {
        std::cout << error.what_without_backtrace() << '\n';
    }
    auto keys = in.keys();
    std::sort(keys.begin(), keys.end());
    for (const std::string& key : keys) std::cout << key << ' ';
    std::cout << '\n';
}

}  // namespace

int main() {
    tensors();
    modules();
    archives();
    check_optimizer<torch::optim::SGD>("SGD", torch::optim::SGDOptions(0.01).momentum(0.9));
    check_optimizer<torch::optim::Adam>("Adam", torch::optim::AdamOptions(0.02).weight_decay(0.1).amsgrad(true));
    check_optimizer<torch::optim::AdamW>("AdamW", torch::optim::AdamWOptions(0.03).betas({0.8, 0.9}));
    check_optimizer<torch::optim::Adagrad>("Adagrad", torch::optim::AdagradOptions(0.04).lr_decay(0.1));
    check_optimizer<torch::optim::RMSprop>("RMSprop", torch::optim::RMSpropOptions(0.05).momentum(0.5).centered(true));
}
