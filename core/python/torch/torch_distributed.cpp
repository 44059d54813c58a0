// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_distributed.h"

#include "core/base/strings.h"
#include "core/dispatch/plugin_list.h"
#include "core/distributed/operators.h"
#include "core/distributed/world.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/language/frame.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_data.h"
#include "core/python/torch/torch_dtensor.h"

namespace loupe::python {
namespace {

using distributed::launch_observed;
using distributed::ProcessGroup;
using distributed::Reduction;
using distributed::Work;
using distributed::WorkPtr;
using distributed::World;

class WorkObject final : public Instance {
  public:
    WorkObject(ClassPtr cls, WorkPtr own) : Instance(std::move(cls)), work(std::move(own)) {}
    const WorkPtr work;
    void clear_references() override {}
};

Work& work_self(const CallArguments& arguments) {
    if (!arguments.positional.empty()) {
        if (auto* self = object_as<WorkObject>(arguments.positional.front())) return *self->work;
    }
    throw_type_error("descriptor requires a 'torch.distributed.Work' object");
}

// datetime.timedelta, or seconds.
std::chrono::milliseconds duration_of(const IValue& value) {
    if (value.is_none()) return {};
    const double seconds = value.is_int() || value.is_double()
                               ? to_float(value)
                               : to_float(call_method(value, "total_seconds", CallArguments{}));
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

IValue result_list(const Work& work) {
    std::vector<IValue> out(work.results().begin(), work.results().end());
    return make_list(std::move(out));
}

ClassPtr work_class() {
    static const ClassPtr cls = [] {
        auto out = make_ptr<ClassObject>("Work", "torch.distributed", std::vector<ClassPtr>{});
        out->set_builtin(nullptr);
        out->define("wait", [](CallArguments a) {
            const BoundArguments given(a, "wait", {"self", "timeout="});
            Work& work = work_self({{given[0]}, {}});
            with_python_errors([&] {
                distributed::wait_observed(work, given.has(1) ? duration_of(given[1]) : std::chrono::milliseconds{});
            });
            return IValue(true);
        });
        out->define("is_completed", [](CallArguments a) { return IValue(work_self(a).is_completed()); });
        out->define("is_success", [](CallArguments a) { return IValue(work_self(a).is_success()); });
        out->define("exception", [](CallArguments a) -> IValue {
            const std::string error = work_self(a).error();
            if (error.empty()) return {};
            return call(get_attribute(Evaluator::current()->import_module("builtins"), "RuntimeError"),
                        std::vector<IValue>{IValue(error)});
        });
        out->define("synchronize", [](CallArguments a) -> IValue {
            with_python_errors([&] { distributed::wait_observed(work_self(a)); });
            return {};
        });
        out->define("result", [](CallArguments a) { return result_list(work_self(a)); });
        out->define("source_rank",
                    [](CallArguments a) { return IValue(static_cast<std::int64_t>(work_self(a).source())); });
        out->define("get_future", [](CallArguments a) {
            const IValue futures = Evaluator::current()->import_module("torch.futures");
            return call(get_attribute(futures, "_of_work"), std::vector<IValue>{a.positional.at(0)});
        });
        return ClassPtr(out);
    }();
    return cls;
}

World& world() { return World::instance(); }

ProcessGroup& group_of(const IValue& name) {
    ProcessGroup* group = world().find(str(name));
    if (group == nullptr)
        throw_error("ValueError",
                    "Default process group has not been initialized, please make sure to call init_process_group.");
    return *group;
}

Reduction reduction_of(const IValue& value) {
    const std::int64_t number = to_index(value);
    if (number < 0 || number > static_cast<std::int64_t>(Reduction::PremulSum))
        throw_error("RuntimeError", "Unsupported ReduceOp");
    return static_cast<Reduction>(number);
}

std::vector<std::int64_t> integers(const IValue& value) {
    std::vector<std::int64_t> out;
    if (value.is_none()) return out;
    for (const IValue& each : to_vector(value)) out.push_back(to_index(each));
    return out;
}

int number(const IValue& value) { return static_cast<int>(to_index(value)); }

// A function of positional arguments whose last says whether it is asynchronous; gives the Work.
using Launch = WorkPtr (*)(const std::vector<IValue>& a);
using Inputs = TensorList (*)(const std::vector<IValue>& a);
void define_collective(PythonModule& module, const char* name, std::size_t count, Inputs inputs, Launch launch) {
    module.define(name, [name, count, inputs, launch](CallArguments arguments) {
        check_positional(arguments, name, count, count);
        const std::vector<IValue>& a = arguments.positional;
        const WorkPtr work = with_python_errors([&] {
            return launch_observed(concat("c10d::", name), inputs(a), truth(a.back()), [&] { return launch(a); });
        });
        return IValue::other(make_ptr<WorkObject>(work_class(), work));
    });
}

TensorList first_tensors(const std::vector<IValue>& a) { return tensors_of(a[0]); }
TensorList second_tensors(const std::vector<IValue>& a) { return tensors_of(a[1]); }
TensorList no_tensors(const std::vector<IValue>&) { return {}; }

void define_collectives(PythonModule& module) {
    using Arguments = const std::vector<IValue>&;
    define_collective(module, "allreduce_", 5, first_tensors, [](Arguments a) {
        return group_of(a[1]).all_reduce(tensors_of(a[0]), reduction_of(a[2]), to_float(a[3]));
    });
    define_collective(module, "broadcast_", 4, first_tensors,
                      [](Arguments a) { return group_of(a[1]).broadcast(tensors_of(a[0]).at(0), number(a[2])); });
    define_collective(module, "reduce_", 5, first_tensors, [](Arguments a) {
        return group_of(a[1]).reduce(tensors_of(a[0]).at(0), reduction_of(a[2]), number(a[3]));
    });
    define_collective(module, "allgather_", 4, second_tensors,
                      [](Arguments a) { return group_of(a[2]).all_gather(tensors_of(a[0]), tensors_of(a[1]).at(0)); });
    define_collective(module, "_allgather_base_", 4, second_tensors, [](Arguments a) {
        return group_of(a[2]).all_gather_into(tensors_of(a[0]).at(0), tensors_of(a[1]).at(0));
    });
    define_collective(module, "reduce_scatter_", 5, second_tensors, [](Arguments a) {
        return group_of(a[2]).reduce_scatter(tensors_of(a[0]).at(0), tensors_of(a[1]), reduction_of(a[3]));
    });
    define_collective(module, "_reduce_scatter_base_", 6, second_tensors, [](Arguments a) {
        return group_of(a[2]).reduce_scatter_from(tensors_of(a[0]).at(0), tensors_of(a[1]).at(0), reduction_of(a[3]),
                                                  "reduce_scatter_tensor", to_float(a[4]));
    });
    define_collective(module, "alltoall_base_", 6, second_tensors, [](Arguments a) {
        return group_of(a[2]).all_to_all_single(tensors_of(a[0]).at(0), tensors_of(a[1]).at(0), integers(a[3]),
                                                integers(a[4]));
    });
    define_collective(module, "alltoall_", 4, second_tensors,
                      [](Arguments a) { return group_of(a[2]).all_to_all(tensors_of(a[0]), tensors_of(a[1])); });
    define_collective(module, "gather_", 5, second_tensors, [](Arguments a) {
        return group_of(a[2]).gather(tensors_of(a[0]), tensors_of(a[1]).at(0), number(a[3]));
    });
    define_collective(module, "scatter_", 5, second_tensors, [](Arguments a) {
        return group_of(a[2]).scatter(tensors_of(a[0]).at(0), tensors_of(a[1]), number(a[3]));
    });
    define_collective(module, "barrier", 2, no_tensors, [](Arguments a) { return group_of(a[0]).barrier(); });
    define_collective(module, "monitored_barrier_", 2, no_tensors,
                      [](Arguments a) { return group_of(a[0]).barrier("monitored_barrier"); });
    define_collective(module, "send", 5, first_tensors, [](Arguments a) {
        return group_of(a[1]).send(tensors_of(a[0]).at(0), number(a[2]), number(a[3]));
    });
    define_collective(module, "recv_", 5, no_tensors, [](Arguments a) {
        return group_of(a[1]).receive(tensors_of(a[0]).at(0), number(a[2]), number(a[3]));
    });
}

// (rank, size, ranks, backend) of a group.
IValue group_facts(CallArguments arguments) {
    check_positional(arguments, "_group_facts", 1, 1);
    const ProcessGroup& group = group_of(arguments.positional[0]);
    std::vector<IValue> ranks;
    for (const int rank : group.ranks()) ranks.emplace_back(static_cast<std::int64_t>(rank));
    return make_tuple({IValue(static_cast<std::int64_t>(group.rank())), IValue(static_cast<std::int64_t>(group.size())),
                       make_list(std::move(ranks)), IValue(group.backend())});
}

IValue begin(CallArguments arguments) {
    check_positional(arguments, "_begin", 2, 2);
    return with_python_errors([&] {
        plugins();
        return IValue(world().begin(str(arguments.positional[0]), duration_of(arguments.positional[1])).name());
    });
}

IValue new_group(CallArguments arguments) {
    check_positional(arguments, "_new_group", 3, 3);
    std::vector<int> ranks;
    for (const std::int64_t rank : integers(arguments.positional[0])) ranks.push_back(static_cast<int>(rank));
    return with_python_errors([&]() -> IValue {
        const ProcessGroup* made =
            world().new_group(std::move(ranks), str(arguments.positional[1]), duration_of(arguments.positional[2]));
        return made == nullptr ? IValue() : IValue(made->name());
    });
}

IValue end(CallArguments arguments) {
    check_positional(arguments, "_end", 1, 1);
    const IValue& name = arguments.positional[0];
    world().end(name.is_none() || str(name) == "0" ? nullptr : &group_of(name));
    return {};
}

// Each rank's bytes.
IValue gather_bytes(CallArguments arguments) {
    check_positional(arguments, "_gather_bytes", 3, 3);
    const auto* bytes = object_as<BytesObject>(arguments.positional[0]);
    if (bytes == nullptr) throw_type_error("a bytes-like object is required");
    ProcessGroup& group = group_of(arguments.positional[1]);
    const auto all =
        with_python_errors([&] { return group.all_gather_bytes(bytes->data, str(arguments.positional[2])); });
    std::vector<IValue> out;
    for (const std::string& each : all) out.push_back(make_bytes(each));
    return make_list(std::move(out));
}

}  // namespace

IValue work_object(const WorkPtr& work) { return IValue::other(make_ptr<WorkObject>(work_class(), work)); }

void fill_c10d(PythonModule& module) {
    distributed::set_place_of_program([] {
        const std::string place = current_range().short_text();
        return place.substr(place.rfind('/') + 1);
    });
    module.define("Work", IValue::other(work_class()));
    module.define("_begin", begin);
    module.define("_end", end);
    module.define("_new_group", new_group);
    module.define("_group_facts", group_facts);
    module.define("_gather_bytes", gather_bytes);
    module.define("_launched_ranks", [](CallArguments) {
        return make_tuple(
            {IValue(static_cast<std::int64_t>(world().rank())), IValue(static_cast<std::int64_t>(world().size()))});
    });
    module.define("_sequence", [](CallArguments a) {
        check_positional(a, "_sequence", 1, 1);
        return IValue(static_cast<std::int64_t>(group_of(a.positional[0]).sequence()));
    });
    module.define("_set_timeout", [](CallArguments a) -> IValue {
        check_positional(a, "_set_timeout", 2, 2);
        group_of(a.positional[0]).set_timeout(duration_of(a.positional[1]));
        return {};
    });
    define_collectives(module);
    define_reducer(module);
    define_dtensor(module);
}

}  // namespace loupe::python
