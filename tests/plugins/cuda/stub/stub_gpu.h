// SPDX-License-Identifier: Apache-2.0
#pragma once
// A GPU for tests, where there is none: functions of CUDA's runtime, of cuBLAS and of cuDNN as far as plugins/cuda
// calls them. Its memory is the host's. Streams run what they are given as late as they may
// (plugins/test_device/late_work.h). Tests say what the machine has, and what fails.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace stub_gpu {

struct Machine {
    int devices = 1;
    int driver = CUDART_VERSION;  // 0: none is installed
    int capability = 90;
    std::size_t memory = std::size_t{256} << 20;  // of a device
    int cublas = 13;
    int cudnn = 90900;
};
// Before the plugin is loaded.
void set_machine(const Machine& machine);
// Of each device, from now on.
void set_memory(std::size_t bytes);

enum class Call {
    Launch,  // of a kernel: fails at once, and the device works on
    Kernel,  // fails while it runs, which is seen later: the device is lost when `error` is of that kind
    Malloc,
    Copy,
    Capture,      // what a stream captured is spoilt, which is seen at its end
    Instantiate,  // of a graph
};
// The call after `skipped` others of its kind fails.
void fail(Call call, cudaError_t error, int skipped = 0);
// Devices that were lost are as new; nothing fails any more.
void mend();

struct Copy {
    std::size_t bytes = 0;
    cudaStream_t stream = nullptr;
    bool is_late = false;  // beside the host: both sides are memory that the device reaches
};
struct Counts {
    std::size_t launches = 0, mallocs = 0, frees = 0, waits = 0;  // waits: of the host
    std::size_t graphs = 0;                                       // launches of graphs
    std::size_t reserved = 0;                                     // bytes that are allocated
    std::vector<Copy> copies;
};
Counts counts();
void clear_counts();
// Functions of NVIDIA's libraries, by name. The call after `skipped` others of the name gives this status, `times` in a
// row; the library's own number.
void fail_library(std::string_view function, int status, int skipped = 0, int times = 1);
// The calls since the last clear_counts(), with what each was asked for: of cublasLtMatmul its epilogue.
std::vector<int> library_calls(std::string_view function);
// Work that was given and is not done.
std::size_t pending();

// --- for the libraries of the stub

struct Stream;
// Behind what the stream was given before. False: the launch failed, and cudaGetLastError() says why.
bool launch(cudaStream_t stream, std::function<void()> work);
const Machine& machine();
// A function of a library was called: the status that tests asked for, or 0.
int called(std::string_view function, int what = 0);

}  // namespace stub_gpu
