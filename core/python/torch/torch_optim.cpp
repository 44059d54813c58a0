// SPDX-License-Identifier: Apache-2.0
// torch.optim: a class for each optimiser's record.

#include <algorithm>
#include <array>
#include <atomic>

#include "core/base/strings.h"
#include "core/base/torch_release.h"
#include "core/python/language/arguments.h"
#include "core/python/language/error.h"
#include "core/python/language/evaluator.h"
#include "core/python/language/key_lookup.h"
#include "core/python/language/operations.h"
#include "core/python/torch/constructor_errors.h"
#include "core/python/torch/module_parts.h"
#include "core/python/torch/pickling.h"
#include "core/python/torch/torch_autograd.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_data.h"
#include "core/python/torch/torch_module.h"
#include "core/python/torch/torch_optim.h"

namespace loupe::python {
namespace {

OptimizerObject& object_of(const IValue& value) {
    if (auto* self = object_as<OptimizerObject>(value)) return *self;
    throw_type_error("the method of a torch.optim.Optimizer needs an optimizer as self");
}
optim::Optimizer& optimizer_of(const IValue& value) {
    OptimizerObject& self = object_of(value);
    if (!self.optimizer)
        throw_error("AttributeError", concat("'", self.type_name(), "' object has no attribute 'param_groups'"));
    return *self.optimizer;
}

// Parameters may come from a generator, in groups too.
// named_parameters() gives pairs, which PyTorch 2 takes: the names are kept in the group.
std::optional<std::pair<IValue, IValue>> named_parts(const IValue& params) {
    if (is_older_torch() || params.is_tensor()) return std::nullopt;
    const std::vector<IValue> all = to_vector(params);
    const auto is_pair = [](const IValue& each) {
        return each.is_tuple() && each.to_tuple().elements.size() == 2 && each.to_tuple().elements[0].is_string();
    };
    if (all.empty() || !is_pair(all.front())) return std::nullopt;
    std::vector<IValue> names, values;
    for (const IValue& each : all) {
        if (!is_pair(each))
            throw_value_error("all optimizer params should be with/without names. Some param names are missing");
        names.push_back(each.to_tuple().elements[0]);
        values.push_back(each.to_tuple().elements[1]);
    }
    return std::pair(make_list(std::move(names)), make_list(std::move(values)));
}

void set_params(DictObject& group, const IValue& key, const IValue& params) {
    const auto named = named_parts(params);
    set_key(group, key, named ? named->second : make_list(to_vector(params)));
    if (named) set_key(group, IValue("param_names"), named->first);
}

IValue parameter_list(const IValue& given) {
    if (given.is_tensor()) return given;
    const IValue params = make_list(to_vector(given));
    std::vector<IValue> out;
    if (named_parts(params)) {
        const auto group = make_dict();
        set_params(*group, IValue("params"), params);
        return make_list({IValue(group)});
    }
    for (const IValue& each : to_vector(params)) {
        if (!each.is_dict()) {
            out.push_back(each);
            continue;
        }
        const auto group = make_dict();
        const auto entries = each.to_dict().entries();
        for (const auto& [key, value] : entries) {
            const bool is_list = key.is_string() && key.to_string() == "params" && !value.is_tensor();
            if (is_list)
                set_params(*group, key, make_list(to_vector(value)));
            else
                set_key(*group, key, value);
        }
        out.emplace_back(group);
    }
    return make_list(std::move(out));
}

// How later versions of PyTorch run the same step.
void drop_ways_to_run(const optim::OptimizerRecord& record, CallArguments& arguments) {
    std::erase_if(arguments.keywords, [&record](const auto& keyword) {
        const bool is_way = keyword.first == "foreach" || keyword.first == "fused" || keyword.first == "capturable" ||
                            keyword.first == "differentiable";
        return is_way && record.constructor.find(concat(" ", keyword.first, "=")) == std::string_view::npos;
    });
}

// PyTorch 2's NAdam(..., decoupled_weight_decay=True): an option of each group that has none of its own.
void spread_decoupled_decay(CallArguments& arguments) {
    IValue option;
    std::erase_if(arguments.keywords, [&option](const auto& keyword) {
        if (keyword.first != "decoupled_weight_decay") return false;
        option = truth(keyword.second);
        return true;
    });
    if (option.is_none()) return;
    IValue* params = arguments.positional.empty() ? nullptr : &arguments.positional[0];
    for (auto& [name, value] : arguments.keywords) {
        if (name == "params") params = &value;
    }
    if (params == nullptr || !params->is_list()) return;
    const auto& given = params->to_list().elements;
    if (!given.empty() && !given[0].is_dict()) {
        const auto group = make_dict();
        group->set(IValue("params"), *params);
        *params = make_list({IValue(group)});
    }
    for (const IValue& group : params->to_list().elements) {
        if (group.is_dict() && find_key(group.to_dict(), IValue("decoupled_weight_decay")) == nullptr)
            set_key(group.to_dict(), IValue("decoupled_weight_decay"), option);
    }
}

NativeCallable::Body initialiser(const optim::OptimizerRecord& record) {
    return [&record](CallArguments arguments) -> IValue {
        OptimizerObject& self = object_of(arguments.positional.at(0));
        arguments.positional.erase(arguments.positional.begin());
        drop_ways_to_run(record, arguments);
        if (!arguments.positional.empty()) arguments.positional[0] = parameter_list(arguments.positional[0]);
        for (auto& [name, value] : arguments.keywords) {
            if (name == "params") value = parameter_list(value);
        }
        if (record.name == "NAdam") spread_decoupled_decay(arguments);
        self.optimizer = with_python_errors([&] {
            return in_constructor(record.name, [&] { return optim::make_optimizer(record, std::move(arguments)); });
        });
        return {};
    };
}

// args: with self in front, as PyTorch gives them.
IValue call_hook(const IValue& hook, const IValue& self, const CallArguments& arguments) {
    std::vector<IValue> all = arguments.positional;
    all.insert(all.begin(), self);
    const auto keywords = make_dict();
    for (const auto& [name, value] : arguments.keywords) keywords->set(IValue(name), value);
    return call(hook, std::vector<IValue>{self, make_tuple(std::move(all)), IValue(keywords)});
}

// arguments: without self.
void call_pre_hooks(OptimizerObject& self, const IValue& object, CallArguments& arguments) {
    const NumberedHooks hooks = self.step_pre_hooks;
    for (const auto& [id, hook] : hooks) {
        const IValue result = call_hook(hook, object, arguments);
        if (result.is_none()) continue;
        if (!result.is_tuple() || result.to_tuple().elements.size() != 2) {
            throw_error("RuntimeError",
                        concat(str(hook), " must return None or a tuple of (new_args, new_kwargs), but got ",
                               str(result), "."));
        }
        arguments.positional = to_vector(result.to_tuple().elements[0]);
        if (!arguments.positional.empty()) arguments.positional.erase(arguments.positional.begin());
        arguments.keywords.clear();
        for (const auto& [name, value] : result.to_tuple().elements[1].to_dict().entries())
            arguments.keywords.emplace_back(str(name), value);
    }
}

IValue step(CallArguments arguments) {
    const IValue object = arguments.positional.at(0);
    OptimizerObject& self = object_of(object);
    arguments.positional.erase(arguments.positional.begin());
    call_pre_hooks(self, object, arguments);
    const BoundArguments given(arguments, "step", {"closure="});
    optim::Closure closure;
    if (given.has(0) && !given[0].is_none()) {
        closure = [function = given[0]] { return call(function, CallArguments{}); };
    }
    IValue loss = with_python_errors([&] { return optimizer_of(object).step(closure); });
    const NumberedHooks hooks = self.step_post_hooks;
    for (const auto& [id, hook] : hooks) call_hook(hook, object, arguments);
    return loss;
}

template <NumberedHooks OptimizerObject::*kHooks>
IValue add_step_hook(CallArguments arguments) {
    static std::atomic<std::uint64_t> last{0};  // engines have threads of their own
    const BoundArguments given(arguments, "register_step_hook", {"self", "hook"});
    const std::uint64_t id = ++last;
    (object_of(given[0]).*kHooks).emplace_back(id, given[1]);
    return handle_object(RemovableHandle([object = given[0], id] {
        std::erase_if(object_of(object).*kHooks, [id](const auto& hook) { return hook.first == id; });
    }));
}

// Of a class of the program derived from Optimizer: groups and state are its attributes.
IValue initialise_base(CallArguments arguments) {
    const BoundArguments given(arguments, "__init__", {"self", "params", "defaults"});
    const IValue self = given[0];
    object_of(self);
    set_attribute(self, "defaults", given[2]);
    const IValue collections = Evaluator::current()->import_module("collections");
    const IValue dict_class = get_attribute(Evaluator::current()->import_module("builtins"), "dict");
    set_attribute(self, "state", call(get_attribute(collections, "defaultdict"), std::vector<IValue>{dict_class}));
    std::vector<IValue> groups = parameter_list(given[1]).to_list().elements;
    if (groups.empty()) throw_value_error("optimizer got an empty parameter list");
    if (!groups[0].is_dict()) {
        const auto all = make_dict();
        all->set(IValue("params"), make_list(groups));
        groups = {IValue(all)};
    }
    for (const IValue& group : groups) {
        const auto entries = given[2].to_dict().entries();
        for (const auto& [name, value] : entries) {
            find_or_set(group.to_dict(), name, value);
        }
    }
    set_attribute(self, "param_groups", make_list(std::move(groups)));
    return {};
}

// zero_grad() of such a class.
void zero_gradients(const IValue& groups, bool set_to_none) {
    for (const IValue& group : to_vector(groups)) {
        for (const Tensor& parameter : tensors_of(get_item(group, IValue("params")))) {
            const Tensor gradient = grad_of(parameter);
            if (!gradient.defined()) continue;
            if (set_to_none)
                set_grad(parameter, Tensor());
            else
                call_function("zero_", {detach(gradient)});
        }
    }
}

IValue zero_grad(CallArguments arguments) {
    const BoundArguments given(arguments, "zero_grad", {"self", "set_to_none="});
    const bool set_to_none = given.truth_or(1, !is_older_torch());
    if (object_of(given[0]).optimizer)
        optimizer_of(given[0]).zero_grad(set_to_none);
    else
        zero_gradients(get_attribute(given[0], "param_groups"), set_to_none);
    return {};
}
IValue dict_of(std::initializer_list<std::pair<const char*, IValue>> entries) {
    const auto out = make_dict();
    for (const auto& [name, value] : entries) out->set(IValue(name), value);
    return out;
}

// Groups whose parameters are numbers, and the states by these, as load_state_dict takes them.
IValue numbered_state(const IValue& groups, const IValue& states) {
    const auto numbers = make_dict();
    std::vector<IValue> numbered;
    for (const IValue& group : to_vector(groups)) {
        const IValue copy = call_method(group, "copy", {});
        take_key(copy.to_dict(), IValue("params"));  // last, as PyTorch has it
        std::vector<IValue> params;
        for (const IValue& parameter : to_vector(get_item(group, IValue("params")))) {
            params.push_back(find_or_set(*numbers, parameter, static_cast<std::int64_t>(numbers->size())));
        }
        set_key(copy.to_dict(), IValue("params"), make_list(std::move(params)));
        numbered.push_back(copy);
    }
    const auto by_number = make_dict();
    const auto entries = states.to_dict().entries();
    for (const auto& [parameter, state] : entries) {
        if (const IValue* number = find_key(*numbers, parameter)) by_number->set(*number, state);
    }
    return dict_of({{"state", by_number}, {"param_groups", make_list(std::move(numbered))}});
}

IValue state_dict(CallArguments arguments) {
    const IValue self = arguments.positional.at(0);
    if (object_of(self).optimizer) return optimizer_of(self).state_dict();
    return numbered_state(get_attribute(self, "param_groups"), get_attribute(self, "state"));
}

// Of a class of the program: the groups keep their parameters, the rest is the saved one's.
void load_program_state(const IValue& self, const DictObject& saved) {
    std::vector<IValue> parameters;
    const std::vector<IValue> groups = to_vector(get_attribute(self, "param_groups"));
    const auto part = [&saved](const char* name) {
        const IValue* found = find_key(saved, IValue(name));
        if (found == nullptr) throw_key_error(IValue(name));
        return *found;
    };
    const std::vector<IValue> given = to_vector(part("param_groups"));
    if (groups.size() != given.size())
        throw_value_error("loaded state dict has a different number of parameter groups");
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const std::vector<IValue> own = to_vector(get_item(groups[i], IValue("params")));
        if (own.size() != to_vector(get_item(given[i], IValue("params"))).size()) {
            throw_value_error(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group");
        }
        parameters.insert(parameters.end(), own.begin(), own.end());
        const auto entries = given[i].to_dict().entries();
        for (const auto& [name, value] : entries) {
            if (str(name) != "params") set_key(groups[i].to_dict(), name, value);
        }
    }
    const IValue copy = call(get_attribute(Evaluator::current()->import_module("copy"), "deepcopy"),
                             std::vector<IValue>{part("state")});
    const IValue states = get_attribute(self, "state");
    for (const auto& [number, state] : copy.to_dict().entries()) {
        const bool is_numbered =
            number.is_int() && number.to_int() >= 0 && static_cast<std::size_t>(number.to_int()) < parameters.size();
        set_key(states.to_dict(), is_numbered ? parameters[static_cast<std::size_t>(number.to_int())] : number, state);
    }
}

IValue load_state_dict(CallArguments arguments) {
    const BoundArguments given(arguments, "load_state_dict", {"self", "state_dict"});
    if (!object_of(given[0]).optimizer) {
        load_program_state(given[0], given[1].to_dict());
        return {};
    }
    with_python_errors([&] { optimizer_of(given[0]).load_state_dict(given[1]); });
    return {};
}
IValue add_param_group(CallArguments arguments) {
    const BoundArguments given(arguments, "add_param_group", {"self", "param_group"});
    const IValue groups = parameter_list(make_list({given[1]}));
    const IValue group = groups.to_list().elements[0];
    if (object_of(given[0]).optimizer) {
        with_python_errors([&] { optimizer_of(given[0]).add_param_group(group); });
        return {};
    }
    if (!group.is_dict()) throw_error("AssertionError", "param group must be a dict");
    const IValue params = get_item(group, IValue("params"));
    if (params.is_tensor()) set_key(group.to_dict(), IValue("params"), make_list({params}));
    const IValue defaults = get_attribute(given[0], "defaults");
    const auto entries = defaults.to_dict().entries();
    for (const auto& [name, value] : entries) {
        find_or_set(group.to_dict(), name, value);
    }
    get_attribute(given[0], "param_groups").to_list().elements.push_back(group);
    return {};
}

ClassPtr optimizer_class() {
    static const ClassPtr cls = [] {
        const auto out = make_ptr<ClassObject>("Optimizer", "torch.optim.optimizer", std::vector<ClassPtr>{});
        out->set_builtin([](ClassObject& own, CallArguments&) -> ClassObject::Made {
            return {IValue::other(make_ptr<OptimizerObject>(ClassPtr(&own))), false};
        });
        out->define("__init__", initialise_base);
        out->define("step", step);
        out->define("zero_grad", zero_grad);
        out->define("state_dict", state_dict);
        out->define("load_state_dict", load_state_dict);
        out->define("add_param_group", add_param_group);
        out->define("register_step_pre_hook", add_step_hook<&OptimizerObject::step_pre_hooks>);
        out->define("register_step_post_hook", add_step_hook<&OptimizerObject::step_post_hooks>);
        return ClassPtr(out);
    }();
    return cls;
}

std::vector<std::pair<std::string, ClassPtr>> make_classes() {
    std::vector<std::pair<std::string, ClassPtr>> out;
    for (const optim::OptimizerRecord* record : optim::optimizer_records()) {
        const std::string name(record->name);
        std::string file = name;
        for (char& letter : file) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
        const auto cls = make_ptr<ClassObject>(name, "torch.optim." + file, std::vector<ClassPtr>{optimizer_class()});
        cls->set_builtin(nullptr);
        cls->define("__init__", initialiser(*record));
        out.emplace_back(name, cls);
    }
    return out;
}

const optim::OptimizerRecord* record_of(const ClassObject& cls) {
    for (const ClassObject* base : cls.mro()) {
        if (!base->is_builtin()) continue;
        if (const optim::OptimizerRecord* record = optim::find_optimizer(base->name())) return record;
    }
    return nullptr;
}

const optim::OptimizerRecord kProgramOptimizer = {
    .name = "Optimizer",
    .summary = "One that a program defines.",
    .constructor = "Optimizer(Any params) -> Any",
    .complete = [](DictObject&) {},
    .step = [](optim::Optimizer&, const optim::Closure&) { return IValue(); },
};

}  // namespace

std::string program_optimizer_text(OptimizerObject& object) {
    const auto groups = object.find_attribute("param_groups");
    if (!groups) return object.Instance::repr();
    std::string out = object.type_name() + " (";
    std::size_t number = 0;
    for (const IValue& group : to_vector(*groups)) {
        out += concat("\nParameter Group ", number++, "\n");
        std::vector<std::pair<std::string, IValue>> options;
        for (const auto& [name, value] : group.to_dict().entries()) {
            if (str(name) != "params") options.emplace_back(str(name), value);
        }
        std::sort(options.begin(), options.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& [name, value] : options) out += concat("    ", name, ": ", str(value), "\n");
    }
    return out + ")";
}

Ptr<optim::Optimizer> engine_optimizer(OptimizerObject& object) {
    if (object.optimizer) return object.optimizer;
    const auto groups = object.find_attribute("param_groups");
    if (!groups || !groups->is_list() || groups->to_list().elements.empty()) return nullptr;
    if (!object.stand_in) {
        const IValue none =
            make_list({IValue(make_parameter(empty(std::array<std::int64_t, 1>{1}, ScalarType::Float32), false))});
        object.stand_in = make_ptr<optim::Optimizer>(kProgramOptimizer, none, make_dict());
    }
    object.stand_in->param_groups()->elements = groups->to_list().elements;
    object.stand_in->step();  // what it counts is whether there was a step before the schedule's; the program knows
    return object.stand_in;
}

std::optional<IValue> optimizer_state_to_pickle(const IValue& object) {
    auto* self = object_as<OptimizerObject>(object);
    if (self == nullptr) return std::nullopt;
    IValue states = get_attribute(object, "state");
    if (self->optimizer) {
        const IValue collections = Evaluator::current()->import_module("collections");
        const IValue dict_class = get_attribute(Evaluator::current()->import_module("builtins"), "dict");
        const IValue copy = call(get_attribute(collections, "defaultdict"), std::vector<IValue>{dict_class});
        for (const auto& [parameter, state] : states.to_dict().entries()) set_key(copy.to_dict(), parameter, state);
        states = copy;
    }
    return dict_of({{"defaults", get_attribute(object, "defaults")},
                    {"state", states},
                    {"param_groups", get_attribute(object, "param_groups")}});
}

bool set_optimizer_state(const IValue& object, const IValue& state) {
    auto* self = object_as<OptimizerObject>(object);
    if (self == nullptr) return false;
    const optim::OptimizerRecord* record = record_of(*self->cls());
    const IValue* groups = find_key(state.to_dict(), IValue("param_groups"));
    const IValue* states = find_key(state.to_dict(), IValue("state"));
    const IValue* defaults = find_key(state.to_dict(), IValue("defaults"));
    for (const auto& [name, value] : state.to_dict().entries()) {
        const bool is_engines = &value == groups || &value == states || &value == defaults;
        if (record == nullptr || !is_engines) self->attributes.set(str(name), value);
    }
    if (record == nullptr) return true;
    if (groups == nullptr || states == nullptr || defaults == nullptr) throw_error("KeyError", "'param_groups'");
    with_python_errors([&] {
        self->optimizer = make_ptr<optim::Optimizer>(*record, parameter_list(*groups),
                                                     Ptr<DictObject>(&call_method(*defaults, "copy", {}).to_dict()));
        self->optimizer->load_state_dict(numbered_state(*groups, *states));
    });
    return true;
}

void fill_torch_optim(PythonModule& module) {
    static const auto classes = make_classes();
    for (const auto& [name, cls] : classes) module.define(name, IValue::other(cls));
    module.define("Optimizer", IValue::other(optimizer_class()));
    define_submodule(module, "lr_scheduler", "torch.optim.lr_scheduler");
    module.define_from("Adafactor", "torch.optim._adafactor");
    module.define_from("Muon", "torch.optim._muon");
}

}  // namespace loupe::python
