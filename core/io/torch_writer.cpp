// SPDX-License-Identifier: Apache-2.0
#include "core/io/torch_writer.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/io/code_writer.h"
#include "core/io/debug_records.h"
#include "core/io/lite_bytecode.h"
#include "core/io/lite_flatbuffer_writer.h"
#include "core/io/pickle_writer.h"
#include "core/io/zip_writer.h"

namespace loupe {
namespace {

constexpr const char* kFlatBuffer = ".ff";

class ArchiveWriter {
  public:
    explicit ArchiveWriter(const std::filesystem::path& path)
        : zip_(path), root_(concat(path.stem().string(), "/")), is_lite_(path.extension() == ".ptl") {}

    void add(std::string_view name, std::string_view payload) { zip_.add(concat(root_, name), payload); }
    // The pickle as "NAME.pkl", its storages as "NAME/0", "NAME/1", ...
    void add_pickle(const std::string& name, PickleWriter& pickle) {
        zip_.reserve(pickle.storage_bytes());
        add(name + ".pkl", pickle.finish());
        for (std::size_t i = 0; i < pickle.storages().size(); ++i) {
            const Storage& storage = *pickle.storages()[i];
            zip_.add(concat(root_, name, "/", i), {{static_cast<const std::byte*>(storage.data()), storage.bytes()}});
        }
    }
    // What the lite interpreter runs in place of the code, for files that are named so.
    void add_bytecode(const nn::Module& module) {
        if (!is_lite_) return;
        PickleWriter bytecode;
        bytecode.value(lite_bytecode(module));
        add_pickle("bytecode", bytecode);
    }
    void finish() { zip_.finish(); }

  private:
    ZipWriter zip_;
    std::string root_;
    bool is_lite_;
};

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
    archive.add_bytecode(*model.module);
    archive.add("version", concat(model.archive->version, "\n"));
    archive.finish();
}

void write_script_module(const nn::Module& module, const std::filesystem::path& path) {
    if (path.extension() == kFlatBuffer) return write_file_atomically(path, lite_flatbuffer(module));
    const WrittenCode code = write_code(module);
    ArchiveWriter archive(path);
    PickleWriter data;
    data.value(IValue(Ptr<Object>(const_cast<nn::Module*>(&module))));
    archive.add_pickle("data", data);
    for (std::size_t i = 0; i < code.files.size(); ++i) {
        archive.add(code.files[i].first, code.files[i].second);
        if (!code.places[i].empty()) archive.add(code.files[i].first + ".debug_pkl", write_debug_records(code.places[i]));
    }
    PickleWriter constants;
    constants.value(make_ptr<TupleObject>(code.constants));
    archive.add_pickle("constants", constants);
    archive.add_bytecode(module);
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
