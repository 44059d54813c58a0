// SPDX-License-Identifier: Apache-2.0
// _device_graphs: capture and replay of a device's work.

#include "core/python/torch/torch_graphs.h"

#include "core/autograd/observer.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/error.h"
#include "core/python/language/operations.h"
#include "core/python/torch/require_device.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_objects.h"
#include "core/runtime/graphs/captured_graph.h"
#include "core/runtime/graphs/graphed_call.h"
#include "core/tensor/device_interface.h"

namespace loupe::python {

namespace {

class GraphObject final : public Instance {
  public:
    using Instance::Instance;
    ~GraphObject() override { observe_again(); }
    void observe_again() {
        if (watchers.observer != nullptr || watchers.tracer != nullptr)
            loupe::detail::thread_watchers = std::exchange(watchers, {});
    }
    std::unique_ptr<runtime::CapturedGraph> graph;
    // Of a recorded run: what is captured is no work, so it is not observed until the capture ends.
    detail::Watchers watchers;
};

GraphObject& graph_object(const CallArguments& arguments) {
    auto* const graph = object_as<GraphObject>(arguments.positional.at(0));
    if (graph == nullptr || !graph->graph) throw_type_error("a graph of a device is needed");
    return *graph;
}
runtime::CapturedGraph& graph_of(const CallArguments& arguments) { return *graph_object(arguments).graph; }

IValue pair_of(MemoryPoolId pool) { return make_ptr<TupleObject>(std::vector<IValue>{pool.first, pool.second}); }

// (graph, device, pool or None, mode)
IValue begin(CallArguments arguments) {
    GraphObject& own = graph_object(arguments);
    const Device device = device_of(arguments.positional.at(1));
    require_device(device);
    std::optional<MemoryPoolId> pool;
    if (const IValue& given = arguments.positional.at(2); !given.is_none()) {
        const std::vector<IValue> pair = to_vector(given);
        pool = MemoryPoolId{to_index(pair.at(0)), to_index(pair.at(1))};
    }
    with_python_errors(
        [&] { own.graph->begin(device, pool, runtime::parse_capture_mode(arguments.positional.at(3).to_string())); });
    own.watchers = std::exchange(loupe::detail::thread_watchers, {});
    return {};
}
IValue end(CallArguments arguments) {
    GraphObject& own = graph_object(arguments);
    own.observe_again();
    with_python_errors([&] { own.graph->end(); });
    return {};
}

template <auto kMethod>
IValue call(CallArguments arguments) {
    with_python_errors([&] { (graph_of(arguments).*kMethod)(); });
    return {};
}
template <auto kMethod>
IValue get(CallArguments arguments) {
    return with_python_errors([&] { return IValue((graph_of(arguments).*kMethod)()); });
}
template <auto kMethod>
IValue number(CallArguments arguments) {
    return with_python_errors([&] { return IValue(static_cast<std::int64_t>((graph_of(arguments).*kMethod)())); });
}

ClassPtr graph_class() {
    using runtime::CapturedGraph;
    static const ClassPtr cls = [] {
        auto out = make_ptr<ClassObject>("Graph", "_device_graphs", std::vector<ClassPtr>{});
        out->set_builtin([](ClassObject& of, CallArguments& arguments) -> ClassObject::Made {
            auto made = make_ptr<GraphObject>(ClassPtr(&of));
            made->graph = std::make_unique<CapturedGraph>(truth(arguments.positional.at(0)));
            return {IValue::other(std::move(made)), true};
        });
        out->define("begin", &begin);
        out->define("end", &end);
        out->define("instantiate", &call<&CapturedGraph::instantiate>);
        out->define("replay", &call<&CapturedGraph::replay>);
        out->define("reset", &call<&CapturedGraph::reset>);
        out->define("enable_debug", &call<&CapturedGraph::enable_debug>);
        out->define("is_debugged", &get<&CapturedGraph::is_debugged>);
        out->define("is_ended", &get<&CapturedGraph::is_ended>);
        out->define("dot", &get<&CapturedGraph::dot>);
        out->define("nodes", &number<&CapturedGraph::nodes>);
        out->define("native", &number<&CapturedGraph::native>);
        out->define("native_instance", &number<&CapturedGraph::native_instance>);
        out->define("pool", [](CallArguments arguments) {
            return with_python_errors([&] { return pair_of(graph_of(arguments).pool()); });
        });
        return ClassPtr(out);
    }();
    return cls;
}

// --- calls that are captured by themselves (runtime/graphs/graphed_call.h)

class GraphedObject final : public Instance {
  public:
    using Instance::Instance;
    std::unique_ptr<runtime::GraphedCall> call;
};
runtime::GraphedCall& graphed_of(const CallArguments& arguments) {
    auto* const graphed = object_as<GraphedObject>(arguments.positional.at(0));
    if (graphed == nullptr || !graphed->call) throw_type_error("a graphed call is needed");
    return *graphed->call;
}

// GraphedCall(function, parameters); the function takes what the call is given.
ClassPtr graphed_class() {
    using runtime::GraphedCall;
    static const ClassPtr cls = [] {
        auto out = make_ptr<ClassObject>("GraphedCall", "_device_graphs", std::vector<ClassPtr>{});
        out->set_builtin([](ClassObject& of, CallArguments& arguments) -> ClassObject::Made {
            auto made = make_ptr<GraphedObject>(ClassPtr(&of));
            TensorList parameters;
            for (const IValue& each : to_vector(arguments.positional.at(1))) parameters.push_back(each.to_tensor());
            made->call = std::make_unique<GraphedCall>(
                [function = arguments.positional.at(0)](std::vector<IValue> given) {
                    CallArguments call;
                    call.positional = std::move(given);
                    try {
                        return loupe::python::call(function, std::move(call));
                    } catch (const PythonError& error) {
                        throw error.finished();  // it may be the reason why nothing is captured
                    }
                },
                std::move(parameters));
            return {IValue::other(std::move(made)), true};
        });
        out->define("run", [](CallArguments arguments) {
            GraphedCall& graphed = graphed_of(arguments);
            return with_python_errors([&] {
                return graphed({arguments.positional.begin() + 1, arguments.positional.end()});
            });
        });
        out->define("is_captured", [](CallArguments arguments) { return IValue(graphed_of(arguments).is_captured()); });
        out->define("why_not", [](CallArguments arguments) { return IValue(graphed_of(arguments).why_not()); });
        return ClassPtr(out);
    }();
    return cls;
}

IValue new_pool(CallArguments) { return pair_of(new_pool_handle()); }
IValue is_capturing_on(CallArguments arguments) {
    const Device device = device_of(arguments.positional.at(0));
    return with_python_errors([&] { return IValue(is_capturing(device)); });
}
// Does a debugger or a recording look at each operator?
IValue is_watched(CallArguments) {
    const loupe::detail::Watchers& watchers = loupe::detail::thread_watchers;
    return watchers.observer != nullptr || watchers.tracer != nullptr;
}
// Can work of the device be captured?
IValue is_supported(CallArguments arguments) {
    const Device device = device_of(arguments.positional.at(0));
    DeviceInterface* const devices = device.is_cpu() ? nullptr : device_interface(device.type);
    return devices != nullptr && devices->graphs() != nullptr;
}
// The type of device that computes besides the CPU, by its name; None: there is none.
IValue accelerator(CallArguments) {
    for (const DeviceType type : {DeviceType::Cuda, DeviceType::PrivateUse1}) {
        const DeviceInterface* const devices = device_interface(type);
        if (devices != nullptr && devices->count() > 0) return std::string(devices->name());
    }
    return {};
}

}  // namespace

void fill_device_graphs(PythonModule& module) {
    module.define("Graph", IValue::other(graph_class()));
    module.define("GraphedCall", IValue::other(graphed_class()));
    module.define("new_pool", &new_pool);
    module.define("is_capturing", &is_capturing_on);
    module.define("is_watched", &is_watched);
    module.define("is_supported", &is_supported);
    module.define("accelerator", &accelerator);
}

}  // namespace loupe::python
