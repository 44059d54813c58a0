// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/tensor/device_interface.h"

namespace loupe::session {

// Times work by the device's own clock, beside the host: what it has measured is read later.
class DeviceClock {
  public:
    // From start to stop; seconds are known when it is over.
    class Span {
      public:
        bool is_over() const { return ended_->is_reached(); }
        void wait() const { ended_->wait(); }
        double seconds() const { return ended_->milliseconds_since(*began_) * 1e-3; }
        // When it began, by the clock that gives the host's time.
        double start() const { return zero_at_ + began_->milliseconds_since(*zero_) * 1e-3; }

      private:
        friend class DeviceClock;
        Device device_;
        std::unique_ptr<DeviceEvent> began_, ended_;
        std::shared_ptr<const DeviceEvent> zero_;
        double zero_at_ = 0;
    };

    // Before work on the device; the CPU is not timed here. now: the host's time.
    void start(Device device, double now);
    // Behind the work that was given since; none for the CPU.
    std::optional<Span> stop();
    // Its events are used again.
    void take_back(Span span);
    // The host's time has stood still: both clocks are compared again.
    void forget_zero() { zero_ = nullptr; }

  private:
    std::unique_ptr<DeviceEvent> event();

    Device device_;
    bool is_running_ = false;
    Span under_way_;
    std::shared_ptr<const DeviceEvent> zero_;
    double zero_at_ = 0;
    std::vector<std::unique_ptr<DeviceEvent>> free_;
};

}  // namespace loupe::session
