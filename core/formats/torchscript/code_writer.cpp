// SPDX-License-Identifier: Apache-2.0
#include "core/formats/torchscript/code_writer.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/torchscript/function_writer.h"

namespace loupe {
namespace {

[[noreturn]] void refuse(std::string what) { throw Error(ErrorKind::Unsupported, std::move(what)); }

// Types of Final attributes; PyTorch reads them where CONSTANTS is not known.
std::string literal_text(const IValue& value) {
    if (value.is_double() && std::isinf(value.to_double())) return value.to_double() < 0 ? "-inf" : "inf";
    if (value.is_double() && std::isnan(value.to_double())) return "nan";
    if (value.is_device()) return concat("torch.device(", quoted(python_str(value)), ")");
    if (!value.is_tuple()) return constant_text(value);
    const auto& elements = value.to_tuple().elements;
    std::vector<std::string> texts;
    for (const IValue& element : elements) texts.push_back(literal_text(element));
    return concat("(", join(texts, ", "), elements.size() == 1 ? ",)" : ")");
}
bool has_literal(const IValue& value) {
    if (value.is_tuple()) return std::ranges::all_of(value.to_tuple().elements, has_literal);
    return value.is_none() || value.is_bool() || value.is_int() || value.is_double() || value.is_string() ||
           value.is_device();
}

class CodeWriter {
  public:
    explicit CodeWriter(const nn::Module& module) {
        visit(module);
        // Visited classes may name more.
        for (std::size_t i = 0; i < pending_.size(); ++i) write(CodeDependencies(pending_[i]));
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

    void write(const CodeDependencies& named) {
        for (const TypePtr& type : named.types) write_type(*type);
        for (const ir::ScriptFunction* function : named.functions) {
            if (seen_names_.insert(function->qualified_name()).second)
                write_function(*function, file_of(qualifier(function->qualified_name())), 0);
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
        if (type.name().empty() || !type.name().starts_with("__torch__.") || !seen_names_.insert(type.name()).second)
            return;
        // Its text is generated first: a class that it names may be in the same file.
        std::string text;
        if (const auto* cls = type.as<ClassType>()) return write_class(*cls);
        if (const auto* tuple = type.as<TupleType>())
            text = named_tuple(*tuple);
        else if (const auto* enumeration = type.as<EnumType>())
            text = enum_class(*enumeration);
        else if (const auto* interface_type = type.as<InterfaceType>())
            text = interface_class(*interface_type);
        file_of(qualifier(type.name())) += text;
    }

    static std::string named_tuple(const TupleType& type) {
        std::string text = concat("class ", last_part(type.name()), "(NamedTuple):\n");
        for (std::size_t i = 0; i < type.fields().size(); ++i)
            text += concat("  ", type.fields()[i], " : ", type.contained()[i]->annotation_str(), "\n");
        return text;
    }

    static std::string enum_class(const EnumType& type) {
        std::string text = concat("class ", last_part(type.name()), "(Enum):\n");
        for (const auto& [name, value] : type.values) text += concat("  ", name, " = ", constant_text(value), "\n");
        return text;
    }

    static std::string interface_class(const InterfaceType& type) {
        std::string text =
            concat("class ", last_part(type.name()), type.is_module() ? "(ModuleInterface):\n" : "(Interface):\n");
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
        for (const ir::GeneratedFrom& place : writer.places())
            code_.places[file].push_back({code_.files[file].second.size() + place.offset, place.range});
        code_.files[file].second += text;
        code_.version = std::max(code_.version, writer.version());
        pending_.push_back(writer.dependencies());
    }
    void write_function(const ir::ScriptFunction& function, std::string& text, std::size_t indent) {
        write_function(function,
                       static_cast<std::size_t>(std::find_if(code_.files.begin(), code_.files.end(),
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
        CodeDependencies named;
        for (const ClassType::Attribute& attribute : type.attributes()) {
            const std::string annotation = attribute.type->annotation_str();
            named.types.push_back(attribute.type);
            if (is_code_identifier(attribute.name))
                text += concat("  ", attribute.name, " : ", annotation, "\n");
            else
                text += concat("  __annotations__[", quoted(attribute.name), "] = ", annotation, "\n");
        }
        const auto& constants = final_constants(type);
        for (const auto& [name, value] : constants) {
            if (has_literal(value))
                text += concat("  ", name, " : Final[", type_of(value)->annotation_str(), "] = ", literal_text(value),
                               "\n");
        }
        if (type.attributes().empty() && constants.empty() && type.methods().empty() && !type.is_module())
            text += "  pass\n";
        write_hooks(type, text);
        for (const auto& [name, method] : type.methods()) {
            const auto* script = dynamic_cast<const ir::ScriptFunction*>(method);
            if (script == nullptr) refuse(concat("method '", name, "' of '", type.name(), "' is no script"));
            write_function(*script, text, 1);
        }
        pending_.push_back(std::move(named));
    }

    // Before their callers: they are resolved in their class.
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
    std::vector<CodeDependencies> pending_;
};

}  // namespace

const ir::CompilationUnit::Constants& final_constants(const ClassType& type) {
    static const ir::CompilationUnit::Constants none;
    for (const auto& [name, method] : type.methods()) {
        const auto* script = dynamic_cast<const ir::ScriptFunction*>(method);
        if (script != nullptr && script->unit() != nullptr) return script->unit()->constants_of(type);
    }
    return none;
}

WrittenCode write_code(const nn::Module& module) { return CodeWriter(module).finish(); }

std::string code_of(const ir::ScriptFunction& function) {
    std::vector<IValue> constants;
    const auto& arguments = function.schema().arguments;
    const auto* self = arguments.empty() ? nullptr : arguments.front().type->as<ClassType>();
    const bool is_method = self != nullptr && arguments.front().name == "self";
    return FunctionWriter(function, constants, 0, is_method ? FirstArgument::Bare : FirstArgument::Typed).write();
}

}  // namespace loupe
