// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/module_parts.h"

#include "core/base/strings.h"
#include "core/python/language/evaluator.h"
#include "core/python/language/raise.h"
#include "core/python/torch/torch_call.h"

namespace loupe::python {

IValue first_argument(CallArguments arguments) {
    if (arguments.positional.empty()) throw_type_error("missing 1 required positional argument: 'obj'");
    return arguments.positional[0];
}

IValue operator_function(std::string_view op_name, std::string_view shown_name) {
    const std::string name(op_name);
    return IValue::other(make_ptr<NativeCallable>(std::string(shown_name), [name](CallArguments arguments) {
        const SignatureSet* set = find_signatures(name, false);
        if (set == nullptr) throw_error("AttributeError", concat("module 'torch' has no attribute '", name, "'"));
        return call_signatures(*set, nullptr, arguments);
    }));
}

void define_submodule(PythonModule& module, std::string_view name, std::string_view full_name) {
    module.define(std::string(name), Evaluator::current()->import_module(full_name));
}

}  // namespace loupe::python
