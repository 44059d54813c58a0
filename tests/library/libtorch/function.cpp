// SPDX-License-Identifier: Apache-2.0
// Functions with a backward of their own, gradients of gradients, hooks, and nodes of the graph.
#include <torch/torch.h>

#include <iostream>
#include <vector>

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;
using torch::autograd::variable_list;

namespace {

class LinearFunction : public torch::autograd::Function<LinearFunction> {
  public:
    static Tensor forward(AutogradContext* context, Tensor input, Tensor weight, Tensor bias = Tensor()) {
        context->save_for_backward({input, weight, bias});
        auto output = input.mm(weight.t());
        if (bias.defined()) output += bias.unsqueeze(0).expand_as(output);
        return output;
    }
    static tensor_list backward(AutogradContext* context, tensor_list gradients) {
        auto saved = context->get_saved_variables();
        auto gradient = gradients[0];
        Tensor of_bias;
        if (saved[2].defined()) of_bias = gradient.sum(0);
        return {gradient.mm(saved[1]), gradient.t().mm(saved[0]), of_bias};
    }
};

class MulConstant : public torch::autograd::Function<MulConstant> {
  public:
    static Tensor forward(AutogradContext* context, Tensor tensor, double constant) {
        context->saved_data["constant"] = constant;
        return tensor * constant;
    }
    static tensor_list backward(AutogradContext* context, tensor_list gradients) {
        return {gradients[0] * context->saved_data["constant"].toDouble(), Tensor()};
    }
};

// Several results, of which one has no gradient; backward is differentiable.
class Parts : public torch::autograd::Function<Parts> {
  public:
    static variable_list forward(AutogradContext* context, const Tensor& x, int64_t power) {
        context->save_for_backward({x});
        context->saved_data["power"] = power;
        auto sign = x.sign();
        context->mark_non_differentiable({sign});
        return {x.pow(power), sign, -x};
    }
    static variable_list backward(AutogradContext* context, variable_list gradients) {
        std::cout << "backward of " << gradients.size() << ", needs " << context->needs_input_grad(0) << '\n';
        auto x = context->get_saved_variables()[0];
        const auto power = context->saved_data["power"].toInt();
        return {gradients[0] * power * x.pow(power - 1) - gradients[2], Tensor()};
    }
};

// Changes its input.
class AddOne : public torch::autograd::Function<AddOne> {
  public:
    static Tensor forward(AutogradContext* context, Tensor x) {
        x.add_(1);
        context->mark_dirty({x});
        return x;
    }
    static variable_list backward(AutogradContext*, variable_list gradients) { return gradients; }
};

class Unmaterialized : public torch::autograd::Function<Unmaterialized> {
  public:
    static variable_list forward(AutogradContext* context, torch::TensorList list) {
        context->set_materialize_grads(false);
        return {list[0] * 2, list[1] * 3};
    }
    static variable_list backward(AutogradContext*, variable_list gradients) {
        std::cout << "defined: " << gradients[0].defined() << ' ' << gradients[1].defined() << '\n';
        return {gradients[0], gradients[1].defined() ? gradients[1] * 3 : Tensor()};
    }
};

void custom() {
    auto x = torch::arange(6, torch::kFloat).view({2, 3}).requires_grad_();
    auto weight = torch::full({4, 3}, 0.5).requires_grad_();
    auto bias = torch::ones({4}).requires_grad_();
    auto y = LinearFunction::apply(x, weight, bias);
    y.sum().backward();
    std::cout << y << '\n' << x.grad() << '\n' << weight.grad() << '\n' << bias.grad() << '\n';
    std::cout << LinearFunction::apply(x, weight).sizes() << '\n';
    auto scaled = MulConstant::apply(x, 5.5);
    std::cout << scaled.requires_grad() << ' ' << scaled.is_leaf() << '\n';
    x.mutable_grad().reset();
    scaled.sum().backward();
    std::cout << x.grad() << '\n';

    auto z = torch::tensor({1.0, -2.0, 3.0}).requires_grad_();
    auto parts = Parts::apply(z, 3);
    std::cout << parts[0].requires_grad() << parts[1].requires_grad() << parts[2].requires_grad() << '\n';
    auto first = torch::autograd::grad({parts[0].sum()}, {z}, {}, std::nullopt, /*create_graph=*/true);
    std::cout << first[0] << '\n';
    auto second = torch::autograd::grad({first[0].sum()}, {z});
    std::cout << second[0] << '\n';
    {
        torch::NoGradGuard no_grad;
        std::cout << Parts::apply(z, 2)[0].requires_grad() << '\n';
    }
    auto changed = z * 1;
    auto same = AddOne::apply(changed);
    std::cout << changed << '\n' << same.is_same(changed) << '\n';
    same.pow(2).sum().backward();
    std::cout << z.grad() << '\n';
    auto a = torch::ones({2}).requires_grad_(), b = torch::ones({2}).requires_grad_();
    const std::vector<Tensor> both = {a, b};
    auto two = Unmaterialized::apply(torch::TensorList(both));
    two[0].sum().backward();
    std::cout << a.grad() << '\n' << b.grad().defined() << '\n';
}

void graph() {
    auto x = torch::ones({2, 2}, torch::requires_grad());
    auto y = x + 2;
    auto z = y * y * 3;
    auto out = z.mean();
    std::cout << y.grad_fn()->name() << ' ' << z.grad_fn()->name() << ' ' << out.grad_fn()->name() << '\n';
    std::cout << (x.grad_fn() == nullptr) << ' ' << out.grad_fn()->next_edges().size() << ' '
              << out.grad_fn()->next_edge(0).function->name() << '\n';
    out.backward();
    std::cout << x.grad() << '\n';

    auto h = torch::ones({3}, torch::requires_grad());
    auto doubled = h * 2;
    doubled.register_hook([](Tensor gradient) { std::cout << gradient << '\n'; });
    h.register_hook([](Tensor gradient) { return gradient * 10; });
    doubled.retain_grad();
    doubled.sum().backward();
    std::cout << h.grad() << '\n' << doubled.grad() << '\n';

    // A penalty on the gradient.
    torch::nn::Linear model(4, 3);
    for (auto& parameter : model->parameters()) torch::nn::init::constant_(parameter, 0.25);
    auto input = torch::full({3, 4}, 0.5).requires_grad_(true);
    auto output = model(input);
    auto loss = torch::nn::MSELoss()(output, torch::ones({3, 3}));
    auto gradients = torch::ones_like(output);
    auto gradient = torch::autograd::grad({output}, {input}, /*grad_outputs=*/{gradients}, /*retain_graph=*/true,
                                          /*create_graph=*/true)[0];
    auto penalty = torch::pow(gradient.norm(2, /*dim=*/1) - 1, 2).mean();
    auto combined = loss + penalty;
    combined.backward();
    std::cout << input.grad() << '\n' << model->weight.grad() << '\n';
    try {
        torch::autograd::grad({output.sum()}, {torch::ones({2}, torch::requires_grad())});
    } catch (const c10::Error& error) {
        std::cout << error.what_without_backtrace() << '\n';
    }
    auto detached = x.detach();
    detached.set_requires_grad(true);
    std::cout << detached.requires_grad() << ' ' << x.grad().defined() << ' ' << detached.grad().defined() << '\n';
    x.mutable_grad() = torch::zeros_like(x);
    std::cout << x.grad() << '\n';
}

}  // namespace

int main() {
    custom();
    graph();
}
