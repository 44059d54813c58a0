// SPDX-License-Identifier: Apache-2.0
#include "core/formats/torch_writer.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/formats/archive/zip_writer.h"
#include "core/formats/lite/lite_bytecode.h"
#include "core/formats/lite/lite_debug.h"
#include "core/formats/lite/lite_flatbuffer_writer.h"
#include "core/formats/pickle/debug_records.h"
#include "core/formats/pickle/pickle_writer.h"
#include "core/formats/torchscript/code_writer.h"
#include "core/tensor/device_copy.h"

namespace loupe {
namespace {

constexpr const char* kFlatBuffer = ".ff";

class ArchiveWriter {
  public:
    explicit ArchiveWriter(const FileTarget& target)
        : zip_(target), root_(concat(target.path.stem().string(), "/")), is_lite_(target.path.extension() == ".ptl") {}

    void add(std::string_view name, std::string_view payload) { zip_.add(concat(root_, name), payload); }
    // The pickle as "NAME.pkl", its storages as "NAME/0", "NAME/1", ...
    void add_pickle(const std::string& name, PickleWriter& pickle) {
        zip_.reserve(pickle.storage_bytes());
        add(name + ".pkl", pickle.finish());
        for (std::size_t i = 0; i < pickle.storages().size(); ++i) {
            const Ptr<Storage> storage = on_host(pickle.storages()[i]);
            zip_.add(concat(root_, name, "/", i), {{static_cast<const std::byte*>(storage->data()), storage->bytes()}});
        }
    }
    // Bytecode for the lite interpreter, by the file's extension, and its debug records.
    void add_bytecode(const nn::Module& module, PlaceTags& tags) {
        if (!is_lite_) return;
        const LiteBytecode code = lite_bytecode(module);
        const LiteDebugRecords debug = lite_debug_records(module, code, tags);
        add_value("bytecode", code.functions);
        add_value("mobile_debug_handles", debug.handles);
        // PyTorch's name for places that are in no file's records.
        if (!debug.places.empty()) add("delegated_backends.debug_pkl", write_debug_records(debug.places, tags));
        add_value("callstack_debug_map", debug.calls);
    }
    void finish() { zip_.finish(); }

  private:
    void add_value(const std::string& name, const IValue& value) {
        PickleWriter pickle;
        pickle.value(value);
        add_pickle(name, pickle);
    }

    ZipWriter zip_;
    std::string root_;
    bool is_lite_;
};

// After the numbers of the archive's own records.
PlaceTags tags_behind(const ArchiveParts& archive) {
    std::int64_t last = -1;
    for (const auto& [name, bytes] : archive.records) {
        if (!name.ends_with(".debug_pkl")) continue;
        for (const TaggedPlace& each : parse_tagged_records(bytes)) last = std::max(last, each.tag);
    }
    return PlaceTags(last + 1);
}

}  // namespace

void write_torchscript(const ModelFile& model, const std::filesystem::path& path) {
    if (model.archive == nullptr || path.extension() == kFlatBuffer) return write_script_module(*model.module, path);
    ArchiveWriter archive(path);
    PickleWriter data;
    data.value(IValue(Ptr<Object>(model.module)));
    archive.add_pickle("data", data);
    for (const auto& source : model.sources) archive.add(*source->file(), source->text());
    for (const auto& [name, bytes] : model.archive->records) archive.add(name, bytes);
    PickleWriter constants;
    constants.value(make_ptr<TupleObject>(model.archive->constants));
    archive.add_pickle("constants", constants);
    PlaceTags tags = tags_behind(*model.archive);
    archive.add_bytecode(*model.module, tags);
    archive.add("version", concat(model.archive->version, "\n"));
    archive.finish();
}

void write_script_module(const nn::Module& module, const FileTarget& target) {
    if (target.path.extension() == kFlatBuffer) return write_file_atomically(target, lite_flatbuffer(module));
    const WrittenCode code = write_code(module);
    ArchiveWriter archive(target);
    PickleWriter data;
    data.value(IValue(Ptr<Object>(const_cast<nn::Module*>(&module))));
    archive.add_pickle("data", data);
    PlaceTags tags;
    for (std::size_t i = 0; i < code.files.size(); ++i) {
        archive.add(code.files[i].first, code.files[i].second);
        if (!code.places[i].empty())
            archive.add(code.files[i].first + ".debug_pkl", write_debug_records(code.places[i], tags));
    }
    PickleWriter constants;
    constants.value(make_ptr<TupleObject>(code.constants));
    archive.add_pickle("constants", constants);
    archive.add_bytecode(module, tags);
    archive.add(code.version < 6 ? "version" : ".data/version", concat(code.version, "\n"));
    archive.finish();
}

void write_state_dict(const NamedTensors& tensors, const std::filesystem::path& path) {
    ArchiveWriter archive(path);
    PickleWriter data;
    data.state_dict(tensors);
    archive.add_pickle("data", data);
    archive.add("version", "3\n");
    archive.finish();
}

}  // namespace loupe
