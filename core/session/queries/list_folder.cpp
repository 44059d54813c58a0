// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/list_folder.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/base/strings.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

namespace fs = std::filesystem;

std::string home_folder() {
    if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/') return home;
    const passwd* user = ::getpwuid(::getuid());
    return user != nullptr ? user->pw_dir : "/";
}

bool contains(const std::string& name, const std::string& part) {
    const auto same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
    return std::search(name.begin(), name.end(), part.begin(), part.end(), same) != name.end();
}

struct Found {
    std::string name;
    bool is_folder = false;
};

// What a link leads to needs a look, the others are known from the folder.
bool is_folder(const fs::directory_entry& entry) {
    std::error_code ignored;
    return entry.is_directory(ignored);
}

bool is_wanted(const ListFolderQuery& query, const Found& found) {
    if (!query.with_hidden && found.name.starts_with('.')) return false;
    if (!query.contains.empty() && !contains(found.name, query.contains)) return false;
    if (found.is_folder) return true;
    if (query.only_folders) return false;
    return query.patterns.empty() || std::ranges::any_of(query.patterns, [&](const std::string& pattern) {
               return ::fnmatch(pattern.c_str(), found.name.c_str(), FNM_CASEFOLD) == 0;
           });
}

FolderEntry entry_of(const fs::path& folder, const std::string& name) {
    FolderEntry entry{.name = name};
    const fs::path path = folder / name;
    struct stat facts {};
    if (::lstat(path.c_str(), &facts) == 0) entry.is_link = S_ISLNK(facts.st_mode);
    if (::stat(path.c_str(), &facts) != 0) {  // a link to nowhere, or round in a circle
        entry.kind = FolderEntry::Kind::Broken;
        entry.is_readable = false;
        return entry;
    }
    entry.kind = S_ISDIR(facts.st_mode)   ? FolderEntry::Kind::Folder
                 : S_ISREG(facts.st_mode) ? FolderEntry::Kind::File
                                          : FolderEntry::Kind::Other;
    const int wanted = entry.kind == FolderEntry::Kind::Folder ? R_OK | X_OK : R_OK;
    entry.is_readable = ::faccessat(AT_FDCWD, path.c_str(), wanted, AT_EACCESS) == 0;
    entry.bytes = S_ISREG(facts.st_mode) ? static_cast<std::int64_t>(facts.st_size) : 0;
    entry.changed = static_cast<std::int64_t>(facts.st_mtim.tv_sec) * 1000 + facts.st_mtim.tv_nsec / 1'000'000;
    return entry;
}

FolderPage list_folder_answer(const ListFolderQuery& query, QueryContext&) {
    FolderPage page;
    page.home = home_folder();
    std::error_code failed;
    fs::path path = query.path.empty() ? fs::path(page.home) : fs::path(query.path);
    if (query.path.starts_with("~/") || query.path == "~") path = page.home + query.path.substr(1);
    path = fs::canonical(path, failed);
    if (failed) {
        page.error = concat(query.path, ": ", failed.message());
        return page;
    }
    if (!fs::is_directory(path, failed)) {
        page.file = path.filename().string();
        path = path.parent_path();
    }
    page.path = path.string();
    if (path.has_relative_path()) page.parent = path.parent_path().string();
    std::vector<Found> all;
    auto at = fs::directory_iterator(path, failed);
    for (; !failed && at != fs::directory_iterator(); at.increment(failed)) {
        Found found{at->path().filename().string(), is_folder(*at)};
        if (is_wanted(query, found)) all.push_back(std::move(found));
    }
    if (failed) page.error = concat(page.path, ": ", failed.message());
    page.total = all.size();
    const auto before = [](const Found& a, const Found& b) {
        return a.is_folder != b.is_folder ? a.is_folder : a.name < b.name;
    };
    const std::uint64_t first = std::min<std::uint64_t>(query.first, all.size());
    const std::uint64_t count =
        std::min({query.count, ListFolderQuery::kMostEntries, static_cast<std::uint64_t>(all.size()) - first});
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = begin + static_cast<std::ptrdiff_t>(count);
    std::nth_element(all.begin(), begin, all.end(), before);
    std::partial_sort(begin, end, all.end(), before);
    for (auto each = begin; each != end; ++each) page.entries.push_back(entry_of(path, each->name));
    return page;
}

}  // namespace

const QueryRecord& ListFolderQuery::record() {
    static constexpr QueryRecord kRecord = query_record<ListFolderQuery, list_folder_answer>({.name = "list folder"});
    return kRecord;
}

}  // namespace loupe::session
