// SPDX-License-Identifier: Apache-2.0
// A module in a graph: attributes, methods, constants, and the modules of a container.
#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/script/script_functions.h"
#include "core/python/script/script_modules.h"
#include "core/python/torch/nn_module.h"
#include "core/script/error.h"
#include "core/script/schema_matching.h"

namespace loupe::python {
namespace {

using script::Builder;
using script::NamedValues;
using script::Range;
using script::simple;
using script::Sugared;
using script::SugaredPtr;
using script::SugaredTuple;

class ModuleValue final : public Sugared {
  public:
    ModuleValue(ScriptModules& modules, const ModuleClass& cls, ir::Value* value)
        : modules_(modules), cls_(cls), value_(value) {}

    std::string describe() const override { return "module"; }
    ir::Value* as_value(Builder&, Range) override { return value_; }

    SugaredPtr attribute(Builder& builder, std::string_view name, Range range) override {
        if (SugaredPtr found = find(builder, name, range)) return found;
        const auto reason = cls_.failed.find(name);
        builder.fail(concat("Module '", class_name(), "' has no attribute '", name, "' ",
                            reason != cls_.failed.end() ? reason->second : ""),
                     range);
    }
    bool has_attribute(Builder& builder, std::string_view name, Range) override {
        static_cast<void>(builder);
        return cls_.type->find_attribute(name).has_value() || cls_.type->find_method(name) != nullptr ||
               cls_.constant(name) != nullptr || cls_.functions.contains(name) ||
               (cls_.cls && cls_.cls->find(name) != nullptr);
    }
    void set_attribute(Builder& builder, std::string_view name, ir::Value* value, Range range) override {
        simple(value_)->set_attribute(builder, name, value, range);
    }
    SugaredPtr call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) override {
        const auto& pre_hooks = cls_.type->forward_pre_hooks();
        const auto& hooks = cls_.type->forward_hooks();
        const std::string_view forward = forward_for(builder, arguments, range);
        if (pre_hooks.empty() && hooks.empty())
            return attribute(builder, forward, range)->call(builder, arguments, keywords, range);
        std::vector<script::NamedValue> given(arguments.begin(), arguments.end());
        for (Function* hook : pre_hooks) {
            const SugaredPtr result = call_hook(builder, *hook, {input_tuple(builder, given)}, range);
            replace_inputs(builder, given, result->as_value(builder, range), range);
        }
        SugaredPtr output = attribute(builder, forward, range)->call(builder, given, keywords, range);
        for (Function* hook : hooks) {
            const SugaredPtr result =
                call_hook(builder, *hook, {input_tuple(builder, given), output->as_value(builder, range)}, range);
            if (result->as_value(builder, range)->type()->kind() != TypeKind::None) output = result;
        }
        return output;
    }

    std::vector<SugaredPtr> as_tuple(Builder& builder, Range range, std::optional<std::size_t>) override {
        return elements(builder, range);
    }
    SugaredPtr iterate(Builder& builder, Range range) override {
        if (cls_.container == ContainerKind::Dict || cls_.container == ContainerKind::ParameterDict)
            return keys(builder, range);
        return make_ptr<SugaredTuple>(elements(builder, range));
    }
    ir::Value* length(Builder& builder, Range range) override {
        return builder.constant(IValue(static_cast<std::int64_t>(elements(builder, range).size())), range);
    }
    SugaredPtr item(Builder& builder, ir::Value* index, Range range) override {
        const auto constant = ir::constant_of(index);
        if (cls_.container == ContainerKind::Dict && constant && constant->is_string()) {
            if (cls_.child(constant->to_string()) == nullptr) {
                builder.fail(concat("Key Error, ", constant->to_string()), range);
            }
            return child(builder, constant->to_string());
        }
        if (cls_.container == ContainerKind::None &&
            modules_.add_method(const_cast<ModuleClass&>(cls_), "__getitem__")) {
            const script::NamedValue argument{range, {}, index};
            return attribute(builder, "__getitem__", range)->call(builder, {&argument, 1}, {}, range);
        }
        return make_ptr<SugaredTuple>(elements(builder, range))->item(builder, index, range);
    }
    SugaredPtr item_of_type(Builder& builder, ir::Value* index, const TypePtr& type, Range range) override {
        if (cls_.container != ContainerKind::None) {
            if (SugaredPtr found = script::module_of_interface(builder, value_, index, type, range)) return found;
        }
        return item(builder, index, range);
    }
    std::optional<std::int64_t> static_length() const override {
        if (cls_.container == ContainerKind::None) return std::nullopt;
        return static_cast<std::int64_t>(names().size());
    }

  private:
    static ir::Value* input_tuple(Builder& builder, const std::vector<script::NamedValue>& inputs) {
        std::vector<ir::Value*> values;
        for (const script::NamedValue& input : inputs) values.push_back(input.value);
        return builder.tuple(values);
    }
    SugaredPtr call_hook(Builder& builder, Function& hook, std::vector<ir::Value*> values, Range range) {
        std::vector<script::NamedValue> given = {{range, {}, value_}};
        for (ir::Value* value : values) given.push_back({range, {}, value});
        return script::FunctionValue(hook).call(builder, given, {}, range);
    }
    static void replace_inputs(Builder& builder, std::vector<script::NamedValue>& inputs, ir::Value* result,
                               Range range) {
        if (result->type()->kind() == TypeKind::None) return;
        inputs.clear();
        if (result->type()->kind() != TypeKind::Tuple) {
            inputs.push_back({range, {}, result});
            return;
        }
        for (ir::Value* value : builder.unpack_tuple(result)) inputs.push_back({range, {}, value});
    }

    // A recurrent layer has one for packed sequences too.
    std::string_view forward_for(Builder& builder, NamedValues arguments, Range range) {
        constexpr std::string_view kPacked = "forward__1";
        const bool is_packed =
            !arguments.empty() && arguments[0].value->type()->name().ends_with("torch.nn.utils.rnn.PackedSequence");
        const bool is_layer = is_packed && cls_.cls && cls_.cls->is_builtin();
        if (!is_layer) return "forward";
        if (cls_.type->find_method(kPacked) == nullptr) add_method(builder, kPacked, range);
        return cls_.type->find_method(kPacked) != nullptr ? kPacked : "forward";
    }

    std::string class_name() const {
        const std::string& name = cls_.type->name();
        return name.substr(name.rfind('.') + 1);
    }

    SugaredPtr find(Builder& builder, std::string_view name, Range range) {
        if (cls_.child(name) != nullptr) return child(builder, name);
        if (cls_.type->find_attribute(name)) return simple(value_)->attribute(builder, name, range);
        if (SugaredPtr special = container_method(builder, name, range)) return special;
        if (name == "_flat_weights" && cls_.example) return flat_weights(builder, range);
        if (const IValue* constant = cls_.constant(name)) return simple(builder.constant(*constant, range));
        if (const auto function = cls_.functions.find(name); function != cls_.functions.end()) {
            return modules_.compiler().sugared(function->second, name, false);
        }
        if (cls_.type->find_method(name) == nullptr) {
            if (SugaredPtr outside = external(name)) return outside;
            add_method(builder, name, range);
        }
        if (cls_.type->find_method(name) != nullptr || cls_.type->find_method(script::getter_name(name)) != nullptr) {
            return simple(value_)->attribute(builder, name, range);
        }
        return class_attribute(name);
    }

    void add_method(Builder& builder, std::string_view name, Range range) {
        if (!modules_.add_method(const_cast<ModuleClass&>(cls_), name)) return;
        try {
            static_cast<const ir::ScriptFunction*>(cls_.type->find_method(name))->graph();
        } catch (const script::CompileError& error) {
            throw error.called_from(concat(class_name(), ".", name), builder.function_name(), builder.place(range));
        }
    }

    // All weights of a recurrent layer, in the order in which the operator takes them.
    SugaredPtr flat_weights(Builder& builder, Range range) {
        std::vector<ir::Value*> weights;
        for (const IValue& name : cls_.example->attribute("_flat_weights_names").to_list().elements) {
            weights.push_back(attribute(builder, name.to_string(), range)->as_value(builder, range));
        }
        return simple(builder.list(types::tensor(), weights));
    }

    // Methods that stay in the program.
    SugaredPtr external(std::string_view name) {
        const IValue* found = cls_.cls ? cls_.cls->find(name) : nullptr;
        if (found == nullptr) return nullptr;
        const ScriptMark mark = script_mark(*found);
        if (mark != ScriptMark::Ignore && mark != ScriptMark::Unused) return nullptr;
        return external_method(modules_.compiler(), IValue(Ptr<Object>(cls_.example)), *source_function(*found));
    }

    // A static method, or a constant of the class.
    SugaredPtr class_attribute(std::string_view name) {
        const IValue* found = cls_.cls ? cls_.cls->find(name) : nullptr;
        if (found == nullptr) return nullptr;
        if (const auto* wrapper = object_as<MethodWrapper>(*found))
            return modules_.compiler().sugared(wrapper->function, name, false);
        if (found->is_other() && object_as<ClassObject>(*found) == nullptr) return nullptr;
        return modules_.compiler().sugared(*found, name, true);
    }

    SugaredPtr child(Builder& builder, std::string_view name) {
        const ModuleClass& cls = *cls_.child(name);
        const TypePtr& type = cls_.type->attributes()[*cls_.type->find_attribute(name)].type;
        ir::Value* value = builder.get_attribute(value_, std::string(name), type);
        if (type->kind() == TypeKind::Interface) return simple(value);
        return module_value(modules_, cls, value);
    }

    std::vector<std::string> names() const {
        std::vector<std::string> out;
        const bool holds_parameters =
            cls_.container == ContainerKind::Parameters || cls_.container == ContainerKind::ParameterDict;
        for (const auto& attribute : cls_.type->attributes()) {
            const AttributeKind wanted = holds_parameters ? AttributeKind::Parameter : AttributeKind::Module;
            if (attribute.kind == wanted) out.push_back(attribute.name);
        }
        return out;
    }

    std::vector<SugaredPtr> elements(Builder& builder, Range range) {
        if (cls_.container == ContainerKind::None && cls_.cls)
            builder.fail(
                "Only constant Sequential, ModuleList, ModuleDict, or ParameterList can be used as an iterable", range);
        std::vector<SugaredPtr> out;
        for (const std::string& name : names()) {
            out.push_back(cls_.child(name) != nullptr ? child(builder, name)
                                                      : simple(value_)->attribute(builder, name, range));
        }
        return out;
    }

    SugaredPtr keys(Builder& builder, Range range) {
        std::vector<SugaredPtr> out;
        for (const std::string& name : names()) out.push_back(simple(builder.constant(IValue(name), range)));
        return make_ptr<SugaredTuple>(std::move(out));
    }

    // items(), keys(), values() of dicts; children() and named_children() of all: what they give can only be iterated
    // over.
    SugaredPtr container_method(Builder& builder, std::string_view name, Range range);

    ScriptModules& modules_;
    const ModuleClass& cls_;
    ir::Value* value_;
};

// Gives the same whenever it is called.
class GivingMethod final : public Sugared {
  public:
    explicit GivingMethod(SugaredPtr result) : result_(std::move(result)) {}
    std::string describe() const override { return "method"; }
    SugaredPtr call(Builder&, NamedValues, NamedValues, Range) override { return result_; }

  private:
    SugaredPtr result_;
};

SugaredPtr ModuleValue::container_method(Builder& builder, std::string_view name, Range range) {
    const bool is_dict = cls_.container == ContainerKind::Dict || cls_.container == ContainerKind::ParameterDict;
    const bool is_named = (is_dict && name == "items") || name == "named_children";
    const bool is_values = (is_dict && name == "values") || name == "children";
    if (is_dict && name == "keys") return make_ptr<GivingMethod>(keys(builder, range));
    if (!is_named && !is_values) return nullptr;
    std::vector<SugaredPtr> out;
    for (const std::string& each : names()) {
        SugaredPtr value =
            cls_.child(each) != nullptr ? child(builder, each) : simple(value_)->attribute(builder, each, range);
        if (is_values) {
            out.push_back(std::move(value));
            continue;
        }
        std::vector<SugaredPtr> pair = {simple(builder.constant(IValue(each), range)), std::move(value)};
        out.push_back(make_ptr<SugaredTuple>(std::move(pair)));
    }
    return make_ptr<GivingMethod>(make_ptr<SugaredTuple>(std::move(out)));
}

}  // namespace

SugaredPtr module_value(ScriptModules& modules, const ModuleClass& cls, ir::Value* value) {
    return make_ptr<ModuleValue>(modules, cls, value);
}

}  // namespace loupe::python
