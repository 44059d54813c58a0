// SPDX-License-Identifier: Apache-2.0
#pragma once
// A folder of the engine's machine, a page at a time, for a chooser of files there.

#include <cstdint>
#include <string>
#include <vector>

#include "core/session/query.h"

namespace loupe::session {

struct FolderEntry {
    enum class Kind { Folder, File, Other, Broken };  // Broken: a link that leads nowhere
    std::string name = {};
    Kind kind = Kind::File;  // of what a link leads to
    bool is_link = false;
    bool is_readable = true;
    std::int64_t bytes = 0;
    std::int64_t changed = 0;  // milliseconds since 1970
};
constexpr FolderEntry::Kind last_of(FolderEntry::Kind) { return FolderEntry::Kind::Broken; }
auto fields(Like<FolderEntry> auto& it) {
    return std::tie(it.name, it.kind, it.is_link, it.is_readable, it.bytes, it.changed);
}

struct FolderPage {
    std::string path = {};    // absolute, without links
    std::string file = {};    // the name in it of the file that was asked for; empty: a folder was
    std::string parent = {};  // empty: it has none
    std::string home = {};    // the user's
    std::vector<FolderEntry> entries = {};
    std::uint64_t total = 0;  // that match
    std::string error = {};   // one line
};
auto fields(Like<FolderPage> auto& it) {
    return std::tie(it.path, it.file, it.parent, it.home, it.entries, it.total, it.error);
}

struct ListFolderQuery {
    using Answer = FolderPage;
    static const QueryRecord& record();

    static constexpr std::uint64_t kMostEntries = 1000;  // a page

    std::string path = {};                   // empty: the user's home; of a file its folder
    std::vector<std::string> patterns = {};  // of files: "*.pt"; none: all. Folders match always
    std::string contains = {};               // of names, without regard to case
    bool only_folders = false;
    bool with_hidden = false;
    std::uint64_t first = 0;  // folders first, then by name
    std::uint64_t count = 200;
};
auto fields(Like<ListFolderQuery> auto& it) {
    return std::tie(it.path, it.patterns, it.contains, it.only_folders, it.with_hidden, it.first, it.count);
}

}  // namespace loupe::session
