// SPDX-License-Identifier: Apache-2.0
// Groups of parameters with options of their own, schedules, and an optimiser that the program derives.
#include <torch/torch.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <vector>

namespace optim = torch::optim;

namespace {

struct Net : torch::nn::Module {
    Net() : first(3, 4), second(4, 1) {
        register_module("first", first);
        register_module("second", second);
        torch::NoGradGuard no_grad;
        for (auto& parameter : parameters())
            parameter.copy_(torch::arange(parameter.numel()).view(parameter.sizes()) * 0.1);
    }
    torch::Tensor forward(const torch::Tensor& x) { return second(torch::tanh(first(x))); }
    torch::nn::Linear first, second;
};

torch::Tensor loss_of(Net& net) {
    return torch::mse_loss(net.forward(torch::linspace(-1, 1, 12).view({4, 3})), torch::ones({4, 1}));
}

void step(Net& net, optim::Optimizer& optimizer) {
    optimizer.zero_grad();
    auto loss = loss_of(net);
    loss.backward();
    optimizer.step();
    std::printf("%.5f ", loss.item<float>());
}

double sum_of(const Net& net) {
    double sum = 0;
    for (const auto& parameter : net.parameters()) sum += parameter.sum().item<double>();
    return sum;
}

void run_all() {
    std::vector<std::unique_ptr<optim::Optimizer>> optimizers;
    std::vector<std::unique_ptr<Net>> nets;
    for (int i = 0; i < 5; ++i) nets.push_back(std::make_unique<Net>());
    optimizers.push_back(
        std::make_unique<optim::SGD>(nets[0]->parameters(), optim::SGDOptions(0.05).momentum(0.9).nesterov(true)));
    optimizers.push_back(
        std::make_unique<optim::Adam>(nets[1]->parameters(), optim::AdamOptions(0.05).betas({0.8, 0.99})));
    optimizers.push_back(std::make_unique<optim::AdamW>(nets[2]->parameters(), optim::AdamWOptions(0.05)));
    optimizers.push_back(std::make_unique<optim::Adagrad>(nets[3]->parameters()));
    optimizers.push_back(
        std::make_unique<optim::RMSprop>(nets[4]->parameters(), optim::RMSpropOptions(0.01).centered(true)));
    for (size_t i = 0; i < optimizers.size(); ++i) {
        for (int k = 0; k < 4; ++k) step(*nets[i], *optimizers[i]);
        std::printf("%.4f\n", sum_of(*nets[i]));
    }
    Net net;
    optim::LBFGS lbfgs(net.parameters(), optim::LBFGSOptions(0.5).max_iter(4).line_search_fn("strong_wolfe"));
    for (int i = 0; i < 2; ++i) {
        auto loss = lbfgs.step([&] {
            lbfgs.zero_grad();
            auto of_closure = loss_of(net);
            of_closure.backward();
            return of_closure;
        });
        std::printf("%.4f ", loss.item<float>());
    }
    std::printf("%.3f\n", sum_of(net));
    std::fflush(stdout);
}

void run_groups() {
    Net net;
    std::vector<optim::OptimizerParamGroup> groups;
    groups.emplace_back(net.first->parameters(),
                        std::make_unique<optim::AdamOptions>(optim::AdamOptions().weight_decay(0.1)));
    groups.emplace_back(net.second->parameters(), std::make_unique<optim::AdamOptions>(optim::AdamOptions(0.5)));
    optim::Adam adam(groups, optim::AdamOptions(0.01).weight_decay(0.05));
    for (const auto& group : adam.param_groups()) {
        const auto& options = static_cast<const optim::AdamOptions&>(group.options());
        std::cout << options.lr() << ' ' << options.weight_decay() << ' ' << group.params().size() << '\n';
    }
    for (int i = 0; i < 3; ++i) step(net, adam);
    for (auto& group : adam.param_groups()) static_cast<optim::AdamOptions&>(group.options()).lr(0.001);
    step(net, adam);
    std::printf("%.5f\n", sum_of(net));
    std::fflush(stdout);
    std::cout << adam.param_groups()[1].options().get_lr() << ' ' << adam.size() << ' '
              << static_cast<optim::AdamOptions&>(adam.defaults()).weight_decay() << '\n';

    optim::SGD sgd({optim::OptimizerParamGroup(net.first->parameters())}, optim::SGDOptions(0.1));
    sgd.add_param_group(optim::OptimizerParamGroup(
        net.second->parameters(), std::make_unique<optim::SGDOptions>(optim::SGDOptions(0.2).momentum(0.5))));
    std::cout << sgd.param_groups().size() << ' ' << sgd.param_groups()[1].options().get_lr() << '\n';
    for (int i = 0; i < 3; ++i) step(net, sgd);
    std::printf("%.5f\n", sum_of(net));
    std::fflush(stdout);
    try {
        sgd.add_param_group(optim::OptimizerParamGroup(net.second->parameters()));
    } catch (const c10::Error& error) {
        std::cout << error.what_without_backtrace() << '\n';
    }
    sgd.zero_grad(false);
    std::cout << net.first->weight.grad().abs().sum().item<float>() << ' ';
    sgd.zero_grad();
    std::cout << net.first->weight.grad().defined() << '\n';
    try {
        optim::Adam(net.parameters(), optim::AdamOptions(-1));
    } catch (const std::exception&) {
        std::cout << "no such rate\n";
    }
}

void run_schedules() {
    Net net;
    optim::SGD sgd(net.parameters(), 0.5);
    optim::StepLR decay(sgd, 2, 0.5);
    for (int i = 0; i < 7; ++i) {
        std::cout << sgd.param_groups()[0].options().get_lr() << ' ';
        step(net, sgd);
        std::fflush(stdout);
        decay.step();
    }
    std::cout << '\n';
    optim::SGD other(net.parameters(), optim::SGDOptions(1.0));
    optim::ReduceLROnPlateauScheduler plateau(other, optim::ReduceLROnPlateauScheduler::min, 0.5F, 1, 1e-4,
                                              optim::ReduceLROnPlateauScheduler::rel, 1);
    for (const float metric : {1.0F, 0.9F, 0.95F, 0.95F, 0.95F, 0.95F, 0.95F, 0.1F, 0.2F, 0.2F}) {
        plateau.step(metric);
        std::cout << other.param_groups()[0].options().get_lr() << ' ';
    }
    std::cout << '\n';
}

// A schedule of the program's own.
class Warmup : public optim::LRScheduler {
  public:
    Warmup(optim::Optimizer& optimizer, double rate) : LRScheduler(optimizer), rate_(rate) {}

  private:
    std::vector<double> get_lrs() override {
        auto rates = get_current_lrs();
        for (double& rate : rates) rate = rate_ * (step_count_ + 1) / 4;
        return rates;
    }
    double rate_;
};

struct SignOptions : optim::OptimizerCloneableOptions<SignOptions> {
    SignOptions(double lr) : lr_(lr) {}
    TORCH_ARG(double, lr) = 0.1;

  public:
    double get_lr() const override { return lr_; }
    void set_lr(double lr) override { lr_ = lr; }
};
struct SignState : optim::OptimizerCloneableParamState<SignState> {
    TORCH_ARG(int64_t, step) = 0;
};

// Steps of the gradient's sign.
class SignDescent : public optim::Optimizer {
  public:
    SignDescent(std::vector<torch::Tensor> parameters, SignOptions options)
        : Optimizer({optim::OptimizerParamGroup(std::move(parameters))}, std::make_unique<SignOptions>(options)) {}
    torch::Tensor step(LossClosure closure = nullptr) override {
        torch::NoGradGuard no_grad;
        for (auto& group : param_groups_)
            for (auto& parameter : group.params()) {
                if (!parameter.grad().defined()) continue;
                auto& state = state_[parameter.unsafeGetTensorImpl()];
                if (state == nullptr) state = std::make_unique<SignState>();
                auto& own = static_cast<SignState&>(*state);
                own.step(own.step() + 1);
                parameter.sub_(parameter.grad().sign() * static_cast<SignOptions&>(group.options()).lr() / own.step());
            }
        return {};
    }
};

void run_derived() {
    Net net;
    SignDescent descent(net.parameters(), SignOptions(0.2));
    Warmup warmup(descent, 0.2);
    for (int i = 0; i < 4; ++i) {
        warmup.step();
        step(net, descent);
    }
    std::printf("%.5f\n", sum_of(net));
    std::fflush(stdout);
    std::cout << descent.param_groups()[0].options().get_lr() << ' ' << descent.state().size() << '\n';
}

}  // namespace

int main() {
    run_all();
    run_groups();
    run_schedules();
    run_derived();
}
