// SPDX-License-Identifier: Apache-2.0
#include "core/formats/file_kind.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>

#include "core/base/strings.h"
#include "core/dispatch/plugin_list.h"
#include "core/formats/archive/byte_reader.h"
#include "core/formats/archive/zip_reader.h"
#include "core/formats/checkpoint/checkpoint.h"
#include "core/formats/checkpoint/weights_index.h"
#include "core/formats/profiler/snapshot_reader.h"
#include "core/formats/profiler/trace_reader.h"
#include "core/formats/safetensors/safetensors.h"

namespace loupe {
namespace {

constexpr const char* kSaveTorchScript = "save the model with torch.jit.save(torch.jit.script(model), \"model.pt\")";
constexpr const char* kLookAtIt = "look at it with tensorloupe FILE or tensorloupe-cli info FILE";
constexpr const char* kLoadWeights = "it holds weights without a program; load them into a model";

FileIdentity checkpoint(FileKind kind, std::string description) { return {kind, std::move(description), kLoadWeights}; }

FileIdentity identify_archive(const Ptr<MappedFile>& file) {
    const ZipReader archive(file);
    if (archive.entries().empty()) return {FileKind::Other, "an empty ZIP archive", {}};
    const std::string root = archive.entries().front().name.substr(0, archive.entries().front().name.find('/')) + "/";
    const auto has = [&](std::string_view name) { return archive.find(root + std::string(name)) != nullptr; };
    const auto any = [&](auto&& accepts) { return std::ranges::any_of(archive.entries(), accepts, &ZipEntry::name); };
    const auto all = [&](auto&& accepts) { return std::ranges::all_of(archive.entries(), accepts, &ZipEntry::name); };
    const auto is_code = [&](const std::string& name) {
        return name.starts_with(root + "code/") && name.ends_with(".py");
    };

    if (archive.find("recording/version") != nullptr) {
        return {FileKind::Recording, "a recorded run", kLookAtIt};
    }
    if (has("archive_format") ||
        any([](const std::string& name) { return name.ends_with("serialized_exported_program.json"); })) {
        return {FileKind::ExportedProgram, "a torch.export program (.pt2)", {}};
    }
    if (has(".data/extern_modules") || has(".data/python_version")) {
        return {FileKind::Other, "a torch.package archive, whose code Python imports",
                "in Python, load the model with torch.package.PackageImporter and save it with torch.jit.save"};
    }
    if (has("model.json")) {
        return {FileKind::TorchScriptOld, "a TorchScript archive of PyTorch before 1.2 (model.json)",
                "load and save it again with a newer PyTorch"};
    }
    if (has("data.pkl") && has("constants.pkl") && any(is_code))
        return {FileKind::TorchScript, "a TorchScript archive", {}};
    if (has("bytecode.pkl")) {
        return {FileKind::LiteArchive, "a lite interpreter archive without code (.ptl)", kSaveTorchScript};
    }
    if (has("data.pkl") && has("constants.pkl")) return {FileKind::TorchScript, "a TorchScript archive", {}};
    if (has("data.pkl")) return checkpoint(FileKind::Checkpoint, "a checkpoint (torch.save)");
    if (all([](const std::string& name) { return name.ends_with(".npy"); })) {
        return {FileKind::Npz, "NumPy arrays (.npz)", "give them as inputs of a model"};
    }
    if (archive.find("model.weights.h5") != nullptr) return {FileKind::Other, "a Keras model", {}};
    return {FileKind::Other, "a ZIP archive that holds no model", {}};
}

struct Signature {
    std::size_t offset;
    std::string_view bytes;
    FileKind kind;
    const char* description;
    const char* hint;
};
constexpr std::array<Signature, 9> kSignatures{{
    {0, "\x93NUMPY", FileKind::Npy, "a NumPy array (.npy)", "give it as an input of a model"},
    {0, "\x89PNG\r\n\x1a\n", FileKind::Image, "a PNG image", "give it as an input of a model"},
    {0, "\xff\xd8\xff", FileKind::Image, "a JPEG image", "give it as an input of a model"},
    {0, "\x89HDF\r\n\x1a\n", FileKind::Other, "an HDF5 file (Keras)", ""},
    {0, "GGUF", FileKind::Gguf, "a GGUF model (llama.cpp)", ""},
    {4, "PTMF", FileKind::LiteFlatBuffer, "a lite interpreter FlatBuffer (.ptl)", kSaveTorchScript},
    {4, "TFL3", FileKind::Other, "a TensorFlow Lite model", ""},
    {257, "ustar", FileKind::TarCheckpoint, "a tar archive, as torch.save wrote before PyTorch 0.2", kLoadWeights},
    {0,
     "\x7f"
     "ELF",
     FileKind::Other, "a program or library", ""},
}};

// A protobuf that starts with the version of the IR, a small number, followed by one of ModelProto's fields.
// A message whose first field is ir_version, which may be one of years to come, and the second one of ModelProto's.
bool looks_like_onnx(std::span<const std::byte> bytes) {
    constexpr std::size_t kLongestVersion = 5;
    if (bytes.size() < 4 || bytes[0] != std::byte{0x08} || bytes[1] == std::byte{0}) return false;
    std::size_t at = 1;
    while (at < std::min(kLongestVersion, bytes.size() - 1) && bytes[at] > std::byte{0x7f}) ++at;
    if (bytes[at] > std::byte{0x7f} || at + 1 >= bytes.size()) return false;
    constexpr std::array<std::uint8_t, 7> kNextFields{0x12, 0x1a, 0x22, 0x28, 0x32, 0x3a, 0x42};
    return std::ranges::find(kNextFields, static_cast<std::uint8_t>(bytes[at + 1])) != kNextFields.end();
}

bool looks_like_text(std::string_view text) {
    return std::ranges::all_of(text.substr(0, 512), [](char c) {
        return static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\r' || c == '\t';
    });
}

std::string first_bytes(std::span<const std::byte> bytes) {
    std::string out;
    for (const std::byte byte : bytes.first(std::min<std::size_t>(bytes.size(), 8))) {
        std::array<char, 4> hex{};
        std::snprintf(hex.data(), hex.size(), " %02x", static_cast<unsigned>(byte));
        out += hex.data();
    }
    return out;
}

}  // namespace

FileIdentity identify_file(const Ptr<MappedFile>& file) {
    const auto bytes = std::span<const std::byte>(file->bytes());
    const std::string_view text = as_text(bytes);
    if (bytes.empty()) return {FileKind::Unknown, "an empty file", {}};
    if (is_zip(bytes)) return identify_archive(file);
    if (is_memory_snapshot(bytes))
        return {FileKind::MemorySnapshot, "a memory snapshot of PyTorch's allocator", kLookAtIt};
    if (is_profile_trace(bytes)) return {FileKind::ProfileTrace, "a trace of PyTorch's profiler", kLookAtIt};
    if (is_legacy_checkpoint(bytes)) {
        return checkpoint(FileKind::LegacyCheckpoint, "a checkpoint of PyTorch before 1.6 (torch.save)");
    }
    for (const auto& signature : kSignatures) {
        if (text.size() > signature.offset && text.substr(signature.offset).starts_with(signature.bytes)) {
            return {signature.kind, signature.description, signature.hint};
        }
    }
    if (is_weights_index(file)) {
        const bool is_safetensors = file->path().filename().string().find(".safetensors") != std::string::npos;
        return checkpoint(FileKind::WeightsIndex, is_safetensors ? "weights (.safetensors) in several files"
                                                                 : "weights (torch.save) in several files");
    }
    // One that is damaged at its start is known by its name, and its reader says what is wrong.
    if (looks_like_safetensors(bytes) || file->path().extension() == ".safetensors")
        return checkpoint(FileKind::Safetensors, "weights (.safetensors)");
    if (looks_like_onnx(bytes))
        return {FileKind::Onnx, "an ONNX model", concat("the plugin onnx reads it, and ", plugin_absence("onnx"))};
    if (text.size() > 1 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5) {
        return {FileKind::Other, "a Python pickle", kSaveTorchScript};
    }
    if (looks_like_text(text)) return {FileKind::Other, "a text file", {}};
    return {FileKind::Unknown, concat("no known kind of file; it starts with the bytes", first_bytes(bytes)), {}};
}

}  // namespace loupe
