// SPDX-License-Identifier: Apache-2.0
#include "core/autograd/backward_actions.h"

#include <utility>
#include <vector>

#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/phase.h"

namespace loupe {
namespace {

using Actions = std::vector<std::function<void()>>;

thread_local int passes = 0;
thread_local Actions of_node;
thread_local Actions of_pass;

// The program's own calls again, as far as an observer is concerned.
class DirectCallScope final : ScopedValue<bool> {
  public:
    DirectCallScope() : ScopedValue(detail::thread_is_nested_call, false) {}
};

// An action may put off others.
void run_all(Actions& actions) {
    const DirectCallScope direct;
    const PhaseScope phase(Phase::Backward);
    const GradModeScope off(false);
    while (!actions.empty()) {
        const Actions now = std::exchange(actions, {});
        for (const auto& action : now) action();
    }
}

}  // namespace

void after_this_node(std::function<void()> action) {
    if (passes == 0) return action();
    of_node.push_back(std::move(action));
}

void after_backward(std::function<void()> action) {
    if (passes == 0) return action();
    of_pass.push_back(std::move(action));
}

BackwardActions::BackwardActions() { ++passes; }
BackwardActions::~BackwardActions() {
    if (--passes > 0) return;
    of_node.clear();
    of_pass.clear();
}
void BackwardActions::run_after_node() {
    if (!of_node.empty()) run_all(of_node);
}
void BackwardActions::finish() {
    if (passes > 1) return;
    while (!of_pass.empty() || !of_node.empty()) {
        run_all(of_node);
        run_all(of_pass);
    }
}

}  // namespace loupe
