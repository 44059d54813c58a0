// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the engine asks of a type of device that is not the CPU. A plugin registers one at start.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "core/tensor/device.h"

namespace loupe {

class Allocator;
class DeviceLoops;
class Generator;

// A mark in the work of a device, by its own clock.
class DeviceEvent {
  public:
    virtual ~DeviceEvent() = default;
    // After all work that was given to the device so far.
    virtual void record() = 0;
    // Has the device reached it?
    virtual bool is_reached() const = 0;
    // Waits until the device has reached it.
    virtual void wait() = 0;
    // From `earlier`, of the same device, to this one, in milliseconds. Both have been reached.
    virtual double milliseconds_since(const DeviceEvent& earlier) const = 0;
};

struct DeviceProperties {
    std::string name;
    int major = 0;  // what it can do, as its maker numbers it
    int minor = 0;
    std::size_t total_memory = 0;
    int processors = 0;
};
// In bytes.
struct DeviceMemoryUse {
    std::size_t used = 0;      // of tensors
    std::size_t reserved = 0;  // taken from the driver
    std::size_t most_used = 0;
    std::size_t most_reserved = 0;
};

class DeviceInterface {
  public:
    virtual ~DeviceInterface() = default;
    // As PyTorch spells the type: "cuda".
    virtual std::string_view name() const = 0;
    // Devices of this type; 0 when none can be used.
    virtual int count() const = 0;
    virtual Allocator& allocator() = 0;
    // May the host read and write its memory? Where not, Tensor::data() throws.
    virtual bool is_host_memory() const { return false; }
    // Copies bytes to, from or between devices of this type, after all work given to them so far. Returns when the
    // host may reuse what it gave and read what it gets.
    virtual void copy(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes) = 0;
    // Waits for all work given to the device.
    virtual void synchronize(Device device) = 0;
    virtual std::unique_ptr<DeviceEvent> make_event(Device device) = 0;
    // A device's own generator (core/ops/random/philox.h); null: numbers for it are drawn on the host by the CPU's.
    virtual Generator* generator(Device device) {
        static_cast<void>(device);
        return nullptr;
    }
    virtual DeviceProperties properties(Device device) const {
        static_cast<void>(device);
        return {};
    }
    virtual DeviceMemoryUse memory_use(Device device) const {
        static_cast<void>(device);
        return {};
    }
    // What was used most is counted from here.
    virtual void reset_peak_memory(Device device) { static_cast<void>(device); }
    // Its own elementwise loops and reductions (core/kernels/device_loops.h); null: the host's, over copies.
    virtual DeviceLoops* loops() { return nullptr; }
};

// Null when no plugin gives this type of device, and for the CPU.
DeviceInterface* device_interface(DeviceType type);
// Waits for all work given to devices other than the CPU.
void synchronize_devices();
// Plugins register theirs at start; it must outlive the process's tensors.
void set_device_interface(DeviceType type, DeviceInterface* device);

}  // namespace loupe
