// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files of the engine's machine, for a window that is on another one: a piece of one, and a new one.

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/session/imported_file.h"
#include "core/session/query.h"

namespace loupe::session {

constexpr ImportedKind last_of(ImportedKind) { return ImportedKind::MemorySnapshot; }

struct FileBytes {
    std::string bytes = {};
    std::uint64_t size = 0;    // of the whole file
    std::int64_t changed = 0;  // milliseconds since 1970
    std::string error = {};    // one line
};
auto fields(Like<FileBytes> auto& it) { return std::tie(it.bytes, it.size, it.changed, it.error); }

struct ReadFileQuery {
    using Answer = FileBytes;
    static const QueryRecord& record();

    static constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 20;  // an answer

    std::string path = {};
    std::uint64_t first = 0;
    std::uint64_t count = kMostBytes;  // 0: only what it is
};
auto fields(Like<ReadFileQuery> auto& it) { return std::tie(it.path, it.first, it.count); }

// What a file is, as far as a window wants to know before it opens it.
struct FileFacts {
    bool exists = false;
    bool is_folder = false;
    std::int64_t bytes = 0;
    std::int64_t changed = 0;  // milliseconds since 1970
    ImportedKind imported = ImportedKind::None;
    bool holds_weights = false;
    std::string error = {};  // one line
};
auto fields(Like<FileFacts> auto& it) {
    return std::tie(it.exists, it.is_folder, it.bytes, it.changed, it.imported, it.holds_weights, it.error);
}

struct LookAtFileQuery {
    using Answer = FileFacts;
    static const QueryRecord& record();

    std::string path = {};
};
auto fields(Like<LookAtFileQuery> auto& it) { return std::tie(it.path); }

// A file in place of what is there, all at once; or more of one that has so many bytes, in the order of its bytes. The
// answer is empty, or says why not.
struct WriteFileQuery {
    using Answer = std::string;
    static const QueryRecord& record();

    std::filesystem::path path = {};
    std::string bytes = {};
    std::uint64_t first = 0;  // 0: the file begins anew
};
auto fields(Like<WriteFileQuery> auto& it) { return std::tie(it.path, it.bytes, it.first); }

// Where the engine may keep a file that only this session reads: a folder that is gone with the engine.
struct OwnFileQuery {
    using Answer = FileBytes;  // bytes: the path of the new file
    static const QueryRecord& record();

    std::string name = {};  // its last part
};
auto fields(Like<OwnFileQuery> auto& it) { return std::tie(it.name); }

// Such a file is needed no more: it was brought, or was never sent whole. The answer is empty, or says why not.
struct RemoveOwnFileQuery {
    using Answer = std::string;
    static const QueryRecord& record();

    std::string name = {};  // its last part
};
auto fields(Like<RemoveOwnFileQuery> auto& it) { return std::tie(it.name); }

}  // namespace loupe::session
