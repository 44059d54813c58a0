// SPDX-License-Identifier: Apache-2.0
#pragma once
// What hooks of leaves put off: until the node that runs is done, or until the backward pass is. Such actions run on
// the thread of the pass, and the operators that they call are observed.

#include <functional>

namespace loupe {

// Outside of a backward pass the action runs at once.
void after_this_node(std::function<void()> action);
// In the order in which they were given, when the outermost pass of the thread is done; not when it failed. Outside of
// a pass at once. torch.autograd.Variable._execution_engine.queue_callback.
void after_backward(std::function<void()> action);

// Of the engine: a pass is under way while it lives.
class BackwardActions {
  public:
    BackwardActions();
    BackwardActions(const BackwardActions&) = delete;
    BackwardActions& operator=(const BackwardActions&) = delete;
    ~BackwardActions();
    static void run_after_node();
    // At the end of a pass that succeeded.
    void finish();
};

}  // namespace loupe
