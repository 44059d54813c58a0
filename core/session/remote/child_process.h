// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program that is run as a child, with a pipe to it, one from it, and a page of memory that both see.

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file_handle.h"
#include "core/record/running_place.h"

namespace loupe::session {

// The page as the child finds it: this descriptor is open in it.
inline constexpr int kPlaceDescriptor = 3;

class ChildProcess {
  public:
    // Its stdin and stdout are the pipes, its stderr is ours; of descriptors it gets no others but the page's. Throws
    // Error (Usage) when it cannot be run.
    ChildProcess(const std::filesystem::path& program, const std::vector<std::string>& arguments);
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    // Ends it when it still runs.
    ~ChildProcess();

    FileHandle take_in() { return std::move(in_); }    // what it writes
    FileHandle take_out() { return std::move(out_); }  // what it reads

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
    FileHandle in_;
    FileHandle out_;
    pid_t pid_ = -1;
    FileHandle exit_;   // readable when it has ended
    std::mutex mutex_;  // of what follows: a process that was waited for has given its number away
    std::optional<End> end_;
    RunningPlace* place_ = nullptr;
};

// For the child: the page that it was given; null: none. Of one that was started in another way too.
RunningPlace* open_running_place(int descriptor);

}  // namespace loupe::session
