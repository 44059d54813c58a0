// SPDX-License-Identifier: Apache-2.0
#pragma once
// An engine that stays: serves one session at a time over connections to its socket, goes on without, and ends when
// nothing has run and nobody has come for long. See link.h.

#include <atomic>
#include <chrono>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/file_handle.h"
#include "core/session/remote/engine_server.h"
#include "core/session/remote/grant_taker.h"
#include "core/session/remote/link.h"
#include "core/session/remote/link_messages.h"

namespace loupe::session {

class EngineHost {
  public:
    struct Options {
        std::string name = {};
        std::chrono::minutes idle = {};                    // that it stays without a session when nothing runs
        std::filesystem::path kept = {};                   // a folder for what it is made again from when it dies
        std::vector<std::filesystem::path> writable = {};  // all that its process may write; empty: everything
        std::string died = {};                             // why the one before it died; empty: it did not
        std::string place = {};                            // where; see end_place.h
    };
    // connections: a socket over which they come, as handles: the engine's process may accept none itself. grants: to a
    // GrantGiver; closed: there is none.
    EngineHost(FileHandle connections, FileHandle grants, Options options);
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
    const Options options_;
    const std::string id_;  // of this process
    const std::string since_;
    GrantTaker grants_;

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
