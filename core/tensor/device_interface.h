// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the engine asks of a type of device that is not the CPU. A plugin registers one at start.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/device.h"
#include "core/tensor/device_graphs.h"

namespace loupe {

class Allocator;
class DeviceLoops;
class Generator;

// Work of a device that runs in the order in which it is given, beside that of other streams. 0 is the device's own.
using StreamId = std::int64_t;

// A mark in the work of a device, by its own clock.
class DeviceEvent {
  public:
    virtual ~DeviceEvent() = default;
    // After all work that was given so far to the calling thread's stream of the device.
    virtual void record() = 0;
    // Has the device reached it?
    virtual bool is_reached() const = 0;
    // Waits until the device has reached it.
    virtual void wait() = 0;
    // From `earlier`, of the same device, to this one, in milliseconds. Both have been reached.
    virtual double milliseconds_since(const DeviceEvent& earlier) const = 0;
    // What is given to the calling thread's stream from now on begins when the device has reached this event.
    virtual void hold_stream() { wait(); }
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
// A figure of an allocator over its life, as torch.cuda.memory_stats() names its parts.
struct MemoryFigure {
    std::int64_t current = 0, peak = 0, allocated = 0, freed = 0;

    void add(std::int64_t amount) {
        current += amount;
        if (current > peak) peak = current;
        allocated += amount;
    }
    void take(std::int64_t amount) {
        current -= amount;
        freed += amount;
    }
};
// Of all blocks, of the pool of small ones, of that of large ones.
using PoolFigures = std::array<MemoryFigure, 3>;
struct DeviceMemoryStatistics {
    PoolFigures allocation, segment, active, inactive_split;  // counts
    PoolFigures allocated_bytes, reserved_bytes, active_bytes, inactive_split_bytes, requested_bytes;
    std::int64_t retries = 0;        // allocations for which the cache had to be freed
    std::int64_t out_of_memory = 0;  // allocations that failed
    std::int64_t device_allocations = 0, device_frees = 0;
    std::int64_t waits_for_streams = 0;
};
// What the driver gave in one piece, and its blocks in the order of their addresses.
struct DeviceSegment {
    struct Block {
        std::size_t bytes = 0;
        bool is_free = false;
    };
    std::uintptr_t address = 0;
    std::size_t bytes = 0;
    StreamId stream = 0;
    bool is_small = false;
    std::vector<Block> blocks;
    MemoryPoolId pool = {};
};
struct DeviceMemoryRoom {
    std::size_t free = 0, total = 0;  // of the whole device, for all processes
};

// How exact a device's own libraries are, and how they choose.
struct DeviceMathSettings {
    bool products_in_tf32 = false;      // float32 matrix products may round their factors to 10 bits
    bool convolutions_in_tf32 = false;  // likewise convolutions
    bool tries_algorithms = false;      // time convolution algorithms, rather than ask which should be fast

    friend bool operator==(const DeviceMathSettings&, const DeviceMathSettings&) = default;
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
    // In the turn of the calling thread's stream. False: the device has no such thing.
    virtual bool zero(void* to, Device device, std::size_t bytes) {
        static_cast<void>(to), static_cast<void>(device), static_cast<void>(bytes);
        return false;
    }
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

    virtual DeviceMemoryStatistics memory_statistics(Device device) const {
        static_cast<void>(device);
        return {};
    }
    virtual std::vector<DeviceSegment> memory_segments(Device device) const {
        static_cast<void>(device);
        return {};
    }
    virtual DeviceMemoryRoom memory_room(Device device) const {
        static_cast<void>(device);
        return {};
    }

    // --- streams: a device without any has only its own

    // A new one, or one that was made before where there are many; 0 on a device without.
    virtual StreamId make_stream(Device device, int priority) {
        static_cast<void>(device), static_cast<void>(priority);
        return 0;
    }
    // To which the calling thread gives its work.
    virtual StreamId current_stream(Device device) const {
        static_cast<void>(device);
        return 0;
    }
    virtual void use_stream(Device device, StreamId stream) { static_cast<void>(device), static_cast<void>(stream); }
    virtual void synchronize_stream(Device device, StreamId stream) {
        static_cast<void>(stream);
        synchronize(device);
    }
    // Has all its work been done?
    virtual bool is_idle(Device device, StreamId stream) {
        synchronize_stream(device, stream);
        return true;
    }
    // The driver's handle, as a number.
    virtual std::uintptr_t native_stream(Device device, StreamId stream) const {
        static_cast<void>(device), static_cast<void>(stream);
        return 0;
    }
    // A stream other than that for which the block was allocated works with it: once released it is given again only
    // when what this stream has been given so far is done.
    virtual void note_use(const void* block, Device device, StreamId stream) {
        static_cast<void>(block), static_cast<void>(device), static_cast<void>(stream);
    }

    // --- memory of the host that the device reaches by itself: copies to and from it go beside the host's work

    // Its allocator; null on a device that has no use for such memory.
    virtual Allocator* pinned_memory() { return nullptr; }
    virtual bool is_pinned(const void* address) const {
        static_cast<void>(address);
        return false;
    }
    // As copy(), but where the host's side is pinned it returns at once: the caller keeps what it gave as it is, and
    // reads what it gets, once the calling thread's stream is done.
    virtual void copy_later(void* to, Device to_device, const void* from, Device from_device, std::size_t bytes) {
        copy(to, to_device, from, from_device, bytes);
    }

    // Null on a device that captures nothing.
    virtual DeviceGraphs* graphs() { return nullptr; }

    virtual void set_math(const DeviceMathSettings& settings) { static_cast<void>(settings); }
    // Why the device takes no more work in this process; empty: it does.
    virtual std::string why_lost(Device device) const {
        static_cast<void>(device);
        return {};
    }
};

// Gives the calling thread's work on a device to a stream while it lives.
class StreamScope {
  public:
    StreamScope(DeviceInterface& devices, Device device, StreamId stream)
        : devices_(devices), device_(device), before_(devices.current_stream(device)) {
        devices.use_stream(device, stream);
    }
    StreamScope(const StreamScope&) = delete;
    StreamScope& operator=(const StreamScope&) = delete;
    ~StreamScope() { devices_.use_stream(device_, before_); }

  private:
    DeviceInterface& devices_;
    Device device_;
    StreamId before_;
};

// Null when no plugin gives this type of device, and for the CPU.
DeviceInterface* device_interface(DeviceType type);
// Of all devices, those too that are registered later.
void set_device_math(const DeviceMathSettings& settings);
DeviceMathSettings device_math();
// Is a device lost: does it take no more work in this process?
bool any_device_lost();
// Waits for all work given to devices other than the CPU.
void synchronize_devices();
// Plugins register theirs at start; it must outlive the process's tensors.
void set_device_interface(DeviceType type, DeviceInterface* device);

}  // namespace loupe
