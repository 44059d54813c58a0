// SPDX-License-Identifier: Apache-2.0
#include "core/base/file_sandbox.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <system_error>
#include <utility>

#include "core/base/open_beneath.h"
#include "core/base/strings.h"

namespace loupe {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;
constexpr std::string_view kNull = "/dev/null";
constexpr std::size_t kMostCopied = std::size_t{1} << 31;  // bytes of a file that is copied before it is changed

// --- paths ---

struct Resolved {
    fs::path path;  // absolute, without links and ".."
    bool exists = false;
};

// Empty when it was removed.
fs::path working_directory() {
    std::error_code failed;
    return fs::current_path(failed);
}

// The kernel ends a path at its first null byte: what is checked would not be what is opened.
void refuse_null(const std::string& path) {
    if (path.find('\0') != std::string::npos) throw SystemError(EINVAL, path, "embedded null byte");
}

// Follows every link. What does not exist, or cannot be looked at, is taken as it is written.
Resolved resolve(const fs::path& given, bool follows_last = true) {
    refuse_null(given.native());
    std::error_code removed;
    const fs::path absolute = fs::absolute(given, removed);
    if (removed) return {given, false};
    std::deque<std::string> left;
    for (const fs::path& part : absolute.relative_path()) left.push_back(part.string());
    Resolved at{"/", true};
    int links = 0;
    while (!left.empty()) {
        const std::string part = std::move(left.front());
        left.pop_front();
        if (part.empty() || part == ".") continue;
        if (part == "..") {
            at.path = at.path.parent_path();
            continue;
        }
        const fs::path next = at.path / part;
        struct stat facts {};
        if (!at.exists || ::lstat(next.c_str(), &facts) != 0) {
            at = {next, false};
            continue;
        }
        if (!S_ISLNK(facts.st_mode) || (left.empty() && !follows_last)) {
            at.path = next;
            continue;
        }
        std::error_code failed;
        const fs::path to = fs::read_symlink(next, failed);
        if (failed || ++links > kMostLinks) throw SystemError(ELOOP, given.string(), std::strerror(ELOOP));
        if (to.is_absolute()) at.path = "/";
        std::deque<std::string> more;
        for (const fs::path& piece : to.relative_path()) more.push_back(piece.string());
        left.insert(left.begin(), more.begin(), more.end());
    }
    return at;
}

// The path relative to the folder; none when it is not in it.
std::optional<std::string> inside(const fs::path& path, const fs::path& folder) {
    const auto [in_folder, in_path] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    if (in_folder != folder.end() && !(std::next(in_folder) == folder.end() && in_folder->empty())) return std::nullopt;
    fs::path out;
    for (auto part = in_path; part != path.end(); ++part) out /= *part;
    return out.empty() ? "." : out.string();
}

bool holds_home(const fs::path& folder) {
    if (folder == "/") return true;
    const char* home = std::getenv("HOME");
    return home != nullptr && *home != '\0' && inside(resolve(home).path, folder).has_value();
}

// Keys, settings, and what the system shows of itself are no part of a source that lies beside or above them.
bool is_private(const fs::path& folder, const fs::path& relative) {
    constexpr std::array<std::string_view, 4> kOfTheSystem{"dev", "proc", "run", "sys"};
    const std::string first = relative.begin()->string();
    if (folder == "/" && std::find(kOfTheSystem.begin(), kOfTheSystem.end(), first) != kOfTheSystem.end()) return true;
    const auto is_hidden = [](const fs::path& part) { return part != "." && part.native().starts_with('.'); };
    return std::any_of(relative.begin(), relative.end(), is_hidden);
}

// Devices and the like, which no permission opens, and what the system shows of processes.
bool is_never_permitted(const fs::path& canonical) {
    const std::optional<std::string> in_processes = inside(canonical, "/proc");
    if (in_processes && in_processes->front() >= '0' && in_processes->front() <= '9') return true;
    struct stat facts {};
    if (::lstat(canonical.c_str(), &facts) != 0) return false;
    return !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode) && !S_ISLNK(facts.st_mode);
}

FileRefusal::Access access_of(bool writes) { return writes ? FileRefusal::Access::Write : FileRefusal::Access::Read; }

std::string plain_name(const std::string& name) {
    std::string out;
    for (const char c : name.substr(0, 40)) {
        const bool is_plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        out += is_plain ? c : '_';
    }
    return out;
}

// --- system calls ---

[[noreturn]] void fail(int number, const std::string& path) { throw SystemError(number, path, std::strerror(number)); }

FileFacts facts_of(const struct stat& given) {
    return {static_cast<std::uint32_t>(given.st_mode), given.st_size, given.st_mtim.tv_sec, given.st_mtim.tv_nsec};
}

std::vector<std::string> names_in(FileHandle folder) {
    std::vector<std::string> names;
    DIR* const stream = ::fdopendir(folder.get());
    if (stream == nullptr) return names;
    folder.release();
    while (const dirent* entry = ::readdir(stream)) {
        const std::string name = entry->d_name;
        if (name != "." && name != "..") names.push_back(name);
    }
    ::closedir(stream);
    return names;
}

// Files in a folder and below it.
void count_files(int folder, std::size_t& files, std::uint64_t& bytes) {
    for (const std::string& name : names_in(FileHandle(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)))) {
        struct stat facts {};
        if (::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (!S_ISDIR(facts.st_mode)) {
            ++files;
            bytes += static_cast<std::uint64_t>(facts.st_size);
            continue;
        }
        const FileHandle below(::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        if (below.is_open()) count_files(below.get(), files, bytes);
    }
}

}  // namespace

bool can_be_permitted(const fs::path& path) {
    std::error_code failed;
    if (fs::exists(path, failed)) return true;
    const fs::path whole = fs::absolute(path, failed).lexically_normal();
    const fs::path name = whole.has_filename() ? whole : whole.parent_path();
    return !failed && fs::is_directory(name.parent_path(), failed);
}

bool FileFacts::is_folder() const { return S_ISDIR(mode); }
bool FileFacts::is_regular() const { return S_ISREG(mode); }

// --- permissions ---

FileSandbox::FileSandbox(Options options) : options_(std::move(options)) {
    set_source_folder(options_.source_folder);
    permit(options_.permissions);
}

FileSandbox::~FileSandbox() {
    try {
        finish();
    } catch (const std::exception&) {
        return;  // files that could not be removed stay
    }
}

void FileSandbox::set_source_folder(const fs::path& folder) {
    const std::lock_guard lock(mutex_);
    options_.source_folder = folder;
    std::error_code failed;
    if (folder.empty() || !fs::is_directory(folder, failed)) return;
    if (Root* const root = add_root(folder, false)) root->hides_private = holds_home(root->path);
}

void FileSandbox::permit(const FilePermissions& more) {
    const std::lock_guard lock(mutex_);
    for (const fs::path& path : more.read) {
        const Root* const root = root_of(resolve(path).path, false);
        if (root == nullptr || root->hides_private) add_root(path, false);
    }
    for (const fs::path& path : more.write) add_root(path, true);
}

FileSandbox::Root* FileSandbox::add_root(const fs::path& path, bool can_write) {
    const Resolved at = resolve(path);
    auto root = std::make_unique<Root>();
    root->path = at.path;
    root->can_write = can_write;
    std::error_code failed;
    const bool is_folder = fs::is_directory(at.path, failed);
    if (!is_folder) root->only = at.path.filename().string();
    root->may_become_folder = can_write && !at.exists;
    root->folder.reset(::open((is_folder ? at.path : at.path.parent_path()).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!root->folder.is_open()) return nullptr;  // nothing there to permit
    roots_.push_back(std::move(root));
    thread_.reset();
    return roots_.back().get();
}

// The deepest of those that permit it; of two for one folder the later, which the user has permitted.
const FileSandbox::Root* FileSandbox::root_of(const fs::path& canonical, bool writes) const {
    const auto permits = [&](const Root& root) {
        if (writes && !root.can_write) return false;
        if (!root.has_all_below()) return canonical == root.path;
        const auto relative = inside(canonical, root.path);
        return relative && !(root.hides_private && is_private(root.path, *relative));
    };
    const Root* best = nullptr;
    for (const auto& root : roots_) {
        const bool is_better = best == nullptr || root->path.native().size() >= best->path.native().size();
        if (is_better && permits(*root)) best = root.get();
    }
    return best;
}

FileSandbox::Root& FileSandbox::make_own_root(const std::string& name) {
    std::error_code failed;
    const fs::path folder = fs::temp_directory_path(failed);
    if (failed) {
        const char* const given = std::getenv("TMPDIR");
        fail(failed.value(), given != nullptr ? given : "/tmp");
    }
    std::string path = (resolve(folder).path / concat("tensorloupe-", plain_name(name), "-XXXXXX")).string();
    if (::mkdtemp(path.data()) == nullptr) fail(errno, path);
    Root* const root = add_root(path, true);
    if (root == nullptr || root->path != path) fail(ENOENT, path);
    return *root;
}

FileSandbox::Root& FileSandbox::fresh() {
    if (fresh_ == nullptr) fresh_ = &make_own_root(options_.name);
    return *fresh_;
}

FileSandbox::Root& FileSandbox::temporary() {
    if (temporary_ == nullptr) temporary_ = &make_own_root("temporary");
    return *temporary_;
}

void FileSandbox::run(const std::function<void()>& calls) {
    const std::lock_guard lock(mutex_);
    if (RestrictedThread::version() == 0) return calls();
    if (thread_ == nullptr) {
        std::vector<RestrictedThread::Rule> rules{{kNull, true}};
        for (const auto& root : roots_) {
            // The open folder itself, whatever has its name now.
            const bool is_file = !root->only.empty() && !root->can_write;
            rules.push_back(
                {is_file ? root->path : fs::path(concat("/proc/self/fd/", root->folder.get())), root->can_write});
            if (!is_file && ::access(rules.back().path.c_str(), F_OK) != 0)
                rules.back().path = root->only.empty() ? root->path : root->path.parent_path();
        }
        try {
            thread_ = std::make_unique<RestrictedThread>(std::move(rules));
        } catch (const std::system_error&) {
            fail(EAGAIN, options_.source_folder.string());
        }
    }
    thread_->run(calls);
}

int FileSandbox::call(const std::function<int()>& system_call) {
    int result = -1;
    int number = 0;
    run([&] {
        result = system_call();
        number = errno;
    });
    errno = number;
    return result;
}

bool FileSandbox::is_under_landlock() {
    run([] {});
    return thread_ != nullptr && thread_->is_restricted();
}

void FileSandbox::report(FileRefusal refusal) {
    if (!refused_.insert(concat(static_cast<int>(refusal.access), refusal.path)).second || !options_.refused) return;
    options_.refused(refusal);
}

// Of a device and the like in a place that is permitted.
void FileSandbox::fail_irregular(bool writes, const fs::path& canonical, const std::string& shown) {
    report({.path = canonical.string(), .access = access_of(writes), .allow = {}});
    throw SystemError(EINVAL, shown, "Invalid argument: no regular file");
}

void FileSandbox::refuse(bool writes, const fs::path& canonical, const std::string& shown) {
    if (is_never_permitted(canonical)) {
        report({.path = canonical.string(), .access = access_of(writes), .allow = {}});
        throw SystemError(EACCES, shown, "Permission denied to a model source");
    }
    fs::path allow = canonical.parent_path();
    struct stat facts {};
    const bool has_folder = ::lstat(allow.c_str(), &facts) == 0;
    if (::lstat(canonical.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode)) allow = canonical;
    while (allow.has_relative_path() && ::lstat(allow.c_str(), &facts) != 0) allow = allow.parent_path();
    // Of a folder that holds a home only what lies on the way.
    auto part = std::next(canonical.begin(), std::distance(allow.begin(), allow.end()));
    while (part != canonical.end() && holds_home(allow)) allow /= *part++;
    report({.path = canonical.string(),
            .access = access_of(writes),
            .allow = allow.string(),
            .lacks_folder = !has_folder});
    throw SystemError(
        EACCES, shown,
        concat("Permission denied to a model source (", has_folder ? "" : "its folder does not exist; ", "--allow-",
               writes ? "write " : "read ", allow.string(), has_folder ? " permits it)" : " permits to make it)"));
}

// --- finding files ---

// Relative to the working folder, of a path that is relative or in the fresh folder.
std::optional<fs::path> FileSandbox::in_working_folder(const std::string& given) const {
    refuse_null(given);
    const fs::path path(given);
    if (path.is_relative()) return path.lexically_normal();
    if (fresh_ == nullptr) return std::nullopt;
    const auto relative = inside(path.lexically_normal(), fresh_->path);
    return relative ? std::optional<fs::path>(*relative) : std::nullopt;
}

std::optional<FileSandbox::Place> FileSandbox::permitted_at(const fs::path& path, bool writes,
                                                            bool follows_last) const {
    const Resolved at = resolve(path, follows_last);
    const Root* const root = root_of(at.path, writes);
    if (root == nullptr) return std::nullopt;
    return Place{root, at.path, *inside(at.path, root->only.empty() ? root->path : root->path.parent_path())};
}

// Below the fresh folder: in the working directory, or beside the source.
std::optional<FileSandbox::Place> FileSandbox::readable_below(const fs::path& relative) const {
    for (const fs::path& folder : {working_directory(), options_.source_folder}) {
        if (folder.empty() || !resolve(folder / relative).exists) continue;
        if (auto place = permitted_at(folder / relative, false)) return place;
    }
    return std::nullopt;
}

FileSandbox::Place FileSandbox::place_to_read(const std::string& path) {
    const auto relative = in_working_folder(path);
    if (!relative) {
        if (auto place = permitted_at(path, false)) return *place;
        const Resolved at = resolve(path);
        if (!at.exists) fail(ENOENT, path);
        refuse(false, at.path, path);
    }
    const Resolved in_directory = resolve(working_directory() / *relative);
    if (in_directory.exists) {
        if (auto place = permitted_at(in_directory.path, true)) return *place;
    }
    if (fresh_ != nullptr && resolve(fresh_->path / *relative).exists) {
        if (auto place = permitted_at(fresh_->path / *relative, false)) return *place;
    }
    if (auto place = readable_below(*relative)) return *place;
    if (in_directory.exists) refuse(false, in_directory.path, path);
    fail(ENOENT, path);
}

FileSandbox::Place FileSandbox::place_to_write(const std::string& path) {
    const auto relative = in_working_folder(path);
    if (!relative) {
        if (auto place = permitted_at(path, true)) return *place;
        refuse(true, resolve(path).path, path);
    }
    if (auto place = permitted_at(working_directory() / *relative, true)) return *place;
    if (*relative->begin() == "..") refuse(true, resolve(working_directory() / *relative).path, path);
    auto place = permitted_at(fresh().path / *relative, true);
    if (!place || place->root != fresh_) refuse(true, resolve(working_directory() / *relative).path, path);
    make_folders_above(*relative);
    return *place;
}

FileSandbox::Place FileSandbox::place_to_change(const std::string& path) {
    const auto relative = in_working_folder(path);
    const auto existing = [&](const fs::path& at) {
        return resolve(at, false).exists ? permitted_at(at, true, false) : std::nullopt;
    };
    if (!relative) {
        if (auto place = existing(path)) return *place;
    } else {
        if (auto place = existing(working_directory() / *relative)) return *place;
        if (auto place = fresh_ == nullptr ? std::nullopt : existing(fresh_->path / *relative)) return *place;
    }
    const Place place = place_to_read(path);
    if (!resolve(place.path, false).exists) fail(ENOENT, path);
    report({.path = place.path.string(), .access = FileRefusal::Access::Remove, .allow = {}});
    throw SystemError(EPERM, path, "Operation not permitted: a model source removes and renames only what it has made");
}

// The parent folders of a file that is written into the fresh folder.
void FileSandbox::make_folders_above(const fs::path& relative) {
    fs::path at;
    for (const fs::path& part : relative.parent_path()) {
        at /= part;
        if (resolve(fresh().path / at).exists) continue;
        const auto below = readable_below(at);
        struct stat facts {};
        if (!below || ::lstat(below->path.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode)) return;
        make_folder_at(*permitted_at(fresh().path / at, true), at.string());
    }
}

void FileSandbox::copy_up(const fs::path& relative) {
    if (fresh_ != nullptr && resolve(fresh_->path / relative).exists) return;
    const auto below = readable_below(relative);
    if (!below) return;
    const FileHandle from(open_at(*below, O_RDONLY | O_NONBLOCK | O_NOCTTY));
    struct stat facts {};
    if (!from.is_open() || ::fstat(from.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) return;
    if (static_cast<std::uint64_t>(facts.st_size) > kMostCopied) fail(EFBIG, relative.string());
    const Place place = *permitted_at(fresh().path / relative, true);
    make_folders_above(relative);
    const FileHandle to(open_at(place, O_CREAT | O_EXCL | O_RDWR | O_NONBLOCK));
    if (!to.is_open()) return;
    note_made(identity_of(to.get()), place);
    try {
        copy_contents(from, to, relative, kMostCopied);
    } catch (const SystemError&) {
        // A part of it would be read in place of the whole.
        const Entry entry = entry_of(place, relative.string());
        call([&] { return ::unlinkat(entry.folder.get(), entry.name.c_str(), 0); });
        throw;
    }
}

FileSandbox::Entry FileSandbox::entry_of(const Place& place, const std::string& shown) {
    const std::size_t slash = place.relative.rfind('/');
    const std::string parent = slash == std::string::npos ? "." : place.relative.substr(0, slash);
    Entry entry;
    entry.name = slash == std::string::npos ? place.relative : place.relative.substr(slash + 1);
    if (entry.name == ".") fail(EBUSY, shown);
    entry.folder.reset(call([&] { return open_beneath(place.root->folder.get(), parent, O_PATH | O_DIRECTORY); }));
    if (!entry.folder.is_open()) fail(errno, shown);
    return entry;
}

int FileSandbox::open_at(const Place& place, int flags) {
    return call([&] { return open_beneath(place.root->folder.get(), place.relative, flags); });
}

void FileSandbox::note_made(const InodeId& made, const Place& place) {
    made_.insert(made);
    if (place.root != fresh_ || has_reported_fresh_ || !options_.wrote) return;
    has_reported_fresh_ = true;
    options_.wrote(fresh_->path.string());
}

// --- files ---

FileHandle FileSandbox::open_to_read(const std::string& path) {
    const std::lock_guard lock(mutex_);
    if (path == kNull) return FileHandle(::open(kNull.data(), O_RDONLY | O_CLOEXEC));
    const Place place = place_to_read(path);
    FileHandle file(open_at(place, O_RDONLY | O_NONBLOCK | O_NOCTTY));
    if (!file.is_open()) fail(errno, path);
    struct stat facts {};
    if (::fstat(file.get(), &facts) != 0) fail(errno, path);
    if (S_ISDIR(facts.st_mode)) fail(EISDIR, path);
    if (!S_ISREG(facts.st_mode)) fail_irregular(false, place.path, path);
    return file;
}

FileHandle FileSandbox::open_to_write(const std::string& path, Create create, Keep keep) {
    const std::lock_guard lock(mutex_);
    if (path == kNull) return FileHandle(::open(kNull.data(), O_RDWR | O_CLOEXEC));
    const auto relative = in_working_folder(path);
    if (create == Create::No && is_missing(path)) fail(ENOENT, path);
    const Place place = place_to_write(path);
    const bool is_there = create == Create::IfMissing && keep == Keep::Nothing ? false : find(path).has_value();
    if (create == Create::Always && is_there) fail(EEXIST, path);
    if (create == Create::No && !is_there) fail(ENOENT, path);
    if (relative && place.root == fresh_ && keep == Keep::Contents) copy_up(*relative);
    FileHandle file;
    for (int tries = 0; !file.is_open() && tries < 10; ++tries) {
        if (create != Create::No) {
            file.reset(open_at(place, O_CREAT | O_EXCL | O_RDWR | O_NONBLOCK | O_NOCTTY));
            if (file.is_open())
                note_made(identity_of(file.get()), place);
            else if (errno != EEXIST || create == Create::Always)
                break;
        }
        if (!file.is_open()) file.reset(open_at(place, O_RDWR | O_NONBLOCK | O_NOCTTY));
        if (!file.is_open() && errno != ENOENT) break;
    }
    if (!file.is_open()) fail(errno, path);
    struct stat facts {};
    if (::fstat(file.get(), &facts) != 0) fail(errno, path);
    if (!S_ISREG(facts.st_mode)) fail_irregular(true, place.path, path);
    if (facts.st_size > 0) MappedFile::detach_all(file);
    if (keep == Keep::Nothing && facts.st_size > 0 && ::ftruncate(file.get(), 0) != 0) fail(errno, path);
    return file;
}

FileTarget FileSandbox::target(const std::string& path) {
    const std::lock_guard lock(mutex_);
    if (path == kNull) return FileTarget(path);
    const Place place = place_to_write(path);
    Entry entry = entry_of(place, path);
    const Ptr<FileSandbox> self(this);
    auto in_folder = std::make_shared<FolderEntry>();
    in_folder->folder = std::move(entry.folder);
    in_folder->name = std::move(entry.name);
    in_folder->run = [self](const std::function<void()>& calls) { self->run(calls); };
    in_folder->written = [self, place](const InodeId& made) {
        const std::lock_guard inner(self->mutex_);
        self->note_made(made, place);
    };
    return {path, std::shared_ptr<const FolderEntry>(std::move(in_folder))};
}

Ptr<MappedFile> FileSandbox::map(const std::string& path) {
    const std::lock_guard lock(mutex_);
    auto file = MappedFile::map(open_to_read(path), path);
    // The program may have it open already, to write.
    if (root_of(place_to_read(path).path, true) != nullptr) file->detach();
    return file;
}

std::string FileSandbox::read_text(const std::string& path) {
    const auto file = map(path);
    return {reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size()};
}

// --- names ---

FileFacts FileSandbox::facts(const std::string& path) {
    const std::lock_guard lock(mutex_);
    struct stat found {};
    if (path == kNull) {
        if (::stat(kNull.data(), &found) != 0) fail(errno, path);
        return facts_of(found);
    }
    const Place place = place_to_read(path);
    const FileHandle file(open_at(place, O_PATH));
    if (!file.is_open() || ::fstat(file.get(), &found) != 0) fail(errno, path);
    return facts_of(found);
}

std::optional<FileFacts> FileSandbox::find(const std::string& path) {
    try {
        return facts(path);
    } catch (const SystemError&) {
        return std::nullopt;
    }
}

bool FileSandbox::is_missing(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return in_working_folder(path) ? !find(path) : !resolve(path).exists;
}

std::vector<std::string> FileSandbox::names(const std::string& path) {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> all;
    const auto add = [&](const Place& place) {
        FileHandle folder(open_at(place, O_RDONLY | O_DIRECTORY));
        if (!folder.is_open()) fail(errno, path);
        for (std::string& name : names_in(std::move(folder))) {
            const fs::path relative = place.relative == "." ? fs::path(name) : fs::path(place.relative) / name;
            const bool is_hidden = place.root->hides_private && is_private(place.root->path, relative);
            if (!is_hidden && place.root->has_all_below()) all.push_back(std::move(name));
        }
    };
    const Place first = place_to_read(path);
    add(first);
    // A folder in the fresh one also lists the folder that it overlays.
    if (const auto relative = in_working_folder(path); relative && first.root == fresh_) {
        if (const auto below = readable_below(*relative)) add(*below);
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

void FileSandbox::make_folder_at(const Place& place, const std::string& shown) {
    if (place.relative == ".") fail(EEXIST, shown);
    const Entry entry = entry_of(place, shown);
    if (call([&] { return ::mkdirat(entry.folder.get(), entry.name.c_str(), 0777); }) != 0) fail(errno, shown);
    made_.insert(identity_of(entry.folder.get(), entry.name.c_str()));
}

void FileSandbox::make_folder(const std::string& path) {
    const std::lock_guard lock(mutex_);
    if (in_working_folder(path) && find(path)) fail(EEXIST, path);
    make_folder_at(place_to_write(path), path);
}

void FileSandbox::require_writable(const std::string& path) {
    const std::lock_guard lock(mutex_);
    if (path != kNull) place_to_write(path);
}

void FileSandbox::check_made(const Entry& entry, const Place& place, const std::string& shown, const char* what) {
    if (made_.contains(identity_of(entry.folder.get(), entry.name.c_str()))) return;
    report({.path = place.path.string(), .access = FileRefusal::Access::Remove, .allow = {}});
    throw SystemError(EPERM, shown, concat("Operation not permitted: a model source ", what, " only what it has made"));
}

void FileSandbox::remove_file(const std::string& path) {
    const std::lock_guard lock(mutex_);
    const Place place = place_to_change(path);
    const Entry entry = entry_of(place, path);
    check_made(entry, place, path, "removes");
    if (call([&] { return ::unlinkat(entry.folder.get(), entry.name.c_str(), 0); }) != 0) fail(errno, path);
}

void FileSandbox::remove_folder(const std::string& path) {
    const std::lock_guard lock(mutex_);
    const Place place = place_to_change(path);
    const Entry entry = entry_of(place, path);
    check_made(entry, place, path, "removes");
    if (call([&] { return ::unlinkat(entry.folder.get(), entry.name.c_str(), AT_REMOVEDIR); }) != 0) fail(errno, path);
}

void FileSandbox::rename(const std::string& from, const std::string& to) {
    const std::lock_guard lock(mutex_);
    const Place old_place = place_to_change(from);
    const Entry old_entry = entry_of(old_place, from);
    check_made(old_entry, old_place, from, "renames");
    const Place new_place = place_to_write(to);
    const Entry new_entry = entry_of(new_place, to);
    struct stat facts {};
    const bool replaces = ::fstatat(new_entry.folder.get(), new_entry.name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0;
    if (replaces) check_made(new_entry, new_place, to, "replaces");
    if (call([&] {
            return ::renameat(old_entry.folder.get(), old_entry.name.c_str(), new_entry.folder.get(),
                              new_entry.name.c_str());
        }) != 0) {
        fail(errno, from);
    }
}

std::string FileSandbox::real_path(const std::string& path) {
    const std::lock_guard lock(mutex_);
    if (!in_working_folder(path)) return resolve(path).path.string();
    try {
        return place_to_read(path).path.string();
    } catch (const SystemError&) {
        // What leads out of the working directory is not looked for in the fresh folder.
        const fs::path relative = fs::path(path).lexically_normal();
        if (!relative.empty() && *relative.begin() == "..")
            return resolve(working_directory() / relative).path.string();
        return resolve(fs::path(working_folder()) / path).path.string();
    }
}

std::string FileSandbox::working_folder() {
    const std::lock_guard lock(mutex_);
    const Resolved directory = resolve(working_directory());
    if (root_of(directory.path, true) != nullptr) return directory.path.string();
    return fresh().path.string();
}

std::string FileSandbox::temporary_folder() {
    const std::lock_guard lock(mutex_);
    return temporary().path.string();
}

// --- the end ---

std::string FileSandbox::fresh_folder() const { return fresh_ == nullptr ? std::string() : fresh_->path.string(); }

void FileSandbox::discard() { discards_ = true; }

// Files that the program has made, and folders that are empty then.
void FileSandbox::remove_made_in(int folder) {
    for (const std::string& name : names_in(FileHandle(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)))) {
        struct stat facts {};
        if (::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (S_ISDIR(facts.st_mode)) {
            const FileHandle below(::openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
            if (below.is_open()) remove_made_in(below.get());
        }
        if (!made_.contains(identity_of(folder, name.c_str()))) continue;
        ::unlinkat(folder, name.c_str(), S_ISDIR(facts.st_mode) ? AT_REMOVEDIR : 0);
    }
}

void FileSandbox::finish() {
    thread_.reset();
    const auto remove = [this](const Root& root) {
        const FileHandle folder(::openat(root.folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (folder.is_open()) remove_made_in(folder.get());
        ::rmdir(root.path.c_str());
    };
    if (temporary_ != nullptr) remove(*temporary_);
    if (fresh_ == nullptr) return;
    std::size_t files = 0;
    std::uint64_t bytes = 0;
    const FileHandle folder(::openat(fresh_->folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.is_open() && !discards_) count_files(folder.get(), files, bytes);
    if (files == 0) return remove(*fresh_);
    if (options_.left) options_.left(fresh_->path.string(), files, bytes);
}

}  // namespace loupe
