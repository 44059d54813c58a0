// SPDX-License-Identifier: Apache-2.0
#pragma once
// One line of greeting, then frames, over two file descriptors. A frame is a kind and a size, each 4 bytes, little
// endian, and as many bytes.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/file_handle.h"
#include "core/session/remote/message_port.h"

namespace loupe::session {

class Channel final : public MessagePort {
  public:
    static constexpr std::size_t kMostBytes = std::size_t{1} << 30;
    static constexpr std::size_t kLongestGreeting = 1024;

    Channel(FileHandle in, FileHandle out);

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

    void close_out() override { out_.reset(); }
    void end_reading() override;

  private:
    // How many came; fewer: the end.
    std::size_t read_some(char* to, std::size_t size);
    bool write_all(std::string_view bytes);

    FileHandle in_;
    FileHandle out_;
    FileHandle ended_;  // readable: nothing more is read
};

}  // namespace loupe::session
