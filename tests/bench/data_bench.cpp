// SPDX-License-Identifier: Apache-2.0
// Our half of data_bench.py: loads a folder of pictures, saves and loads a checkpoint. Prints seconds and peak memory.
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/base/error.h"
#include "core/data/loader.h"
#include "core/formats/checkpoint/checkpoint.h"
#include "core/formats/checkpoint/checkpoint_writer.h"
#include "core/formats/sources/source.h"

using namespace loupe;

namespace {

constexpr int kTensors = 20;
constexpr std::int64_t kElements = 500 * 1024 * 1024 / 4 / kTensors;

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

long peak_kib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

void load_pictures(const std::string& folder, int workers) {
    const data::Source source = data::open_source({"images", folder, {}});
    const auto begin = Clock::now();
    data::DataLoader loader(source.dataset, {.batch_size = 64, .num_workers = workers});
    const auto batches = loader.iterate();
    std::int64_t count = 0;
    while (const auto batch = batches->next()) count += batch->to_list().elements[0].to_tensor().size(0);
    std::printf("%.6f %lld\n", seconds_since(begin), static_cast<long long>(count));
}

void save(const std::string& path, bool is_stream) {
    const auto state = make_ptr<DictObject>(types::string(), types::tensor());
    for (int i = 0; i < kTensors; ++i) {
        const Tensor t = zeros(std::array<std::int64_t, 1>{kElements});
        for (std::int64_t e = 0; e < kElements; ++e) t.data<float>()[e] = static_cast<float>(e + i);
        state->set("layer" + std::to_string(i), t);
    }
    const long before = peak_kib();
    const auto begin = Clock::now();
    write_checkpoint(state, path, {.is_stream = is_stream});
    std::printf("%.6f %ld\n", seconds_since(begin), peak_kib() - before);
}

// touch: every page is read, as by who computes with it.
void load(const std::string& path, bool touch) {
    const long before = peak_kib();
    const auto begin = Clock::now();
    const IValue state = read_checkpoint(path);
    double sum = 0;
    for (const auto& [name, value] : state.to_dict().entries()) {
        const Tensor t = value.to_tensor();
        for (std::int64_t e = 0; touch && e < t.numel(); e += 1024) sum += static_cast<double>(t.data<float>()[e]);
    }
    std::printf("%.6f %ld %.0f\n", seconds_since(begin), peak_kib() - before, sum);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argc > 2 ? argv[1] : "";
    try {
        if (what == "pictures")
            load_pictures(argv[2], argc > 3 ? std::atoi(argv[3]) : 2);
        else if (what == "save")
            save(argv[2], argc > 3);
        else if (what == "load")
            load(argv[2], false);
        else if (what == "touch")
            load(argv[2], true);
        else
            return std::fprintf(stderr,
                                "bench_data pictures FOLDER [WORKERS] | save FILE [stream] | load FILE | touch FILE\n"),
                   2;
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 3;
    }
    return 0;
}
