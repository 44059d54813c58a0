// SPDX-License-Identifier: Apache-2.0
#include "core/passes/differentiate.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "core/autograd/accumulate_grad.h"
#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/autograd/observer.h"
#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/passes/constant_propagation.h"
#include "core/passes/fake_run.h"
#include "core/passes/graph_tools.h"
#include "core/passes/pass_list.h"

namespace loupe::passes {
namespace {

using ir::Graph;
using ir::Node;
using ir::Symbol;
using ir::Value;
namespace prim = ir::prim;

[[noreturn]] void give_up(std::string why) { throw Error(ErrorKind::Unsupported, std::move(why)); }

struct Call {
    const Operator* op;
    std::vector<IValue> arguments;
    std::vector<IValue> results;
    const Node*
        origin;  // in the graph that is differentiated: what it does, or what it is a gradient of; null for neither
};

// Every call of an operator that is not composite, on fakes. Keeps all tensors, so that no two share an address.
class Tape final : public DispatchInterceptor {
  public:
    bool run(const Operator& op, std::span<const IValue> arguments, IValue* results) override {
        return fakes_.run(op, arguments, results);
    }
    void after(const Operator& op, std::span<const IValue> arguments, const IValue* results) override {
        calls.push_back({&op, std::vector<IValue>(arguments.begin(), arguments.end()),
                         std::vector<IValue>(results, results + op.result_count()), origin});
    }

    // Calls of an applied autograd node belong to the graph node that recorded it.
    void note_history(const Node* node, const Tensor& result) {
        std::vector<Ptr<loupe::Node>> waiting{grad_fn(result)};
        while (!waiting.empty()) {
            const Ptr<loupe::Node> made = waiting.back();
            waiting.pop_back();
            if (!made || dynamic_cast<const AccumulateGrad*>(made.get()) != nullptr ||
                !noted_.insert(made.get()).second)
                continue;
            made->pre_hooks.add([this, node](TensorList&) { origin = node; }, true);
            for (const Edge& edge : made->next_edges()) waiting.push_back(edge.node);
        }
    }

    std::vector<Call> calls;
    const Node* origin = nullptr;

  private:
    FakeKernels fakes_;
    std::unordered_set<const loupe::Node*> noted_;
};

// The identity of a view's elements and dtype: the real part of a complex number has its address.
using Key = std::tuple<const Storage*, ScalarType, std::int64_t, std::vector<std::int64_t>, std::vector<std::int64_t>>;
Key key_of(const Tensor& t) {
    return {t.storage().get(),
            t.dtype(),
            t.storage_offset(),
            {t.sizes().begin(), t.sizes().end()},
            {t.strides().begin(), t.strides().end()}};
}

TypePtr fact_of(const Tensor& tensor) {
    auto type = make_ptr<TensorType>();
    type->dtype = tensor.dtype();
    type->device = tensor.device();
    type->sizes.emplace(tensor.sizes().begin(), tensor.sizes().end());
    type->strides.emplace(tensor.strides().begin(), tensor.strides().end());
    return type;
}

// Calls become nodes of one graph.
class Writer {
  public:
    explicit Writer(Graph& graph) : graph_(graph) { graph.set_insert_point(graph.block()); }

    void bind(const Tensor& tensor, Value* value) { values_[key_of(tensor)] = value; }
    Value* find(const Tensor& tensor) const {
        const auto found = values_.find(key_of(tensor));
        return found == values_.end() ? nullptr : found->second;
    }

    void write(const Call& call) {
        graph_.set_current_range(call.origin != nullptr ? call.origin->range() : ir::SourceRange());
        graph_.set_current_scope(call.origin != nullptr ? call.origin->scope() : std::string());
        if (call.op->written_elements != 0 || call.op->variant == OperatorVariant::Out)
            give_up(concat(call.op->full_name, " writes"));
        if (call.op->written_arguments != 0)
            write_in_place(call);
        else
            write_plain(call);
    }

  private:
    void write_plain(const Call& call) {
        // An operator that returns its argument is dropped.
        const bool is_known = call.results.size() == 1 && call.results[0].is_tensor() &&
                              call.results[0].to_tensor().defined() && find(call.results[0].to_tensor()) != nullptr;
        if (is_known) return;
        Node* node = graph_.create(Symbol::intern(call.op->schema.name), call.results.size());
        for (const IValue& argument : call.arguments) node->add_input(value_of(argument));
        graph_.insert(node)->set_op(call.op);
        for (std::size_t i = 0; i < call.results.size(); ++i)
            take_result(node->output(i), call.results[i], call.op->schema.returns[i].type);
    }

    void take_result(Value* output, const IValue& result, const TypePtr& type) {
        output->set_type(type);
        if (result.is_tensor()) {
            const Tensor tensor = result.to_tensor();
            if (!tensor.defined()) return;
            output->set_type(fact_of(tensor));
            if (find(tensor) == nullptr) bind(tensor, output);
        } else if (result.is_list() && type->kind() == TypeKind::List && type->element()->kind() == TypeKind::Tensor) {
            const auto& elements = result.to_list().elements;
            Node* unpack = graph_.insert(graph_.create(prim::ListUnpack, {output}, elements.size()));
            for (std::size_t e = 0; e < elements.size(); ++e)
                take_result(unpack->output(e), elements[e], types::tensor());
        }
    }

    // x.add_(y) is a new tensor that replaces x from here on.
    void write_in_place(const Call& call) {
        const Tensor target = call.arguments[0].to_tensor();
        for (const auto& [key, value] : values_) {
            if (std::get<0>(key) == target.storage().get() && key != key_of(target))
                give_up(concat(call.op->full_name, " writes to what has views"));
        }
        if (call.op->full_name == "aten::fill_.Scalar" && find(target) == nullptr) return write_filled(call, target);
        std::string name = call.op->schema.name;
        if (!name.ends_with('_') || call.op->written_arguments != 1 || call.results.size() != 1)
            give_up(concat(call.op->full_name, " writes"));
        name.pop_back();
        const Operator* functional = find_operator(name, call.op->schema.overload);
        if (functional == nullptr || functional->argument_count() != call.arguments.size() ||
            functional->result_count() != 1) {
            give_up(concat(call.op->full_name, " writes"));
        }
        Node* node = graph_.create(Symbol::intern(name));
        for (const IValue& argument : call.arguments) node->add_input(value_of(argument));
        graph_.insert(node)->set_op(functional);
        node->output()->set_type(fact_of(target));
        bind(target, node->output());
    }

    void write_filled(const Call& call, const Tensor& target) {
        Value* sizes = value_of(IValue(to_dims(target.sizes())));
        Value* dtype = value_of(IValue(static_cast<std::int64_t>(target.dtype())));
        Value* none = value_of(IValue());
        Node* node = graph_.insert(
            graph_.create(Symbol::intern("aten::full"), {sizes, value_of(call.arguments[1]), dtype, none, none, none}));
        node->output()->set_type(fact_of(target));
        bind(target, node->output());
    }

    Value* value_of(const IValue& value) {
        if (value.is_tensor()) return value_of_tensor(value.to_tensor());
        const bool holds_tensors =
            value.is_list() && std::any_of(value.to_list().elements.begin(), value.to_list().elements.end(),
                                           [](const IValue& element) { return element.is_tensor(); });
        if (!holds_tensors) {
            if (!can_be_constant(value)) give_up("an argument that is no constant");
            return graph_.insert_constant(value);
        }
        std::vector<Value*> elements;
        bool has_none = false;
        for (const IValue& element : value.to_list().elements) {
            elements.push_back(value_of(element));
            has_none = has_none || element.is_none();
        }
        Node* list = graph_.insert(graph_.create(prim::ListConstruct, elements));
        list->output()->set_type(types::list(has_none ? types::optional(types::tensor()) : types::tensor()));
        return list->output();
    }

    Value* value_of_tensor(const Tensor& tensor) {
        if (!tensor.defined()) return graph_.insert_constant(IValue());
        if (Value* known = find(tensor)) return known;
        // A number that a derivative wrote beside tensors.
        if (tensor.impl()->wrapped_number) return graph_.insert_constant(IValue(tensor));
        give_up("a tensor that no operator made");
    }

    Graph& graph_;
    std::map<Key, Value*> values_;
};

// ---- running the graph on fakes

// A new leaf with the metadata of the other.
Tensor fresh_fake(const Tensor& t, bool wanted) {
    const Tensor fake = fake_tensor(t.sizes(), t.dtype(), t.strides());
    fake.impl()->wrapped_number = t.impl()->wrapped_number;
    if (wanted) set_requires_grad(fake, true);
    return fake;
}

TensorList run_forward(const Graph& graph, const std::vector<IValue>& inputs, Tape& tape) {
    std::unordered_map<const Value*, IValue> values;
    for (std::size_t i = 0; i < inputs.size(); ++i) values[graph.inputs()[i]] = inputs[i];
    for (const Node* node : graph.nodes()) {
        if (node->kind() == prim::Constant) {
            const auto constant = ir::constant_of(node);
            if (!constant) give_up("a constant whose elements are not known");
            values[node->output()] = *constant;
            continue;
        }
        tape.origin = node;
        std::vector<IValue> arguments;
        for (const Value* input : node->inputs()) arguments.push_back(values.at(input));
        auto results = evaluate_structure(node, arguments);
        if (!results) {
            const Operator* op = node->op();
            if (node->is("aten::bernoulli.p")) {
                // Random numbers are not drawn for fakes.
                results.emplace(std::vector<IValue>{fresh_fake(arguments[0].to_tensor(), false)});
                tape.after(*op, arguments, results->data());
            } else if (op == nullptr || node->block_count() > 0 || !op->is_pure()) {
                give_up(concat(node->kind().str(), " has no derivative graph"));
            } else {
                results.emplace(op->result_count());
                call_operator(*op, arguments, results->data());
            }
        }
        for (std::size_t i = 0; i < node->outputs().size(); ++i) {
            values[node->output(i)] = (*results)[i];
            if ((*results)[i].is_tensor()) tape.note_history(node, (*results)[i].to_tensor());
        }
    }
    tape.origin = nullptr;
    TensorList outputs;
    for (const Value* output : graph.outputs()) {
        if (!values.at(output).is_tensor()) give_up("a result that is no tensor");
        outputs.push_back(values.at(output).to_tensor());
    }
    return outputs;
}

// ---- partitioning the joint graph

class Split {
  public:
    Split(const Graph& joint, std::size_t forward_inputs, std::uint32_t first_backward)
        : joint_(joint), forward_inputs_(forward_inputs), first_backward_(first_backward) {}

    void run(Gradient& gradient) {
        gradient_ = &gradient;
        gradient.f = make_ptr<Graph>();
        gradient.df = make_ptr<Graph>();
        write_forward();
        write_backward();
    }

  private:
    bool is_backward(const Value* value) const {
        const Node* node = value->node();
        return node->kind() == prim::Param ? value->offset() >= forward_inputs_ : node->id() >= first_backward_;
    }
    static bool is_tensor(const Value* value) { return value->type()->kind() == TypeKind::Tensor; }
    // Computed from a saved mask: need not be saved too.
    static bool is_scaled_mask(const Value* value) {
        return value->node()->kind() == Symbol::intern("aten::div") &&
               value->node()->input(0)->node()->is("aten::bernoulli.p");
    }

    void write_forward() {
        for (std::size_t i = 0; i < forward_inputs_; ++i) {
            const Value* input = joint_.inputs()[i];
            Value* made = gradient_->f->add_input({}, input->type());
            if (input->has_name()) made->set_name(input->debug_name());
            forward_[input] = made;
        }
        for (const Node* node : joint_.nodes()) {
            if (node->id() >= first_backward_) continue;
            Node* copied = gradient_->f->create_copy(*node, [this](Value* value) { return forward_.at(value); });
            gradient_->f->block()->append(copied);
            for (std::size_t i = 0; i < node->outputs().size(); ++i) forward_[node->output(i)] = copied->output(i);
        }
        for (std::size_t i = 0; i < gradient_->f_real_outputs; ++i)
            gradient_->f->add_output(forward_.at(joint_.outputs()[i]));
    }

    void write_backward() {
        Graph& df = *gradient_->df;
        for (std::size_t i = forward_inputs_; i < joint_.inputs().size(); ++i) {
            backward_[joint_.inputs()[i]] = df.add_input({}, joint_.inputs()[i]->type());
        }
        find_captures();
        for (const Node* node : joint_.nodes()) {
            if (node->id() < first_backward_) continue;
            Node* copied = df.create_copy(*node, [this](Value* value) { return value_in_backward(value); });
            df.block()->append(copied);
            for (std::size_t i = 0; i < node->outputs().size(); ++i) backward_[node->output(i)] = copied->output(i);
        }
        for (std::size_t i = gradient_->f_real_outputs; i < joint_.outputs().size(); ++i) {
            df.add_output(value_in_backward(joint_.outputs()[i]));
        }
        remove_dead_code(df);
    }

    // Tensors of the forward part that the backward part reads; lists and numbers are made again from them.
    void find_captures() {
        std::vector<Value*> inputs;
        std::vector<Value*> outputs;
        const std::function<void(Value*)> note = [&](Value* value) {
            if (is_backward(value) || backward_.contains(value)) return;
            if (!is_tensor(value) || is_scaled_mask(value)) {
                for (Value* input : value->node()->inputs()) note(input);
                return;
            }
            if (value->node()->kind() == prim::Constant) return;
            auto& list = value->node()->kind() == prim::Param ? inputs : outputs;
            if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
        };
        for (const Node* node : joint_.nodes()) {
            if (node->id() < first_backward_) continue;
            for (Value* input : node->inputs()) note(input);
        }
        for (std::size_t i = gradient_->f_real_outputs; i < joint_.outputs().size(); ++i) note(joint_.outputs()[i]);
        for (Value* value : inputs) {
            gradient_->df_input_captured_inputs.push_back(static_cast<std::int64_t>(value->offset()));
            backward_[value] = gradient_->df->add_input({}, value->type());
        }
        for (Value* value : outputs) {
            gradient_->df_input_captured_outputs.push_back(output_of_forward(value));
            backward_[value] = gradient_->df->add_input({}, value->type());
        }
    }

    std::int64_t output_of_forward(const Value* value) {
        Graph& f = *gradient_->f;
        Value* made = forward_.at(value);
        const auto found = std::find(f.outputs().begin(), f.outputs().end(), made);
        const std::ptrdiff_t place = found - f.outputs().begin();
        if (found == f.outputs().end()) f.add_output(made);
        return place;
    }

    Value* value_in_backward(Value* value) {
        if (const auto found = backward_.find(value); found != backward_.end()) return found->second;
        Node* copied =
            gradient_->df->create_copy(*value->node(), [this](Value* input) { return value_in_backward(input); });
        gradient_->df->block()->append(copied);
        for (std::size_t i = 0; i < value->node()->outputs().size(); ++i)
            backward_[value->node()->output(i)] = copied->output(i);
        return backward_.at(value);
    }

    const Graph& joint_;
    std::size_t forward_inputs_;
    std::uint32_t first_backward_;
    Gradient* gradient_ = nullptr;
    ir::ValueMap forward_;
    ir::ValueMap backward_;
};

}  // namespace

Gradient differentiate(const Graph& graph, const std::vector<IValue>& inputs, const std::vector<bool>& wanted) {
    Gradient gradient;
    gradient.f_real_outputs = graph.outputs().size();
    const auto joint = make_ptr<Graph>();
    Writer writer(*joint);
    std::vector<IValue> fakes = inputs;
    TensorList leaves;
    std::vector<std::int64_t> leaf_inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        Value* value = joint->add_input({}, graph.inputs()[i]->type());
        if (graph.inputs()[i]->has_name()) value->set_name(graph.inputs()[i]->debug_name());
        if (!inputs[i].is_tensor()) continue;
        const Tensor fake = fresh_fake(inputs[i].to_tensor(), wanted[i]);
        fakes[i] = fake;
        writer.bind(fake, value);
        if (!wanted[i]) continue;
        leaves.push_back(fake);
        leaf_inputs.push_back(static_cast<std::int64_t>(i));
    }

    for (const Node* node : graph.nodes()) {
        if (node->kind() != prim::Constant) continue;
        if (const auto tensor = constant_tensor(node->output()))
            writer.bind(*tensor, joint->insert_constant(IValue(*tensor)));
    }

    Tape tape;
    const ObserverScope unobserved(nullptr);
    const InterceptorScope scope(&tape);
    TensorList outputs;
    {
        const GradModeScope grad(true);
        outputs = run_forward(graph, fakes, tape);
    }
    for (const Call& call : tape.calls) writer.write(call);
    const std::size_t forward_calls = tape.calls.size();
    std::vector<Value*> results;
    for (const Tensor& output : outputs) {
        results.push_back(writer.find(output));
        if (results.back() == nullptr) give_up("a result that no operator made");
    }
    const std::uint32_t first_backward = joint->next_node_id();

    TensorList roots;
    TensorList root_gradients;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        // A returned input gets its gradient directly.
        if (!requires_grad(outputs[i]) || results[i]->node()->kind() == prim::Param) continue;
        // In the layout of the output; the caller brings it into that.
        const bool is_dense = outputs[i].is_non_overlapping_and_dense();
        const Tensor fake =
            is_dense ? fresh_fake(outputs[i], false) : fake_tensor(outputs[i].sizes(), outputs[i].dtype());
        writer.bind(fake, joint->add_input({}, fact_of(fake)));
        gradient.df_input_vjps.push_back(static_cast<std::int64_t>(i));
        roots.push_back(outputs[i]);
        root_gradients.push_back(fake);
    }
    if (roots.empty() || leaves.empty()) give_up("nothing to differentiate");
    const TensorList grads = gradients_of(roots, leaves, root_gradients, {}, true);
    for (std::size_t i = forward_calls; i < tape.calls.size(); ++i) writer.write(tape.calls[i]);
    for (std::size_t i = 0; i < grads.size(); ++i) {
        if (!grads[i].defined()) continue;
        Value* value = writer.find(grads[i]);
        if (value == nullptr) give_up("a gradient that no operator made");
        results.push_back(value);
        gradient.df_output_vjps.push_back(leaf_inputs[i]);
    }
    for (Value* result : results) joint->add_output(result);
    kCommonSubexpressionElimination.run(*joint, {});
    remove_dead_code(*joint);
    Split(*joint, inputs.size(), first_backward).run(gradient);
    return gradient;
}

// ---- the pass

namespace {

void differentiate_group(Node* node) {
    const Ptr<Graph> subgraph = node->g(ir::attr::Subgraph);
    std::vector<IValue> inputs;
    std::vector<bool> wanted;
    for (const Value* input : subgraph->inputs()) {
        const auto* type = input->type()->as<TensorType>();
        const Tensor fake = type != nullptr ? fake_of(*type) : Tensor();
        if (!fake.defined()) return;
        inputs.emplace_back(fake);
        wanted.push_back(is_floating(fake.dtype()) && type->requires_grad.value_or(true));
    }
    try {
        const Gradient gradient = differentiate(*subgraph, inputs, wanted);
        node->set_attribute(Symbol::intern("f_real_outputs"), static_cast<std::int64_t>(gradient.f_real_outputs));
        node->set_attribute(Symbol::intern("df_input_vjps"), gradient.df_input_vjps);
        node->set_attribute(Symbol::intern("df_input_captured_inputs"), gradient.df_input_captured_inputs);
        node->set_attribute(Symbol::intern("df_input_captured_outputs"), gradient.df_input_captured_outputs);
        node->set_attribute(Symbol::intern("df_output_vjps"), gradient.df_output_vjps);
        node->set_attribute(Symbol::intern("ForwardSubgraph"), gradient.f);
        node->set_attribute(Symbol::intern("ReverseSubgraph"), gradient.df);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        node->set_s(Symbol::intern("no_derivative"), error.message());
    }
}

}  // namespace

const Pass kDifferentiate{"Differentiate",
                          "Gives differentiable groups whose shapes are known the graph of their backward pass.",
                          [](Graph& graph, const PassContext&) {
                              for_each_node(graph.block(), [](Node* node) {
                                  const bool is_done = node->has_attribute(Symbol::intern("ReverseSubgraph")) ||
                                                       node->has_attribute(Symbol::intern("no_derivative"));
                                  if (node->kind() == prim::DifferentiableGraph && !is_done) differentiate_group(node);
                              });
                          }};

}  // namespace loupe::passes
