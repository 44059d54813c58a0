// SPDX-License-Identifier: Apache-2.0
// Types of scripts and values of a program.
#include <algorithm>

#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/key_lookup.h"
#include "core/python/script/script_compiler.h"
#include "core/python/script/script_library.h"
#include "core/python/script/script_modules.h"
#include "core/python/torch/nn_module.h"
#include "core/python/torch/torch_classes.h"
#include "core/python/torch/torch_nn.h"
#include "core/python/torch/torch_objects.h"
#include "core/script/builder.h"

namespace loupe::python {
namespace {

std::string_view typing_name(const TypingObject& typing) {
    const std::string_view name = typing.name;
    return name.starts_with("typing.") ? name.substr(7) : name;
}

TypePtr builtin_type(const ClassObject& cls) {
    const BuiltinClasses& known = builtin_classes();
    const std::pair<const ClassObject*, TypePtr> table[] = {{known.integer.get(), types::integer()},
                                                            {known.floating.get(), types::floating()},
                                                            {known.boolean.get(), types::boolean()},
                                                            {known.complex.get(), types::complex()},
                                                            {known.string.get(), types::string()},
                                                            {known.none.get(), types::none()},
                                                            {known.list.get(), make_type(TypeKind::AnyList)},
                                                            {known.tuple.get(), make_type(TypeKind::AnyTuple)},
                                                            {tensor_class().get(), types::tensor()},
                                                            {parameter_class().get(), types::tensor()},
                                                            {device_class().get(), types::device()},
                                                            {dtype_class().get(), types::integer()},
                                                            {layout_class().get(), types::integer()},
                                                            {memory_format_class().get(), types::integer()},
                                                            {generator_class().get(), types::generator()}};
    for (const auto& [builtin, type] : table) {
        if (builtin == &cls) return type;
    }
    if (cls.name() == "Size" && cls.module() == "torch") return types::list(types::integer());
    return nullptr;
}

TypePtr constructed_type(std::string_view name, std::vector<TypePtr> parts) {
    const auto is = [&](std::string_view lower, std::string_view upper, std::size_t count) {
        return (name == lower || name == upper) && parts.size() == count;
    };
    if (is("list", "List", 1)) return types::list(parts[0]);
    if (is("dict", "Dict", 2)) return types::dict(parts[0], parts[1]);
    if (name == "tuple" || name == "Tuple") return types::tuple(std::move(parts));
    if (is("Future", "torch.futures.Future", 1)) return types::future(parts[0]);
    if (is("Final", "ClassVar", 1)) return parts[0];
    return nullptr;
}

}  // namespace

TypePtr ScriptCompiler::annotated_type(const IValue& annotation) {
    if (annotation.is_none()) return types::none();
    if (annotation.is_string()) {  // a postponed annotation: only what needs no names of the program
        try {
            return parse_type(annotation.to_string());
        } catch (const Error&) {
            return nullptr;
        }
    }
    if (auto* cls = object_as<ClassObject>(annotation)) {
        if (TypePtr type = builtin_type(*cls)) return type;
        const bool is_module =
            cls->is_subclass_of(*nn_module_class()) && cls->attributes().find("__torch_script_interface__") == nullptr;
        // The class of its modules that are alike, if one has been scripted.
        if (is_module) return unit_->find_type(qualified_name(cls->module(), cls->name()));
        return class_type(*cls);
    }
    const auto* typing = object_as<TypingObject>(annotation);
    if (typing == nullptr) return nullptr;
    if (typing_name(*typing) == "Any") return types::any();
    std::vector<TypePtr> parts;
    for (const IValue& argument : typing->arguments) {
        const bool is_empty_tuple = argument.is_tuple() && argument.to_tuple().elements.empty();
        if (is_empty_tuple) continue;
        parts.push_back(annotated_type(argument));
        if (!parts.back()) return nullptr;
    }
    if (typing->is_union) return types::union_of(std::move(parts));
    return constructed_type(typing_name(*typing), std::move(parts));
}

ClassPtr ScriptCompiler::class_behind(const Type& type) const {
    const auto found = classes_by_type_.find(&type);
    return found != classes_by_type_.end() ? found->second : nullptr;
}

// --- inference ---

InferredType ScriptCompiler::inferred_list_type(const IValue& value) {
    const auto& elements = value.to_list().elements;
    if (elements.empty()) return {nullptr, "List trace inputs must have elements"};
    TypePtr all;
    for (const IValue& element : elements) {
        const InferredType part = inferred_type(element);
        if (!part.type) return {nullptr, concat("Could not infer type of list element: ", part.reason)};
        const auto unified = all ? unify_types(all, part.type) : std::optional<TypePtr>(part.type);
        if (!unified) {
            return {nullptr, concat("Heterogeneous list elements: ", all->annotation_str(), " and ",
                                    part.type->annotation_str())};
        }
        all = *unified;
    }
    return {types::list(all), {}};
}

InferredType ScriptCompiler::inferred_tuple_type(const IValue& value) {
    if (const auto* cls = dynamic_class(value); cls != nullptr && !is_size(value)) {
        if (TypePtr named = class_type(const_cast<ClassObject&>(*cls))) return {named, {}};
    }
    std::vector<TypePtr> parts;
    for (const IValue& element : value.to_tuple().elements) {
        const InferredType part = inferred_type(element);
        if (!part.type) return part;
        parts.push_back(part.type);
    }
    return {types::tuple(std::move(parts)), {}};
}

InferredType ScriptCompiler::inferred_dict_type(const IValue& value) {
    const auto& entries = value.to_dict().entries();
    if (entries.empty()) return {nullptr, "Dictionary inputs must have entries"};
    TypePtr key_type;
    TypePtr value_type;
    for (const auto& [key, element] : entries) {
        const InferredType k = inferred_type(key);
        const InferredType v = inferred_type(element);
        if (!k.type) return k;
        if (!v.type) return v;
        const auto keys = key_type ? unify_types(key_type, k.type) : std::optional<TypePtr>(k.type);
        const auto values = value_type ? unify_types(value_type, v.type) : std::optional<TypePtr>(v.type);
        if (!keys || !values) return {nullptr, "Dictionary inputs to traced functions must have consistent type"};
        key_type = *keys;
        value_type = *values;
    }
    return {types::dict(key_type, value_type), {}};
}

InferredType ScriptCompiler::inferred_type(const IValue& value) {
    check_stack();  // a list may hold itself
    switch (value.tag()) {
        case IValue::Tag::Tensor:
            return {types::tensor(), {}};
        case IValue::Tag::None:
            return {types::none(), {}};
        case IValue::Tag::Bool:
            return {types::boolean(), {}};
        case IValue::Tag::Int:
            return {types::integer(), {}};
        case IValue::Tag::Double:
            return {types::floating(), {}};
        case IValue::Tag::Complex:
            return {types::complex(), {}};
        case IValue::Tag::String:
            return {types::string(), {}};
        case IValue::Tag::Device:
            return {types::device(), {}};
        case IValue::Tag::Enum:
            return {TypePtr(value.to_enum().type), {}};
        case IValue::Tag::Future:
            return {types::future(types::any()), {}};
        case IValue::Tag::Object: {
            const Ptr<Object> object = value.to_object();
            const bool is_script =
                module_class_of(value) == nullptr;  // a module of compiled code, or an object of a compiled class
            if (is_script) return {TypePtr(object->type()), {}};
            return {nullptr, "Cannot infer type of torch.nn.Module"};
        }
        case IValue::Tag::List:
            return inferred_list_type(value);
        case IValue::Tag::Tuple:
            return inferred_tuple_type(value);
        case IValue::Tag::Dict:
            return inferred_dict_type(value);
        case IValue::Tag::Other:
            break;
    }
    if (object_as<DtypeObject>(value) != nullptr || object_as<ConstantObject>(value) != nullptr)
        return {types::integer(), {}};
    if (const auto* instance = object_as<Instance>(value)) {
        if (const TypePtr type = class_type(*instance->cls())) return {type, {}};
    }
    return {nullptr, concat("Only tensors and (possibly nested) tuples of tensors, lists, or dicts are supported as "
                            "inputs or outputs of "
                            "traced functions, but instead got value of type ",
                            type_name(value), ".")};
}

// --- values ---

namespace {

// A member of an enum of the program, as the type has it.
std::optional<IValue> enum_value(const IValue& value, const Ptr<const EnumType>& type) {
    const auto* instance = object_as<Instance>(value);
    const IValue* name = instance != nullptr ? instance->attributes.find("_name_") : nullptr;
    if (name == nullptr || !name->is_string()) return std::nullopt;
    for (const auto& [each, constant] : type->values) {
        if (each == name->to_string()) return IValue(make_ptr<EnumValue>(type, each, constant));
    }
    return std::nullopt;
}

// An instance of a class of the program, copied.
std::optional<IValue> script_object(ScriptCompiler& compiler, const IValue& value, const TypePtr& type) {
    const auto* instance = object_as<Instance>(value);
    const Ptr<ClassType> cls = compiler.unit()->find_class(type->name());
    if (instance == nullptr || !cls || compiler.class_type(*instance->cls()) != type) return std::nullopt;
    const auto object = make_ptr<Object>(cls);
    for (std::size_t i = 0; i < cls->attributes().size(); ++i) {
        const IValue* attribute = instance->attributes.find(cls->attributes()[i].name);
        auto converted =
            attribute != nullptr ? compiler.to_script(*attribute, cls->attributes()[i].type) : std::nullopt;
        if (!converted) return std::nullopt;
        object->set_slot(i, std::move(*converted));
    }
    return IValue(object);
}

const std::vector<IValue>* sequence(const IValue& value) {
    if (value.is_list()) return &value.to_list().elements;
    if (value.is_tuple()) return &value.to_tuple().elements;
    return nullptr;
}

}  // namespace

std::optional<IValue> ScriptCompiler::to_script_container(const IValue& value, const TypePtr& type) {
    if (type->kind() == TypeKind::List) {
        const auto* elements = sequence(value);
        if (elements == nullptr) return std::nullopt;
        std::vector<IValue> out;
        for (const IValue& element : *elements) {
            auto converted = to_script(element, type->element());
            if (!converted) return std::nullopt;
            out.push_back(std::move(*converted));
        }
        return IValue(make_ptr<ListObject>(type->element(), std::move(out)));
    }
    if (type->kind() == TypeKind::Dict) {
        if (!value.is_dict()) return std::nullopt;
        auto out = make_ptr<DictObject>(type->contained()[0], type->contained()[1]);
        for (const auto& [key, element] : value.to_dict().entries()) {
            auto k = to_script(key, type->contained()[0]);
            auto v = to_script(element, type->contained()[1]);
            if (!k || !v) return std::nullopt;
            out->set(std::move(*k), std::move(*v));
        }
        return IValue(std::move(out));
    }
    const auto* elements = sequence(value);
    if (elements == nullptr || value.is_list() || elements->size() != type->contained().size()) return std::nullopt;
    std::vector<IValue> out;
    for (std::size_t i = 0; i < elements->size(); ++i) {
        auto converted = to_script((*elements)[i], type->contained()[i]);
        if (!converted) return std::nullopt;
        out.push_back(std::move(*converted));
    }
    return IValue(make_ptr<TupleObject>(std::move(out), type->name().empty() ? nullptr : type));
}

std::optional<IValue> ScriptCompiler::to_script(const IValue& given, const TypePtr& type) {
    check_stack();
    const IValue& value = plain(given);
    switch (type->kind()) {
        case TypeKind::Tensor:
            if (value.is_tensor()) return value;
            return std::nullopt;
        case TypeKind::Int:
            if (value.is_int()) return value;
            if (const auto* dtype = object_as<DtypeObject>(value))
                return IValue(static_cast<std::int64_t>(dtype->dtype));
            if (const auto* constant = object_as<ConstantObject>(value)) return IValue(constant->number);
            return std::nullopt;
        case TypeKind::Float:
            return value.is_double() || value.is_int() ? std::optional<IValue>(value.to_double()) : std::nullopt;
        case TypeKind::Complex:
            return value.is_complex() ? std::optional<IValue>(value) : std::nullopt;
        case TypeKind::Bool:
            return value.is_bool() ? std::optional<IValue>(value) : std::nullopt;
        case TypeKind::Number:
            return value.is_number() && !value.is_bool() ? std::optional<IValue>(value) : std::nullopt;
        case TypeKind::String:
            return value.is_string() ? std::optional<IValue>(value) : std::nullopt;
        case TypeKind::None:
            return value.is_none() ? std::optional<IValue>(value) : std::nullopt;
        case TypeKind::Device:
            if (value.is_device()) return value;
            return value.is_string() ? std::optional<IValue>(device_of(value)) : std::nullopt;
        case TypeKind::Optional:
            if (value.is_none()) return value;
            return to_script(value, type->element());
        case TypeKind::Union:
            for (const TypePtr& part : type->contained()) {
                if (auto found = to_script(value, part)) return found;
            }
            return std::nullopt;
        case TypeKind::Any: {
            const InferredType inferred = inferred_type(value);
            return inferred.type ? to_script(value, inferred.type) : std::nullopt;
        }
        case TypeKind::List:
        case TypeKind::Dict:
        case TypeKind::Tuple:
            return to_script_container(value, type);
        case TypeKind::Enum:
            return enum_value(value, Ptr<const EnumType>(type->as<EnumType>()));
        case TypeKind::Class:
            if (value.is_object() && value.to_object()->type()->is_subtype_of(*type)) return value;
            return script_object(*this, value, type);
        case TypeKind::AnyList: {
            const InferredType inferred = inferred_type(value);  // of an empty list there is none
            return value.is_list() && inferred.type ? to_script(value, inferred.type) : std::nullopt;
        }
        default:
            return loupe::is_instance(value, *type) ? std::optional<IValue>(value) : std::nullopt;
    }
}

IValue ScriptCompiler::to_python(const IValue& value) {
    check_stack();
    if (value.is_list()) {
        std::vector<IValue> elements;
        for (const IValue& element : value.to_list().elements) elements.push_back(to_python(element));
        return make_list(std::move(elements));
    }
    if (value.is_tuple()) {
        std::vector<IValue> elements;
        for (const IValue& element : value.to_tuple().elements) elements.push_back(to_python(element));
        const TypePtr& type = value.to_tuple().type;
        const ClassPtr cls = type ? class_behind(*type) : nullptr;
        return IValue(make_ptr<TupleObject>(std::move(elements), cls ? cls->tuple_type : type));
    }
    if (value.is_dict()) {
        const auto out = make_dict();
        for (const auto& [key, element] : value.to_dict().entries()) out->set(to_python(key), to_python(element));
        return out;
    }
    if (value.is_enum()) {
        if (const ClassPtr cls = class_behind(*value.to_enum().type)) {
            if (auto member = cls->find_attribute(value.to_enum().name)) return *member;
        }
    }
    return value;
}

// --- classes ---

TypePtr ScriptCompiler::class_type(ClassObject& cls) {
    if (const auto found = classes_.find(&cls); found != classes_.end()) return found->second;
    if (cls.tuple_type) {
        if (const TypePtr type = library_->find_type(cls.module(), cls.name())) {  // PackedSequence
            classes_by_type_[type.get()] = ClassPtr(&cls);
            return type;
        }
    }
    const bool is_interface = cls.attributes().find("__torch_script_interface__") != nullptr;
    if (cls.is_builtin() || (cls.is_subclass_of(*nn_module_class()) && !is_interface)) return nullptr;
    kept_.push_back(IValue::other(Ptr<RefCounted>(&cls)));
    return define_class(cls);
}

TypePtr ScriptCompiler::define_class(ClassObject& cls) {
    if (cls.attributes().find("__torch_script_interface__") != nullptr) return define_interface(cls);
    if (cls.tuple_type) return define_named_tuple(cls);
    if (cls.find("_member_map_") != nullptr) return define_enum(cls);
    return define_plain_class(cls);
}

TypePtr ScriptCompiler::define_named_tuple(ClassObject& cls) {
    const auto& fields = cls.tuple_type->as<TupleType>()->fields();
    const IValue* annotations = cls.find("__annotations__");
    std::vector<TypePtr> elements;
    for (const std::string& field : fields) {
        const IValue* written = annotations != nullptr ? find_key(annotations->to_dict(), IValue(field)) : nullptr;
        elements.push_back(written != nullptr ? annotated_type(*written) : types::tensor());
        if (!elements.back()) {
            throw Error(ErrorKind::Compile,
                        concat("Unknown type annotation: '", repr(*written), "' in NamedTuple ", cls.name()));
        }
    }
    const TypePtr type =
        types::named_tuple(unit_->mangle(qualified_name(cls.module(), cls.name())), fields, std::move(elements));
    unit_->add_type(type);
    classes_[&cls] = type;
    classes_by_type_[type.get()] = ClassPtr(&cls);
    return type;
}

TypePtr ScriptCompiler::define_enum(ClassObject& cls) {
    std::vector<std::pair<std::string, IValue>> values;
    TypePtr value_type;
    for (const auto& [name, member] : cls.find("_member_map_")->to_dict().entries()) {
        const IValue value = get_attribute(member, "value");
        const InferredType inferred = inferred_type(value);
        if (!inferred.type) throw Error(ErrorKind::Compile, inferred.reason);
        if (value_type && !value_type->equals(*inferred.type)) {
            throw Error(ErrorKind::Compile, concat("Could not unify type list for enum '", cls.name(), "'"));
        }
        value_type = inferred.type;
        values.emplace_back(name.to_string(), *to_script(value, inferred.type));
    }
    if (values.empty()) throw Error(ErrorKind::Compile, concat("No enum values defined for: '", cls.name(), "'"));
    const TypePtr type = make_ptr<const EnumType>(unit_->mangle(qualified_name(cls.module(), cls.name())), value_type,
                                                  std::move(values));
    unit_->add_type(type);
    classes_[&cls] = type;
    classes_by_type_[type.get()] = ClassPtr(&cls);
    return type;
}

TypePtr ScriptCompiler::define_interface(ClassObject& cls) {
    const bool is_module = cls.is_subclass_of(*nn_module_class());
    auto type = make_ptr<InterfaceType>(unit_->mangle(qualified_name(cls.module(), cls.name())), is_module);
    for (const auto& [name, value] : cls.attributes().entries()) {
        FunctionObject* method = source_function(value);
        if (method == nullptr) continue;
        FunctionSchema schema = declared_schema(*method);
        schema.name = name;
        if (!schema.arguments.empty()) schema.arguments.front().type = types::any();
        if (schema.returns.empty()) {
            throw Error(ErrorKind::Compile,
                        concat("interface declarations must have a return type annotated: ", cls.name(), ".", name));
        }
        type->methods.push_back(std::make_shared<const FunctionSchema>(std::move(schema)));
    }
    unit_->add_type(type);
    classes_[&cls] = type;
    classes_by_type_[type.get()] = ClassPtr(&cls);
    return type;
}

TypePtr ScriptCompiler::define_plain_class(ClassObject& cls) {
    if (cls.bases().size() > 1 || (cls.bases().size() == 1 && cls.bases().front() != builtin_classes().object))
        return nullptr;
    const std::string name = unit_->mangle(qualified_name(cls.module(), cls.name()));
    const auto type = make_ptr<ClassType>(name, false);
    unit_->add_type(type);
    classes_[&cls] = type;
    classes_by_type_[type.get()] = ClassPtr(&cls);
    defining_.push_back(&cls);
    struct Ending {
        std::vector<ClassObject*>& defining;
        ~Ending() { defining.pop_back(); }
    } const ending{defining_};
    for (const auto& [attribute, value] : cls.attributes().entries()) {
        const auto add = [&](const IValue& code, const std::string& method) {
            FunctionObject* function = source_function(code);
            if (function == nullptr || script_mark(code) == ScriptMark::Ignore) return;
            unit_->add_method(*type, make_method(*function, concat(name, ".", method), type));
        };
        if (const auto* property = object_as<Property>(value)) {
            add(property->getter, script::getter_name(attribute));
            add(property->setter, script::setter_name(attribute));
        } else if (const auto* wrapper = object_as<MethodWrapper>(value)) {
            FunctionObject* code = source_function(value);
            if (code == nullptr || wrapper->kind != MethodWrapper::Kind::Static) continue;
            unit_->add_alias(concat(name, ".", attribute), function(*code));
        } else {
            add(value, attribute);
        }
    }
    // What attributes it has, its __init__ says.
    if (const auto* init = unit_->find_function(name + ".__init__")) init->graph();
    for (const auto& [method, function] : type->methods()) static_cast<const ir::ScriptFunction*>(function)->graph();
    return type;
}

}  // namespace loupe::python
