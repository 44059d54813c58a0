// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where this process has its engine when it is not on this machine: how it is reached, whether it is, and how fast. The
// design stands in remote/link.h.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace loupe::session {

class FarEngine;

// What a program that ssh asks a question through says on stderr when its user does not answer: then no other try is
// made, and no other question asked, before the user wants one.
extern const char* const kQuestionNotAnswered;

struct FarState {
    enum class Kind { Connecting, Connected, Lost, Over };
    Kind kind = Kind::Connecting;
    std::string text = {};                                     // why it is lost or over, one line
    std::optional<std::chrono::milliseconds> round_trip = {};  // while it is connected
    std::chrono::steady_clock::time_point next_try = {};       // while it is lost; max(): when reconnect_now() wants it
    bool is_busy = false;                                      // over: another session has the engine
    std::uint64_t bytes_sent = 0;                              // in this life, over the line
    std::uint64_t bytes_received = 0;
};

class FarPlace {
  public:
    struct Options {
        std::vector<std::string> command = {};      // see engine_command()
        std::vector<std::string> environment = {};  // of that: "SSH_ASKPASS=/usr/bin/tensorloupe"
        std::string address = {};                   // "ssh://ada@host"
        std::string host = {};                      // for people: "ada@host"
        // Between one try and the next: the first, doubled each time up to the last.
        std::chrono::milliseconds first_wait = std::chrono::milliseconds(500);
        std::chrono::milliseconds last_wait = std::chrono::seconds(30);
    };
    explicit FarPlace(Options options) : options_(std::move(options)) {}

    const Options& options() const { return options_; }
    const std::string& host() const { return options_.host; }
    // Called on the thread of the connection; must return soon. At most about once a second while nothing changes.
    void set_listener(std::function<void(const FarState&)> listener);
    FarState state() const;
    // Instead of waiting for the next try.
    void reconnect_now();
    // The next connection takes the engine from the session that has it.
    void take_over_next();

    // --- for the engine's side of a session ---
    // Once.
    bool takes_over();
    void report(const FarState& state);
    void set_current(const std::shared_ptr<FarEngine>& engine);

  private:
    const Options options_;
    mutable std::mutex mutex_;
    std::mutex told_;  // held while the listener is called
    std::function<void(const FarState&)> listener_;
    FarState state_;
    bool takes_over_ = false;
    std::weak_ptr<FarEngine> current_;
};

// What text says as an address and a command; see remote/engine_address.h. pattern: of the command for ssh, empty: the
// usual one. Throws Error (Usage), one line.
FarPlace::Options far_place_options(const std::string& text, const std::string& pattern, bool asks);
// "ssh {options} {port} -- {host} tensorloupe-engine ...": what an empty pattern stands for.
std::string usual_far_command();

// Sessions of this process that are made from now on have their engine there; null: here.
void set_far_place(std::shared_ptr<FarPlace> place);
std::shared_ptr<FarPlace> far_place();

}  // namespace loupe::session
