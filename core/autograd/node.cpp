// SPDX-License-Identifier: Apache-2.0
#include "core/autograd/node.h"

#include <atomic>

#include "core/autograd/observer.h"
#include "core/autograd/variable.h"

namespace loupe {
namespace {

std::uint64_t next_sequence() {
    static std::atomic<std::uint64_t> next{1};
    return next.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t event_under_way() {
    const ExecutionObserver* observer = execution_observer();
    return observer == nullptr ? 0 : observer->current_event();
}

}  // namespace

Node::Node() : Node(next_sequence()) {}
Node::Node(std::uint64_t sequence) : sequence_(sequence), forward_event_(event_under_way()) {}

Node::~Node() {
    // A chain of nodes is as long as the run that recorded it: release it in a loop, not by recursion.
    thread_local std::vector<Ptr<Node>>* doomed = nullptr;
    std::vector<Ptr<Node>> local;
    const bool outermost = doomed == nullptr;
    if (outermost) doomed = &local;
    for (Edge& edge : next_edges_) {
        if (edge.node) doomed->push_back(std::move(edge.node));
    }
    if (!outermost) return;
    while (!local.empty()) {
        const Ptr<Node> node = std::move(local.back());
        local.pop_back();
    }
    doomed = nullptr;
}

std::uint32_t Node::add_output(const Tensor& output) {
    GradientShape shape;
    if (output.defined()) {
        shape.sizes = to_dims(output.sizes());
        shape.dtype = output.dtype();
        shape.device = output.device();
        shape.defined = true;
    }
    outputs_.push_back(std::move(shape));
    return static_cast<std::uint32_t>(outputs_.size() - 1);
}

RemovableHandle Node::add_tensor_hook(std::uint32_t output, std::function<Tensor(const Tensor&)> hook) {
    for (TensorHooks& entry : tensor_hooks_) {
        if (entry.output == output) return entry.hooks.add(std::move(hook));
    }
    tensor_hooks_.push_back({output, {}});
    return tensor_hooks_.back().hooks.add(std::move(hook));
}

void Node::set_retain_grad(std::uint32_t output, RetainedTensor tensor) {
    retained_.emplace_back(output, std::move(tensor));
}

void Node::run_pre_hooks(TensorList& grads) {
    for (const TensorHooks& entry : tensor_hooks_) {
        if (entry.output >= grads.size() || !grads[entry.output].defined()) continue;
        for (const auto& hook : entry.hooks.snapshot()) {
            if (Tensor replacement = hook.hook(grads[entry.output]); replacement.defined()) {
                grads[entry.output] = std::move(replacement);
            }
        }
    }
    for (const auto& hook : pre_hooks.snapshot()) hook.hook(grads);
    for (const auto& [output, tensor] : retained_) {
        if (*tensor != nullptr && output < grads.size() && grads[output].defined())
            set_grad(Tensor(Ptr<TensorImpl>(*tensor)), grads[output]);
    }
}

}  // namespace loupe
