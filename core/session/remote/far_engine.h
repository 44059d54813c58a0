// SPDX-License-Identifier: Apache-2.0
#pragma once
// The session's end of a link: starts the command that reaches the engine, again whenever it ends, and carries on. See
// link.h.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/session/far_place.h"
#include "core/session/remote/child_process.h"
#include "core/session/remote/link.h"
#include "core/session/remote/link_messages.h"
#include "core/session/remote/message_port.h"

namespace loupe::session {

class FarEngine {
  public:
    explicit FarEngine(std::shared_ptr<FarPlace> place);
    FarEngine(const FarEngine&) = delete;
    FarEngine& operator=(const FarEngine&) = delete;
    ~FarEngine();

    // A port of it, which keeps it alive.
    static std::unique_ptr<MessagePort> port_of(const std::shared_ptr<FarEngine>& engine);

    // --- see MessagePort ---
    std::string open();
    std::optional<Message> read();
    bool write(MessageKind kind, std::string_view bytes) { return link_.write(kind, bytes); }
    void grant(std::uint64_t number, std::string bytes) { link_.grant(number, std::move(bytes)); }
    void end_grant(std::uint64_t number) { link_.end_grant(number); }
    void close_out();
    void end_reading();
    void end_engine();
    std::string end_text() const;
    RunningPlace::Facts end_place() const;

    // Any thread.
    void reconnect_now();

  private:
    // How one connection came about or ended.
    struct Outcome {
        bool is_over = false;  // no other one is tried
        bool was_up = false;
        bool is_busy = false;
        bool waits_for_user = false;  // a question was not answered
        std::string why = {};
        RunningPlace::Facts place = {};  // over: what the engine computed when it ended
    };
    class Errors;

    void run();
    Outcome connect();
    Outcome carry(ChildProcess& process, Channel& channel, const WelcomeMessage& welcome);
    std::string greet(Channel& channel);
    std::string failure(ChildProcess& process, Errors& errors, const std::string& what, Outcome& outcome);
    void wait_until_next_try();
    void report(FarState::Kind kind, const std::string& text = {});
    void finish(const Outcome& outcome);

    const std::shared_ptr<FarPlace> place_;
    Link link_{Link::Side::Session};
    const std::string key_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool has_opened_ = false;  // connected once, or over
    bool is_closing_ = false;
    bool is_over_ = false;
    bool is_wanted_now_ = false;
    std::string end_text_;
    RunningPlace::Facts end_place_;
    std::string engine_;  // that it is connected with; empty: none yet
    ChildProcess* process_ = nullptr;
    FarState state_;
    std::thread thread_;
};

}  // namespace loupe::session
