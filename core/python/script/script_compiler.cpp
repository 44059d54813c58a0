// SPDX-License-Identifier: Apache-2.0
#include "core/python/script/script_compiler.h"

#include "core/base/strings.h"
#include "core/passes/pass_manager.h"
#include "core/passes/pipeline.h"
#include "core/python/language/builtin_objects.h"
#include "core/python/language/evaluator_state.h"
#include "core/python/script/script_source.h"
#include "core/script/error.h"
#include "core/script/resolver.h"
#include "core/script/type_parser.h"

namespace loupe::python {
namespace {

constexpr std::string_view kMark = "__torchscript_modifier__";

// The names of one function.
class FunctionResolver final : public script::Resolver {
  public:
    FunctionResolver(ScriptCompiler& compiler, FunctionObject& function, ScriptCompiler::SelfValue self_value)
        : compiler_(compiler), function_(&function), self_value_(std::move(self_value)) {}

    script::SugaredPtr resolve_value(script::Builder&, std::string_view name, script::Range) override {
        const auto value = visible_name(*function_, name);
        if (value) return compiler_.sugared(*value, name, false);
        ClassObject* cls = compiler_.class_under_way(name);
        return cls != nullptr ? compiler_.sugared(IValue::other(Ptr<RefCounted>(cls)), name, false) : nullptr;
    }
    TypePtr resolve_type(std::string_view name) override {
        const auto value = visible_path(*function_, name);
        if (value) return compiler_.annotated_type(*value);
        ClassObject* cls = compiler_.class_under_way(name);
        return cls != nullptr ? compiler_.class_type(*cls) : nullptr;
    }
    std::string constructor_name(std::string_view name) override {
        const auto value = visible_path(*function_, name);
        if (!value) return std::string(name);
        if (const auto* typing = object_as<TypingObject>(*value); typing != nullptr && typing->arguments.empty())
            return typing->name;
        if (const auto* cls = object_as<ClassObject>(*value); cls != nullptr && cls->is_builtin()) return cls->name();
        return std::string(name);
    }
    std::optional<IValue> default_value(std::string_view parameter) override {
        const auto& params = function_->code.params;
        for (std::size_t i = 0; i < params.size() && i < function_->defaults.size(); ++i) {
            if (params[i].name != parameter || is_unbound(function_->defaults[i])) continue;
            const IValue& value = function_->defaults[i];
            const InferredType inferred = compiler_.inferred_type(value);
            return inferred.type ? compiler_.to_script(value, inferred.type) : std::nullopt;
        }
        return std::nullopt;
    }
    const TypePtr& type_of_unannotated() override { return script::inferred_tensor(); }
    script::SugaredPtr self_value(ir::Value* self) override {
        return self_value_ ? self_value_(self) : Resolver::self_value(self);
    }

  private:
    ScriptCompiler& compiler_;
    Ptr<FunctionObject> function_;
    ScriptCompiler::SelfValue self_value_;
};

// Graphs as PyTorch's compiler leaves them.
void clean_graph(ir::Graph& graph) {
    static const passes::Pipeline pipeline = passes::pipeline_of("compile");
    passes::PassManager manager;
    manager.keep_snapshots(false);
    manager.verify_each(false);
    manager.run(graph, pipeline);
}

}  // namespace

const script::CompileOptions& ScriptCompiler::options() {
    static const script::CompileOptions given{.operator_version = script::kCurrentOperatorVersion,
                                              .cleanup = clean_graph};
    return given;
}

std::string ScriptCompiler::qualified_name(std::string_view module, std::string_view name) const {
    return module == "__main__" || module.empty() ? concat("__torch__.", name)
                                                  : concat("__torch__.", module, ".", name);
}

Ptr<ir::ScriptFunction> ScriptCompiler::make_method(FunctionObject& function, const std::string& qualified_name,
                                                    const TypePtr& self_type, SelfValue self_value) {
    const FunctionSource source = source_of(function);
    const auto resolver = make_ptr<FunctionResolver>(*this, function, std::move(self_value));
    return script::Definer(*unit_, resolver, options())
        .make_function(source.parsed, *source.def, qualified_name, self_type);
}

ir::ScriptFunction& ScriptCompiler::function(FunctionObject& function) {
    if (const auto found = functions_.find(&function); found != functions_.end()) return *found->second;
    const std::string name = unit_->mangle(qualified_name(function.unit->name, function.code.name));
    ir::ScriptFunction& made = unit_->add_function(make_method(function, name, nullptr));
    functions_.emplace(&function, &made);
    kept_.push_back(IValue::other(Ptr<RefCounted>(&function)));
    return made;
}

namespace {

// The trees of both, and the definition that is made of them.
struct OverloadSource {
    FunctionSource declared;
    FunctionSource body;
    script::Def def;
};

}  // namespace

std::vector<ir::ScriptFunction*> ScriptCompiler::overloads(FunctionObject& function) {
    const std::string name = concat(function.unit->name, ".", function.code.qualified_name);
    const auto& declared = Evaluator::current()->state().part<DeclaredOverloads>().by_function;
    const auto found = declared.find(name);
    if (found == declared.end()) return {};
    std::vector<ir::ScriptFunction*>& known = overloads_[&function];
    if (!known.empty()) return known;
    kept_.push_back(IValue::other(Ptr<RefCounted>(&function)));
    for (const IValue& value : found->second) {
        const auto made = std::make_shared<OverloadSource>(
            OverloadSource{source_of(*source_function(value)), source_of(function), {}});
        made->def = *made->body.def;
        made->def.params = made->declared.def->params;
        made->def.return_annotation = made->declared.def->return_annotation;
        const script::ParsedSource parsed{
            made->body.parsed.source, std::shared_ptr<const script::SyntaxTree>(made, made->body.parsed.tree.get())};
        const auto resolver = make_ptr<FunctionResolver>(*this, function, nullptr);
        const std::string full_name = unit_->mangle(qualified_name(function.unit->name, function.code.name));
        known.push_back(&script::Definer(*unit_, resolver, options()).define_function(parsed, made->def, full_name));
    }
    return known;
}

FunctionSchema ScriptCompiler::declared_schema(FunctionObject& function) {
    const FunctionSource source = declaration_of(function);
    const auto resolver = make_ptr<FunctionResolver>(*this, function, nullptr);
    return script::TypeParser(*resolver, source.parsed.source).parse_schema(*source.def, false);
}

ClassObject* ScriptCompiler::class_under_way(std::string_view name) const {
    for (ClassObject* cls : defining_) {
        if (cls->name() == name) return cls;
    }
    return nullptr;
}

ScriptMark script_mark(const IValue& value) {
    const FunctionObject* function = source_function(value);
    const IValue* mark = function != nullptr ? function->attributes.find(kMark) : nullptr;
    return mark != nullptr ? static_cast<ScriptMark>(mark->to_int()) : ScriptMark::None;
}

void set_script_mark(const IValue& value, ScriptMark mark) {
    if (FunctionObject* function = source_function(value))
        function->attributes.set(kMark, IValue(static_cast<std::int64_t>(mark)));
}

FunctionObject* source_function(const IValue& value) {
    if (const auto* method = object_as<BoundMethod>(value)) return source_function(method->function);
    if (const auto* wrapper = object_as<MethodWrapper>(value)) return source_function(wrapper->function);
    return object_as<FunctionObject>(value);
}

void rethrow_compile_error(const Error& error) {
    if (const auto* python_error = dynamic_cast<const PythonError*>(&error)) throw *python_error;
    if (const auto* compile_error = dynamic_cast<const script::CompileError*>(&error)) {
        throw_error("RuntimeError", concat("\n", compile_error->underlined()));
    }
    if (error.kind() == ErrorKind::Compile) throw_error("RuntimeError", error.message());
    throw;
}

}  // namespace loupe::python
