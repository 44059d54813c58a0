// SPDX-License-Identifier: Apache-2.0
// torch.optim.lr_scheduler: a class for each scheduler's record.

#include "core/base/strings.h"
#include "core/optim/scheduler.h"
#include "core/python/arguments.h"
#include "core/python/error.h"
#include "core/python/evaluator.h"
#include "core/python/operations.h"
#include "core/python/torch_call.h"
#include "core/python/torch_module.h"
#include "core/python/torch_optim.h"

namespace loupe::python {
namespace {

IValue rates_list(const std::vector<double>& rates) {
    std::vector<IValue> out;
    for (const double rate : rates) out.emplace_back(rate);
    return make_list(std::move(out));
}

class SchedulerObject final : public Instance {
  public:
    using Instance::Instance;
    Ptr<optim::Scheduler> scheduler;
    IValue optimizer;  // as the program gave it

    std::optional<IValue> find_attribute(std::string_view name) override {
        if (name == "optimizer") return optimizer;
        if (name == "last_epoch" && scheduler) return IValue(scheduler->last_epoch());
        if (name == "_step_count" && scheduler) return IValue(scheduler->step_count());
        if (name == "base_lrs" && scheduler) return rates_list(scheduler->base_rates());
        if (name == "_last_lr" && scheduler) return rates_list(scheduler->last_rates());
        if (name == "verbose" && scheduler) return IValue(scheduler->is_verbose());
        return Instance::find_attribute(name);
    }
    void clear_references() override {
        Instance::clear_references();
        scheduler = nullptr;
        optimizer = IValue();
    }
};

SchedulerObject& object_of(const IValue& value) {
    if (auto* self = object_as<SchedulerObject>(value)) return *self;
    throw_type_error("the method of a scheduler needs a scheduler as self");
}
optim::Scheduler& scheduler_of(const IValue& value) {
    SchedulerObject& self = object_of(value);
    if (!self.scheduler) throw_error("AttributeError", concat("'", self.type_name(), "' object has no attribute 'last_epoch'"));
    return *self.scheduler;
}

// Optimisers and schedulers as the engine has them, in lists too.
IValue engine_object(const IValue& value) {
    if (const auto* object = object_as<OptimizerObject>(value)) return optim::as_value(object->optimizer);
    if (const auto* object = object_as<SchedulerObject>(value)) return optim::as_value(object->scheduler);
    if (!value.is_list()) return value;
    std::vector<IValue> elements;
    for (const IValue& element : value.to_list().elements) elements.push_back(engine_object(element));
    return make_list(std::move(elements));
}

NativeCallable::Body initialiser(const optim::SchedulerRecord& record) {
    return [&record](CallArguments arguments) -> IValue {
        SchedulerObject& self = object_of(arguments.positional.at(0));
        arguments.positional.erase(arguments.positional.begin());
        if (!arguments.positional.empty()) self.optimizer = arguments.positional[0];
        for (IValue& value : arguments.positional) value = engine_object(value);
        for (auto& [name, value] : arguments.keywords) {
            if (name == "optimizer") self.optimizer = value;
            value = engine_object(value);
        }
        self.scheduler = with_python_errors([&] { return optim::make_scheduler(record, std::move(arguments)); });
        return {};
    };
}

// A class of the program that defines get_lr().
class ProgramScheduler final : public optim::Scheduler {
  public:
    ProgramScheduler(Ptr<optim::Optimizer> optimizer, SchedulerObject& self) : Scheduler(std::move(optimizer)), self_(self) {}
    void start(std::int64_t last_epoch, const IValue& verbose) { begin(last_epoch, verbose); }

  private:
    std::vector<double> asked(const char* method) {
        std::vector<double> out;
        for (const IValue& rate : to_vector(call_method(IValue::other(Ptr<RefCounted>(&self_)), method, {}))) out.push_back(to_float(rate));
        return out;
    }
    std::vector<double> rates() override { return asked("get_lr"); }
    std::vector<double> closed_form() override {
        return asked(self_.cls()->find("_get_closed_form_lr") != nullptr ? "_get_closed_form_lr" : "get_lr");
    }
    SchedulerObject& self_;  // holds this
};

IValue initialise_base(CallArguments arguments) {
    const BoundArguments given(arguments, "__init__", {"self", "optimizer", "last_epoch=", "verbose="});
    SchedulerObject& self = object_of(given[0]);
    const auto* optimizer = object_as<OptimizerObject>(given[1]);
    if (optimizer == nullptr || !optimizer->optimizer) throw_type_error(concat(type_name(given[1]), " is not an Optimizer"));
    self.optimizer = given[1];
    const auto scheduler = make_ptr<ProgramScheduler>(optimizer->optimizer, self);
    self.scheduler = scheduler;
    with_python_errors([&] { scheduler->start(given.int_or(2, -1), given.value_or(3, false)); });
    return {};
}

IValue step(CallArguments arguments) {
    const BoundArguments given(arguments, "step", {"self", "epoch="});
    optim::Scheduler& self = scheduler_of(given[0]);
    with_python_errors([&] {
        if (self.takes_metric()) {
            if (!given.has(1)) throw_type_error("step() missing 1 required positional argument: 'metrics'");
            return self.step_on(to_float(given[1]));
        }
        self.step(given.has(1) && !given[1].is_none() ? std::optional<double>(to_float(given[1])) : std::nullopt);
    });
    return {};
}

IValue get_last_lr(CallArguments arguments) {
    return rates_list(scheduler_of(arguments.positional.at(0)).last_rates());
}
// What a class of the program keeps is part of it.
IValue state_dict(CallArguments arguments) {
    SchedulerObject& self = object_of(arguments.positional.at(0));
    const IValue engine = scheduler_of(arguments.positional[0]).state_dict();
    const auto state = make_dict();
    for (const auto& [name, value] : self.attributes.entries()) state->set(IValue(name), value);
    for (const auto& [name, value] : engine.to_dict().entries()) state->set(name, value);
    return state;
}
IValue load_state_dict(CallArguments arguments) {
    const BoundArguments given(arguments, "load_state_dict", {"self", "state_dict"});
    optim::Scheduler& engine = scheduler_of(given[0]);
    SchedulerObject& self = object_of(given[0]);
    const IValue known = engine.state_dict();
    for (const auto& [name, value] : given[1].to_dict().entries()) {
        if (known.to_dict().find(name) == nullptr) self.attributes.set(str(name), value);
    }
    with_python_errors([&] { engine.load_state_dict(given[1]); });
    return {};
}

ClassPtr scheduler_class() {
    static const ClassPtr cls = [] {
        const auto out = make_ptr<ClassObject>("_LRScheduler", "torch.optim.lr_scheduler", std::vector<ClassPtr>{});
        out->set_builtin([](ClassObject& own, CallArguments&) -> ClassObject::Made {
            return {IValue::other(make_ptr<SchedulerObject>(ClassPtr(&own))), false};
        });
        out->define("__init__", initialise_base);
        out->define("get_lr", [](CallArguments) -> IValue { throw_error("NotImplementedError", ""); });
        out->define("step", step);
        out->define("get_last_lr", get_last_lr);
        out->define("state_dict", state_dict);
        out->define("load_state_dict", load_state_dict);
        return ClassPtr(out);
    }();
    return cls;
}

std::vector<std::pair<std::string, ClassPtr>> make_classes() {
    std::vector<std::pair<std::string, ClassPtr>> out;
    for (const optim::SchedulerRecord* record : optim::scheduler_records()) {
        const std::string name(record->name);
        const auto cls =
            make_ptr<ClassObject>(name, "torch.optim.lr_scheduler", std::vector<ClassPtr>{scheduler_class()});
        cls->set_builtin(nullptr);
        cls->define("__init__", initialiser(*record));
        out.emplace_back(name, cls);
    }
    return out;
}

}  // namespace

void fill_lr_scheduler(PythonModule& module) {
    optim::set_schedule_printer([](std::string_view line) {
        if (const Evaluator* evaluator = Evaluator::current()) evaluator->write(concat(line, "\n"));
    });
    static const auto classes = make_classes();
    for (const auto& [name, cls] : classes) module.define(name, IValue::other(cls));
    module.define("_LRScheduler", IValue::other(scheduler_class()));
    module.define("LRScheduler", IValue::other(scheduler_class()));
}

}  // namespace loupe::python
