// SPDX-License-Identifier: Apache-2.0
#include "core/base/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/given_file.h"
#include "core/base/strings.h"
#include "core/base/temporary_name.h"

namespace loupe {
namespace {

namespace fs = std::filesystem;

constexpr int kReaderSeconds = 30;  // that a FIFO may go without taking a byte
constexpr int kMostLinks = 40;
constexpr std::size_t kPiece = std::size_t{1} << 16;  // bytes of one read or write

Error file_error(ErrorKind kind, const fs::path& path, std::string message) {
    return Error(kind, std::move(message), {.file = path.string()});
}

std::string_view kind_of_file(mode_t mode) {
    if (S_ISDIR(mode)) return "a folder";
    if (S_ISFIFO(mode)) return "a FIFO";
    if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
    return S_ISSOCK(mode) ? "a socket" : "no regular file";
}

// Closing the last descriptor of a replaced file frees its pages, which takes as long as writing them.
void close_aside(FileHandle file) {
    if (!file.is_open()) return;
    try {
        std::thread([fd = file.get()] { ::close(fd); }).detach();
        file.release();
    } catch (const std::system_error&) {
        return;
    }
}

// The target of a dangling link.
fs::path follow_links(fs::path path) {
    for (int count = 0; count < kMostLinks; ++count) {
        std::error_code failed;
        const fs::path to = fs::read_symlink(path, failed);
        if (failed) return path;
        path = path.parent_path() / to;
    }
    errno = ELOOP;
    return {};
}

bool is_same_file(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

// Standard output or error of this program, whose reader has it open; -1 for another file.
int our_output(const struct stat& facts) {
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
        struct stat own {};
        if (::fstat(fd, &own) == 0 && is_same_file(own, facts)) return fd;
    }
    return -1;
}

bool has_descriptor_names() {
    static const bool has = ::access("/proc/self/fd", X_OK) == 0;
    return has;
}

std::string descriptor_name(int fd) { return concat("/proc/self/fd/", fd); }

std::string temporary_name(std::string_view name) {
    static std::atomic<unsigned> counter = 0;
    return concat(".", name.substr(0, 200), ".", ::getpid(), "-", counter++);
}

// A file without a name, as a buffer to be written at commit.
FileHandle unnamed_file() {
    std::error_code failed;
    const fs::path folder = fs::temp_directory_path(failed);
    FileHandle file(failed ? -1 : ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    return file.is_open() ? std::move(file) : memory_file();
}

// All that are mapped now.
struct MappedFiles {
    std::mutex mutex;
    std::unordered_set<MappedFile*> files;
};

MappedFiles& mapped_files() {
    static auto* const all = new MappedFiles;  // outlives tensors that are static
    return *all;
}

}  // namespace

SystemError::SystemError(int number, std::string path, std::string message)
    : Error(ErrorKind::File, std::move(message), {.file = path}), number_(number), path_(std::move(path)) {}

// --- reading ---

Ptr<MappedFile> MappedFile::open(const fs::path& path) {
    // Opening a FIFO would wait for its writer.
    const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file.is_open()) throw file_error(ErrorKind::Usage, path, concat("cannot open: ", std::strerror(errno)));
    return map(file, path);
}

Ptr<MappedFile> MappedFile::map(const FileHandle& handle, const fs::path& path) {
    struct stat status {};
    if (::fstat(handle.get(), &status) != 0)
        throw file_error(ErrorKind::Usage, path, concat("cannot open: ", std::strerror(errno)));
    if (S_ISDIR(status.st_mode)) throw file_error(ErrorKind::Usage, path, "not a regular file: it is a folder");
    if (!S_ISREG(status.st_mode)) {
        throw Error(ErrorKind::Usage, concat("not a regular file: it is ", kind_of_file(status.st_mode)),
                    {.file = path.string(), .hint = "write its contents into a file first"});
    }
    Ptr<MappedFile> file(new MappedFile);
    file->path_ = path;
    file->size_ = static_cast<std::size_t>(status.st_size);
    if (file->size_ == 0) return file;
    // Without a reserve for pages that are written: a file may be larger than the memory.
    void* address = ::mmap(nullptr, file->size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, handle.get(), 0);
    if (address == MAP_FAILED && errno == ENOMEM)
        throw file_error(ErrorKind::Run, path, "out of memory: no address space to map it");
    if (address == MAP_FAILED) throw file_error(ErrorKind::File, path, concat("cannot map: ", std::strerror(errno)));
    file->data_ = static_cast<std::byte*>(address);
    file->file_ = identity_of(handle.get());
    MappedFiles& all = mapped_files();
    const std::lock_guard lock(all.mutex);
    all.files.insert(file.get());
    return file;
}

MappedFile::~MappedFile() {
    if (data_ == nullptr) return;
    MappedFiles& all = mapped_files();
    {
        const std::lock_guard lock(all.mutex);
        all.files.erase(this);
    }
    ::munmap(data_, size_);
}

void MappedFile::detach() {
    const std::lock_guard lock(mapped_files().mutex);
    copy_pages();
}

void MappedFile::detach_all(const FileHandle& file) {
    const InodeId id = identity_of(file.get());
    MappedFiles& all = mapped_files();
    const std::lock_guard lock(all.mutex);
    for (MappedFile* const mapped : all.files) {
        if (mapped->file_ == id) mapped->copy_pages();
    }
}

void MappedFile::copy_pages() {
    if (data_ == nullptr || is_detached_) return;
    void* const copy = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const auto no_memory = [&] {
        const std::string size = format_bytes(static_cast<double>(size_));
        return file_error(ErrorKind::Run, path_, concat("out of memory: a copy of ", size));
    };
    if (copy == MAP_FAILED) throw no_memory();
    std::memcpy(copy, data_, size_);
    // In one step: a thread that reads finds the one or the other.
    if (::mremap(copy, size_, size_, MREMAP_MAYMOVE | MREMAP_FIXED, data_) == MAP_FAILED) {
        ::munmap(copy, size_);
        throw no_memory();
    }
    is_detached_ = true;
}

std::string read_text_file(const fs::path& path) {
    const auto file = MappedFile::open(path);
    const auto bytes = file->bytes();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

FileHandle memory_file() { return FileHandle(::memfd_create("file", MFD_CLOEXEC)); }

std::string contents_of(const FileHandle& file, const fs::path& path, std::size_t most) {
    struct stat facts {};
    if (::fstat(file.get(), &facts) != 0) throw SystemError(errno, path.string(), std::strerror(errno));
    const auto size = static_cast<std::size_t>(std::max<off_t>(facts.st_size, 0));
    if (size > most) throw SystemError(EFBIG, path.string(), std::strerror(EFBIG));
    // The byte behind the end is asked for too: the read that finds nothing there is the last.
    std::string out(size + 1, '\0');
    std::size_t filled = 0;
    while (true) {
        if (filled == out.size()) out.resize(filled + kPiece);
        const ssize_t count = ::pread(file.get(), out.data() + filled, out.size() - filled, static_cast<off_t>(filled));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw SystemError(errno, path.string(), std::strerror(errno));
        filled += static_cast<std::size_t>(count);
        if (filled > most) throw SystemError(EFBIG, path.string(), std::strerror(EFBIG));
        if (count > 0) continue;
        out.resize(filled);
        return out;
    }
}

void copy_contents(const FileHandle& from, const FileHandle& to, const fs::path& path, std::size_t most) {
    std::vector<char> part(kPiece);
    std::size_t at = 0;
    while (true) {
        const ssize_t count = ::pread(from.get(), part.data(), part.size(), static_cast<off_t>(at));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw SystemError(errno, path.string(), std::strerror(errno));
        if (count == 0) return;
        const auto size = static_cast<std::size_t>(count);
        if (size > most - at) throw SystemError(EFBIG, path.string(), std::strerror(EFBIG));
        write_at(to, at, {part.data(), size}, path);
        at += size;
    }
}

void write_at(const FileHandle& file, std::size_t offset, std::string_view bytes, const fs::path& path) {
    while (!bytes.empty()) {
        const ssize_t count = ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw SystemError(errno, path.string(), std::strerror(errno));
        bytes.remove_prefix(static_cast<std::size_t>(count));
        offset += static_cast<std::size_t>(count);
    }
}

// --- writing ---

// The state of the target, and how the contents get there. Functions return false with errno set.
class AtomicFile::Place {
  public:
    bool find(const FileTarget& target) {
        if (target.into != nullptr) {
            into_ = target.into->get();
            return true;
        }
        if (target.entry != nullptr) {
            folder_ = target.entry->folder.get();
            name_ = target.entry->name;
            struct stat there {};
            if (::fstatat(folder_, name_.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT;
            return is_replaceable(there);
        }
        given_ = GivenFile::of(target.path);
        if (given_ != nullptr) {
            into_ = given_->file().get();
            // What another attempt has left.
            return ::ftruncate(into_, 0) == 0 && ::lseek(into_, 0, SEEK_SET) == 0;
        }
        struct stat there {};
        fs::path path;
        if (::stat(target.path.c_str(), &there) == 0) {
            if (S_ISDIR(there.st_mode)) return refuse(EISDIR);
            if (!S_ISREG(there.st_mode) || our_output(there) >= 0) return open_directly(target.path, there);
            std::error_code failed;
            path = fs::canonical(target.path, failed);
            if (failed) return refuse(failed.value());
            if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) return false;
            mode_ = there.st_mode & 0777;
            owner_ = there.st_uid;
            group_ = there.st_gid;
        } else {
            if (errno != ENOENT) return false;
            path = follow_links(target.path);
            if (path.empty()) return false;
            if (!path.has_filename()) return refuse(EISDIR);
        }
        name_ = path.filename().string();
        const fs::path parent = path.parent_path();
        own_folder_.reset(::open(parent.empty() ? "." : parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        folder_ = own_folder_.get();
        return folder_ >= 0;
    }

    // A file to write to: unnamed where the file system supports it, so that no temporary file can be left over.
    bool begin(FileHandle& file) {
        if (into_ >= 0) {
            file.reset(::fcntl(into_, F_DUPFD_CLOEXEC, 0));
            return file.is_open();
        }
        if (direct_.is_open()) {
            file = unnamed_file();
            return file.is_open();
        }
        if (has_descriptor_names()) {
            file.reset(::openat(folder_, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0666));
            is_unnamed_ = file.is_open();
        }
        for (int tries = 0; !file.is_open() && tries < 100; ++tries) {
            if (tries == 0 && has_descriptor_names() && errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
                return false;
            const std::string name = temporary_name(name_);
            file.reset(::openat(folder_, name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0666));
            if (file.is_open())
                temporary_.emplace(folder_, name);
            else if (errno != EEXIST)
                return false;
        }
        if (!file.is_open()) return false;
        if (mode_) {
            if (::fchown(file.get(), owner_, group_) != 0) errno = 0;  // only an administrator can
            ::fchmod(file.get(), *mode_);
        }
        return true;
    }

    bool finish(FileHandle& file) {
        if (given_ != nullptr) given_->note_written();
        if (into_ >= 0) return true;
        if (direct_.is_open()) return copy(file.get());
        FileHandle replaced(
            ::openat(folder_, name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW));
        if (is_unnamed_ && !link(file, replaced.is_open())) return false;
        // The rename failed: the file is still beside its target.
        if (!is_unnamed_ && ::close(file.release()) != 0) return false;
        if (temporary_) {
            if (::renameat(folder_, temporary_->name().c_str(), folder_, name_.c_str()) != 0) return false;
            temporary_->keep();
            temporary_.reset();
        }
        close_aside(std::move(replaced));
        return true;
    }

    InodeId identity() const {
        return direct_.is_open() || into_ >= 0 ? InodeId{} : identity_of(folder_, name_.c_str());
    }
    const char* reason() const { return reason_; }

  private:
    static bool refuse(int number) {
        errno = number;
        return false;
    }
    bool is_replaceable(const struct stat& there) {
        if (S_ISDIR(there.st_mode)) return refuse(EISDIR);
        if (!S_ISREG(there.st_mode)) return refuse(EINVAL);
        mode_ = there.st_mode & 0777;
        owner_ = there.st_uid;
        group_ = there.st_gid;
        return ::faccessat(folder_, name_.c_str(), W_OK, AT_EACCESS) == 0;
    }
    bool open_directly(const fs::path& path, const struct stat& there) {
        if (S_ISBLK(there.st_mode)) {
            reason_ = "it is a disk";
            return refuse(EPERM);
        }
        // Opened once more it would have a place of its own in the file, and one would write over the other.
        if (const int own = our_output(there); own >= 0) {
            direct_.reset(::fcntl(own, F_DUPFD_CLOEXEC, 0));
            return direct_.is_open();
        }
        // A FIFO without a reader would be waited for.
        direct_.reset(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
        if (!direct_.is_open() && errno == ENXIO) reason_ = "no program reads from it";
        return direct_.is_open();
    }
    bool link(FileHandle& file, bool is_there) {
        const std::string from = descriptor_name(file.get());
        if (!is_there && ::linkat(AT_FDCWD, from.c_str(), folder_, name_.c_str(), AT_SYMLINK_FOLLOW) == 0) return true;
        if (!is_there && errno != EEXIST) return false;
        for (int tries = 0; tries < 100; ++tries) {
            const std::string name = temporary_name(name_);
            temporary_.emplace(folder_, name);
            if (::linkat(AT_FDCWD, from.c_str(), folder_, name.c_str(), AT_SYMLINK_FOLLOW) == 0) return true;
            temporary_->keep();
            temporary_.reset();
            if (errno != EEXIST) return false;
        }
        return false;
    }
    bool copy(int from) {
        std::fflush(stdout);  // where it is standard output: behind what was printed
        std::vector<char> part(kPiece);
        off_t at = 0;
        while (true) {
            const ssize_t count = ::pread(from, part.data(), part.size(), at);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) return count == 0;
            if (!pass_on({part.data(), static_cast<std::size_t>(count)})) return false;
            at += count;
        }
    }
    bool pass_on(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t written = ::write(direct_.get(), bytes.data(), bytes.size());
            if (written >= 0) {
                bytes.remove_prefix(static_cast<std::size_t>(written));
                continue;
            }
            if (errno != EAGAIN && errno != EINTR) return false;
            pollfd waiting{direct_.get(), POLLOUT, 0};
            if (errno == EAGAIN && ::poll(&waiting, 1, kReaderSeconds * 1000) == 0) {
                reason_ = "its reader takes nothing";
                return refuse(ETIMEDOUT);
            }
        }
        return true;
    }

    int into_ = -1;
    GivenFile* given_ = nullptr;  // on the thread that writes
    FileHandle own_folder_;
    int folder_ = -1;
    std::string name_;
    FileHandle direct_;  // when open, receives the writes
    bool is_unnamed_ = false;
    std::optional<TemporaryName> temporary_;
    std::optional<mode_t> mode_;  // of the file that is replaced
    uid_t owner_ = 0;
    gid_t group_ = 0;
    const char* reason_ = nullptr;
};

AtomicFile::AtomicFile(FileTarget target) : target_(std::move(target)), place_(std::make_unique<Place>()) {
    bool is_ready = false;
    int reason = 0;
    run([&] {
        is_ready = place_->find(target_) && place_->begin(file_);
        reason = errno;
    });
    errno = reason;
    if (!is_ready) fail();
}

AtomicFile::~AtomicFile() {
    // Destroyed before its folder.
    try {
        run([this] { place_.reset(); });
    } catch (const std::exception&) {
        place_.reset();
    }
}

void AtomicFile::run(const std::function<void()>& calls) const {
    if (target_.entry != nullptr && target_.entry->run)
        target_.entry->run(calls);
    else
        calls();
}

void AtomicFile::write(std::span<const std::byte> bytes) {
    // The kernel takes several times longer for pieces of many megabytes: it gathers pages for all of a piece first.
    while (!bytes.empty()) {
        const auto written = ::write(file_.get(), bytes.data(), std::min(bytes.size(), kPiece));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail();
        bytes = bytes.subspan(static_cast<std::size_t>(written));
        size_ += static_cast<std::uint64_t>(written);
    }
}

void AtomicFile::overwrite(std::uint64_t offset, std::string_view text) {
    while (!text.empty()) {
        const auto written = ::pwrite(file_.get(), text.data(), text.size(), static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) fail();
        text.remove_prefix(static_cast<std::size_t>(written));
        offset += static_cast<std::uint64_t>(written);
    }
}

void AtomicFile::reserve(std::uint64_t bytes) {
    // Not posix_fallocate, which writes zeros where the file system cannot reserve.
    if (bytes == 0 || ::fallocate(file_.get(), 0, static_cast<off_t>(size_), static_cast<off_t>(bytes)) == 0)
        is_reserved_ = true;
    else if (errno == ENOSPC || errno == EFBIG)
        fail();
}

void AtomicFile::commit() {
    if (is_reserved_ && ::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) fail();
    bool is_done = false;
    int reason = 0;
    InodeId made;
    run([&] {
        is_done = place_->finish(file_);
        reason = errno;
        if (is_done) made = place_->identity();
    });
    errno = reason;
    if (!is_done) fail();
    file_.reset();
    if (target_.entry != nullptr && target_.entry->written) target_.entry->written(made);
}

void AtomicFile::fail() const {
    const char* const reason = place_->reason();
    throw file_error(ErrorKind::File, target_.path,
                     concat("cannot write: ", reason != nullptr ? reason : std::strerror(errno)));
}

void write_file_atomically(const FileTarget& target, std::string_view contents) {
    AtomicFile file(target);
    file.write(contents);
    file.commit();
}

}  // namespace loupe
