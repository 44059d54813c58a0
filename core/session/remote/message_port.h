// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where messages come in and go out, whatever carries them: two pipes (channel.h), or a link that outlives its
// connections (link.h).

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/file_handle.h"
#include "core/base/sealed_memory.h"
#include "core/record/running_place.h"
#include "core/session/remote/messages.h"
#include "core/session/remote/rank_guard.h"

namespace loupe::session {

struct Message {
    MessageKind kind{};
    std::string bytes;
    std::shared_ptr<const SealedMemory> memory = {};  // has the bytes in their place

    std::string_view view() const { return memory != nullptr ? memory->bytes() : std::string_view(bytes); }
};

// What an engine was given open by its session, which may open it where the engine may not.
class GivenThing {
  public:
    virtual ~GivenThing() = default;
    // Once; blocks until it is open. Closed: there is no such thing. Throws Error (File): why it cannot be opened, or
    // was not within the time.
    virtual FileHandle take(std::chrono::milliseconds time) = 0;
    // Of a file that has its contents, whole. False: the session puts it in its place, when it hears that. Throws Error
    // (File).
    virtual bool put_in_place() = 0;
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
    // The same of a message of which only the last with its key counts. One before it that is still on its way, and is
    // long, goes no further where the port can do that; instead_of_it is written in its place.
    virtual bool write_last(MessageKind kind, std::string_view bytes, const std::string& /*key*/,
                            const Message& /*instead_of_it*/) {
        return write(kind, bytes);
    }
    // Nothing is written any more: the other side reads the end of it.
    virtual void close_out() = 0;
    // Any thread: read() comes to its end, also one that waits.
    virtual void end_reading() = 0;

    // --- of the engine's side ---
    // Any thread, at once: what the session gave by that number, which a message has named. Throws Error (File).
    virtual std::unique_ptr<GivenThing> take_given(std::uint64_t /*number*/) {
        throw Error(ErrorKind::File, "nothing is given this way");
    }

    // --- of the session's side ---
    // Can the engine be granted what it may not open? See grant_giver.h.
    virtual bool takes_grants() const { return false; }
    // Any thread, at once: goes before all that is written later. bytes: a GrantMessage of the number.
    virtual void grant(std::uint64_t /*number*/, std::string /*bytes*/) {}
    // It was taken, or is needed no more.
    virtual void end_grant(std::uint64_t /*number*/) {}

    // Of an engine that is no child of this process.
    // Any thread: ends it, whatever it does.
    virtual void end_engine() {}
    // Behind the end of read(): what is known of why, in one line; empty: nothing.
    virtual std::string end_text() const { return {}; }
    // And of what it computed then.
    virtual RunningPlace::Facts end_place() const { return {}; }
    // Likewise, of one that a process beside it has watched; nullopt: nothing. May wait for it for a moment.
    virtual std::optional<RankDeath> death() { return std::nullopt; }
    // It says itself when nothing comes.
    virtual bool reports_silence() const { return false; }
};

}  // namespace loupe::session
