// SPDX-License-Identifier: Apache-2.0
#include "core/python/callables.h"

#include "core/python/language/builtin_objects.h"
#include "core/python/language/class.h"
#include "core/python/language/decorated_function.h"
#include "core/python/language/frame.h"
#include "core/python/language/operations.h"

namespace loupe::python {

const FunctionObject* function_of(const IValue& callable) {
    if (const auto* method = object_as<BoundMethod>(callable)) return function_of(method->function);
    if (const auto* decorated = object_as<DecoratedFunction>(callable)) return function_of(decorated->wrapped);
    return object_as<FunctionObject>(callable);
}

std::optional<std::size_t> required_arguments(const IValue& callable) {
    const FunctionObject* function = function_of(callable);
    if (function == nullptr) return std::nullopt;
    std::size_t count = 0;
    for (std::size_t i = 0; i < function->code.params.size(); ++i) {
        const bool has_default = i < function->defaults.size() && !is_unbound(function->defaults[i]);
        if (function->code.params[i].kind == script::ParamKind::Plain && !has_default) ++count;
    }
    return object_as<BoundMethod>(callable) != nullptr && count > 0 ? count - 1 : count;
}

}  // namespace loupe::python
