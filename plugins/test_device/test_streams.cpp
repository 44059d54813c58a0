// SPDX-License-Identifier: Apache-2.0
#include "plugins/test_device/test_streams.h"

#include <array>
#include <atomic>
#include <chrono>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::test_device {
namespace {

struct DeviceStreams {
    DeviceStreams() { work.make_stream(); }
    LateWork work;
    std::atomic<StreamId> made = 0;
};
DeviceStreams& streams_of(Device device) {
    static auto* const all = new std::array<DeviceStreams, kDevices>;  // tensors may outlive everything else
    return all->at(static_cast<std::size_t>(device.index));
}

thread_local std::array<StreamId, kDevices> current{};

void refuse(CaptureFault fault) {
    if (fault != CaptureFault::None) throw Error(ErrorKind::Run, concat("CUDA error: ", text_of(fault)));
}

// By the clock of the host, which is the device's.
class Event final : public DeviceEvent {
  public:
    explicit Event(Device device) : device_(device) {}

    void record() override {
        is_waited_for_ = false;
        mark_ = {};
        at_ = std::chrono::steady_clock::now();
        if (const StreamId stream = current_stream(device_); stream != 0) {
            stream_ = static_cast<std::size_t>(stream);
            mark_ = work_of(device_).mark(stream_);
        }
    }
    // Work of the device's own stream is done at once; that its event has been reached it says later, as a device
    // beside the host would.
    bool is_reached() const override {
        refuse(mark_.is_captured() ? CaptureFault::CapturedEvent : CaptureFault::None);
        if (!mark_.is_set()) return is_waited_for_;
        if (!mark_.is_reached()) work_of(device_).run_some(stream_);
        return mark_.is_reached();
    }
    void wait() override {
        if (mark_.is_captured()) work_of(device_).spoil_captures();
        refuse(mark_.is_captured() ? CaptureFault::CapturedEvent : CaptureFault::None);
        is_waited_for_ = true;
        work_of(device_).run_to(mark_);
    }
    double milliseconds_since(const DeviceEvent& earlier) const override {
        return (seconds() - static_cast<const Event&>(earlier).seconds()) * 1e3;
    }
    void hold_stream() override {
        const auto stream = static_cast<std::size_t>(current_stream(device_));
        // Work of the device's own stream cannot be kept, and is there before any that is captured.
        if (stream == 0 && mark_.is_captured()) {
            work_of(device_).spoil_captures();
            refuse(CaptureFault::Isolation);
        } else if (stream == 0) {
            work_of(device_).run_to(mark_);
        } else {
            refuse(work_of(device_).hold(stream, mark_));
        }
    }

  private:
    double seconds() const {
        return mark_.is_set() ? mark_.time() : std::chrono::duration<double>(at_.time_since_epoch()).count();
    }

    Device device_;
    std::size_t stream_ = 0;
    LateWork::Mark mark_;
    std::chrono::steady_clock::time_point at_;
    std::atomic<bool> is_waited_for_{false};  // on any thread
};

}  // namespace

LateWork& work_of(Device device) { return streams_of(device).work; }
StreamId current_stream(Device device) { return current.at(static_cast<std::size_t>(device.index)); }
void use_stream(Device device, StreamId stream) {
    if (stream < 0 || stream > streams_of(device).made)
        throw Error(ErrorKind::Run, concat(device_name(device), " has no stream ", stream));
    current.at(static_cast<std::size_t>(device.index)) = stream;
}
StreamId make_stream(Device device) {
    DeviceStreams& own = streams_of(device);
    own.made = static_cast<StreamId>(own.work.make_stream());
    return own.made;
}
void catch_up(Device device) {
    refuse_captures(device, current_stream(device));
    work_of(device).run(static_cast<std::size_t>(current_stream(device)));
}
void refuse_captures(Device device, std::optional<StreamId> stream) {
    LateWork& work = work_of(device);
    if (stream ? work.capture_of(static_cast<std::size_t>(*stream)) == nullptr : !work.captures_any()) return;
    stream ? work.spoil_capture(static_cast<std::size_t>(*stream)) : work.spoil_captures();
    refuse(CaptureFault::Unsupported);
}
void in_turn(Device device, LateWork::Work work) {
    if (const StreamId stream = current_stream(device); stream != 0)
        work_of(device).give(static_cast<std::size_t>(stream), std::move(work));
    else
        work();
}

std::unique_ptr<DeviceEvent> make_event(Device device) { return std::make_unique<Event>(device); }

}  // namespace loupe::test_device
