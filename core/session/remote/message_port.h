// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where messages come in and go out, whatever carries them: two pipes (channel.h), or a link that outlives its
// connections (link.h).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/session/remote/messages.h"

namespace loupe::session {

struct Message {
    MessageKind kind{};
    std::string bytes;
};

// Reading and writing go on two threads, one each.
class MessagePort {
  public:
    virtual ~MessagePort() = default;

    // Of the session's side, once, before it reads: waits until an engine is there. Empty, or in one line why none is.
    virtual std::string open() = 0;
    // Blocks. nullopt: the other side has ended. Throws Error (File) for what is no message.
    virtual std::optional<Message> read() = 0;
    // Blocks while too much waits. False: the other side has ended. Throws Error (Usage) when it is longer than any
    // message.
    virtual bool write(MessageKind kind, std::string_view bytes) = 0;
    // Nothing is written any more: the other side reads the end of it.
    virtual void close_out() = 0;
    // Any thread: read() comes to its end, also one that waits.
    virtual void end_reading() = 0;

    // Of an engine that is no child of this process.
    // Any thread: ends it, whatever it does.
    virtual void end_engine() {}
    // Behind the end of read(): what is known of why, in one line; empty: nothing.
    virtual std::string end_text() const { return {}; }
    // It says itself when nothing comes.
    virtual bool reports_silence() const { return false; }
};

}  // namespace loupe::session
