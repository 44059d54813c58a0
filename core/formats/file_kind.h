// SPDX-License-Identifier: Apache-2.0
#pragma once
// The type of a file, by its contents only.

#include <string>

#include "core/base/file.h"

namespace loupe {

enum class FileKind {
    TorchScript,       // torch.jit.save, also with bytecode for the lite interpreter beside the code
    TorchScriptOld,    // of PyTorch before 1.2: model.json
    LiteArchive,       // .ptl without code
    LiteFlatBuffer,    // .ptl of PyTorch 1.13 and later
    Checkpoint,        // torch.save
    LegacyCheckpoint,  // torch.save before 1.6
    TarCheckpoint,     // torch.save before 0.2
    ExportedProgram,   // torch.export, .pt2
    Onnx,
    Safetensors,
    WeightsIndex,  // of weights in several files
    Gguf,
    Npz,
    Npy,
    Image,
    Recording,       // a recorded run, of tensorloupe-cli run --record
    ProfileTrace,    // of PyTorch's profiler
    MemorySnapshot,  // of PyTorch's allocator
    Other,           // known, but not supported; see the description
    Unknown,
};

struct FileIdentity {
    FileKind kind = FileKind::Unknown;
    std::string description;  // "a checkpoint (torch.save)"
    std::string hint;         // an alternative for the user; may be empty
};

// Throws Error (File) for ZIP archives that are damaged.
FileIdentity identify_file(const Ptr<MappedFile>& file);

}  // namespace loupe
