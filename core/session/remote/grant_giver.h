// SPDX-License-Identifier: Apache-2.0
#pragma once
// An engine in the background writes nowhere but where its user says, and connects to nothing (engine_guardian.h). What
// it shall save elsewhere, the program that it shall watch, and what only its user may ask, it is granted:
//
//   window: RemoteEngine - Link: a Grant frame, before the question or the order that names its number
//   there:  the front (front_stream.h) takes the frame out of the stream, and hands it over a socket of its own to
//           the guardian, which opens what is wanted (GrantGiver) and gives it to the engine (GrantTaker)
//
// The engine hears of a grant before the front passes on what follows it. A grant goes over each connection until its
// question is answered; the guardian takes each number once. What is saved goes on when the connection drops: the
// guardian puts the file in its place, when the engine says that it is whole.
//
// Nothing that the engine says is believed: it has a socket for each grant, over which it can say one byte, that the
// file is whole. The guardian takes grants from fronts alone: the engine can connect to no socket (forbid_calls.h).

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <utility>

#include "core/base/file_handle.h"
#include "core/session/remote/link_messages.h"

namespace loupe::session {

// Of what goes over the socket of a grant to the engine: a handle with one of these, once for the grant, once more when
// the engine has said kIsWhole.
inline constexpr std::uint64_t kGranted = 1;
inline constexpr std::uint64_t kRefused = 2;  // the handle is a text: why; empty: there is no such thing
inline constexpr char kIsWhole = 'w';

class GrantGiver {
  public:
    // engine: a socket to a GrantTaker.
    explicit GrantGiver(FileHandle engine) : engine_(std::move(engine)) {}
    GrantGiver(const GrantGiver&) = delete;
    GrantGiver& operator=(const GrantGiver&) = delete;
    // The engine has ended.
    ~GrantGiver();

    // Of a front, which says a Grant and waits for an answer. On a thread of its own: opening may take long.
    void take(FileHandle front);

  private:
    struct Visit {
        std::thread thread;
        std::atomic<bool> is_over{false};
    };

    void serve(FileHandle front);
    // The socket of the grant; closed: it was taken before, or the engine has ended.
    FileHandle announce(const GrantMessage& grant);

    const FileHandle engine_;
    std::mutex mutex_;
    std::unordered_set<std::uint64_t> known_;
    std::list<Visit> visits_;
};

}  // namespace loupe::session
