// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/module_parts.h"

#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator.h"
#include "core/python/language/raise.h"
#include "core/python/torch/torch_call.h"

namespace loupe::python {

IValue first_argument(CallArguments arguments) {
    if (arguments.positional.empty()) throw_type_error("missing 1 required positional argument: 'obj'");
    return arguments.positional[0];
}

namespace {

// The first argument, or element of a list of them, whose class has the method.
const Instance* find_override(const IValue& value) {
    if (const auto* instance = object_as<Instance>(value)) {
        const ClassObject& cls = *instance->cls();
        return !cls.is_builtin() && cls.find("__torch_function__") != nullptr ? instance : nullptr;
    }
    if (!value.is_list() && !value.is_tuple()) return nullptr;
    for (const IValue& element : value.is_list() ? value.to_list().elements : value.to_tuple().elements) {
        if (const auto* instance = element.is_other() ? find_override(element) : nullptr) return instance;
    }
    return nullptr;
}

const Instance* find_override(const CallArguments& arguments) {
    for (const IValue& value : arguments.positional) {
        if (const auto* instance = find_override(value)) return instance;
    }
    for (const auto& [name, value] : arguments.keywords) {
        if (const auto* instance = find_override(value)) return instance;
    }
    return nullptr;
}

}  // namespace

NativeCallable::Body with_override(std::string name, NativeCallable::Body body) {
    return [name = std::move(name), body = std::move(body)](CallArguments arguments) -> IValue {
        const Instance* const instance = find_override(arguments);
        if (instance == nullptr) return body(std::move(arguments));
        const IValue self = IValue::other(Ptr<RefCounted>(const_cast<Instance*>(instance)));  // counted only
        const IValue function = IValue::other(make_ptr<NativeCallable>(name, with_override(name, body)));
        const auto keywords = make_dict();
        for (const auto& [key, value] : arguments.keywords) keywords->set(IValue(key), value);
        return call(get_attribute(self, "__torch_function__"),
                    std::vector<IValue>{function, make_tuple({IValue::other(instance->cls())}),
                                        make_tuple(std::move(arguments.positional)), IValue(keywords)});
    };
}

IValue operator_function(std::string_view op_name, std::string_view shown_name) {
    const std::string name(op_name);
    return IValue::other(make_ptr<NativeCallable>(
        std::string(shown_name), with_override(std::string(shown_name), [name](CallArguments arguments) {
            const SignatureSet* set = find_signatures(name, false);
            if (set == nullptr) throw_error("AttributeError", concat("module 'torch' has no attribute '", name, "'"));
            return call_signatures(*set, nullptr, arguments);
        })));
}

void define_submodule(PythonModule& module, std::string_view name, std::string_view full_name) {
    module.define(std::string(name), Evaluator::current()->import_module(full_name));
}

}  // namespace loupe::python
