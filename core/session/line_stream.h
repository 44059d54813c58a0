// SPDX-License-Identifier: Apache-2.0
#pragma once
// Lines of text from and to another program, over any two file descriptors: a local socket, or pipes to a command. A
// thread reads ahead as far as a bound; behind it the other side waits.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/file_handle.h"

namespace loupe::session {

class LineStream {
  public:
    // longest: bytes of a line; one that is longer ends the reading, as the other side's end does.
    LineStream(FileHandle in, FileHandle out, std::size_t longest, std::function<void()> ended = {});
    LineStream(const LineStream&) = delete;
    LineStream& operator=(const LineStream&) = delete;
    ~LineStream();

    // Those that came, in their order; waits so long for the first.
    std::vector<std::string> take(std::chrono::milliseconds time);
    // Nothing more comes, and all that came was taken.
    bool has_ended() const;
    // Any thread; never waits. False: the other side has ended, or takes nothing.
    bool send(std::string_view line);

  private:
    void read();
    bool add(std::string line);

    FileHandle in_;
    FileHandle out_;
    FileHandle stop_;  // readable: reading ends
    std::size_t longest_;
    std::function<void()> ended_;  // called on the thread
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::string> lines_;
    std::size_t bytes_ = 0;
    bool is_over_ = false;
    bool is_stopped_ = false;
    std::mutex out_mutex_;
    std::thread thread_;
};

}  // namespace loupe::session
