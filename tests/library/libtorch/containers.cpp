// SPDX-License-Identifier: Apache-2.0
// Modules of modules and of parameters, options that are read back, an adaptive softmax, and sequences padded on the
// left.
#include <torch/torch.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace nn = torch::nn;

namespace {

template <typename List>
auto shown(const List& list) {
    return c10::ArrayRef<typename List::value_type>(list);
}

void print_options() {
    nn::Conv2d conv(nn::Conv2dOptions(3, 8, {3, 5}).stride({2, 1}).padding({0, 2}).padding_mode(torch::kReflect));
    std::cout << conv->options.in_channels() << ' ' << conv->options.kernel_size() << ' ' << conv->options.stride()
              << ' ' << conv->options.dilation() << ' ' << conv->options.stride()->at(0) << '\n';
    std::cout << torch::enumtype::get_enum_name(conv->options.padding_mode()) << ' '
              << std::get<torch::ExpandingArray<2>>(conv->options.padding()) << '\n';
    nn::Conv1d same(nn::Conv1dOptions(1, 1, 3).padding(torch::kSame));
    std::cout << std::holds_alternative<torch::enumtype::kSame>(same->options.padding()) << ' '
              << same->options.kernel_size() << ' ' << same->options.groups() << '\n';
    nn::MaxPool2d pool(3);
    std::cout << pool->options.kernel_size() << ' ' << pool->options.stride() << ' ' << shown(*pool->options.stride())
              << '\n';
    nn::LayerNorm norm(nn::LayerNormOptions({2, 4}));
    std::cout << shown(norm->options.normalized_shape()) << ' ' << norm->options.eps() << '\n';
    nn::CrossEntropyLoss loss(nn::CrossEntropyLossOptions().reduction(torch::kSum).label_smoothing(0.25));
    std::cout << std::holds_alternative<torch::enumtype::kSum>(loss->options.reduction()) << ' '
              << (std::get_if<torch::enumtype::kMean>(&loss->options.reduction()) == nullptr) << ' '
              << loss->options.weight().defined() << ' ' << loss->options.label_smoothing() << '\n';
    nn::Upsample up(
        nn::UpsampleOptions().scale_factor(std::vector<double>{2, 2}).mode(torch::kBilinear).align_corners(true));
    std::cout << shown(up->options.scale_factor().value()) << ' ' << torch::enumtype::get_enum_name(up->options.mode())
              << ' ' << *up->options.align_corners() << ' ' << up->options.size().has_value() << '\n';
    nn::AdaptiveAvgPool2d adaptive(nn::AdaptiveAvgPool2dOptions({3, std::nullopt}));
    std::cout << adaptive->options.output_size() << ' ' << adaptive(torch::ones({1, 1, 6, 4})).sizes() << '\n';
    nn::RNN rnn(nn::RNNOptions(2, 3).nonlinearity(torch::kReLU));
    std::cout << torch::enumtype::get_enum_name(rnn->options.nonlinearity()) << '\n';
    auto options = torch::optim::AdamOptions(0.5).betas({0.8, 0.9});
    options.weight_decay() = 0.25;
    std::cout << std::get<0>(options.betas()) << ' ' << options.weight_decay() << ' ' << options.amsgrad() << '\n';
}

struct Branches : nn::Module {
    Branches() {
        register_module("branches", branches);
        register_module("scales", scales);
        register_module("shifts", shifts);
        nn::ModuleDict more(std::vector<std::pair<std::string, std::shared_ptr<nn::Module>>>{
            {"linear", nn::Linear(3, 2).ptr()}, {"tanh", nn::Tanh().ptr()}});
        branches->update(*more);
        scales->append(torch::ones({2}, torch::requires_grad()));
        scales->append(torch::full({2}, 0.5));
        shifts->insert("first", torch::zeros({2}, torch::requires_grad()));
        shifts->insert("second", torch::full({1}, 3.0));
    }
    torch::Tensor forward(const torch::Tensor& x) {
        torch::Tensor y = branches->at<nn::LinearImpl>("linear").forward(x);
        y = branches["tanh"]->as<nn::Tanh>()->forward(y);
        for (const auto& scale : *scales) y = y * scale.value();
        return y + shifts["first"] + shifts->get("second");
    }
    nn::ModuleDict branches;
    nn::ParameterList scales;
    nn::ParameterDict shifts;
};

void run_containers() {
    auto net = std::make_shared<Branches>();
    std::cout << *net << '\n';
    for (const auto& pair : net->named_parameters())
        std::cout << pair.key() << ' ' << pair.value().sizes() << ' ' << pair.value().requires_grad() << '\n';
    auto y = net->forward(torch::ones({2, 3}));
    y.sum().backward();
    std::cout << y << '\n' << net->scales[0].grad() << '\n' << net->shifts["first"].grad() << '\n';
    std::cout << net->branches->size() << ' ' << net->branches->contains("tanh") << ' ' << shown(net->branches->keys())
              << '\n';
    for (const auto& pair : net->named_modules("net")) std::cout << pair.key() << ' ' << pair.value()->name() << '\n';
    net->apply([](const std::string& name, nn::Module& module) { std::cout << name << '=' << module.name() << ' '; });
    std::cout << '\n';
    net->branches->pop("tanh");
    std::cout << net->branches->size() << ' ' << net->shifts->pop("second") << '\n';
    net->unregister_module("shifts");
    std::cout << net->children().size() << '\n';
    auto replaced = net->replace_module("scales", nn::Linear(1, 1));
    std::cout << *replaced << '\n';
    try {
        net->shifts["nothing"];
    } catch (const c10::Error& error) {
        std::cout << error.what_without_backtrace() << '\n';
    }
    try {
        net->register_module("a.b", nn::Linear(1, 1));
    } catch (const c10::Error& error) {
        std::cout << error.what_without_backtrace() << '\n';
    }
    try {
        net->register_module("branches", nn::Linear(1, 1));
    } catch (const c10::Error& error) {
        std::cout << error.what_without_backtrace() << '\n';
    }
    net->to(torch::kDouble);
    std::cout << net->parameters()[0].dtype() << '\n';
}

// Keyword-like arguments of a layer inside a Sequential.
struct ScaledImpl : nn::Module {
    torch::Tensor forward(torch::Tensor x, double factor = 3, int shift = 1) { return x * factor + shift; }

  protected:
    FORWARD_HAS_DEFAULT_ARGS({1, nn::AnyValue(3.0)}, {2, nn::AnyValue(1)})
};
TORCH_MODULE(Scaled);

struct TwoImpl : nn::Module {
    std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor x) { return {x + 1, x - 1}; }
};
TORCH_MODULE(Two);
struct JoinImpl : nn::Module {
    double forward(std::tuple<torch::Tensor, torch::Tensor> both) {
        return (std::get<0>(both) * std::get<1>(both)).sum().item<double>();
    }
};
TORCH_MODULE(Join);

void run_sequential() {
    nn::Sequential scaled(Scaled{}, Scaled{});
    std::cout << scaled->forward(torch::ones({2})) << '\n' << scaled->forward(torch::ones({2}), 2.0, 5) << '\n';
    nn::Sequential two(Two{}, Join{});
    std::cout << two->forward<double>(torch::full({2}, 3.0)) << '\n';
    try {
        two->forward(torch::ones({2}));
    } catch (const c10::Error& error) {
        std::cout << error.what_without_backtrace() << '\n';
    }
    nn::Sequential named({{"first", nn::Linear(2, 3)}, {"act", nn::Functional(torch::relu)}});
    named->push_back("last", nn::Linear(3, 1));
    named->extend(std::vector<nn::AnyModule>{nn::AnyModule(nn::Sigmoid())});
    std::cout << named << '\n' << named->size() << ' ' << shown(named->named_children().keys()) << '\n';
    std::cout << named->at<nn::LinearImpl>(0).weight.sizes() << ' ' << named[2]->as<nn::Linear>()->options.in_features()
              << '\n';
    for (auto& each : *named) std::cout << each.ptr()->name() << ' ';
    std::cout << '\n';
    auto copy = std::dynamic_pointer_cast<nn::SequentialImpl>(named->clone());
    const auto x = torch::ones({1, 2});
    std::cout << torch::equal(copy->forward(x), named->forward(x)) << '\n';
    nn::ModuleList list;
    for (int i = 0; i < 3; ++i) list->push_back(nn::Linear(i + 1, 2));
    list->insert(3, nn::Tanh());
    std::cout << list << '\n' << list->size() << '\n';
    for (const auto& module : *list)
        if (auto* linear = module->as<nn::Linear>()) std::cout << linear->options.in_features() << ' ';
    std::cout << '\n';
}

void run_adaptive() {
    nn::AdaptiveLogSoftmaxWithLoss softmax(nn::AdaptiveLogSoftmaxWithLossOptions(8, 12, {3, 7}).div_value(2.0));
    for (const auto& pair : softmax->named_parameters()) {
        torch::NoGradGuard no_grad;
        pair.value().copy_(torch::sin(torch::arange(pair.value().numel()).view(pair.value().sizes())));
    }
    const auto x = torch::cos(torch::arange(32).view({4, 8}));
    const auto result = softmax(x, torch::tensor({0, 4, 11, 2}));
    std::cout << result.output << '\n';
    std::printf("%.5f\n", result.loss);
    std::fflush(stdout);
    const auto all = softmax->log_prob(x);
    std::cout << all.sizes() << '\n' << all.exp().sum(1) << '\n' << softmax->predict(x) << '\n';
    const auto one = softmax(x[1], torch::tensor(4));
    std::cout << one.output << '\n' << softmax->head_size << ' ' << shown(softmax->cutoffs) << '\n';
    try {
        softmax(x, torch::tensor({0, 4, 12, 2}));
    } catch (const c10::Error& error) {
        std::cout << error.what_without_backtrace() << '\n';
    }
    try {
        nn::AdaptiveLogSoftmaxWithLoss(8, 12, std::vector<int64_t>{7, 3});
    } catch (const c10::Error& error) {
        std::cout << error.what_without_backtrace() << '\n';
    }
}

void run_padding() {
    const std::vector<torch::Tensor> rows = {torch::ones({3}), torch::full({1}, 2.0), torch::full({2}, 3.0)};
    namespace rnn = nn::utils::rnn;
    std::cout << rnn::pad_sequence(rows, true, 0.5) << '\n' << rnn::pad_sequence(rows, true, 0.5, "left") << '\n';
    std::cout << torch::pad_sequence(rows, false, 0, "left") << '\n';
    try {
        rnn::pad_sequence(rows, true, 0, "middle");
    } catch (const c10::Error& error) {
        std::cout << error.what_without_backtrace() << '\n';
    }
}

}  // namespace

int main() {
    torch::manual_seed(4);
    print_options();
    run_containers();
    run_sequential();
    run_adaptive();
    run_padding();
}
