// SPDX-License-Identifier: Apache-2.0
// Script functions and methods called from C++: arguments as PyTorch's callers fill them, hooks around forward.
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/nn/module.h"
#include "core/runtime/interpreter/code.h"
#include "core/runtime/interpreter/interpreter.h"

namespace loupe::runtime {

namespace {

// Fills defaults and checks types as PyTorch's callers do.
void fit_arguments(const FunctionSchema& schema, const std::string& name, std::vector<IValue>& arguments) {
    if (arguments.size() > schema.arguments.size()) {
        throw Error(ErrorKind::Run,
                    concat(name, "() expected at most ", schema.arguments.size(), " argument(s) but received ",
                           arguments.size(), " argument(s). Declaration: ", schema.str()));
    }
    for (std::size_t i = arguments.size(); i < schema.arguments.size(); ++i) {
        const Argument& formal = schema.arguments[i];
        if (!formal.default_value) {
            throw Error(ErrorKind::Run, concat(name, "() is missing value for argument '", formal.name,
                                               "'. Declaration: ", schema.str()));
        }
        arguments.push_back(*formal.default_value);
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Argument& formal = schema.arguments[i];
        if (formal.type->kind() == TypeKind::Float && arguments[i].is_int()) arguments[i] = arguments[i].to_double();
        if (arguments[i].is_object() || is_instance(arguments[i], *formal.type)) continue;
        throw Error(ErrorKind::Run,
                    concat(name, "() Expected a value of type '", formal.type->annotation_str(), "' for argument '",
                           formal.name, "' but instead found type '", value_type_name(arguments[i]),
                           "'.\nPosition: ", i, "\nDeclaration: ", schema.str()));
    }
}

IValue single_result(std::vector<IValue> results) {
    if (results.empty()) return {};
    if (results.size() == 1) return std::move(results[0]);
    return make_ptr<TupleObject>(std::move(results));
}

}  // namespace

IValue run_function(const ir::ScriptFunction& function, std::vector<IValue> arguments) {
    fit_arguments(function.schema(), function.name(), arguments);
    return single_result(run_code(code_of(function), std::move(arguments)));
}

namespace {

IValue run_hook(const Function* hook, std::vector<IValue> arguments) {
    return run_function(dynamic_cast<const ir::ScriptFunction&>(*hook), std::move(arguments));
}

// Scripted pre-hooks: each gets the inputs as a tuple and may return others.
std::vector<IValue> after_pre_hooks(const Ptr<Object>& self, std::vector<IValue> inputs) {
    for (const Function* hook : self->type()->forward_pre_hooks()) {
        IValue result = run_hook(hook, {IValue(self), IValue(make_ptr<TupleObject>(inputs))});
        if (result.is_tuple())
            inputs = result.to_tuple().elements;
        else if (!result.is_none())
            inputs = {std::move(result)};
    }
    return inputs;
}

IValue after_hooks(const Ptr<Object>& self, const std::vector<IValue>& inputs, IValue output) {
    for (const Function* hook : self->type()->forward_hooks()) {
        IValue result = run_hook(hook, {IValue(self), IValue(make_ptr<TupleObject>(inputs)), output});
        if (!result.is_none()) output = std::move(result);
    }
    return output;
}

}  // namespace

IValue run_with_hooks(const Ptr<Object>& self, std::vector<IValue> arguments,
                      const std::function<IValue(std::vector<IValue>)>& forward) {
    const auto run = [&](std::vector<IValue> inputs) {
        inputs = after_pre_hooks(self, std::move(inputs));
        const bool keeps_inputs = !self->type()->forward_hooks().empty();
        const std::vector<IValue> seen = keeps_inputs ? inputs : std::vector<IValue>();
        IValue output = forward(std::move(inputs));
        return keeps_inputs ? after_hooks(self, seen, std::move(output)) : output;
    };
    auto* module = dynamic_cast<nn::Module*>(self.get());
    if (module == nullptr || !module->has_hooks()) return run(std::move(arguments));
    return module->call_with_hooks(std::move(arguments), run);
}

IValue run_method(const Ptr<Object>& self, std::string_view method, std::vector<IValue> arguments) {
    const auto* function = dynamic_cast<const ir::ScriptFunction*>(self->type()->find_method(method));
    if (function == nullptr) {
        throw Error(ErrorKind::Run, concat("Method '", method, "' is not defined in '", self->type()->name(), "'"));
    }
    const auto run = [&](std::vector<IValue> inputs) {
        inputs.insert(inputs.begin(), IValue(self));
        return run_function(*function, std::move(inputs));
    };
    return method == "forward" ? run_with_hooks(self, std::move(arguments), run) : run(std::move(arguments));
}

}  // namespace loupe::runtime
