// SPDX-License-Identifier: Apache-2.0
// Trains a network of a file to follow a sine: training curve.pt
#include <tensorloupe/tensorloupe.h>

#include <cmath>
#include <cstdio>
#include <iostream>

using namespace loupe;

int main(int, char** argv) {
    try {
        const Model model = Model::open(argv[1]);
        model.train();
        const Tensor x = call("linspace", {-1, 1, 32}).to_tensor();
        const Tensor column = fn::view(x, Dims{32, 1});
        const Tensor target = fn::sin(column * 3);

        const auto adam = optim::make_optimizer("Adam", {model.parameters()}, {{"lr", 0.05}});
        const auto decay = optim::make_scheduler("StepLR", adam, {}, {{"step_size", 50}, {"gamma", 0.5}});
        for (int step = 1; step <= 150; ++step) {
            adam->zero_grad(true);
            const Tensor loss = call("mse_loss", {model({column}), target}).to_tensor();
            backward({loss});
            adam->step();
            decay->step();
            if (step % 50 == 0) std::printf("step %d: loss %.4f\n", step, item(loss).to_double());
        }

        const GradModeScope no_gradients(false);
        const double there = item(model({full({1, 1}, 0.5)}).to_tensor()).to_double();
        std::printf("at 0.5: %.3f, sine %.3f\n", there, std::sin(1.5));
    } catch (const Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
