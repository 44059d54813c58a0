// SPDX-License-Identifier: Apache-2.0
#pragma once
// Several channels over one pair of descriptors: to the ranks of a program, or to several engines in one process. Both
// sides have one. Between them go pieces of the channels' bytes, each with the number of its channel and its size, 4
// bytes each, little endian; a piece of no bytes is that channel's end.
//
// No channel waits for another one: a side sends no more of a channel than the other side has said it has room for
// (kWindow at the beginning), and a number with its highest bit set says how many bytes of that channel were taken
// since.

#include <atomic>
#include <cstdint>
#include <deque>
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
    static constexpr std::size_t kWindow = std::size_t{1} << 20;     // of a channel, on their way or not read yet
    static constexpr std::size_t kMostChannels = 4096;
    // To read a channel's bytes from, and to write them to; two of one socket may be given.
    using Ends = std::pair<FileHandle, FileHandle>;

    // of_channels: how many, at most kMostChannels, for take(). Throws Error (Usage) when there are no pipes for them.
    ByteMux(FileHandle in, FileHandle out, std::size_t of_channels);
    // Of channels whose other ends are elsewhere already.
    ByteMux(FileHandle in, FileHandle out, std::vector<Ends> channels);
    ByteMux(const ByteMux&) = delete;
    ByteMux& operator=(const ByteMux&) = delete;
    // Waits for the other side to end.
    ~ByteMux();

    std::size_t size() const { return count_; }
    // This process's end of a channel, once; later, and for a number that is none, one that has ended.
    std::unique_ptr<Channel> take(std::size_t number);
    // Why it ended before its time, one line: pieces that are none. Empty: it has not, or in order.
    std::string failure() const;
    // Until all channels have ended on both sides, or the other side has gone.
    void wait();
    // Nothing more is read or sent: all channels end.
    void stop();

  private:
    // What came for a channel and was not taken yet; on the reading thread.
    struct Incoming {
        FileHandle to;
        std::deque<std::string> pieces;
        std::size_t done = 0;     // of the first piece
        std::size_t waiting = 0;  // bytes
        std::size_t taken = 0;    // of which the other side does not know
        bool has_ended = false;
    };
    void start();
    void read();
    bool read_pieces(std::string& bytes);
    bool take_grant(std::size_t number, std::size_t bytes);
    void take_piece(std::size_t number, std::string_view bytes);
    void deliver(std::size_t number);
    void end_incoming();
    void note_taken(std::size_t number, std::size_t bytes);
    bool fail(std::string why);  // false

    void write();
    bool send_grants();
    bool send_some(std::size_t number, std::string& piece);
    bool is_over() const;
    void wake();

    const std::size_t count_;
    FileHandle in_;
    FileHandle out_;
    FileHandle stopped_;  // readable: it is to end
    FileHandle woken_;    // readable: the writing thread has something to look at
    std::vector<Ends> near_;
    std::vector<Incoming> incoming_;
    std::vector<FileHandle> outgoing_;  // on the writing thread

    mutable std::mutex mutex_;
    std::string failure_;
    std::vector<std::size_t> room_;    // of each channel, at the other side
    std::vector<std::size_t> grants_;  // of each channel, to be said
    std::size_t incoming_open_ = 0;    // channels that the other side has not ended
    bool other_is_gone_ = false;
    std::thread reader_;
    std::thread writer_;
};

}  // namespace loupe::session
