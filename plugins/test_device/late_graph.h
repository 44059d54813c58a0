// SPDX-License-Identifier: Apache-2.0
#pragma once
// What streams of a simulated device were given while they captured, as CUDA's stream capture has it: each piece of
// work comes behind those that its stream was given before, and behind the events that the stream waited for.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace loupe::test_device {

class LateGraph {
  public:
    using Work = std::function<void()>;

    // Its place; `behind`: places of what comes before it.
    std::size_t add(Work work, std::vector<std::size_t> behind);
    std::size_t size() const { return nodes_.size(); }
    const std::vector<std::size_t>& before(std::size_t node) const { return nodes_[node].behind; }
    // Does everything come before these, or is one of them?
    bool all_before(const std::vector<std::size_t>& nodes) const;
    // All work, in an order that is allowed: what was given last first, so that a missing wait is seen.
    void run() const;

  private:
    struct Node {
        Work work;
        std::vector<std::size_t> behind;
    };
    std::vector<Node> nodes_;
};

struct LateCapture {
    std::uint64_t id = 0;    // never 0 of one that has begun
    std::size_t stream = 0;  // on which it began
    LateGraph graph;
    bool is_spoilt = false, is_over = false;
};

// CUDA's errors of captures.
enum class CaptureFault {
    None,
    Unsupported,    // operation not permitted when stream is capturing
    Invalidated,    // operation failed due to a previous error during capture
    Merge,          // operation would result in a merge of separate capture sequences
    Unmatched,      // capture was not ended in the same stream as it began
    Unjoined,       // capturing stream has unjoined work
    Isolation,      // dependency created on uncaptured work in another stream
    CapturedEvent,  // operation not permitted on an event last recorded in a capturing stream
    IllegalState,   // the operation cannot be performed in the present state
};
const char* text_of(CaptureFault fault);

}  // namespace loupe::test_device
