// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "core/base/file.h"
#include "core/base/strings.h"
#include "core/model/weights.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

FileBytes read_some(const ReadFileQuery& query, QueryContext&) {
    FileBytes out;
    // No FIFO is waited for.
    const FileHandle file(::open(query.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat facts {};
    if (!file.is_open() || ::fstat(file.get(), &facts) != 0)
        throw Error(ErrorKind::Usage, concat(query.path, ": ", std::strerror(errno)));
    if (!S_ISREG(facts.st_mode)) throw Error(ErrorKind::Usage, concat(query.path, ": it is no file"));
    out.size = static_cast<std::uint64_t>(facts.st_size);
    out.changed = static_cast<std::int64_t>(facts.st_mtim.tv_sec) * 1000 + facts.st_mtim.tv_nsec / 1'000'000;
    if (query.first >= out.size) return out;
    const std::uint64_t count = std::min({query.count, ReadFileQuery::kMostBytes, out.size - query.first});
    out.bytes.resize(static_cast<std::size_t>(count));
    std::size_t done = 0;
    while (done < out.bytes.size()) {
        const ssize_t got = ::pread(file.get(), out.bytes.data() + done, out.bytes.size() - done,
                                    static_cast<off_t>(query.first + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw Error(ErrorKind::File, concat(query.path, ": ", std::strerror(errno)));
        if (got == 0) break;  // it became shorter
        done += static_cast<std::size_t>(got);
    }
    out.bytes.resize(done);
    return out;
}

FileFacts look_at(const LookAtFileQuery& query, QueryContext&) {
    FileFacts facts;
    struct stat found {};
    facts.exists = ::stat(query.path.c_str(), &found) == 0;
    if (!facts.exists) {
        facts.error = concat(query.path, ": ", std::strerror(errno));
        return facts;
    }
    facts.is_folder = S_ISDIR(found.st_mode);
    facts.bytes = static_cast<std::int64_t>(found.st_size);
    facts.changed = static_cast<std::int64_t>(found.st_mtim.tv_sec) * 1000 + found.st_mtim.tv_nsec / 1'000'000;
    facts.imported = imported_kind(query.path);
    facts.holds_weights = holds_weights(query.path);
    return facts;
}

std::string write_bytes(const WriteFileQuery& query, QueryContext&) {
    if (query.first == 0) {
        write_file_atomically(query.path, query.bytes);
        return {};
    }
    const std::string shown = query.path.string();
    const FileHandle file(::open(query.path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    struct stat facts {};
    if (!file.is_open() || ::fstat(file.get(), &facts) != 0)
        throw Error(ErrorKind::File, concat(shown, ": ", std::strerror(errno)));
    if (!S_ISREG(facts.st_mode) || static_cast<std::uint64_t>(facts.st_size) != query.first)
        throw Error(ErrorKind::File, concat(shown, ": it was changed meanwhile"));
    write_at(file, static_cast<std::size_t>(query.first), query.bytes, query.path);
    return {};
}

// More of a file goes only where the engine may write itself: into its own folder.
const std::filesystem::path& written_by(const void* query) {
    static const std::filesystem::path kNone;
    const auto& write = *static_cast<const WriteFileQuery*>(query);
    return write.first == 0 ? write.path : kNone;
}

// Removed when the process ends.
class OwnFolder {
  public:
    OwnFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "tensorloupe-given-XXXXXX").string();
        if (const char* made = ::mkdtemp(pattern.data())) path_ = made;
    }
    OwnFolder(const OwnFolder&) = delete;
    OwnFolder& operator=(const OwnFolder&) = delete;
    ~OwnFolder() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

std::string own_path(const std::string& wanted) {
    static const OwnFolder folder;
    const std::filesystem::path name = std::filesystem::path(wanted).filename();
    if (folder.path().empty()) throw Error(ErrorKind::Run, "there is no room for a file of this session");
    if (name.empty() || name == "." || name == "..")
        throw Error(ErrorKind::Usage, concat("'", wanted, "' is no name of a file"));
    return (folder.path() / name).string();
}

FileBytes own_file(const OwnFileQuery& query, QueryContext&) {
    FileBytes out;
    out.bytes = own_path(query.name);
    return out;
}

std::string remove_own_file(const RemoveOwnFileQuery& query, QueryContext&) {
    const std::string path = own_path(query.name);
    if (::unlink(path.c_str()) != 0 && errno != ENOENT)
        throw Error(ErrorKind::File, concat(path, ": ", std::strerror(errno)));
    return {};
}

}  // namespace

const QueryRecord& ReadFileQuery::record() {
    static constexpr QueryRecord kRecord = query_record<ReadFileQuery, read_some>({.name = "read file"});
    return kRecord;
}

const QueryRecord& LookAtFileQuery::record() {
    static constexpr QueryRecord kRecord = query_record<LookAtFileQuery, look_at>({.name = "look at file"});
    return kRecord;
}

const QueryRecord& WriteFileQuery::record() {
    static constexpr QueryRecord kRecord = [] {
        QueryRecord record = query_record<WriteFileQuery, write_bytes>({.name = "write file"});
        record.written = written_by;
        return record;
    }();
    return kRecord;
}

const QueryRecord& OwnFileQuery::record() {
    static constexpr QueryRecord kRecord = query_record<OwnFileQuery, own_file>({.name = "own file"});
    return kRecord;
}

const QueryRecord& RemoveOwnFileQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<RemoveOwnFileQuery, remove_own_file>({.name = "remove own file"});
    return kRecord;
}

}  // namespace loupe::session
