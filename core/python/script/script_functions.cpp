// SPDX-License-Identifier: Apache-2.0
#include "core/python/script/script_functions.h"

#include "core/base/strings.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/language/operations.h"
#include "core/script/error.h"
#include "core/script/schema_matching.h"

namespace loupe::python {
namespace {

using script::Builder;
using script::NamedValue;
using script::NamedValues;
using script::Range;
using script::Sugared;
using script::SugaredPtr;

class CompiledFunction final : public Sugared {
  public:
    CompiledFunction(ScriptCompiler& compiler, FunctionObject& function) : compiler_(compiler), function_(&function) {}
    std::string describe() const override { return "function"; }
    SugaredPtr call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) override {
        try {
            ir::ScriptFunction& compiled = compiler_.function(*function_);
            return call_compiled(builder, compiled, function_->code.name, arguments, keywords, range);
        } catch (const script::CompileError&) {
            throw;
        } catch (const PythonError&) {
            throw;
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Compile) throw;
            builder.fail(error.message(), range);
        }
    }

  private:
    ScriptCompiler& compiler_;
    Ptr<FunctionObject> function_;
};

// What stays a function of the program: the graph calls it.
class ProgramFunction final : public ir::ExternalFunction {
  public:
    ProgramFunction(IValue callee, std::string name, FunctionSchema schema)
        : callee_(std::move(callee)),
          evaluator_(Evaluator::current()),
          name_(std::move(name)),
          schema_(std::move(schema)) {}
    const std::string& qualified_name() const override { return name_; }
    const FunctionSchema& schema() const override { return schema_; }
    IValue call(std::vector<IValue> arguments) const override {
        const EvaluatorScope scope(evaluator_);
        ScriptCompiler& compiler = ScriptCompiler::current();
        for (IValue& argument : arguments) argument = compiler.to_python(argument);
        const IValue result = python::call(callee_, std::move(arguments));
        const TypePtr type = schema_.returns.empty() ? types::none() : schema_.returns.front().type;
        auto converted = compiler.to_script(result, type);
        if (!converted) {
            throw Error(ErrorKind::Run, concat("'", name_, "' gave ", type_name(result), ", where ",
                                               type->annotation_str(), " is declared"));
        }
        return std::move(*converted);
    }

  private:
    IValue callee_;
    Evaluator* evaluator_;
    std::string name_;
    FunctionSchema schema_;
};

class OverloadedFunction final : public Sugared {
  public:
    explicit OverloadedFunction(std::vector<ir::ScriptFunction*> functions) : functions_(std::move(functions)) {}
    std::string describe() const override { return "overloaded function"; }
    SugaredPtr call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) override {
        std::vector<const FunctionSchema*> schemas;
        for (const ir::ScriptFunction* function : functions_) schemas.push_back(&function->schema());
        const auto matched = script::match_calls(builder, schemas, {arguments, keywords}, range);
        functions_[matched.schema]->graph();
        const TypePtr& result = matched.results.empty() ? types::none() : matched.results.front();
        ir::Value* value = builder.call_function(*functions_[matched.schema], matched.inputs, result);
        value->node()->set_range(builder.place(range));
        return script::simple(value);
    }

  private:
    std::vector<ir::ScriptFunction*> functions_;
};

class ExternalValue final : public Sugared {
  public:
    explicit ExternalValue(Ptr<ProgramFunction> function) : function_(std::move(function)) {}
    std::string describe() const override { return "python function"; }
    SugaredPtr call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) override {
        const auto matched = script::match_call(builder, function_->schema(), {arguments, keywords}, range);
        const TypePtr& result = matched.results.empty() ? types::none() : matched.results.front();
        ir::Value* value = builder.call_function(*function_, matched.inputs, result);
        value->node()->set_range(builder.place(range));
        return script::simple(value);
    }

  private:
    Ptr<ProgramFunction> function_;
};

// torch.jit.unused: an exception in its place.
class UnusedValue final : public Sugared {
  public:
    UnusedValue(std::string name, FunctionSchema schema) : name_(std::move(name)), schema_(std::move(schema)) {}
    std::string describe() const override { return "python function"; }
    SugaredPtr call(Builder& builder, NamedValues arguments, NamedValues keywords, Range range) override {
        const auto matched = script::match_call(builder, schema_, {arguments, keywords}, range);
        ir::Value* inputs[] = {
            builder.constant(IValue("This Python function is annotated to be ignored and cannot be run"), range),
            builder.constant(IValue(), range)};
        builder.insert(ir::prim::RaiseException, inputs, 0)->set_range(builder.place(range));
        return script::simple(builder.uninitialized(matched.results.empty() ? types::none() : matched.results.front()));
    }

  private:
    std::string name_;
    FunctionSchema schema_;
};

// Graphs point to the function, so the compiler keeps it.
SugaredPtr external_value(ScriptCompiler& compiler, const IValue& callee, const std::string& name,
                          FunctionSchema schema) {
    auto function = make_ptr<ProgramFunction>(callee, name, std::move(schema));
    compiler.keep(function);
    return make_ptr<ExternalValue>(std::move(function));
}

// Without a declared result it is taken for a tensor.
FunctionSchema schema_outside(ScriptCompiler& compiler, FunctionObject& function, bool has_self) {
    FunctionSchema schema = compiler.declared_schema(function);
    if (has_self && !schema.arguments.empty()) schema.arguments.erase(schema.arguments.begin());
    if (schema.returns.empty()) {
        Argument result;
        result.type = types::tensor();
        schema.returns.push_back(std::move(result));
    }
    return schema;
}

}  // namespace

SugaredPtr overloaded_function(std::vector<ir::ScriptFunction*> functions) {
    return make_ptr<OverloadedFunction>(std::move(functions));
}

SugaredPtr call_compiled(Builder& builder, ir::ScriptFunction& function, std::string_view name, NamedValues arguments,
                         NamedValues keywords, Range range) {
    try {
        function.graph();  // errors inside belong to this call
    } catch (const script::CompileError& error) {
        throw error.called_from(name, builder.function_name(), builder.place(range));
    } catch (const Error& error) {
        // It calls itself: what it declares to give is enough for that.
        if (error.kind() != ErrorKind::Compile || !function.has_schema()) throw;
    }
    return script::FunctionValue(function).call(builder, arguments, keywords, range);
}

SugaredPtr function_value(ScriptCompiler& compiler, FunctionObject& function) {
    const IValue value = IValue::other(Ptr<RefCounted>(&function));
    switch (script_mark(value)) {
        case ScriptMark::Ignore:
            return external_value(compiler, value, function.code.name, schema_outside(compiler, function, false));
        case ScriptMark::Unused:
            return make_ptr<UnusedValue>(function.code.name, schema_outside(compiler, function, false));
        default:
            break;
    }
    if (auto overloads = compiler.overloads(function); !overloads.empty())
        return overloaded_function(std::move(overloads));
    return make_ptr<CompiledFunction>(compiler, function);
}

SugaredPtr external_method(ScriptCompiler& compiler, const IValue& self, FunctionObject& function) {
    const IValue bound = IValue::other(make_ptr<BoundMethod>(self, IValue::other(Ptr<RefCounted>(&function))));
    FunctionSchema schema = schema_outside(compiler, function, true);
    if (script_mark(bound) == ScriptMark::Unused) return make_ptr<UnusedValue>(function.code.name, std::move(schema));
    return external_value(compiler, bound, function.code.name, std::move(schema));
}

}  // namespace loupe::python
