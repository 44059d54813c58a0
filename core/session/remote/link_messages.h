// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the two ends of a link say to each other about their connection; see link.h.

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/fields.h"

namespace loupe::session {

// The session's first frame, behind the engine's greeting.
struct HelloMessage {
    std::string session = {};  // its key: of a connection before, when it goes on with that
    std::string who = {};      // "ada@laptop"
    std::string engine = {};   // that it goes on with; empty: any
    std::uint64_t received = 0;
    bool takes_over = false;  // from the session that has the engine
    bool only_asks = false;   // what there is: the answer is a Farewell
};
auto fields(Like<HelloMessage> auto& it) {
    return std::tie(it.session, it.who, it.engine, it.received, it.takes_over, it.only_asks);
}

// The engine's answer: the link goes on behind these, or begins anew with both at 0.
struct WelcomeMessage {
    std::string engine = {};
    std::uint64_t received = 0;
    bool goes_on = false;
};
auto fields(Like<WelcomeMessage> auto& it) { return std::tie(it.engine, it.received, it.goes_on); }

// Or why not; also the last frame to a session that another one takes the place of.
struct FarewellMessage {
    enum class Why { Busy, Gone, TakenOver, Told };
    Why why = Why::Told;
    std::string text = {};  // one line
};
constexpr FarewellMessage::Why last_of(FarewellMessage::Why) { return FarewellMessage::Why::Told; }
auto fields(Like<FarewellMessage> auto& it) { return std::tie(it.why, it.text); }

// What the session's user lets the engine have that it may not take by itself; see grant_giver.h. The front hands it to
// the process that watches the engine.
struct GrantMessage {
    static constexpr std::size_t kMostBytes = std::size_t{64} << 10;

    enum class What {
        Write,    // a file, in place of the path's
        Connect,  // a connection to the watched program whose socket the path is
        Answer,   // what a query answers that needs no engine
    };
    std::uint64_t number = 0;  // by which the engine asks for it; chosen at random, so that no other one has it
    What what = What::Write;
    std::filesystem::path path = {};
    std::string query = {};  // the name of its record
    std::string value = {};
};
constexpr GrantMessage::What last_of(GrantMessage::What) { return GrantMessage::What::Answer; }
auto fields(Like<GrantMessage> auto& it) { return std::tie(it.number, it.what, it.path, it.query, it.value); }

}  // namespace loupe::session
