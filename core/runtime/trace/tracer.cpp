// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/trace/tracer.h"

#include <cmath>

#include "core/autograd/grad_mode.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/call.h"
#include "core/ir/printer.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/runtime/trace/trace_builder.h"

namespace loupe::runtime {
namespace {

bool holds_tensor(const IValue& value) {
    bool found = false;
    visit_tensors(value, [&](const Tensor&) { found = true; });
    return found;
}

// Runs and records; returns the output too.
IValue record(TraceRecorder& recorder, const Traced& run, std::vector<IValue> inputs, const TraceOptions& options) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!holds_tensor(inputs[i])) continue;
        const bool is_named = i < options.argument_names.size();
        recorder.add_input(is_named ? options.argument_names[i] : inputs.size() == 1 ? "x" : concat("x", i), inputs[i]);
    }
    const ObserverScope observed(&recorder, &recorder);
    IValue output = run(std::move(inputs));
    recorder.finish(output);
    return output;
}

Trace run_traced(const nn::ModulePtr& root, const std::string& name, const Traced& run, std::vector<IValue> inputs,
                 const TraceOptions& options) {
    TraceRecorder recorder(root.get(), options.strict, options.ties_sizes);
    IValue output = record(recorder, run, std::move(inputs), options);
    Trace result = build_trace(recorder, root, name);
    result.output = std::move(output);
    result.source = root;
    result.ties_sizes = options.ties_sizes;
    return result;
}

// --- checking ---

double largest(const Tensor& t) {
    static const OperatorHandle<> max_handle{"aten::max"};
    static const OperatorHandle<Scalar> item{"aten::item"};
    return t.numel() == 0 ? 0 : item(max_handle(t)).to_double();
}

// The difference between two tensors; empty when equal.
std::string tensor_difference(const Tensor& traced, const Tensor& run, double rtol, double atol) {
    static const OperatorHandle<> to_double{"aten::to.dtype"};
    static const OperatorHandle<> sub{"aten::sub.Tensor"};
    static const OperatorHandle<> absolute{"aten::abs"};
    static const OperatorHandle<bool> allclose{"aten::allclose"};
    if (describe(traced) != describe(run))
        return concat("is ", describe(traced), " in the trace and ", describe(run), " in the program");
    const auto wide =
        static_cast<std::int64_t>(is_complex(traced.dtype()) ? ScalarType::Complex128 : ScalarType::Float64);
    const Tensor a = to_double(detach(traced), wide);
    const Tensor b = to_double(detach(run), wide);
    if (allclose(a, b, rtol, atol, true)) return {};
    return concat("differs: max abs ", python_repr(largest(absolute(sub(a, b)))));
}

class Comparison {
  public:
    Comparison(double rtol, double atol) : rtol_(rtol), atol_(atol) {}

    void compare(const IValue& traced, const IValue& run, const std::string& place) {
        if (traced.is_tensor() && run.is_tensor()) {
            const std::string difference = tensor_difference(traced.to_tensor(), run.to_tensor(), rtol_, atol_);
            if (!difference.empty()) lines.push_back(concat(place, " ", difference));
            return;
        }
        if (traced.is_dict() && run.is_dict()) return compare_dicts(traced.to_dict(), run.to_dict(), place);
        const auto* left = elements(traced);
        const auto* right = elements(run);
        if (left == nullptr || right == nullptr || left->size() != right->size()) {
            lines.push_back(
                concat(place, " is ", python_repr(traced), " in the trace and ", python_repr(run), " in the program"));
            return;
        }
        for (std::size_t i = 0; i < left->size(); ++i) compare((*left)[i], (*right)[i], concat(place, "[", i, "]"));
    }

    std::vector<std::string> lines;

  private:
    static const std::vector<IValue>* elements(const IValue& value) {
        if (value.is_tuple()) return &value.to_tuple().elements;
        return value.is_list() ? &value.to_list().elements : nullptr;
    }

    void compare_dicts(const DictObject& traced, const DictObject& run, const std::string& place) {
        for (const auto& [key, value] : run.entries()) {
            const IValue* other = traced.find(key);
            const std::string name = concat(place, "[", python_repr(key), "]");
            if (other == nullptr)
                lines.push_back(concat(name, " is not in the trace"));
            else
                compare(*other, value, name);
        }
        if (traced.size() > run.size())
            lines.push_back(concat(place, " has entries in the trace that the program does not make"));
    }

    double rtol_;
    double atol_;
};

// The nodes of a trace with their arguments that are no tensors, in execution order.
struct Step {
    std::string text;
    std::string place;
};

std::string constants_of(const ir::Node& node) {
    std::vector<std::string> all;
    for (const ir::Value* input : node.inputs()) {
        if (const auto constant = ir::constant_of(input))
            all.push_back(ir::print_constant(*constant));
        else if (input->node()->kind() == ir::prim::ListConstruct)
            all.push_back(concat("[", constants_of(*input->node()), "]"));
        else
            all.push_back("_");
    }
    return join(all, ", ");
}

void add_steps(const ir::ScriptFunction& function, std::vector<Step>& steps) {
    for (const ir::Node* node : function.graph()->nodes()) {
        if (node->kind() == ir::prim::CallMethod) {
            const auto* type = node->input()->type()->as<ClassType>();
            add_steps(dynamic_cast<const ir::ScriptFunction&>(*type->find_method(node->s(ir::attr::name))), steps);
        } else if (node->kind().space() == "aten") {
            steps.push_back({concat(node->kind().str(), "(", constants_of(*node), ")"), node->range().short_text()});
        }
    }
}

void compare_graphs(const Trace& before, const Trace& after, std::vector<std::string>& lines) {
    std::vector<Step> a;
    std::vector<Step> b;
    add_steps(*before.forward, a);
    add_steps(*after.forward, b);
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
        if (i < a.size() && i < b.size() && a[i].text == b[i].text) continue;
        const std::string& place = i < b.size() ? b[i].place : a[i].place;
        lines.push_back(concat("Graphs differed across invocations! Operator ", i, " was ",
                               i < a.size() ? a[i].text : "none", " and is ", i < b.size() ? b[i].text : "none",
                               place.empty() ? "" : concat(" (", place, ")")));
        return;
    }
}

}  // namespace

Trace trace_module(const nn::ModulePtr& module, std::vector<IValue> inputs, const TraceOptions& options) {
    const bool is_script = module->type()->find_method("forward") != nullptr;
    const Traced run = [&](std::vector<IValue> given) {
        return is_script ? run_method(Ptr<Object>(module), "forward", std::move(given))
                         : module->call(std::move(given));
    };
    return run_traced(module, options.class_name, run, std::move(inputs), options);
}

Trace trace_module(const nn::ModulePtr& module, const Traced& run, std::vector<IValue> inputs,
                   const TraceOptions& options) {
    return run_traced(module, options.class_name, run, std::move(inputs), options);
}

Trace trace_function(const std::string& name, const Traced& run, std::vector<IValue> inputs,
                     const TraceOptions& options) {
    return run_traced(nullptr, name, run, std::move(inputs), options);
}

Trace trace_methods(const nn::ModulePtr& module, std::vector<TracedMethod> methods, const TraceOptions& options) {
    TraceBuilder builder;
    Trace result;
    for (TracedMethod& method : methods) {
        TraceRecorder recorder(module.get(), options.strict, options.ties_sizes);
        IValue output = record(recorder, method.run, std::move(method.inputs), options);
        Trace trace = builder.add(recorder, module, options.class_name, method.name);
        trace.warnings.insert(trace.warnings.begin(), result.warnings.begin(), result.warnings.end());
        trace.output = std::move(output);
        result = std::move(trace);
    }
    result.source = module;
    result.ties_sizes = options.ties_sizes;
    return result;
}

bool is_tracing() { return TraceRecorder::current() != nullptr; }

IValue call_compiled(const CompiledCall& call, std::vector<IValue> inputs, const Traced& run) {
    TraceRecorder* const recorder = TraceRecorder::current();
    if (recorder == nullptr || !recorder->can_record(call)) return run(std::move(inputs));
    return recorder->record_compiled(call, std::move(inputs), run);
}

std::vector<IValue> traced_inputs(std::vector<IValue> inputs) {
    std::erase_if(inputs, [](const IValue& input) { return !holds_tensor(input); });
    return inputs;
}

std::vector<std::string> check_trace(const Trace& trace, const Traced& run, const std::vector<IValue>& inputs,
                                     double rtol, double atol) {
    const GradModeScope no_grad(false);
    Comparison comparison(rtol, atol);
    const Trace again = run_traced(trace.source, "check", run, inputs, {.ties_sizes = trace.ties_sizes});
    try {
        std::vector<IValue> given = traced_inputs(inputs);
        const IValue traced = trace.module ? run_method(Ptr<Object>(trace.module), "forward", std::move(given))
                                           : run_function(*trace.forward, std::move(given));
        comparison.compare(traced, again.output, "output");
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw;
        comparison.lines.push_back(concat("the trace fails where the program does not: ", error.what()));
    }
    compare_graphs(trace, again, comparison.lines);
    return comparison.lines;
}

}  // namespace loupe::runtime
