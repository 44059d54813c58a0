// SPDX-License-Identifier: Apache-2.0
#include "core/python/script/script_library.h"

#include <algorithm>
#include <limits>

#include "core/base/strings.h"
#include "core/nn/layer.h"
#include "core/python/script/script_functions.h"
#include "core/python/script/script_layers.h"
#include "core/script/error.h"
#include "core/script/parser.h"
#include "core/script/resolver.h"

namespace loupe::python {

using script::Builder;
using script::SugaredPtr;

// One text, whose functions and classes are defined when they are first named.
class ScriptLibrary::Part final {
  public:
    Part(ScriptLibrary& library, std::string module, std::string_view text)
        : library_(library), module_(std::move(module)), text_(text) {}

    const std::string& module() const { return module_; }
    const script::ParsedSource& parsed();
    SugaredPtr find(std::string_view name);
    TypePtr find_type(std::string_view name);
    const script::Class* find_class(std::string_view name);

  private:
    void parse();
    ir::ScriptFunction& function(const script::Def& def);

    ScriptLibrary& library_;
    std::string module_;
    std::string_view text_;
    script::ParsedSource parsed_;
    std::map<std::string, const script::Stmt*, std::less<>> statements_;
    std::map<std::string, std::vector<script::Def>, std::less<>> overloads_;  // each with the body of the definition
    std::unordered_map<const script::Def*, ir::ScriptFunction*> functions_;
    std::map<std::string, TypePtr, std::less<>> types_;
};

// Names in the library's own text: its functions, torch, math, F.
class ScriptLibrary::Resolver final : public script::Resolver {
  public:
    Resolver(ScriptLibrary& library, std::string module, ScriptCompiler::SelfValue self_value)
        : library_(library), module_(std::move(module)), self_value_(std::move(self_value)) {}

    SugaredPtr resolve_value(Builder&, std::string_view name, script::Range) override;
    TypePtr resolve_type(std::string_view name) override {
        return library_.find_type(name == "PackedSequence" ? "torch.nn.utils.rnn" : module_, name);
    }
    SugaredPtr self_value(ir::Value* self) override {
        return self_value_ ? self_value_(self) : script::Resolver::self_value(self);
    }

  private:
    ScriptLibrary& library_;
    std::string module_;
    ScriptCompiler::SelfValue self_value_;
};

namespace {

// torch and F in the library's text.
class LibraryNamespace final : public script::Sugared {
  public:
    explicit LibraryNamespace(std::string_view module) : module_(module) {}
    std::string describe() const override { return concat("module ", module_); }
    SugaredPtr attribute(Builder& builder, std::string_view name, script::Range range) override {
        if (module_ == "torch" && name == "jit") return make_ptr<LibraryNamespace>("torch.jit");
        if (module_ == "math" && name == "inf")
            return script::simple(builder.constant(IValue(std::numeric_limits<double>::infinity()), range));
        if (SugaredPtr found = library_name(module_, name, builder, range)) return found;
        builder.fail(concat(module_, " has no ", name, " for the library"), range);
    }

  private:
    std::string_view module_;
};

}  // namespace

SugaredPtr ScriptLibrary::Resolver::resolve_value(Builder&, std::string_view name, script::Range) {
    if (name == "torch") return make_ptr<LibraryNamespace>("torch");
    if (name == "F") return make_ptr<LibraryNamespace>("torch.nn.functional");
    if (name == "math") return make_ptr<LibraryNamespace>("math");
    if (name == "no_grad" || name == "enable_grad") return library_.find("torch", name);
    if (name == "PackedSequence") return library_.find("torch.nn.utils.rnn", name);
    return library_.find(module_, name);
}

namespace {

std::map<std::string, IValue> packed_sequence_defaults() { return {{"sorted_indices", {}}, {"unsorted_indices", {}}}; }

}  // namespace

void ScriptLibrary::Part::parse() {
    if (parsed_.source) return;
    parsed_ = script::parse(std::make_shared<const ir::Source>(std::string(text_), concat(module_, ".py")));
    for (const script::Stmt* statement : parsed_.tree->body) {
        if (const auto* def = script::as<script::Def>(statement)) {
            if (!def->decorators.empty())
                overloads_[std::string(def->name)].push_back(*def);
            else
                statements_.emplace(def->name, statement);
        }
        if (const auto* cls = script::as<script::Class>(statement)) statements_.emplace(cls->name, statement);
    }
    for (auto& [name, defs] : overloads_) {
        for (script::Def& def : defs) def.body = script::as<script::Def>(statements_.at(name))->body;
    }
}

ir::ScriptFunction& ScriptLibrary::Part::function(const script::Def& def) {
    const auto found = functions_.find(&def);
    if (found != functions_.end()) return *found->second;
    ir::CompilationUnit& unit = *library_.compiler_.unit();
    const auto resolver = make_ptr<Resolver>(library_, module_, nullptr);
    script::Definer definer(unit, resolver, ScriptCompiler::options());
    ir::ScriptFunction& made =
        definer.define_function(parsed_, def, unit.mangle(library_.compiler_.qualified_name(module_, def.name)));
    functions_.emplace(&def, &made);
    made.graph();  // what runs it later knows nothing of the library
    return made;
}

const script::ParsedSource& ScriptLibrary::Part::parsed() {
    parse();
    return parsed_;
}

const script::Class* ScriptLibrary::Part::find_class(std::string_view name) {
    parse();
    const auto statement = statements_.find(name);
    return statement != statements_.end() ? script::as<script::Class>(statement->second) : nullptr;
}

TypePtr ScriptLibrary::Part::find_type(std::string_view name) {
    if (const auto found = types_.find(name); found != types_.end()) return found->second;
    const script::Class* cls = find_class(name);
    if (cls == nullptr) return nullptr;
    ir::CompilationUnit& unit = *library_.compiler_.unit();
    const auto resolver = make_ptr<Resolver>(library_, module_, nullptr);
    const std::string full_name = library_.compiler_.qualified_name(module_, name);
    const TypePtr type =
        script::Definer(unit, resolver, ScriptCompiler::options()).define_class(parsed_, *cls, full_name);
    types_.emplace(name, type);
    if (type->kind() == TypeKind::Tuple) return type;
    if (const auto* init = unit.find_function(full_name + ".__init__")) init->graph();
    for (const auto& [method, function] : type->as<ClassType>()->methods())
        static_cast<const ir::ScriptFunction*>(function)->graph();
    return type;
}

SugaredPtr ScriptLibrary::Part::find(std::string_view name) {
    parse();
    const auto statement = statements_.find(name);
    if (statement == statements_.end()) return nullptr;
    if (const auto overloads = overloads_.find(name); overloads != overloads_.end()) {
        std::vector<ir::ScriptFunction*> all;
        for (const script::Def& def : overloads->second) all.push_back(&function(def));
        return overloaded_function(std::move(all));
    }
    if (const auto* def = script::as<script::Def>(statement->second))
        return make_ptr<script::FunctionValue>(function(*def));
    const TypePtr type = find_type(name);
    if (type->kind() == TypeKind::Tuple) return make_ptr<script::NamedTupleClass>(type, packed_sequence_defaults());
    return make_ptr<script::ClassValue>(Ptr<const ClassType>(type->as<ClassType>()), library_.compiler_.unit().get());
}

ScriptLibrary::ScriptLibrary(ScriptCompiler& compiler) : compiler_(compiler) {
    constexpr std::string_view kFunctional = "torch.nn.functional";
    for (const ModuleRecord& file : torchscript_texts()) {
        const std::string_view module = file.name.starts_with(kFunctional) ? kFunctional : file.name;
        parts_.push_back(std::make_unique<Part>(*this, std::string(module), file.source));
    }
}
ScriptLibrary::~ScriptLibrary() = default;

ScriptLibrary& ScriptLibrary::current() { return ScriptCompiler::current().library(); }

TypePtr ScriptLibrary::find_type(std::string_view module, std::string_view name) {
    for (const auto& part : parts_) {
        if (part->module() != module) continue;
        if (TypePtr found = part->find_type(name)) return found;
    }
    return nullptr;
}

namespace {

// max_pool2d(..., return_indices=True) is another function, which the constant chooses.
class IndicesFunction final : public script::Sugared {
  public:
    IndicesFunction(std::string name, std::size_t place) : name_(std::move(name)), place_(place) {}
    std::string describe() const override { return "function"; }
    SugaredPtr call(Builder& builder, script::NamedValues arguments, script::NamedValues keywords,
                    script::Range range) override {
        const ir::Value* chosen = place_ < arguments.size() ? arguments[place_].value : nullptr;
        for (const script::NamedValue& keyword : keywords) {
            if (keyword.name == "return_indices") chosen = keyword.value;
        }
        bool returns_indices = false;
        if (chosen != nullptr) {
            const auto constant = ir::constant_of(chosen);
            if (!constant || !constant->is_bool())
                builder.fail("value for boolean dispatch needs to be constant", range);
            returns_indices = constant->to_bool();
        }
        const std::string function = returns_indices ? name_ + "_with_indices" : "_" + name_;
        return ScriptLibrary::current()
            .find("torch.nn.functional", function)
            ->call(builder, arguments, keywords, range);
    }

  private:
    std::string name_;
    std::size_t place_;
};

SugaredPtr find_indices_function(std::string_view name) {
    struct Entry {
        std::string_view prefix;
        std::size_t place;
    };
    constexpr Entry kEntries[] = {{"max_pool", 6}, {"fractional_max_pool", 4}, {"adaptive_max_pool", 2}};
    for (const Entry& entry : kEntries) {
        const bool fits =
            name.size() == entry.prefix.size() + 2 && name.starts_with(entry.prefix) && name.ends_with('d');
        if (fits) return make_ptr<IndicesFunction>(std::string(name), entry.place);
    }
    return nullptr;
}

}  // namespace

SugaredPtr ScriptLibrary::find(std::string_view module, std::string_view name) {
    const std::string_view wanted = module == "torch" ? "torch.autograd.grad_mode" : module;
    if (module == "torch.nn.functional") {
        if (SugaredPtr found = find_indices_function(name)) return found;
    }
    for (const auto& part : parts_) {
        if (part->module() != wanted) continue;
        if (SugaredPtr found = part->find(name)) return found;
    }
    return nullptr;
}

namespace {

const script::Def* find_def(const script::Body& body, std::string_view name) {
    for (const script::Stmt* statement : body) {
        const auto* def = script::as<script::Def>(statement);
        if (def != nullptr && def->name == name) return def;
    }
    return nullptr;
}

}  // namespace

ScriptLibrary::Method ScriptLibrary::find_method(const nn::LayerRecord& layer, std::string_view name) {
    for (const auto& part : parts_) {
        if (part->module() != layer.module) continue;
        const script::Class* cls = part->find_class(layer.name);
        if (const script::Def* def = cls != nullptr ? find_def(cls->body, name) : nullptr)
            return {&part->parsed(), def};
    }
    if (name != "forward" || layer.calls.empty()) return {};
    script::ParsedSource& known = forwards_[&layer];
    if (!known.source) {
        known = script::parse(
            std::make_shared<const ir::Source>(forward_source(layer), concat("torch.nn.", layer.name, ".py")));
    }
    return {&known, find_def(known.tree->body, name)};
}

bool ScriptLibrary::has_method(const nn::LayerRecord& layer, std::string_view name) {
    return find_method(layer, name).def != nullptr;
}

Ptr<ir::ScriptFunction> ScriptLibrary::make_method(const nn::LayerRecord& layer, std::string_view name,
                                                   const std::string& qualified_name, const TypePtr& self_type,
                                                   const ScriptCompiler::SelfValue& self_value) {
    const auto resolver = make_ptr<Resolver>(*this, "torch.nn.functional", self_value);
    const Method method = find_method(layer, name);
    return script::Definer(*compiler_.unit(), resolver, ScriptCompiler::options())
        .make_function(*method.source, *method.def, qualified_name, self_type);
}

}  // namespace loupe::python
