// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "core/tensor/device_interface.h"

namespace loupe::cuda {

std::unique_ptr<DeviceEvent> make_event(Device device);
// Of an event that make_event() or mark_stream() has made.
cudaEvent_t native_event(const DeviceEvent& event);
// Behind what the stream has been given so far.
std::unique_ptr<DeviceEvent> mark_stream(Device device, StreamId stream);

}  // namespace loupe::cuda
