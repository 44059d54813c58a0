// SPDX-License-Identifier: Apache-2.0
// torch.nn.utils.prune. Classes that a program derives from BasePruningMethod are methods too: their compute_mask is
// called.

#include <map>

#include "core/base/strings.h"
#include "core/nn/utils/prune.h"
#include "core/python/language/arguments.h"
#include "core/python/language/error.h"
#include "core/python/language/key_lookup.h"
#include "core/python/language/operations.h"
#include "core/python/torch/module_arguments.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_module.h"

namespace loupe::python {
namespace {

const IValue& first_given(const CallArguments& arguments) {
    if (arguments.positional.empty()) throw_type_error("missing 1 required positional argument: 'module'");
    return arguments.positional[0];
}

class PruningObject final : public Instance {
  public:
    using Instance::Instance;
    nn::PruningMethodPtr method;

    std::optional<IValue> find_attribute(std::string_view name) override {
        if (name == "_tensor_name" && method) return IValue(method->tensor_name);
        return Instance::find_attribute(name);
    }
    void set_plain(std::string_view name, IValue value) override {
        if (name == "_tensor_name" && method)
            method->tensor_name = str(value);
        else
            Instance::set_plain(name, std::move(value));
    }
    void clear_references() override {
        Instance::clear_references();
        method = nullptr;
    }
};

// What a class of the program computes.
class ProgramMethod final : public nn::PruningMethod {
  public:
    explicit ProgramMethod(IValue object) : object_(std::move(object)), name_(python::type_name(object_)) {}
    const IValue& object() const { return object_; }
    std::string_view class_name() const override { return name_; }
    Kind kind() const override {
        const std::string kind = str(get_attribute(object_, "PRUNING_TYPE"));
        if (kind == "unstructured") return Kind::Unstructured;
        if (kind == "structured") return Kind::Structured;
        if (kind == "global") return Kind::Global;
        throw_value_error("Unrecognized PRUNING_TYPE " + kind);
    }
    std::optional<std::int64_t> dim() const override {
        const auto found = python::find_attribute(object_, "dim");
        return found ? std::optional(to_index(*found)) : std::nullopt;
    }
    Tensor compute_mask(const Tensor& scores, const Tensor& mask) override {
        return call_method(object_, "compute_mask", {{scores}, {{"default_mask", mask}}}).to_tensor();
    }

  private:
    IValue object_;
    std::string name_;
};

ClassPtr base_class();
ClassPtr class_named(std::string_view name);

PruningObject& object_of(const IValue& value) {
    if (auto* self = object_as<PruningObject>(value)) return *self;
    throw_type_error(concat(class_of(value)->repr(), " is not a BasePruningMethod subclass"));
}
nn::PruningMethodPtr method_of(const IValue& value) {
    PruningObject& self = object_of(value);
    if (!self.method) self.method = make_ptr<ProgramMethod>(value);
    return self.method;
}
IValue object_for(const nn::PruningMethodPtr& method) {
    if (const auto* own = dynamic_cast<const ProgramMethod*>(method.get())) return own->object();
    const auto object = make_ptr<PruningObject>(class_named(method->class_name()));
    object->method = method;
    return IValue::other(object);
}

Scalar amount_in(const IValue& value) {
    if (!value.is_number() && !value.is_bool())
        throw_type_error(concat("Invalid type for amount: ", str(value), ". Must be int or float."));
    return value.to_scalar();
}
Tensor tensor_or_none(const IValue& value) { return value.is_tensor() ? value.to_tensor() : Tensor(); }

// The classes that come with PyTorch: parameters of __init__, and what they make.
struct MethodClass {
    std::string_view name;
    std::string_view kind;
    std::vector<std::string_view> parameters;
    nn::PruningMethodPtr (*make)(const std::vector<IValue>& given);
    bool takes_scores = false;
};
const std::vector<MethodClass>& method_classes() {
    static const std::vector<MethodClass> all = {
        {"Identity", "unstructured", {}, [](const std::vector<IValue>&) { return nn::identity_pruning(); }},
        {"RandomUnstructured",
         "unstructured",
         {"amount"},
         [](const std::vector<IValue>& v) { return nn::random_unstructured(amount_in(v[0])); }},
        {"L1Unstructured",
         "unstructured",
         {"amount"},
         [](const std::vector<IValue>& v) { return nn::l1_unstructured(amount_in(v[0])); },
         true},
        {"RandomStructured",
         "structured",
         {"amount", "dim="},
         [](const std::vector<IValue>& v) {
             return nn::random_structured(amount_in(v[0]), v[1].is_none() ? -1 : to_index(v[1]));
         }},
        {"LnStructured",
         "structured",
         {"amount", "n", "dim="},
         [](const std::vector<IValue>& v) {
             const Scalar n = v[1].is_string() ? Scalar(2) : v[1].to_scalar();
             return nn::ln_structured(amount_in(v[0]), n, v[2].is_none() ? -1 : to_index(v[2]));
         },
         true},
        {"CustomFromMask",
         "global",
         {"mask"},
         [](const std::vector<IValue>& v) { return nn::custom_from_mask(v[0].to_tensor()); }},
    };
    return all;
}

// Arguments by the class's parameter names; a name with "=" may be missing.
std::vector<IValue> bound(const MethodClass& cls, const CallArguments& given) {
    std::vector<IValue> out(cls.parameters.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        std::string_view name = cls.parameters[i];
        const bool is_optional = name.ends_with('=');
        if (is_optional) name.remove_suffix(1);
        bool is_given = i < given.positional.size();
        if (is_given) out[i] = given.positional[i];
        for (const auto& [key, value] : given.keywords) {
            if (key == name) out[i] = value, is_given = true;
        }
        if (!is_given && !is_optional)
            throw_type_error(concat("__init__() missing 1 required positional argument: '", name, "'"));
    }
    return out;
}

NativeCallable::Body initialiser(const MethodClass& cls) {
    return [&cls](CallArguments arguments) -> IValue {
        const IValue self = first_given(arguments);
        const std::vector<IValue> values = bound(cls, behind_self(std::move(arguments)));
        object_of(self).method = with_python_errors([&] { return cls.make(values); });
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::string_view name = cls.parameters[i];
            if (name.ends_with('=')) name.remove_suffix(1);
            object_of(self).attributes.set(name, name == "dim" && values[i].is_none() ? IValue(-1) : values[i]);
        }
        return {};
    };
}

// cls.apply(module, name, *args, importance_scores=None, **kwargs).
IValue apply(CallArguments arguments) {
    if (arguments.positional.size() < 2) throw_type_error("apply() missing required arguments: 'module' and 'name'");
    const IValue cls = arguments.positional[0];
    arguments = behind_self(std::move(arguments));
    IValue name, scores;
    const auto take = [&](std::string_view key, IValue& into) {
        std::erase_if(arguments.keywords, [&](const auto& keyword) {
            if (keyword.first != key) return false;
            into = keyword.second;
            return true;
        });
    };
    nn::Module& module = self_module(arguments.positional[0]);
    arguments = behind_self(std::move(arguments));
    take("name", name);
    take("importance_scores", scores);
    if (name.is_none()) {
        name = first_given(arguments);
        arguments = behind_self(std::move(arguments));
    }
    const auto* object_class = object_as<ClassObject>(cls);
    for (const MethodClass& each : method_classes()) {
        // Behind their own arguments these take the scores by position too.
        if (each.name != object_class->name() || !each.takes_scores ||
            arguments.positional.size() <= each.parameters.size())
            continue;
        scores = arguments.positional.back();
        arguments.positional.pop_back();
    }
    const IValue object = call(cls, std::move(arguments));
    return with_python_errors(
        [&] { return object_for(nn::apply_pruning(module, str(name), method_of(object), tensor_or_none(scores))); });
}

IValue compute_mask(CallArguments arguments) {
    const BoundArguments given(arguments, "compute_mask", {"self", "t", "default_mask"});
    return with_python_errors(
        [&] { return IValue(method_of(given[0])->compute_mask(given[1].to_tensor(), given[2].to_tensor())); });
}
IValue apply_mask(CallArguments arguments) {
    const BoundArguments given(arguments, "apply_mask", {"self", "module"});
    nn::Module& module = self_module(given[1]);
    const nn::PruningMethodPtr method = method_of(given[0]);
    if (method->tensor_name.empty())
        throw_error("AssertionError", concat("Module ", module.str(), " has to be pruned"));
    return with_python_errors([&] { return IValue(method->apply_mask(module)); });
}
IValue prune_tensor(CallArguments arguments) {
    const BoundArguments given(arguments, "prune", {"self", "t", "default_mask=", "importance_scores="});
    return with_python_errors([&] {
        return IValue(method_of(given[0])->prune(given[1].to_tensor(), tensor_or_none(given.value_or(2, {})),
                                                 tensor_or_none(given.value_or(3, {}))));
    });
}
IValue remove_method(CallArguments arguments) {
    const BoundArguments given(arguments, "remove", {"self", "module"});
    with_python_errors([&] { nn::remove_pruning(self_module(given[1]), method_of(given[0])->tensor_name); });
    return {};
}
IValue call_hook(CallArguments arguments) {
    const BoundArguments given(arguments, "__call__", {"self", "module", "inputs"});
    nn::Module& module = self_module(given[1]);
    const nn::PruningMethodPtr method = method_of(given[0]);
    module.set_attribute(method->tensor_name, method->apply_mask(module));
    return {};
}

nn::PruningContainer& container_of(const IValue& value) {
    PruningObject& self = object_of(value);
    if (!self.method) self.method = make_ptr<nn::PruningContainer>();
    return dynamic_cast<nn::PruningContainer&>(*self.method);
}
IValue init_container(CallArguments arguments) {
    const IValue self = first_given(arguments);
    nn::PruningContainer& container = container_of(self);
    for (std::size_t i = 1; i < arguments.positional.size(); ++i) {
        const nn::PruningMethodPtr method = method_of(arguments.positional[i]);
        if (i == 1) container.tensor_name = method->tensor_name;
        with_python_errors([&] { container.add(method); });
    }
    return {};
}
std::vector<IValue> methods_in(const IValue& value) {
    std::vector<IValue> out;
    for (const nn::PruningMethodPtr& method : container_of(value).methods()) out.push_back(object_for(method));
    return out;
}

ClassPtr make_base() {
    auto out = make_ptr<ClassObject>("BasePruningMethod", "torch.nn.utils.prune", std::vector<ClassPtr>{});
    out->set_builtin([](ClassObject& of, CallArguments&) -> ClassObject::Made {
        return {IValue::other(make_ptr<PruningObject>(ClassPtr(&of))), false};
    });
    out->define("__init__", [](CallArguments) { return IValue(); });
    out->define("__call__", call_hook);
    out->define("apply_mask", apply_mask);
    out->define("prune", prune_tensor);
    out->define("remove", remove_method);
    out->define_class_method("apply", apply);
    return out;
}
ClassPtr base_class() {
    static const ClassPtr cls = make_base();
    return cls;
}

ClassPtr make_container_class() {
    auto out = make_ptr<ClassObject>("PruningContainer", "torch.nn.utils.prune", std::vector<ClassPtr>{base_class()});
    out->set_builtin(nullptr);
    out->define("__init__", init_container);
    out->define("compute_mask", compute_mask);
    out->define("add_pruning_method", [](CallArguments arguments) -> IValue {
        const BoundArguments given(arguments, "add_pruning_method", {"self", "method"});
        with_python_errors([&] { container_of(given[0]).add(method_of(given[1])); });
        return {};
    });
    out->define("__len__", [](CallArguments a) {
        return IValue(static_cast<std::int64_t>(container_of(a.positional.at(0)).methods().size()));
    });
    out->define("__iter__",
                [](CallArguments a) { return IValue::other(iterate(make_list(methods_in(a.positional.at(0))))); });
    out->define("__getitem__", [](CallArguments a) {
        return get_item(make_tuple(methods_in(a.positional.at(0))), a.positional.at(1));
    });
    return out;
}

ClassPtr class_named(std::string_view name) {
    static const std::map<std::string, ClassPtr, std::less<>> classes = [] {
        std::map<std::string, ClassPtr, std::less<>> out;
        for (const MethodClass& each : method_classes()) {
            const auto cls = make_ptr<ClassObject>(std::string(each.name), "torch.nn.utils.prune",
                                                   std::vector<ClassPtr>{base_class()});
            cls->set_builtin(nullptr);
            cls->attributes().set("PRUNING_TYPE", IValue(std::string(each.kind)));
            cls->define("__init__", initialiser(each));
            cls->define("compute_mask", compute_mask);
            out.emplace(each.name, cls);
        }
        out.emplace("PruningContainer", make_container_class());
        return out;
    }();
    const auto found = classes.find(name);
    return found == classes.end() ? base_class() : found->second;
}

// random_unstructured(module, name, amount): the class's apply; gives the module back.
NativeCallable::Body function_of(std::string_view class_name) {
    return [class_name](CallArguments arguments) {
        for (auto keyword = arguments.keywords.begin(); keyword != arguments.keywords.end(); ++keyword) {
            if (keyword->first != "module") continue;
            arguments.positional.insert(arguments.positional.begin(), keyword->second);
            arguments.keywords.erase(keyword);
            break;
        }
        const IValue module = first_given(arguments);
        arguments.positional.insert(arguments.positional.begin(), IValue::other(class_named(class_name)));
        apply(std::move(arguments));
        return module;
    };
}

IValue global_unstructured(CallArguments arguments) {
    CallArguments own, others;
    own.positional = std::move(arguments.positional);
    for (auto& keyword : arguments.keywords) {
        const bool is_own =
            keyword.first == "parameters" || keyword.first == "pruning_method" || keyword.first == "importance_scores";
        (is_own ? own : others).keywords.push_back(std::move(keyword));
    }
    const BoundArguments given(own, "global_unstructured", {"parameters", "pruning_method", "importance_scores="});
    std::vector<std::pair<nn::ModulePtr, std::string>> parameters;
    TensorList scores;
    const IValue by_parameter = given.value_or(2, {});
    if (!by_parameter.is_none() && !by_parameter.is_dict()) {
        throw_type_error("global_unstructured(): importance_scores must be of type dict");
    }
    for_each(given[0], [&](const IValue& pair) {
        const std::vector<IValue> both = to_vector(pair);
        if (both.size() < 2)
            throw_value_error(concat("not enough values to unpack (expected 2, got ", both.size(), ")"));
        parameters.emplace_back(nn::ModulePtr(&self_module(both[0])), str(both[1]));
        const IValue* score = by_parameter.is_dict() ? find_key(by_parameter.to_dict(), pair) : nullptr;
        scores.push_back(score != nullptr ? score->to_tensor() : Tensor());
        return true;
    });
    const IValue object = call(given[1], std::move(others));
    if (const std::string kind = str(get_attribute(object, "PRUNING_TYPE")); kind != "unstructured") {
        throw_type_error(concat("Only \"unstructured\" PRUNING_TYPE supported for the `pruning_method`. Found method ",
                                repr(given[1]), " of type ", kind));
    }
    with_python_errors([&] { nn::global_unstructured(parameters, method_of(object), scores); });
    return {};
}

IValue remove(CallArguments arguments) {
    const BoundArguments given(arguments, "remove", {"module", "name"});
    with_python_errors([&] { nn::remove_pruning(self_module(given[0]), str(given[1])); });
    return given[0];
}
IValue is_pruned(CallArguments arguments) {
    const BoundArguments given(arguments, "is_pruned", {"module"});
    return nn::is_pruned(self_module(given[0]));
}

}  // namespace

std::optional<IValue> pruning_hook_object(const nn::ForwardPreHookWithKeywords& hook) {
    const nn::PruningMethodPtr method = nn::pruning_method_of(hook);
    return method ? std::optional(object_for(method)) : std::nullopt;
}

void fill_prune(PythonModule& module) {
    module.define("BasePruningMethod", IValue::other(base_class()));
    module.define("PruningContainer", IValue::other(class_named("PruningContainer")));
    static constexpr std::pair<const char*, std::string_view> kFunctions[] = {
        {"identity", "Identity"},
        {"random_unstructured", "RandomUnstructured"},
        {"l1_unstructured", "L1Unstructured"},
        {"random_structured", "RandomStructured"},
        {"ln_structured", "LnStructured"},
        {"custom_from_mask", "CustomFromMask"}};
    for (const auto& [function, cls] : kFunctions) {
        module.define(function, function_of(cls));
        module.define(std::string(cls), IValue::other(class_named(cls)));
    }
    module.define("global_unstructured", global_unstructured);
    module.define("remove", remove);
    module.define("is_pruned", is_pruned);
}

}  // namespace loupe::python
