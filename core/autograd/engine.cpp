// SPDX-License-Identifier: Apache-2.0
#include "core/autograd/engine.h"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "core/autograd/accumulate_grad.h"
#include "core/autograd/backward_actions.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/autograd/whole_backward.h"
#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/scoped_value.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"

namespace loupe {
namespace {

GradientArithmetic& arithmetic_table() {
    static GradientArithmetic table;
    return table;
}

[[noreturn]] void fail_gradient(const Node* from, std::size_t index, const std::string& why) {
    const std::string fault = concat("invalid gradient at index ", index, " - ", why);
    throw Error(ErrorKind::Run, from == nullptr ? fault : concat("Function ", from->name(), " returned an ", fault));
}

// 0-dimensional gradients may come from anywhere.
Tensor on_device_of(const Tensor& grad, Device device, const Node* from, std::size_t index) {
    if (grad.device() == device) [[likely]]
        return grad;
    if (grad.dim() != 0 && (from == nullptr || !from->follows_device()))
        fail_gradient(from, index,
                      concat("expected device ", device_name(device), " but got ", device_name(grad.device())));
    return arithmetic_table().to_device(grad, device);
}

// Gradient `index` that `from` gave must fit the output that it belongs to; a broadcast one is summed down, as in
// PyTorch's validate_outputs.
Tensor fitted(const Tensor& grad, const Node& from, std::size_t index, const Edge& edge) {
    if (edge.input >= edge.node->outputs().size()) return grad;
    const GradientShape& want = edge.node->outputs()[edge.input];
    if (!want.defined) return grad;
    Tensor result = grad;
    const auto sizes = grad.sizes();
    if (!std::equal(sizes.begin(), sizes.end(), want.sizes.begin(), want.sizes.end())) {
        const Dims together = [&] {
            try {
                return broadcast_shapes(sizes, span_of(want.sizes));
            } catch (const Error&) {
                return Dims{-1};
            }
        }();
        if (!std::equal(sizes.begin(), sizes.end(), together.begin(), together.end()))
            fail_gradient(&from, index,
                          concat("got ", shape_list_text(sizes), " but expected shape compatible with ",
                                 shape_list_text(span_of(want.sizes))));
        result = arithmetic_table().sum_to(result, span_of(want.sizes));
    }
    if (result.dtype() != want.dtype) result = arithmetic_table().cast(result, want.dtype);
    return on_device_of(result, want.device, &from, index);
}

thread_local bool accumulates_all_leaves = true;

class AllLeavesScope final : ScopedValue<bool> {
  public:
    explicit AllLeavesScope(bool all) : ScopedValue(accumulates_all_leaves, all) {}
};

// Gradients that have arrived at a node.
class InputBuffer {
  public:
    void add(std::uint32_t index, Tensor grad, std::size_t size) {
        if (grads_.size() < std::max<std::size_t>(size, index + 1))
            grads_.resize(std::max<std::size_t>(size, index + 1));
        Tensor& slot = grads_[index];
        if (!slot.defined()) {
            slot = std::move(grad);
            return;
        }
        const bool sole_owner = slot.impl()->use_count() == 1 && slot.storage()->use_count() == 1;
        if (!GradMode::is_enabled() && sole_owner && slot.is_non_overlapping_and_dense() &&
            slot.dtype() == grad.dtype()) {
            arithmetic_table().add_in_place(slot, grad);
        } else {
            slot = arithmetic_table().add(slot, grad);
        }
    }
    TensorList take(std::size_t size) {
        grads_.resize(std::max(size, grads_.size()));
        return std::move(grads_);
    }

  private:
    TensorList grads_;
};

struct Capture {
    std::uint32_t output;
    std::size_t input;  // which of the inputs of gradients_of
};

class BackwardRun {
  public:
    explicit BackwardRun(const BackwardOptions& options) : options_(options) {}

    // With captures only nodes on the way to them run, and leaves do not accumulate.
    void capture(const Edge& edge, std::size_t input) {
        captures_[edge.node.get()].push_back({edge.input, input});
        kept_.push_back(edge.node);
        captured_.resize(std::max(captured_.size(), input + 1));
    }

    // Likewise, but the node runs: a leaf accumulates.
    void aim_at(const Edge& edge) {
        targets_.insert(edge.node.get());
        kept_.push_back(edge.node);
    }

    TensorList run(const std::vector<Edge>& roots, const TensorList& gradients) {
        count_dependencies(roots);
        if (is_selective()) find_needed(roots);
        const GradModeScope mode(options_.create_graph);
        const AllLeavesScope all_leaves(!is_selective());
        for (std::size_t i = 0; i < roots.size(); ++i) {
            Node* node = roots[i].node.get();
            if (node == nullptr || !is_needed(node)) continue;
            buffers_[node].add(roots[i].input, gradients[i], node->outputs().size());
        }
        std::unordered_set<Node*> started;
        for (const Edge& root : roots) {
            Node* node = root.node.get();
            if (node != nullptr && is_needed(node) && dependencies_[node] == 0 && started.insert(node).second)
                ready_.push(node);
        }
        const NestedCallScope nested;  // nodes are observed, the operators inside them are not
        BackwardActions actions;
        while (!ready_.empty()) {
            check_cancelled();
            Node* node = ready_.top();
            ready_.pop();
            execute(*node);
            BackwardActions::run_after_node();
        }
        actions.finish();
        return std::move(captured_);
    }

  private:
    struct LaterFirst {
        bool operator()(const Node* a, const Node* b) const { return a->sequence() < b->sequence(); }
    };

    void count_dependencies(const std::vector<Edge>& roots) {
        std::vector<Node*> stack;
        for (const Edge& root : roots) {
            if (root.node && seen_.insert(root.node.get()).second) stack.push_back(root.node.get());
        }
        while (!stack.empty()) {
            Node* node = stack.back();
            stack.pop_back();
            for (const Edge& edge : node->next_edges()) {
                Node* next = edge.node.get();
                if (next == nullptr) continue;
                ++dependencies_[next];
                if (seen_.insert(next).second) stack.push_back(next);
            }
        }
    }

    bool is_selective() const { return !captures_.empty() || !targets_.empty(); }

    // needed: which is a target, or from which one or a captured node can be reached. Iterative post-order.
    void find_needed(const std::vector<Edge>& roots) {
        struct Frame {
            Node* node;
            std::size_t edge;
        };
        std::unordered_set<Node*> visited;
        for (const Edge& root : roots) {
            if (!root.node || !visited.insert(root.node.get()).second) continue;
            std::vector<Frame> stack{{root.node.get(), 0}};
            while (!stack.empty()) {
                Frame& frame = stack.back();
                Node* node = frame.node;
                if (frame.edge < node->next_edges().size()) {
                    Node* next = node->next_edges()[frame.edge++].node.get();
                    if (next != nullptr && visited.insert(next).second) stack.push_back({next, 0});
                    continue;
                }
                const auto& edges = node->next_edges();
                const bool leads = std::any_of(edges.begin(), edges.end(), [&](const Edge& edge) {
                    return edge.node && (needed_.contains(edge.node.get()) || captures_.contains(edge.node.get()));
                });
                if (leads || targets_.contains(node)) needed_.insert(node);
                stack.pop_back();
            }
        }
    }

    bool is_needed(Node* node) const { return !is_selective() || needed_.contains(node) || captures_.contains(node); }

    void execute(Node& node) {
        const Ptr<Node> keep(&node);
        TensorList grads = buffers_[&node].take(node.outputs().size());
        buffers_.erase(&node);
        node.run_pre_hooks(grads);
        if (const auto found = captures_.find(&node); found != captures_.end()) {
            const bool ends_here = !needed_.contains(&node);
            if (const auto* leaf = dynamic_cast<const AccumulateGrad*>(&node); leaf != nullptr && ends_here)
                leaf->run_leaf_hooks(grads[0]);
            for (const Capture& capture : found->second) captured_[capture.input] = grads[capture.output];
            if (ends_here) return finish(node, {});
        }
        const bool any = std::any_of(grads.begin(), grads.end(), [](const Tensor& g) { return g.defined(); });
        if (!any) return finish(node, {});
        finish(node, apply(node, std::move(grads)));
    }

    TensorList apply(Node& node, TensorList grads) {
        ExecutionObserver* observer = execution_observer();
        const bool has_hooks = !node.post_hooks.empty();
        TensorList incoming;
        if (has_hooks) incoming = grads;
        TensorList outgoing;
        try {
            if (observer == nullptr) [[likely]] {
                outgoing = node.apply(std::move(grads));
            } else {
                outgoing = apply_observed(node, std::move(grads), *observer);
            }
        } catch (Error& error) {
            error.add_context({.op = node.name()});
            if (observer != nullptr) observer->on_exception(error);
            throw;
        }
        if (has_hooks) {
            for (const auto& entry : node.post_hooks.snapshot()) entry.hook(outgoing, incoming);
        }
        if (options_.detect_anomaly) check_for_nan(node, outgoing);
        if (!options_.retain_graph && !options_.create_graph) node.release_saved();
        return outgoing;
    }

    static TensorList apply_observed(Node& node, TensorList grads, ExecutionObserver& observer) {
        const std::string name = node.name();
        std::vector<IValue> inputs(grads.begin(), grads.end());
        OperatorCall call;
        call.phase = Phase::Backward;
        call.name = name;
        call.autograd_node = &node;
        call.inputs = inputs;
        observer.before_operator(call);
        // The node may free or steal them: AccumulateGrad steals those with no other reference.
        call.inputs = {};
        inputs.clear();
        TensorList outgoing = node.apply(std::move(grads));
        const std::vector<IValue> outputs(outgoing.begin(), outgoing.end());
        call.outputs = outputs;
        observer.after_operator(call);
        return outgoing;
    }

    static void check_for_nan(const Node& node, const TensorList& outgoing) {
        for (std::size_t i = 0; i < outgoing.size(); ++i) {
            if (outgoing[i].defined() && arithmetic_table().has_nan(outgoing[i])) {
                throw Error(ErrorKind::Run,
                            concat("Function '", node.name(), "' returned nan values in its ", i, "th output."));
            }
        }
    }

    void finish(Node& node, TensorList outgoing) {
        const auto& edges = node.next_edges();
        for (std::size_t i = 0; i < edges.size(); ++i) {
            Node* next = edges[i].node.get();
            if (next == nullptr) continue;
            if (i < outgoing.size() && outgoing[i].defined() && is_needed(next)) {
                buffers_[next].add(edges[i].input, fitted(outgoing[i], node, i, edges[i]), next->outputs().size());
            }
            if (--dependencies_[next] == 0 && is_needed(next)) ready_.push(next);
        }
    }

    BackwardOptions options_;
    std::unordered_map<Node*, int> dependencies_;
    std::unordered_set<Node*> seen_;
    std::unordered_set<Node*> needed_;
    std::unordered_map<Node*, InputBuffer> buffers_;
    std::unordered_map<Node*, std::vector<Capture>> captures_;
    std::unordered_set<Node*> targets_;
    std::vector<Ptr<Node>> kept_;
    TensorList captured_;
    std::priority_queue<Node*, std::vector<Node*>, LaterFirst> ready_;
};

Tensor root_gradient(const Tensor& root, const Tensor& gradient, std::size_t index) {
    if (!gradient.defined()) {
        if (root.numel() != 1) {
            throw Error(ErrorKind::Run, "grad can be implicitly created only for scalar outputs",
                        {.inputs = {describe(root)}, .hint = "give a gradient (cotangent) of the output's shape"});
        }
        return arithmetic_table().ones_like(root);
    }
    const auto a = root.sizes();
    const auto b = gradient.sizes();
    if (!std::equal(a.begin(), a.end(), b.begin(), b.end())) {
        throw Error(ErrorKind::Run,
                    concat("Mismatch in shape: grad_output[0] has a shape of torch.Size(", shape_list_text(b),
                           ") and output[0] has a shape of torch.Size(", shape_list_text(a), ")."));
    }
    const Tensor typed = gradient.dtype() == root.dtype() ? gradient : arithmetic_table().cast(gradient, root.dtype());
    return on_device_of(typed, root.device(), nullptr, index);
}

struct Roots {
    std::vector<Edge> edges;
    TensorList gradients;
};

Roots make_roots(const TensorList& outputs, const TensorList& gradients) {
    if (!gradients.empty() && gradients.size() != outputs.size()) {
        throw Error(ErrorKind::Run, concat("got ", outputs.size(), " tensors and ", gradients.size(), " gradients"));
    }
    Roots roots;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (!requires_grad(outputs[i])) {
            throw Error(ErrorKind::Run,
                        concat("element ", i, " of tensors does not require grad and does not have a grad_fn"));
        }
        roots.edges.push_back(gradient_edge(outputs[i]));
        roots.gradients.push_back(root_gradient(outputs[i], gradients.empty() ? Tensor() : gradients[i], i));
    }
    return roots;
}

}  // namespace

void backward(const TensorList& roots, const TensorList& gradients, const BackwardOptions& options) {
    const Roots start = make_roots(roots, gradients);
    BackwardRun(options).run(start.edges, start.gradients);
}

void backward_into(const TensorList& roots, const TensorList& inputs, const TensorList& gradients,
                   const BackwardOptions& options) {
    const Roots start = make_roots(roots, gradients);
    BackwardRun run(options);
    for (const Tensor& input : inputs) {
        retain_grad(input);
        run.aim_at(gradient_edge(input));
    }
    run.run(start.edges, start.gradients);
}

TensorList gradients_of(const TensorList& outputs, const TensorList& inputs, const TensorList& grad_outputs,
                        const BackwardOptions& options, bool allow_unused) {
    const Roots start = make_roots(outputs, grad_outputs);
    BackwardRun run(options);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Edge edge = gradient_edge(inputs[i]);
        if (!edge) throw Error(ErrorKind::Run, "One of the differentiated Tensors does not require grad");
        run.capture(edge, i);
    }
    TensorList result = run.run(start.edges, start.gradients);
    result.resize(inputs.size());
    const auto unused = std::find_if(result.begin(), result.end(), [](const Tensor& t) { return !t.defined(); });
    if (!allow_unused && unused != result.end()) {
        const std::string which = is_older_torch()
                                      ? "One of the differentiated Tensors"
                                      : concat("The differentiated Tensor at index ", unused - result.begin());
        throw Error(ErrorKind::Run, concat(which,
                                           " appears to not have been used in the graph. "
                                           "Set allow_unused=True if this is the desired behavior."));
    }
    return result;
}

bool is_whole_backward() { return accumulates_all_leaves; }

void set_gradient_arithmetic(const GradientArithmetic& arithmetic) { arithmetic_table() = arithmetic; }
const GradientArithmetic& gradient_arithmetic() { return arithmetic_table(); }

}  // namespace loupe
