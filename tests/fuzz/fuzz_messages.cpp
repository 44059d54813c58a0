// SPDX-License-Identifier: Apache-2.0
// What an engine in a process of its own says is not trusted. Streams of a real engine, damaged at random, are given to
// a session's side: whatever comes of it, it says so in one line or takes it, and what it shows holds together.
//   loupe_fuzz_messages [--rounds N] [--seed S]
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/plugin/plugin_loader.h"
#include "core/session/queries/tensor.h"
#include "core/session/queries/watch.h"
#include "core/session/remote/engine_server.h"
#include "core/session/remote/greeting.h"
#include "core/session/remote/link.h"
#include "core/session/remote/piece.h"
#include "core/session/remote/remote_engine.h"
#include "core/session/wire/wire.h"

using namespace loupe;
using namespace loupe::session;

namespace {

constexpr unsigned kMostSeconds = 30;  // a round

struct Ends {
    FileHandle read_end;
    FileHandle write_end;
};

Ends make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
    return {FileHandle(ends[0]), FileHandle(ends[1])};
}

std::string read_all(int descriptor) {
    std::string all;
    std::array<char, 65536> piece;
    for (ssize_t got = 0; (got = ::read(descriptor, piece.data(), piece.size())) > 0;)
        all.append(piece.data(), static_cast<std::size_t>(got));
    return all;
}

// Ends when the other side has been closed.
void write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(descriptor, bytes.data(), bytes.size());
        if (put <= 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
}

template <typename Verb>
void order(RemoteEngine& engine, Verb verb) {
    engine.perform(Verb::record(), std::make_shared<const Verb>(std::move(verb)), [](const std::string&) {});
}

// What every session orders and asks, so that replies find who waits for them.
void give_orders(RemoteEngine& engine) {
    order(engine, OpenVerb{.file = LOUPE_SOURCE_DIR "/resources/models/digits.pt"});
    RunOptions options;
    options.backward = true;
    order(engine, RunVerb{.options = options});
    for (const ValueId value : {1U, 5U, 9999U}) {
        TensorRequest request;
        request.value = value;
        engine.ask(
            "tensor", TensorQuery::record(), std::make_shared<const TensorQuery>(TensorQuery{request}),
            [](const QueryValue&) {}, [](const QueryValue&) {});
    }
    engine.ask("watch", WatchQuery::record(), std::make_shared<const WatchQuery>(WatchQuery{"x.mean()", 3}),
               [](const QueryValue&) {}, {});
    TrainOptions training;
    training.epochs = 1;
    training.max_steps = 5;
    order(engine, TrainVerb{.options = training});
}

// What an engine says to these orders.
std::string record_stream() {
    Ends orders = make_pipe();
    Ends said = make_pipe();
    std::string stream;
    std::thread reader([&] { stream = read_all(said.read_end.get()); });
    std::thread engine([&] {
        Channel channel(std::move(orders.read_end), std::move(said.write_end));
        EngineServer server(channel);
        server.serve();
    });
    {
        Ends nothing = make_pipe();
        RemoteEngine session(
            [&](EngineLife::Owner& owner) {
                return std::make_shared<EngineLife>(
                    std::make_unique<Channel>(std::move(nothing.read_end), std::move(orders.write_end)), owner);
            },
            nullptr);
        // Its life ends at once, for it hears nothing: but what it was told goes out first.
        write_all(nothing.write_end.get(), engine_greeting() + "\n");
        give_orders(session);
        std::this_thread::sleep_for(std::chrono::seconds(3));
        nothing.write_end.reset();
    }
    engine.join();
    reader.join();
    return stream;
}

// Where each message begins, and the end.
std::vector<std::size_t> bounds(const std::string& stream) {
    std::vector<std::size_t> all{0};
    while (all.back() + 8 <= stream.size()) {
        std::uint32_t size = 0;
        std::memcpy(&size, stream.data() + all.back() + 4, 4);
        all.push_back(all.back() + 8 + size);
    }
    return all;
}

class Damage {
  public:
    Damage(const std::string& stream, std::uint64_t seed) : stream_(stream), bounds_(bounds(stream)), random_(seed) {}

    std::string next() {
        std::string out;
        const std::size_t count = bounds_.size() - 1;
        const std::size_t hit = below(count);
        for (std::size_t i = 0; i < count; ++i) {
            std::string message = stream_.substr(bounds_[i], bounds_[i + 1] - bounds_[i]);
            if (i == hit) damage(message);
            out += message;
        }
        return out;
    }

  private:
    std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }

    void damage(std::string& message) {
        switch (below(6)) {
            case 0:  // bits
                for (std::size_t i = 0, flips = 1 + below(4); i < flips; ++i)
                    message[below(message.size())] ^= static_cast<char>(1U << below(8));
                break;
            case 1: {  // a number that is very large, or none
                if (message.size() < 16) break;
                const std::size_t at = 8 + below(message.size() - 15);
                const std::array<std::uint64_t, 5> numbers{0, ~std::uint64_t{0}, std::uint64_t{1} << 31,
                                                           std::uint64_t{1} << 62, below(1000)};
                const std::uint64_t number = numbers[below(numbers.size())];
                std::memcpy(message.data() + at, &number, std::min<std::size_t>(8, message.size() - at));
                break;
            }
            case 2:  // cut off, with the size of what is left
                message.resize(8 + below(message.size() - 7));
                set_size(message);
                break;
            case 3:  // twice
                message += message;
                break;
            case 4:  // left out
                message.clear();
                break;
            case 5: {  // as another kind
                const auto kind = static_cast<std::uint32_t>(below(40));
                std::memcpy(message.data(), &kind, 4);
                break;
            }
        }
    }

    static void set_size(std::string& message) {
        const auto size = static_cast<std::uint32_t>(message.size() - 8);
        std::memcpy(message.data() + 4, &size, 4);
    }

    const std::string& stream_;
    std::vector<std::size_t> bounds_;
    std::mt19937_64 random_;
};

// All that a view may follow.
std::size_t walk(const Recording& recording) {
    std::size_t sum = 0;
    for (EventId id = 1; id <= recording.event_count(); ++id) {
        const Event& event = recording.event(id);
        sum += event.op.size() + event.scope.size() + recording.backward_peer(id);
        for (const auto* ids : {&event.inputs, &event.outputs}) {
            for (const ValueId value : *ids) sum += recording.value(value).name.size();
        }
        if (event.frame != 0) sum += recording.frame(event.frame).class_name.size();
    }
    for (std::size_t i = 0; i < recording.allocation_count(); ++i) sum += recording.allocation(i).freed;
    return sum;
}

// Empty: as it should be.
std::string try_stream(const std::string& stream) {
    Ends said = make_pipe();
    ::fcntl(said.write_end.get(), F_SETPIPE_SZ, 1 << 20);
    Ends orders = make_pipe();
    std::thread listener([&] { read_all(orders.read_end.get()); });
    std::string wrong;
    {
        RemoteEngine session(
            [&](EngineLife::Owner& owner) {
                return std::make_shared<EngineLife>(
                    std::make_unique<Channel>(std::move(said.read_end), std::move(orders.write_end)), owner);
            },
            nullptr);
        give_orders(session);
        std::thread engine([&] {
            write_all(said.write_end.get(), engine_greeting() + "\n");
            write_all(said.write_end.get(), stream);
            said.write_end.reset();
        });
        engine.join();
        while (session.engine_end().kind == EngineEnd::Kind::None)
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        const std::string text = session.engine_end().text;
        if (text.empty() || text.find('\n') != std::string::npos) wrong = "it says '" + text + "'";
        if (const auto recording = session.recording()) walk(*recording);
    }
    listener.join();
    return wrong;
}

std::string frame(MessageKind kind, std::string_view bytes) {
    WireWriter out;
    out.number(static_cast<std::uint32_t>(kind));
    out.number(static_cast<std::uint32_t>(bytes.size()));
    return out.take() + std::string(bytes);
}

// The same messages as a link carries them, with what its ends say to each other.
std::string as_link(const std::string& stream) {
    PieceMaker maker;
    const std::vector<std::size_t> at = bounds(stream);
    for (std::size_t i = 0; i + 1 < at.size(); ++i) {
        std::uint32_t kind = 0;
        std::memcpy(&kind, stream.data() + at[i], 4);
        maker.put(static_cast<MessageKind>(kind), std::string_view(stream).substr(at[i] + 8, at[i + 1] - at[i] - 8));
    }
    std::string out;
    for (std::size_t count = 0; !maker.is_empty(); ++count) {
        out += frame(MessageKind::Piece, maker.take());
        if (count % 10 == 0) out += frame(MessageKind::Received, to_bytes(std::uint64_t{0}));
        if (count % 10 == 5) out += frame(MessageKind::Ping, to_bytes(std::uint64_t{count}));
    }
    return out;
}

// Empty: the link took it, or refused it as what no link carries.
std::string try_link(const std::string& stream, Link::Side side) {
    Ends said = make_pipe();
    Ends answered = make_pipe();
    ::fcntl(said.write_end.get(), F_SETPIPE_SZ, 1 << 20);
    std::thread listener([&] { read_all(answered.read_end.get()); });
    std::thread teller([&] {
        write_all(said.write_end.get(), stream);
        said.write_end.reset();
    });
    Link link(side);
    std::string wrong;
    {
        Channel channel(std::move(said.read_end), std::move(answered.write_end));
        try {
            link.carry(channel, 0, [] {});
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::File) wrong = error.what();
        }
    }
    teller.join();
    listener.join();
    link.close();
    while (link.read()) {
    }
    return wrong;
}

}  // namespace

int main(int argc, char** argv) {
    std::size_t rounds = 400;
    std::uint64_t seed = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::string_view(argv[i]) == "--rounds") rounds = std::strtoull(argv[i + 1], nullptr, 10);
        if (std::string_view(argv[i]) == "--seed") seed = std::strtoull(argv[i + 1], nullptr, 10);
    }
    ::signal(SIGPIPE, SIG_IGN);
    plugins();
    const std::string all = record_stream();
    const std::size_t greeting = engine_greeting().size() + 1;
    const std::string stream = all.starts_with(engine_greeting()) ? all.substr(greeting) : all;
    if (stream.size() < 10'000) {
        std::fprintf(stderr, "the engine said only %zu bytes\n", stream.size());
        return 1;
    }
    std::printf("a stream of %zu bytes, %zu messages\n", stream.size(), bounds(stream).size() - 1);
    Damage damage(stream, seed);
    const std::string pieces = as_link(stream);
    Damage link_damage(pieces, seed);
    for (std::size_t round = 0; round < rounds; ++round) {
        ::alarm(kMostSeconds);
        std::string wrong = try_stream(damage.next());
        if (wrong.empty())
            wrong = try_link(link_damage.next(), round % 2 == 0 ? Link::Side::Session : Link::Side::Engine);
        if (!wrong.empty()) {
            std::fprintf(stderr, "round %zu of seed %llu: %s\n", round, static_cast<unsigned long long>(seed),
                         wrong.c_str());
            return 1;
        }
    }
    std::printf("%zu damaged streams: each was taken, or refused in one line\n", rounds);
    return 0;
}
