// SPDX-License-Identifier: Apache-2.0
#pragma once
// One life of an engine in a process of its own, as its session sees it: the process, what is sent to it, what comes
// from it, and how it ended.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/record/running_place.h"
#include "core/session/engine_end.h"
#include "core/session/remote/channel.h"
#include "core/session/remote/child_process.h"

namespace loupe::session {

class EngineLife {
  public:
    // How it ended, and what ran then.
    struct End {
        EngineEnd::Kind kind = EngineEnd::Kind::None;
        std::string what = {};  // of Refused and Damaged, one line
        int signal = 0;
        int exit_status = 0;
        RunningPlace::Facts place = {};
        std::string last_collective = {};  // of a rank, one line; empty: none is known
    };
    // Who hears of it, on the life's own threads.
    class Owner {
      public:
        // Throws Error (File) for a message that is none: then the process is ended.
        virtual void take(EngineLife& life, const Message& message) = 0;
        // The last call.
        virtual void ended(EngineLife& life, const End& end) = 0;
        // Nothing came for so long.
        virtual void silent(std::chrono::seconds time) = 0;

      protected:
        ~Owner() = default;
    };

    // Nothing is heard before start(). One that does not start is Refused.
    EngineLife(const EngineLaunch& launch, Owner& owner);
    // One that cannot be started, and why.
    EngineLife(std::string failure, Owner& owner);
    // Of an engine that is there already, or comes to be, at the other end of the port.
    EngineLife(std::unique_ptr<MessagePort> port, Owner& owner);
    EngineLife(const EngineLife&) = delete;
    EngineLife& operator=(const EngineLife&) = delete;
    // end() was called, unless it never started.
    ~EngineLife() = default;

    void start();
    // Any thread; returns at once.
    void send(MessageKind kind, std::string bytes);
    // Does it write only what it is given, since it may open no other files?
    bool takes_files() const { return process_ != nullptr; }
    // Before the message that says what to write there. Throws Error (File).
    void give_file(std::uint64_t number, const FileHandle& file) { process_->give_file(number, file); }
    // The same of one in the background of another machine: see grant_giver.h.
    bool takes_grants() const { return port_ != nullptr && port_->takes_grants(); }
    void grant(std::uint64_t number, std::string bytes) { port_->grant(number, std::move(bytes)); }
    void end_grant(std::uint64_t number) {
        if (port_ != nullptr) port_->end_grant(number);
    }
    // Ends the process at once: its end is Stopped.
    void kill();
    // Ends it in order, for which it has five seconds, and waits for its threads; not on one of them. The owner hears
    // nothing of it.
    void end();
    // Has the owner heard the last of it? Then end() waits for nothing.
    bool is_over() const { return is_over_; }

  private:
    void read();
    void write();
    End end_of(EngineEnd::Kind found, std::string what);

    Owner& owner_;
    std::string failure_;                    // why there is no process
    std::unique_ptr<ChildProcess> process_;  // null: there is none
    std::unique_ptr<MessagePort> port_;      // null: there is none

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Message> waiting_;
    bool ends_ = false;       // nothing more is sent
    bool has_ended_ = false;  // nothing more comes
    std::atomic<bool> is_stopped_{false};
    std::atomic<bool> is_closed_{false};
    std::atomic<bool> is_over_{false};
    std::atomic<std::chrono::steady_clock::time_point> heard_;
    std::thread reader_;
    std::thread writer_;
};

}  // namespace loupe::session
