// SPDX-License-Identifier: Apache-2.0
// torch.distributed.Reducer as a class of a program, and the rule of buckets.

#include "core/distributed/reducer.h"
#include "core/distributed/world.h"
#include "core/python/language/arguments.h"
#include "core/python/language/error.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_data.h"
#include "core/python/torch/torch_distributed.h"

namespace loupe::python {
namespace {

using distributed::Reducer;

class ReducerObject final : public Instance {
  public:
    ReducerObject(ClassPtr cls, Ptr<Reducer> own) : Instance(std::move(cls)), reducer(std::move(own)) {}
    const Ptr<Reducer> reducer;
    void clear_references() override { reducer->set_sync(false); }
};

Reducer& reducer_self(const CallArguments& arguments) {
    if (!arguments.positional.empty()) {
        if (auto* self = object_as<ReducerObject>(arguments.positional.front())) return *self->reducer;
    }
    throw_type_error("descriptor requires a 'torch.distributed.Reducer' object");
}

std::vector<std::size_t> sizes_of(const IValue& list) {
    std::vector<std::size_t> out;
    for (const IValue& each : to_vector(list)) {
        const std::int64_t value = to_index(each);
        if (value < 0) throw_error("ValueError", "sizes are not negative");
        out.push_back(static_cast<std::size_t>(value));
    }
    return out;
}

IValue index_list(const std::vector<std::size_t>& values) {
    std::vector<IValue> out;
    for (const std::size_t value : values) out.emplace_back(static_cast<std::int64_t>(value));
    return make_list(std::move(out));
}
IValue bucket_lists(const std::vector<std::vector<std::size_t>>& buckets) {
    std::vector<IValue> out;
    for (const auto& bucket : buckets) out.push_back(index_list(bucket));
    return make_list(std::move(out));
}
IValue tensor_list(const TensorList& tensors) { return make_list(std::vector<IValue>(tensors.begin(), tensors.end())); }

// hook(bucket) gives a torch.futures.Future, whose value is a tensor or a list of one.
Reducer::Hook hook_of(const IValue& hook, const IValue& make_bucket) {
    return [hook, make_bucket](const Reducer::Bucket& bucket) -> Reducer::Pending {
        const IValue seen =
            call(make_bucket,
                 std::vector<IValue>{IValue(static_cast<std::int64_t>(bucket.index)), IValue(bucket.is_last),
                                     bucket.buffer, tensor_list(bucket.gradients), tensor_list(bucket.parameters)});
        const IValue future = call(hook, std::vector<IValue>{seen});
        return [future] {
            const TensorList result = tensors_of(call_method(future, "wait", CallArguments{}));
            if (result.size() != 1) throw_error("RuntimeError", "the communication hook gives one tensor");
            return result.front();
        };
    };
}

ClassObject::Made new_reducer(ClassObject& cls, CallArguments& arguments) {
    const BoundArguments given(arguments, "Reducer",
                               {"parameters", "names", "group", "limits", "rebuilt_limits", "find_unused_parameters",
                                "static_graph", "gradient_as_bucket_view"});
    distributed::ProcessGroup* group = distributed::World::instance().find(str(given[2]));
    if (group == nullptr) throw_error("ValueError", "the process group is gone");
    std::vector<std::string> names;
    for (const IValue& name : to_vector(given[1])) names.push_back(str(name));
    distributed::ReducerOptions options{.limits = sizes_of(given[3]),
                                        .rebuilt_limits = sizes_of(given[4]),
                                        .find_unused = truth(given[5]),
                                        .is_static = truth(given[6]),
                                        .views = truth(given[7])};
    return {IValue::other(with_python_errors([&] {
                return make_ptr<ReducerObject>(ClassPtr(&cls), make_ptr<Reducer>(*group, tensors_of(given[0]),
                                                                                 std::move(names), std::move(options)));
            })),
            true};
}

ClassPtr reducer_class() {
    static const ClassPtr cls = [] {
        auto out = make_ptr<ClassObject>("Reducer", "torch.distributed", std::vector<ClassPtr>{});
        out->set_builtin(new_reducer);
        out->define("rebuild", [](CallArguments a) {
            return with_python_errors([&] { return IValue(reducer_self(a).rebuild()); });
        });
        out->define("prepare", [](CallArguments a) -> IValue {
            check_positional(a, "prepare", 2, 2);
            with_python_errors([&] { reducer_self(a).prepare(tensors_of(a.positional[1])); });
            return {};
        });
        out->define("set_sync", [](CallArguments a) -> IValue {
            check_positional(a, "set_sync", 2, 2);
            reducer_self(a).set_sync(truth(a.positional[1]));
            return {};
        });
        out->define("set_divisor", [](CallArguments a) -> IValue {
            check_positional(a, "set_divisor", 2, 2);
            const std::int64_t ranks = to_index(a.positional[1]);
            if (ranks < 1) throw_error("ValueError", "gradients are divided by one rank or more");
            reducer_self(a).set_divisor(static_cast<int>(ranks));
            return {};
        });
        out->define("shadow", [](CallArguments a) -> IValue {
            with_python_errors([&] { reducer_self(a).shadow(); });
            return {};
        });
        out->define("set_hook", [](CallArguments a) -> IValue {
            check_positional(a, "set_hook", 3, 3);
            with_python_errors([&] { reducer_self(a).set_hook(hook_of(a.positional[1], a.positional[2])); });
            return {};
        });
        out->define("buckets", [](CallArguments a) { return bucket_lists(reducer_self(a).buckets()); });
        out->define("times", [](CallArguments a) {
            const Reducer::Times& times = reducer_self(a).times();
            return make_tuple({IValue(times.under_way), IValue(times.waited)});
        });
        out->define("has_rebuilt", [](CallArguments a) { return IValue(reducer_self(a).has_rebuilt()); });
        return ClassPtr(out);
    }();
    return cls;
}

// (buckets, limits).
IValue assign(CallArguments arguments) {
    const BoundArguments given(arguments, "_compute_bucket_assignment_by_size",
                               {"tensors", "bucket_size", "expect_sparse_gradient=", "tensor_indices=", "logger="});
    std::vector<distributed::BucketItem> items;
    for (const Tensor& each : tensors_of(given[0])) items.push_back(distributed::bucket_item(each));
    const distributed::BucketPlan plan = with_python_errors([&] {
        return distributed::assign_buckets(items, sizes_of(given[1]),
                                           given.has(3) ? sizes_of(given[3]) : std::vector<std::size_t>{});
    });
    return make_tuple({bucket_lists(plan.buckets), index_list(plan.limits)});
}

}  // namespace

void define_reducer(PythonModule& module) {
    module.define("_Reducer", IValue::other(reducer_class()));
    module.define("_compute_bucket_assignment_by_size", assign);
    module.define("_DEFAULT_FIRST_BUCKET_BYTES", IValue(static_cast<std::int64_t>(distributed::kFirstBucketBytes)));
}

}  // namespace loupe::python
