// SPDX-License-Identifier: Apache-2.0
// Loops of plugins/cuda that the host runs (loops/launch.h), given to the stub's streams.

#include "plugins/cuda/check.h"
#include "plugins/cuda/loops/launch.h"
#include "tests/plugins/cuda/stub/stub_gpu.h"

namespace loupe::cuda {

void check_launch(const char* what);

void give(const Queue& queue, std::function<void()> work) {
    stub_gpu::launch(static_cast<cudaStream_t>(queue.stream), std::move(work));
    check_launch("a loop");
}

}  // namespace loupe::cuda
