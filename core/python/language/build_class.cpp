// SPDX-License-Identifier: Apache-2.0
// Making classes and their instances; the class statement; named tuples.
#include <algorithm>

#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/missing_name.h"
#include "core/python/language/runner.h"

namespace loupe::python {
namespace {

bool is_abstract(const IValue& attribute) {
    if (!attribute.is_other()) return false;
    if (const auto* property = object_as<Property>(attribute)) return is_abstract(property->getter);
    if (const auto* wrapper = object_as<MethodWrapper>(attribute)) return is_abstract(wrapper->function);
    const auto* function = object_as<FunctionObject>(attribute);
    const IValue* mark = function != nullptr ? function->attributes.find("__isabstractmethod__") : nullptr;
    return mark != nullptr && truth(*mark);
}

// Methods that are still abstract, from the class and its bases.
std::vector<std::string> abstract_methods(const ClassObject& cls) {
    std::vector<std::string> names;
    for (const ClassObject* base : cls.mro()) {
        if (base->is_builtin()) continue;
        for (const auto& [name, value] : base->attributes().entries()) {
            const IValue* found = cls.find(name);
            const bool is_known = std::find(names.begin(), names.end(), name) != names.end();
            if (!is_known && found != nullptr && is_abstract(*found)) names.push_back(name);
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

bool uses_abc(const ClassObject& cls) {
    return std::any_of(cls.mro().begin(), cls.mro().end(), [](const ClassObject* base) {
        return base->metaclass() && base->metaclass()->find("__is_abc_meta__") != nullptr;
    });
}

void check_abstract(const ClassObject& cls) {
    if (!uses_abc(cls)) return;
    const auto names = abstract_methods(cls);
    if (names.empty()) return;
    throw_type_error(concat("Can't instantiate abstract class ", cls.name(), " with abstract method",
                            names.size() == 1 ? " " : "s ", join(names, ", ")));
}

// Classes that stand for the bases as written; List[int] stands for list.
std::vector<ClassPtr> resolve_bases(const std::vector<IValue>& written) {
    std::vector<ClassPtr> bases;
    for (const IValue& base : written) {
        if (auto* cls = object_as<ClassObject>(base)) {
            bases.emplace_back(cls);
        } else if (auto* alias = object_as<TypingObject>(base)) {
            const bool is_known = std::find(bases.begin(), bases.end(), alias->origin) != bases.end();
            if (alias->origin && !is_known) bases.push_back(alias->origin);
        } else {
            throw_type_error(concat("bases must be classes, not '", type_name(base), "' objects"));
        }
    }
    // class A(Generic[T], Base): what stands for typing only goes last.
    const auto is_plain = [](const ClassPtr& cls) { return cls->find("__is_typing_base__") == nullptr; };
    std::stable_partition(bases.begin(), bases.end(), is_plain);
    if (bases.empty()) bases.push_back(builtin_classes().object);
    return bases;
}

ClassPtr find_metaclass(const ClassParts& parts, const std::vector<ClassPtr>& bases) {
    for (const auto& [name, value] : parts.keywords) {
        if (name != "metaclass") continue;
        if (auto* cls = object_as<ClassObject>(value)) return ClassPtr(cls);
        throw_type_error("a metaclass must be a class");
    }
    ClassPtr found;
    for (const ClassPtr& base : bases) {
        const ClassPtr meta = base->metaclass();
        if (!meta || (found && found->is_subclass_of(*meta))) continue;
        if (found && !meta->is_subclass_of(*found)) {
            throw_type_error(
                "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the "
                "metaclasses of all its bases");
        }
        found = meta;
    }
    return found;
}

void wrap_implicit(AttributeMap& names, std::string_view name, MethodWrapper::Kind kind) {
    const IValue* found = names.find(name);
    if (found == nullptr || object_as<FunctionObject>(*found) == nullptr) return;
    IValue wrapper = IValue::other(make_ptr<MethodWrapper>(kind, *found));
    names.set(name, std::move(wrapper));
}

// A class derived from tuple gives its tuples a type of its own.
void add_tuple_type(ClassObject& cls) {
    const auto& mro = cls.mro();
    if (std::find(mro.begin(), mro.end(), builtin_classes().tuple.get()) == mro.end()) return;
    std::vector<std::string> fields;
    for (const ClassObject* base : mro) {
        if (base->tuple_type && fields.empty()) fields = base->tuple_type->as<TupleType>()->fields();
    }
    std::vector<TypePtr> elements(fields.size(), types::any());
    cls.tuple_type = make_ptr<TupleType>(std::move(elements), cls.name(), std::move(fields));
    if (Evaluator* evaluator = Evaluator::current()) {
        evaluator->state().tuple_classes.emplace(cls.tuple_type.get(), ClassPtr(&cls));
    }
}

void tell_bases(ClassObject& cls, const ClassParts& parts) {
    const IValue self = IValue::other(Ptr<RefCounted>(&cls));
    const auto entries = cls.attributes().entries();
    for (const auto& [name, value] : entries) {
        const auto* instance = object_as<Instance>(value);
        if (instance == nullptr || instance->cls()->find("__set_name__") == nullptr) continue;
        call_special(*instance->cls(), "__set_name__", value, {self, IValue(name)});
    }
    CallArguments arguments;
    for (const auto& keyword : parts.keywords) {
        if (keyword.first != "metaclass") arguments.keywords.push_back(keyword);
    }
    if (const IValue* hook = cls.find_after(cls, "__init_subclass__")) {
        call(bind_attribute(*hook, nullptr, ClassPtr(&cls)), std::move(arguments));
    } else if (!arguments.keywords.empty()) {
        throw_type_error(concat(cls.name(), ".__init_subclass__() takes no keyword arguments"));
    }
}

}  // namespace

ClassPtr make_class(ClassParts parts, ClassPtr metaclass) {
    std::vector<ClassPtr> bases = resolve_bases(parts.bases);
    for (const ClassPtr& base : bases) {
        const bool is_final = base == builtin_classes().boolean || base == builtin_classes().none ||
                              base == builtin_classes().function || base == builtin_classes().range;
        if (is_final) throw_type_error(concat("type '", base->name(), "' is not an acceptable base type"));
    }
    wrap_implicit(parts.names, "__new__", MethodWrapper::Kind::Static);
    wrap_implicit(parts.names, "__init_subclass__", MethodWrapper::Kind::Class);
    wrap_implicit(parts.names, "__class_getitem__", MethodWrapper::Kind::Class);
    if (parts.names.find("__eq__") != nullptr && parts.names.find("__hash__") == nullptr) {
        parts.names.set("__hash__", IValue());
    }
    if (parts.names.find("__module__") == nullptr) parts.names.set("__module__", IValue(parts.module));
    parts.names.set("__qualname__", IValue(parts.qualified_name));
    auto cls = make_ptr<ClassObject>(parts.name, parts.module, std::move(bases), std::move(parts.names));
    cls->set_metaclass(std::move(metaclass));
    add_tuple_type(*cls);
    tell_bases(*cls, parts);
    return cls;
}

IValue build_class(ClassParts parts, const std::function<void(const IValue& cls)>& made) {
    const bool is_named_tuple =
        parts.bases.size() == 1 && object_as<ClassObject>(parts.bases[0]) == named_tuple_base().get();
    for (const IValue& base : parts.bases) {
        if (const auto* missing = object_as<MissingName>(base))
            return IValue::other(missing->derived(parts.name, "derived from"));
    }
    IValue result;
    if (is_named_tuple) {
        std::vector<std::string> fields;
        std::vector<IValue> defaults;
        if (const IValue* annotations = parts.names.find("__annotations__")) {
            for (const auto& [name, type] : annotations->to_dict().entries()) {
                fields.push_back(name.to_string());
                if (const IValue* value = parts.names.find(fields.back())) {
                    defaults.push_back(*value);
                } else if (!defaults.empty()) {
                    throw_type_error(
                        concat("non-default namedtuple field ", fields.back(), " cannot follow default field"));
                }
            }
        }
        result =
            IValue::other(make_named_tuple_class(parts.name, parts.module, fields, std::move(defaults), parts.names));
        if (made) made(result);
        return result;
    }
    const std::vector<ClassPtr> bases = resolve_bases(parts.bases);
    const ClassPtr metaclass = find_metaclass(parts, bases);
    if (!metaclass || metaclass->is_builtin()) {
        // The cell is filled before __init_subclass__ and __set_name__ may call methods with super().
        result = IValue::other(make_class(std::move(parts), metaclass));
        if (made) made(result);
        return result;
    }
    auto names = make_dict();
    for (const auto& [name, value] : parts.names.entries()) names->set(IValue(name), value);
    if (names->find(IValue("__module__")) == nullptr) names->set(IValue("__module__"), IValue(parts.module));
    names->set(IValue("__qualname__"), IValue(parts.qualified_name));
    std::vector<IValue> base_values;
    for (const ClassPtr& base : bases) base_values.push_back(IValue::other(base));
    CallArguments arguments;
    arguments.positional = {IValue(parts.name), make_tuple(std::move(base_values)), IValue(names)};
    for (const auto& keyword : parts.keywords) {
        if (keyword.first != "metaclass") arguments.keywords.push_back(keyword);
    }
    result = call(IValue::other(metaclass), std::move(arguments));
    if (made) made(result);
    return result;
}

// T of `class A[T]:` is bound while the class is made; a variable of that name has its value again afterwards.
class Runner::TypeParamScope {
  public:
    TypeParamScope(Runner& runner, std::span<const script::TypeParam> params) : runner_(runner), params_(params) {
        for (const script::TypeParam& param : params) {
            before_.push_back(runner.bound_value(param.index, param.name));
            runner.bind_name(param.index, param.name, typing_variable(param.name));
        }
    }
    TypeParamScope(const TypeParamScope&) = delete;
    TypeParamScope& operator=(const TypeParamScope&) = delete;
    ~TypeParamScope() {
        for (std::size_t i = 0; i < params_.size(); ++i) {
            if (!is_unbound(before_[i])) runner_.bind_name(params_[i].index, params_[i].name, std::move(before_[i]));
        }
    }

  private:
    Runner& runner_;
    std::span<const script::TypeParam> params_;
    std::vector<IValue> before_;
};

void Runner::run_class(const script::Class& s) {
    std::vector<IValue> decorators;
    for (const script::Expr* decorator : s.decorators) decorators.push_back(evaluate_decorator(decorator));
    ClassParts parts;
    const Code& code = frame_.unit.code_of(&s);
    parts.name = code.name;
    parts.qualified_name = code.qualified_name;
    parts.module = frame_.unit.name;
    const TypeParamScope type_params(*this, s.type_params);
    parts.bases = evaluate_all(s.bases);
    const bool is_named_tuple =
        parts.bases.size() == 1 && object_as<ClassObject>(parts.bases[0]) == named_tuple_base().get();
    if (!s.type_params.empty() && !is_named_tuple) parts.bases.push_back(IValue::other(generic_base()));
    CallArguments keywords;
    for (const script::Keyword& keyword : s.keywords) {
        IValue value = evaluate(keyword.value);
        if (keyword.name.empty()) {
            spread_keywords(value, keywords);
        } else {
            keywords.keywords.emplace_back(keyword.name, std::move(value));
        }
    }
    parts.keywords = std::move(keywords.keywords);
    Frame body(frame_.unit, code);
    for (const std::uint32_t cell : code.captured) body.cells.push_back(frame_.cells[cell]);
    body.class_names = &parts.names;
    if (code.has_doc) parts.names.set("__doc__", IValue(code.doc));
    {
        check_stack();
        const FrameScope scope(body);
        run_body(body);
    }
    frame_.where = s.range;
    IValue cls = build_class(std::move(parts), [&](const IValue& made) {
        if (code.class_cell != Code::kNone) body.cells[code.class_cell]->value = made;
    });
    for (std::size_t i = decorators.size(); i-- > 0;) {
        frame_.where = s.decorators[i]->range;
        cls = decorate(decorators[i], s.name, std::move(cls));
    }
    bind_name(s.index, s.name, std::move(cls));
}

IValue instantiate(ClassObject& cls, CallArguments arguments) {
    const Ptr<ClassObject> keep(&cls);
    if (!cls.is_builtin()) check_abstract(cls);
    IValue instance;
    const IValue* maker = cls.find("__new__");
    const auto* written = maker != nullptr ? object_as<MethodWrapper>(*maker) : nullptr;
    if (written != nullptr && object_as<FunctionObject>(written->function) != nullptr) {
        CallArguments given = arguments;
        given.positional.insert(given.positional.begin(), IValue::other(keep));
        const IValue function = written->function;
        instance = call(function, std::move(given));
        if (!class_of(instance)->is_subclass_of(cls)) return instance;
    } else {
        ClassObject::Made made = cls.make_instance()(cls, arguments);
        if (made.is_complete) return std::move(made.instance);
        instance = std::move(made.instance);
    }
    const IValue* init = cls.find("__init__");
    if (init == nullptr) return instance;
    const IValue function = *init;
    arguments.positional.insert(arguments.positional.begin(), instance);
    const IValue result = call(function, std::move(arguments));
    if (!result.is_none()) throw_type_error(concat("__init__() should return None, not '", type_name(result), "'"));
    return instance;
}

}  // namespace loupe::python
