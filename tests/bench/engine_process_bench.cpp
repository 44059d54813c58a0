// SPDX-License-Identifier: Apache-2.0
// What an engine in a process of its own costs: bench_engine_process ENGINE MODEL [ROUNDS] runs the model forward and
// backward, recorded, in this process and in one of ENGINE's (tensorloupe-engine) by turns, and prints medians in
// milliseconds: of the run until all of it is here, and of a picture of at most 256 x 256 elements of its
// largest value. Then, of models that it writes, of whole tensors as answers, and of a long recording.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/plugin/plugin_loader.h"
#include "core/session/queries/tensor.h"
#include "core/session/session.h"

using namespace loupe;
using namespace loupe::session;

namespace {

double now() {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    return Milliseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> times) {
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
    return times[times.size() / 2];
}

struct Side {
    std::unique_ptr<Session> session;
    std::vector<double> runs, pictures;
};

Side open(const std::string& program, const std::string& model) {
    Session::set_engine_program(program);
    Side side;
    side.session = std::make_unique<Session>();
    side.session->open(model);
    side.session->wait_idle();
    return side;
}

// Its largest result.
ValueId largest_value(const Recording& recording) {
    ValueId largest = 1;
    for (ValueId id = 1; id <= recording.value_count(); ++id) {
        const bool is_larger = recording.value(id).bytes > recording.value(largest).bytes;
        if (recording.value(id).producer != 0 && is_larger) largest = id;
    }
    return largest;
}

void measure(Side& side) {
    RunOptions options;
    options.backward = true;
    double start = now();
    side.session->run(options);
    side.session->wait_idle();
    side.runs.push_back(now() - start);
    TensorRequest request;
    request.value = largest_value(*side.session->recording());
    request.max_rows = request.max_columns = 256;
    // One picture of it.
    const std::size_t dims = side.session->recording()->value(request.value).shape.size();
    for (std::size_t d = 2; d < dims; ++d) request.slice += d == 2 ? "[0" : ", 0";
    if (dims > 2) request.slice += "]";
    for (int i = 0; i < 5; ++i) {
        std::promise<void> answered;
        start = now();
        side.session->ask("bench", TensorQuery{request}, [&](const TensorSlice&) { answered.set_value(); });
        answered.get_future().get();
        side.pictures.push_back(now() - start);
    }
}

double ask(Session& session, const TensorRequest& request) {
    std::promise<std::string> answered;
    const double start = now();
    session.ask("bench", TensorQuery{request}, [&](const TensorSlice& slice) { answered.set_value(slice.error); });
    if (const std::string error = answered.get_future().get(); !error.empty()) throw Error(ErrorKind::Run, error);
    return now() - start;
}

// All elements of a tensor of so many rows of 1024, which are doubles in an answer.
void measure_answers(const std::string& program) {
    const auto file = std::filesystem::temp_directory_path() / "loupe_bench_answers.py";
    for (const int megabytes : {1, 8, 64, 512}) {
        const int rows = megabytes * 128;
        std::ofstream(file) << "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x):\n"
                            << "        return x + torch.zeros(" << rows << ", 1024)\n"
                            << "example_inputs = (torch.ones(1),)\n";
        TensorRequest request;
        request.max_rows = rows;
        request.max_columns = 1024;
        std::vector<double> times[2];
        for (int side = 0; side < 2; ++side) {
            Side opened = open(side == 0 ? std::string() : program, file.string());
            opened.session->run({});
            opened.session->wait_idle();
            request.value = largest_value(*opened.session->recording());
            for (int i = 0; i < (megabytes > 100 ? 4 : 10); ++i) times[side].push_back(ask(*opened.session, request));
            times[side].erase(times[side].begin());
        }
        std::printf("answer of %d MB: in process %.2f ms, child %.2f ms\n", megabytes, median(times[0]),
                    median(times[1]));
    }
    std::filesystem::remove(file);
}

// A run of 40,000 events, until all of it is here.
void measure_recording(const std::string& program) {
    const auto file = std::filesystem::temp_directory_path() / "loupe_bench_recording.py";
    std::ofstream(file) << "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x):\n"
                        << "        for i in range(20000):\n            x = (x * 0.5) + 1\n        return x\n"
                        << "example_inputs = (torch.ones(4),)\n";
    double times[2] = {};
    for (int side = 0; side < 2; ++side) {
        Side opened = open(side == 0 ? std::string() : program, file.string());
        opened.session->run({});
        opened.session->wait_idle();
        const double start = now();
        opened.session->run({});
        opened.session->wait_idle();
        times[side] = now() - start;
    }
    std::printf("run of 40000 events: in process %.0f ms, child %.0f ms\n", times[0], times[1]);
    std::filesystem::remove(file);
}

int run(const std::string& program, const std::string& model, int rounds) {
    plugins();
    Side here = open({}, model);
    Side there = open(program, model);
    for (int i = 0; i < rounds + 2; ++i) {
        if (i == 2) {  // kernels are made, caches warm
            for (Side* side : {&here, &there}) side->runs.clear();
        }
        measure(i % 2 == 0 ? here : there);
        measure(i % 2 == 0 ? there : here);
    }
    std::vector<double> ratios;
    for (std::size_t i = 0; i < here.runs.size(); ++i) ratios.push_back(there.runs[i] / here.runs[i]);
    std::printf("events %zu\n", here.session->recording()->event_count());
    std::printf("recorded step: in process %.2f ms, child %.2f ms, ratio %.3f (median of pairs)\n", median(here.runs),
                median(there.runs), median(ratios));
    std::printf("picture: in process %.2f ms, child %.2f ms\n", median(here.pictures), median(there.pictures));
    measure_answers(program);
    measure_recording(program);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "bench_engine_process ENGINE MODEL [ROUNDS]\n");
        return 2;
    }
    try {
        return run(argv[1], argv[2], argc > 3 ? std::max(1, std::atoi(argv[3])) : 15);
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
