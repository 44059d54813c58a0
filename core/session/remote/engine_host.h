// SPDX-License-Identifier: Apache-2.0
#pragma once
// An engine that stays: serves one session at a time over connections to its socket, goes on without, and ends when
// nothing has run and nobody has come for long. See link.h.

#include <atomic>
#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "core/base/file_handle.h"
#include "core/session/remote/engine_server.h"
#include "core/session/remote/link.h"
#include "core/session/remote/link_messages.h"

namespace loupe::session {

class EngineHost {
  public:
    // connections: a socket over which they come, as handles: the engine's process may accept none itself. idle: how
    // long it stays without a session when nothing runs.
    EngineHost(FileHandle connections, std::string name, std::chrono::minutes idle);
    EngineHost(const EngineHost&) = delete;
    EngineHost& operator=(const EngineHost&) = delete;
    ~EngineHost();

    // Until it has been idle for long, or no connection can come any more.
    void serve();

  private:
    struct Visit {
        std::thread thread;
        std::atomic<bool> is_over{false};
    };

    void visit(FileHandle connection);
    void answer(Channel& channel, const HelloMessage& hello, const std::function<void()>& cut);
    bool is_free_for(const HelloMessage& hello, Channel& channel);
    bool waits_idly() const;
    std::string describe();
    void end_visits(bool all);

    const FileHandle connections_;
    const std::string name_;
    const std::chrono::minutes idle_;
    const std::string id_;  // of this process
    const std::string since_;

    Link link_{Link::Side::Engine};
    std::unique_ptr<MessagePort> port_;
    std::unique_ptr<EngineServer> server_;
    std::thread serving_;

    std::mutex mutex_;  // of who has it
    std::string session_;
    std::string who_;
    std::string who_since_;
    bool is_broken_ = false;  // what the session sent was no message: it cannot go on
    std::mutex carrying_;     // held while a connection is carried
    std::atomic<bool> is_connected_{false};
    std::atomic<std::chrono::steady_clock::time_point> last_busy_;
    std::list<Visit> visits_;
};

}  // namespace loupe::session
