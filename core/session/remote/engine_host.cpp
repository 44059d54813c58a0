// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/engine_host.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <random>
#include <utility>

#include "core/base/error.h"
#include "core/base/local_socket.h"
#include "core/base/strings.h"
#include "core/session/remote/greeting.h"
#include "core/session/wire/wire.h"

namespace loupe::session {
namespace {

using std::chrono::steady_clock;

// The engine's end of a link, as a port.
class LinkPort final : public MessagePort {
  public:
    LinkPort(Link& link, GrantTaker& grants) : link_(link), grants_(grants) {}
    std::string open() override { return {}; }
    std::optional<Message> read() override { return link_.read(); }
    bool write(MessageKind kind, std::string_view bytes) override { return link_.write(kind, bytes); }
    bool write_last(MessageKind kind, std::string_view bytes, const std::string& key,
                    const Message& instead_of_it) override {
        return link_.write_last(kind, bytes, key, instead_of_it);
    }
    void close_out() override { link_.close(); }
    void end_reading() override { link_.close(); }
    std::unique_ptr<GivenThing> take_given(std::uint64_t number) override { return grants_.take(number); }

  private:
    Link& link_;
    GrantTaker& grants_;
};

std::string random_id() {
    std::random_device random;
    std::string id;
    for (int i = 0; i < 16; ++i) id += "0123456789abcdef"[random() % 16];
    return id;
}

// "14:02", of today or not: "Nov 28 14:02".
std::string time_text() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::localtime_r(&now, &parts);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%b %d %H:%M", &parts);
    return text.data();
}

// From elsewhere, and shown.
std::string plain(const std::string& text) {
    std::string out;
    for (const char c : text.substr(0, 100)) out += static_cast<unsigned char>(c) < ' ' ? '?' : c;
    return out.empty() ? "another window" : out;
}

// What a connection says before it is known takes seconds, not for ever.
void limit_silence(int connection, int seconds) {
    const timeval limit{.tv_sec = seconds, .tv_usec = 0};
    ::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
}

}  // namespace

EngineHost::EngineHost(FileHandle connections, FileHandle grants, Options options)
    : connections_(std::move(connections)),
      options_(std::move(options)),
      id_(random_id()),
      since_(time_text()),
      grants_(std::move(grants)),
      port_(std::make_unique<LinkPort>(link_, grants_)),
      server_(std::make_unique<EngineServer>(
          *port_,
          EngineServer::Stay{
              .kept = options_.kept, .writable = options_.writable, .died = options_.died, .place = options_.place})),
      last_busy_(steady_clock::now()) {
    // At once, whatever the engine computes.
    link_.set_end_wanted([] { ::_exit(0); });
    serving_ = std::thread([this] {
        while (true) {
            try {
                server_->serve();
                return;
            } catch (const Error& error) {
                std::fprintf(stderr, "tensorloupe-engine: %s\n", error.what());
                {
                    const std::lock_guard lock(mutex_);
                    is_broken_ = true;
                }
                link_.cut();
            }
        }
    });
}

EngineHost::~EngineHost() {
    link_.close();
    serving_.join();
    end_visits(true);
    server_.reset();
}

void EngineHost::serve() {
    while (true) {
        pollfd watched{connections_.get(), POLLIN, 0};
        const int ready = ::poll(&watched, 1, 1000);
        end_visits(false);
        if (!waits_idly()) last_busy_ = steady_clock::now();
        if (ready == 0 && steady_clock::now() - last_busy_.load() >= options_.idle) return;
        if (ready <= 0) continue;
        std::optional<GivenHandle> given = take_handle(connections_.get());
        FileHandle connection = given ? std::move(given->handle) : FileHandle();
        if (!connection.is_open()) return;
        Visit& visit_here = visits_.emplace_back();
        visit_here.thread = std::thread([this, &visit_here, handle = std::move(connection)]() mutable {
            visit(std::move(handle));
            visit_here.is_over = true;
        });
    }
}

void EngineHost::end_visits(bool all) {
    for (auto at = visits_.begin(); at != visits_.end();) {
        if (all || at->is_over) {
            at->thread.join();
            at = visits_.erase(at);
        } else {
            ++at;
        }
    }
}

bool EngineHost::waits_idly() const {
    const RunState state = server_->engine().status().state;
    return !is_connected_ && state != RunState::Running && state != RunState::Opening;
}

std::string EngineHost::describe() {
    const Status status = server_->engine().status();
    const auto model = server_->engine().model();
    std::string what = model == nullptr ? "no model" : std::filesystem::path(model->path).filename().string();
    switch (status.state) {
        case RunState::Empty:
        case RunState::Ready:
            break;
        case RunState::Opening:
            what += ", is opened";
            break;
        case RunState::Running:
            what += status.is_training ? concat(", trains, step ", status.training_step + 1) : ", runs";
            break;
        case RunState::Paused:
            what += ", is parked";
            break;
        case RunState::Finished:
            what += ", has run";
            break;
        case RunState::Failed:
            what += ", failed";
            break;
    }
    const std::lock_guard lock(mutex_);
    return concat("since ", since_, ", process ", ::getpid(), ": ", what,
                  is_connected_ ? concat("; ", who_, " has it since ", who_since_) : "; nobody has it");
}

void EngineHost::visit(FileHandle connection) {
    const int descriptor = connection.get();
    FileHandle out(::fcntl(descriptor, F_DUPFD_CLOEXEC, 3));
    const auto cut = [descriptor] { ::shutdown(descriptor, SHUT_RDWR); };
    Channel channel(std::move(connection), std::move(out));
    try {
        limit_silence(descriptor, 20);
        if (!channel.write_greeting(engine_greeting())) return;
        const auto first = channel.read();
        limit_silence(descriptor, 0);
        if (!first) return;
        if (first->kind == MessageKind::EndEngine) ::_exit(0);
        if (first->kind != MessageKind::Hello) return;
        answer(channel, from_bytes<HelloMessage>(first->bytes), cut);
    } catch (const Error& error) {
        std::fprintf(stderr, "tensorloupe-engine: %s\n", error.what());
    }
}

// One that has the engine is asked to go, where the new one wants that or is the same.
bool EngineHost::is_free_for(const HelloMessage& hello, Channel& channel) {
    std::string holder;
    bool is_same = false;
    {
        const std::lock_guard lock(mutex_);
        is_same = session_ == hello.session;
        holder = concat(who_, " since ", who_since_);
    }
    if (!is_connected_) return true;
    if (is_same) {
        link_.cut();  // a connection that the other side has given up already
        return true;
    }
    if (hello.takes_over) {
        link_.cut_with(concat(plain(hello.who), " has taken the engine over"));
        return true;
    }
    channel.write(MessageKind::Farewell,
                  to_bytes(FarewellMessage{FarewellMessage::Why::Busy,
                                           concat("the engine '", options_.name, "' is used by ", holder)}));
    return false;
}

void EngineHost::answer(Channel& channel, const HelloMessage& hello, const std::function<void()>& cut) {
    if (hello.only_asks) {
        channel.write(MessageKind::Farewell, to_bytes(FarewellMessage{FarewellMessage::Why::Told, describe()}));
        return;
    }
    const auto gone = [&](const std::string& why) {
        channel.write(MessageKind::Farewell, to_bytes(FarewellMessage{FarewellMessage::Why::Gone, why}));
    };
    if (!hello.engine.empty() && hello.engine != id_)
        return gone(concat("the engine that this window had has ended, another one runs there",
                           options_.died.empty() ? "" : ": ", options_.died));
    if (!is_free_for(hello, channel)) return;
    const std::lock_guard carrying(carrying_);
    bool goes_on = false;
    {
        const std::lock_guard lock(mutex_);
        goes_on = session_ == hello.session && !is_broken_;
        if (!hello.engine.empty() && !goes_on) {
            const std::string other = session_ == hello.session ? "it was sent damaged messages" : who_ + " had it";
            return gone(concat("this window's connection cannot go on: ", other, " meanwhile"));
        }
        if (!goes_on) {
            session_ = hello.session;
            is_broken_ = false;
            who_ = plain(hello.who);
            who_since_ = time_text();
        }
    }
    // The server forgets the session before, and this one's messages begin at 0.
    if (!goes_on) {
        server_->start_anew([this] { link_.stop_writes(); }, [this] { link_.start_anew(); });
        grants_.forget();
    }
    is_connected_ = true;
    last_busy_ = steady_clock::now();
    try {
        if (channel.write(MessageKind::Welcome, to_bytes(WelcomeMessage{id_, link_.received(), goes_on})))
            link_.carry(channel, goes_on ? hello.received : 0, cut);
    } catch (const Error& error) {
        std::fprintf(stderr, "tensorloupe-engine: %s\n", error.what());
        const std::lock_guard lock(mutex_);
        is_broken_ = true;
    }
    is_connected_ = false;
    last_busy_ = steady_clock::now();
}

}  // namespace loupe::session
