// SPDX-License-Identifier: Apache-2.0
// Run by hand on a machine with an NVIDIA GPU (tests/gpu/run): every operator that has samples gives on the GPU what it
// gives on the CPU, results and gradients; then what errors do, and how fast it is. Prints tables and exits 1 when an
// operator differs.
//
//     gpu_check [FOLDER_OF_PLUGINS]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <set>

#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/distributed/device_transport.h"
#include "core/ir/parser.h"
#include "core/kernels/device_loops.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "core/optim/optimizer.h"
#include "core/plugin/plugin_loader.h"
#include "core/runtime/fuse/fuser.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_interface.h"
#include "tests/gpu/graphs.h"
#include "tests/gpu/library_checks.h"
#include "tests/ops/comparison.h"
#include "tests/ops/device_comparison.h"
#include "tests/ops/edge_points.h"
#include "tests/plugins/cuda/device_cases.h"
#include "tests/runtime/fuser_groups.h"

using namespace loupe;

namespace {

constexpr Device kGpu{DeviceType::Cuda, 0};
constexpr ScalarType kDtypes[] = {ScalarType::Float32,   ScalarType::Float64, ScalarType::BFloat16,
                                  ScalarType::Float16,   ScalarType::Int64,   ScalarType::Complex64,
                                  ScalarType::Complex128};

class KernelWatcher : public ExecutionObserver {
  public:
    std::map<std::string, std::set<std::string>> operators;  // by backend

    void on_kernel(const KernelChoice& choice) override { operators[std::string(choice.backend)].emplace(choice.op); }
};

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }
void synchronize() { device_interface(DeviceType::Cuda)->synchronize(kGpu); }

// Their vectors are given up to a sign: check_libraries() puts them together again.
bool has_free_signs(const Operator& op) {
    static const std::set<std::string_view> kNames{"aten::_linalg_svd", "aten::linalg_svd", "aten::svd",
                                                   "aten::_linalg_eigh", "aten::linalg_eigh"};
    return kNames.contains(op.full_name);
}

int sweep_operators(KernelWatcher& watcher) {
    const ObserverScope watched(&watcher);
    int operators = 0, cases = 0, failed = 0;
    for (const Operator* const op : all_operators()) {
        if (op->variant != OperatorVariant::Functional || op->record->samples == nullptr || op->record->is_random ||
            op->full_name.starts_with("aten::as_strided") || has_free_signs(*op))
            continue;
        ++operators;
        for (const ScalarType dtype : kDtypes) {
            Random random;
            std::vector<Sample> samples;
            try {
                samples = op->record->samples(random, dtype);
            } catch (const Error&) {
                continue;  // no samples in this dtype
            }
            std::string found;
            for (const Sample& sample : samples) {
                ++cases;
                found = sweep::difference_on(kGpu, *op, sample);
                if (found.empty()) continue;
                const bool is_rounding = sweep::is_decided_by_rounding(kGpu, *op, sample, found);
                std::printf("%s %s %s %s: %s\n", is_rounding ? "rounding decides" : "DIFFERS", op->full_name.c_str(),
                            std::string(dtype_name(dtype)).c_str(), sample.name.c_str(), found.substr(0, 200).c_str());
                if (is_rounding) {
                    found.clear();
                    continue;
                }
                break;
            }
            failed += found.empty() ? 0 : 1;
        }
    }
    std::printf("operators %d, cases %d, differing (operator, dtype) pairs %d\n", operators, cases, failed);
    return failed;
}

// Functions at their edges; of what has no derivative there, results alone.
int check_edges() {
    int failed = 0, checked = 0;
    const auto check = [&](const Operator& op, std::vector<IValue> arguments, ScalarType dtype) {
        ++checked;
        std::vector<IValue> there = arguments;
        for (IValue& value : there) value = on_device(value.to_tensor(), kGpu);
        std::string found;
        try {
            const IValue want = sweep::call(op, arguments)[0], got = sweep::call(op, there)[0];
            found = sweep::difference(on_host(got.to_tensor()), want.to_tensor(), sweep::precision(dtype) * 40);
        } catch (const Error& error) {
            found = error.message();
        }
        if (found.empty()) return;
        ++failed;
        std::printf("DIFFERS %s %s: %s\n", op.full_name.c_str(), std::string(dtype_name(dtype)).c_str(),
                    found.substr(0, 200).c_str());
    };
    for (const ScalarType dtype : {ScalarType::Complex64, ScalarType::Complex128}) {
        for (const std::string_view name : sweep::kComplexFunctions)
            check(*find_operator(concat("aten::", name)), {sweep::complex_edges(dtype)}, dtype);
    }
    for (const ScalarType dtype : {ScalarType::Float32, ScalarType::Float64}) {
        const Tensor x = fn::to_dtype(sweep::real_edges(), static_cast<std::int64_t>(dtype));
        for (const auto& [op, is_pair] : sweep::special_functions()) {
            if (is_pair)
                check(*op, {fn::unsqueeze(x, 1), x}, dtype);
            else
                check(*op, {x}, dtype);
        }
    }
    std::printf("functions at their edges %d, differing %d\n", checked, failed);
    return failed;
}

// ---- optimisers: as lists, in one kernel

// Many tensors, one of several chunks.
TensorList parameters_on(Device device, ScalarType dtype) {
    Random random;
    TensorList all;
    for (std::int64_t i = 0; i < 40; ++i)
        all.push_back(on_device(random_tensor(random, {i == 7 ? 70000 : i + 1, 3}, dtype), device));
    return all;
}
TensorList stepped(const optim::OptimizerRecord& record, Device device, ScalarType dtype) {
    const TensorList parameters = parameters_on(device, dtype), slopes = parameters_on(device, dtype);
    auto list = make_ptr<ListObject>(types::any());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        set_requires_grad(parameters[i], true);
        set_grad(parameters[i], slopes[i]);
        list->elements.emplace_back(parameters[i]);
    }
    const auto optimizer = optim::make_optimizer(record.name, {IValue(list)}, {{"lr", IValue(0.01)}});
    for (int step = 0; step < 3; ++step) optimizer->step();
    return parameters;
}
int check_optimizers() {
    int failed = 0, checked = 0;
    for (const optim::OptimizerRecord* const record : optim::optimizer_records()) {
        if (record->step != nullptr || record->update == nullptr) continue;
        for (const ScalarType dtype : {ScalarType::Float32, ScalarType::Float64, ScalarType::BFloat16}) {
            const TensorList want = stepped(*record, Device{}, dtype), got = stepped(*record, kGpu, dtype);
            ++checked;
            for (std::size_t i = 0; i < want.size(); ++i) {
                const std::string found =
                    sweep::difference(on_host(detach(got[i])), detach(want[i]), sweep::precision(dtype) * 4);
                if (found.empty()) continue;
                std::printf("DIFFERS %s %s parameter %zu: %s\n", std::string(record->name).c_str(),
                            std::string(dtype_name(dtype)).c_str(), i, found.substr(0, 200).c_str());
                ++failed;
                break;
            }
        }
    }
    std::printf("steps of optimisers %d, differing %d\n", checked, failed);
    return failed;
}

// ---- layouts, sizes and edges that samples have not

int check_device_cases() {
    int failed = 0, checked = 0;
    for (const device_cases::Case& c : device_cases::cases()) {
        TensorList there;
        for (const Tensor& t : c.inputs) there.push_back(on_device(t, kGpu));
        ++checked;
        std::string found;
        try {
            const TensorList want = c.work(c.inputs), got = c.work(there);
            for (std::size_t i = 0; i < want.size() && found.empty(); ++i)
                found = sweep::difference(on_host(got[i]), want[i], c.tolerance);
        } catch (const Error& error) {
            found = error.message();
        }
        if (found.empty()) continue;
        std::printf("DIFFERS %s: %s\n", c.name.c_str(), found.substr(0, 200).c_str());
        ++failed;
    }
    std::printf("cases of layouts and edges %d, differing %d\n", checked, failed);
    return failed;
}

// Median of a few: the device's own time a call, and the host's.
struct Times {
    double device_us = 0;
    double host_us = 0;
};
Times time_of(const std::function<void()>& work) {
    constexpr int kCalls = 20;
    std::vector<double> device, host;
    for (int i = 0; i < 3; ++i) work();
    synchronize();
    for (int round = 0; round < 7; ++round) {
        const auto begin = device_interface(DeviceType::Cuda)->make_event(kGpu);
        const auto end = device_interface(DeviceType::Cuda)->make_event(kGpu);
        begin->record();
        const Clock::time_point start = Clock::now();
        for (int i = 0; i < kCalls; ++i) work();
        host.push_back(seconds_since(start) / kCalls * 1e6);
        end->record();
        end->wait();
        device.push_back(end->milliseconds_since(*begin) / kCalls * 1e3);
    }
    std::ranges::sort(device);
    std::ranges::sort(host);
    return {device[device.size() / 2], host[host.size() / 2]};
}

Tensor on_gpu(std::initializer_list<std::int64_t> sizes, ScalarType dtype) {
    // Equal elements would spare the GPU power, and so be faster than any real ones.
    Random random;
    const Tensor row = random_tensor(random, {1 << 16}, dtype);
    const Tensor t = empty(IntSpan(sizes.begin(), sizes.size()), dtype, kGpu);
    const std::int64_t count = t.numel(), period = std::min<std::int64_t>(count, row.numel());
    const Tensor flat = fn::view(t, Dims{count / period, period});
    fn::copy_(flat, on_device(fn::slice(row, 0, 0, period, 1), kGpu));
    return t;
}

// 200 tensors of 64 thousand elements: 7 passes over them at the least.
void bench_steps(const std::function<void(const char*, double, const std::function<void()>&)>& row) {
    for (const char* const name : {"SGD", "Adam", "AdamW", "RMSprop"}) {
        auto list = make_ptr<ListObject>(types::any());
        for (int i = 0; i < 200; ++i) {
            const Tensor t = on_gpu({1 << 16}, ScalarType::Float32);
            set_requires_grad(t, true);
            set_grad(t, on_gpu({1 << 16}, ScalarType::Float32));
            list->elements.emplace_back(t);
        }
        const auto optimizer = optim::make_optimizer(name, {IValue(list)}, {{"lr", IValue(0.001)}});
        row(concat(name, " step, 200 x 64k").c_str(), 7.0 * 200 * (1 << 16) * 4, [&] { optimizer->step(); });
    }
}

Tensor whole_on_gpu(std::initializer_list<std::int64_t> sizes, std::int64_t limit) {
    const Tensor t = empty(IntSpan(sizes.begin(), sizes.size()), ScalarType::Int64, kGpu);
    return fn::random_from_(t, 0, limit, IValue());
}

// Operators that layers are made of, forward and backward.
void bench_layers(ScalarType dtype, const std::function<void(const char*, double, const std::function<void()>&)>& row) {
    const auto size = static_cast<double>(element_size(dtype));
    const auto time = [&](const char* what, double elements, const std::function<void()>& work) {
        row(concat(what, " ", dtype_name(dtype)).c_str(), elements * size, work);
    };
    constexpr std::int64_t kRows = 8192, kWidth = 1024;
    constexpr double kMany = kRows * kWidth;
    const Tensor x = on_gpu({kRows, kWidth}, dtype), g = on_gpu({kRows, kWidth}, dtype);
    const Tensor w = on_gpu({kWidth}, dtype), b = on_gpu({kWidth}, dtype);
    const auto number = static_cast<std::int64_t>(dtype);
    const Tensor y = fn::_softmax(x, std::int64_t{1}, false);
    time("softmax 8192x1024", 2 * kMany, [&] { fn::_softmax(x, std::int64_t{1}, false); });
    time("softmax backward", 3 * kMany, [&] { fn::_softmax_backward_data(g, y, std::int64_t{1}, number); });
    const auto [normal, mean, rstd] = fn::native_layer_norm(x, Dims{kWidth}, w, b, 1e-5);
    time("layer_norm 8192x1024", 2 * kMany, [&] { fn::native_layer_norm(x, Dims{kWidth}, w, b, 1e-5); });
    const auto all = make_ptr<ListObject>(types::boolean(), std::vector<IValue>{true, true, true});
    time("layer_norm backward", 5 * kMany,
         [&] { fn::native_layer_norm_backward(g, x, Dims{kWidth}, mean, rstd, w, b, IValue(all)); });
    const Tensor logits = on_gpu({4096, 32768}, dtype), classes = whole_on_gpu({4096}, 32768);
    time("log_softmax 4096x32768", 2 * 4096.0 * 32768, [&] { fn::_log_softmax(logits, std::int64_t{1}, false); });
    time("cross_entropy 4096x32768", 3 * 4096.0 * 32768, [&] {
        fn::nll_loss(fn::_log_softmax(logits, std::int64_t{1}, false), classes, Tensor(), std::int64_t{1},
                     std::int64_t{-100});
    });
    const Tensor ids = whole_on_gpu({8, 1024}, 32768), table = on_gpu({32768, kWidth}, dtype);
    const OperatorHandle<> embedding{"aten::embedding"};
    const Tensor of_rows = fn::view(g, Dims{8, 1024, kWidth});
    time("embedding 8192 of 32768x1024", 2 * kMany, [&] { embedding(table, ids, std::int64_t{-1}, false, false); });
    time("embedding backward", 2 * kMany + 32768.0 * kWidth,
         [&] { fn::embedding_dense_backward(of_rows, ids, std::int64_t{32768}, std::int64_t{-1}, false); });
    const Tensor image = on_gpu({64, 64, 56, 56}, dtype), of_image = on_gpu({64, 64, 56, 56}, dtype);
    const Tensor scale = on_gpu({64}, ScalarType::Float32), shift = on_gpu({64}, ScalarType::Float32);
    const Tensor running = fn::zeros_like(scale), spread = fn::ones_like(scale);
    const double pixels = static_cast<double>(image.numel());
    const auto normalise = [&] { return fn::native_batch_norm(image, scale, shift, running, spread, true, 0.1, 1e-5); };
    const auto kept = normalise();
    time("batch_norm 64x64x56x56", 3 * pixels, [&] { normalise(); });
    time("batch_norm backward", 5 * pixels, [&] {
        fn::native_batch_norm_backward(of_image, image, scale, running, spread, std::get<1>(kept), std::get<2>(kept),
                                       true, 1e-5, IValue(all));
    });
    const Dims three{3, 3}, two{2, 2}, one{1, 1};
    const auto pooled = fn::max_pool2d_with_indices(image, three, two, one, one, false);
    time("max_pool2d 3x3/2", 1.25 * pixels, [&] { fn::max_pool2d_with_indices(image, three, two, one, one, false); });
    time("max_pool2d backward", 1.25 * pixels, [&] {
        fn::max_pool2d_with_indices_backward(std::get<0>(pooled), image, three, two, one, one, false,
                                             std::get<1>(pooled));
    });
    time("dropout 64M", 2 * 67108864.0, [&, many = on_gpu({67108864}, dtype)] { fn::dropout(many, 0.1, true); });
    time("uniform_ 64M", 67108864.0, [&, many = on_gpu({67108864}, dtype)] { fn::uniform_(many, 0.0, 1.0, IValue()); });
    time("statistics 64M", 67108864.0, [&, many = on_gpu({67108864}, dtype)] { device_loops(kGpu)->add_up(many); });
    const Tensor heads = on_gpu({8, 12, 512, 64}, dtype);
    const OperatorHandle<std::tuple<Tensor, Tensor, Tensor, Tensor>> attend{
        "aten::_scaled_dot_product_efficient_attention"};
    time("attention 8x12x512x64, causal", 4.0 * 8 * 12 * 512 * 64,
         [&] { attend(heads, heads, heads, IValue(), true, 0.0, true, IValue()); });
    if (dtype == ScalarType::Float32) {
        const OperatorHandle<fn::TwoTensors> sort{"aten::sort"};
        const Tensor keys = on_gpu({1 << 24}, dtype);
        time("sort 16M", 2 * 16777216.0, [&] { sort(keys, std::int64_t{0}, false); });
        time("cumsum 4096x4096 rows", 2 * 16777216.0, [&] {
            fn::cumsum(fn::view(keys, Dims{4096, 4096}), 1, IValue());
        });
    }
}

Tensor dense_whole_on_gpu(std::initializer_list<std::int64_t> sizes, ScalarType dtype) {
    return fn::to_dtype(whole_on_gpu(sizes, 100), static_cast<std::int64_t>(dtype));
}

void bench() {
    std::printf("%-34s %12s %12s %12s\n", "", "device us", "host us", "");
    const auto bandwidth = [](const char* name, double bytes, const std::function<void()>& work) {
        const Times times = time_of(work);
        std::printf("%-34s %12.1f %12.1f %9.0f GB/s\n", name, times.device_us, times.host_us,
                    bytes / times.device_us * 1e-3);
    };
    const auto product = [](const char* name, double flops, const std::function<void()>& work) {
        const Times times = time_of(work);
        std::printf("%-34s %12.1f %12.1f %9.1f TFLOP/s\n", name, times.device_us, times.host_us,
                    flops / times.device_us * 1e-6);
    };
    constexpr std::int64_t kMany = std::int64_t{1} << 26;
    for (const ScalarType dtype : {ScalarType::Float32, ScalarType::BFloat16}) {
        const Tensor a = on_gpu({kMany}, dtype), b = on_gpu({kMany}, dtype);
        const double bytes = static_cast<double>(kMany * element_size(dtype));
        const std::string suffix = concat(" 64M ", dtype_name(dtype));
        bandwidth(("add" + suffix).c_str(), 3 * bytes, [&] { fn::add(a, b, Scalar(1)); });
        bandwidth(("relu" + suffix).c_str(), 2 * bytes, [&] { fn::relu(a); });
        bandwidth(("gelu" + suffix).c_str(), 2 * bytes, [&] { fn::gelu(a, "none"); });
        bandwidth(("sum" + suffix).c_str(), bytes, [&] { fn::sum(a); });
        const Tensor rows = fn::view(a, Dims{8192, 8192});
        bandwidth(("sum of rows" + suffix).c_str(), bytes, [&] { fn::sum_dim(rows, Dims{1}, false); });
        bandwidth(("sum of columns" + suffix).c_str(), bytes, [&] { fn::sum_dim(rows, Dims{0}, false); });
        bandwidth(("transposed copy" + suffix).c_str(), 2 * bytes, [&] { fn::contiguous(fn::t(rows), 0); });
    }
    for (const ScalarType dtype : {ScalarType::BFloat16, ScalarType::Float32, ScalarType::Float64}) {
        const Tensor a = on_gpu({4096, 4096}, dtype), b = on_gpu({4096, 4096}, dtype);
        product(concat("mm 4096 ", dtype_name(dtype)).c_str(), 2.0 * 4096 * 4096 * 4096, [&] { fn::mm(a, b); });
    }
    // By kernels of our own.
    for (const ScalarType dtype : {ScalarType::Int32, ScalarType::Int64}) {
        const Tensor a = dense_whole_on_gpu({2048, 2048}, dtype), b = dense_whole_on_gpu({2048, 2048}, dtype);
        product(concat("mm 2048 ", dtype_name(dtype)).c_str(), 2.0 * 2048 * 2048 * 2048, [&] { fn::mm(a, b); });
    }
    for (const ScalarType dtype : {ScalarType::Float32, ScalarType::BFloat16}) {
        const Tensor x = on_gpu({64, 64, 56, 56}, dtype), w = on_gpu({64, 64, 3, 3}, dtype);
        const Dims one{1, 1}, zero{0, 0};
        product(concat("conv2d 64x64x56x56 3x3 ", dtype_name(dtype)).c_str(), 2.0 * 64 * 64 * 64 * 9 * 56 * 56,
                [&] { fn::convolution(x, w, Tensor(), one, one, one, false, zero, 1); });
    }
    for (const ScalarType dtype : {ScalarType::Float32, ScalarType::BFloat16}) bench_layers(dtype, bandwidth);
    bench_steps(bandwidth);
    for (const ScalarType dtype : {ScalarType::BFloat16, ScalarType::Float32}) {
        const Tensor x = on_gpu({4096, 4096}, dtype), w = on_gpu({4096, 4096}, dtype), b = on_gpu({4096}, dtype);
        product(concat("addmm with a bias 4096 ", dtype_name(dtype)).c_str(), 2.0 * 4096 * 4096 * 4096,
                [&] { fn::addmm(b, x, w, Scalar(1), Scalar(1)); });
    }
    const OperatorHandle<fn::TwoTensors> layer{"loupe::linear_activation"};
    for (const ScalarType dtype : {ScalarType::BFloat16, ScalarType::Float32}) {
        const Tensor x = on_gpu({4096, 4096}, dtype), w = on_gpu({4096, 4096}, dtype), b = on_gpu({4096}, dtype);
        for (const char* activation : {"relu", "gelu_tanh"}) {
            product(concat("linear ", activation, " 4096 ", dtype_name(dtype)).c_str(), 2.0 * 4096 * 4096 * 4096,
                    [&] { layer(x, w, b, activation, true); });
        }
    }
    const OperatorHandle<fn::ThreeTensors> lstm{"aten::lstm.input"};
    for (const ScalarType dtype : {ScalarType::Float16, ScalarType::Float32}) {
        const Tensor x = on_gpu({128, 64, 512}, dtype), state = on_gpu({2, 64, 512}, dtype);
        TensorList params;
        for (int i = 0; i < 2; ++i) {
            for (const Tensor& p :
                 {on_gpu({2048, 512}, dtype), on_gpu({2048, 512}, dtype), on_gpu({2048}, dtype), on_gpu({2048}, dtype)})
                params.push_back(p);
        }
        product(concat("lstm 128 steps of 64x512, 2 layers ", dtype_name(dtype)).c_str(),
                2.0 * 128 * 64 * 4 * 2048 * 512, [&] {
                    lstm(x, TensorList{state, state}, params, true, std::int64_t{2}, 0.0, false, false, false);
                });
    }
    const Tensor small = on_gpu({16}, ScalarType::Float32);
    bandwidth("add 16 float32", 192, [&] { fn::add(small, small, Scalar(1)); });
    bandwidth("relu 16 float32", 128, [&] { fn::relu(small); });
}

// ---- fused groups: their numbers against the operators one by one, and their time

// The largest difference of two results, relative to the larger of 1 and the number.
double worst_of(const Tensor& got, const Tensor& want) {
    const auto wide = [](const Tensor& t) {
        return fn::contiguous(fn::to_dtype(on_device(t, Device{}), static_cast<std::int64_t>(ScalarType::Float64)), 0);
    };
    const Tensor a = wide(got), b = wide(want);
    double worst = 0;
    for (std::int64_t i = 0; i < a.numel(); ++i) {
        const double x = a.data<double>()[i], y = b.data<double>()[i];
        if (x != y && (x == x || y == y)) worst = std::max(worst, std::abs(x - y) / std::max(1.0, std::abs(y)));
    }
    return worst;
}

struct FusedCase {
    std::string name;
    std::string text;
    std::vector<IValue> inputs;
    ScalarType dtype = ScalarType::Float32;
};

std::vector<FusedCase> fused_cases(ScalarType dtype) {
    constexpr std::int64_t kMany = std::int64_t{1} << 26, kRows = 8192, kWidth = 1024;
    const std::string suffix = concat(" ", dtype_name(dtype));
    const Tensor a = on_gpu({kMany}, dtype), b = on_gpu({kMany}, dtype);
    const Tensor x = on_gpu({kRows, kWidth}, dtype), y = on_gpu({kRows, kWidth}, dtype), w = on_gpu({kWidth}, dtype);
    std::vector<FusedCase> cases{
        {"chain of 5, 64M" + suffix,
         "graph(%x : Tensor, %y : Tensor):\n  %one : int = prim::Constant[value=1]()\n  %half : float = "
         "prim::Constant[value=0.5]()\n  %erf : str = prim::Constant[value=\"none\"]()\n  %a : Tensor = aten::mul(%x, "
         "%half)\n  %b : Tensor = aten::add(%a, %y, %one)\n  %c : Tensor = aten::gelu(%b, %erf)\n  %d : Tensor = "
         "aten::mul(%c, %y)\n  %r : Tensor = aten::relu(%d)\n  return (%r)\n",
         {a, b},
         dtype}};
    for (const test::RowBody& row : test::row_bodies()) {
        if (row.kernels < 0) continue;
        std::string text = test::row_group(row.body, dtype);
        if (const std::size_t at = text.find("[40]"); at != std::string::npos)
            text.replace(at, 4, concat("[", kWidth, "]"));
        cases.push_back(
            {concat(row.name, " 8192x1024", suffix), text, {x, y, on_gpu({1, kWidth}, dtype), w, w}, dtype});
    }
    const auto [normal, mean, rstd] = fn::native_layer_norm(x, Dims{kWidth}, w, w, 1e-5);
    cases.push_back({"layer_norm backward, all" + suffix,
                     test::around(concat("[", kWidth, "]"), "[True, True, True]", true, "  return (%dx, %dw, %db)\n"),
                     {y, x, mean, rstd, w, w, x},
                     dtype});
    return cases;
}

// Of the bandwidth that a copy of as much memory has. Groups that differ are counted.
int check_fused_groups() {
    std::printf("%-44s %10s %10s %8s %9s\n", "fused groups", "fused us", "unfused us", "of copy", "differs");
    int failed = 0;
    for (const ScalarType dtype : {ScalarType::Float32, ScalarType::BFloat16}) {
        const Tensor from = on_gpu({1 << 26}, dtype), to = on_gpu({1 << 26}, dtype);
        const double copied = 2 * static_cast<double>(from.bytes()) / time_of([&] { fn::copy_(to, from); }).device_us;
        for (const FusedCase& c : fused_cases(dtype)) {
            const auto graph = ir::parse_graph(c.text);
            runtime::FusedGroup group(graph);
            std::vector<IValue> want(graph->outputs().size()), got(want.size());
            group.run(c.inputs, want.data());
            group.run(c.inputs, got.data());
            if (!group.reason().empty()) {
                std::printf("%-44s NOT FUSED: %s\n", c.name.c_str(), group.reason().c_str());
                ++failed;
                continue;
            }
            double worst = 0, bytes = 0;
            for (std::size_t i = 0; i < want.size(); ++i)
                worst = std::max(worst, worst_of(got[i].to_tensor(), want[i].to_tensor()));
            for (const std::string& loop : group.loops()) bytes += std::stod(loop.substr(loop.find(", ") + 2));
            const Times fused = time_of([&] { group.run(c.inputs, got.data()); });
            const Times unfused = time_of([&] { runtime::FusedGroup(graph).run(c.inputs, want.data()); });
            // Sums of many rows are added in another order.
            const double most = dtype == ScalarType::Float32 ? 1e-4 : 2e-2;
            failed += worst <= most ? 0 : 1;
            std::printf("%-44s %10.1f %10.1f %7.0f%% %9.1e%s\n", c.name.c_str(), fused.device_us, unfused.device_us,
                        100 * bytes / fused.device_us / copied, worst, worst <= most ? "" : "  DIFFERS");
            for (const runtime::FusedKernelText& kernel : group.kernels())
                std::printf("    %s\n", kernel.resources.c_str());
        }
    }
    return failed;
}

// NCCL with one rank: what it gives is what it was given, behind the work that has made it.
int check_collectives() {
    distributed::DeviceTransport* const transport = distributed::device_transport(DeviceType::Cuda);
    if (transport == nullptr) {
        std::printf("no NCCL\n");
        return 0;
    }
    const auto ranks = transport->join(transport->new_id(), 0, 1, kGpu);
    const Tensor from = on_gpu({1 << 20}, ScalarType::Float32), to = on_gpu({1 << 20}, ScalarType::Float32);
    int failed = 0;
    using Kind = distributed::TransferKind;
    for (const auto& [kind, name] :
         {std::pair{Kind::AllReduce, "all_reduce"}, std::pair{Kind::Reduce, "reduce"},
          std::pair{Kind::AllGather, "all_gather"}, std::pair{Kind::ReduceScatter, "reduce_scatter"}}) {
        fn::fill_(to, Scalar(0));
        fn::copy_(from, fn::mul_scalar(from, Scalar(1.5)));
        distributed::Transfer transfer;
        transfer.kind = kind;
        transfer.dtype = ScalarType::Float32;
        transfer.send = from.address();
        transfer.receive = to.address();
        transfer.count = static_cast<std::size_t>(from.numel());
        transfer.peer = 0;
        transfer.device = kGpu;
        transfer.ready = device_interface(DeviceType::Cuda)->make_event(kGpu);
        transfer.ready->record();
        const Clock::time_point start = Clock::now();
        const auto request = ranks->start(transfer);
        while (!request->test()) {
        }
        const double us = seconds_since(start) * 1e6, worst = worst_of(to, from);
        std::printf("%s %-20s %8.1f us of 4 MiB %s\n", transport->name(), name, us, worst == 0 ? "" : "DIFFERS");
        failed += worst == 0 ? 0 : 1;
    }
    return failed;
}

void say_errors() {
    try {
        empty(std::array<std::int64_t, 1>{std::int64_t{1} << 40}, ScalarType::Float32, kGpu);
        std::printf("4 TiB were given\n");
    } catch (const Error& error) {
        std::printf("4 TiB: %s\n", error.message().c_str());
    }
    const Tensor half = empty(std::array<std::int64_t, 1>{4}, ScalarType::Float32, kGpu);
    fn::fill_(half, Scalar(0.5));
    std::printf("afterwards 0.5 + 0.5 = %g\n", item(fn::select(fn::add(half, half, Scalar(1)), 0, 0)).to<double>());
}

}  // namespace

int main(int argc, char** argv) {
    try {
        for (const std::filesystem::path& folder :
             argc > 1 ? std::vector<std::filesystem::path>{argv[1]} : plugin_folders()) {
            for (const PluginStatus& plugin : load_plugins_from(folder))
                std::printf("plugin %s: %s\n", plugin.name.c_str(), plugin.loaded ? "loaded" : plugin.reason.c_str());
        }
        if (device_interface(DeviceType::Cuda) == nullptr) {
            std::printf("no CUDA device\n");
            return 2;
        }
        const Clock::time_point start = Clock::now();
        KernelWatcher watcher;
        int failed = sweep_operators(watcher) + check_edges() + check_device_cases() + check_optimizers();
        std::printf("%.1f s\n", seconds_since(start));
        for (const auto& [backend, operators] : watcher.operators) {
            std::printf("by %s: %zu operators\n", backend.c_str(), operators.size());
        }
        say_errors();
        failed += gpu::check_libraries() + check_fused_groups() + check_collectives() + gpu::check_graphs();
        bench();
        return failed == 0 ? 0 : 1;
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
}
