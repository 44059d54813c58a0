// SPDX-License-Identifier: Apache-2.0
// Our side of tests/bench/modules: reads a name a line and answers each with {"seconds": median of one call}.
//
//     call, hook        a module's call beyond its forward; the same with one forward hook, beyond the call
//     NAME[+foreach]    a step of the optimiser on 25 M parameters: "Adam", "SGD+foreach"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/dispatch/functions.h"
#include "core/nn/module.h"
#include "core/optim/optimizer.h"

using namespace loupe;

namespace {

using Clock = std::chrono::steady_clock;

double median_of(int rounds, int calls, const std::function<void()>& call) {
    std::vector<double> times;
    call();
    for (int round = 0; round < rounds; ++round) {
        const auto start = Clock::now();
        for (int i = 0; i < calls; ++i) call();
        times.push_back(std::chrono::duration<double>(Clock::now() - start).count() / calls);
    }
    std::ranges::nth_element(times, times.begin() + rounds / 2);
    return times[static_cast<std::size_t>(rounds / 2)];
}

constexpr int kRounds = 101, kCalls = 5000;

nn::ModulePtr identity() {
    const auto module = make_ptr<nn::Module>("__torch__.Same");
    module->set_forward(
        nn::ForwardFunction([](nn::Module&, std::vector<IValue> inputs) { return std::move(inputs[0]); }));
    return module;
}

// Round by round in turn, so that what else the machine does meets both; the median of what `more` takes beyond `less`.
double median_difference(const std::function<void()>& less, const std::function<void()>& more) {
    std::vector<double> differences;
    for (int round = 0; round < kRounds; ++round)
        differences.push_back(-median_of(1, kCalls, less) + median_of(1, kCalls, more));
    std::ranges::nth_element(differences, differences.begin() + kRounds / 2);
    return differences[static_cast<std::size_t>(kRounds / 2)];
}

double time_call(bool with_hook) {
    const nn::ModulePtr module = identity(), hooked = identity();
    const IValue x = zeros(std::array<std::int64_t, 1>{4});
    const auto plain = [&] { module->call({x}); };
    if (!with_hook) return median_difference([&] { module->run_forward({{x}, {}}); }, plain);
    hooked->register_forward_hook(nn::ForwardHook(
        [](nn::Module&, const std::vector<IValue>&, const IValue&) -> std::optional<IValue> { return std::nullopt; }));
    return median_difference(plain, [&] { hooked->call({x}); });
}

// As many parameters as a model of such a size has, of several shapes.
TensorList parameters() {
    TensorList out;
    for (int i = 0; i < 24; ++i) {
        for (const Dims& sizes : {Dims{1024, 1000}, Dims{1024}, Dims{16, 40, 25}}) {
            const Tensor t = make_parameter(fn::rand_like(zeros(span_of(sizes))));
            set_grad(t, fn::rand_like(zeros(span_of(sizes))));
            out.push_back(t);
        }
    }
    return out;
}

double time_step(std::string name) {
    const bool foreach = name.ends_with("+foreach");
    if (foreach) name.resize(name.size() - 8);
    const auto optimizer =
        optim::make_optimizer(name, {parameters()}, {{"lr", 1e-3}, {"foreach", foreach ? IValue(true) : IValue()}});
    return median_of(7, 1, [&] { optimizer->step(); });
}

}  // namespace

int main() {
    for (std::string name; std::getline(std::cin, name);) {
        try {
            const double seconds = name == "call" || name == "hook" ? time_call(name == "hook") : time_step(name);
            std::printf("{\"seconds\": %.10g}\n", seconds);
        } catch (const Error& error) {
            std::printf("{\"error\": \"%s\"}\n", error.message().c_str());
        }
        std::fflush(stdout);
    }
}
