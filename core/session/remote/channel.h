// SPDX-License-Identifier: Apache-2.0
#pragma once
// One line of greeting, then frames, over two file descriptors. A frame is a kind and a size, each 4 bytes, little
// endian, and as many bytes. Long messages of a process on this machine may come apart, in memory (Shared).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/file_handle.h"
#include "core/session/remote/message_port.h"

namespace loupe::session {

class Channel final : public MessagePort {
  public:
    static constexpr std::size_t kMostBytes = std::size_t{1} << 30;
    static constexpr std::size_t kLongestGreeting = 1024;
    // From here on memory is quicker than a pipe.
    static constexpr std::size_t kSharedBytes = std::size_t{256} << 10;

    Channel(FileHandle in, FileHandle out);
    // Before the first message. Sockets, of messages with boundaries, through which memory comes, or goes.
    void take_memory_from(FileHandle socket) { memory_in_ = std::move(socket); }
    void give_memory_to(FileHandle socket) { memory_out_ = std::move(socket); }

    // Takes the greeting of an engine of this very build (see greeting.h).
    std::string open() override;
    // Throws Error (File) for a frame that is cut off, of a kind that is none or too long; memory grows with what
    // really comes.
    std::optional<Message> read() override;
    // Blocks until the other side takes it.
    bool write(MessageKind kind, std::string_view bytes) override;

    // Up to the end of the line, without it. Throws Error (File) for one that is too long or cut off.
    std::string read_greeting();
    bool write_greeting(const std::string& line);

    void close_out() override;
    void end_reading() override;
    // Of a process that its session has started: see child_process.h.
    std::unique_ptr<GivenThing> take_given(std::uint64_t number) override;

  private:
    // How many came; fewer: the end.
    std::size_t read_some(char* to, std::size_t size);
    bool write_all(std::string_view bytes);
    bool write_frame(MessageKind kind, std::string_view bytes);
    Message take_shared(std::string_view bytes);
    bool give_shared(std::string_view bytes);

    FileHandle in_;
    FileHandle out_;
    FileHandle ended_;  // readable: nothing more is read
    FileHandle memory_in_;
    FileHandle memory_out_;
    std::uint64_t taken_ = 0;  // pieces of memory
    std::uint64_t given_ = 0;
};

}  // namespace loupe::session
