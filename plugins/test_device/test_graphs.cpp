// SPDX-License-Identifier: Apache-2.0
#include "plugins/test_device/test_graphs.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/test_device/test_streams.h"

namespace loupe::test_device {
namespace {

std::size_t stream_of(Device device) { return static_cast<std::size_t>(current_stream(device)); }

[[noreturn]] void fail(CaptureFault fault) { throw Error(ErrorKind::Run, concat("CUDA error: ", text_of(fault))); }

class TestGraph final : public DeviceGraph {
  public:
    TestGraph(Device device, std::shared_ptr<const LateGraph> graph) : device_(device), graph_(std::move(graph)) {}

    void instantiate() override { is_instantiated_ = true; }
    bool is_instantiated() const override { return is_instantiated_; }
    void launch() override {
        in_turn(device_, [graph = graph_] { graph->run(); });
    }
    std::size_t nodes() const override { return graph_->size(); }
    std::string dot() const override {
        std::string text = "digraph captured {\n";
        for (std::size_t i = 0; i < graph_->size(); ++i) {
            text += concat("  n", i, ";\n");
            for (const std::size_t before : graph_->before(i)) text += concat("  n", before, " -> n", i, ";\n");
        }
        return text + "}\n";
    }

  private:
    Device device_;
    std::shared_ptr<const LateGraph> graph_;
    bool is_instantiated_ = false;
};

}  // namespace

void TestGraphs::begin_capture(Device device, CaptureMode, MemoryPoolId pool) {
    if (const CaptureFault fault = work_of(device).begin_capture(stream_of(device)); fault != CaptureFault::None)
        fail(fault);
    memory_.use_pool(device, pool);
    count_captures(1);
}

std::unique_ptr<DeviceGraph> TestGraphs::end_capture(Device device) {
    CaptureFault fault = CaptureFault::None;
    auto graph = work_of(device).end_capture(stream_of(device), fault);
    if (fault != CaptureFault::IllegalState && fault != CaptureFault::Unmatched) count_captures(-1);
    if (fault != CaptureFault::None) fail(fault);
    return std::make_unique<TestGraph>(device, std::move(graph));
}

bool TestGraphs::is_capturing(Device device) const { return work_of(device).capture_of(stream_of(device)) != nullptr; }
void TestGraphs::hold_pool(Device, MemoryPoolId pool) { memory_.hold_pool(pool); }
void TestGraphs::release_pool(Device device, MemoryPoolId pool) noexcept {
    work_of(device).run_all();  // what was given may work with its memory
    memory_.release_pool(pool);
}

}  // namespace loupe::test_device
