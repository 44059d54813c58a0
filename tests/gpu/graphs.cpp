// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/graphs.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/generator.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "core/optim/optimizer.h"
#include "core/runtime/graphs/captured_graph.h"
#include "core/runtime/graphs/graphed_call.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_interface.h"

namespace loupe::gpu {
namespace {

constexpr Device kGpu{DeviceType::Cuda, 0};

DeviceInterface& gpus() { return *device_interface(DeviceType::Cuda); }

Tensor drawn(Random& random, const Dims& sizes) {
    return on_device(random_tensor(random, span_of(sizes), ScalarType::Float32), kGpu);
}

// Three layers of 256, mean squared error, descent with the optimiser's kernels.
class Perceptron {
  public:
    explicit Perceptron(std::uint32_t seed) {
        Random random(seed);
        auto list = make_ptr<ListObject>(types::any());
        for (int i = 0; i < 3; ++i) {
            for (const Dims& sizes : {Dims{256, 256}, Dims{256}}) {
                weights_.push_back(fn::mul_scalar(drawn(random, sizes), Scalar(0.05)));
                set_requires_grad(weights_.back(), true);
                list->elements.emplace_back(weights_.back());
            }
        }
        optimizer_ = optim::make_optimizer("SGD", {IValue(list)}, {{"lr", IValue(0.01)}, {"momentum", IValue(0.9)}});
    }
    Tensor step(const Tensor& x, const Tensor& y) {
        Tensor hidden = x;
        for (std::size_t i = 0; i < weights_.size(); i += 2) {
            hidden = fn::linear(hidden, weights_[i], weights_[i + 1]);
            if (i + 2 < weights_.size()) hidden = fn::relu(hidden);
        }
        const Tensor off = fn::sub(hidden, y, Scalar(1));
        const Tensor loss = fn::mean(fn::mul(off, off), IValue());
        const TensorList gradients = gradients_of({loss}, weights_);
        for (std::size_t i = 0; i < weights_.size(); ++i) set_grad(weights_[i], gradients[i]);
        optimizer_->step();
        return detach(loss);
    }
    const TensorList& weights() const { return weights_; }

  private:
    TensorList weights_;
    Ptr<optim::Optimizer> optimizer_;
};

double worst_of(const Tensor& a, const Tensor& b) {
    const Tensor x = on_device(detach(a), Device{}), y = on_device(detach(b), Device{});
    double worst = 0;
    for (std::int64_t i = 0; i < x.numel(); ++i)
        worst = std::max(worst, std::abs(static_cast<double>(x.data<float>()[i] - y.data<float>()[i])));
    return worst;
}

double microseconds(int times, const std::function<void()>& work) {
    work();
    gpus().synchronize(kGpu);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) work();
    gpus().synchronize(kGpu);
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / times;
}

int say(const char* what, bool holds, double figure) {
    std::printf("graph: %-52s %12.4g %s\n", what, figure, holds ? "" : "DIFFERS");
    return holds ? 0 : 1;
}

void capture(runtime::CapturedGraph& graph, const std::function<void()>& work) {
    gpus().synchronize(kGpu);
    const StreamScope scope(gpus(), kGpu, gpus().make_stream(kGpu, 0));
    graph.begin(kGpu, std::nullopt, CaptureMode::Global);
    try {
        work();
    } catch (...) {
        graph.reset();
        throw;
    }
    graph.end();
}

int check_steps() {
    Perceptron eager(1), captured(1);
    Random random(2);
    const Tensor x = drawn(random, {64, 256}), y = drawn(random, {64, 256});
    Tensor loss;
    {
        const StreamScope side(gpus(), kGpu, gpus().make_stream(kGpu, 0));
        for (int i = 0; i < 3; ++i) captured.step(x, y);
        gpus().synchronize(kGpu);
    }
    for (int i = 0; i < 3; ++i) eager.step(x, y);
    runtime::CapturedGraph graph;
    capture(graph, [&] { loss = captured.step(x, y); });
    double worst_loss = 0, worst_weight = 0;
    for (int i = 0; i < 10; ++i) {
        copy_memory(x, drawn(random, {64, 256}));
        copy_memory(y, drawn(random, {64, 256}));
        graph.replay();
        worst_loss = std::max(worst_loss, worst_of(loss, eager.step(x, y)));
    }
    for (std::size_t i = 0; i < eager.weights().size(); ++i)
        worst_weight = std::max(worst_weight, worst_of(eager.weights()[i], captured.weights()[i]));
    int failed = say("loss of replayed steps, largest difference", worst_loss < 1e-4, worst_loss);
    failed += say("weights after them, largest difference", worst_weight < 1e-4, worst_weight);
    const double plain = microseconds(200, [&] { eager.step(x, y); });
    const double replayed = microseconds(200, [&] { graph.replay(); });
    std::printf("graph: %-52s %12zu\n", "nodes of a step", graph.nodes());
    std::printf("graph: %-52s %12.1f\n", "eager step, us", plain);
    std::printf("graph: %-52s %12.1f\n", "replayed step, us", replayed);
    failed += say("CUDA graph replay of a small MLP at most 0.3 of eager", replayed <= 0.3 * plain, replayed / plain);
    return failed;
}

int check_random() {
    const std::array<std::int64_t, 1> size{100000};
    const Tensor room = empty(size, ScalarType::Float32, kGpu);
    seed_generators(5);
    TensorList want;
    for (int i = 0; i < 3; ++i) want.push_back(fn::clone(fn::uniform_(room, 0.0, 1.0, IValue())));
    runtime::CapturedGraph graph;
    capture(graph, [&] { fn::uniform_(room, 0.0, 1.0, IValue()); });
    seed_generators(5);
    double worst = 0;
    for (const Tensor& each : want) {
        graph.replay();
        worst = std::max(worst, worst_of(room, each));
    }
    return say("random numbers of replays, largest difference", worst == 0, worst);
}

int check_refusals() {
    const std::array<std::int64_t, 1> size{16};
    const Tensor x = empty(size, ScalarType::Float32, kGpu);
    fn::fill_(x, Scalar(2));
    int failed = 0;
    const std::function<void()> forbidden[] = {[&] { gpus().synchronize(kGpu); }, [&] { item(fn::sum(x)); },
                                               [&] { on_device(x, Device{}); }};
    for (const auto& work : forbidden) {
        std::string why = "nothing failed";
        try {
            runtime::CapturedGraph graph;
            capture(graph, work);
            ++failed;
        } catch (const Error& error) {
            why = error.message();
        }
        std::printf("graph: refused: %s\n", why.c_str());
    }
    runtime::CapturedGraph graph;
    Tensor y;
    capture(graph, [&] { y = fn::exp(x); });
    graph.replay();
    const double got = item(fn::select(y, 0, 0)).to<double>();
    return failed + say("exp(2) afterwards", std::abs(got - std::exp(2.0)) < 1e-5, got);
}

// Many small kernels: what a launch costs by itself.
int time_launches() {
    constexpr int kKernels = 200;
    const std::array<std::int64_t, 1> size{16};
    const Tensor x = empty(size, ScalarType::Float32, kGpu);
    fn::fill_(x, Scalar(1));
    const OperatorHandle<> relu_("aten::relu_");
    const auto chain = [&] {
        for (int i = 0; i < kKernels; ++i) relu_(x);
    };
    const double plain = microseconds(50, chain);
    runtime::CapturedGraph graph;
    capture(graph, chain);
    const double replayed = microseconds(50, [&] { graph.replay(); });
    std::printf("graph: %-52s %12.2f\n", "a small kernel, us", plain / kKernels);
    std::printf("graph: %-52s %12.2f\n", "a small kernel of a graph, us", replayed / kKernels);
    std::printf("graph: %-52s %12.2f\n", "capture and instantiation of 200 kernels, us", microseconds(5, [&] {
                    runtime::CapturedGraph made;
                    capture(made, chain);
                }));
    return 0;
}

int check_graphed_call() {
    const GradModeScope no_grad(false);
    Random random(3);
    const Tensor w = drawn(random, {256, 256});
    runtime::GraphedCall call(
        [&](std::vector<IValue> given) { return IValue(fn::gelu(fn::mm(given[0].to_tensor(), w), "none")); }, {});
    double worst = 0;
    for (int i = 0; i < 6; ++i) {
        const Tensor x = drawn(random, {64, 256});
        worst = std::max(worst, worst_of(call({x}).to_tensor(), fn::gelu(fn::mm(x, w), "none")));
    }
    if (!call.is_captured()) std::printf("graph: not captured: %s\n", call.why_not().c_str());
    return say("a call that captures itself, largest difference", call.is_captured() && worst < 1e-4, worst);
}

}  // namespace

int check_graphs() {
    return check_steps() + check_random() + check_refusals() + check_graphed_call() + time_launches();
}

}  // namespace loupe::gpu
