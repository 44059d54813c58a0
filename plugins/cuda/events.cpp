// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/events.h"

#include "plugins/cuda/check.h"
#include "plugins/cuda/current_device.h"
#include "plugins/cuda/streams.h"

namespace loupe::cuda {
namespace {

class Event final : public DeviceEvent {
  public:
    explicit Event(Device device) : device_(device) {
        use(device);
        check(cudaEventCreate(&event_), "making an event");
    }
    ~Event() override { cudaEventDestroy(event_); }
    void record() override { record_on(current_stream(device_)); }
    void record_on(StreamId stream) {
        use(device_);
        check(cudaEventRecord(event_, native_stream(device_, stream)), "recording an event");
    }
    bool is_reached() const override {
        use(device_);
        const cudaError_t status = cudaEventQuery(event_);
        if (status == cudaErrorNotReady) {
            cudaGetLastError();  // it is no error
            return false;
        }
        check(status, "asking an event");
        return true;
    }
    void wait() override {
        use(device_);
        check(cudaEventSynchronize(event_), "waiting for an event");
    }
    double milliseconds_since(const DeviceEvent& earlier) const override {
        use(device_);
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, static_cast<const Event&>(earlier).event_, event_),
              "reading an event");
        return static_cast<double>(milliseconds);
    }
    void hold_stream() override {
        use(device_);
        check(cudaStreamWaitEvent(stream_of(device_), event_, 0), "waiting for an event of another stream");
    }

    cudaEvent_t native() const { return event_; }

  private:
    Device device_;
    cudaEvent_t event_ = nullptr;
};

}  // namespace

std::unique_ptr<DeviceEvent> make_event(Device device) { return std::make_unique<Event>(device); }
cudaEvent_t native_event(const DeviceEvent& event) { return static_cast<const Event&>(event).native(); }

std::unique_ptr<DeviceEvent> mark_stream(Device device, StreamId stream) {
    auto event = std::make_unique<Event>(device);
    event->record_on(stream);
    return event;
}

}  // namespace loupe::cuda
