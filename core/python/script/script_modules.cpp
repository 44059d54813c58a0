// SPDX-License-Identifier: Apache-2.0
#include "core/python/script/script_modules.h"

#include <algorithm>
#include <map>

#include "core/base/strings.h"
#include "core/formats/torchscript/code_writer.h"
#include "core/nn/layer.h"
#include "core/nn/utils/norm_hooks.h"
#include "core/nn/utils/prune.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/key_lookup.h"
#include "core/python/script/script_function_object.h"
#include "core/python/script/script_functions.h"
#include "core/python/script/script_library.h"
#include "core/python/script/script_source.h"
#include "core/python/torch/nn_module.h"
#include "core/python/torch/torch_hooks.h"
#include "core/script/error.h"

namespace loupe::python {
namespace {

constexpr std::string_view kBackwardHook = "_is_full_backward_hook";

const nn::LayerRecord* layer_of(const ClassObject& cls) {
    return cls.is_builtin() ? nn::find_layer(cls.name()) : nullptr;
}

std::vector<std::string_view> words(std::string_view text, char separator) {
    std::vector<std::string_view> out;
    for (std::string_view word : split(text, separator)) {
        while (word.starts_with(' ')) word.remove_prefix(1);
        if (!word.empty()) out.push_back(word);
    }
    return out;
}

bool is_final(const IValue& annotation) {
    const auto* typing = object_as<TypingObject>(annotation);
    return typing != nullptr && (typing->name == "typing.Final" || typing->name == "Final");
}

// Names of constants: __constants__ and what is annotated as Final, in the class and its bases.
std::vector<std::string> constant_names(const ClassObject& cls) {
    std::vector<std::string> names;
    const auto add = [&](std::string name) {
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    };
    for (const ClassObject* base : cls.mro()) {
        if (const nn::LayerRecord* layer = layer_of(*base)) {
            for (const std::string_view name : words(layer->constants, ' ')) add(std::string(name));
        }
        if (const IValue* listed = base->attributes().find("__constants__")) {
            for_each(*listed, [&](const IValue& name) {
                if (name.is_string()) add(name.to_string());
                return true;
            });
        }
        const IValue* annotations = base->attributes().find("__annotations__");
        if (annotations == nullptr) continue;
        for (const auto& [name, type] : annotations->to_dict().entries()) {
            if (is_final(type)) add(name.to_string());
        }
    }
    return names;
}

// What torch.nn.Module and its classes in PyTorch have that is no attribute of scripts.
bool is_internal(std::string_view name) { return name == "training" || name == kBackwardHook; }

ContainerKind container_of(const ClassObject& cls) {
    for (const ClassObject* base : cls.mro()) {
        if (!base->is_builtin()) continue;
        if (base->name() == "Sequential" || base->name() == "ModuleList") return ContainerKind::List;
        if (base->name() == "ModuleDict") return ContainerKind::Dict;
        if (base->name() == "ParameterList") return ContainerKind::Parameters;
        if (base->name() == "ParameterDict") return ContainerKind::ParameterDict;
    }
    return ContainerKind::None;
}

// The annotation of an attribute: of the class, or of the layer that it derives from.
const IValue* find_annotation(const ClassObject& cls, const std::string& name) {
    for (const ClassObject* base : cls.mro()) {
        const IValue* annotations = base->attributes().find("__annotations__");
        if (annotations == nullptr || !annotations->is_dict()) continue;
        if (const IValue* found = find_key(annotations->to_dict(), IValue(name))) return found;
    }
    return nullptr;
}

TypePtr layer_annotation(const ClassObject& cls, std::string_view name) {
    for (const ClassObject* base : cls.mro()) {
        const nn::LayerRecord* layer = layer_of(*base);
        if (layer == nullptr) continue;
        for (const std::string_view entry : words(layer->annotations, ';')) {
            const auto colon = entry.find(": ");
            if (entry.substr(0, colon) == name) return parse_type(entry.substr(colon + 2));
        }
    }
    return nullptr;
}

bool same_attributes(const ModuleClass& a, const ModuleClass& b, const std::vector<ClassType::Attribute>& attributes) {
    const auto& known = a.type->attributes();
    if (known.size() != attributes.size() || a.constants.size() != b.constants.size() ||
        a.functions.size() != b.functions.size())
        return false;
    for (std::size_t i = 0; i < known.size(); ++i) {
        if (known[i].name != attributes[i].name || known[i].kind != attributes[i].kind ||
            !known[i].type->equals(*attributes[i].type))
            return false;
    }
    for (std::size_t i = 0; i < a.constants.size(); ++i) {
        const IValue& x = a.constants[i].second;
        const IValue& y = b.constants[i].second;
        if (a.constants[i].first != b.constants[i].first || x.tag() != y.tag() || !values_equal(x, y)) return false;
    }
    for (const auto& [name, value] : a.functions) {
        const auto other = b.functions.find(name);
        if (other == b.functions.end() || !other->second.is_same(value)) return false;
    }
    return true;
}

// A function of torch, as a program or as a layer has it.
bool is_native_function(const IValue& value) {
    if (!value.is_other()) return false;
    const RefCounted* object = value.object_pointer();
    return dynamic_cast<const NativeCallable*>(object) != nullptr ||
           (dynamic_cast<const Callable*>(object) != nullptr && dynamic_cast<const PythonObject*>(object) == nullptr);
}

Ptr<Object> object_of(const nn::ModulePtr& module) { return Ptr<Object>(module); }

}  // namespace

const ModuleClass* ModuleClass::child(std::string_view name) const {
    for (const auto& [each, cls_of] : children) {
        if (each == name) return cls_of.get();
    }
    return nullptr;
}

const IValue* ModuleClass::constant(std::string_view name) const {
    for (const auto& [each, value] : constants) {
        if (each == name) return &value;
    }
    return nullptr;
}

bool is_script_module(const nn::Module& module) { return !module.dynamic_class() && module.layer() == nullptr; }
bool is_script_module(const IValue& value) {
    const nn::ModulePtr module = nn::as_module(value);
    return module && is_script_module(*module);
}

nn::ModulePtr ScriptModules::original(const nn::Module& script) const {
    const auto found = originals_.find(&script);
    return found != originals_.end() ? found->second : nullptr;
}

const ModuleClass* ScriptModules::find_class(const ClassType& type) const {
    const auto found = by_type_.find(&type);
    return found != by_type_.end() ? found->second.get() : nullptr;
}

// --- describing ---

void ScriptModules::describe_attribute(ModuleClass& cls, const std::string& name, const IValue& value,
                                       const IValue* annotation, std::vector<ClassType::Attribute>& attributes) {
    if (const auto* wrapped = object_as<ScriptAttribute>(value)) {
        if (TypePtr type = compiler_.annotated_type(wrapped->type))
            attributes.push_back({name, type, AttributeKind::Attribute});
        else
            cls.failed[name] = "torch.jit.Attribute has no type";
        return;
    }
    if (annotation != nullptr) {
        if (TypePtr type = compiler_.annotated_type(*annotation))
            attributes.push_back({name, type, AttributeKind::Attribute});
        else
            cls.failed[name] = concat("Its annotation, ", repr(*annotation), ", is no type of TorchScript");
        return;
    }
    if (FunctionObject* function = source_function(value)) {
        cls.functions[name] = IValue::other(Ptr<RefCounted>(function));
        return;
    }
    if (object_as<ScriptFunctionObject>(value) != nullptr || is_native_function(value)) {
        cls.functions[name] = value;
        return;
    }
    const InferredType inferred = compiler_.inferred_type(value);
    if (inferred.type) {
        attributes.push_back({name, inferred.type, AttributeKind::Attribute});
        return;
    }
    cls.failed[name] = concat("(This attribute exists on the Python module, but we failed to convert Python type: '",
                              type_name(value), "' to a TorchScript type. ", inferred.reason,
                              " Its type was inferred; try adding a type annotation for the attribute.)");
}

ModuleClassPtr ScriptModules::describe(const nn::ModulePtr& module, std::vector<ClassType::Attribute>& attributes) {
    auto out = make_ptr<ModuleClass>();
    out->example = module;
    out->cls = python::class_of(IValue(object_of(module)));
    out->container = container_of(*out->cls);
    const auto& slots = module->type()->attributes();
    const auto value_at = [&](std::size_t i) { return i < module->slot_count() ? module->slot(i) : IValue(); };
    const auto typed = [&](const std::string& name, const IValue& value) -> TypePtr {
        if (const IValue* annotation = find_annotation(*out->cls, name)) {
            if (TypePtr type = compiler_.annotated_type(*annotation)) return type;
        }
        if (TypePtr type = layer_annotation(*out->cls, name)) return type;
        return value.is_tensor() ? types::tensor() : types::none();
    };
    for (const AttributeKind kind : {AttributeKind::Parameter, AttributeKind::Buffer}) {
        for (std::size_t i = 0; i < slots.size(); ++i) {
            if (slots[i].kind == kind) attributes.push_back({slots[i].name, typed(slots[i].name, value_at(i)), kind});
        }
    }
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (slots[i].kind != AttributeKind::Module) continue;
        const nn::ModulePtr child = nn::as_module(value_at(i));
        if (!child) {
            attributes.push_back({slots[i].name, types::none(), AttributeKind::Attribute});
            continue;
        }
        const IValue* annotation = find_annotation(*out->cls, slots[i].name);
        const TypePtr declared = annotation != nullptr ? compiler_.annotated_type(*annotation) : nullptr;
        const ModuleClassPtr child_class = class_of(child);
        out->children.emplace_back(slots[i].name, child_class);
        const bool is_interface = declared && declared->kind() == TypeKind::Interface;
        attributes.push_back(
            {slots[i].name, is_interface ? declared : TypePtr(child_class->type), AttributeKind::Module});
    }
    const std::vector<std::string> constants = constant_names(*out->cls);
    for (const std::string& name : constants) {
        const bool is_added =
            std::any_of(attributes.begin(), attributes.end(), [&](const auto& each) { return each.name == name; });
        if (is_added) continue;
        const IValue self(object_of(module));
        auto value = find_attribute(self, name);
        if (!value) continue;
        // It does not change any more, so a loop over it is as long as it is.
        if (value->is_list() && !value->to_list().elements.empty()) value = make_tuple(value->to_list().elements);
        const InferredType inferred = compiler_.inferred_type(*value);
        if (!inferred.type) {
            throw_type_error(concat("'", type_name(*value), "' object in attribute '", out->cls->name(), ".", name,
                                    "' is not a valid constant."));
        }
        out->constants.emplace_back(name, *compiler_.to_script(*value, inferred.type));
    }
    attributes.push_back({"training", types::boolean(), AttributeKind::Attribute});
    attributes.push_back({std::string(kBackwardHook), types::optional(types::boolean()), AttributeKind::Attribute});
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const std::string& name = slots[i].name;
        if (slots[i].kind != AttributeKind::Attribute || is_internal(name) || out->constant(name) != nullptr) continue;
        if (TypePtr type = layer_annotation(*out->cls, name)) {
            attributes.push_back({name, std::move(type), AttributeKind::Attribute});
            continue;
        }
        describe_attribute(*out, name, value_at(i), find_annotation(*out->cls, name), attributes);
    }
    return out;
}

ModuleClassPtr ScriptModules::class_of(const nn::ModulePtr& module) {
    check_stack();  // a module may hold itself
    if (is_script_module(*module)) {
        ModuleClassPtr& known = by_type_[module->type().get()];
        if (known) return known;
        known = make_ptr<ModuleClass>();
        const ModuleClassPtr out = known;
        out->type = module->type();
        out->constants = final_constants(*module->type());
        for (const auto& [name, child] : module->children()) {
            ModuleClassPtr child_class = class_of(child);
            out->children.emplace_back(name, std::move(child_class));
        }
        return out;
    }
    std::vector<ClassType::Attribute> attributes;
    const ModuleClassPtr made = describe(module, attributes);
    std::vector<ModuleClassPtr>& alike = by_class_[made->cls.get()];
    for (const ModuleClassPtr& known : alike) {
        if (same_attributes(*known, *made, attributes)) return known;
    }
    const std::string name = compiler_.unit()->mangle(compiler_.qualified_name(made->cls->module(), made->cls->name()));
    made->type = make_ptr<ClassType>(name, true);
    for (ClassType::Attribute& attribute : attributes)
        made->type->add_attribute(attribute.name, attribute.type, attribute.kind);
    compiler_.unit()->add_type(made->type);
    if (!made->constants.empty()) compiler_.unit()->set_constants(*made->type, made->constants);
    alike.push_back(made);
    by_type_[made->type.get()] = made;
    fresh_.push_back(made);
    return made;
}

// --- methods ---

bool ScriptModules::add_method(ModuleClass& cls, std::string_view name) {
    if (cls.type->find_method(name) != nullptr) return true;
    if (!cls.cls) return false;
    const std::string full_name = concat(cls.type->name(), ".", name);
    const ModuleClass* const of = &cls;  // lives as long as the functions
    const ScriptCompiler::SelfValue self_value = [this, of](ir::Value* self) { return module_value(*this, *of, self); };
    for (ClassObject* base : cls.cls->mro()) {
        if (const nn::LayerRecord* layer = layer_of(*base)) {
            ScriptLibrary& library = ScriptLibrary::current();
            if (!library.has_method(*layer, name)) continue;
            compiler_.unit()->add_method(*cls.type, library.make_method(*layer, name, full_name, cls.type, self_value));
            return true;
        }
        const IValue* found = base->attributes().find(name);
        if (found == nullptr) continue;
        FunctionObject* function = source_function(*found);
        if (function == nullptr) {
            if (object_as<NativeMethod>(*found) != nullptr && base->is_builtin() && base->name() != "Module") continue;
            return false;
        }
        compiler_.unit()->add_method(*cls.type, compiler_.make_method(*function, full_name, cls.type, self_value));
        return true;
    }
    return false;
}

namespace {

// What recomputes a parameter before forward is an object, which no script calls; PyTorch asks it for a function's
// name.
void refuse_computing_hooks(nn::Module& module) {
    const auto refuse = [](std::string_view cls) {
        throw_error("AttributeError", concat("'", cls, "' object has no attribute '__name__'"));
    };
    for (const std::string& hook : nn::norm_hooks_of(module))
        refuse(hook.starts_with("weight_norm") ? "WeightNorm" : "SpectralNorm");
    for (const auto& [tensor, method] : nn::prunings_of(module)) refuse(method);
}

}  // namespace

// Hooks become functions of the class; those that were removed again are none.
void ScriptModules::add_hooks(const nn::Module& module, ModuleClass& cls) {
    refuse_computing_hooks(const_cast<nn::Module&>(module));
    std::vector<RegisteredHooks::Hook> hooks;
    for (const auto& hook : Evaluator::current()->state().part<RegisteredHooks>().hooks) {
        if (hook.module == &module) hooks.push_back(hook);
    }
    const auto counts = module.hook_counts();
    if (hooks.empty() || hooks.size() != counts.forward_pre + counts.forward) return;
    const ModuleClass* const of = &cls;
    const ScriptCompiler::SelfValue self_value = [this, of](ir::Value* self) { return module_value(*this, *of, self); };
    std::map<std::string, std::pair<FunctionObject*, ir::ScriptFunction*>, std::less<>> compiled_hooks;
    for (const auto& hook : hooks) {
        FunctionObject* function = source_function(hook.hook);
        if (function == nullptr)
            throw_error("RuntimeError", concat("a hook of ", cls.cls->name(), " is no function that can be compiled"));
        const auto [known, is_new] = compiled_hooks.try_emplace(function->code.name, function, nullptr);
        if (is_new) {
            const std::string name = concat(cls.type->name(), ".", function->code.name);
            known->second.second =
                &compiler_.unit()->add_function(compiler_.make_method(*function, name, cls.type, self_value));
        } else if (known->second.first != function) {
            throw_error(
                "RuntimeError",
                concat(hook.is_pre_hook ? "Pre-hook '" : "Hook '", function->code.name, "' on ", cls.cls->name(),
                       " has at least two different python definitions. Please use unique names for all hooks."));
        }
        ir::ScriptFunction* compiled = known->second.second;
        if (hook.is_pre_hook)
            cls.type->add_forward_pre_hook(compiled);
        else
            cls.type->add_forward_hook(compiled);
    }
}

void ScriptModules::compile_methods(const ModuleClassPtr& cls) {
    add_hooks(*cls->example, *cls);
    std::vector<std::string> names;
    const auto wants = [&](std::string name) {
        if (std::find(names.begin(), names.end(), name) == names.end() && add_method(*cls, name))
            names.push_back(std::move(name));
    };
    const IValue* forward = cls->cls->find("forward");
    const ScriptMark mark = forward != nullptr ? script_mark(*forward) : ScriptMark::None;
    if (mark != ScriptMark::Ignore && mark != ScriptMark::Unused) wants("forward");
    for (const ClassObject* base : cls->cls->mro()) {
        if (base->is_builtin()) continue;
        for (const auto& [name, value] : base->attributes().entries()) {
            if (script_mark(value) == ScriptMark::Export) wants(name);
            const auto* property = object_as<Property>(value);
            FunctionObject* getter = property != nullptr ? source_function(property->getter) : nullptr;
            if (getter == nullptr || script_mark(property->getter) != ScriptMark::None) continue;
            const std::string method = script::getter_name(name);
            if (cls->type->find_method(method) != nullptr) continue;
            const ModuleClass* const of = cls.get();
            const auto self_value = [this, of](ir::Value* self) { return module_value(*this, *of, self); };
            compiler_.unit()->add_method(
                *cls->type,
                compiler_.make_method(*getter, concat(cls->type->name(), ".", method), cls->type, self_value));
            names.push_back(method);
        }
    }
    for (const std::string& name : names) compile(*cls->type->find_method(name));
    for (const auto* hooks : {&cls->type->forward_pre_hooks(), &cls->type->forward_hooks()}) {
        for (const Function* hook : *hooks) compile(*hook);
    }
}

// What is wrong in one method does not hide what is wrong in another.
void ScriptModules::compile(const Function& method) {
    try {
        static_cast<const ir::ScriptFunction&>(method).graph();
    } catch (const script::CompileError& error) {
        const auto is_same = [&](const script::CompileError& known) {
            return known.range().source == error.range().source && known.range().start == error.range().start;
        };
        if (std::none_of(errors_.begin(), errors_.end(), is_same)) errors_.push_back(error);
    }
}

// --- instances ---

nn::ModulePtr ScriptModules::instantiate(const nn::ModulePtr& module, const ModuleClassPtr& cls) {
    if (is_script_module(*module)) return module;
    if (const auto found = scripted_.find(module.get()); found != scripted_.end()) return found->second;
    const auto script = make_ptr<nn::Module>(cls->type);
    scripted_.emplace(module.get(), script);
    const auto& attributes = cls->type->attributes();
    for (std::size_t i = 0; i < attributes.size(); ++i) {
        const std::string& name = attributes[i].name;
        const IValue* value = module->find_attribute(name);
        if (attributes[i].kind == AttributeKind::Module) {
            const nn::ModulePtr child = nn::as_module(*value);
            script->set_slot(i, object_of(instantiate(child, class_of(child))));
            continue;
        }
        if (value == nullptr) {
            script->set_slot(i, IValue());
            continue;
        }
        const auto* wrapped = object_as<ScriptAttribute>(*value);
        auto converted = compiler_.to_script(wrapped != nullptr ? wrapped->value : *value, attributes[i].type);
        if (!converted && value->is_none()) converted = IValue();
        if (!converted) {
            throw_error(
                "RuntimeError",
                concat("Could not cast attribute '", name, "' to type ", attributes[i].type->annotation_str(),
                       ": Unable to cast Python instance of type <class '", type_name(*value), "'> to C++ type"));
        }
        script->set_slot(i, std::move(*converted));
    }
    originals_[script.get()] = module;
    return script;
}

nn::ModulePtr ScriptModules::script(const nn::ModulePtr& module) {
    if (is_script_module(*module)) return module;
    std::vector<ModuleClassPtr> compiled;
    try {
        const ModuleClassPtr cls = class_of(module);
        const nn::ModulePtr out = instantiate(module, cls);
        scripted_.clear();
        while (!fresh_.empty()) {
            const ModuleClassPtr next = fresh_.front();
            compile_methods(next);
            fresh_.erase(fresh_.begin());
            compiled.push_back(next);
        }
        if (errors_.empty()) return out;
        script::CompileError all = errors_.front();
        for (std::size_t i = 1; i < errors_.size(); ++i) all = all.followed_by(errors_[i]);
        throw all;
    } catch (...) {
        // A class that could not be compiled is not found again.
        fresh_.insert(fresh_.end(), compiled.begin(), compiled.end());
        for (const ModuleClassPtr& cls : fresh_) std::erase(by_class_[cls->cls.get()], cls);
        fresh_.clear();
        errors_.clear();
        scripted_.clear();
        throw;
    }
}

}  // namespace loupe::python
