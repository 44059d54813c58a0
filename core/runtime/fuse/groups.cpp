// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/fuse/groups.h"

#include <algorithm>
#include <unordered_set>

#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/phase.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/functions.h"
#include "core/dispatch/interceptor.h"
#include "core/ops/random/generator.h"
#include "core/passes/differentiate.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"
#include "core/runtime/fuse/fuser.h"
#include "core/runtime/fuse/group_recorder.h"
#include "core/runtime/interpreter/interpreter.h"

namespace loupe::runtime {
namespace {

// A group for inputs of certain shapes: forward and backward code.
struct Differentiated : RefCounted {
    passes::Gradient gradient;
    Ptr<const Code> forward;  // null when there is no derivative graph
    Ptr<const Code> backward;
    // Of each result of df: the gradients, by their index in df_input_vjps, that it depends on.
    std::vector<std::vector<std::size_t>> sources;
};

std::vector<std::size_t> gradients_behind(const ir::Value* value, std::size_t gradients) {
    std::vector<std::size_t> found;
    std::unordered_set<const ir::Value*> seen{value};
    std::vector<const ir::Value*> waiting{value};
    while (!waiting.empty()) {
        const ir::Value* next = waiting.back();
        waiting.pop_back();
        if (next->node()->kind() == ir::prim::Param) {
            if (next->offset() < gradients) found.push_back(next->offset());
            continue;
        }
        for (const ir::Value* input : next->node()->inputs()) {
            if (seen.insert(input).second) waiting.push_back(input);
        }
    }
    return found;
}

struct GroupState : RefCounted {
    Ptr<const Code> plain;
    bool draws = false;                   // random numbers
    std::vector<std::size_t> statistics;  // inputs that are running statistics
    Ptr<FusedGroup> fused;                // of a fusion group; null before it first runs alone
    std::unordered_map<std::string, Ptr<Differentiated>> by_shape;
};

GroupState& state_of(const StructuralCall& call) {
    Ptr<RefCounted>& kept = call.code->group_states[&call.node];
    if (!kept) {
        auto state = make_ptr<GroupState>();
        state->plain = Code::make(call.node.g(ir::attr::Subgraph), call.code->function_name());
        const auto& nodes = call.node.g(ir::attr::Subgraph)->nodes();
        state->draws = std::any_of(nodes.begin(), nodes.end(), [](const ir::Node* node) { return node->is_random(); });
        for (const ir::Node* node : nodes) {
            for (const char* name : {"running_mean", "running_var"}) {
                const ir::Value* running = node->op() == nullptr ? nullptr : node->named_input(name);
                if (running != nullptr && running->node()->kind() == ir::prim::Param)
                    state->statistics.push_back(running->offset());
            }
        }
        kept = state;
    }
    return static_cast<GroupState&>(*kept);
}

std::vector<IValue> inputs_of(const StructuralCall& call) {
    return std::vector<IValue>(call.inputs, call.inputs + call.instruction.input_count);
}

bool needs_gradient(const IValue& value) {
    return value.is_tensor() && value.to_tensor().defined() && requires_grad(value.to_tensor());
}

// Of numbers and lists of them, which a derivative graph has as constants.
std::string number_key(const IValue& value) {
    if (value.is_int()) return concat("i", value.to_int(), ";");
    if (value.is_double()) return concat("d", value.to_double(), ";");
    if (value.is_bool()) return value.to_bool() ? "T;" : "F;";
    if (value.is_string()) return concat("s", value.to_string().size(), ":", value.to_string(), ";");
    if (!value.is_list()) return "-;";
    std::string key = "[";
    for (const IValue& element : value.to_list().elements) key += number_key(element);
    return key + "]";
}

// The key of a derivative graph.
std::string shape_key(const std::vector<IValue>& inputs) {
    std::string key;
    for (const IValue& value : inputs) {
        if (!value.is_tensor() || !value.to_tensor().defined()) {
            key += number_key(value);
            continue;
        }
        const Tensor t = value.to_tensor();
        key += concat(static_cast<int>(t.dtype()), shape_list_text(t.sizes()), shape_list_text(t.strides()),
                      requires_grad(t) ? "g" : "", ";");
    }
    return key;
}

// The graph in operators that are made for these inputs.
Ptr<ir::Graph> for_inputs(const ir::Graph& graph, const std::vector<IValue>& inputs) {
    const Ptr<ir::Graph> copy = graph.copy();
    copy->begin_pass();
    passes::PassContext context;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const bool is_tensor = inputs[i].is_tensor() && inputs[i].to_tensor().defined();
        context.input_types.push_back(is_tensor ? ir::refined_type(inputs[i].to_tensor()) : nullptr);
        if (inputs[i].is_tensor() || !passes::can_be_constant(inputs[i])) continue;
        const ir::InsertPointScope first(*copy, *copy->nodes().begin());
        copy->inputs()[i]->replace_all_uses_with(copy->insert_constant(inputs[i], copy->inputs()[i]->type()));
    }
    for (const passes::Pass* pass :
         {&passes::kPropagateInputShapes, &passes::kFuseAttention, &passes::kFuseTrainedLinears, &passes::kSaveSlopes,
          &passes::kDecomposeDropout, &passes::kSplitNorms}) {
        pass->run(*copy, context);
    }
    return copy;
}

Differentiated& differentiated(GroupState& state, const StructuralCall& call, const std::vector<IValue>& inputs) {
    constexpr std::size_t kMostShapes = 64;  // then the operators record themselves
    const std::string key = shape_key(inputs);
    if (const auto found = state.by_shape.find(key); found != state.by_shape.end()) return *found->second;
    auto made = make_ptr<Differentiated>();
    if (state.by_shape.size() < kMostShapes) {
        std::vector<bool> wanted;
        for (const IValue& value : inputs) wanted.push_back(needs_gradient(value));
        try {
            made->gradient =
                passes::differentiate(*for_inputs(*call.node.g(ir::attr::Subgraph), inputs), inputs, wanted);
            // Before fusing: a group depends on all that it reads, each of its results on less.
            for (const ir::Value* output : made->gradient.df->outputs()) {
                made->sources.push_back(gradients_behind(output, made->gradient.df_input_vjps.size()));
            }
            passes::kFuseLinearGradients.run(*made->gradient.df, {});
            for (const auto& graph : {made->gradient.f, made->gradient.df}) {
                for (const passes::Pass* pass : {&passes::kSplitNorms, &passes::kFuseTensorExprs})
                    pass->run(*graph, {});
            }
            made->forward = Code::make(made->gradient.f, call.code->function_name());
            made->backward = Code::make(made->gradient.df, call.code->function_name());
        } catch (const Error& error) {
            // No such graph, or an operator that reads elements fails on fakes. Errors of the run itself are reported
            // by the operators.
            if (error.kind() == ErrorKind::Cancelled) throw;
            made->forward = nullptr;
        }
    }
    return *(state.by_shape[key] = made);
}

class DifferentiableGraphBackward final : public Node {
  public:
    DifferentiableGraphBackward(Ptr<Differentiated> group, const GroupState& state, const std::vector<IValue>& inputs)
        : group_(std::move(group)), plain_(state.plain), statistics_(state.statistics) {
        if (state.draws) drawn_from_ = random_state();
        std::vector<Edge> edges;
        for (const IValue& value : inputs) {
            const bool is_wanted = needs_gradient(value);
            edges.push_back(is_wanted ? gradient_edge(value.to_tensor()) : Edge());
            const bool is_tensor = value.is_tensor() && value.to_tensor().defined();
            inputs_.push_back(is_tensor ? SavedTensor(value.to_tensor(), false) : SavedTensor());
            numbers_.push_back(is_tensor ? IValue() : value);
        }
        set_next_edges(std::move(edges));
    }

    std::string name() const override { return "DifferentiableGraphBackward"; }

    // Histories of the real outputs must be set by then.
    void save_outputs(const std::vector<IValue>& outputs) {
        for (const std::int64_t i : group_->gradient.df_input_captured_outputs) {
            const bool is_real = static_cast<std::size_t>(i) < group_->gradient.f_real_outputs;
            outputs_.emplace_back(outputs[static_cast<std::size_t>(i)].to_tensor(), is_real);
        }
    }

    TensorList apply(TensorList grads) override {
        if (released_) {
            throw Error(ErrorKind::Run,
                        "Trying to backward through the graph a second time (or directly access saved tensors after "
                        "they have already been "
                        "freed). Saved intermediate values of the graph are freed when you call .backward() or "
                        "autograd.grad(). Specify "
                        "retain_graph=True if you need to backward through the graph a second time or if you need to "
                        "access saved tensors "
                        "after calling backward.");
        }
        grads.resize(std::max(grads.size(), outputs().size()));
        return GradMode::is_enabled() ? apply_recorded(grads) : apply_graph(grads);
    }

    void release_saved() override {
        released_ = true;
        inputs_.clear();
        outputs_.clear();
    }

    std::size_t saved_bytes() const override {
        std::size_t bytes = 0;
        for (const auto* list : {&inputs_, &outputs_}) {
            for (const SavedTensor& saved : *list) bytes += saved.peek().defined() ? saved.peek().bytes() : 0;
        }
        return bytes;
    }

  private:
    Tensor zeros_for(std::size_t output) const {
        return gradient_arithmetic().zeros(span_of(outputs()[output].sizes), outputs()[output]);
    }

    TensorList apply_graph(const TensorList& grads) {
        const passes::Gradient& gradient = group_->gradient;
        const Ptr<Node> self(this);
        std::vector<IValue> arguments;
        for (std::size_t i = 0; i < gradient.df_input_vjps.size(); ++i) {
            const auto output = static_cast<std::size_t>(gradient.df_input_vjps[i]);
            const Tensor grad = grads[output].defined() ? grads[output] : zeros_for(output);
            Dims strides;
            for (const auto& stride : *gradient.df->inputs()[i]->type()->as<TensorType>()->strides)
                strides.push_back(*stride);
            arguments.emplace_back(gradient_arithmetic().restride(grad, span_of(strides)));
        }
        for (const std::int64_t i : gradient.df_input_captured_inputs)
            arguments.emplace_back(inputs_[static_cast<std::size_t>(i)].unpack(self));
        for (const SavedTensor& saved : outputs_) arguments.emplace_back(saved.unpack(self));
        const PhaseScope backward(Phase::Backward);
        const std::vector<IValue> results = run_code(*group_->backward, std::move(arguments));
        TensorList all(next_edges().size());
        for (std::size_t i = 0; i < results.size(); ++i) {
            // Without an incoming gradient it stays undefined.
            const auto& sources = group_->sources[i];
            const bool has_source = std::any_of(sources.begin(), sources.end(), [&](std::size_t source) {
                return grads[static_cast<std::size_t>(gradient.df_input_vjps[source])].defined();
            });
            if (has_source) all[static_cast<std::size_t>(gradient.df_output_vjps[i])] = results[i].to_tensor();
        }
        return all;
    }

    // Draws the numbers that were drawn, and leaves the generator and running statistics as they are.
    std::vector<IValue> run_again(std::vector<IValue> arguments) const {
        for (const std::size_t i : statistics_) {
            if (arguments[i].is_tensor() && arguments[i].to_tensor().defined())
                arguments[i] = gradient_arithmetic().clone(arguments[i].to_tensor());
        }
        if (!drawn_from_) return run_code(*plain_, std::move(arguments));
        struct Restored {
            RandomState state = random_state();
            ~Restored() { set_random_state(state); }
        } const restored;
        set_random_state(*drawn_from_);
        return run_code(*plain_, std::move(arguments));
    }

    // For gradients of gradients: the operators once more, recorded.
    TensorList apply_recorded(const TensorList& grads) {
        const Ptr<Node> self(this);
        std::vector<IValue> arguments = numbers_;
        TensorList leaves;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            if (!inputs_[i].defined()) continue;
            arguments[i] = inputs_[i].unpack(self);
            if (!should_compute(i)) continue;
            // A separate leaf: an input may be computed from another.
            arguments[i] = fn::alias(arguments[i].to_tensor());
            leaves.push_back(arguments[i].to_tensor());
            places.push_back(i);
        }
        const std::vector<IValue> results = run_again(std::move(arguments));
        TensorList roots;
        TensorList root_gradients;
        for (const std::int64_t i : group_->gradient.df_input_vjps) {
            const auto output = static_cast<std::size_t>(i);
            if (!grads[output].defined()) continue;
            roots.push_back(results[output].to_tensor());
            root_gradients.push_back(grads[output]);
        }
        TensorList all(next_edges().size());
        if (roots.empty()) return all;
        BackwardOptions options;
        options.retain_graph = true;
        options.create_graph = true;
        const TensorList found = gradients_of(roots, leaves, root_gradients, options, true);
        for (std::size_t i = 0; i < found.size(); ++i) all[places[i]] = found[i];
        return all;
    }

    Ptr<Differentiated> group_;
    Ptr<const Code> plain_;
    std::vector<SavedTensor> inputs_;
    std::vector<IValue> numbers_;
    std::vector<SavedTensor> outputs_;
    std::optional<RandomState> drawn_from_;
    std::vector<std::size_t> statistics_;
    bool released_ = false;
};

void run_plain(const GroupState& state, const StructuralCall& call) {
    std::vector<IValue> results = run_code(*state.plain, inputs_of(call));
    std::move(results.begin(), results.end(), call.outputs);
}

bool is_one_of(const Tensor& tensor, const std::vector<IValue>& inputs) {
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](const IValue& value) { return value.is_tensor() && value.to_tensor().is_same(tensor); });
}

}  // namespace

void run_fusion_group(const StructuralCall& call) {
    GroupState& state = state_of(call);
    const std::span<const IValue> inputs(call.inputs, call.instruction.input_count);
    if (GroupRecorder* const recorder = group_recorder(); recorder != nullptr) {
        if (!state.fused) state.fused = make_ptr<FusedGroup>(call.node.g(ir::attr::Subgraph));
        if (recorder->run_group(state.fused, inputs, call.outputs)) return;
    }
    // Observers and tracers are notified of each operator.
    const bool is_watched = execution_observer() != nullptr || loupe::detail::thread_interceptor != nullptr;
    const bool records = GradMode::is_enabled() && std::any_of(inputs.begin(), inputs.end(), needs_gradient);
    if (is_watched || records) return run_plain(state, call);
    if (FusionWatcher* const watcher = detail::thread_fusion_watcher)
        watcher->on_group(call.node, call.node.g(ir::attr::Subgraph), inputs);
    if (!state.fused) state.fused = make_ptr<FusedGroup>(call.node.g(ir::attr::Subgraph));
    state.fused->run(inputs, call.outputs);
}

void run_fallback_graph(const StructuralCall& call) { run_plain(state_of(call), call); }

void run_differentiable_graph(const StructuralCall& call) {
    GroupState& state = state_of(call);
    const std::vector<IValue> inputs = inputs_of(call);
    if (!GradMode::is_enabled() || std::none_of(inputs.begin(), inputs.end(), needs_gradient))
        return run_plain(state, call);
    Differentiated& group = differentiated(state, call, inputs);
    if (group.forward == nullptr) return run_plain(state, call);
    const auto node = make_ptr<DifferentiableGraphBackward>(Ptr<Differentiated>(&group), state, inputs);
    std::vector<IValue> outputs;
    {
        const GradModeScope no_grad(false);
        outputs = run_code(*group.forward, inputs);
    }
    const auto& vjps = group.gradient.df_input_vjps;
    for (std::size_t i = 0; i < group.gradient.f_real_outputs; ++i) {
        const Tensor tensor = outputs[i].to_tensor();
        const bool is_differentiated = std::find(vjps.begin(), vjps.end(), static_cast<std::int64_t>(i)) != vjps.end();
        if (is_differentiated && !is_one_of(tensor, inputs))
            set_history(tensor, node);
        else
            node->add_output({});
        call.outputs[i] = outputs[i];
    }
    node->save_outputs(outputs);
}

}  // namespace loupe::runtime
