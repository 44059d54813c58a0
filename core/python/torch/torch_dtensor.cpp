// SPDX-License-Identifier: Apache-2.0
// DTensor: tensors of which each rank holds a part, as a program sees them. What moves parts between ranks is written
// in Python, in torch.distributed.tensor.

#include "core/python/torch/torch_dtensor.h"

#include "core/autograd/backward_actions.h"
#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/distributed/operators.h"
#include "core/distributed/releasable.h"
#include "core/nn/module.h"
#include "core/python/language/arguments.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_classes.h"
#include "core/python/torch/torch_data.h"
#include "core/python/torch/torch_objects.h"
#include "core/tensor/sharded.h"

namespace loupe::python {
namespace {

IValue tensor_module() { return Evaluator::current()->import_module("torch.distributed.tensor"); }
IValue call_of_module(const char* function, CallArguments arguments) {
    return call(get_attribute(tensor_module(), function), std::move(arguments));
}

// A mesh and a placement a dimension of it, as the program has them.
class ProgramSpec final : public ShardSpec {
  public:
    ProgramSpec(IValue mesh, IValue placements) : mesh_(std::move(mesh)), placements_(std::move(placements)) {}
    const IValue& mesh() const { return mesh_; }
    const IValue& placements() const { return placements_; }

    bool equals(const ShardSpec& other) const override {
        if (&other == this) return true;
        const auto& theirs = static_cast<const ProgramSpec&>(other);
        const auto same = [](const IValue& a, const IValue& b) { return a.is_same(b) || python::equals(a, b); };
        return same(mesh_, theirs.mesh_) && same(placements_, theirs.placements_);
    }
    std::string describe() const override {
        return concat("device_mesh=", repr(mesh_), ", placements=", repr(placements_));
    }
    bool is_partial() const override {
        return truth(call_of_module("_is_partial", {std::vector<IValue>{placements_}, {}}));
    }
    std::shared_ptr<const ShardSpec> with_partial(std::string_view reduction) const override {
        const IValue made =
            call_of_module("_partial", {std::vector<IValue>{placements_, IValue(std::string(reduction))}, {}});
        return made.is_none() ? nullptr : std::make_shared<const ProgramSpec>(mesh_, made);
    }

  private:
    const IValue mesh_, placements_;
};

const ProgramSpec& spec_of(const Tensor& t) { return static_cast<const ProgramSpec&>(*sharded_parts(t).spec); }

Tensor dtensor_self(const IValue& value) {
    if (value.is_tensor() && value.to_tensor().defined() && is_sharded(value.to_tensor())) return value.to_tensor();
    throw_type_error("descriptor requires a 'torch.distributed.tensor.DTensor' object");
}

// A method that is a function of the module, "_" before its name.
void define_method(ClassObject& cls, const char* name) {
    cls.define(name, [name](CallArguments arguments) {
        dtensor_self(arguments.positional.at(0));
        return call_of_module(concat("_", name).c_str(), std::move(arguments));
    });
}

// (local, sizes, mesh, placements)
IValue make_dtensor(CallArguments arguments) {
    check_positional(arguments, "_make_dtensor", 4, 4);
    const auto& a = arguments.positional;
    Dims sizes;
    for (const IValue& each : to_vector(a[1])) sizes.push_back(to_index(each));
    return make_sharded(detach(a[0].to_tensor()), std::make_shared<const ProgramSpec>(a[2], a[3]), span_of(sizes));
}

IValue set_class(CallArguments arguments) {
    check_positional(arguments, "_set_class", 2, 2);
    const nn::ModulePtr module = nn::as_module(arguments.positional[0]);
    auto* cls = object_as<ClassObject>(arguments.positional[1]);
    if (!module || cls == nullptr) throw_type_error("_set_class takes a module and a class");
    module->set_dynamic_class(Ptr<RefCounted>(cls), cls->name());
    return {};
}

// Parameters that are there between a gather and the reshard behind it.
class ReleasableObject final : public Instance {
  public:
    ReleasableObject(ClassPtr cls, distributed::Releasable own) : Instance(std::move(cls)), buffer(std::move(own)) {}
    const distributed::Releasable buffer;
    void clear_references() override {}
};

ReleasableObject& releasable_self(const IValue& value) {
    if (auto* self = object_as<ReleasableObject>(value)) return *self;
    throw_type_error("descriptor requires a '_Releasable' object");
}

ClassPtr releasable_class() {
    static const ClassPtr cls = [] {
        auto out = make_ptr<ClassObject>("_Releasable", "torch.distributed.fsdp", std::vector<ClassPtr>{});
        out->set_builtin([](ClassObject& own, CallArguments& arguments) -> ClassObject::Made {
            const BoundArguments given(arguments, "_Releasable", {"sizes", "dtype", "device"});
            Dims sizes;
            for (const IValue& each : to_vector(given[0])) sizes.push_back(to_index(each));
            return {IValue::other(with_python_errors([&] {
                        return make_ptr<ReleasableObject>(
                            ClassPtr(&own),
                            distributed::make_releasable(span_of(sizes), *dtype_of(given[1]), device_of(given[2])));
                    })),
                    true};
        });
        out->define_property("tensor", [](const IValue& self) { return IValue(releasable_self(self).buffer.tensor); });
        out->define("release", [](CallArguments a) -> IValue {
            if (const auto& memory = releasable_self(a.positional.at(0)).buffer.memory) memory->release();
            return {};
        });
        out->define("restore", [](CallArguments a) -> IValue {
            if (const auto& memory = releasable_self(a.positional.at(0)).buffer.memory)
                with_python_errors([&] { memory->restore(); });
            return {};
        });
        return ClassPtr(out);
    }();
    return cls;
}

// (gathered [ranks * n], counts, outs, outer): to each of outs its part of every rank's n, one after the other along
// the dimension with that many elements before it, without a change of version: who saved them gets them back.
IValue split_into(CallArguments arguments) {
    check_positional(arguments, "_split_into", 4, 4);
    const auto& a = arguments.positional;
    const Tensor gathered = a[0].to_tensor();
    std::vector<std::int64_t> counts;
    for (const IValue& each : to_vector(a[1])) counts.push_back(to_index(each));
    const TensorList outs = tensors_of(a[2]);
    std::vector<std::int64_t> outer;
    for (const IValue& each : to_vector(a[3])) outer.push_back(to_index(each));
    with_python_errors([&] { distributed::split_gathered(gathered, counts, outs, outer); });
    return {};
}

}  // namespace

ClassPtr dtensor_class() {
    static const ClassPtr cls = [] {
        auto out = make_ptr<ClassObject>("DTensor", "torch.distributed.tensor", std::vector<ClassPtr>{tensor_class()});
        out->set_builtin([](ClassObject&, CallArguments&) -> ClassObject::Made {
            throw_error("NotImplementedError",
                        "DTensor(...) is not here; DTensor.from_local and distribute_tensor are");
        });
        for (const char* name : {"to_local", "full_tensor", "redistribute"}) define_method(*out, name);
        out->define_static("from_local", [](CallArguments a) { return call_of_module("_from_local", std::move(a)); });
        out->define_property("device_mesh", [](const IValue& self) { return spec_of(dtensor_self(self)).mesh(); });
        out->define_property("placements", [](const IValue& self) { return spec_of(dtensor_self(self)).placements(); });
        out->define_property("_local_tensor",
                             [](const IValue& self) { return IValue(sharded_parts(dtensor_self(self)).local); });
        return ClassPtr(out);
    }();
    return cls;
}

ClassPtr dtensor_parameter_class() {
    static const ClassPtr cls = [] {
        auto out = make_ptr<ClassObject>("DTensor", "torch.distributed.tensor",
                                         std::vector<ClassPtr>{dtensor_class(), parameter_class()});
        out->set_builtin(nullptr);
        return ClassPtr(out);
    }();
    return cls;
}

void define_dtensor(PythonModule& module) {
    module.define("DTensor", IValue::other(dtensor_class()));
    module.define("_make_dtensor", make_dtensor);
    module.define("_set_class", set_class);
    module.define("_Releasable", IValue::other(releasable_class()));
    module.define("_split_into", split_into);
    module.define("_after_backward", [](CallArguments a) -> IValue {
        check_positional(a, "_after_backward", 1, 1);
        after_backward([function = a.positional[0]] { call(function, CallArguments{}); });
        return {};
    });
}

}  // namespace loupe::python
