// SPDX-License-Identifier: Apache-2.0
#include "core/python/script/object_type.h"

#include "core/python/script/script_objects.h"
#include "core/python/torch/nn_module.h"
#include "core/python/torch/torch_nn.h"

namespace loupe::python {
namespace {

ClassPtr script_object_class() {
    static const ClassPtr cls = make_ptr<ClassObject>("ScriptObject", "torch", std::vector<ClassPtr>{});
    return cls;
}

class ObjectType final : public ForeignType {
  public:
    ClassPtr class_of(const IValue& object) const override {
        const ClassPtr cls = module_class(object);
        return cls ? cls : script_object_class();
    }
    ClassObject* dynamic_class(const IValue& object) const override { return module_class(object).get(); }

    std::optional<IValue> attribute(const IValue& object, std::string_view name) const override {
        if (const ClassPtr cls = module_class(object)) return find_module_attribute(object, *cls, name);
        auto found = script_object_attribute(object, name);
        return found ? found : find_class_attribute(object, name);
    }
    bool set_attribute(const IValue& object, std::string_view name, IValue value) const override {
        const ClassPtr cls = module_class(object);
        if (cls) set_module_attribute(object, *cls, name, std::move(value));
        return cls != nullptr;
    }
    bool delete_attribute(const IValue& object, std::string_view name) const override {
        const ClassPtr cls = module_class(object);
        if (cls) delete_module_attribute(object, *cls, name);
        return cls != nullptr;
    }

    bool is_callable(const IValue&) const override { return true; }
    std::optional<IValue> call(const IValue& object, CallArguments& arguments) const override {
        const ClassPtr cls = module_class(object);
        if (!cls) return std::nullopt;
        if (cls != script_module_class()) return call_module(object, *cls, std::move(arguments));
        arguments.positional.insert(arguments.positional.begin(), object);
        return python::call(*cls->find("__call__"), std::move(arguments));
    }

  private:
    // Null for objects that are no modules.
    static ClassPtr module_class(const IValue& object) {
        if (ClassPtr cls = module_class_of(object)) return cls;
        return nn::as_module(object) ? script_module_class() : nullptr;
    }
};

class CompiledValueType final : public ForeignType {
  public:
    ClassPtr class_of(const IValue&) const override { return script_object_class(); }
};

}  // namespace

const ForeignType& object_type() {
    static const ObjectType type;
    return type;
}

const ForeignType& compiled_value_type() {
    static const CompiledValueType type;
    return type;
}

}  // namespace loupe::python
