// SPDX-License-Identifier: Apache-2.0
#pragma once
// Machine code on a device, by the driver's interface.

#include <cuda.h>

#include <map>
#include <string>

#include "core/tensor/device.h"
#include "plugins/cuda/fuser/code.h"
#include "plugins/cuda/fuser/launch.h"

namespace loupe::cuda {

// It stays loaded: work that was given may be to come.
class CodeModule {
  public:
    // Throws Error (Plugin) when the driver does not take it.
    CodeModule(const std::string& cubin, Device device);

    // On the device's stream. Throws Error (Run).
    void launch(const FusedLaunch& launch) const;
    // As the driver says, and how many blocks a processor runs at once.
    KernelResources resources(const std::string& function) const;
    int blocks_at_once(const std::string& function, int threads) const;

  private:
    CUfunction find(const std::string& function) const;

    Device device_;
    CUmodule module_ = nullptr;
    mutable std::map<std::string, CUfunction> functions_;
};

}  // namespace loupe::cuda
