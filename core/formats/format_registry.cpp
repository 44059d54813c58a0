// SPDX-License-Identifier: Apache-2.0
#include "core/formats/format_registry.h"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/formats/checkpoint/distributed_checkpoint.h"
#include "core/formats/checkpoint/weights_file.h"
#include "core/formats/checkpoint/weights_tree.h"
#include "core/formats/exported/exported_reader.h"
#include "core/formats/exported/program_writer.h"
#include "core/formats/file_kind.h"
#include "core/formats/lite/lite_flatbuffer.h"
#include "core/formats/lite/lite_reader.h"
#include "core/formats/source_format.h"
#include "core/formats/torchscript/graph_text.h"
#include "core/formats/torchscript/torchscript_reader.h"

namespace loupe {
namespace {

bool is_kind(const Ptr<MappedFile>& file, FileKind kind) {
    try {
        return identify_file(file).kind == kind;
    } catch (const Error&) {
        return false;
    }
}
bool is_torchscript(const Ptr<MappedFile>& file) { return is_kind(file, FileKind::TorchScript); }
bool is_lite_flatbuffer(const Ptr<MappedFile>& file) { return is_kind(file, FileKind::LiteFlatBuffer); }
bool is_lite_archive(const Ptr<MappedFile>& file) { return is_kind(file, FileKind::LiteArchive); }

bool is_exported_program(const Ptr<MappedFile>& file) { return is_kind(file, FileKind::ExportedProgram); }

bool is_checkpoint(const Ptr<MappedFile>& file) {
    try {
        const FileKind kind = identify_file(file).kind;
        return kind == FileKind::Checkpoint || kind == FileKind::LegacyCheckpoint || kind == FileKind::TarCheckpoint;
    } catch (const Error&) {
        return false;
    }
}

ModelFile open_checkpoint(const Ptr<MappedFile>& file) {
    return weights_tree(read_checkpoint_weights(file->path()), identify_file(file).description);
}

bool is_safetensors(const Ptr<MappedFile>& file) { return is_kind(file, FileKind::Safetensors); }
bool is_index(const Ptr<MappedFile>& file) { return is_kind(file, FileKind::WeightsIndex); }

ModelFile open_weights(const Ptr<MappedFile>& file) {
    return weights_tree(read_weights_file(file->path()), identify_file(file).description);
}

ModelFile open_weights_folder(const std::filesystem::path& folder) {
    return weights_tree(read_weights_file(folder), is_distributed_checkpoint(folder)
                                                       ? "a checkpoint of torch.distributed.checkpoint"
                                                       : "a folder of weights");
}

ModelFile open_folder_with_readers(const std::filesystem::path& folder) {
    for (const FormatReader& reader : FormatRegistry::instance().readers()) {
        if (reader.accepts_folder && reader.accepts_folder(folder)) return reader.open_folder(folder);
    }
    throw Error(
        ErrorKind::File, "a folder that holds no model",
        {.hint =
             "folders that open hold .safetensors, pytorch_model.bin, or a .metadata of torch.distributed.checkpoint"});
}

ModelFile open_with_readers(const Ptr<MappedFile>& file) {
    for (const FormatReader& reader : FormatRegistry::instance().readers()) {
        if (reader.accepts && reader.accepts(file)) return reader.open(file);
    }
    const FileIdentity identity = identify_file(file);
    throw Error(ErrorKind::File, concat("not a model that can be opened: ", identity.description),
                {.hint = identity.hint});
}

// Errors while opening a file are reported as errors of the file.
ErrorKind as_file_error(ErrorKind kind) {
    return kind == ErrorKind::Run || kind == ErrorKind::Internal ? ErrorKind::File : kind;
}

}  // namespace

FormatRegistry::FormatRegistry() {
    readers_.push_back(python::model_source_format());
    readers_.push_back(python::pretrained_format());
    readers_.push_back({"checkpoint", {".pt", ".pth", ".bin", ".ckpt", ".tar"}, is_checkpoint, open_checkpoint});
    readers_.push_back(
        {"TorchScript archive", {".pt", ".pth", ".ptl", ".ts", ".torchscript"}, is_torchscript, read_torchscript});
    readers_.push_back({"graph text", {".ir", ".txt"}, is_graph_text, read_graph_text});
    readers_.push_back({"Lite interpreter FlatBuffer", {".ptl", ".ff"}, is_lite_flatbuffer, read_lite_flatbuffer});
    readers_.push_back({"safetensors", {".safetensors"}, is_safetensors, open_weights});
    readers_.push_back({"weights in several files", {".json"}, is_index, open_weights});
    readers_.push_back({"folder of weights", {}, nullptr, nullptr, is_weights_folder, open_weights_folder});
    readers_.push_back(python::gguf_format());
    readers_.push_back({"torch.export program", {".pt2"}, is_exported_program, read_exported_program});
    readers_.push_back({"Lite interpreter archive", {".ptl"}, is_lite_archive, read_lite_archive});
    writers_.push_back({"torch.export program", {".pt2"}, [](const WriteRequest& request, const WrittenFiles& to) {
                            write_exported_program(request, to.file);
                        }});
}

FormatRegistry& FormatRegistry::instance() {
    static FormatRegistry registry;
    return registry;
}

const FormatWriter* FormatRegistry::writer_for(const std::filesystem::path& path) const {
    const std::string extension = path.extension().string();
    const auto found = std::ranges::find_if(
        writers_, [&](const FormatWriter& writer) { return std::ranges::count(writer.extensions, extension) != 0; });
    return found == writers_.end() ? nullptr : &*found;
}

ModelFile open_model(const std::filesystem::path& path) {
    std::error_code failed;
    if (std::filesystem::is_directory(path, failed))
        return open_model_with(path, [&] { return open_folder_with_readers(path); });
    const auto file = MappedFile::open(path);
    return open_model_with(path, [&] { return open_with_readers(file); });
}

ModelFile open_model_with(const std::filesystem::path& path, const std::function<ModelFile()>& open) {
    try {
        return open();
    } catch (Error& error) {
        error.add_context({.file = path.string()});
        if (as_file_error(error.kind()) == error.kind()) throw;
        throw Error(as_file_error(error.kind()), error.message(), error.context());
    } catch (const std::bad_alloc&) {
        throw Error(ErrorKind::File, "needs more memory than there is", {.file = path.string()});
    } catch (const std::length_error&) {
        throw Error(ErrorKind::File, "holds something too long", {.file = path.string()});
    }
}

}  // namespace loupe
