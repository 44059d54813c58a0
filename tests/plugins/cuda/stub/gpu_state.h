// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the files of the stub share.

#include "plugins/test_device/late_work.h"
#include "tests/plugins/cuda/stub/stub_gpu.h"

struct CUstream_st {
    int device = 0;
    std::size_t index = 0;
};

namespace stub_gpu {

loupe::test_device::LateWork& work_of(int device);
// Kept for cudaGetLastError().
cudaError_t returned(cudaError_t error);
cudaError_t returned(loupe::test_device::CaptureFault fault);
// Of the thread's device: lost, or not.
cudaError_t device_state();
int current_device();
// A failure that a test asked for.
cudaError_t failure_of(Call call);
void count_graph_launch();

// What could wait for a device is done: the error where a capture forbids that, which fails by it.
cudaError_t unsafe_call();
// Is the stream's capture spoilt?
cudaError_t capture_state(cudaStream_t stream);

}  // namespace stub_gpu
