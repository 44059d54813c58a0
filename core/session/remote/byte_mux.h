// SPDX-License-Identifier: Apache-2.0
#pragma once
// Several channels over one pair of descriptors: to the ranks of a program through its rank 0, or to several engines in
// one process. Both sides have one. Between them go pieces of the channels' bytes, each with the number of its channel
// and its size, 4 bytes each, little endian; a piece of no bytes is that channel's end. Every channel has a reader that
// does not wait for another channel.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/file_handle.h"
#include "core/session/remote/channel.h"

namespace loupe::session {

class ByteMux {
  public:
    static constexpr std::size_t kMostBytes = std::size_t{1} << 16;  // of a piece

    // of_channels: how many; at most kMostChannels. Throws Error (Usage) when there are no pipes for them.
    static constexpr std::size_t kMostChannels = 4096;
    ByteMux(FileHandle in, FileHandle out, std::size_t of_channels);
    ByteMux(const ByteMux&) = delete;
    ByteMux& operator=(const ByteMux&) = delete;
    // Waits for the other side to end.
    ~ByteMux();

    std::size_t size() const { return ends_.size(); }
    // This process's end of a channel, once; later, and for a number that is none, one that has ended.
    std::unique_ptr<Channel> take(std::size_t number);
    // The same as its descriptors: to read from and to write to; closed ones where take() gives one that has ended.
    std::pair<FileHandle, FileHandle> take_ends(std::size_t number);
    // Why it ended before its time, one line: pieces that are none. Empty: it has not, or in order.
    std::string failure() const;
    // Nothing more is read or sent: all channels end.
    void stop();

  private:
    struct End {
        FileHandle near_in, near_out;  // the channel's
        FileHandle far_in, far_out;    // of this mux: what the channel reads, what it wrote
    };
    void read();
    void write();
    bool read_all(char* to, std::size_t size);
    bool write_all(std::string_view bytes);

    FileHandle in_;
    FileHandle out_;
    FileHandle stopped_;  // readable: it is to end
    std::vector<End> ends_;
    mutable std::mutex mutex_;
    std::string failure_;
    std::thread reader_;
    std::thread writer_;
};

}  // namespace loupe::session
