// SPDX-License-Identifier: Apache-2.0
#include "core/python/torch/torch_ops.h"

#include "core/base/strings.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/registry.h"
#include "core/python/language/error.h"
#include "core/python/language/object.h"
#include "core/python/torch/module_arguments.h"
#include "core/python/torch/torch_call.h"
#include "core/value/bind_arguments.h"

namespace loupe::python {
namespace {

IValue called(const Operator& op, const CallArguments& arguments) {
    return with_python_errors([&] {
        const std::vector<IValue> given = bind_arguments(op.schema, engine_values(arguments));
        std::vector<IValue> results(op.result_count());
        call_operator(op, given, results.data());
        return to_python_result(op, std::move(results));
    });
}

// What torch.ops.aten.add is: the first overload whose arguments bind; an attribute is one overload.
class OperatorPacket final : public PythonObject {
  public:
    explicit OperatorPacket(std::string name) : name_(std::move(name)) {}
    std::string type_name() const override { return "OpOverloadPacket"; }
    std::string describe() const override { return name_.substr(name_.find("::") + 2); }
    std::string repr() override { return concat("<OpOverloadPacket(op='", dotted(), "')>"); }
    std::optional<IValue> find_attribute(std::string_view wanted) override {
        if (wanted == "__name__") return IValue(describe());
        const Operator* op = find_operator(name_, wanted == "default" ? std::string_view() : wanted);
        if (op == nullptr) return PythonObject::find_attribute(wanted);
        return IValue::other(make_ptr<NativeCallable>(
            concat(describe(), ".", wanted), [op](CallArguments arguments) { return called(*op, arguments); }));
    }
    IValue call(CallArguments arguments) override {
        const auto overloads = operators_named(name_);
        for (std::size_t i = 0; i + 1 < overloads.size(); ++i) {
            try {
                bind_arguments(overloads[i]->schema, engine_values(arguments));
            } catch (const Error&) {
                continue;
            }
            return called(*overloads[i], arguments);
        }
        return called(*overloads.back(), arguments);
    }

  private:
    std::string dotted() const { return concat(name_.substr(0, name_.find("::")), ".", describe()); }
    const std::string name_;
};

IValue namespace_module(std::string_view space) {
    const std::string prefix = concat(space, "::");
    const auto packet = [prefix](std::string_view name) -> std::optional<IValue> {
        const std::string full = concat(prefix, name);
        if (!operators_named(full).empty()) return IValue::other(make_ptr<OperatorPacket>(full));
        if (name.starts_with("__")) return std::nullopt;
        throw_error("AttributeError",
                    concat("there is no operator ", full, ", or the plugin that has it is not loaded"));
    };
    return IValue::other(make_ptr<PythonModule>(concat("torch.ops.", space), packet));
}

}  // namespace

IValue ops_module() {
    return IValue::other(make_ptr<PythonModule>("torch.ops", [](std::string_view space) -> std::optional<IValue> {
        if (space.starts_with("__")) return std::nullopt;
        return namespace_module(space);
    }));
}

}  // namespace loupe::python
