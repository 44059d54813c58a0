// SPDX-License-Identifier: Apache-2.0
// Chains of pointwise operators, and of operators on rows: each fuser against a plain copy of the same bytes (one read,
// one write) and against the operators one by one.
//
//     bench_fuser [elements, in millions] [elements of a row]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "core/base/parallel.h"
#include "core/dispatch/functions.h"
#include "core/ir/parser.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "core/plugin/plugin_loader.h"
#include "core/runtime/fuse/fuser.h"
#include "core/runtime/fuse/fuser_backends.h"
#include "core/runtime/interpreter/interpreter.h"

using namespace loupe;
using namespace loupe::runtime;

namespace {

// Best of several, in milliseconds.
template <typename Work>
double measure(Work&& work) {
    double best = 1e9;
    for (int i = 0; i < 12; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        work();
        best =
            std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
}

struct Chain {
    const char* name;
    const char* body;
};

constexpr Chain kChains[] = {
    {"eight: mul add relu mul sub clamp abs sqrt",
     "  %a : Tensor = aten::mul(%x, %k)\n  %b : Tensor = aten::add(%a, %k, %one)\n  %c : Tensor = aten::relu(%b)\n"
     "  %d : Tensor = aten::mul(%c, %x)\n  %e : Tensor = aten::sub(%d, %k, %one)\n  %f : Tensor = aten::clamp(%e, "
     "%low, %high)\n"
     "  %g : Tensor = aten::abs(%f)\n  %h : Tensor = aten::sqrt(%g)\n  return (%h)\n"},
    {"eight: mul add tanh mul sigmoid sub mul add",
     "  %a : Tensor = aten::mul(%x, %k)\n  %b : Tensor = aten::add(%a, %k, %one)\n  %c : Tensor = aten::tanh(%b)\n"
     "  %d : Tensor = aten::mul(%c, %x)\n  %e : Tensor = aten::sigmoid(%d)\n  %f : Tensor = aten::sub(%e, %k, %one)\n"
     "  %g : Tensor = aten::mul(%f, %x)\n  %h : Tensor = aten::add(%g, %x, %one)\n  return (%h)\n"},
};
constexpr Chain kRows[] = {
    {"softmax of scaled scores",
     "  %a : Tensor = aten::mul(%x, %k)\n  %h : Tensor = aten::softmax(%a, %last, %none)\n  return (%h)\n"},
    {"layer_norm of a sum",
     "  %a : Tensor = aten::add(%x, %k, %one)\n  %h : Tensor = aten::layer_norm(%a, %shape, %none, %none, %eps, "
     "%yes)\n  return (%h)\n"},
    {"rms",
     "  %s : Tensor = aten::mul(%x, %x)\n  %q : Tensor = aten::mean(%s, %lasts, %yes, %none)\n  %e : Tensor = "
     "aten::add(%q, %eps, %one)\n"
     "  %i : Tensor = aten::rsqrt(%e)\n  %h : Tensor = aten::mul(%x, %i)\n  return (%h)\n"},
    {"layer_norm backward of a product",
     "  %t : Tensor = aten::mul(%g, %k)\n  %h : Tensor, %a : Tensor, %b : Tensor = "
     "aten::native_layer_norm_backward(%t, %x, %shape, %mean, %rstd, %w, %w, "
     "%mask)\n  return (%h, %a, %b)\n"},
    {"layer_norm backward and a residual",
     "  %t : Tensor, %a : Tensor, %b : Tensor = aten::native_layer_norm_backward(%g, %x, %shape, %mean, %rstd, %w, %w, "
     "%mask)\n"
     "  %h : Tensor = aten::add(%t, %g, %one)\n  return (%h, %a, %b)\n"},
    {"softmax backward of scaled scores",
     "  %t : Tensor = aten::_softmax_backward_data(%g, %x, %last, %float)\n  %h : Tensor = aten::mul(%t, %k)\n  return "
     "(%h)\n"},
    {"log_softmax backward of a product",
     "  %t : Tensor = aten::mul(%g, %k)\n  %h : Tensor = aten::_log_softmax_backward_data(%t, %x, %last, %float)\n  "
     "return (%h)\n"},
};

void bench(const Chain& chain, const std::vector<IValue>& inputs, double copy) {
    const std::int64_t row = inputs[0].to_tensor().sizes().back();
    const std::string text =
        std::string(inputs.size() == 1
                        ? "graph(%x : Tensor):\n"
                        : "graph(%x : Tensor, %g : Tensor, %mean : Tensor, %rstd : Tensor, %w : Tensor):\n") +
        std::string(
            "  %one : int = prim::Constant[value=1]()\n"
            "  %k : float = prim::Constant[value=1.5]()\n  %low : float = prim::Constant[value=-2.]()\n"
            "  %high : float = prim::Constant[value=2.]()\n  %last : int = prim::Constant[value=-1]()\n"
            "  %none : NoneType = prim::Constant()\n  %eps : float = prim::Constant[value=1e-05]()\n"
            "  %yes : bool = prim::Constant[value=1]()\n  %shape : int[] = prim::Constant[value=[" +
            std::to_string(row) +
            "]]()\n  %lasts : int[] = prim::Constant[value=[-1]]()\n"
            "  %mask : bool[] = prim::Constant[value=[True, True, True]]()\n  %float : int = "
            "prim::Constant[value=6]()\n") +
        chain.body;
    const Ptr<ir::Graph> graph = ir::parse_graph(text);
    const auto code = Code::make(graph, "");
    const double unfused = measure([&] { run_code(*code, inputs); });
    std::printf("%s\n  unfused   %7.2f ms  %5.2f of a copy\n", chain.name, unfused, unfused / copy);
    for (const FuserBackend& backend : fusers()) {
        FusedGroup group(graph, backend.name);
        std::vector<IValue> results(graph->outputs().size());
        group.run(inputs, results.data());
        const double fused = measure([&] {
            std::fill(results.begin(), results.end(), IValue());
            group.run(inputs, results.data());
        });
        if (!group.reason().empty()) {
            std::printf("  %-9s %s\n", backend.name.c_str(), group.reason().c_str());
            continue;
        }
        const FusedKernelText kernel = group.kernels()[0];
        std::printf("  %-9s %7.2f ms  %5.2f of a copy, %.2f of unfused, compiled in %.1f ms%s\n", backend.name.c_str(),
                    fused, fused / copy, fused / unfused, kernel.compile_seconds * 1e3,
                    kernel.from_disk ? " from disk" : "");
    }
}

}  // namespace

int main(int argc, char** argv) {
    plugins();
    const std::int64_t n = (argc > 1 ? std::atoll(argv[1]) : 16) << 20;
    const std::int64_t row = argc > 2 ? std::atoll(argv[2]) : 1024;
    if (n < 1 || row < 1 || argc > 3) {
        std::fprintf(stderr, "usage: bench_fuser [MILLIONS] [ROW]\n");
        return 2;
    }
    Random random;
    const Tensor x = random_tensor(random, {n}, ScalarType::Float32);
    const double copy = measure([&] { fn::clone(x); });
    std::printf("%lld elements, %d threads; a copy: %.2f ms\n", static_cast<long long>(n), thread_count(), copy);
    for (const Chain& chain : kChains) bench(chain, {x}, copy);
    const Tensor rows = fn::view(fn::slice(x, 0, 0, n / row * row, 1), Dims{-1, row});
    const Tensor w = random_tensor(random, {row}, ScalarType::Float32);
    const auto [y, mean, rstd] = fn::native_layer_norm(rows, Dims{row}, w, w, 1e-5);
    for (const Chain& chain : kRows) bench(chain, {rows, y, mean, rstd, w}, copy);
}
