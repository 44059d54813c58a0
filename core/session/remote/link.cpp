// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/link.h"

#include <algorithm>
#include <csignal>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/session/remote/frame_head.h"
#include "core/session/remote/link_messages.h"
#include "core/session/wire/wire.h"

namespace loupe::session {
namespace {

using std::chrono::duration_cast, std::chrono::milliseconds;

constexpr auto kPingEvery = std::chrono::seconds(1);
constexpr std::size_t kLeastWindow = std::size_t{64} << 10;
constexpr std::size_t kFirstWindow = std::size_t{192} << 10;
constexpr std::size_t kMostWindow = std::size_t{32} << 20;
// Pieces that take so much longer than the fastest wait somewhere.
constexpr auto kLittleQueue = milliseconds(40);
constexpr auto kMuchQueue = milliseconds(90);

std::uint64_t microseconds_now() {
    return static_cast<std::uint64_t>(
        duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

}  // namespace

// --- the users of messages ---

std::optional<Message> Link::read() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_closed_ || !inbox_.empty(); });
    if (inbox_.empty()) return std::nullopt;
    Message message = std::move(inbox_.front());
    inbox_.pop_front();
    changed_.notify_all();
    return message;
}

bool Link::write(MessageKind kind, std::string_view bytes) {
    if (bytes.size() > Channel::kMostBytes)
        throw Error(ErrorKind::Usage, concat(bytes.size(), " bytes are more than a message takes"));
    if (kind == MessageKind::Alive) return true;  // pings say that
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_closed_ || throws_away_ || waiting_.bytes() + sent_bytes_ < kMostWaiting; });
    if (is_closed_) return false;
    if (throws_away_) return true;
    waiting_.put(kind, bytes);
    changed_.notify_all();
    return true;
}

bool Link::write_last(MessageKind kind, std::string_view bytes, const std::string& key, const Message& instead_of_it) {
    if (bytes.size() > Channel::kMostBytes)
        throw Error(ErrorKind::Usage, concat(bytes.size(), " bytes are more than a message takes"));
    std::unique_lock lock(mutex_);
    if (is_closed_) return false;
    // It makes room, where it waits for any.
    if (!throws_away_) waiting_.put_last(kind, bytes, key, instead_of_it);
    changed_.notify_all();
    changed_.wait(lock, [this] { return is_closed_ || throws_away_ || waiting_.bytes() + sent_bytes_ < kMostWaiting; });
    return !is_closed_;
}

void Link::grant(std::uint64_t number, std::string bytes) {
    const std::lock_guard lock(mutex_);
    grants_.push_back({number, std::move(bytes)});
    changed_.notify_all();
}

void Link::end_grant(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    std::erase_if(grants_, [number](const Grant& each) { return each.number == number; });
}

void Link::close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    cut_locked();
    changed_.notify_all();
}

void Link::stop_writes() {
    const std::lock_guard lock(mutex_);
    throws_away_ = true;
    changed_.notify_all();
}

void Link::start_anew() {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
    sent_.clear();
    sent_bytes_ = 0;
    known_received_ = 0;
    reader_ = {};
    received_ = 0;
    inbox_.clear();
    throws_away_ = false;
    changed_.notify_all();
}

bool Link::flush(milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [this] { return !is_carried_ || (waiting_.is_empty() && sent_.empty()); }) &&
           waiting_.is_empty() && sent_.empty();
}

std::uint64_t Link::received() const {
    const std::lock_guard lock(mutex_);
    return received_;
}

Link::Facts Link::facts() const {
    const std::lock_guard lock(mutex_);
    return facts_;
}

// --- connections ---

void Link::cut_locked() {
    if (!is_carried_) return;
    channel_->end_reading();
    if (cut_) cut_();
}

void Link::cut() {
    const std::lock_guard lock(mutex_);
    cut_locked();
}

void Link::cut_with(const std::string& farewell) {
    std::unique_lock lock(mutex_);
    if (!is_carried_) return;
    farewell_ = farewell;
    changed_.notify_all();
    // One that reads nothing is not waited for.
    changed_.wait_for(lock, std::chrono::seconds(2), [this] { return !is_carried_ || !farewell_; });
    cut_locked();
    changed_.wait(lock, [this] { return !is_carried_; });
}

void Link::send_end_engine() {
    const std::lock_guard lock(mutex_);
    wants_end_ = true;
    changed_.notify_all();
}

void Link::begin(Channel& channel, std::uint64_t received_there, const std::function<void()>& cut) {
    const std::lock_guard lock(mutex_);
    if (received_there < known_received_ || received_there > known_received_ + sent_.size())
        throw Error(ErrorKind::File, "the other side counts pieces that were not sent");
    for (; known_received_ < received_there; ++known_received_) {
        sent_bytes_ -= sent_.front().bytes.size();
        sent_.pop_front();
    }
    is_carried_ = true;
    cut_ = cut;
    channel_ = &channel;
    for (Grant& each : grants_) each.is_sent = false;
    resent_ = 0;
    on_its_way_ = 0;
    window_ = kFirstWindow;
    fastest_ = Clock::duration::max();
    told_received_ = received_;
    came_ = Clock::now();
    pinged_ = {};
    pongs_.clear();
    farewell_.reset();
    facts_.round_trip.reset();
    changed_.notify_all();
}

std::string Link::carry(Channel& channel, std::uint64_t received_there, const std::function<void()>& cut) {
    begin(channel, received_there, cut);
    std::thread sender([&] { send_all(channel); });
    std::thread watcher([this] { watch(); });
    std::string why;
    std::exception_ptr wrong;
    bool is_broken = false;
    try {
        while (true) {
            std::optional<Message> frame;
            try {
                frame = channel.read();
            } catch (const Error&) {  // cut off
                is_broken = true;
            }
            if (!frame) break;
            take(*frame);
        }
    } catch (...) {
        wrong = std::current_exception();
    }
    {
        const std::lock_guard lock(mutex_);
        if (Clock::now() - came_ >= kMostSilence)
            why = concat("nothing came for ", duration_cast<std::chrono::seconds>(kMostSilence).count(), " seconds");
        else if (is_broken)
            why = "the connection broke off";
        is_carried_ = false;
        changed_.notify_all();
    }
    cut();
    sender.join();
    watcher.join();
    {
        const std::lock_guard lock(mutex_);
        channel_ = nullptr;
        cut_ = nullptr;
        facts_.round_trip.reset();
    }
    if (wrong) std::rethrow_exception(wrong);
    return why;
}

// --- what comes ---

void Link::take(const Message& frame) {
    std::function<void()> told;
    {
        const std::lock_guard lock(mutex_);
        came_ = Clock::now();
        facts_.bytes_received += frame.bytes.size() + kFrameHead;
        switch (frame.kind) {
            case MessageKind::Piece:
                if (auto message = reader_.take(frame.bytes)) inbox_.push_back(std::move(*message));
                ++received_;
                break;
            case MessageKind::Received:
                take_received(frame.bytes);
                break;
            case MessageKind::Ping:
                if (pongs_.size() < 100) pongs_.push_back(frame.bytes.substr(0, 8));
                break;
            case MessageKind::Pong: {
                const auto then = WireReader(frame.bytes).number<std::uint64_t>();
                const std::uint64_t now = microseconds_now();
                if (then <= now) facts_.round_trip = milliseconds((now - then) / 1000);
                told = heard_;
                break;
            }
            case MessageKind::EndEngine:
                told = end_wanted_;
                break;
            case MessageKind::Farewell:
                if (side_ == Side::Session) {
                    inbox_.push_back({frame.kind, frame.bytes});
                    break;
                }
                [[fallthrough]];
            default:
                throw Error(ErrorKind::File, "a message that no link carries");
        }
        changed_.notify_all();
    }
    if (told) told();
}

void Link::take_received(std::string_view bytes) {
    const auto count = from_bytes<std::uint64_t>(bytes);
    if (count < known_received_ || count > known_received_ + resent_)
        throw Error(ErrorKind::File, "the other side counts pieces that were not sent");
    const auto now = Clock::now();
    for (; known_received_ < count; ++known_received_) {
        const Sent& first = sent_.front();
        const std::size_t size = first.bytes.size();
        adapt(now - first.when, size);
        on_its_way_ -= std::min(on_its_way_, size);
        sent_bytes_ -= size;
        sent_.pop_front();
        --resent_;
    }
}

void Link::adapt(Clock::duration delay, std::size_t bytes) {
    fastest_ = std::min(fastest_, delay);
    if (delay < fastest_ + kLittleQueue)
        window_ = std::min(kMostWindow, window_ + bytes);
    else if (delay > fastest_ + kMuchQueue)
        window_ = std::max(kLeastWindow, window_ - std::min(window_, bytes / 2));
}

// Reading and writing may both wait for an other side that is not there any more.
void Link::watch() {
    std::unique_lock lock(mutex_);
    while (is_carried_ && Clock::now() - came_ < kMostSilence)
        changed_.wait_for(lock, std::chrono::seconds(1), [this] { return !is_carried_; });
    cut_locked();
}

// --- what goes ---

// The lock is held.
bool Link::can_send() const {
    if (!is_carried_ || farewell_ || wants_end_ || !pongs_.empty() || told_received_ != received_) return true;
    if (side_ == Side::Session && Clock::now() - pinged_ >= kPingEvery) return true;
    if (std::ranges::any_of(grants_, [](const Grant& each) { return !each.is_sent; })) return true;
    return on_its_way_ < window_ && (resent_ < sent_.size() || !waiting_.is_empty());
}

// The lock is held. What is said of the connection goes before messages.
std::optional<Message> Link::next_frame() {
    if (farewell_)
        return Message{MessageKind::Farewell, to_bytes(FarewellMessage{FarewellMessage::Why::TakenOver, *farewell_})};
    if (wants_end_) {
        wants_end_ = false;
        return Message{MessageKind::EndEngine, {}};
    }
    if (!pongs_.empty()) {
        Message pong{MessageKind::Pong, std::move(pongs_.front())};
        pongs_.pop_front();
        return pong;
    }
    if (side_ == Side::Session && Clock::now() - pinged_ >= kPingEvery) {
        pinged_ = Clock::now();
        return Message{MessageKind::Ping, to_bytes(microseconds_now())};
    }
    if (told_received_ != received_) {
        told_received_ = received_;
        return Message{MessageKind::Received, to_bytes(received_)};
    }
    for (Grant& each : grants_) {
        if (!std::exchange(each.is_sent, true)) return Message{MessageKind::Grant, each.bytes};
    }
    if (on_its_way_ >= window_) return std::nullopt;
    if (resent_ == sent_.size()) {
        if (waiting_.is_empty()) return std::nullopt;
        sent_.push_back({waiting_.take(), {}});
        sent_bytes_ += sent_.back().bytes.size();
    }
    Sent& next = sent_[resent_++];
    next.when = Clock::now();
    on_its_way_ += next.bytes.size();
    return Message{MessageKind::Piece, next.bytes};
}

void Link::send_all(Channel& channel) {
    sigset_t pipe;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    std::unique_lock lock(mutex_);
    while (is_carried_) {
        changed_.wait_for(lock, milliseconds(200), [this] { return can_send(); });
        if (!is_carried_) break;
        std::optional<Message> frame = next_frame();
        if (!frame) continue;
        facts_.bytes_sent += frame->bytes.size() + kFrameHead;
        lock.unlock();
        const bool is_taken = channel.write(frame->kind, frame->bytes);
        lock.lock();
        if (frame->kind == MessageKind::Farewell) farewell_.reset();
        changed_.notify_all();
        if (!is_taken) {
            if (is_carried_) channel.end_reading();
            break;
        }
    }
}

}  // namespace loupe::session
