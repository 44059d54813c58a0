// SPDX-License-Identifier: Apache-2.0
// Named tuples, and the classes of typing that a class statement knows.
#include <algorithm>

#include "core/base/strings.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"

namespace loupe::python {
namespace {

// NamedTuple("Point", [("x", int), ("y", int)]).
IValue named_tuple_call(const CallArguments& a) {
    std::vector<std::string> fields;
    if (a.positional.size() > 1) {
        for_each(a.positional[1], [&](const IValue& field) {
            fields.push_back(str(get_item(field, IValue(0))));
            return true;
        });
    }
    for (const auto& [name, type] : a.keywords) fields.push_back(name);
    return IValue::other(make_named_tuple_class(str(a.positional.at(0)), "__main__", fields, {}));
}

// Field values from the arguments of a named tuple's class.
std::vector<IValue> bind_fields(const std::string& name, const std::vector<std::string>& fields,
                                const std::vector<IValue>& defaults, CallArguments& a) {
    std::vector<IValue> values(fields.size());
    std::vector<bool> is_given(fields.size());
    if (a.positional.size() > fields.size()) {
        throw_type_error(concat(name, ".__new__() takes ", fields.size() + 1, " positional arguments but ",
                                a.positional.size() + 1, " were given"));
    }
    for (std::size_t i = 0; i < a.positional.size(); ++i) {
        values[i] = a.positional[i];
        is_given[i] = true;
    }
    for (auto& [keyword, value] : a.keywords) {
        std::size_t index = 0;
        while (index < fields.size() && fields[index] != keyword) ++index;
        if (index == fields.size()) {
            throw_type_error(concat(name, ".__new__() got an unexpected keyword argument '", keyword, "'"));
        }
        if (is_given[index])
            throw_type_error(concat(name, ".__new__() got multiple values for argument '", keyword, "'"));
        values[index] = std::move(value);
        is_given[index] = true;
    }
    std::vector<std::string> missing;
    const std::size_t first_default = fields.size() - std::min(defaults.size(), fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (is_given[i]) continue;
        if (i >= first_default)
            values[i] = defaults[i - first_default];
        else
            missing.push_back(concat("'", fields[i], "'"));
    }
    if (!missing.empty()) {
        std::string listed = missing.back();
        if (missing.size() == 2) listed = concat(missing[0], " and ", missing[1]);
        if (missing.size() > 2) {
            missing.back() = concat("and ", missing.back());
            listed = join(missing, ", ");
        }
        throw_type_error(concat(name, ".__new__() missing ", missing.size(), " required positional argument",
                                missing.size() == 1 ? "" : "s", ": ", listed));
    }
    return values;
}

// cls.__new__: makes one, and holds the defaults of the last fields.
class NamedTupleMaker final : public PythonObject {
  public:
    explicit NamedTupleMaker(ClassPtr cls) : cls_(std::move(cls)) {}
    std::string type_name() const override { return "builtin_function_or_method"; }
    std::optional<IValue> find_attribute(std::string_view name) override {
        if (name != "__defaults__") return PythonObject::find_attribute(name);
        const IValue* given = cls_->attributes().find("__new_defaults__");
        return given != nullptr ? *given : IValue();
    }
    void set_attribute(std::string_view name, IValue value) override {
        if (name != "__defaults__") return PythonObject::set_attribute(name, std::move(value));
        cls_->attributes().set("__new_defaults__", value.is_none() ? make_tuple({}) : std::move(value));
    }
    IValue call(CallArguments arguments) override {
        if (arguments.positional.empty()) throw_type_error("__new__() missing 1 required positional argument: '_cls'");
        auto* cls = object_as<ClassObject>(arguments.positional.front());
        if (cls == nullptr) throw_type_error("__new__(X): X is not a type object");
        arguments.positional.erase(arguments.positional.begin());
        return cls->make_instance()(*cls, arguments).instance;
    }

  private:
    const ClassPtr cls_;
};

void define_field_methods(ClassObject& cls, const std::vector<std::string>& fields) {
    cls.define("_asdict", [fields](CallArguments a) {
        auto dict = make_dict();
        const auto& values = a.positional.at(0).to_tuple().elements;
        for (std::size_t i = 0; i < fields.size(); ++i) dict->set(IValue(fields[i]), values[i]);
        return IValue(dict);
    });
    cls.define("_replace", [fields](CallArguments a) {
        const TupleObject& old = a.positional.at(0).to_tuple();
        std::vector<IValue> values = old.elements;
        for (auto& [keyword, value] : a.keywords) {
            std::size_t index = 0;
            while (index < fields.size() && fields[index] != keyword) ++index;
            if (index == fields.size()) throw_value_error(concat("Got unexpected field names: ['", keyword, "']"));
            values[index] = std::move(value);
        }
        return IValue(make_ptr<TupleObject>(std::move(values), old.type));
    });
    cls.define_class_method("_make", [](CallArguments a) {
        check_positional(a, "_make", 2, 2);
        return call(a.positional[0], to_vector(a.positional[1]));
    });
}

}  // namespace

ClassPtr typing_base(std::string name) {
    const EvaluatorScope outside(nullptr);
    auto cls = make_ptr<ClassObject>(std::move(name), "typing", std::vector<ClassPtr>{builtin_classes().object});
    cls->attributes().set("__is_typing_base__", IValue(true));
    cls->define_class_method("__class_getitem__", [](CallArguments a) { return a.positional.at(0); });
    cls->set_builtin(nullptr);
    return cls;
}

const ClassPtr& named_tuple_base() {
    static const ClassPtr cls = [] {
        const EvaluatorScope outside(nullptr);
        auto made = make_ptr<ClassObject>("NamedTuple", "typing", std::vector<ClassPtr>{builtin_classes().object});
        made->set_builtin([](ClassObject&, CallArguments& a) { return ClassObject::Made{named_tuple_call(a), true}; });
        return made;
    }();
    return cls;
}

const ClassPtr& generic_base() {
    static const ClassPtr cls = typing_base("Generic");
    return cls;
}

IValue typing_variable(std::string_view name) {
    auto object = make_ptr<TypingObject>();
    object->name = concat("~", name);
    return IValue::other(object);
}

ClassPtr make_named_tuple_class(const std::string& name, const std::string& module,
                                const std::vector<std::string>& fields, std::vector<IValue> defaults,
                                const AttributeMap& names) {
    ClassParts parts;
    parts.name = parts.qualified_name = name;
    parts.module = module;
    parts.bases = {IValue::other(builtin_classes().tuple)};
    const ClassPtr cls = make_class(std::move(parts), nullptr);
    std::vector<IValue> field_names;
    auto default_values = make_dict();
    const std::size_t first_default = fields.size() - std::min(defaults.size(), fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
        field_names.emplace_back(fields[i]);
        cls->define_property(fields[i], [i](const IValue& self) { return self.to_tuple().elements.at(i); });
        if (i >= first_default) default_values->set(IValue(fields[i]), defaults[i - first_default]);
    }
    define_field_methods(*cls, fields);
    for (const auto& [key, value] : names.entries()) {
        const bool is_field = std::find(fields.begin(), fields.end(), key) != fields.end();
        if (!is_field) cls->attributes().set(key, value);
    }
    cls->attributes().set("_fields", make_tuple(std::move(field_names)));
    cls->attributes().set("_field_defaults", IValue(default_values));
    std::vector<TypePtr> types_of_fields(fields.size(), types::any());
    const TypePtr type = make_ptr<TupleType>(std::move(types_of_fields), name, fields);
    if (Evaluator* evaluator = Evaluator::current()) {
        evaluator->state().tuple_classes.erase(cls->tuple_type.get());
        evaluator->state().tuple_classes.emplace(type.get(), cls);
    }
    cls->tuple_type = type;
    cls->set_instance_maker([name, fields, defaults = std::move(defaults)](ClassObject& made, CallArguments& a) {
        // A program may have given them behind its back: Point.__new__.__defaults__ = (None,) * 2.
        const IValue* given = made.find("__new_defaults__");
        return ClassObject::Made{
            make_ptr<TupleObject>(bind_fields(name, fields, given ? to_vector(*given) : defaults, a), made.tuple_type),
            false};
    });
    cls->attributes().set("__new__", IValue::other(make_ptr<NamedTupleMaker>(cls)));
    return cls;
}

}  // namespace loupe::python
