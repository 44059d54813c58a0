// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program that is run as a child, with a pipe to it, one from it, a page of memory that both see, and a socket for
// open files.

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file_handle.h"
#include "core/record/running_place.h"
#include "core/session/remote/engine_launch.h"

namespace loupe::session {

// What the child finds open: the page, and a socket through which it is given files.
inline constexpr int kPlaceDescriptor = 3;
inline constexpr int kFilesDescriptor = 4;

class ChildProcess {
  public:
    // Its stdin and stdout are the pipes, its stderr is ours; of descriptors it gets no others but those above. Throws
    // Error (Usage) when it cannot be run.
    explicit ChildProcess(const EngineLaunch& launch);
    ChildProcess(const std::filesystem::path& program, const std::vector<std::string>& arguments);
    // A program that is found as a shell finds it, whose stderr is a pipe too, without a page. environment:
    // "NAME=value" in place of what we have.
    ChildProcess(const std::vector<std::string>& command, const std::vector<std::string>& environment);
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    // Ends it when it still runs.
    ~ChildProcess();

    FileHandle take_in() { return std::move(in_); }    // what it writes
    FileHandle take_out() { return std::move(out_); }  // what it reads
    // The same socket once more, for memory that the child gives; closed: there is none.
    FileHandle files_socket() const;
    FileHandle take_errors() { return std::move(errors_); }  // what it writes to stderr, where that is a pipe

    // An open file, for a child that asks for it by its number. Throws Error (File).
    void give_file(std::uint64_t number, const FileHandle& file);

    pid_t pid() const { return pid_; }
    // Any thread.
    void kill();
    struct End {
        int signal = 0;  // that ended it; 0: it ended by itself
        int exit_status = 0;
    };
    // nullopt: it still runs then. One thread at a time.
    std::optional<End> wait(std::chrono::milliseconds time);

    // Null: there is no shared memory.
    const RunningPlace* place() const { return place_; }

  private:
    struct Setup {
        std::vector<std::string> words;
        std::vector<std::string> environment = {};
        bool has_place = false;
        bool takes_errors = false;
    };
    // 0, or the errno.
    int start(Setup setup);

    FileHandle in_;
    FileHandle out_;
    FileHandle files_;
    FileHandle errors_;
    pid_t pid_ = -1;
    FileHandle exit_;   // readable when it has ended
    std::mutex mutex_;  // of what follows: a process that was waited for has given its number away
    std::optional<End> end_;
    RunningPlace* place_ = nullptr;
};

// For the child: the page that it was given; null: none. Of one that was started in another way too.
RunningPlace* open_running_place(int descriptor);
// For the child: that socket once more, to give memory; closed: it has none.
FileHandle given_files_socket();
// For the child: the file of that number; those given before it are let go. Throws Error (File) when there is none.
FileHandle take_given_file(std::uint64_t number);

}  // namespace loupe::session
