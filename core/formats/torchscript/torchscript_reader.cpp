// SPDX-License-Identifier: Apache-2.0
#include "core/formats/torchscript/torchscript_reader.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/pickle/pickle_values.h"
#include "core/formats/pickle/torch_archive.h"
#include "core/formats/torchscript/archive_code.h"
#include "core/ops/quantized/packed.h"
#include "core/passes/pass_manager.h"
#include "core/passes/pipeline.h"
#include "core/runtime/interpreter/interpreter.h"
#include "core/script/source_importer.h"
#include "core/value/schema.h"

namespace loupe {
namespace {

constexpr std::int64_t kNewestVersion = 10;
using Clock = std::chrono::steady_clock;
constexpr std::string_view kFunctionHolder = "__torch__.PlaceholderModule";

// Objects and enum values of the classes in the archive's code.
class ArchiveClasses final : public PickledClasses {
  public:
    ArchiveClasses(ir::CompilationUnit& unit, script::SourceImporter& importer) : unit_(unit), importer_(importer) {}

    IValue make(const PickleNode& node, ValueBuilder& builder) override {
        const std::string_view name = node.callable_name();
        if (!name.starts_with("__torch__.")) return NoClasses().make(node, builder);
        if (is_packed_class(name)) return make_packed(name, node, builder);
        if (name.starts_with("__torch__.torch.classes.")) {
            throw Error(ErrorKind::Unsupported,
                        concat("holds an object of ", quote_name(name), ", a class of C++, which is not supported"));
        }
        const TypePtr type = importer_.find_type(std::string(name));
        if (!type) throw_file_error(concat("the archive's code has no class ", quote_name(name)));
        if (const auto* enumeration = type->as<EnumType>()) {
            return make_enum(Ptr<const EnumType>(enumeration), node, builder);
        }
        const Ptr<ClassType> class_type = unit_.find_class(name);
        if (!class_type || !node.is(PickleKind::Object)) throw_file_error(concat(quote_name(name), " has no objects"));
        return make_object(class_type, node.call(), builder);
    }

    TypePtr parse_type(std::string_view annotation) override {
        try {
            return ::loupe::parse_type(annotation,
                                       [&](std::string_view name) { return importer_.find_type(std::string(name)); });
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Internal) throw;
            throw_file_error(concat("bad type ", quote_name(annotation)));
        }
    }

  private:
    IValue make_enum(const Ptr<const EnumType>& type, const PickleNode& node, ValueBuilder& builder) const {
        const PickleRef args = node.call().args;
        const IValue wanted = builder.build(args->is(PickleKind::Tuple) ? *args->tuple(1)[0] : *args, type->element());
        for (const auto& [name, value] : type->values) {
            if (values_equal(value, wanted)) return make_ptr<EnumValue>(type, name, value);
        }
        throw_file_error(concat(quote_name(type->name()), " has no value ", python_repr(wanted)));
    }

    static IValue make_packed(std::string_view name, const PickleNode& node, ValueBuilder& builder) {
        if (!node.is(PickleKind::Object) || node.call().state == nullptr)
            throw_file_error(concat("an object of ", quote_name(name), " without a state"));
        return unpickle_packed(name, builder.build(*node.call().state));
    }

    IValue make_object(const Ptr<ClassType>& type, const PickleCall& call, ValueBuilder& builder) {
        check_cancelled();
        if (call.state == nullptr)
            throw_file_error(concat("an object of ", quote_name(type->name()), " without a state"));
        const Ptr<Object> object = type->is_module() ? Ptr<Object>(make_ptr<nn::Module>(type)) : make_ptr<Object>(type);
        try {
            if (const Function* set_state = type->find_method("__setstate__")) {
                run_set_state(object, *set_state, *call.state, builder);
            } else {
                fill_slots(*object, *call.state, builder);
            }
        } catch (Error& error) {
            error.add_context({.scope = std::string(type->name())});
            throw;
        }
        mark_storages(*object);
        return object;
    }

    // Code of the file, which may not terminate.
    void run_set_state(const Ptr<Object>& object, const Function& set_state, const PickleNode& state,
                       ValueBuilder& builder) {
        const auto& arguments = set_state.schema().arguments;
        if (arguments.size() != 2) throw_file_error("__setstate__ does not take one state");
        std::vector<IValue> values{builder.build(state, arguments[1].type)};  // may recurse here for inner objects
        const auto start = Clock::now();
        const DeadlineScope deadline(time_to_restore_);
        runtime::run_method(object, "__setstate__", std::move(values));
        time_to_restore_ -= Clock::now() - start;
        const auto& attributes = object->type()->attributes();
        for (std::size_t slot = 0; slot < attributes.size(); ++slot) check_is_set(*object, slot);
    }

    static void fill_slots(Object& object, const PickleNode& state, ValueBuilder& builder) {
        const ClassType& type = *object.type();
        const auto& items = state.items();
        for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
            const std::string& name = items[i]->to_string();
            const auto slot = type.find_attribute(name);
            if (!slot) throw_file_error(concat("a value for ", quote_name(name), ", which the class does not have"));
            try {
                object.set_slot(*slot, builder.build(*items[i + 1], type.attributes()[*slot].type));
            } catch (const Error& error) {
                if (!error.context().scope.empty() || error.kind() != ErrorKind::File) throw;
                throw Error(ErrorKind::File, concat("attribute ", quote_name(name), ": ", error.message()),
                            error.context());
            }
        }
        for (std::size_t slot = 0; slot < type.attributes().size(); ++slot) check_is_set(object, slot);
    }

    // Code relies on the types of attributes, so every slot must hold a value of its type.
    static void check_is_set(const Object& object, std::size_t slot) {
        const auto& attribute = object.type()->attributes()[slot];
        const bool is_set = slot < object.slot_count() && !object.slot(slot).is_none();
        const TypeKind kind = attribute.type->kind();
        const bool may_be_none = kind == TypeKind::None || kind == TypeKind::Optional || kind == TypeKind::Tensor ||
                                 kind == TypeKind::Any || is_instance(IValue(), *attribute.type);
        if (!is_set && !may_be_none) throw_file_error(concat("no value for attribute ", quote_name(attribute.name)));
    }

    static void mark_storages(const Object& object) {
        const auto& attributes = object.type()->attributes();
        for (std::size_t slot = 0; slot < attributes.size() && slot < object.slot_count(); ++slot) {
            if (attributes[slot].kind == AttributeKind::Parameter && object.slot(slot).is_tensor()) {
                object.slot(slot).to_tensor().storage()->set_category(MemoryCategory::Parameter);
            }
        }
    }

    ir::CompilationUnit& unit_;
    script::SourceImporter& importer_;
    Clock::duration time_to_restore_ = std::chrono::seconds(5);  // left for all __setstate__ methods of the file
};

// Graphs as PyTorch's compiler leaves them.
void clean_graph(ir::Graph& graph) {
    static const passes::Pipeline pipeline = passes::pipeline_of("compile");
    passes::PassManager manager;
    manager.keep_snapshots(false);
    manager.verify_each(false);
    manager.run(graph, pipeline);
}

std::int64_t checked_version(const TorchArchive& archive) {
    const auto version = archive.version();
    if (!version) throw_file_error("archive without a version");
    if (*version > kNewestVersion) {
        throw Error(ErrorKind::Unsupported,
                    concat("file format version ", *version, "; the newest that is supported is ", kNewestVersion));
    }
    return *version;
}

std::vector<IValue> read_constants(const TorchArchive& archive) {
    if (archive.find("constants.pkl") == nullptr) return {};
    const Pickle pickle = archive.read_pickle("constants.pkl");
    ArchiveStorages storages = archive.storages("constants");
    NoClasses classes;
    ValueBuilder builder(storages, classes);
    std::vector<IValue> constants;
    for (const PickleRef element : pickle.root()->elements()) constants.push_back(builder.build(*element));
    return constants;
}

// Debug records and the _extra_files of torch.jit.save.
std::vector<std::pair<std::string, std::string>> other_records(const TorchArchive& archive) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 28;
    std::vector<std::pair<std::string, std::string>> records;
    std::uint64_t total = 0;
    for (const ZipEntry& entry : archive.zip().entries()) {
        if (entry.name.size() <= archive.root().size()) continue;
        std::string name = entry.name.substr(archive.root().size() + 1);
        if (!name.starts_with("extra/") && !(name.starts_with("code/") && name.ends_with(".debug_pkl"))) continue;
        total += std::min(entry.size, kMost);
        if (total > kMost) throw_file_error("more records beside the code than any model has");
        std::string bytes = archive.read(name);
        records.emplace_back(std::move(name), std::move(bytes));
    }
    return records;
}

}  // namespace

ModelFile read_torchscript(const Ptr<MappedFile>& file) {
    const TorchArchive archive(file);
    const std::int64_t version = checked_version(archive);
    const auto code = std::make_shared<const ArchiveCode>(archive);
    ModelFile model;
    model.unit = make_ptr<ir::CompilationUnit>();
    auto parts = std::make_shared<ArchiveParts>(ArchiveParts{version, read_constants(archive), other_records(archive)});
    const auto importer = make_ptr<script::SourceImporter>(
        *model.unit, parts->constants, [code](const std::string& qualifier) { return code->find(qualifier); },
        script::CompileOptions{.operator_version = version, .cleanup = clean_graph});

    const Pickle data = archive.read_pickle("data.pkl");
    ArchiveStorages storages = archive.storages("data");
    ArchiveClasses classes(*model.unit, *importer);
    const IValue root = ValueBuilder(storages, classes).build(*data.root());
    model.module = nn::as_module(root);
    if (!model.module) throw_file_error(concat("holds ", value_type_name(root), ", not a module"));
    model.is_function = model.module->type()->name() == kFunctionHolder;
    model.format = concat("TorchScript archive, version ", version);
    model.sources = code->sources();
    model.archive = std::move(parts);
    return model;
}

}  // namespace loupe
