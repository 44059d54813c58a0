// SPDX-License-Identifier: Apache-2.0
#pragma once
// Captures under way, for what works otherwise in them: memory comes from their pools, nothing waits, and what kernels
// are given at their addresses stays there as long as the graph does. Knows streams of the driver alone.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

#include "core/tensor/allocator.h"
#include "core/tensor/device_graphs.h"

namespace loupe::cuda {

using CaptureId = unsigned long long;

// 0: the stream does not capture.
CaptureId capture_of(cudaStream_t stream);
// On any stream of the device?
bool captures_any(int device);
// Where memory for the stream's work comes from: {} where it does not capture.
MemoryPoolId pool_for(cudaStream_t stream);

// While it lives, the calling thread may do what could wait for the device (take memory, load code): none of it
// concerns what is captured.
class RelaxedCapture {
  public:
    RelaxedCapture() { exchange(); }
    RelaxedCapture(const RelaxedCapture&) = delete;
    RelaxedCapture& operator=(const RelaxedCapture&) = delete;
    ~RelaxedCapture() { exchange(); }

  private:
    void exchange() { cudaThreadExchangeStreamCaptureMode(&mode_); }
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

// Memory for what the calling thread's stream is given next, of the capture's pool; valid until the next call.
void* capture_scratch(Device device, cudaStream_t stream, std::size_t bytes);
// Memory that stays one owner's until the capture ends; of its pool.
void* keep_for_capture(Device device, cudaStream_t stream, std::size_t bytes);
// Pinned memory of the host that captured work copies from or to.
void note_pinned(cudaStream_t stream, const void* address);

// Runs on the stream before it captures: libraries make what they need by then.
using CapturePreparation = void (*)(Device device);
void add_preparation(CapturePreparation prepare);
void run_preparations(Device device);

// Where memory of captures comes from: the device's own allocator.
void set_capture_memory(Allocator& allocator);
void note_capture(Device device, cudaStream_t stream, CaptureId id, MemoryPoolId pool);
// That which began on the stream; 0: none. A capture that failed is no longer known to CUDA by its number.
CaptureId begun_on(cudaStream_t stream);
// Gives up its memory, to its pool. Addresses of pinned memory.
std::vector<const void*> forget_capture(CaptureId id);

}  // namespace loupe::cuda
