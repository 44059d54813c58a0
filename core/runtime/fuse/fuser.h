// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fusion: a group of operators on elements and on rows (reductions along the last dimensions, softmax, layer_norm)
// becomes few loops over memory.
//
// On the first run with inputs of given dtypes and dimensions the operators run one by one and their loops are
// recorded; these loops are fused, so that dtypes, casts and roundings are the operators' own. The first backend that
// accepts the expression compiles its kernel for later runs.
//
// Backends compute each step as the operators' portable kernels do, and rows by the operator's own function: results
// are bitwise equal. Where the unfused operator would add the elements of a row in another order (rows that are not
// contiguous), sums differ by roundings of their accumulator, a double, which rarely affect the rounded result. Few
// long rows, which an operator splits over threads, are not fused.
//
// On a device the operators run as they do there, and the same loops are recorded beside, dry; the device's backend
// makes a kernel for all elements of a part. What it declines runs unfused.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/scoped_value.h"
#include "core/ir/graph.h"
#include "core/runtime/fuse/fused_kernel.h"

namespace loupe::runtime {

// A group's kernels by what they are specialised for. Used by one thread at a time.
class FusedGroup : public RefCounted {
  public:
    // graph: pointwise operators and constants. backend: restricts to one, empty for all.
    explicit FusedGroup(Ptr<const ir::Graph> graph, std::string backend = {});
    ~FusedGroup() override;

    // Computes the graph's outputs without recording for autograd; no input may require grad. Throws the operators'
    // errors.
    void run(std::span<const IValue> inputs, IValue* outputs);

    // For inputs of shapes and numbers of an earlier run(): the plan for run_planned(). Null when operators run one by
    // one.
    Ptr<const RefCounted> plan_for(std::span<const IValue> inputs);
    // Computes into existing outputs: as many as the graph has, of run()'s shapes. Without analysis.
    void run_planned(const RefCounted& plan, std::span<const IValue> inputs, const IValue* outputs) const;
    std::size_t output_count() const;

    // The kernels that were made so far.
    std::vector<FusedKernelText> kernels() const;
    // The loops of the last call over memory, one per kernel: "1 run of 131072 elements", "512 rows of 256 elements".
    // Loops depend on sizes and strides; kernels do not.
    std::vector<std::string> loops() const;
    // The next call plans its loops again, as for new sizes.
    void clear_plans();
    // Why operators ran one by one at the last call; empty when they did not.
    const std::string& reason() const;

  private:
    class State;
    std::unique_ptr<State> state_;
};

// Benefit of fusing a group on these inputs, for display: the best time of several runs, fused and unfused.
struct FusedGroupMeasure {
    std::vector<FusedKernelText> kernels;
    std::string reason;        // why it is not fused; empty when it is
    double fused_seconds = 0;  // 0 when times were not requested
    double unfused_seconds = 0;
    double new_sizes_seconds = 0;  // fused, on new sizes: kernels are compiled, loops are not planned
    std::int64_t bytes = 0;        // of tensors that go in and come out: what a kernel must move at least
    std::vector<std::string> loops;
    std::vector<IValue> outputs;
};
// Throws the operators' errors. backend: as for FusedGroup.
FusedGroupMeasure measure_fused_group(const Ptr<const ir::Graph>& graph, const std::vector<IValue>& inputs,
                                      const std::string& backend = {}, bool with_times = true);

// Notified of the fusion groups of this thread before they run.
class FusionWatcher {
  public:
    virtual ~FusionWatcher() = default;
    virtual void on_group(const ir::Node& node, const Ptr<const ir::Graph>& group, std::span<const IValue> inputs) = 0;
};

namespace detail {
extern thread_local FusionWatcher* thread_fusion_watcher;
}

class FusionWatcherScope final : ScopedValue<FusionWatcher*> {
  public:
    explicit FusionWatcherScope(FusionWatcher* watcher) : ScopedValue(detail::thread_fusion_watcher, watcher) {}
};

}  // namespace loupe::runtime
