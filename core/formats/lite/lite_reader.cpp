// SPDX-License-Identifier: Apache-2.0
#include "core/formats/lite/lite_reader.h"

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/lite/lite_debug.h"
#include "core/formats/lite/lite_parts.h"
#include "core/formats/pickle/pickle_values.h"
#include "core/formats/pickle/torch_archive.h"

namespace loupe {
namespace {

constexpr std::int64_t kOldestBytecode = 4;
constexpr std::int64_t kNewestBytecode = 9;

// (("instructions", (...)), ("operators", (...)), ...): the part of that name.
const PickleNode& field(const PickleNode& node, std::string_view name) {
    for (const PickleRef pair : node.elements()) {
        if (pair->tuple(2)[0]->to_string() == name) return *pair->tuple(2)[1];
    }
    throw_file_error(concat("bytecode without ", name));
}

class BytecodeReader {
  public:
    BytecodeReader(ir::CompilationUnit& unit, const TorchArchive& archive)
        : unit_(unit),
          bytecode_(archive.read_pickle("bytecode.pkl")),
          places_(read_lite_places(archive)),
          // Tensors among the constants are with the constants of the code, or beside the bytecode.
          storages_(archive.storages(archive.find("bytecode/0") != nullptr ? "bytecode" : "constants")),
          builder_(storages_, classes_) {
        const auto& parts = bytecode_.root()->elements();
        if (parts.empty()) throw_file_error("empty bytecode");
        version_ = parts[0]->to_int();
        if (version_ < kOldestBytecode || version_ > kNewestBytecode) {
            throw Error(ErrorKind::Unsupported, concat("bytecode version ", version_, "; ", kOldestBytecode, " to ",
                                                       kNewestBytecode, " are supported"));
        }
        for (std::size_t i = 1; i < parts.size(); ++i) {
            const auto& function = parts[i]->elements();
            if (function.size() < 2) throw_file_error("a function of the bytecode without code");
            functions_.emplace_back(function[0]->to_string(), parts[i]);
        }
    }

    std::int64_t version() const { return version_; }

    void add_methods(nn::Module& module, const std::string& class_name) {
        for (const auto& [name, node] : functions_) {
            if (!is_of_inner_object(name, class_name))
                add_lite_method(unit_, module, name, function(name, *node, module.type()));
        }
    }

    // Null when the file has none of that name.
    PickleRef find(const std::string& qualified_name) const {
        for (const auto& [name, node] : functions_) {
            if (name == qualified_name) return node;
        }
        return nullptr;
    }

    BytecodeFunction function(const std::string& name, const PickleNode& node, const TypePtr& self) {
        const auto& parts = node.elements();
        BytecodeFunction function;
        if (parts.size() > 2) read_schema(*parts[2], self, function.schema);
        read_code(*parts[1], function);
        if (const auto found = places_.find(name); found != places_.end()) function.places = found->second;
        return function;
    }

  private:
    void read_code(const PickleNode& code, BytecodeFunction& function) {
        for (const PickleRef each : field(code, "instructions").elements()) {
            const auto& parts = each->tuple(3);
            function.instructions.push_back({parts[0]->to_string(), parts[1]->to_int(), parts[2]->to_int()});
        }
        for (const PickleRef each : field(code, "operators").elements()) {
            const auto& parts = each->elements();
            if (parts.size() < 2) throw_file_error("an operator of the bytecode without an overload");
            function.operators.push_back(
                {parts[0]->to_string(), parts[1]->to_string(), parts.size() > 2 ? parts[2]->to_int() : -1});
        }
        for (const PickleRef each : field(code, "constants").elements())
            function.constants.push_back(builder_.build(*each));
        for (const PickleRef each : field(code, "types").elements()) {
            function.types.push_back(lite_type(each->to_string(), unit_));
        }
    }

    // (("arguments", ((("name", ..), ("type", ..), ("default_value", ..)), ...)), ("returns", ...)).
    void read_schema(const PickleNode& node, const TypePtr& self, FunctionSchema& schema) {
        for (const bool is_return : {false, true}) {
            for (const PickleRef each : field(node, is_return ? "returns" : "arguments").elements()) {
                Argument argument;
                argument.name = field(*each, "name").to_string();
                const bool is_self = !is_return && schema.arguments.empty();
                argument.type = is_self ? self : lite_type(field(*each, "type").to_string(), unit_);
                const IValue value = builder_.build(field(*each, "default_value"));
                if (!value.is_none() && !is_self) argument.default_value = value;
                (is_return ? schema.returns : schema.arguments).push_back(std::move(argument));
            }
        }
    }

    // Constants hold no objects.
    class ConstantClasses final : public NoClasses {
      public:
        explicit ConstantClasses(ir::CompilationUnit& unit) : unit_(unit) {}
        TypePtr parse_type(std::string_view annotation) override { return lite_type(annotation, unit_); }

      private:
        ir::CompilationUnit& unit_;
    };

    ir::CompilationUnit& unit_;
    Pickle bytecode_;
    std::unordered_map<std::string, std::vector<LitePlace>> places_;
    ArchiveStorages storages_;
    ConstantClasses classes_{unit_};
    ValueBuilder builder_;
    std::vector<std::pair<std::string, PickleRef>> functions_;
    std::int64_t version_ = 0;
};

class LiteClasses final : public PickledClasses {
  public:
    LiteClasses(ir::CompilationUnit& unit, BytecodeReader& bytecode) : unit_(unit), bytecode_(bytecode) {}

    IValue make(const PickleNode& node, ValueBuilder& builder) override {
        const std::string name(node.callable_name());
        if (!name.starts_with("__torch__.")) return NoClasses().make(node, builder);
        if (!node.is(PickleKind::Object) || node.call().state == nullptr)
            throw_file_error(concat("an object of ", quote_name(name), " without a state"));
        const std::string set_state = concat(name, ".__setstate__");
        if (const PickleRef code = bytecode_.find(set_state)) {
            BytecodeFunction function = bytecode_.function(set_state, *code, types::any());
            const auto& arguments = function.schema.arguments;
            const IValue state = builder.build(*node.call().state, arguments.size() == 2 ? arguments[1].type : nullptr);
            return Ptr<Object>(restore_lite_module(unit_, name, std::move(function), state));
        }
        const nn::ModulePtr module = make_lite_module(unit_, name);
        const auto& items = node.call().state->items();
        for (std::size_t i = 0; i + 1 < items.size(); i += 2)
            add_lite_attribute(*module, items[i]->to_string(), builder.build(*items[i + 1]));
        return Ptr<Object>(module);
    }

    TypePtr parse_type(std::string_view annotation) override { return lite_type(annotation, unit_); }

  private:
    ir::CompilationUnit& unit_;
    BytecodeReader& bytecode_;
};

}  // namespace

ModelFile read_lite_archive(const Ptr<MappedFile>& file) {
    const TorchArchive archive(file);
    ModelFile model;
    model.unit = make_ptr<ir::CompilationUnit>();
    BytecodeReader bytecode(*model.unit, archive);
    const Pickle data = archive.read_pickle("data.pkl");
    ArchiveStorages storages = archive.storages("data");
    LiteClasses classes(*model.unit, bytecode);
    const IValue root = ValueBuilder(storages, classes).build(*data.root());
    model.module = nn::as_module(root);
    if (!model.module) throw_file_error(concat("holds ", value_type_name(root), ", not a module"));
    bytecode.add_methods(*model.module, std::string(data.root()->callable_name()));
    model.format = concat("Lite interpreter archive, bytecode version ", bytecode.version());
    return model;
}

}  // namespace loupe
