// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>
#include <unordered_map>

#include "core/base/strings.h"
#include "core/script/compile.h"
#include "core/script/parser.h"

namespace loupe::script {
namespace {

// math.sqrt and math.pi.
class MathNamespace final : public Sugared {
  public:
    std::string describe() const override { return "module math"; }
    SugaredPtr attribute(Builder& builder, std::string_view name, Range range) override {
        const auto number = [&](double value) { return simple(builder.constant(IValue(value), range)); };
        if (name == "pi") return number(std::numbers::pi);
        if (name == "e") return number(std::numbers::e);
        if (name == "tau") return number(2 * std::numbers::pi);
        if (name == "inf") return number(HUGE_VAL);
        if (name == "nan") return number(std::nan(""));
        return make_ptr<BuiltinValue>(ir::Symbol::intern(concat("aten::", name)));
    }
};

// typing and similar modules: only used in annotations.
SugaredPtr value_of_type(const TypePtr& type, const ir::CompilationUnit& unit) {
    if (const auto* plain = type->as<ClassType>()) return make_ptr<ClassValue>(Ptr<const ClassType>(plain), &unit);
    if (type->kind() == TypeKind::Tuple) return make_ptr<NamedTupleClass>(type);
    if (type->kind() == TypeKind::Enum) {
        return make_ptr<EnumClass>(Ptr<const EnumType>(static_cast<const EnumType*>(type.get())));
    }
    return nullptr;
}

// The names of one text: its definitions under its prefix, then torch.
class TextResolver final : public Resolver {
  public:
    TextResolver(ir::CompilationUnit& unit, std::string prefix) : unit_(unit), prefix_(std::move(prefix)) {}

    SugaredPtr resolve_value(Builder& builder, std::string_view name, Range range) override {
        if (ir::ScriptFunction* function = unit_.find_function(full_name(name)))
            return make_ptr<FunctionValue>(*function);
        if (const TypePtr type = resolve_type(name)) return value_of_type(type, unit_);
        if (name == "torch") return make_ptr<BuiltinNamespace>("aten");
        if (name == "F" || name == "nn") return make_ptr<BuiltinNamespace>("aten");
        if (name == "math") return make_ptr<MathNamespace>();
        if (name == "ops") return make_ptr<OpsNamespace>();
        if (name == "annotate") return make_ptr<SpecialForm>(Form::Annotate);
        if (name == "unchecked_cast") return make_ptr<SpecialForm>(Form::UncheckedCast);
        if (name == "uninitialized") return make_ptr<SpecialForm>(Form::Uninitialized);
        if (name == "fork") return make_ptr<SpecialForm>(Form::Fork);
        if (name == "inf") return simple(builder.constant(IValue(HUGE_VAL), range));
        if (name == "nan") return simple(builder.constant(IValue(std::nan("")), range));
        return nullptr;
    }
    TypePtr resolve_type(std::string_view name) override {
        if (TypePtr type = unit_.find_type(full_name(name))) return type;
        return unit_.find_type(name);
    }
    std::string full_name(std::string_view name) const {
        return prefix_.empty() ? std::string(name) : concat(prefix_, ".", name);
    }

  private:
    ir::CompilationUnit& unit_;
    std::string prefix_;
};

}  // namespace

void define(ir::CompilationUnit& unit, const std::shared_ptr<const ir::Source>& source, const CompileOptions& options,
            const std::string& prefix) {
    const ParsedSource parsed = parse(source);
    const auto resolver = make_ptr<TextResolver>(unit, prefix);
    Definer definer(unit, resolver, options);
    std::vector<const ir::ScriptFunction*> initialisers;
    std::vector<const Def*> functions;
    for (const Stmt* statement : parsed.tree->body) {
        const auto* expression = as<ExprStmt>(statement);
        if (const auto* def = as<Def>(statement)) {
            functions.push_back(def);
        } else if (const auto* type = as<Class>(statement)) {
            const std::string name = resolver->full_name(type->name);
            definer.define_class(parsed, *type, name);
            if (const auto* init = unit.find_function(name + ".__init__")) initialisers.push_back(init);
        } else if (expression == nullptr || expression->value->kind != ExprKind::String) {
            throw CompileError("only functions and classes can be defined here", place(source, statement->range));
        }
    }
    for (const Def* def : functions) definer.define_function(parsed, *def, resolver->full_name(def->name));
    // Compiling __init__ defines a class's attributes.
    for (const ir::ScriptFunction* init : initialisers) init->graph();
}

}  // namespace loupe::script
