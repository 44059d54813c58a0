// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/engine_life.h"

#include <csignal>
#include <utility>

#include "core/base/error.h"

namespace loupe::session {
namespace {

using std::chrono::steady_clock;

constexpr auto kSilence = std::chrono::seconds(5);
constexpr auto kGrace = std::chrono::seconds(5);

void take_end(int signal, int exit_status, EngineLife::End& end) {
    if (signal != 0) end.kind = signal == SIGKILL ? EngineEnd::Kind::Killed : EngineEnd::Kind::Crashed;
    end.signal = signal;
    end.exit_status = exit_status;
}

void take_death(const RankDeath& death, EngineLife::End& end) {
    take_end(death.signal, death.exit_status, end);
    end.place = death.place;
    end.last_collective = death.last_collective;
}

}  // namespace

EngineLife::EngineLife(std::string failure, Owner& owner)
    : owner_(owner), failure_(std::move(failure)), heard_(steady_clock::now()) {}

EngineLife::EngineLife(const EngineLaunch& launch, Owner& owner) : owner_(owner), heard_(steady_clock::now()) {
    try {
        process_ = std::make_unique<ChildProcess>(launch);
        auto channel = std::make_unique<Channel>(process_->take_in(), process_->take_out());
        channel->take_memory_from(process_->files_socket());
        port_ = std::move(channel);
    } catch (const Error& error) {
        failure_ = error.message();
    }
}

EngineLife::EngineLife(std::unique_ptr<MessagePort> port, Owner& owner)
    : owner_(owner), port_(std::move(port)), heard_(steady_clock::now()) {}

void EngineLife::start() {
    writer_ = std::thread([this] { write(); });
    reader_ = std::thread([this] { read(); });
}

void EngineLife::send(MessageKind kind, std::string bytes) {
    const std::lock_guard lock(mutex_);
    if (ends_) return;
    waiting_.push_back({kind, std::move(bytes)});
    changed_.notify_all();
}

void EngineLife::kill() {
    is_stopped_ = true;
    if (process_ != nullptr) process_->kill();
    if (process_ == nullptr && port_ != nullptr) port_->end_engine();
}

// The process reads the end of what it is sent and ends; what it says until then is still read.
void EngineLife::end() {
    is_closed_ = true;
    {
        std::unique_lock lock(mutex_);
        ends_ = true;
        changed_.notify_all();
        if (!reader_.joinable()) return;
        const bool has_ended = changed_.wait_for(lock, kGrace, [this] { return has_ended_; });
        if (!has_ended && process_ != nullptr) process_->kill();
        if (!has_ended && process_ == nullptr) port_->end_reading();
    }
    reader_.join();
    writer_.join();
}

// --- its threads ---

void EngineLife::write() {
    // A process that has ended is no reason to end this one.
    sigset_t pipe;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    bool is_silent = false;
    const bool says_silence = port_ == nullptr || !port_->reports_silence();
    std::unique_lock lock(mutex_);
    while (!ends_) {
        changed_.wait_for(lock, std::chrono::seconds(1), [this] { return ends_ || !waiting_.empty(); });
        const std::vector<Message> messages = std::exchange(waiting_, {});
        lock.unlock();
        for (const Message& message : messages) {
            if (port_ == nullptr || !port_->write(message.kind, message.bytes)) break;  // the reader sees how it ended
        }
        const auto quiet = std::chrono::duration_cast<std::chrono::seconds>(steady_clock::now() - heard_.load());
        if (!is_silent && quiet >= kSilence && says_silence) owner_.silent(quiet);
        is_silent = quiet >= kSilence;
        lock.lock();
    }
    lock.unlock();
    if (port_ != nullptr) port_->close_out();
}

void EngineLife::read() {
    EngineEnd::Kind found = EngineEnd::Kind::Refused;
    std::string what = failure_;
    try {
        if (port_ != nullptr) what = port_->open();
        while (what.empty()) {
            found = EngineEnd::Kind::Exited;
            const std::optional<Message> message = port_->read();
            heard_ = steady_clock::now();
            if (!message) break;
            found = EngineEnd::Kind::Damaged;
            owner_.take(*this, *message);
        }
    } catch (const Error& error) {
        what = error.message();
        if (found == EngineEnd::Kind::Exited) found = EngineEnd::Kind::Damaged;
    } catch (const std::exception& error) {
        what = error.what();
    }
    const End end = end_of(found, std::move(what));
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
        has_ended_ = true;
        changed_.notify_all();
    }
    if (!is_closed_) owner_.ended(*this, end);
    is_over_ = true;
}

// A message that is cut off is the mark of a process that has ended: how it did counts.
EngineLife::End EngineLife::end_of(EngineEnd::Kind found, std::string what) {
    End end{.kind = found, .what = std::move(what)};
    if (process_ == nullptr) {
        if (port_ != nullptr && found == EngineEnd::Kind::Exited) {
            end.what = port_->end_text();
            end.place = port_->end_place();
        }
        const bool may_have_died = found == EngineEnd::Kind::Exited || found == EngineEnd::Kind::Damaged;
        if (const auto death = port_ != nullptr && may_have_died ? port_->death() : std::nullopt) {
            end.kind = EngineEnd::Kind::Exited;
            end.what.clear();
            take_death(*death, end);
        }
        if (is_stopped_) end.kind = EngineEnd::Kind::Stopped;
        return end;
    }
    // One that has closed its side, or said something wrong in the middle of dying, ends soon.
    const auto time =
        found == EngineEnd::Kind::Exited ? std::chrono::milliseconds(2000) : std::chrono::milliseconds(300);
    const auto ended = process_->wait(time);
    if (!ended) {
        process_->kill();
        process_->wait(std::chrono::seconds(10));
    }
    if (const RunningPlace* place = process_->place()) end.place = place->read().value_or(RunningPlace::Facts());
    if (ended) take_end(ended->signal, ended->exit_status, end);
    if (is_stopped_) end.kind = EngineEnd::Kind::Stopped;
    return end;
}

}  // namespace loupe::session
