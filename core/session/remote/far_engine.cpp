// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/far_engine.h"

#include <poll.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <random>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/session/remote/end_place.h"
#include "core/session/remote/engine_front.h"
#include "core/session/remote/greeting.h"
#include "core/session/wire/wire.h"

namespace loupe::session {
namespace {

using std::chrono::milliseconds;

constexpr int kMostLinesBefore = 200;  // of a shell's start-up files, before the greeting

std::string random_key() {
    std::random_device random;
    std::string key;
    for (int i = 0; i < 32; ++i) key += "0123456789abcdef"[random() % 16];
    return key;
}

std::string who_this_is() {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    const passwd* user = ::getpwuid(::getuid());
    return concat(user != nullptr ? user->pw_name : "somebody", "@", host.data());
}

class Port final : public MessagePort {
  public:
    explicit Port(std::shared_ptr<FarEngine> engine) : engine_(std::move(engine)) {}
    std::string open() override { return engine_->open(); }
    std::optional<Message> read() override { return engine_->read(); }
    bool write(MessageKind kind, std::string_view bytes) override { return engine_->write(kind, bytes); }
    bool takes_grants() const override { return true; }
    void grant(std::uint64_t number, std::string bytes) override { engine_->grant(number, std::move(bytes)); }
    void end_grant(std::uint64_t number) override { engine_->end_grant(number); }
    void close_out() override { engine_->close_out(); }
    void end_reading() override { engine_->end_reading(); }
    void end_engine() override { engine_->end_engine(); }
    std::string end_text() const override { return engine_->end_text(); }
    RunningPlace::Facts end_place() const override { return engine_->end_place(); }
    bool reports_silence() const override { return true; }

  private:
    std::shared_ptr<FarEngine> engine_;
};

}  // namespace

// The last lines that a command wrote to stderr.
class FarEngine::Errors {
  public:
    explicit Errors(FileHandle from) : from_(std::move(from)), reader_([this] { read(); }) {}
    Errors(const Errors&) = delete;
    Errors& operator=(const Errors&) = delete;
    ~Errors() { lines(); }

    // Behind the end of the process; what it started may hold its stderr open, and is not waited for.
    std::vector<std::string> lines() {
        is_ending_ = true;
        if (reader_.joinable()) reader_.join();
        return {lines_.begin(), lines_.end()};
    }

  private:
    void read() {
        std::string line;
        std::array<char, 4096> piece;
        while (true) {
            const bool is_last = is_ending_;
            pollfd watched{from_.get(), POLLIN, 0};
            const int ready = ::poll(&watched, 1, 50);
            if (ready == 0 && is_last) break;
            if (ready <= 0) continue;
            const ssize_t got = ::read(from_.get(), piece.data(), piece.size());
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) break;
            for (ssize_t i = 0; i < got; ++i) {
                const char c = piece[static_cast<std::size_t>(i)];
                if (c == '\n' || c == '\r')
                    add(std::exchange(line, {}));
                else if (line.size() < 500)
                    line += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
            }
        }
        add(line);
    }
    void add(std::string line) {
        if (line.find_first_not_of(' ') == std::string::npos) return;
        lines_.push_back(std::move(line));
        if (lines_.size() > 30) lines_.pop_front();
    }

    FileHandle from_;
    std::deque<std::string> lines_;
    std::atomic<bool> is_ending_{false};
    std::thread reader_;
};

FarEngine::FarEngine(std::shared_ptr<FarPlace> place) : place_(std::move(place)), key_(random_key()) {
    link_.set_heard([this] {
        std::unique_lock lock(mutex_);
        if (state_.kind != FarState::Kind::Connected) return;
        const Link::Facts facts = link_.facts();
        state_.round_trip = facts.round_trip;
        state_.bytes_sent = facts.bytes_sent;
        state_.bytes_received = facts.bytes_received;
        const FarState state = state_;
        lock.unlock();
        place_->report(state);
    });
    thread_ = std::thread([this] { run(); });
}

FarEngine::~FarEngine() {
    end_reading();
    thread_.join();
}

std::unique_ptr<MessagePort> FarEngine::port_of(const std::shared_ptr<FarEngine>& engine) {
    return std::make_unique<Port>(engine);
}

// --- the port ---

std::string FarEngine::open() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return has_opened_; });
    return engine_.empty() ? end_text_ : std::string();
}

std::optional<Message> FarEngine::read() {
    std::optional<Message> message = link_.read();
    if (!message || message->kind != MessageKind::Farewell) return message;
    const auto farewell = from_bytes<FarewellMessage>(message->bytes);
    finish({.is_over = true, .was_up = true, .is_busy = true, .why = farewell.text});
    return std::nullopt;
}

std::string FarEngine::end_text() const {
    const std::lock_guard lock(mutex_);
    return end_text_;
}

RunningPlace::Facts FarEngine::end_place() const {
    const std::lock_guard lock(mutex_);
    return end_place_;
}

// What was ordered last still goes out: the engine goes on with it.
void FarEngine::close_out() {
    link_.flush(std::chrono::seconds(2));
    end_reading();
}

void FarEngine::end_reading() {
    {
        const std::lock_guard lock(mutex_);
        is_closing_ = true;
        if (process_ != nullptr) process_->kill();
        changed_.notify_all();
    }
    link_.close();
}

void FarEngine::end_engine() {
    link_.send_end_engine();
    const std::lock_guard lock(mutex_);
    if (state_.kind == FarState::Kind::Connected) return;
    // It is not heard there: the session is over all the same.
    is_closing_ = true;
    if (process_ != nullptr) process_->kill();
    changed_.notify_all();
}

void FarEngine::reconnect_now() {
    const std::lock_guard lock(mutex_);
    is_wanted_now_ = true;
    changed_.notify_all();
}

// --- its thread ---

void FarEngine::report(FarState::Kind kind, const std::string& text) {
    FarState state;
    {
        const std::lock_guard lock(mutex_);
        state_.kind = kind;
        state_.text = text;
        state_.round_trip.reset();
        state = state_;
    }
    place_->report(state);
}

void FarEngine::finish(const Outcome& outcome) {
    {
        const std::lock_guard lock(mutex_);
        if (is_over_) return;
        is_over_ = true;
        end_text_ = outcome.why;
        end_place_ = outcome.place;
        state_.is_busy = outcome.is_busy;
        state_.next_try = {};
        changed_.notify_all();
    }
    report(FarState::Kind::Over, outcome.why);
    {
        const std::lock_guard lock(mutex_);
        has_opened_ = true;
        changed_.notify_all();
    }
    link_.close();
}

void FarEngine::wait_until_next_try() {
    std::unique_lock lock(mutex_);
    const auto is_woken = [this] { return is_closing_ || is_over_ || is_wanted_now_; };
    const auto next = state_.next_try;
    if (next == std::chrono::steady_clock::time_point::max())
        changed_.wait(lock, is_woken);
    else
        changed_.wait_until(lock, next, is_woken);
    is_wanted_now_ = false;
}

void FarEngine::run() {
    sigset_t pipe;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    milliseconds wait = place_->options().first_wait;
    while (true) {
        report(FarState::Kind::Connecting);
        Outcome outcome = connect();
        bool is_first = false;
        {
            const std::lock_guard lock(mutex_);
            if (is_closing_) outcome.is_over = true;
            is_first = engine_.empty();
            if (is_over_) return;
        }
        // A host that was never reached is more likely a wrong one.
        if (outcome.is_over || is_first) return finish(outcome);
        if (outcome.was_up) wait = place_->options().first_wait;
        {
            const std::lock_guard lock(mutex_);
            using std::chrono::steady_clock;
            state_.next_try = outcome.waits_for_user ? steady_clock::time_point::max() : steady_clock::now() + wait;
        }
        report(FarState::Kind::Lost, outcome.why);
        wait_until_next_try();
        wait = std::min(2 * wait, place_->options().last_wait);
    }
}

// Empty, or why not; waits as long as ssh lets the user think about a password.
std::string FarEngine::greet(Channel& channel) {
    std::string first;
    for (int i = 0; i < kMostLinesBefore; ++i) {
        const std::string line = channel.read_greeting();
        if (is_greeting(line)) return why_not_taken_from(place_->host(), line);
        if (first.empty()) first = line;
    }
    return why_not_taken_from(place_->host(), first);
}

FarEngine::Outcome FarEngine::connect() {
    std::optional<ChildProcess> process;
    try {
        process.emplace(place_->options().command, place_->options().environment);
    } catch (const Error& error) {
        return {.is_over = true, .why = error.message()};
    }
    Errors errors(process->take_errors());
    Channel channel(process->take_in(), process->take_out());
    {
        const std::lock_guard lock(mutex_);
        process_ = &*process;
        if (is_closing_) process->kill();
    }
    Outcome outcome;
    bool has_greeted = false;
    try {
        if (outcome.why = greet(channel); !outcome.why.empty()) outcome.is_over = true;
        if (outcome.why.empty()) {
            has_greeted = true;
            HelloMessage hello{.session = key_, .who = who_this_is(), .received = link_.received()};
            {
                const std::lock_guard lock(mutex_);
                hello.engine = engine_;
            }
            hello.takes_over = place_->takes_over();
            channel.write(MessageKind::Hello, to_bytes(hello));
            const std::optional<Message> answer = channel.read();
            if (!answer) throw Error(ErrorKind::File, "the connection broke off");
            if (answer->kind == MessageKind::Farewell) {
                const auto farewell = from_bytes<FarewellMessage>(answer->bytes);
                outcome.is_busy = farewell.why == FarewellMessage::Why::Busy;
                outcome.is_over = true;
                outcome.why = concat(farewell.text, " (", place_->host(), ")");
            } else if (answer->kind == MessageKind::Welcome) {
                outcome = carry(*process, channel, from_bytes<WelcomeMessage>(answer->bytes));
            } else {
                outcome = {.is_over = true, .why = concat("what is on ", place_->host(), " is no engine")};
            }
        }
    } catch (const Error& error) {
        outcome.why = error.message();
        outcome.is_over = outcome.was_up;  // what came was damaged
    }
    channel.close_out();
    if (!outcome.is_over || !has_greeted) {
        const bool was_wrong = outcome.is_over;
        const std::string said = failure(*process, errors, outcome.why, outcome);
        if (!was_wrong || outcome.waits_for_user) outcome.why = said;
        if (outcome.waits_for_user) outcome.is_over = false;
    }
    process->kill();
    const std::lock_guard lock(mutex_);
    process_ = nullptr;
    return outcome;
}

FarEngine::Outcome FarEngine::carry(ChildProcess& process, Channel& channel, const WelcomeMessage& welcome) {
    std::string engine;
    {
        const std::lock_guard lock(mutex_);
        engine = engine_;
    }
    // Began anew: there, or here, is nothing of what was.
    if (!engine.empty() && (!welcome.goes_on || welcome.engine != engine))
        return {.is_over = true,
                .why = concat("the engine on ", place_->host(), " is not the one that this window had: it has ended")};
    if (welcome.engine.empty()) throw Error(ErrorKind::File, "an engine without a name");
    {
        const std::lock_guard lock(mutex_);
        engine_ = welcome.engine;
        has_opened_ = true;
        state_.next_try = {};
        changed_.notify_all();
    }
    report(FarState::Kind::Connected);
    Outcome outcome{.was_up = true};
    try {
        outcome.why = link_.carry(channel, welcome.received, [&process] { process.kill(); });
    } catch (const Error& error) {
        outcome.is_over = true;
        outcome.why = concat("what ", place_->host(), " sent was damaged: ", error.message());
    }
    return outcome;
}

// What the command says for itself, as one line for people; in the outcome, what follows from it.
std::string FarEngine::failure(ChildProcess& process, Errors& errors, const std::string& what, Outcome& outcome) {
    const auto end = process.wait(milliseconds(1500));
    process.kill();
    process.wait(std::chrono::seconds(2));
    const std::string& host = place_->host();
    const std::vector<std::string> lines = errors.lines();
    const auto line_with = [&](const char* part) {
        const auto found =
            std::ranges::find_if(lines, [&](const auto& line) { return line.find(part) != std::string::npos; });
        return found == lines.end() ? std::string() : *found;
    };
    const int status = end ? end->exit_status : 0;
    if (status == kEngineEnded && !lines.empty()) {
        outcome.is_over = true;
        for (const std::string& line : lines) outcome.place = read_end_place(line).value_or(outcome.place);
        return concat(host, ": ", lines.back());
    }
    if (!line_with(kQuestionNotAnswered).empty()) {
        outcome.waits_for_user = true;
        return concat(host, ": ", kQuestionNotAnswered);
    }
    // Asked again and again, the answer would be no other.
    outcome.waits_for_user =
        !line_with("Host key verification failed").empty() || !line_with("Permission denied").empty();
    if (!line_with("Host key verification failed").empty())
        return concat(host, ": its key is not known here or has changed: connect once with ssh in a terminal, and see ",
                      "that the key is right");
    if (const std::string line = line_with("Permission denied"); !line.empty())
        return concat(host, " takes none of the keys and passwords that ssh offers: ", line);
    if (status == 127)
        return concat(host, ": tensorloupe-engine was not found there: ",
                      lines.empty() ? "it is not in the PATH of commands that ssh runs" : lines.back());
    if (!lines.empty()) return concat(host, ": ", lines.back());
    if (status != 0) return concat(host, ": the command ended with status ", status);
    return concat(host, ": ", what.empty() ? "the connection ended" : what);
}

}  // namespace loupe::session
