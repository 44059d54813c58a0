// SPDX-License-Identifier: Apache-2.0
// The module copy. It stands with torch: a copy of tensors, modules and optimisers shares what they share among each
// other and with the other values of the program.
#include <unordered_map>

#include "core/autograd/variable.h"
#include "core/base/strings.h"
#include "core/nn/deep_copy.h"
#include "core/python/language/arguments.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/frame.h"
#include "core/python/language/key_lookup.h"
#include "core/python/torch/nn_module.h"
#include "core/python/torch/pickling.h"
#include "core/python/torch/torch_module.h"

namespace loupe::python {
namespace {

// Copies by the tree of values; memo keeps what is shared shared.
class Copier {
  public:
    Copier() : modules_([this](const IValue& value) { return deep(value); }) {}
    IValue deep(const IValue& value) {
        check_stack();
        if (const auto found = memo_.find(key_of(value)); found != memo_.end()) return found->second;
        if (const ClassObject* cls = dynamic_class(value); cls != nullptr && object_as<ClassObject>(value) == nullptr) {
            if (auto made = call_special(*cls, "__deepcopy__", value, {IValue(make_dict())}))
                return remember(value, *made);
        }
        switch (value.tag()) {
            case IValue::Tag::List:
                return deep_list(value);
            case IValue::Tag::Dict:
                return deep_dict(value);
            case IValue::Tag::Tuple: {
                std::vector<IValue> parts;
                for (const IValue& element : value.to_tuple().elements) parts.push_back(deep(element));
                return remember(value, make_ptr<TupleObject>(std::move(parts), value.to_tuple().type));
            }
            case IValue::Tag::Tensor:
                return deep_tensor(value);
            case IValue::Tag::Object:
                return remember(value, copy_module(value));
            case IValue::Tag::Other:
                return deep_object(value);
            default:
                return value;
        }
    }

  private:
    static const void* key_of(const IValue& value) {
        const bool is_counted = value.is_list() || value.is_dict() || value.is_tuple() || value.is_tensor() ||
                                value.is_object() || value.is_other();
        return is_counted ? value.object_pointer() : nullptr;
    }
    // A module and the program's own values may hold the same one.
    IValue deep_tensor(const IValue& value) {
        if (const auto known = modules_.tensors.find(value.tensor_impl()); known != modules_.tensors.end())
            return known->second;
        const Tensor from = value.to_tensor();
        if (!is_leaf(from)) throw_error("RuntimeError", nn::non_leaf_copy_message());
        Tensor copy = call_method(IValue(detach(from)), "clone", {}).to_tensor();
        if (is_parameter(from))
            copy = make_parameter(copy, requires_grad(from));
        else if (requires_grad(from))
            loupe::set_requires_grad(copy, true);
        modules_.tensors.emplace(value.tensor_impl(), copy);
        if (const Tensor grad = grad_of(from); grad.defined() && !is_parameter(from))
            set_grad(copy, deep(grad).to_tensor());
        return remember(value, copy);
    }
    IValue remember(const IValue& value, IValue copy) {
        kept_.push_back(value);
        memo_.emplace(key_of(value), copy);
        return copy;
    }
    IValue deep_list(const IValue& value) {
        const ListObject& list = value.to_list();
        const IValue out = remember(value, make_ptr<ListObject>(list.element_type));
        if (const ContainerClass* mark = container_class(list)) {
            auto copied = make_ptr<ContainerClass>(mark->cls);
            copied->attributes = mark->attributes;
            out.to_list().element_type = copied;
        }
        for (std::size_t i = 0; i < list.elements.size(); ++i) out.to_list().elements.push_back(deep(list.elements[i]));
        return out;
    }
    IValue deep_dict(const IValue& value) {
        const DictObject& dict = value.to_dict();
        auto made = make_ptr<DictObject>(dict.key_type, dict.value_type);
        if (const ContainerClass* mark = container_class(dict)) {
            auto copied = make_ptr<ContainerClass>(mark->cls);
            copied->attributes = mark->attributes;
            made->value_type = copied;
        }
        const IValue out = remember(value, IValue(made));
        const auto entries = dict.entries();  // which a __deepcopy__ may change
        for (const auto& [key, held] : entries) {
            const IValue copied_key = deep(key);
            set_key(*made, copied_key, deep(held));
        }
        return out;
    }
    IValue deep_object(const IValue& value) {
        if (auto* set = object_as<SetObject>(value)) {
            auto out = make_ptr<SetObject>(set->is_frozen);
            for (const IValue& element : set->values()) out->add(deep(element));
            return IValue::other(out);
        }
        if (const auto* method = object_as<BoundMethod>(value)) {
            return remember(value, IValue::other(make_ptr<BoundMethod>(deep(method->self), method->function)));
        }
        auto* instance = object_as<Instance>(value);
        if (instance == nullptr || object_as<ExceptionObject>(value) != nullptr) return value;
        const ClassObject& cls = *instance->cls();
        for (const char* name : {"__reduce_ex__", "__reduce__"}) {
            if (has_method(cls, name)) return deep_reduced(value, name);
        }
        if (auto state = optimizer_state_to_pickle(value)) return deep_state(value, *state);
        if (auto state = scheduler_state_to_pickle(value)) return deep_state(value, *state);
        if (has_method(cls, "__getstate__")) return deep_state(value, call_method(value, "__getstate__", {}));
        if (cls.is_builtin()) return value;
        auto out = make_ptr<Instance>(instance->cls(), instance->payload);
        const IValue result = remember(value, IValue::other(out));
        if (has_method(cls, "__setstate__")) {
            set_object_state(result, deep(get_attribute(value, "__dict__")));
            return result;
        }
        for (const auto& [name, held] : instance->attributes.entries()) out->attributes.set(name, deep(held));
        return result;
    }
    static bool has_method(const ClassObject& cls, std::string_view name) {
        const IValue* found = cls.find(name);
        return found != nullptr && object_as<FunctionObject>(*found) != nullptr;
    }
    // An object of the same class with a copy of the state.
    IValue deep_state(const IValue& value, const IValue& state) {
        ClassObject& cls = *object_as<Instance>(value)->cls();
        kept_.push_back(state);
        CallArguments nothing;
        const IValue out = remember(value, cls.make_instance()(cls, nothing).instance);
        set_object_state(out, deep(state));
        return out;
    }
    // What __reduce__ gives, made again of copies.
    IValue deep_reduced(const IValue& value, const char* name) {
        CallArguments arguments;
        if (std::string_view(name) == "__reduce_ex__") arguments.positional.emplace_back(4);
        const IValue reduced = call_method(value, name, std::move(arguments));
        kept_.push_back(reduced);
        if (!reduced.is_tuple() || reduced.to_tuple().elements.size() < 2) return value;  // a name: the same everywhere
        const auto& parts = reduced.to_tuple().elements;
        const IValue out = remember(value, call(parts[0], to_vector(deep(parts[1]))));
        const auto part = [&](std::size_t i) { return i < parts.size() ? parts[i] : IValue(); };
        if (!part(2).is_none()) set_object_state(out, deep(part(2)));
        for (const IValue& element : part(3).is_none() ? std::vector<IValue>() : to_vector(part(3)))
            call_method(out, "append", {{deep(element)}, {}});
        for (const IValue& pair : part(4).is_none() ? std::vector<IValue>() : to_vector(part(4))) {
            const auto both = to_vector(pair);
            set_item(out, deep(both.at(0)), deep(both.at(1)));
        }
        return out;
    }
    std::unordered_map<const void*, IValue> memo_;
    std::vector<IValue> kept_;
    nn::DeepCopyScope modules_;
};

IValue shallow_copy(const IValue& value) {
    if (const ClassObject* cls = dynamic_class(value); cls != nullptr && object_as<ClassObject>(value) == nullptr) {
        if (auto made = call_special(*cls, "__copy__", value)) return *made;
    }
    if (value.is_list()) return make_ptr<ListObject>(value.to_list().element_type, value.to_list().elements);
    if (value.is_dict()) return call_method(value, "copy", {});
    if (auto* set = object_as<SetObject>(value)) return IValue::other(make_set(value, set->is_frozen));
    auto* instance = object_as<Instance>(value);
    if (instance == nullptr || object_as<ExceptionObject>(value) != nullptr) return value;
    auto out = make_ptr<Instance>(instance->cls(), instance->payload);
    out->attributes = instance->attributes;
    return IValue::other(out);
}

}  // namespace

void fill_copy(PythonModule& module) {
    module.define("copy", [](CallArguments a) {
        check_positional(a, "copy", 1, 1);
        return shallow_copy(a.positional[0]);
    });
    module.define("deepcopy", [](CallArguments a) {
        const BoundArguments given(a, "deepcopy", {"x", "memo="});
        return Copier().deep(given[0]);
    });
}

}  // namespace loupe::python
