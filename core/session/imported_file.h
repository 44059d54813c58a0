// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files that are looked at beside a model: no model is in them and nothing of them runs.

#include <cstdint>
#include <filesystem>

namespace loupe::session {

enum class ImportedKind : std::uint8_t {
    None,            // another file; it may be a model
    ProfileTrace,    // queries/read_trace.h
    MemorySnapshot,  // queries/read_snapshot.h
};
// By the first bytes; None for a file that cannot be read. Never throws.
ImportedKind imported_kind(const std::filesystem::path& file);

}  // namespace loupe::session
