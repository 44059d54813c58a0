// SPDX-License-Identifier: Apache-2.0
#include "core/io/lite_reader.h"

#include "core/autograd/variable.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/io/bytecode_graph.h"
#include "core/io/byte_reader.h"
#include "core/io/pickle_values.h"
#include "core/io/torch_archive.h"
#include "core/ir/printer.h"

namespace loupe {
namespace {

constexpr std::int64_t kOldestBytecode = 4;
constexpr std::int64_t kNewestBytecode = 9;

// The file says no types: an attribute's is that of its value.
TypePtr type_of_attribute(const IValue& value) {
    if (value.is_tensor()) return types::tensor();
    return value.is_none() ? types::optional(types::tensor()) : type_of(value);
}

class LiteClasses final : public PickledClasses {
  public:
    explicit LiteClasses(ir::CompilationUnit& unit) : unit_(unit) {}

    IValue make(const PickleNode& node, ValueBuilder& builder) override {
        const std::string name(node.callable_name());
        if (!name.starts_with("__torch__.")) return NoClasses().make(node, builder);
        if (!node.is(PickleKind::Object) || node.call().state == nullptr) throw_file_error(concat("an object of ", quote_name(name), " without a state"));
        // Objects of one class may hold values of different types.
        const auto type = make_ptr<ClassType>(unit_.mangle(name), true);
        unit_.add_type(type);
        const auto module = make_ptr<nn::Module>(type);
        const auto& items = node.call().state->items();
        for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
            const std::string& attribute = items[i]->to_string();
            if (type->find_attribute(attribute)) throw_file_error(concat("two values for ", quote_name(attribute)));
            const IValue value = builder.build(*items[i + 1]);
            module->set_slot(type->add_attribute(attribute, type_of_attribute(value), kind_of(value)), value);
        }
        return Ptr<Object>(module);
    }

    TypePtr parse_type(std::string_view annotation) override { return lite_type(annotation, unit_, nullptr); }

    // self: what classes of the code stand for; null: the unit's.
    static TypePtr lite_type(std::string_view annotation, const ir::CompilationUnit& unit, const TypePtr& self) {
        try {
            return ::loupe::parse_type(annotation, [&](std::string_view name) { return self ? self : unit.find_type(name); });
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Internal) throw;
            throw_file_error(concat("bad type ", quote_name(annotation)));
        }
    }

  private:
    static AttributeKind kind_of(const IValue& value) {
        if (value.is_object()) return AttributeKind::Module;
        if (!value.is_tensor() || !value.to_tensor().defined()) return AttributeKind::Attribute;
        return requires_grad(value.to_tensor()) ? AttributeKind::Parameter : AttributeKind::Buffer;
    }

    ir::CompilationUnit& unit_;
};

// (("instructions", (...)), ("operators", (...)), ...): the part of that name.
const PickleNode& field(const PickleNode& node, std::string_view name) {
    for (const PickleRef pair : node.elements()) {
        if (pair->tuple(2)[0]->to_string() == name) return *pair->tuple(2)[1];
    }
    throw_file_error(concat("bytecode without ", name));
}

class BytecodeReader {
  public:
    BytecodeReader(ir::CompilationUnit& unit, const nn::ModulePtr& module, ArchiveStorages& storages)
        : unit_(unit), module_(module), classes_(unit), builder_(storages, classes_) {}

    void read(const PickleNode& root) {
        const auto& parts = root.elements();
        if (parts.empty()) throw_file_error("empty bytecode");
        const std::int64_t version = parts[0]->to_int();
        if (version < kOldestBytecode || version > kNewestBytecode) {
            throw Error(ErrorKind::Unsupported, concat("bytecode version ", version, "; ", kOldestBytecode, " to ", kNewestBytecode, " are supported"));
        }
        for (std::size_t i = 1; i < parts.size(); ++i) add_method(*parts[i]);
    }

  private:
    void add_method(const PickleNode& node) {
        const auto& parts = node.elements();
        if (parts.size() < 2) throw_file_error("a function of the bytecode without code");
        const std::string& full = parts[0]->to_string();
        const std::string name = full.substr(full.rfind('.') + 1);
        BytecodeFunction function;
        if (parts.size() > 2) read_schema(*parts[2], function.schema);
        else guess_schema(function.schema);
        function.schema.name = name;
        read_code(*parts[1], function);
        const Ptr<ir::Graph> graph = graph_of(function);
        if (function.schema.returns.empty()) {
            Argument returned;
            returned.type = graph->outputs().at(0)->type();
            function.schema.returns.push_back(std::move(returned));
        }
        unit_.add_method(*module_->type(), make_ptr<ir::ScriptFunction>(concat(module_->type()->name(), ".", name), graph, function.schema));
    }

    void read_code(const PickleNode& code, BytecodeFunction& function) {
        for (const PickleRef each : field(code, "instructions").elements()) {
            const auto& parts = each->tuple(3);
            function.instructions.push_back({parts[0]->to_string(), parts[1]->to_int(), parts[2]->to_int()});
        }
        for (const PickleRef each : field(code, "operators").elements()) {
            const auto& parts = each->elements();
            if (parts.size() < 2) throw_file_error("an operator of the bytecode without an overload");
            function.operators.push_back({parts[0]->to_string(), parts[1]->to_string(), parts.size() > 2 ? parts[2]->to_int() : -1});
        }
        for (const PickleRef each : field(code, "constants").elements()) function.constants.push_back(builder_.build(*each));
        for (const PickleRef each : field(code, "types").elements()) {
            function.types.push_back(LiteClasses::lite_type(plain_type(each->to_string()), unit_, nullptr));
        }
    }

    // "__torch__.Point[NamedTuple, [[x, int],[y, float]]]" as the tuple that it is.
    static std::string plain_type(const std::string& text) {
        const std::size_t at = text.find("[NamedTuple, [");
        if (at == std::string::npos) return text;
        std::vector<std::string> elements;
        std::string_view rest = std::string_view(text).substr(at + 14);
        while (rest.starts_with("[") || rest.starts_with(",[") || rest.starts_with(", [")) {
            const std::size_t comma = rest.find(", ", rest.find('[') + 1);
            std::size_t depth = 1;
            std::size_t end = rest.find('[') + 1;
            for (; end < rest.size() && depth > 0; ++end) depth += rest[end] == '[' ? 1U : rest[end] == ']' ? ~std::size_t{0} : 0U;
            if (comma == std::string_view::npos || depth != 0 || comma + 2 > end - 1) break;
            elements.emplace_back(rest.substr(comma + 2, end - 1 - (comma + 2)));
            rest.remove_prefix(end);
        }
        return concat("Tuple[", join(elements, ", "), "]");
    }

    // (("arguments", ((("name", ..), ("type", ..), ("default_value", ..)), ...)), ("returns", ...)).
    void read_schema(const PickleNode& node, FunctionSchema& schema) {
        for (const bool is_return : {false, true}) {
            for (const PickleRef each : field(node, is_return ? "returns" : "arguments").elements()) {
                Argument argument;
                argument.name = field(*each, "name").to_string();
                const std::string& type = field(*each, "type").to_string();
                const bool is_self = !is_return && schema.arguments.empty();
                argument.type = is_self ? TypePtr(module_->type()) : LiteClasses::lite_type(plain_type(type), unit_, nullptr);
                const IValue value = builder_.build(field(*each, "default_value"));
                if (!value.is_none() && !is_self) argument.default_value = value;
                (is_return ? schema.returns : schema.arguments).push_back(std::move(argument));
            }
        }
        if (schema.arguments.empty()) throw_file_error("a method of the bytecode without self");
    }

    // Older files say nothing of arguments.
    void guess_schema(FunctionSchema& schema) const {
        for (const char* name : {"self", "input"}) {
            Argument argument;
            argument.name = name;
            argument.type = schema.arguments.empty() ? TypePtr(module_->type()) : types::tensor();
            schema.arguments.push_back(std::move(argument));
        }
    }

    ir::CompilationUnit& unit_;
    const nn::ModulePtr& module_;
    LiteClasses classes_;
    ValueBuilder builder_;
};

}  // namespace

ModelFile read_lite_archive(const Ptr<MappedFile>& file) {
    const TorchArchive archive(file);
    ModelFile model;
    model.unit = make_ptr<ir::CompilationUnit>();
    const Pickle data = archive.read_pickle("data.pkl");
    ArchiveStorages storages = archive.storages("data");
    LiteClasses classes(*model.unit);
    const IValue root = ValueBuilder(storages, classes).build(*data.root());
    model.module = nn::as_module(root);
    if (!model.module) throw_file_error(concat("holds ", value_type_name(root), ", not a module"));
    const Pickle bytecode = archive.read_pickle("bytecode.pkl");
    // Tensors among the constants stand with the constants of the code, or beside the bytecode.
    ArchiveStorages constants = archive.storages(archive.find("bytecode/0") != nullptr ? "bytecode" : "constants");
    BytecodeReader(*model.unit, model.module, constants).read(*bytecode.root());
    model.format = concat("Lite interpreter archive, bytecode version ", bytecode.root()->elements()[0]->to_int());
    return model;
}

}  // namespace loupe
