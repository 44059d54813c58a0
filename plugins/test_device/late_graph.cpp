// SPDX-License-Identifier: Apache-2.0
#include "plugins/test_device/late_graph.h"

#include <queue>
#include <utility>

namespace loupe::test_device {

std::size_t LateGraph::add(Work work, std::vector<std::size_t> behind) {
    nodes_.push_back({std::move(work), std::move(behind)});
    return nodes_.size() - 1;
}

bool LateGraph::all_before(const std::vector<std::size_t>& nodes) const {
    std::vector<bool> is_before(nodes_.size(), false);
    for (const std::size_t node : nodes) is_before[node] = true;
    // A node comes behind ones that were added before it alone.
    for (std::size_t i = nodes_.size(); i-- > 0;) {
        if (!is_before[i]) return false;
        for (const std::size_t node : nodes_[i].behind) is_before[node] = true;
    }
    return true;
}

void LateGraph::run() const {
    std::vector<std::size_t> missing(nodes_.size(), 0);
    std::vector<std::vector<std::size_t>> behind(nodes_.size());
    std::priority_queue<std::size_t> ready;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        missing[i] = nodes_[i].behind.size();
        for (const std::size_t node : nodes_[i].behind) behind[node].push_back(i);
        if (missing[i] == 0) ready.push(i);
    }
    while (!ready.empty()) {
        const std::size_t next = ready.top();
        ready.pop();
        nodes_[next].work();
        for (const std::size_t node : behind[next]) {
            if (--missing[node] == 0) ready.push(node);
        }
    }
}

const char* text_of(CaptureFault fault) {
    switch (fault) {
        case CaptureFault::None:
            return "no error";
        case CaptureFault::Unsupported:
            return "operation not permitted when stream is capturing";
        case CaptureFault::Invalidated:
            return "operation failed due to a previous error during capture";
        case CaptureFault::Merge:
            return "operation would result in a merge of separate capture sequences";
        case CaptureFault::Unmatched:
            return "capture was not ended in the same stream as it began";
        case CaptureFault::Unjoined:
            return "capturing stream has unjoined work";
        case CaptureFault::Isolation:
            return "dependency created on uncaptured work in another stream";
        case CaptureFault::CapturedEvent:
            return "operation not permitted on an event last recorded in a capturing stream";
        case CaptureFault::IllegalState:
            return "the operation cannot be performed in the present state";
    }
    return "";
}

}  // namespace loupe::test_device
