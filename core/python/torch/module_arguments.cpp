// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/module_arguments.h"

#include "core/python/language/raise.h"
#include "core/python/torch/torch_call.h"
#include "core/python/torch/torch_objects.h"

namespace loupe::python {

nn::Module& self_module(const IValue& self) {
    if (self.is_object()) {
        if (auto* module = dynamic_cast<nn::Module*>(self.object_pointer())) return *module;
    }
    throw_type_error("the method of a torch.nn.Module needs a module as self");
}
nn::Module& module_self(const CallArguments& arguments) {
    return self_module(arguments.positional.empty() ? IValue() : arguments.positional[0]);
}

IValue module_value(nn::Module& module) { return Ptr<Object>(&module); }

CallArguments behind_self(CallArguments arguments) {
    arguments.positional.erase(arguments.positional.begin());
    return arguments;
}

IValue engine_value(const IValue& value) {
    if (value.is_tuple() || value.is_list()) return with_plain_numbers(value);
    if (!value.is_other()) return value;
    check_unpacks(value);
    if (const IValue number = with_plain_numbers(value); !number.is_other()) return number;
    if (const auto* dtype = object_as<DtypeObject>(value)) return static_cast<std::int64_t>(dtype->dtype);
    if (const auto* constant = object_as<ConstantObject>(value)) return constant->number;
    if (const auto* generator = object_as<GeneratorObject>(value)) return generator->argument();
    return value;
}

CallArguments engine_values(CallArguments arguments) {
    for (IValue& value : arguments.positional) value = engine_value(value);
    for (auto& [name, value] : arguments.keywords) value = engine_value(value);
    return arguments;
}

}  // namespace loupe::python
