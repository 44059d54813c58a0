// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fusion: a group of operators on elements and on rows (reductions along the last dimensions, softmax, layer_norm) becomes
// few loops over memory.
//
// The first time that a group meets inputs of certain dtypes and dimensions its operators run one by one, and the loops
// that they are made of are recorded; what is fused is these loops, so dtypes, casts and roundings are the
// operators' own. A backend makes a kernel of the expression; the best that takes it runs from then on.
//
// Backends compute each step as the operators' portable kernels do, and a row is handed to the operator's own function:
// results are the same bit for bit. Where an operator by itself would add up the elements of a row in another order (rows
// that do not lie in memory as rows), sums differ by roundings of their accumulator, a double, that is hardly ever in what
// is rounded from it. Few long rows, which an operator splits over threads, are not fused.

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
    // graph: pointwise operators and constants. backend: the only one to be asked, empty for all.
    explicit FusedGroup(Ptr<const ir::Graph> graph, std::string backend = {});
    ~FusedGroup() override;

    // Computes the graph's outputs without recording for autograd; nothing may require grad. Throws what the operators
    // throw.
    void run(std::span<const IValue> inputs, IValue* outputs);

    // For inputs of these shapes and numbers, that run() has met: what run_planned() takes. Null when operators run one by
    // one.
    Ptr<const RefCounted> plan_for(std::span<const IValue> inputs);
    // Computes into outputs that are there: as many as the graph has, of the shapes that run() gives. Finds nothing out.
    void run_planned(const RefCounted& plan, std::span<const IValue> inputs, const IValue* outputs) const;
    std::size_t output_count() const;

    // The kernels that were made so far.
    std::vector<FusedKernelText> kernels() const;
    // How the loops of the last call go over memory, one per kernel: "1 run of 131072 elements", "512 rows of 256 elements".
    // They are laid out for sizes and strides; kernels serve all sizes.
    std::vector<std::string> loops() const;
    // The next call finds its loops anew, as for sizes that the group has not met.
    void forget_sizes();
    // Why operators ran one by one at the last call; empty when they did not.
    const std::string& reason() const;

  private:
    class State;
    std::unique_ptr<State> state_;
};

// What fusing a group is worth on these inputs, to be shown: both ways are run several times, the best counts.
struct FusedGroupMeasure {
    std::vector<FusedKernelText> kernels;
    std::string reason;  // why it is not fused; empty when it is
    double fused_seconds = 0;    // 0 when times were not asked for
    double unfused_seconds = 0;
    double new_sizes_seconds = 0;  // fused, when the group has not met the sizes: kernels are there, loops are not
    std::vector<std::string> loops;
    std::vector<IValue> outputs;
};
// Throws what the operators throw. backend: as for FusedGroup.
FusedGroupMeasure measure_fused_group(const Ptr<const ir::Graph>& graph, const std::vector<IValue>& inputs, const std::string& backend = {},
                                      bool with_times = true);

// Is told of the fusion groups that this thread comes to, before they run.
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
