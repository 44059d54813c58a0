// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/require_device.h"

#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/python/language/error.h"
#include "core/tensor/device_interface.h"

namespace loupe::python {

void require_device(const Device& device) {
    const DeviceInterface* const devices = device_interface(device.type);
    if (device.is_cpu() || (devices != nullptr && device.index >= 0 && device.index < devices->count())) return;
    const bool has_none = device.type == DeviceType::Cuda && (devices == nullptr || devices->count() == 0);
    if (has_none && is_older_torch()) throw_error("AssertionError", "Torch not compiled with CUDA enabled");
    if (has_none)
        throw_error("RuntimeError",
                    "Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and installed a "
                    "driver from http://www.nvidia.com/Download/index.aspx");
    if (device.type == DeviceType::Cuda)
        throw_error("AcceleratorError",
                    "CUDA error: invalid device ordinal\nGPU device may be out of range, do you have enough GPUs?");
    throw_error("RuntimeError", concat("device '", device_name(device), "' is not available here"));
}

}  // namespace loupe::python
