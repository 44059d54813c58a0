// SPDX-License-Identifier: Apache-2.0
#pragma once
// File access of untrusted programs. A model source accesses files only through one of these.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/file_handle.h"
#include "core/base/ref_counted.h"
#include "core/base/restricted_thread.h"

namespace loupe {

// What the user permits: folders with all below them, and single files. For writing also a file or folder that does not
// exist yet.
struct FilePermissions {
    std::vector<std::filesystem::path> read;
    std::vector<std::filesystem::path> write;
};

// Does it exist, or could it be made: does the folder exist that it would be in?
bool can_be_permitted(const std::filesystem::path& path);

// An access that was not permitted.
struct FileRefusal {
    enum class Access { Read, Write, Remove };
    std::string path;
    Access access = Access::Read;
    // The folder that would have to be permitted. Of a folder that holds a home: what lies in it on the way to the
    // file, which need not exist. Empty where no permission helps: a program removes only what it has made, and opens
    // no devices.
    std::string allow;
    bool lacks_folder = false;  // of a write: the folder that the file would be in does not exist
};

struct FileFacts {
    std::uint32_t mode = 0;  // as st_mode
    std::int64_t size = 0;
    std::int64_t modified_seconds = 0;
    std::int64_t modified_nanoseconds = 0;
    bool is_folder() const;
    bool is_regular() const;
};

// Files by path, as a program names them, with these rules:
//  - It reads the folder of its source, paths permitted for reading or writing, and files that it has written.
//  - It writes paths permitted for writing, and a fresh folder, which is created at its first write.
//  - Relative paths: writes go into the fresh folder, unless the place in the working directory is permitted. Reads
//  look there,
//    then in the working directory, then beside the source. A file that is changed is copied into the fresh folder
//    first.
//  - It removes and renames only files that it created, by their identity, not their name.
//  - Devices, FIFOs and sockets are refused, except /dev/null.
// Paths are resolved first, links included; then the file is opened from the open folder that permits it, through no
// link. Where the kernel has Landlock the calls run on a thread with only these permissions. Functions throw
// SystemError.
class FileSandbox final : public RefCounted {
  public:
    struct Options {
        std::filesystem::path source_folder;  // empty: none
        std::string name = "source";          // begins the fresh folder's name
        FilePermissions permissions;
        std::function<void(const FileRefusal&)> refused;       // once for each path
        std::function<void(const std::string& folder)> wrote;  // when the fresh folder gets its first file
        // At the end, when the fresh folder is left with this many files. Must not throw.
        std::function<void(const std::string& folder, std::size_t files, std::uint64_t bytes)> left;
    };
    explicit FileSandbox(Options options);
    FileSandbox(const FileSandbox&) = delete;
    FileSandbox& operator=(const FileSandbox&) = delete;
    // Removes temporary files that the program has made, and the fresh folder when it is empty or was discarded.
    ~FileSandbox() override;

    void permit(const FilePermissions& more);
    // For a program whose source is known only after it has begun.
    void set_source_folder(const std::filesystem::path& folder);

    // --- files ---
    FileHandle open_to_read(const std::string& path);
    enum class Create { No, IfMissing, Always };  // Always: fails when it exists
    enum class Keep { Nothing, Contents };
    // Open for reading and writing.
    FileHandle open_to_write(const std::string& path, Create create, Keep keep);
    // For AtomicFile.
    FileTarget target(const std::string& path);
    // A copy in memory of what the program can write: writing does not reach what was read before.
    Ptr<MappedFile> map(const std::string& path);
    std::string read_text(const std::string& path);

    // --- names ---
    FileFacts facts(const std::string& path);
    // None when the program sees no such file; does not throw for that.
    std::optional<FileFacts> find(const std::string& path);
    // Is nothing there, whether the program may look at it or not?
    bool is_missing(const std::string& path);
    std::vector<std::string> names(const std::string& folder);  // sorted
    void make_folder(const std::string& path);
    // Throws as for a write when the program may not write there.
    void require_writable(const std::string& path);
    void remove_file(const std::string& path);
    void remove_folder(const std::string& path);
    void rename(const std::string& from, const std::string& to);
    std::string real_path(const std::string& path);
    // The base of relative paths, and the folder of temporary files. Both are created on request.
    std::string working_folder();
    std::string temporary_folder();

    // --- the fresh folder ---
    std::string fresh_folder() const;  // empty: no writes yet
    // The destructor removes the fresh folder with its files.
    void discard();
    bool is_under_landlock();

  private:
    struct Root {
        std::filesystem::path path;  // canonical
        FileHandle folder;
        std::string only;  // restricts the folder to this name; empty: all
        bool can_write = false;
        bool may_become_folder = false;  // did not exist when it was permitted; once a folder, all below it is meant
        bool hides_private = false;      // names with a dot at any depth; of "/" also what the system has there
        bool has_all_below() const { return only.empty() || may_become_folder; }
    };
    struct Place {
        const Root* root = nullptr;
        std::filesystem::path path;  // canonical
        std::string relative;        // to the root; "." for itself
    };
    // A folder that is open, and a name in it.
    struct Entry {
        FileHandle folder;
        std::string name;
    };

    // Null where nothing is that could be permitted.
    Root* add_root(const std::filesystem::path& path, bool can_write);
    const Root* root_of(const std::filesystem::path& canonical, bool writes) const;
    Root& make_own_root(const std::string& name);
    Root& fresh();
    Root& temporary();
    int call(const std::function<int()>& system_call);
    void run(const std::function<void()>& calls);

    std::optional<std::filesystem::path> in_working_folder(const std::string& path) const;
    std::optional<Place> permitted_at(const std::filesystem::path& path, bool writes, bool follows_last = true) const;
    std::optional<Place> readable_below(const std::filesystem::path& relative) const;
    Place place_to_read(const std::string& path);
    Place place_to_write(const std::string& path);
    Place place_to_change(const std::string& path);
    void make_folders_above(const std::filesystem::path& relative);
    void copy_up(const std::filesystem::path& relative);
    Entry entry_of(const Place& place, const std::string& shown);
    int open_at(const Place& place, int flags);
    void make_folder_at(const Place& place, const std::string& shown);
    void check_made(const Entry& entry, const Place& place, const std::string& shown, const char* what);
    void report(FileRefusal refusal);
    [[noreturn]] void fail_irregular(bool writes, const std::filesystem::path& canonical, const std::string& shown);
    [[noreturn]] void refuse(bool writes, const std::filesystem::path& canonical, const std::string& shown);
    void note_made(const InodeId& made, const Place& place);
    void remove_made_in(int folder);
    void finish();

    Options options_;
    std::vector<std::unique_ptr<Root>> roots_;
    Root* fresh_ = nullptr;
    Root* temporary_ = nullptr;
    std::set<InodeId> made_;
    std::set<std::string> refused_;
    bool has_reported_fresh_ = false;
    bool discards_ = false;
    std::unique_ptr<RestrictedThread> thread_;  // null until the first call, and after a root was added
    std::recursive_mutex mutex_;
};

}  // namespace loupe
