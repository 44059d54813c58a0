// SPDX-License-Identifier: Apache-2.0
// torch.optim.lr_scheduler: a class for each scheduler's record.

#include <cmath>

#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/optim/scheduler.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/language/key_lookup.h"
#include "core/python/language/operations.h"
#include "core/python/torch/constructor_errors.h"
#include "core/python/torch/pickling.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_module.h"
#include "core/python/torch/torch_optim.h"
#include "core/value/bind_arguments.h"
#include "core/value/schema.h"

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
    std::vector<std::pair<std::string, IValue>>
        kept;  // functions and other schedulers that it was made from, by PyTorch's names

    std::optional<IValue> find_attribute(std::string_view name) override {
        if (name == "optimizer") return optimizer;
        if (name == "last_epoch" && scheduler) return IValue(scheduler->last_epoch());
        if (name == "_step_count" && scheduler) return IValue(scheduler->step_count());
        if (name == "base_lrs" && scheduler) return rates_list(scheduler->base_rates());
        if (name == "_last_lr" && scheduler) return rates_list(scheduler->last_rates());
        if (name == "verbose" && scheduler) return IValue(scheduler->is_verbose());
        if (auto found = Instance::find_attribute(name)) return found;
        if (!scheduler) return std::nullopt;
        const IValue state = scheduler->state_dict();
        const IValue* counted = state.to_dict().find(IValue(name));  // T_cur, num_bad_epochs
        return counted != nullptr ? std::optional(*counted) : std::nullopt;
    }
    void clear_references() override {
        Instance::clear_references();
        scheduler = nullptr;
        optimizer = IValue();
        kept.clear();
    }
};

SchedulerObject& object_of(const IValue& value) {
    if (auto* self = object_as<SchedulerObject>(value)) return *self;
    throw_type_error("the method of a scheduler needs a scheduler as self");
}
optim::Scheduler& scheduler_of(const IValue& value) {
    SchedulerObject& self = object_of(value);
    if (!self.scheduler)
        throw_error("AttributeError", concat("'", self.type_name(), "' object has no attribute 'last_epoch'"));
    return *self.scheduler;
}

// Optimisers and schedulers as the engine has them, in lists too.
IValue engine_object(const IValue& value) {
    if (auto* object = object_as<OptimizerObject>(value)) return optim::as_value(engine_optimizer(*object));
    if (const auto* object = object_as<SchedulerObject>(value)) return optim::as_value(object->scheduler);
    if (!value.is_list()) return value;
    std::vector<IValue> elements;
    for (const IValue& element : value.to_list().elements) elements.push_back(engine_object(element));
    return make_list(std::move(elements));
}

IValue counter_of(const IValue& values) {
    const IValue collections = Evaluator::current()->import_module("collections");
    return call(get_attribute(collections, "Counter"), std::vector<IValue>{values});
}

// Functions and schedulers that it is made from stand in its __dict__ in PyTorch, and not in its state.
void keep_part(SchedulerObject& self, const std::string& name, const IValue& value) {
    if (name == "schedulers" || name == "milestones") {
        if (value.is_list()) self.kept.emplace_back("_" + name, make_list(value.to_list().elements));
        return;
    }
    const auto groups = self.optimizer.is_none() ? 1 : length(get_attribute(self.optimizer, "param_groups"));
    self.kept.emplace_back("lr_lambdas", value.is_list()
                                             ? value
                                             : make_list(std::vector<IValue>(static_cast<std::size_t>(groups), value)));
}

// What it was made with, as attributes of the names that PyTorch gives them.
void keep_arguments(SchedulerObject& self, const optim::SchedulerRecord& record, const CallArguments& given,
                    const CallArguments& converted) {
    const FunctionSchema schema = parse_schema(record.constructor);
    const bool is_composed = record.name == "SequentialLR" || record.name == "ChainedScheduler";
    const auto keep = [&](const std::string& name, const IValue& value) {
        if (name == "lr_lambda" || (is_composed && (name == "schedulers" || name == "milestones")))
            keep_part(self, name, value);
    };
    for (std::size_t i = 0; i < given.positional.size() && i < schema.arguments.size(); ++i)
        keep(schema.arguments[i].name, given.positional[i]);
    for (const auto& [name, value] : given.keywords) keep(name, value);
    if (is_composed || record.name == "CyclicLR" || record.name == "OneCycleLR") return;
    const std::vector<IValue> bound = bind_arguments(schema, converted);
    for (std::size_t i = 0; i < bound.size(); ++i) {
        const std::string& name = schema.arguments[i].name;
        if (name == "optimizer" || name == "last_epoch" || name == "verbose" || name == "lr_lambda") continue;
        if (name == "min_lr") {
            const auto groups = static_cast<std::size_t>(length(get_attribute(self.optimizer, "param_groups")));
            self.attributes.set("min_lrs", make_list(is_iterable(bound[i]) ? to_vector(bound[i])
                                                                           : std::vector<IValue>(groups, bound[i])));
            continue;
        }
        self.attributes.set(name, name == "milestones" ? counter_of(bound[i]) : bound[i]);
    }
    if (const IValue* mode = self.attributes.find("mode"))
        self.attributes.set("mode_worse", IValue(str(*mode) == "max" ? -HUGE_VAL : HUGE_VAL));
}

NativeCallable::Body initialiser(const optim::SchedulerRecord& record) {
    return [&record](CallArguments arguments) -> IValue {
        SchedulerObject& self = object_of(arguments.positional.at(0));
        arguments.positional.erase(arguments.positional.begin());
        const CallArguments given = arguments;
        if (!arguments.positional.empty()) self.optimizer = arguments.positional[0];
        for (IValue& value : arguments.positional) value = engine_object(value);
        for (auto& [name, value] : arguments.keywords) {
            if (name == "optimizer") self.optimizer = value;
            value = engine_object(value);
        }
        if (self.optimizer.is_list()) {  // of schedulers, which know it
            const auto* first = self.optimizer.to_list().elements.empty()
                                    ? nullptr
                                    : object_as<SchedulerObject>(self.optimizer.to_list().elements[0]);
            self.optimizer = first != nullptr ? first->optimizer : IValue();
        }
        with_python_errors([&] {
            self.scheduler = in_constructor(record.name, [&] { return optim::make_scheduler(record, arguments); });
            keep_arguments(self, record, given, arguments);
        });
        return {};
    };
}

// A class of the program that defines get_lr().
class ProgramScheduler final : public optim::Scheduler {
  public:
    ProgramScheduler(Ptr<optim::Optimizer> optimizer, SchedulerObject& self)
        : Scheduler(std::move(optimizer)), self_(self) {}
    void start(std::int64_t last_epoch, const IValue& verbose) { begin(last_epoch, verbose); }

  private:
    std::vector<double> asked(const char* method) {
        std::vector<double> out;
        for (const IValue& rate : to_vector(call_method(IValue::other(Ptr<RefCounted>(&self_)), method, {})))
            out.push_back(to_float(rate));
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
    auto* optimizer = object_as<OptimizerObject>(given[1]);
    const auto engine = optimizer != nullptr ? engine_optimizer(*optimizer) : nullptr;
    if (!engine) throw_type_error(concat(type_name(given[1]), " is not an Optimizer"));
    self.optimizer = given[1];
    const auto scheduler = make_ptr<ProgramScheduler>(engine, self);
    self.scheduler = scheduler;
    with_python_errors([&] { scheduler->start(given.int_or(2, -1), given.value_or(3, false)); });
    return {};
}

IValue step(CallArguments arguments) {
    const BoundArguments given(arguments, "step", {"self", "epoch="});
    optim::Scheduler& self = scheduler_of(given[0]);
    if (auto* optimizer = object_as<OptimizerObject>(object_of(given[0]).optimizer)) engine_optimizer(*optimizer);
    with_python_errors([&] {
        if (self.takes_metric()) {
            if (!given.has(1))
                throw_type_error(concat(is_older_torch() ? "" : "ReduceLROnPlateau.",
                                        "step() missing 1 required positional argument: 'metrics'"));
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
// Epochs that are whole are counted as such.
IValue shown(const std::string& name, const IValue& value) {
    const bool is_count = name == "T_cur" || name == "T_i";
    return is_count && value.is_double() && std::floor(value.to_double()) == value.to_double()
               ? IValue(static_cast<std::int64_t>(value.to_double()))
               : value;
}

IValue state_dict(CallArguments arguments) {
    SchedulerObject& self = object_of(arguments.positional.at(0));
    const IValue engine = scheduler_of(arguments.positional[0]).state_dict();
    const auto state = make_dict();
    for (const auto& [name, value] : self.attributes.entries()) state->set(IValue(name), value);
    for (const auto& [name, values] : self.kept) {
        std::vector<IValue> kept = values.to_list().elements;
        for (IValue& value : kept) {
            if (name == "lr_lambdas") value = IValue();  // functions are not saved
            if (name == "_schedulers") value = state_dict({{value}, {}});
        }
        state->set(IValue(name), make_list(std::move(kept)));
    }
    for (const auto& [name, value] : engine.to_dict().entries()) {
        const bool is_rates = name.to_string() == "_last_lr";
        if (is_rates && engine.to_dict().find(IValue("_step_count")) != nullptr)
            state->set(IValue("_get_lr_called_within_step"), false);
        if (is_rates && self.scheduler->takes_metric() && self.scheduler->last_epoch() == 0)
            continue;  // none before the first step
        const IValue* own = state->find(name);
        if (name.to_string() == "_schedulers" && own != nullptr) continue;
        if (own == nullptr || !equals(*own, value)) state->set(name, shown(name.to_string(), value));
    }
    return state;
}

// Has the state another gamma, other milestones?
bool has_other_arguments(const SchedulerObject& self, const DictObject& state) {
    for (const auto& [name, value] : state.entries()) {
        const IValue* own = name.is_string() ? self.attributes.find(name.to_string()) : nullptr;
        if (own != nullptr && !equals(*own, value)) return true;
    }
    return false;
}

IValue load_state_dict(CallArguments arguments) {
    const BoundArguments given(arguments, "load_state_dict", {"self", "state_dict"});
    optim::Scheduler& engine = scheduler_of(given[0]);
    SchedulerObject& self = object_of(given[0]);
    const DictObject& state = given[1].to_dict();
    if (self.cls()->is_builtin() && has_other_arguments(self, state)) {
        const IValue whole = *scheduler_state_to_pickle(given[0]);
        const auto entries = state.entries();
        for (const auto& [name, value] : entries) {
            if (str(name) != "lr_lambdas" && str(name) != "_schedulers") set_key(whole.to_dict(), name, value);
        }
        set_scheduler_state(given[0], whole);
        return {};
    }
    const IValue known = engine.state_dict();
    const auto entries = state.entries();  // whose names may be the program's
    for (const auto& [name, value] : entries) {
        const std::string key = str(name);
        if (find_key(known.to_dict(), name) == nullptr && key != "lr_lambdas" && key != "_get_lr_called_within_step")
            self.attributes.set(key, value);
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

const optim::SchedulerRecord* record_of(const ClassObject& cls) {
    for (const ClassObject* base : cls.mro()) {
        if (!base->is_builtin()) continue;
        if (const optim::SchedulerRecord* record = optim::find_scheduler(base->name())) return record;
    }
    return nullptr;
}

// What a constructor's argument was, by what is kept of it: gamma, base_lrs, _milestones.
std::optional<IValue> kept_argument(const DictObject& state, const std::string& name) {
    for (const std::string& kept : {name, name + "s", "_" + name}) {
        const IValue* value = find_key(state, IValue(kept));
        if (value == nullptr) continue;
        if (name == "milestones" && value->is_dict()) return make_list(to_vector(call_method(*value, "elements", {})));
        return *value;
    }
    if (name == "step_size_up" || name == "step_size_down") {
        const IValue* size = find_key(state, IValue("total_size"));
        const IValue* ratio = find_key(state, IValue("step_ratio"));
        if (size == nullptr || ratio == nullptr) return std::nullopt;
        const double up = to_float(*size) * to_float(*ratio);
        return IValue(static_cast<std::int64_t>(std::llround(name == "step_size_up" ? up : to_float(*size) - up)));
    }
    return std::nullopt;
}

std::optional<IValue> from_groups(const IValue& optimizer, const char* option) {
    std::vector<IValue> values;
    for (const IValue& group : to_vector(get_attribute(optimizer, "param_groups"))) {
        const IValue* value = find_key(group.to_dict(), IValue(option));
        if (value == nullptr) return std::nullopt;
        values.push_back(*value);
    }
    return make_list(std::move(values));
}

CallArguments constructor_arguments(const optim::SchedulerRecord& record, const IValue& optimizer,
                                    const DictObject& state) {
    CallArguments out;
    const FunctionSchema schema = parse_schema(record.constructor);
    for (std::size_t i = 0; i < schema.arguments.size(); ++i) {
        const std::string& name = schema.arguments[i].name;
        if (name == "last_epoch" || name == "verbose") continue;
        if (name == "optimizer") {
            out.keywords.emplace_back(name, engine_object(optimizer));
        } else if (auto value = kept_argument(state, name)) {
            out.keywords.emplace_back(name, engine_object(*value));
        } else if (auto rates = name == "max_lr" ? from_groups(optimizer, "max_lr") : std::nullopt) {
            out.keywords.emplace_back(name, *rates);
        }
    }
    return out;
}

}  // namespace

Ptr<optim::Scheduler> engine_scheduler(const IValue& object) {
    const auto* scheduler = object_as<SchedulerObject>(object);
    return scheduler != nullptr ? scheduler->scheduler : nullptr;
}

std::optional<IValue> scheduler_state_to_pickle(const IValue& object) {
    auto* self = object_as<SchedulerObject>(object);
    if (self == nullptr || !self->scheduler) return std::nullopt;
    const auto out = make_dict();
    const IValue state = state_dict({{object}, {}});
    for (const auto& [name, value] : state.to_dict().entries()) out->set(name, value);
    for (const auto& [name, value] : self->kept) out->set(IValue(name), value);
    out->set(IValue("optimizer"), self->optimizer);
    return IValue(out);
}

bool set_scheduler_state(const IValue& object, const IValue& state) {
    auto* self = object_as<SchedulerObject>(object);
    if (self == nullptr) return false;
    const optim::SchedulerRecord* record = record_of(*self->cls());
    const DictObject& dict = state.to_dict();
    const IValue* optimizer = find_key(dict, IValue("optimizer"));
    if (optimizer == nullptr) throw_error("KeyError", "'optimizer'");
    self->optimizer = *optimizer;
    // Making one sets the rates of its first epoch.
    const IValue groups = get_attribute(*optimizer, "param_groups");
    std::vector<IValue> before;
    for (const IValue& group : to_vector(groups)) before.push_back(call_method(group, "copy", {}));
    with_python_errors([&] {
        if (record != nullptr) {
            self->scheduler = optim::make_scheduler(*record, constructor_arguments(*record, *optimizer, dict));
        } else {
            const auto made = make_ptr<ProgramScheduler>(optim::optimizer_in(engine_object(*optimizer)), *self);
            self->scheduler = made;
        }
        self->scheduler->load_state_dict(state);
    });
    for (std::size_t i = 0; i < before.size(); ++i) update_dict(to_vector(groups)[i].to_dict(), before[i]);
    const IValue known = self->scheduler->state_dict();
    self->kept.clear();
    const auto entries = dict.entries();
    for (const auto& [key, value] : entries) {
        const std::string name = str(key);
        if (name == "lr_lambdas" || name == "_schedulers" || name == "_milestones")
            self->kept.emplace_back(name, value);
        else if (name == "optimizer" || name == "_get_lr_called_within_step")
            continue;
        else if (find_key(known.to_dict(), key) == nullptr || self->attributes.find(name) != nullptr ||
                 find_key(dict, IValue("mode")) != nullptr)
            self->attributes.set(name, value);
    }
    return true;
}

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
