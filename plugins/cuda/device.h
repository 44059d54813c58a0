// SPDX-License-Identifier: Apache-2.0
#pragma once
// CUDA devices: each has one stream, on which all of the engine's work runs in the order in which it is given.

#include <cuda_runtime_api.h>

#include "core/tensor/device_interface.h"
#include "plugins/cuda/current_device.h"
#include "plugins/cuda/loops/host.h"

namespace loupe::cuda {

cudaStream_t stream_of(Device device);
// Memory of the device for the work that is given next, valid until the next call.
void* scratch_of(Device device, std::size_t bytes);

// Of an event that this device interface has made.
cudaEvent_t native_event(const DeviceEvent& event);

// The device interface; throws Error (Plugin) with the reason when no device can be used.
DeviceInterface& make_device();

}  // namespace loupe::cuda
