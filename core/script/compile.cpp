// SPDX-License-Identifier: Apache-2.0
#include "core/script/compile.h"

#include <algorithm>

#include "core/base/strings.h"
#include "core/script/convert_to_ssa.h"
#include "core/script/emitter.h"
#include "core/script/parser.h"

namespace loupe::script {
namespace {

// State for compiling one function later.
struct Job {
    ParsedSource parsed;
    const Def* def;
    TypePtr self_type;
    Ptr<Resolver> resolver;
    CompileOptions options;
};

void clean(ir::Graph& graph, const GraphCleanup& cleanup);

void clean_subgraphs(ir::Block* block, const GraphCleanup& cleanup) {
    for (ir::Node* node : block->nodes()) {
        if (node->kind() == ir::prim::fork) clean(*node->g(ir::attr::Subgraph), cleanup);
        for (std::size_t i = 0; i < node->block_count(); ++i) clean_subgraphs(node->block_at(i), cleanup);
    }
}

void clean(ir::Graph& graph, const GraphCleanup& cleanup) {
    clean_subgraphs(graph.block(), cleanup);
    if (cleanup) cleanup(graph);
    canonicalize_outputs(graph);
    number_warnings(graph);
}

// Compiling a function may compile its callees: the depth on this thread.
class Depth {
  public:
    explicit Depth(const Job& job) {
        if (++depth_ > kMost) {
            --depth_;
            throw CompileError("functions call each other too deeply", place(job.parsed.source, job.def->range));
        }
    }
    ~Depth() { --depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

  private:
    static constexpr int kMost = 100;
    static thread_local int depth_;
};
thread_local int Depth::depth_ = 0;

void compile(const Job& job, ir::ScriptFunction& function) {
    const Depth depth(job);
    auto graph = make_ptr<ir::Graph>();
    Builder builder(*graph, job.parsed.source, function.name(), job.options.operator_version);
    FunctionSchema schema = Emitter(builder, *job.resolver).emit(*job.def, job.self_type);
    convert_to_ssa(*graph);
    canonicalize_modified_loops(*graph);
    normalize_ops(*graph);
    lift_closures(*graph);
    clean(*graph, job.options.cleanup);
    if (!function.has_schema()) function.set_schema(std::move(schema));
    function.set_graph(std::move(graph));
}

// The texts of a list of strings: __parameters__ = ["weight", ].
std::vector<std::string> strings_of(const ParsedSource& parsed, const Assign& statement) {
    const auto* list = as<List>(statement.value);
    if (list == nullptr) throw CompileError("expected a list of strings", place(parsed.source, statement.range));
    std::vector<std::string> texts;
    for (const Expr* element : list->elements) {
        const auto* text = as<String>(element);
        if (text == nullptr) throw CompileError("expected a string", place(parsed.source, element->range));
        texts.emplace_back(text->value);
    }
    return texts;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void fail_statement(const ParsedSource& parsed, const Stmt& statement, const std::string& message) {
    throw CompileError(message, place(parsed.source, statement.range));
}

// A method's name after its decorators: properties are methods that attribute access calls.
std::string method_name(const Def& def) {
    for (const Expr* decorator : def.decorators) {
        const auto name = dotted_name(*decorator);
        if (name == "property") return getter_name(def.name);
        if (name && name->ends_with(".setter")) return setter_name(def.name);
    }
    return std::string(def.name);
}

bool is_static(const Def& def) {
    return std::any_of(def.decorators.begin(), def.decorators.end(),
                       [](const Expr* decorator) { return dotted_name(*decorator) == "staticmethod"; });
}

bool is_documentation(const Stmt& statement) {
    const auto* expression = as<ExprStmt>(&statement);
    return expression != nullptr && expression->value->kind == ExprKind::String;
}

}  // namespace

ParsedSource parse(const std::shared_ptr<const ir::Source>& source) { return {source, parse_source(source)}; }

Ptr<ir::ScriptFunction> Definer::make_function(const ParsedSource& parsed, const Def& def,
                                               const std::string& qualified_name, const TypePtr& self_type) {
    const Job job{parsed, &def, self_type, resolver_, options_};
    auto function =
        make_ptr<ir::ScriptFunction>(qualified_name, [job](ir::ScriptFunction& compiled) { compile(job, compiled); });
    if (def.return_annotation == nullptr) return function;
    // The declaration suffices for callers.
    FunctionSchema schema = TypeParser(*resolver_, parsed.source).parse_schema(def, self_type != nullptr);
    if (self_type != nullptr) {
        Argument self;
        self.name = std::string(def.params.front().name);
        self.type = self_type;
        schema.arguments.insert(schema.arguments.begin(), std::move(self));
    }
    function->set_schema(std::move(schema));
    return function;
}

ir::ScriptFunction& Definer::define_function(const ParsedSource& parsed, const Def& def,
                                             const std::string& qualified_name) {
    return unit_.add_function(make_function(parsed, def, qualified_name, nullptr));
}

TypePtr Definer::define_class(const ParsedSource& parsed, const Class& definition, const std::string& qualified_name,
                              ClassExtras* extras) {
    ClassExtras ignored;
    ClassExtras& kept = extras != nullptr ? *extras : ignored;
    const auto base = definition.base != nullptr ? dotted_name(*definition.base) : std::string();
    if (base == "" || base == "object") return define_plain_class(parsed, definition, qualified_name, false, kept);
    if (base == "Module" || base == "nn.Module" || base == "torch.nn.Module") {
        return define_plain_class(parsed, definition, qualified_name, true, kept);
    }
    if (base == "NamedTuple" || base == "typing.NamedTuple") {
        return define_named_tuple(parsed, definition, qualified_name);
    }
    if (base == "Enum" || base == "enum.Enum") return define_enum(parsed, definition, qualified_name);
    if (base == "Interface") return define_interface(parsed, definition, qualified_name, false);
    if (base == "ModuleInterface") return define_interface(parsed, definition, qualified_name, true);
    throw CompileError("Torchscript does not support class inheritance.", place(parsed.source, definition.range));
}

TypePtr Definer::define_plain_class(const ParsedSource& parsed, const Class& definition,
                                    const std::string& qualified_name, bool is_module, ClassExtras& extras) {
    auto type = make_ptr<ClassType>(qualified_name, is_module);
    std::vector<std::string> parameters;
    std::vector<std::string> buffers;
    for (const Stmt* statement : definition.body) {
        const auto* assign = as<Assign>(statement);
        if (assign == nullptr) {
            const bool is_known = statement->kind == StmtKind::Def || statement->kind == StmtKind::Pass;
            if (!is_known && !is_documentation(*statement)) {
                fail_statement(parsed, *statement, "Unexpected statement kind in class body");
            }
            continue;
        }
        const auto* name = as<Name>(assign->targets.front());
        if (name != nullptr && name->id == "__parameters__") {
            parameters = strings_of(parsed, *assign);
        } else if (name != nullptr && name->id == "__buffers__") {
            buffers = strings_of(parsed, *assign);
        } else if (name != nullptr && name->id == "__forward_hooks__") {
            extras.forward_hooks = strings_of(parsed, *assign);
        } else if (name != nullptr && name->id == "__forward_pre_hooks__") {
            extras.forward_pre_hooks = strings_of(parsed, *assign);
        } else if (name == nullptr || name->id != "__annotations__") {
            add_attribute(parsed, *assign, *type, extras, parameters, buffers);
        }
    }
    unit_.add_type(type);
    if (!extras.constants.empty()) unit_.set_constants(*type, extras.constants);
    add_methods(parsed, definition, type, extras);
    return type;
}

// "weight : Tensor", "width : Final[int] = 4" or __annotations__["0"] = T.
void Definer::add_attribute(const ParsedSource& parsed, const Assign& statement, ClassType& type, ClassExtras& extras,
                            const std::vector<std::string>& parameters, const std::vector<std::string>& buffers) {
    const TypeParser types(*resolver_, parsed.source);
    std::string name;
    const Expr* annotation = statement.annotation;
    if (const auto* plain = as<Name>(statement.targets.front())) {
        name = std::string(plain->id);
        if (statement.value != nullptr) {
            auto value = types.parse_constant(*statement.value);
            if (!value) fail_statement(parsed, statement, "Expected a constant in a class body");
            extras.constants.emplace_back(name, std::move(*value));
            return;
        }
    } else if (const auto* subscript = as<Subscript>(statement.targets.front())) {
        const auto* key = as<String>(subscript->indices.front());
        if (key == nullptr || dotted_name(*subscript->value) != "__annotations__") {
            fail_statement(parsed, statement, "Unexpected statement kind in module metadata");
        }
        name = std::string(key->value);
        annotation = statement.value;
    }
    if (name.empty() || annotation == nullptr) {
        fail_statement(parsed, statement, "Unexpected statement kind in module metadata");
    }
    TypePtr attribute_type = types.parse(*annotation);
    AttributeKind kind = AttributeKind::Attribute;
    if (contains(parameters, name))
        kind = AttributeKind::Parameter;
    else if (contains(buffers, name))
        kind = AttributeKind::Buffer;
    else if (const auto* module = attribute_type->as<ClassType>(); module != nullptr && module->is_module())
        kind = AttributeKind::Module;
    else if (const auto* module_interface = attribute_type->as<InterfaceType>();
             module_interface != nullptr && module_interface->is_module())
        kind = AttributeKind::Module;
    type.add_attribute(std::move(name), std::move(attribute_type), kind);
}

void Definer::add_methods(const ParsedSource& parsed, const Class& definition, const Ptr<ClassType>& type,
                          const ClassExtras& extras) {
    for (const Stmt* statement : definition.body) {
        const auto* def = as<Def>(statement);
        if (def == nullptr) continue;
        const std::string name = method_name(*def);
        const std::string qualified_name = concat(type->name(), ".", name);
        auto function = make_function(parsed, *def, qualified_name, is_static(*def) ? nullptr : type);
        // Hooks and static methods are found by their qualified name only.
        if (is_static(*def) || contains(extras.forward_hooks, name) || contains(extras.forward_pre_hooks, name)) {
            unit_.add_function(std::move(function));
        } else {
            unit_.add_method(*type, std::move(function));
        }
    }
    for (const std::string& name : extras.forward_pre_hooks) {
        if (Function* hook = unit_.find_function(concat(type->name(), ".", name))) type->add_forward_pre_hook(hook);
    }
    for (const std::string& name : extras.forward_hooks) {
        if (Function* hook = unit_.find_function(concat(type->name(), ".", name))) type->add_forward_hook(hook);
    }
}

TypePtr Definer::define_named_tuple(const ParsedSource& parsed, const Class& definition,
                                    const std::string& qualified_name) {
    const TypeParser types(*resolver_, parsed.source);
    std::vector<std::string> fields;
    std::vector<TypePtr> elements;
    for (const Stmt* statement : definition.body) {
        if (is_documentation(*statement) || statement->kind == StmtKind::Pass) continue;
        const auto* assign = as<Assign>(statement);
        const auto* name = assign != nullptr ? as<Name>(assign->targets.front()) : nullptr;
        if (name == nullptr || assign->annotation == nullptr) {
            fail_statement(
                parsed, *statement,
                "Unexpected statement in NamedTuple body: only attribute annotations are currently supported.");
        }
        fields.emplace_back(name->id);
        elements.push_back(types.parse(*assign->annotation));
    }
    TypePtr type = types::named_tuple(qualified_name, std::move(fields), std::move(elements));
    unit_.add_type(type);
    return type;
}

TypePtr Definer::define_enum(const ParsedSource& parsed, const Class& definition, const std::string& qualified_name) {
    const TypeParser types(*resolver_, parsed.source);
    std::vector<std::pair<std::string, IValue>> values;
    TypePtr value_type;
    for (const Stmt* statement : definition.body) {
        if (is_documentation(*statement) || statement->kind == StmtKind::Pass) continue;
        const auto* assign = as<Assign>(statement);
        const auto* name = assign != nullptr ? as<Name>(assign->targets.front()) : nullptr;
        auto value = name != nullptr && assign->value != nullptr ? types.parse_constant(*assign->value) : std::nullopt;
        if (!value || !(value->is_int() || value->is_double() || value->is_string())) {
            fail_statement(
                parsed, *statement,
                "Unexpected statement in Enum class body: only enum attribute definitions are currently supported.");
        }
        const TypePtr this_type = loupe::type_of(*value);
        if (value_type != nullptr && !value_type->equals(*this_type)) {
            fail_statement(parsed, *statement, "Enum class with varying value types are not supported.");
        }
        value_type = this_type;
        values.emplace_back(std::string(name->id), std::move(*value));
    }
    if (values.empty()) fail_statement(parsed, definition, "Enum class has no values");
    TypePtr type = make_ptr<const EnumType>(qualified_name, value_type, std::move(values));
    unit_.add_type(type);
    return type;
}

TypePtr Definer::define_interface(const ParsedSource& parsed, const Class& definition,
                                  const std::string& qualified_name, bool is_module) {
    const TypeParser types(*resolver_, parsed.source);
    auto type = make_ptr<InterfaceType>(qualified_name, is_module);
    for (const Stmt* statement : definition.body) {
        if (is_documentation(*statement) || statement->kind == StmtKind::Pass) continue;
        const auto* def = as<Def>(statement);
        if (def == nullptr)
            fail_statement(parsed, *statement, "interface declartions can only contain method definitions");
        if (def->return_annotation == nullptr) {
            fail_statement(parsed, *statement, "interface declarations must have a return type annotated.");
        }
        FunctionSchema schema = types.parse_schema(*def, true);
        Argument self;
        self.name = "self";
        self.type = types::any();
        schema.arguments.insert(schema.arguments.begin(), std::move(self));
        type->methods.push_back(std::make_shared<const FunctionSchema>(std::move(schema)));
    }
    unit_.add_type(type);
    return type;
}

}  // namespace loupe::script
