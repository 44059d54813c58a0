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
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/ops/random/random.h"
#include "core/ops/samples.h"
#include "core/plugin/plugin_loader.h"
#include "core/tensor/device_copy.h"
#include "core/tensor/device_interface.h"
#include "tests/ops/comparison.h"
#include "tests/ops/device_comparison.h"

using namespace loupe;

namespace {

constexpr Device kGpu{DeviceType::Cuda, 0};
constexpr ScalarType kDtypes[] = {ScalarType::Float32, ScalarType::Float64, ScalarType::BFloat16,
                                  ScalarType::Float16, ScalarType::Int64,   ScalarType::Complex64};

class KernelWatcher : public ExecutionObserver {
  public:
    std::map<std::string, std::set<std::string>> operators;  // by backend

    void on_kernel(const KernelChoice& choice) override { operators[std::string(choice.backend)].emplace(choice.op); }
};

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }
void synchronize() { device_interface(DeviceType::Cuda)->synchronize(kGpu); }

int sweep_operators(KernelWatcher& watcher) {
    const ObserverScope watched(&watcher);
    int operators = 0, cases = 0, failed = 0;
    for (const Operator* const op : all_operators()) {
        if (op->variant != OperatorVariant::Functional || op->record->samples == nullptr || op->record->is_random ||
            op->full_name.starts_with("aten::as_strided"))
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
                const bool is_rounding = found.starts_with("gradient") && sweep::is_decided_by_rounding(*op, sample);
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
    for (const ScalarType dtype : {ScalarType::Float32, ScalarType::BFloat16}) {
        const Tensor x = on_gpu({64, 64, 56, 56}, dtype), w = on_gpu({64, 64, 3, 3}, dtype);
        const Dims one{1, 1}, zero{0, 0};
        product(concat("conv2d 64x64x56x56 3x3 ", dtype_name(dtype)).c_str(), 2.0 * 64 * 64 * 64 * 9 * 56 * 56,
                [&] { fn::convolution(x, w, Tensor(), one, one, one, false, zero, 1); });
    }
    const Tensor small = on_gpu({16}, ScalarType::Float32);
    bandwidth("add 16 float32", 192, [&] { fn::add(small, small, Scalar(1)); });
    bandwidth("relu 16 float32", 128, [&] { fn::relu(small); });
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
        const int failed = sweep_operators(watcher);
        std::printf("%.1f s\n", seconds_since(start));
        for (const auto& [backend, operators] : watcher.operators) {
            std::printf("by %s: %zu operators\n", backend.c_str(), operators.size());
        }
        say_errors();
        bench();
        return failed == 0 ? 0 : 1;
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
}
