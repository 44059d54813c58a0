// SPDX-License-Identifier: Apache-2.0
#pragma once
// CUDA devices: memory, streams, events, and what their libraries are asked for.

#include <cuda_runtime_api.h>

#include <memory>

#include "core/tensor/device_interface.h"
#include "plugins/cuda/current_device.h"
#include "plugins/cuda/loops/host.h"
#include "plugins/cuda/streams.h"

namespace loupe::cuda {

// What set_math() has said last.
DeviceMathSettings math_settings();

// The device interface; throws Error (Plugin) with the reason when no device can be used.
DeviceInterface& make_device();

}  // namespace loupe::cuda
