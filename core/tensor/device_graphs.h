// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphs of a device: work that a stream was given while it captured, kept to be given again as a whole. What a program
// has of them is runtime/graphs/captured_graph.h.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/tensor/device.h"

namespace loupe {

// What other threads may do while a stream captures, as CUDA has it: nothing that could wait for the device; all but
// the capturing thread may; all may.
enum class CaptureMode : std::uint8_t { Global, ThreadLocal, Relaxed };

// A pool of memory that graphs keep for themselves: {n, 0} is a graph's own, {0, n} was asked for, {0, 0} is the pool
// of all others.
struct MemoryPoolId {
    std::int64_t first = 0, second = 0;

    bool is_private() const { return first != 0 || second != 0; }
    friend auto operator<=>(const MemoryPoolId&, const MemoryPoolId&) = default;
};
// Different each time.
MemoryPoolId new_graph_pool();
MemoryPoolId new_pool_handle();

// What was captured.
class DeviceGraph {
  public:
    virtual ~DeviceGraph() = default;
    // Makes the form that can be launched, of the graph as it is now. Throws Error (Run) where there is no memory for
    // it.
    virtual void instantiate() = 0;
    virtual bool is_instantiated() const = 0;
    // Gives the calling thread's stream all of it.
    virtual void launch() = 0;
    virtual std::size_t nodes() const = 0;
    // What was instantiated stays.
    virtual void forget_source() {}
    // As Graphviz reads it.
    virtual std::string dot() const = 0;
    // The driver's handles, as numbers.
    virtual std::uintptr_t native() const { return 0; }
    virtual std::uintptr_t native_instance() const { return 0; }
};

class DeviceGraphs {
  public:
    virtual ~DeviceGraphs() = default;
    // The calling thread's stream, not the device's own, keeps what it is given from now on, and streams that wait for
    // its events with it. What is allocated for them comes from `pool`, which somebody holds. Throws Error (Run).
    virtual void begin_capture(Device device, CaptureMode mode, MemoryPoolId pool) = 0;
    // On the same stream. Throws Error (Run) when the capture failed; it is over all the same.
    virtual std::unique_ptr<DeviceGraph> end_capture(Device device) = 0;
    // Does the calling thread's stream capture, even if the capture has failed by now?
    virtual bool is_capturing(Device device) const = 0;

    // A pool's freed memory is given to its captures alone while it is held. Counted.
    virtual void hold_pool(Device device, MemoryPoolId pool) = 0;
    virtual void release_pool(Device device, MemoryPoolId pool) noexcept = 0;
};

// Does the calling thread's stream of the device capture?
bool is_capturing(Device device);
// Throws Error (Run) in CUDA's words if it does: "CUDA error: operation not permitted when stream is capturing (reading
// a number)".
void refuse_in_capture(Device device, const std::string& doing);

// Counts a capture, from its begin to its end.
void count_captures(int change);

}  // namespace loupe
