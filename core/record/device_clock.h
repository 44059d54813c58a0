// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "core/tensor/device_interface.h"

namespace loupe::session {

// Times work by the device's own clock.
class DeviceClock {
  public:
    // Before work on the device; the CPU is not timed here.
    void start(Device device);
    // Behind the work that was given since.
    void stop();
    // Waits for the work. Seconds from start to stop; none for the CPU.
    std::optional<double> seconds();

  private:
    Device device_;
    bool is_running_ = false;
    std::unique_ptr<DeviceEvent> began_;
    std::unique_ptr<DeviceEvent> ended_;
};

}  // namespace loupe::session
