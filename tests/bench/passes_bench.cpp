// SPDX-License-Identifier: Apache-2.0
// The compiler's figures: what each pass costs on graphs that grow, what all of them cost on a model, and what the
// pipelines make of its forward pass. Prints tables, asserts nothing.
//
//     build/bin/bench_passes [--growth] [model.pt inputs.npz]...

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iterator>

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/dispatch/functions.h"
#include "core/formats/format_registry.h"
#include "core/formats/numpy/npy.h"
#include "core/ir/parser.h"
#include "core/passes/pass_manager.h"
#include "core/plugin/plugin_loader.h"
#include "core/runtime/interpreter/interpreter.h"

using namespace loupe;
using namespace loupe::passes;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(const std::function<void()>& run) {
    const auto start = Clock::now();
    run();
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// The best of runs that go on until it has not become better for long: the machine may be busy.
double best_of(const std::function<void()>& run) {
    run();
    double best = 1e9;
    double total = 0;
    int since_better = 0;
    while (total < 1.5 && (since_better < 15 || total < 0.3)) {
        const double seconds = seconds_of(run);
        since_better = seconds < 0.98 * best ? 0 : since_better + 1;
        best = std::min(best, seconds);
        total += seconds;
    }
    return best;
}

// Blocks of eight nodes: a product with constants, a residual sum, a list, a branch now and then.
Ptr<ir::Graph> grown_graph(int nodes) {
    std::string text = "graph(%x : Tensor, %w : Tensor, %c : bool):\n  %one : int = prim::Constant[value=1]()\n";
    std::string last = "x";
    for (int i = 0; i < nodes / 8; ++i) {
        const std::string n = std::to_string(i);
        text += "  %k" + n + " : int = prim::Constant[value=" + std::to_string(i % 7) + "]()\n";
        text += "  %a" + n + " : Tensor = aten::mul(%" + last + ", %w)\n";
        text += "  %b" + n + " : Tensor = aten::add(%a" + n + ", %" + last + ", %one)\n";
        text += "  %n" + n + " : int = aten::add(%k" + n + ", %one)\n";
        text += "  %l" + n + " : Tensor[] = prim::ListConstruct(%a" + n + ", %b" + n + ")\n";
        text += "  %g" + n + " : Tensor = aten::__getitem__(%l" + n + ", %one)\n";
        text += "  %r" + n + " : Tensor = aten::relu(%g" + n + ")\n";
        text += "  %m" + n + " : Tensor = aten::add_(%r" + n + ", %w, %n" + n + ")\n";
        last = "m" + n;
    }
    return ir::parse_graph(text + "  return (%" + last + ")\n");
}

// All read the same values and all results are read at the end: equal products, equal constants, dead nodes, tuples.
Ptr<ir::Graph> wide_graph(int nodes) {
    std::string text =
        "graph(%x : Tensor, %w : Tensor, %c : bool):\n  %one : int = prim::Constant[value=1]()\n  %two : int = "
        "prim::Constant[value=2]()\n";
    std::string all;
    for (int i = 0; i < nodes / 8; ++i) {
        const std::string n = std::to_string(i);
        text += "  %k" + n + " : int = prim::Constant[value=1]()\n";
        text += "  %a" + n + " : Tensor = aten::mul(%x, %w)\n";
        text += "  %b" + n + " : Tensor = aten::add(%x, %w, %k" + n + ")\n";
        text += "  %d" + n + " : Tensor = aten::tanh(%w)\n";
        text += "  %n" + n + " : int = aten::add(%one, %two)\n";
        text += "  %t" + n + " : (Tensor, int) = prim::TupleConstruct(%b" + n + ", %n" + n + ")\n";
        text += "  %u" + n + " : Tensor, %v" + n + " : int = prim::TupleUnpack(%t" + n + ")\n";
        text += "  %m" + n + " : Tensor = aten::mm(%a" + n + ", %u" + n + ")\n";
        all += (i == 0 ? "%m" : ", %m") + n;
    }
    return ir::parse_graph(text + "  %all : Tensor[] = prim::ListConstruct(" + all + ")\n  return (%all)\n");
}

// The processor's time of the thread: the machine may be busy.
double own_seconds_of(const std::function<void()>& run) {
    const auto now = [] {
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    };
    const double start = now();
    run();
    return now() - start;
}

void print_growth(const char* name, Ptr<ir::Graph> (*make)(int)) {
    constexpr int kSizes[] = {2500, 5000, 10000, 20000, 40000};
    constexpr std::size_t kCount = std::size(kSizes);
    std::printf("%-36s", name);
    for (const int size : kSizes) std::printf(" %9d", size);
    std::printf("  the last doubling (n log n: 2.14)\n");
    std::vector<Ptr<ir::Graph>> graphs;
    for (const int size : kSizes) graphs.push_back(make(size));
    for (const Pass* pass : all_passes()) {
        if (pass->name == "FreezeAttributes") continue;  // needs a module
        double seconds[kCount] = {};
        std::printf("%-36s", std::string(pass->name).c_str());
        for (std::size_t i = 0; i < kCount; ++i) {
            seconds[i] = 1e9;
            for (int round = 0; round < 3; ++round) {
                const auto copy = graphs[i]->copy();
                copy->begin_pass();
                seconds[i] = std::min(seconds[i], own_seconds_of([&] { pass->run(*copy, {}); }));
            }
            std::printf(" %9.2f", 1e3 * seconds[i]);
        }
        std::printf("  %.2f\n", seconds[kCount - 1] / seconds[kCount - 2]);
        std::fflush(stdout);
    }
}

struct Model {
    ModelFile file;
    Ptr<ir::Graph> graph;
    std::vector<IValue> inputs;
};

Model open(const char* path, const char* inputs) {
    Model model{open_model(path), nullptr, {}};
    model.file.module->eval();
    const auto* method = dynamic_cast<const ir::ScriptFunction*>(model.file.module->type()->find_method("forward"));
    if (method == nullptr) throw Error(ErrorKind::Usage, "no forward");
    model.graph = method->graph()->copy();
    for (const auto& [key, tensor] : read_npz(inputs)) {
        if (key.starts_with("arg")) model.inputs.emplace_back(tensor);
    }
    return model;
}

double seconds_of_graph(const Ptr<ir::Graph>& graph, const Model& model) {
    const auto code = runtime::Code::make(graph, "");
    std::vector<IValue> inputs = model.inputs;
    if (inputs.size() < graph->inputs().size()) inputs.insert(inputs.begin(), IValue(Ptr<Object>(model.file.module)));
    const GradModeScope no_grad(false);
    return best_of([&] { runtime::run_code(*code, inputs); });
}

void print_model(const char* path, const char* inputs) {
    const Model model = open(path, inputs);
    const PassContext context{model.file.module};
    std::printf("\n%s\n", path);
    double all = 0;
    const auto inlined = model.graph->copy();
    PassManager manager;
    manager.keep_snapshots(false);
    manager.run(*inlined, pipeline_of("freeze"), context);
    for (const Pass* pass : all_passes()) {
        const auto copy = inlined->copy();
        copy->begin_pass();
        const double seconds = seconds_of([&] { pass->run(*copy, context); });
        all += seconds;
        if (seconds > 0.02) std::printf("  %-40s %8.1f ms\n", std::string(pass->name).c_str(), 1e3 * seconds);
    }
    std::printf("  %-40s %8.1f ms on the frozen graph of %zu nodes\n", "all passes", 1e3 * all, count_nodes(*inlined));
    std::fflush(stdout);
    const double eager = seconds_of_graph(model.graph, model);
    std::printf("  %-40s %8.2f ms\n", "forward, as it is", 1e3 * eager);
    Model last = model;
    for (IValue& input : last.inputs) {
        const Tensor t = input.to_tensor();
        if (t.dim() == 4) input = fn::contiguous(t, std::int64_t{2});
    }
    std::printf("  %-40s %8.2f ms\n", "forward, images with channels last", 1e3 * seconds_of_graph(last.graph, last));
    for (const Pipeline& pipeline : named_pipelines()) {
        const auto copy = model.graph->copy();
        double seconds = 0;
        const double passes = seconds_of([&] { manager.run(*copy, pipeline, context); });
        try {
            seconds = seconds_of_graph(copy, model);
        } catch (const Error& error) {
            std::printf("  %-40s %s\n", pipeline.name.c_str(), error.what());
            continue;
        }
        std::printf("  %-40s %8.2f ms  %.2f of it  (passes %.0f ms)\n", pipeline.name.c_str(), 1e3 * seconds,
                    seconds / eager, 1e3 * passes);
    }
}

}  // namespace

int main(int argc, char** argv) {
    load_plugins_from(std::filesystem::path(LOUPE_BINARY_DIR) / "lib/plugins");
    try {
        int i = 1;
        if (argc == 1 || std::string_view(argv[1]) == "--growth") {
            print_growth("ms a pass, a chain of nodes", grown_graph);
            std::printf("\n");
            print_growth("ms a pass, nodes side by side", wide_graph);
            i = 2;
        }
        for (; i + 1 < argc; i += 2) print_model(argv[i], argv[i + 1]);
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
