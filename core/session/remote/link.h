// SPDX-License-Identifier: Apache-2.0
#pragma once
// Messages between a session and an engine far away, over connections that come and go.
//
//   window: RemoteEngine - EngineLife - FarEngine - Link ~ ssh HOST tensorloupe-engine --stdio --stay
//   there:  EngineServer - EngineHost - Link - a unix socket - the front that ssh started (engine_front.h)
//
// The engine is a process in the background there (engine_host.h), which no connection ends: a run and a training go on
// without one. The front only passes on what goes between ssh and the engine's socket, in a folder that nobody else can
// enter, but for grants (grant_giver.h).
//
// Each side counts the pieces (piece.h) that it received and keeps those that it sent until the other side has said
// that they came. A new connection begins with both counts (HelloMessage, WelcomeMessage); what was on its way is sent
// again, in the same order: no order is lost and none is done twice, and a question that waited is answered. A session
// that is not there is one that reads very slowly, for which messages.h is made.
//
// Another session, or the same window started again, cannot go on with the counts of the one before: the link starts
// anew, and the engine says all there is (EngineServer::start_anew). One session has the engine at a time; a second one
// is told who, and may take it over.
//
// A status does not wait behind a long slice: long answers go in pieces in a lane of their own, and no more is on its
// way than keeps the line full. How much that is follows from how long pieces take: more while they come as fast as the
// fastest did, less when they queue (as LEDBAT does it, RFC 6817).

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/session/remote/channel.h"
#include "core/session/remote/message_port.h"
#include "core/session/remote/piece.h"

namespace loupe::session {

class Link {
  public:
    // Messages that wait, or are on their way, beyond that hold up who writes.
    static constexpr std::size_t kMostWaiting = std::size_t{64} << 20;
    // Nothing came for so long: the connection is dead. The session's side pings each second.
    static constexpr auto kMostSilence = std::chrono::seconds(12);

    enum class Side { Session, Engine };
    explicit Link(Side side) : side_(side) {}
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    ~Link() = default;

    // --- the users of messages; see MessagePort ---
    std::optional<Message> read();
    bool write(MessageKind kind, std::string_view bytes);
    // For good: read() ends behind what came, write() does nothing.
    void close();
    // What is written from now on is thrown away, until start_anew(); who waits in write() goes on.
    void stop_writes();
    // Forgets all that was sent and received. Not while a connection is carried.
    void start_anew();
    // See MessagePort::write_last().
    bool write_last(MessageKind kind, std::string_view bytes, const std::string& key, const Message& instead_of_it);
    // See MessagePort: over each connection, before the pieces of what is written later.
    void grant(std::uint64_t number, std::string bytes);
    void end_grant(std::uint64_t number);
    // All that was written has been received. False: not within the time.
    bool flush(std::chrono::milliseconds time);

    // --- the owner of connections ---
    // Carries messages until the connection has ended or cut() is called; one at a time. received_there: pieces that
    // the other side has. cut: ends the connection at once, whatever its other end does. Returns why it ended, empty:
    // the other side went. Throws Error (File) for what is no message or cannot be of this link: start_anew() then.
    std::string carry(Channel& channel, std::uint64_t received_there, const std::function<void()>& cut);
    // Any thread: the connection that is carried ends.
    void cut();
    // The other side is told that, then the connection ends.
    void cut_with(const std::string& farewell);
    std::uint64_t received() const;

    struct Facts {
        std::optional<std::chrono::milliseconds> round_trip;  // of the last ping that came back
        std::uint64_t bytes_sent = 0;                         // since it was made, as they go over the line
        std::uint64_t bytes_received = 0;
    };
    Facts facts() const;
    // Hears of each new round trip, on the thread that carries.
    void set_heard(std::function<void()> heard) { heard_ = std::move(heard); }
    // Hears an EndEngine.
    void set_end_wanted(std::function<void()> wanted) { end_wanted_ = std::move(wanted); }
    // The other side is told to end, whatever it does.
    void send_end_engine();

  private:
    using Clock = std::chrono::steady_clock;
    struct Sent {
        std::string bytes;
        Clock::time_point when;
    };
    struct Grant {
        std::uint64_t number = 0;
        std::string bytes;
        bool is_sent = false;  // over this connection
    };

    void begin(Channel& channel, std::uint64_t received_there, const std::function<void()>& cut);
    void take(const Message& frame);
    void take_received(std::string_view bytes);
    void adapt(Clock::duration delay, std::size_t bytes);
    void send_all(Channel& channel);
    void watch();
    bool can_send() const;
    std::optional<Message> next_frame();
    void cut_locked();

    const Side side_;
    std::function<void()> heard_;
    std::function<void()> end_wanted_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    PieceMaker waiting_;
    std::deque<Sent> sent_;             // not known to have been received
    std::size_t sent_bytes_ = 0;        // of those
    std::uint64_t known_received_ = 0;  // pieces that the other side has
    std::vector<Grant> grants_;
    PieceReader reader_;
    std::uint64_t received_ = 0;
    std::deque<Message> inbox_;
    bool is_closed_ = false;
    bool throws_away_ = false;

    // Of the connection that is carried.
    bool is_carried_ = false;
    std::function<void()> cut_;
    Channel* channel_ = nullptr;
    std::size_t resent_ = 0;      // of sent_, over this connection
    std::size_t on_its_way_ = 0;  // bytes
    std::size_t window_ = 0;
    Clock::duration fastest_{};
    std::uint64_t told_received_ = 0;
    Clock::time_point came_;
    Clock::time_point pinged_;
    std::deque<std::string> pongs_;
    std::optional<std::string> farewell_;
    bool wants_end_ = false;
    Facts facts_;
};

}  // namespace loupe::session
