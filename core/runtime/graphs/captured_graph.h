// SPDX-License-Identifier: Apache-2.0
#pragma once
// Work that was captured on a device and is given again as a whole: torch.cuda.CUDAGraph, with its checks and words.

#include <memory>
#include <optional>
#include <string>

#include "core/ops/random/graph_draws.h"
#include "core/tensor/device_interface.h"

namespace loupe::runtime {

// Throws Error (Run) in PyTorch's words for another name than global, thread_local and relaxed.
CaptureMode parse_capture_mode(const std::string& name);

class CapturedGraph {
  public:
    // keeps_graph: instantiate() is the caller's, or done at the first replay; the graph itself stays to be looked at.
    explicit CapturedGraph(bool keeps_graph = false) : keeps_graph_(keeps_graph) {}
    CapturedGraph(const CapturedGraph&) = delete;
    CapturedGraph& operator=(const CapturedGraph&) = delete;
    ~CapturedGraph();

    // The calling thread's stream of the device keeps what it is given from now on. pool: none: one of its own. Throws
    // Error (Run): on the device's own stream, for a device that captures nothing, with a graph already.
    void begin(Device device, std::optional<MemoryPoolId> pool, CaptureMode mode);
    // Throws Error (Run) when the capture failed; the graph has nothing then.
    void end();
    void instantiate();
    // On the calling thread's stream.
    void replay();
    // Gives up what was captured.
    void reset();

    MemoryPoolId pool() const;
    // 0 before the end of a capture.
    std::size_t nodes() const { return nodes_; }
    bool is_ended() const { return is_ended_; }
    bool keeps_graph() const { return keeps_graph_; }
    void enable_debug() { is_debugged_ = true; }
    // As Graphviz reads it; empty where it was not kept: see keeps_graph and enable_debug().
    std::string dot();
    bool is_debugged() const { return is_debugged_; }
    std::uintptr_t native() const;
    std::uintptr_t native_instance() const;

  private:
    DeviceGraphs& graphs() const;

    bool keeps_graph_ = false, is_debugged_ = false;
    bool is_begun_ = false, is_ended_ = false, has_source_ = false;
    Device device_;
    StreamId stream_ = 0;
    MemoryPoolId pool_;
    std::size_t nodes_ = 0;
    std::unique_ptr<DeviceGraph> graph_;
    std::shared_ptr<GraphDraws> draws_;
};

}  // namespace loupe::runtime
