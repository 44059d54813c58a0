// SPDX-License-Identifier: Apache-2.0
#include "core/model/weights.h"

#include "core/base/error.h"
#include "core/formats/checkpoint/weights_file.h"
#include "core/formats/file_kind.h"

namespace loupe::session {

bool is_weights_only(const std::filesystem::path& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return is_weights_folder(path);
    switch (identify_file(MappedFile::open(path)).kind) {
        case FileKind::Checkpoint:
        case FileKind::LegacyCheckpoint:
        case FileKind::TarCheckpoint:
        case FileKind::Npz:
        case FileKind::Safetensors:
        case FileKind::WeightsIndex:
            return true;
        default:
            return false;
    }
}

bool holds_weights(const std::filesystem::path& path) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored) && !std::filesystem::is_directory(path, ignored)) return false;
    try {
        return is_weights_only(path);
    } catch (const Error&) {
        return false;  // damaged, or not to be read: opening it says how
    }
}

std::filesystem::path weights_beside(const std::filesystem::path& source) {
    std::error_code ignored;
    for (const char* extension : {".pt", ".pth", ".safetensors", ".safetensors.index.json", ".npz"}) {
        std::filesystem::path path = source;
        path.replace_extension(extension);
        if (std::filesystem::is_regular_file(path, ignored) && is_weights_only(path)) return path;
    }
    return {};
}

}  // namespace loupe::session
