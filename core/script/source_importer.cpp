// SPDX-License-Identifier: Apache-2.0
#include "core/script/source_importer.h"

#include <charconv>
#include <limits>

#include "core/base/strings.h"
#include "core/script/schema_matching.h"

namespace loupe::script {
namespace {

std::string qualifier_of(const std::string& qualified_name) {
    const std::size_t dot = qualified_name.rfind('.');
    return dot == std::string::npos ? std::string() : qualified_name.substr(0, dot);
}

// __torch__.a.b: a class, a function, or a part of longer names.
class ArchiveNamespace final : public Sugared {
  public:
    ArchiveNamespace(SourceImporter& importer, std::string name) : importer_(importer), name_(std::move(name)) {}
    std::string describe() const override { return "Class Namespace"; }

    SugaredPtr attribute(Builder&, std::string_view name, Range) override {
        std::string full_name = concat(name_, ".", name);
        if (const TypePtr type = importer_.find_type(full_name)) {
            if (const auto* plain = type->as<ClassType>()) {
                return make_ptr<ClassValue>(Ptr<const ClassType>(plain), &importer_.unit());
            }
            if (type->kind() == TypeKind::Tuple) return make_ptr<NamedTupleClass>(type);
            if (type->kind() == TypeKind::Enum) {
                return make_ptr<EnumClass>(Ptr<const EnumType>(static_cast<const EnumType*>(type.get())));
            }
        }
        if (ir::ScriptFunction* function = importer_.find_function(full_name)) {
            return make_ptr<FunctionValue>(*function);
        }
        return make_ptr<ArchiveNamespace>(importer_, std::move(full_name));
    }

  private:
    SourceImporter& importer_;
    std::string name_;
};

// A tracer writes numbers of the traced code as tensors without dimensions; PyTorch reads them back as numbers, which
// affect the dtype of a result by their category only.
IValue as_traced(const IValue& constant) {
    if (!constant.is_tensor()) return constant;
    const Tensor t = constant.to_tensor();
    const bool is_number =
        t.dtype() == ScalarType::Float64 || t.dtype() == ScalarType::Int64 || t.dtype() == ScalarType::Complex128;
    if (t.dim() != 0 || !is_number) return constant;
    const Tensor number = t.shallow_copy();
    number.impl()->wrapped_number = true;
    return number;
}

// 3 of "c3"; nullopt for another name.
std::optional<std::size_t> constant_index(std::string_view name) {
    std::size_t index = 0;
    const std::string_view digits = name.substr(std::min<std::size_t>(1, name.size()));
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return index;
}

// CONSTANTS.c0
class ConstantTable final : public Sugared {
  public:
    explicit ConstantTable(const std::vector<IValue>& constants) : constants_(constants) {}
    std::string describe() const override { return "CONSTANTS"; }

    SugaredPtr attribute(Builder& builder, std::string_view name, Range range) override {
        const auto index = constant_index(name);
        if (!index) builder.fail(concat("invalid constant specifier: ", name), range);
        if (*index >= constants_.size()) {
            builder.fail(concat("constant index ", *index, " is out of bounds (constant table has ", constants_.size(),
                                " entries)"),
                         range);
        }
        ir::Value* value = builder.constant(as_traced(constants_[*index]), range);
        if (is_tensor(value->type())) value->set_type(types::tensor());
        return simple(value);
    }

  private:
    const std::vector<IValue>& constants_;
};

// Lines that older writers put before the definitions.
bool is_preamble(const Stmt& statement) {
    const auto* assign = as<Assign>(&statement);
    const auto* name = assign != nullptr ? as<Name>(assign->targets.front()) : nullptr;
    return name != nullptr && name->id == "op_version_set";
}

// The name of a class in a scope of its definition.
class Defining {
  public:
    Defining(std::unordered_set<std::string>& names, const std::string& name) : names_(names), name_(name) {
        names_.insert(name_);
    }
    ~Defining() { names_.erase(name_); }
    Defining(const Defining&) = delete;
    Defining& operator=(const Defining&) = delete;

  private:
    std::unordered_set<std::string>& names_;
    std::string name_;
};

// Classes that PyTorch implements in C++: their objects are opaque here.
bool is_opaque(std::string_view name) { return name.starts_with("__torch__.torch.classes."); }

}  // namespace

SourceImporter::SourceImporter(ir::CompilationUnit& unit, std::vector<IValue> constants, SourceLoader loader,
                               CompileOptions options)
    : unit_(unit), constants_(std::move(constants)), loader_(std::move(loader)), options_(std::move(options)) {}

void SourceImporter::load(const std::string& qualifier) {
    if (qualifier.empty() || !loaded_.insert(qualifier).second) return;
    const std::shared_ptr<const ir::Source> source = loader_(qualifier);
    if (source == nullptr) return;
    const ParsedSource parsed = parse(source);
    for (const Stmt* statement : parsed.tree->body) {
        std::string_view name;
        if (const auto* def = as<Def>(statement))
            name = def->name;
        else if (const auto* type = as<Class>(statement))
            name = type->name;
        else if (is_preamble(*statement))
            continue;
        else
            throw CompileError("Unexpected statement in code import", place(source, statement->range));
        definitions_.insert_or_assign(concat(qualifier, ".", name), Definition{parsed, statement});
    }
}

const SourceImporter::Definition* SourceImporter::find_definition(const std::string& qualified_name) {
    load(qualifier_of(qualified_name));
    const auto found = definitions_.find(qualified_name);
    return found != definitions_.end() ? &found->second : nullptr;
}

TypePtr SourceImporter::find_type(const std::string& qualified_name) {
    if (TypePtr known = unit_.find_type(qualified_name)) return known;
    if (is_opaque(qualified_name)) return make_type(TypeKind::Capsule, {}, qualified_name);
    const Definition* definition = find_definition(qualified_name);
    const auto* statement = definition != nullptr ? as<Class>(definition->statement) : nullptr;
    if (statement == nullptr) return nullptr;
    if (defining_.contains(qualified_name) || defining_.size() >= kMaxClassNesting) {
        const bool is_own = defining_.contains(qualified_name);
        throw CompileError(concat("class '", qualified_name, is_own ? "' contains itself" : "' is nested too deeply"),
                           place(definition->parsed.source, statement->range));
    }
    const Definition kept = *definition;
    const Defining defining(defining_, qualified_name);
    return Definer(unit_, Ptr<Resolver>(this), options_)
        .define_class(kept.parsed, *statement, qualified_name, &extras_[qualified_name]);
}

ir::ScriptFunction* SourceImporter::find_function(const std::string& qualified_name) {
    if (ir::ScriptFunction* known = unit_.find_function(qualified_name)) return known;
    const Definition* definition = find_definition(qualified_name);
    const auto* statement = definition != nullptr ? as<Def>(definition->statement) : nullptr;
    if (statement == nullptr) return nullptr;
    const Definition kept = *definition;
    return &Definer(unit_, Ptr<Resolver>(this), options_).define_function(kept.parsed, *statement, qualified_name);
}

const ClassExtras& SourceImporter::extras(const std::string& qualified_name) const {
    static const ClassExtras none;
    const auto found = extras_.find(qualified_name);
    return found != extras_.end() ? found->second : none;
}

std::optional<IValue> SourceImporter::constant(const Expr& expression) {
    const auto* attribute = as<Attribute>(&expression);
    const auto* table = attribute != nullptr ? as<Name>(attribute->object) : nullptr;
    const auto index = table != nullptr && table->id == "CONSTANTS" ? constant_index(attribute->name) : std::nullopt;
    return index && *index < constants_.size() ? std::optional(constants_[*index]) : std::nullopt;
}

SugaredPtr SourceImporter::resolve_value(Builder& builder, std::string_view name, Range range) {
    if (name == "torch") return make_ptr<BuiltinNamespace>("aten");
    if (name == "ops") return make_ptr<OpsNamespace>();
    if (name == "CONSTANTS") return make_ptr<ConstantTable>(constants_);
    if (name == "fork") return make_ptr<SpecialForm>(Form::Fork);
    if (name == "annotate") return make_ptr<SpecialForm>(Form::Annotate);
    if (name == "unchecked_cast") return make_ptr<SpecialForm>(Form::UncheckedCast);
    if (name == "uninitialized") return make_ptr<SpecialForm>(Form::Uninitialized);
    if (name == "inf") return simple(builder.constant(IValue(std::numeric_limits<double>::infinity()), range));
    if (name == "nan") return simple(builder.constant(IValue(std::numeric_limits<double>::quiet_NaN()), range));
    if (name == "__torch__") return make_ptr<ArchiveNamespace>(*this, "__torch__");
    return nullptr;
}

}  // namespace loupe::script
