// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_autograd.h"

#include <map>
#include <mutex>

#include "core/autograd/accumulate_grad.h"
#include "core/autograd/engine.h"
#include "core/autograd/grad_mode.h"
#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/dispatch/functions.h"
#include "core/python/language/arguments.h"
#include "core/python/language/decorated_function.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/torch/module_parts.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_data.h"
#include "core/python/torch/torch_function.h"
#include "core/python/torch/torch_objects.h"
#include "core/tensor/nested.h"

namespace loupe::python {
namespace {

thread_local bool anomaly_mode = false;

class NodeObject final : public Instance {
  public:
    NodeObject(ClassPtr cls, Ptr<Node> graph_node) : Instance(std::move(cls)), node(std::move(graph_node)) {}
    const Ptr<Node> node;
    std::optional<IValue> find_attribute(std::string_view name) override;
    bool equals(const IValue& other) override { return is_equal(other); }
    bool is_equal(const IValue& other) const override {
        const auto* object = object_as<NodeObject>(other);
        return object != nullptr && object->node == node;
    }
    std::size_t hash() const override { return std::hash<const void*>{}(node.get()); }
    std::string repr() override {
        char address[32];
        std::snprintf(address, sizeof address, "%p", static_cast<const void*>(node.get()));
        return concat("<", node->name(), " object at ", address, ">");
    }
    void clear_references() override {}
};

ClassPtr node_class(const std::string& name) {
    static std::mutex mutex;
    static std::map<std::string, ClassPtr> classes;
    const std::scoped_lock lock(mutex);
    ClassPtr& cls = classes[name];
    if (!cls) {
        cls = make_ptr<ClassObject>(name, "torch.autograd", std::vector<ClassPtr>{});
        cls->set_builtin(nullptr);
    }
    return cls;
}

IValue next_functions(const Node& node) {
    std::vector<IValue> out;
    for (const Edge& edge : node.next_edges()) {
        out.push_back(make_tuple({node_object(edge.node), static_cast<std::int64_t>(edge.input)}));
    }
    return make_tuple(std::move(out));
}

std::string function_name(const IValue& function) {
    const auto* callable = object_as<Callable>(function);
    return callable == nullptr ? "" : callable->describe();
}

IValue native(std::string name, NativeCallable::Body body) {
    return IValue::other(make_ptr<NativeCallable>(std::move(name), std::move(body)));
}

std::optional<IValue> NodeObject::find_attribute(std::string_view name) {
    if (name == "name") {
        return native("name", [text = node->name()](CallArguments) { return IValue(text); });
    }
    if (name == "next_functions") return next_functions(*node);
    if (name == "variable") {
        if (const auto* leaf = dynamic_cast<const AccumulateGrad*>(node.get())) return IValue(leaf->variable());
    }
    return Instance::find_attribute(name);
}

class HandleObject final : public Instance {
  public:
    HandleObject(ClassPtr cls, RemovableHandle removable) : Instance(std::move(cls)), handle(std::move(removable)) {}
    RemovableHandle handle;
    void clear_references() override {}
};

ClassPtr handle_class() {
    static const ClassPtr cls = [] {
        auto out = make_ptr<ClassObject>("RemovableHandle", "torch.utils.hooks", std::vector<ClassPtr>{});
        out->set_builtin(nullptr);
        const auto remove = [](CallArguments arguments) -> IValue {
            if (auto* self = object_as<HandleObject>(arguments.positional.at(0))) self->handle.remove();
            return {};
        };
        out->define("remove", remove);
        out->define("__enter__", [](CallArguments arguments) { return arguments.positional.at(0); });
        out->define("__exit__", remove);
        return ClassPtr(out);
    }();
    return cls;
}

// torch.no_grad(), torch.set_grad_enabled(mode), torch.autograd.detect_anomaly(): a with-statement, a decorator.
class ModeObject final : public Instance {
  public:
    ModeObject(ClassPtr cls, bool& (*which)(), bool value)
        : Instance(std::move(cls)), which_(which), value_(value), before_(read()) {}
    void enter() {
        if (!is_entered_) before_ = read();
        write(value_);
    }
    void leave() {
        write(before_);
        is_entered_ = false;
    }
    // torch.set_grad_enabled takes effect when it is made.
    void enter_now() {
        write(value_);
        is_entered_ = true;
    }
    void clear_references() override {}

  private:
    bool read() const { return which_ == nullptr ? GradMode::is_enabled() : which_(); }
    void write(bool value) {
        if (which_ == nullptr)
            GradMode::set_enabled(value);
        else
            which_() = value;
    }
    bool& (*which_)();  // null: the grad mode
    bool value_;
    bool before_;
    bool is_entered_ = false;
};

bool& anomaly_flag() { return anomaly_mode; }

ModeObject& mode_self(const CallArguments& arguments) {
    if (!arguments.positional.empty()) {
        if (auto* self = object_as<ModeObject>(arguments.positional[0])) return *self;
    }
    throw_type_error("expected a context manager of torch");
}

// What a decorated function is called as.
IValue decorated(const IValue& function, const std::function<IValue()>& make_mode) {
    return IValue::other(make_ptr<DecoratedFunction>(function, [function, make_mode](CallArguments arguments) {
        const IValue mode = make_mode();
        auto& object = *object_as<ModeObject>(mode);
        object.enter();
        try {
            IValue result = call(function, std::move(arguments));
            object.leave();
            return result;
        } catch (...) {
            object.leave();
            throw;
        }
    }));
}

// takes_mode: the constructor has the argument `mode`; otherwise the value is fixed.
ClassPtr make_mode_class(std::string name, bool& (*which)(), std::optional<bool> fixed, bool enters_now) {
    auto out = make_ptr<ClassObject>(name, "torch.autograd.grad_mode", std::vector<ClassPtr>{});
    out->set_builtin([name, which, fixed, enters_now](ClassObject& cls, CallArguments& arguments) -> ClassObject::Made {
        // @torch.no_grad without brackets.
        const bool is_decorator = fixed && arguments.positional.size() == 1 && arguments.positional[0].is_other();
        const ClassPtr own(&cls);
        if (is_decorator) {
            const bool value = *fixed;
            return {decorated(arguments.positional[0],
                              [own, which, value] { return IValue::other(make_ptr<ModeObject>(own, which, value)); }),
                    true};
        }
        bool value = fixed.value_or(true);
        if (!fixed) value = BoundArguments(arguments, name, {"mode="}).truth_or(0, true);
        const auto made = make_ptr<ModeObject>(own, which, value);
        if (enters_now) made->enter_now();
        return {IValue::other(made), true};
    });
    out->define("__enter__", [](CallArguments arguments) -> IValue {
        mode_self(arguments).enter();
        return {};
    });
    out->define("__exit__", [](CallArguments arguments) {
        mode_self(arguments).leave();
        return IValue(false);
    });
    out->define("__call__", [](CallArguments arguments) {
        ModeObject& self = mode_self(arguments);
        if (arguments.positional.size() != 2) throw_type_error("a decorator takes a function");
        self.leave();
        const IValue mode = arguments.positional[0];
        return decorated(arguments.positional[1], [mode] { return mode; });
    });
    return out;
}

ClassPtr no_grad_class() {
    static const ClassPtr cls = make_mode_class("no_grad", nullptr, false, false);
    return cls;
}
ClassPtr enable_grad_class() {
    static const ClassPtr cls = make_mode_class("enable_grad", nullptr, true, false);
    return cls;
}
ClassPtr set_grad_enabled_class() {
    static const ClassPtr cls = make_mode_class("set_grad_enabled", nullptr, std::nullopt, true);
    return cls;
}
// inference_mode(mode=True) switches gradients off.
IValue inference_mode(CallArguments arguments) {
    if (arguments.positional.size() == 1 && arguments.positional[0].is_other()) {
        return no_grad_class()->call(std::move(arguments));
    }
    const bool on = BoundArguments(arguments, "inference_mode", {"mode="}).truth_or(0, true);
    return (on ? no_grad_class() : enable_grad_class())->call({});
}

ClassPtr detect_anomaly_class() {
    static const ClassPtr cls = make_mode_class("detect_anomaly", anomaly_flag, true, false);
    return cls;
}
ClassPtr set_detect_anomaly_class() {
    static const ClassPtr cls = make_mode_class("set_detect_anomaly", anomaly_flag, std::nullopt, true);
    return cls;
}

BackwardOptions options_of(const IValue& retain_graph, bool create_graph) {
    BackwardOptions out;
    out.create_graph = create_graph;
    out.retain_graph = retain_graph.is_none() ? create_graph : truth(retain_graph);
    out.detect_anomaly = anomaly_mode;
    return out;
}

// Of nested tensors the values have the history.
TensorList recorded(TensorList tensors) {
    for (Tensor& each : tensors) each = nested_values_or_itself(each);
    return tensors;
}

TensorList gradients_for(const IValue& value, std::size_t roots) {
    TensorList out = tensors_of(value);
    if (!out.empty() && out.size() != roots) {
        throw_error("RuntimeError", concat("got ", roots, " tensors and ", out.size(), " gradients"));
    }
    return out;
}

IValue autograd_backward(CallArguments arguments) {
    const BoundArguments given(
        arguments, "backward",
        {"tensors", "grad_tensors=", "retain_graph=", "create_graph=", "grad_variables=", "inputs="});
    run_backward(given[0], given.value_or(1, {}), given.value_or(2, {}), given.truth_or(3, false),
                 given.value_or(5, {}));
    return {};
}

}  // namespace

IValue node_object(const Ptr<Node>& node) {
    if (!node) return {};
    return IValue::other(make_ptr<NodeObject>(node_class(node->name()), node));
}

IValue handle_object(RemovableHandle handle) {
    return IValue::other(make_ptr<HandleObject>(handle_class(), std::move(handle)));
}

std::function<Tensor(const Tensor&)> tensor_hook(IValue function) {
    return [function = std::move(function)](const Tensor& gradient) {
        const IValue result = call(function, std::vector<IValue>{gradient});
        if (result.is_none()) return Tensor();
        if (!result.is_tensor()) {
            throw_type_error(concat("hook '", function_name(function),
                                    "' has returned an incorrect type: expected Tensor, got ", type_name(result)));
        }
        return result.to_tensor();
    };
}

void run_backward(const IValue& roots, const IValue& gradients, const IValue& retain_graph, bool create_graph,
                  const IValue& inputs) {
    const TensorList tensors = recorded(tensors_of(roots));
    const BackwardOptions options = options_of(retain_graph, create_graph);
    with_python_errors([&] {
        const TensorList given = recorded(gradients_for(gradients, tensors.size()));
        if (inputs.is_none()) return backward(tensors, given, options);
        const TensorList leaves = recorded(tensors_of(inputs));
        if (leaves.empty())
            throw_error("RuntimeError", is_older_torch() ? "'inputs' argument to backward() cannot be empty."
                                                         : "`inputs` argument to `backward()` cannot be empty.");
        backward_into(tensors, leaves, given, options);
    });
}

IValue run_grad(CallArguments arguments) {
    const BoundArguments given(arguments, "grad",
                               {"outputs", "inputs", "grad_outputs=", "retain_graph=", "create_graph=", "only_inputs=",
                                "allow_unused=", "is_grads_batched="});
    const TensorList outputs = recorded(tensors_of(given[0]));
    const TensorList inputs = tensors_of(given[1]);
    const BackwardOptions options = options_of(given.value_or(3, {}), given.truth_or(4, false));
    const TensorList found = with_python_errors([&] {
        return gradients_of(outputs, recorded(inputs), recorded(gradients_for(given.value_or(2, {}), outputs.size())),
                            options, given.truth_or(6, false));
    });
    std::vector<IValue> out;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const bool has_parts = found[i].defined() && is_nested(inputs[i]);
        const Tensor gradient = has_parts ? with_nested_values(inputs[i], found[i]) : found[i];
        out.push_back(gradient.defined() ? IValue(gradient) : IValue());
    }
    return make_tuple(std::move(out));
}

bool is_anomaly_enabled() { return anomaly_mode; }

void define_grad_modes(PythonModule& module) {
    module.define("no_grad", IValue::other(no_grad_class()));
    module.define("enable_grad", IValue::other(enable_grad_class()));
    module.define("set_grad_enabled", IValue::other(set_grad_enabled_class()));
    module.define("inference_mode", NativeCallable::Body(inference_mode));
    module.define("is_grad_enabled", [](CallArguments) { return IValue(GradMode::is_enabled()); });
    module.define("is_inference_mode_enabled", [](CallArguments) { return IValue(false); });
}

void fill_autograd_module(PythonModule& module) {
    define_grad_modes(module);
    module.define("backward", NativeCallable::Body(autograd_backward));
    module.define("grad", NativeCallable::Body(run_grad));
    module.define("detect_anomaly", IValue::other(detect_anomaly_class()));
    module.define("set_detect_anomaly", IValue::other(set_detect_anomaly_class()));
    module.define("Function", IValue::other(autograd_function_class()));
    define_submodule(module, "graph", "torch.autograd.graph");
    for (const char* name : {"gradcheck", "gradgradcheck"}) {
        module.define(name, [name](CallArguments given) {
            return call(get_attribute(Evaluator::current()->import_module("torch.autograd.gradcheck"), name),
                        std::move(given));
        });
    }
    module.define("Variable", [](CallArguments call_arguments) {
        const BoundArguments given(call_arguments, "Variable", {"data", "requires_grad="});
        const Tensor out = given[0].to_tensor();
        if (given.truth_or(1, false)) set_requires_grad(out, true);
        return IValue(out);
    });
}

}  // namespace loupe::python
