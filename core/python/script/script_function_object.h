// SPDX-License-Identifier: Apache-2.0
#pragma once
// What torch.jit gives a program: functions of compiled code, and marks for scripting.

#include "core/ir/function.h"
#include "core/nn/module.h"
#include "core/python/language/object.h"

namespace loupe::python {

// torch.jit.ScriptFunction.
class ScriptFunctionObject final : public PythonObject {
  public:
    // owner: what keeps the function alive.
    ScriptFunctionObject(ir::ScriptFunction& function, Ptr<RefCounted> owner)
        : function_(function), owner_(std::move(owner)) {}
    ir::ScriptFunction& function() const { return function_; }
    std::string type_name() const override { return "ScriptFunction"; }
    std::string describe() const override { return function_.name(); }
    std::optional<IValue> find_attribute(std::string_view name) override;
    std::string repr() override;
    IValue call(CallArguments arguments) override;

  private:
    ir::ScriptFunction& function_;
    Ptr<RefCounted> owner_;
};

// torch.jit.Attribute(value, type).
class ScriptAttribute final : public PythonObject {
  public:
    ScriptAttribute(IValue given, IValue of_type) : value(std::move(given)), type(std::move(of_type)) {}
    const IValue value;
    const IValue type;
    std::string type_name() const override { return "Attribute"; }
    std::optional<IValue> find_attribute(std::string_view name) override;
};

// What @torch.jit.script_if_tracing makes of a function: the function, and its compiled form while tracing.
class ScriptIfTracing final : public PythonObject {
  public:
    explicit ScriptIfTracing(IValue wrapped) : function(std::move(wrapped)) {}
    const IValue function;
    std::string type_name() const override { return "function"; }
    std::optional<IValue> find_attribute(std::string_view name) override;
    IValue call(CallArguments arguments) override;
};

// A module whose only method is the function: how a function is saved.
nn::ModulePtr function_holder(const ir::ScriptFunction& function);

}  // namespace loupe::python
