// SPDX-License-Identifier: Apache-2.0
#pragma once
// Streams of CUDA devices. Each device has one of its own, on which all work runs that names none, and as PyTorch two
// sets of others, ordinary and urgent ones, that are given in turn.

#include <cuda_runtime_api.h>

#include <cstddef>

#include "core/tensor/device_interface.h"
#include "plugins/cuda/graphs/captures.h"

namespace loupe::cuda {

// Streams of `count` devices: the devices' own.
void make_own_streams(int count);
int device_count();

// The stream to which the calling thread gives its work.
StreamId current_stream(Device device);
void use_stream(Device device, StreamId stream);
StreamId make_stream(Device device, int priority);
// Throws Error (Run) for a stream that was never made.
cudaStream_t native_stream(Device device, StreamId stream);
inline cudaStream_t stream_of(Device device) { return native_stream(device, current_stream(device)); }

// Does the calling thread's stream capture? 0: no.
inline CaptureId capture_of(Device device) { return capture_of(stream_of(device)); }

// Memory of the device for the work that is given next to the calling thread's stream, valid until the next call.
void* scratch_of(Device device, std::size_t bytes);

// The calling thread's stream goes on when all others have done what they have been given.
void wait_for_others(Device device);

}  // namespace loupe::cuda
