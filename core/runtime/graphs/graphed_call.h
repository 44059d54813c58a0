// SPDX-License-Identifier: Apache-2.0
#pragma once
// A call whose work on a device is captured after it has run a few times, and given again as a whole from then on: the
// reduce-overhead mode of torch.compile. What it takes is copied to where the captured work reads it; results are
// copies.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/autograd/node.h"
#include "core/runtime/graphs/captured_graph.h"
#include "core/value/ivalue.h"

namespace loupe::runtime {

class GraphedCall {
  public:
    using Call = std::function<IValue(std::vector<IValue>)>;

    // parameters: what besides the arguments gradients may flow to.
    GraphedCall(Call call, TensorList parameters);
    GraphedCall(const GraphedCall&) = delete;
    GraphedCall& operator=(const GraphedCall&) = delete;
    ~GraphedCall();

    // Operator by operator where somebody observes them, and where the work cannot be captured. Throws what the call
    // throws.
    IValue operator()(std::vector<IValue> arguments);

    // Of the last call: was its work captured, and of how many nodes?
    bool is_captured() const { return nodes_ > 0; }
    std::size_t nodes() const { return nodes_; }
    std::size_t backward_nodes() const { return backward_nodes_; }
    // Why not; empty while it has not run often enough.
    const std::string& why_not() const { return why_not_; }
    // "captured as a graph of 12 nodes, backward of 20", "not captured: inputs are on the CPU".
    std::string note() const;

    struct Captured;  // for one kind of arguments

  private:
    IValue replay(const std::shared_ptr<Captured>& captured, const std::vector<IValue>& arguments);
    IValue run_plain(std::vector<IValue> arguments, std::string why);
    std::string why_not_capturable(const std::vector<IValue>& arguments) const;

    Call call_;
    TensorList parameters_;
    std::vector<std::pair<std::string, std::shared_ptr<Captured>>> known_;  // by the arguments' kind
    std::size_t nodes_ = 0, backward_nodes_ = 0;
    std::string why_not_;
};

}  // namespace loupe::runtime
