// SPDX-License-Identifier: Apache-2.0
#include "core/io/code_writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe {
namespace {

using ir::Block;
using ir::Node;
using ir::Value;
namespace prim = ir::prim;

[[noreturn]] void refuse(std::string what) { throw Error(ErrorKind::Unsupported, std::move(what)); }

constexpr std::array<std::string_view, 42> kReserved = {
    "False", "None",   "True",     "and",  "as",    "assert", "async", "await",  "break",     "class", "continue", "def",   "del",  "elif",
    "else",  "except", "finally",  "for",  "from",  "global", "if",    "import", "in",        "is",    "lambda",   "nonlocal", "not", "or",
    "pass",  "raise",  "return",   "try",  "while", "with",   "yield", "torch",  "ops",       "CONSTANTS", "inf", "nan", "annotate", "range"};

bool is_identifier(std::string_view name) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    if (name.empty() || !is_letter(name[0])) return false;
    if (!std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); })) return false;
    return std::find(kReserved.begin(), kReserved.end(), name) == kReserved.end();
}

// The version of a file in which a call means what it means now.
std::int64_t version_of(std::string_view operator_name) {
    struct Changed {
        std::string_view name;
        std::int64_t version;
    };
    static constexpr std::array kChanged = {Changed{"aten::div", 4},      Changed{"aten::div_", 4},    Changed{"aten::full", 5},
                                            Changed{"aten::linspace", 8}, Changed{"aten::logspace", 9}, Changed{"aten::gelu", 10},
                                            Changed{"aten::gelu_", 10}};
    const auto found = std::find_if(kChanged.begin(), kChanged.end(), [&](const Changed& c) { return c.name == operator_name; });
    return found == kChanged.end() ? 3 : found->version;
}

std::string float_text(double value) {
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    if (std::isnan(value)) return "nan";
    return constant_text(value);
}

// What the text of a function names, which the archive has to hold too.
struct Dependencies {
    std::vector<TypePtr> types;
    std::vector<const ir::ScriptFunction*> functions;
};

// Writes one function. Every value has a variable, but for constants, which stand where they are used.
class FunctionWriter {
  public:
    FunctionWriter(const ir::ScriptFunction& function, std::vector<IValue>& constants, std::size_t indent)
        : function_(function), constants_(constants), indent_(indent) {}

    const Dependencies& dependencies() const { return dependencies_; }
    // By offset in the text.
    const std::vector<ir::GeneratedFrom>& places() const { return places_; }

    std::string write() {
        const ir::Graph& graph = *function_.graph();
        const FunctionSchema& schema = function_.schema();
        std::string head = concat("def ", function_.name(), "(");
        for (std::size_t i = 0; i < graph.inputs().size(); ++i) {
            const Argument& argument = schema.arguments.at(i);
            const std::string& name = declare(graph.inputs()[i], is_identifier(argument.name) ? argument.name : concat("argument_", i));
            head += concat(i == 0 ? "" : ",\n" + std::string(2 * indent_ + 4, ' '), name, ": ", annotation(*argument.type));
            if (argument.default_value) head += concat("=", constant(*argument.default_value));
        }
        const std::string result = schema.returns.size() == 1 ? annotation(*schema.returns[0].type) : "None";
        line(concat(head, ") -> ", result, ":"));
        ++indent_;
        write_block(*graph.block());
        std::vector<std::string> results;
        for (const Value* output : graph.outputs()) results.push_back(text(output));
        if (!results.empty()) line(concat("return ", join(results, ", ")));
        else line("return None");
        --indent_;
        return std::move(out_);
    }

    std::int64_t version() const { return version_; }

  private:
    void line(const std::string& content) { out_ += concat(std::string(2 * indent_, ' '), content, "\n"); }

    // The node's text begins here.
    void mark_place(const Node& node) {
        const ir::SourceRange range = node.range().original();
        if (range) places_.push_back({out_.size(), range});
    }

    std::string annotation(const Type& type) {
        dependencies_.types.push_back(TypePtr(&type));
        return type.annotation_str();
    }

    // --- names ---

    const std::string& declare(const Value* value, std::string wanted = {}) {
        if (wanted.empty() && value->has_name()) {
            wanted = value->debug_name().substr(0, value->debug_name().find('.'));
        }
        if (!is_identifier(wanted)) return names_[value] = new_name();
        std::string name = wanted;
        while (!taken_.insert(name).second) name = concat(wanted, next_name_++);
        return names_[value] = std::move(name);
    }
    std::string new_name() {
        for (;;) {
            std::string name = concat("_", next_name_++);
            if (taken_.insert(name).second) return name;
        }
    }

    std::string text(const Value* value) {
        if (const auto known = ir::constant_of(value)) return typed_constant(*known, *value->type());
        const auto found = names_.find(value);
        if (found == names_.end()) refuse(concat("a value without a form in source: ", value->node()->kind().str()));
        return found->second;
    }

    // --- constants ---

    std::string typed_constant(const IValue& value, const Type& type) {
        if (value.is_none() && type.kind() == TypeKind::Optional) return concat("annotate(", annotation(type), ", None)");
        if (value.is_list() && value.to_list().elements.empty()) return concat("annotate(", annotation(type), ", [])");
        if (value.is_list() && type.kind() == TypeKind::List && type.element()->kind() == TypeKind::Enum) annotation(type);
        return constant(value);
    }

    std::string constant(const IValue& value) {
        switch (value.tag()) {
            case IValue::Tag::None: return "None";
            case IValue::Tag::Bool: return value.to_bool() ? "True" : "False";
            case IValue::Tag::Int: return std::to_string(value.to_int());
            case IValue::Tag::Double: return float_text(value.to_double());
            case IValue::Tag::String: return quoted(value.to_string());
            case IValue::Tag::Device: return concat("torch.device(", quoted(python_str(value)), ")");
            case IValue::Tag::List: return concat("[", elements(value.to_list().elements), "]");
            case IValue::Tag::Tuple: {
                const auto& all = value.to_tuple().elements;
                return concat("(", elements(all), all.size() == 1 ? ",)" : ")");
            }
            case IValue::Tag::Enum:
                annotation(*value.to_enum().type);
                return concat(value.to_enum().type->name(), ".", value.to_enum().name);
            default: break;
        }
        const auto same = std::find_if(constants_.begin(), constants_.end(), [&](const IValue& other) { return other.is_same(value); });
        const auto index = static_cast<std::size_t>(same - constants_.begin());
        if (same == constants_.end()) constants_.push_back(value);
        return concat("CONSTANTS.c", index);
    }

    std::string elements(const std::vector<IValue>& values) {
        std::vector<std::string> all;
        for (const IValue& value : values) all.push_back(constant(value));
        return join(all, ", ");
    }

    // --- statements ---

    void write_block(const Block& block) {
        for (const Node* node : block.nodes()) write_node(*node);
    }

    void write_node(const Node& node) {
        if (node.kind() == prim::Constant) {
            if (ir::constant_of(&node) || ir::function_of(node.output()) != nullptr) return;
            refuse("a constant without a form in source");
        }
        mark_place(node);
        if (node.kind() == prim::Enter) return enter(node);
        if (node.kind() == prim::Exit) return leave();
        if (node.kind() == prim::fork) return write_fork(node);
        if (node.kind() == prim::If) return write_if(node);
        if (node.kind() == prim::Loop) return write_loop(node);
        if (node.kind() == prim::RaiseException) return line(concat("ops.prim.RaiseException(", arguments(node, 0), ")"));
        if (node.kind() == prim::SetAttr) return line(concat(text(node.input(0)), ".", node.s(ir::attr::name), " = ", text(node.input(1))));
        if (node.kind() == prim::TupleUnpack || node.kind() == prim::ListUnpack) return write_unpack(node);
        const std::string value = expression(node);
        if (node.outputs().empty() || (!node.has_uses() && node.outputs().size() == 1)) return line(concat(new_name(), " = ", value));
        std::vector<std::string> targets;
        for (const Value* output : node.outputs()) targets.push_back(declare(output));
        line(concat(join(targets, ", "), " = ", value));
    }

    // Enter and Exit stand in one block, and what is made between them is seen behind it.
    void enter(const Node& node) {
        const std::string manager = text(node.input());
        const Value* entered = node.output();
        line(concat("with ", manager, entered->has_uses() ? concat(" as ", declare(entered)) : "", ":"));
        ++indent_;
        line("pass");
    }
    void leave() { --indent_; }

    // The forked code is a function inside this one, which sees its variables.
    void write_fork(const Node& node) {
        const ir::Graph& graph = *node.g(ir::attr::Subgraph);
        const std::string name = concat("__forked_function_", next_fork_++);
        std::vector<std::string> types;
        for (const Value* output : graph.outputs()) types.push_back(annotation(*output->type()));
        const std::string result = types.size() == 1 ? types[0] : concat("Tuple[", join(types, ", "), "]");
        for (std::size_t i = 0; i < graph.inputs().size(); ++i) names_[graph.inputs()[i]] = text(node.input(i));
        line(concat("def ", name, "() -> ", result, ":"));
        ++indent_;
        write_block(*graph.block());
        std::vector<std::string> results;
        for (const Value* output : graph.outputs()) results.push_back(text(output));
        line(concat("return ", results.size() == 1 ? results[0] : concat("(", join(results, ", "), ")")));
        --indent_;
        line(concat(declare(node.output()), " = fork(", name, ")"));
    }

    void write_unpack(const Node& node) {
        std::string targets;
        for (const Value* output : node.outputs()) targets += declare(output) + ", ";
        if (!targets.empty()) line(concat(targets, "= ", text(node.input())));
    }

    void assign(const std::vector<Value*>& to, const std::vector<Value*>& from, std::size_t first = 0) {
        for (std::size_t i = 0; i < to.size(); ++i) {
            const std::string value = text(from[first + i]);
            if (names_.at(to[i]) != value) line(concat(names_.at(to[i]), " = ", value));
        }
    }

    void write_branch(const Node& node, std::size_t index) {
        ++indent_;
        write_block(*node.block_at(index));
        assign(node.outputs(), node.block_at(index)->outputs());
        line("pass");
        --indent_;
    }

    void write_if(const Node& node) {
        for (const Value* output : node.outputs()) declare(output);
        line(concat("if ", text(node.input()), ":"));
        write_branch(node, 0);
        line("else:");
        write_branch(node, 1);
    }

    // A loop's carried values are variables that the body assigns. All new values are made before the first is assigned.
    void write_loop(const Node& node) {
        const Block& body = *node.block_at(0);
        const auto before = ir::constant_of(node.input(1));
        const auto after = ir::constant_of(body.outputs()[0]);
        const bool is_for = before && after && before->is_bool() && before->to_bool() && after->is_bool() && after->to_bool();
        std::vector<Value*> carried(body.inputs().begin() + 1, body.inputs().end());
        for (std::size_t i = 0; i < carried.size(); ++i) {
            declare(carried[i]);
            names_[node.output(i)] = names_[carried[i]];
        }
        assign(carried, node.inputs(), 2);
        std::string condition;
        const std::string counter = declare(body.inputs()[0], "i");
        if (is_for) {
            line(concat("for ", counter, " in range(", text(node.input(0)), "):"));
        } else {
            condition = new_name();
            line(concat(condition, " = ", text(node.input(1))));
            line(concat(counter, " = 0"));
            line(concat("while ", condition, ":"));
        }
        ++indent_;
        write_block(body);
        std::vector<std::string> values;
        for (std::size_t i = 0; i < carried.size(); ++i) {
            values.push_back(new_name());
            line(concat(values.back(), " = ", text(body.outputs()[i + 1])));
        }
        if (!is_for) {
            line(concat(condition, " = ", text(body.outputs()[0])));
            line(concat(counter, " = torch.add(", counter, ", 1)"));
        }
        for (std::size_t i = 0; i < carried.size(); ++i) line(concat(names_.at(carried[i]), " = ", values[i]));
        line("pass");
        --indent_;
    }

    // --- expressions ---

    std::string arguments(const Node& node, std::size_t first) {
        std::vector<std::string> all;
        for (std::size_t i = first; i < node.inputs().size(); ++i) all.push_back(text(node.input(i)));
        return join(all, ", ");
    }

    std::string expression(const Node& node) {
        const ir::Symbol kind = node.kind();
        if (kind == prim::GetAttr) return attribute(text(node.input()), node.s(ir::attr::name));
        if (kind == prim::CallMethod) return concat("(", text(node.input()), ").", node.s(ir::attr::name), "(", arguments(node, 1), ")");
        if (kind == prim::CallFunction) return call_function(node);
        if (kind == prim::TupleConstruct) {
            const TypePtr& type = node.output()->type();
            if (!type->name().empty()) return concat(annotation(*type), "(", arguments(node, 0), ")");
            return concat("(", arguments(node, 0), node.inputs().size() == 1 ? ",)" : ")");
        }
        if (kind == prim::TupleSlice) return concat("(", text(node.input(0)), ")[", node.i(kBegin), ":", node.i(kEnd), "]");
        if (kind == prim::EnumName) return concat("(", text(node.input()), ").name");
        if (kind == prim::EnumValue) return concat("(", text(node.input()), ").value");
        if (kind == prim::isinstance) return instance_test(node);
        if (kind == prim::tolist) return concat("annotate(", annotation(*node.output()->type()), ", (", text(node.input(0)), ").tolist())");
        if (kind == prim::CreateObject) {
            const std::string name = annotation(*node.output()->type());
            return concat(name, ".__new__(", name, ")");
        }
        if (kind == prim::TupleIndex) return concat("(", text(node.input(0)), ")[", text(node.input(1)), "]");
        if (kind == prim::ListConstruct) {
            const TypePtr& type = node.output()->type();
            const std::string list = concat("[", arguments(node, 0), "]");
            const bool is_plain = !node.inputs().empty() && type->element()->kind() != TypeKind::Optional;
            return is_plain ? list : concat("annotate(", annotation(*type), ", ", list, ")");
        }
        if (kind == prim::DictConstruct) return dict(node);
        if (kind == prim::unchecked_cast) return concat("unchecked_cast(", annotation(*node.output()->type()), ", ", text(node.input()), ")");
        if (kind == prim::Uninitialized) return concat("uninitialized(", annotation(*node.output()->type()), ")");
        if (kind == prim::Print) return concat("print(", arguments(node, 0), ")");
        if (kind == prim::ConstantChunk) {
            return concat("torch.chunk(", text(node.input()), ", ", node.i(ir::attr::chunks), ", ", node.i(ir::attr::dim), ")");
        }
        if (node.block_count() > 0) refuse(concat(kind.str(), " has no form in source"));
        return call(node);
    }

    std::string call_function(const Node& node) {
        const Function* function = ir::function_of(node.input(0));
        const auto* script = dynamic_cast<const ir::ScriptFunction*>(function);
        if (script == nullptr) {
            refuse(concat("Could not export Python function call '", function != nullptr ? function->name() : "?",
                          "'. Remove calls to Python functions before export. Did you forget to add @script or @script_method annotation? If "
                          "this is a nn.ModuleList, add it to __constants__"));
        }
        dependencies_.functions.push_back(script);
        return concat(script->qualified_name(), "(", arguments(node, 1), ")");
    }

    std::string instance_test(const Node& node) {
        std::vector<std::string> types;
        for (const TypePtr& type : std::get<std::vector<TypePtr>>(*node.find_attribute(ir::attr::types))) types.push_back(annotation(*type));
        return concat("isinstance(", text(node.input()), ", ", types.size() == 1 ? types[0] : concat("(", join(types, ", "), ")"), ")");
    }

    static std::string attribute(const std::string& object, const std::string& name) {
        return is_identifier(name) ? concat(object, ".", name) : concat("getattr(", object, ", ", quoted(name), ")");
    }

    std::string dict(const Node& node) {
        std::vector<std::string> entries;
        for (std::size_t i = 0; i + 1 < node.inputs().size(); i += 2) {
            entries.push_back(concat(text(node.input(i)), ": ", text(node.input(i + 1))));
        }
        const std::string made = concat("{", join(entries, ", "), "}");
        return entries.empty() ? concat("annotate(", annotation(*node.output()->type()), ", {})") : made;
    }

    std::string call(const Node& node) {
        const std::string& name = node.kind().str();
        version_ = std::max(version_, version_of(name));
        const bool is_aten = node.kind().space() == "aten";
        if (name == "aten::__getitem__") return concat("(", text(node.input(0)), ")[", text(node.input(1)), "]");
        struct Conversion {
            std::string_view kind;
            std::string_view function;
        };
        static constexpr std::array kConversions = {Conversion{"aten::Int", "int"}, Conversion{"aten::Float", "float"},
                                                    Conversion{"aten::Bool", "bool"}, Conversion{"aten::str", "str"}};
        for (const Conversion& conversion : kConversions) {
            if (name == conversion.kind) return concat(conversion.function, "(", arguments(node, 0), ")");
        }
        const std::string function = is_aten ? concat("torch.", node.kind().name())
                                             : concat("ops.", node.kind().space(), ".", node.kind().name());
        return concat(function, "(", operator_arguments(node), ")");
    }

    // Trailing arguments that say the default are left out; behind the star they go by name.
    std::string operator_arguments(const Node& node) {
        const FunctionSchema* schema = node.schema();
        if (schema == nullptr || schema->is_vararg) return arguments(node, 0);
        std::size_t end = node.inputs().size();
        while (end > 0 && says_default(schema->arguments[end - 1], node.input(end - 1))) --end;
        std::vector<std::string> all;
        for (std::size_t i = 0; i < end; ++i) {
            const Argument& argument = schema->arguments[i];
            std::string value = text(node.input(i));
            all.push_back(argument.kwarg_only ? concat(argument.name, "=", value) : std::move(value));
        }
        return join(all, ", ");
    }

    static bool says_default(const Argument& argument, const Value* value) {
        if (!argument.default_value) return false;
        const auto given = ir::constant_of(value);
        return given && values_equal(*given, *argument.default_value) && given->tag() == argument.default_value->tag();
    }

    const ir::ScriptFunction& function_;
    std::vector<IValue>& constants_;
    std::size_t indent_;
    std::string out_;
    std::unordered_map<const Value*, std::string> names_;
    std::unordered_set<std::string> taken_;
    std::size_t next_name_ = 0;
    std::size_t next_fork_ = 0;
    std::int64_t version_ = 3;
    Dependencies dependencies_;
    std::vector<ir::GeneratedFrom> places_;
    const ir::Symbol kBegin = ir::Symbol::intern("beg");
    const ir::Symbol kEnd = ir::Symbol::intern("end");
};

class CodeWriter {
  public:
    explicit CodeWriter(const nn::Module& module) {
        visit(module);
        // What was met may name more.
        for (std::size_t i = 0; i < pending_.size(); ++i) write(Dependencies(pending_[i]));
    }
    WrittenCode finish() { return std::move(code_); }

  private:
    void visit(const Object& object) {
        if (!seen_objects_.insert(&object).second) return;
        write_type(*object.type());
        for (std::size_t i = 0; i < object.slot_count(); ++i) {
            if (object.slot(i).is_object()) visit(*object.slot(i).to_object());
        }
    }

    void write(const Dependencies& named) {
        for (const TypePtr& type : named.types) write_type(*type);
        for (const ir::ScriptFunction* function : named.functions) {
            if (seen_names_.insert(function->qualified_name()).second) write_function(*function, file_of(qualifier(function->qualified_name())), 0);
        }
    }

    static std::string qualifier(const std::string& name) {
        const auto dot = name.rfind('.');
        if (dot == std::string::npos) refuse(concat("'", name, "' stands in no file"));
        return name.substr(0, dot);
    }
    static std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

    void write_type(const Type& type) {
        for (const TypePtr& part : type.contained()) write_type(*part);
        if (type.name().empty() || !type.name().starts_with("__torch__.") || !seen_names_.insert(type.name()).second) return;
        // Its own text is made first: a class that it names may stand in the same file.
        std::string text;
        if (const auto* cls = type.as<ClassType>()) return write_class(*cls);
        if (const auto* tuple = type.as<TupleType>()) text = named_tuple(*tuple);
        else if (const auto* enumeration = type.as<EnumType>()) text = enum_class(*enumeration);
        else if (const auto* interface_type = type.as<InterfaceType>()) text = interface_class(*interface_type);
        file_of(qualifier(type.name())) += text;
    }

    static std::string named_tuple(const TupleType& type) {
        std::string text = concat("class ", last_part(type.name()), "(NamedTuple):\n");
        for (std::size_t i = 0; i < type.fields().size(); ++i) text += concat("  ", type.fields()[i], " : ", type.contained()[i]->annotation_str(), "\n");
        return text;
    }

    static std::string enum_class(const EnumType& type) {
        std::string text = concat("class ", last_part(type.name()), "(Enum):\n");
        for (const auto& [name, value] : type.values) text += concat("  ", name, " = ", constant_text(value), "\n");
        return text;
    }

    static std::string interface_class(const InterfaceType& type) {
        std::string text = concat("class ", last_part(type.name()), type.is_module() ? "(ModuleInterface):\n" : "(Interface):\n");
        for (const auto& method : type.methods) {
            text += concat("  def ", method->name, "(self");
            for (std::size_t i = 1; i < method->arguments.size(); ++i) {
                text += concat(", ", method->arguments[i].name, ": ", method->arguments[i].type->annotation_str());
            }
            text += concat(") -> ", method->returns.front().type->annotation_str(), ":\n    pass\n");
        }
        return text;
    }

    void write_function(const ir::ScriptFunction& function, std::size_t file, std::size_t indent) {
        FunctionWriter writer(function, code_.constants, indent);
        const std::string text = writer.write();
        for (const ir::GeneratedFrom& place : writer.places()) code_.places[file].push_back({code_.files[file].second.size() + place.offset, place.range});
        code_.files[file].second += text;
        code_.version = std::max(code_.version, writer.version());
        pending_.push_back(writer.dependencies());
    }
    void write_function(const ir::ScriptFunction& function, std::string& text, std::size_t indent) {
        write_function(function, static_cast<std::size_t>(std::find_if(code_.files.begin(), code_.files.end(),
                                                                       [&](const auto& file) { return &file.second == &text; }) -
                                                          code_.files.begin()),
                       indent);
    }

    void write_class(const ClassType& type) {
        std::string& text = file_of(qualifier(type.name()));
        text += concat("class ", last_part(type.name()), type.is_module() ? "(Module)" : "", ":\n");
        if (type.is_module()) {
            text += concat("  __parameters__ = [", names_of(type, AttributeKind::Parameter), "]\n");
            text += concat("  __buffers__ = [", names_of(type, AttributeKind::Buffer), "]\n");
        }
        Dependencies named;
        for (const ClassType::Attribute& attribute : type.attributes()) {
            const std::string annotation = attribute.type->annotation_str();
            named.types.push_back(attribute.type);
            if (is_identifier(attribute.name)) text += concat("  ", attribute.name, " : ", annotation, "\n");
            else text += concat("  __annotations__[", quoted(attribute.name), "] = ", annotation, "\n");
        }
        if (type.attributes().empty() && type.methods().empty() && !type.is_module()) text += "  pass\n";
        write_hooks(type, text);
        for (const auto& [name, method] : type.methods()) {
            const auto* script = dynamic_cast<const ir::ScriptFunction*>(method);
            if (script == nullptr) refuse(concat("method '", name, "' of '", type.name(), "' is no script"));
            write_function(*script, text, 1);
        }
        pending_.push_back(std::move(named));
    }

    // Before anything that calls them: they are found in their class.
    void write_hooks(const ClassType& type, std::string& text) {
        const auto list = [&](std::string_view name, const std::vector<Function*>& hooks) {
            if (hooks.empty()) return;
            text += concat("  ", name, " = [");
            for (const Function* hook : hooks) text += concat(quoted(hook->name()), ", ");
            text += "]\n";
        };
        list("__forward_pre_hooks__", type.forward_pre_hooks());
        list("__forward_hooks__", type.forward_hooks());
        for (const auto* hooks : {&type.forward_pre_hooks(), &type.forward_hooks()}) {
            for (const Function* hook : *hooks) {
                const auto* script = dynamic_cast<const ir::ScriptFunction*>(hook);
                if (script == nullptr) refuse(concat("hook '", hook->name(), "' of '", type.name(), "' is no script"));
                if (seen_names_.insert(script->qualified_name()).second) write_function(*script, text, 1);
            }
        }
    }

    static std::string names_of(const ClassType& type, AttributeKind kind) {
        std::string names;
        for (const ClassType::Attribute& attribute : type.attributes()) {
            if (attribute.kind == kind) names += concat(quoted(attribute.name), ", ");
        }
        return names;
    }

    // "__torch__.a.b" is code/__torch__/a/b.py.
    std::string& file_of(std::string qualifier) {
        std::replace(qualifier.begin(), qualifier.end(), '.', '/');
        const std::string name = concat("code/", qualifier, ".py");
        for (auto& [known, text] : code_.files) {
            if (known == name) return text;
        }
        code_.places.emplace_back();
        return code_.files.emplace_back(name, std::string()).second;
    }

    WrittenCode code_;
    std::unordered_set<const Object*> seen_objects_;
    std::unordered_set<std::string> seen_names_;
    std::vector<Dependencies> pending_;
};

}  // namespace

WrittenCode write_code(const nn::Module& module) { return CodeWriter(module).finish(); }

std::string write_function(const ir::ScriptFunction& function, std::vector<IValue>& constants, std::size_t indent) {
    return FunctionWriter(function, constants, indent).write();
}

}  // namespace loupe
