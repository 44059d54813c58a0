// SPDX-License-Identifier: Apache-2.0
// Our own CPU kernels against oneDNN's, operator by operator, at the sizes of real networks: prints a table, asserts
// nothing. The accept functions of plugins/onednn follow it.
//
//     OMP_NUM_THREADS=2 build/bin/bench_onednn [part of a name]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "core/dispatch/call.h"
#include "core/dispatch/functions.h"
#include "core/ops/nn/common.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "core/plugin/plugin_loader.h"

using namespace loupe;

namespace {

using Drawn = std::vector<IValue>;

struct Case {
    const char* op;
    std::string name;
    std::function<Drawn()> draw;
    double own = 0;
};

Tensor draw(const Dims& sizes) {
    static Random random(3);
    return random_tensor(random, span_of(sizes), ScalarType::Float32);
}
Tensor channels_last(const Tensor& t) {
    const Tensor out = empty_strided(t.sizes(), span_of(nn_ops::channels_last_strides(t.sizes())), t.dtype());
    copy_strided(out, t);
    return out;
}
Tensor positive(const Dims& sizes) { return fn::abs(draw(sizes)); }

std::string text_of(const Dims& sizes) { return shape_text(span_of(sizes)); }

// The best of many runs, in seconds: the machine may be busy, so it goes on until that has not become better for long.
double best_of(const std::function<void()>& run) {
    using Clock = std::chrono::steady_clock;
    run();
    double best = 1e9;
    double total = 0;
    int since_better = 0;
    while (total < 3 && (since_better < 100 || total < 0.01) && (since_better < 10 || total < 0.3)) {
        const auto start = Clock::now();
        run();
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        since_better = seconds < 0.97 * best ? 0 : since_better + 1;
        best = std::min(best, seconds);
        total += seconds;
    }
    return best;
}

double time_call(const Operator& op, const Drawn& arguments) {
    return best_of([&] {
        std::array<IValue, 8> results;
        call_operator(op, arguments, results.data());
    });
}

// The candidate of oneDNN, and what it looks at to accept; without that when it declines. 0 when there is none.
double time_candidate(const Operator& op, const Drawn& arguments) {
    if (explain_kernel_choice(op, arguments).front() == "onednn: runs") return time_call(op, arguments);
    auto& candidates = op.kernels->candidates[0];
    const auto all = candidates;
    for (KernelCandidate candidate : all) {
        if (candidate.backend != "onednn") continue;
        candidate.accepts = nullptr;
        candidates = {candidate};
        const double seconds = time_call(op, arguments);
        candidates = all;
        return seconds;
    }
    return 0;
}

// ---- cases

std::vector<Case> cases;

void add_elementwise() {
    for (const Dims& sizes : {Dims{8, 64, 56, 56}, Dims{64, 3072}, Dims{8, 64}}) {
        for (const char* op : {"aten::relu", "aten::sigmoid", "aten::tanh", "aten::exp", "aten::silu", "aten::mish",
                               "aten::hardswish"}) {
            cases.push_back({op, text_of(sizes), [=] { return Drawn{draw(sizes)}; }});
        }
        cases.push_back({"aten::elu", text_of(sizes), [=] { return Drawn{draw(sizes), 1, 1, 1}; }});
        cases.push_back({"aten::softplus", text_of(sizes), [=] { return Drawn{draw(sizes), 1, 20}; }});
        cases.push_back({"aten::gelu", text_of(sizes), [=] { return Drawn{draw(sizes), "none"}; }});
        cases.push_back({"aten::gelu", text_of(sizes) + " tanh", [=] { return Drawn{draw(sizes), "tanh"}; }});
        cases.push_back({"aten::gelu_backward", text_of(sizes), [=] {
                             return Drawn{draw(sizes), draw(sizes), "none"};
                         }});
    }
}

void add_softmax() {
    const auto type = static_cast<std::int64_t>(ScalarType::Float32);
    for (const Dims& sizes : {Dims{64, 1000}, Dims{96, 128, 128}, Dims{256, 32}, Dims{128, 10000}}) {
        for (const char* op : {"aten::_softmax", "aten::_log_softmax"}) {
            cases.push_back({op, text_of(sizes), [=] { return Drawn{draw(sizes), -1, false}; }});
        }
        for (const char* op : {"aten::_softmax_backward_data", "aten::_log_softmax_backward_data"}) {
            cases.push_back({op, text_of(sizes), [=] {
                                 return Drawn{draw(sizes), fn::_softmax(draw(sizes), -1, false), -1, type};
                             }});
        }
    }
}

void add_layer_norm() {
    for (const Dims& sizes : {Dims{1024, 768}, Dims{64, 128}, Dims{8, 512}, Dims{2048, 256}}) {
        const Dims shape{sizes[1]};
        const auto forward = [=] { return Drawn{draw(sizes), shape, draw(shape), draw(shape), 1e-5}; };
        cases.push_back({"aten::native_layer_norm", text_of(sizes), forward});
        cases.push_back(
            {"aten::native_layer_norm_backward", text_of(sizes), [=] {
                 Drawn a = forward();
                 std::array<IValue, 3> r;
                 call_operator(*find_operator("aten::native_layer_norm"), a, r.data());
                 return Drawn{draw(sizes), a[0], shape, r[1], r[2], a[2], a[3], nn_ops::bool_list({true, true, true})};
             }});
    }
}

void add_batch_norm() {
    for (const bool last : {false, true}) {
        for (const Dims& sizes : {Dims{8, 64, 56, 56}, Dims{1, 64, 112, 112}, Dims{8, 512, 7, 7}, Dims{1, 96, 14, 14},
                                  Dims{1, 24, 28, 28}, Dims{4, 3, 32, 32}, Dims{4, 20, 32, 32}}) {
            const Dims c{sizes[1]};
            const auto x = [=] { return last ? channels_last(draw(sizes)) : draw(sizes); };
            const std::string name = text_of(sizes) + (last ? " channels last" : "");
            const auto forward = [=](bool train) {
                return Drawn{x(), draw(c), draw(c), draw(c), positive(c), train, 0.1, 1e-5};
            };
            cases.push_back({"aten::native_batch_norm", name + " eval", [=] { return forward(false); }});
            cases.push_back({"aten::native_batch_norm", name + " train", [=] { return forward(true); }});
            cases.push_back({"aten::native_batch_norm_backward", name, [=] {
                                 const Drawn a = forward(true);
                                 std::array<IValue, 3> r;
                                 call_operator(*find_operator("aten::native_batch_norm"), a, r.data());
                                 return Drawn{x(),  a[0], a[1], a[3], a[4],
                                              r[1], r[2], true, 1e-5, nn_ops::bool_list({true, true, true})};
                             }});
        }
    }
}

struct Pool {
    Dims sizes;
    std::int64_t kernel, stride, padding;
};

void add_pooling() {
    const std::vector<Pool> pools{{{8, 64, 112, 112}, 3, 2, 1}, {{1, 64, 112, 112}, 3, 2, 1},
                                  {{8, 64, 56, 56}, 2, 2, 0},   {{1, 192, 28, 28}, 3, 1, 1},
                                  {{8, 64, 35, 35}, 3, 1, 1},   {{1, 16, 28, 28}, 2, 2, 0}};
    for (const bool last : {false, true}) {
        for (const Pool& p : pools) {
            const Dims k{p.kernel, p.kernel}, s{p.stride, p.stride}, pad{p.padding, p.padding}, one{1, 1};
            const auto x = [=] { return last ? channels_last(draw(p.sizes)) : draw(p.sizes); };
            const std::string name =
                concat(text_of(p.sizes), " k", p.kernel, " s", p.stride, " p", p.padding, last ? " channels last" : "");
            const auto average = [=] { return Drawn{x(), k, s, pad, false, true, IValue()}; };
            const auto largest = [=] { return Drawn{x(), k, s, pad, one, false}; };
            const auto output = [](const char* op, const Drawn& a) {
                std::array<IValue, 2> r;
                call_operator(*find_operator(op), a, r.data());
                return r;
            };
            cases.push_back({"aten::avg_pool2d", name, average});
            cases.push_back({"aten::avg_pool2d_backward", name, [=] {
                                 Drawn a = average();
                                 a.insert(a.begin(), output("aten::avg_pool2d", a)[0]);
                                 return a;
                             }});
            cases.push_back({"aten::max_pool2d_with_indices", name, largest});
            cases.push_back({"aten::max_pool2d_with_indices_backward", name, [=] {
                                 Drawn a = largest();
                                 const auto r = output("aten::max_pool2d_with_indices", a);
                                 a.insert(a.begin(), r[0]);
                                 a.push_back(r[1]);
                                 return a;
                             }});
        }
    }
    for (const Dims& sizes : {Dims{8, 512, 14, 14}, Dims{1, 256, 56, 56}}) {
        cases.push_back({"aten::_adaptive_avg_pool2d", text_of(sizes) + " to 7x7", [=] {
                             return Drawn{draw(sizes), Dims{7, 7}};
                         }});
        cases.push_back({"aten::_adaptive_avg_pool2d_backward", text_of(sizes) + " to 7x7", [=] {
                             return Drawn{draw({sizes[0], sizes[1], 7, 7}), draw(sizes)};
                         }});
    }
}

void add_products() {
    for (const std::int64_t m : {1, 4, 8, 16, 64, 256, 1024}) {
        for (const auto& [n, k] : std::vector<std::pair<std::int64_t, std::int64_t>>{
                 {64, 64}, {128, 128}, {1000, 512}, {768, 768}, {768, 3072}}) {
            const auto weight = [n = n, k = k] {
                const Tensor w = draw({n, k});
                w.storage()->set_category(MemoryCategory::Parameter);
                return fn::t(w);
            };
            const std::string name = concat(m, "x", k, " by weight ", n, "x", k);
            cases.push_back({"aten::addmm", name, [=, n = n, k = k] {
                                 return Drawn{draw({n}), draw({m, k}), weight(), 1, 1};
                             }});
            cases.push_back({"aten::mm", concat(m, "x", k, " by ", k, "x", n), [=, n = n, k = k] {
                                 return Drawn{draw({m, k}), draw({k, n})};
                             }});
        }
    }
    for (const std::int64_t m : {32, 64, 128, 256}) {
        cases.push_back({"aten::bmm", concat("q k^T 48x", m, "x64"), [=] {
                             return Drawn{draw({48, m, 64}), fn::transpose(draw({48, m, 64}), 1, 2)};
                         }});
    }
}

void add_rnn() {
    struct Size {
        std::int64_t steps, batch, input, hidden;
    };
    for (const char* mode : {"lstm", "gru"}) {
        for (const Size& s : {Size{6, 1, 32, 32}, Size{20, 1, 64, 64}, Size{32, 1, 128, 128}, Size{32, 8, 128, 128},
                              Size{64, 8, 128, 128}, Size{64, 8, 256, 256}, Size{50, 32, 256, 512},
                              Size{50, 1, 512, 512}, Size{100, 1, 1024, 1024}}) {
            const bool lstm = mode[0] == 'l';
            const std::int64_t gates = (lstm ? 4 : 3) * s.hidden;
            const std::string name = concat(mode, " ", s.steps, " steps of ", s.batch, "x", s.input, " to ", s.hidden);
            const auto forward = [=] {
                const auto w = [](const Dims& sizes) {
                    const Tensor weight = fn::mul_scalar(draw(sizes), Scalar(0.05));
                    weight.storage()->set_category(MemoryCategory::Parameter);
                    return weight;
                };
                const IValue cx = lstm ? IValue(draw({s.batch, s.hidden})) : IValue();
                return Drawn{draw({s.steps * s.batch, s.input}),
                             draw({s.batch, s.hidden}),
                             cx,
                             w({gates, s.input}),
                             w({gates, s.hidden}),
                             w({gates}),
                             w({gates}),
                             Dims(static_cast<std::size_t>(s.steps), s.batch),
                             mode,
                             false};
            };
            cases.push_back({"loupe::rnn_layer", name, forward});
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::string wanted = argc > 1 ? argv[1] : "";
    add_elementwise();
    add_softmax();
    add_layer_norm();
    add_batch_norm();
    add_pooling();
    add_products();
    add_rnn();
    std::erase_if(cases, [&](const Case& c) { return (c.op + (" " + c.name)).find(wanted) == std::string::npos; });
    // Our own first: once the plugin is there, its product serves other kernels too.
    for (Case& c : cases) c.own = time_call(*find_operator(c.op), c.draw());
    load_plugins_from(std::filesystem::path(LOUPE_BINARY_DIR) / "lib" / "plugins");
    std::printf("%-40s %-46s %11s %11s %7s  %s\n", "operator", "", "own", "oneDNN", "ratio", "choice");
    for (const Case& c : cases) {
        const Operator& op = *find_operator(c.op);
        const Drawn arguments = c.draw();
        const double other = time_candidate(op, arguments);
        std::printf("%-40s %-46s %8.1f µs ", c.op, c.name.c_str(), c.own * 1e6);
        if (other == 0) {
            std::printf("%11s\n", "-");
            continue;
        }
        std::printf("%8.1f µs %7.2f  %s\n", other * 1e6, other / c.own,
                    explain_kernel_choice(op, arguments).front().c_str());
        std::fflush(stdout);
    }
    return 0;
}
