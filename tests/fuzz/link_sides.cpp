// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <thread>

#include "core/base/error.h"
#include "core/base/local_socket.h"
#include "core/session/far_place.h"
#include "core/session/remote/byte_mux.h"
#include "core/session/remote/engine_host.h"
#include "core/session/remote/far_engine.h"
#include "core/session/remote/frame_head.h"
#include "core/session/remote/greeting.h"
#include "core/session/remote/link.h"
#include "core/session/remote/piece.h"
#include "core/session/wire/wire.h"
#include "tests/fuzz/message_sides.h"

namespace loupe::fuzz {

using namespace session;

namespace {

constexpr std::size_t kMostBytes = std::size_t{900} << 10;  // of a stream, which its pipe or socket holds

struct Ends {
    FileHandle ours;
    FileHandle its;
};

Ends sockets() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw Error(ErrorKind::Run, "no socket");
    const int bytes = 2 << 20;
    ::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
    return {FileHandle(ends[0]), FileHandle(ends[1])};
}

FileHandle nowhere() { return FileHandle(::open("/dev/null", O_WRONLY | O_CLOEXEC)); }

void write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (put <= 0) return;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
}

// The same messages as a link carries them, with what its ends say to each other.
std::vector<std::string> as_link(const std::vector<std::string>& frames) {
    PieceMaker maker;
    for (const std::string& each : frames)
        maker.put(static_cast<MessageKind>(kind_of(each)), std::string_view(each).substr(kFrameHead));
    std::vector<std::string> out;
    for (std::uint64_t count = 0; !maker.is_empty(); ++count) {
        out.push_back(frame(MessageKind::Piece, maker.take()));
        if (count % 10 == 0) out.push_back(frame(MessageKind::Received, to_bytes(std::uint64_t{0})));
        if (count % 10 == 5) out.push_back(frame(MessageKind::Ping, to_bytes(count)));
        if (count % 10 == 6) out.push_back(frame(MessageKind::Pong, to_bytes(count)));
    }
    return out;
}

// A part of a talk as a link carries it: short, so that much of what is tried is damaged.
std::vector<std::string> some_of(const std::vector<std::string>& frames, Chance& chance) {
    const std::size_t from = chance.below(frames.size());
    const std::size_t count = 1 + chance.below(8);
    const std::size_t to = std::min(frames.size(), from + count);
    return as_link(
        {frames.begin() + static_cast<std::ptrdiff_t>(from), frames.begin() + static_cast<std::ptrdiff_t>(to)});
}

class LinkSide final : public Side {
  public:
    explicit LinkSide(const std::vector<Talk>& talks) : talks_(talks) {}

    std::string try_one(Chance& chance) override {
        const Talk& talk = talks_[chance.below(talks_.size())];
        const bool is_session = chance.one_in(2);
        std::vector<std::string> frames = some_of(is_session ? talk.said : talk.told, chance);
        damage_frames(frames, chance);
        const std::string stream = joined(frames);
        if (stream.size() > kMostBytes) return {};
        Ends ends = sockets();
        write_all(ends.ours.get(), stream);
        ends.ours.reset();
        Link link(is_session ? Link::Side::Session : Link::Side::Engine);
        link.set_end_wanted([] {});
        std::string wrong;
        {
            Channel channel(std::move(ends.its), nowhere());
            try {
                link.carry(channel, 0, [] {});
            } catch (const Error& error) {
                if (error.kind() != ErrorKind::File) wrong = error.what();
            }
        }
        link.close();
        while (link.read()) {
        }
        return wrong;
    }

  private:
    const std::vector<Talk> talks_;
};

class HostSide final : public Side {
  public:
    explicit HostSide(const std::vector<Talk>& talks) : talks_(talks), connections_(sockets()) {
        host_ = std::make_unique<EngineHost>(std::move(connections_.its), FileHandle(),
                                             EngineHost::Options{.name = "fuzz", .idle = std::chrono::minutes(100)});
        serving_ = std::thread([this] { host_->serve(); });
    }
    ~HostSide() override {
        connections_.ours.reset();
        serving_.join();
    }

    std::string try_one(Chance& chance) override {
        const Talk& talk = talks_[chance.below(talks_.size())];
        std::vector<std::string> frames;
        // Orders that open nothing and run nothing: they are the engine's side's.
        for (const std::string& each : talk.told) {
            if (kind_of(each) == static_cast<std::uint32_t>(MessageKind::AskIdle)) frames.push_back(each);
        }
        frames = as_link(frames);
        frames.resize(std::min<std::size_t>(frames.size(), chance.below(5)));
        frames.insert(frames.begin(),
                      frame(MessageKind::Hello, to_bytes(HelloMessage{.session = std::string(1 + chance.below(2), 'k'),
                                                                      .who = "ada@laptop",
                                                                      .received = chance.below(3),
                                                                      .takes_over = chance.one_in(2),
                                                                      .only_asks = chance.one_in(8)})));
        damage_frames(frames, chance);
        const std::string stream = joined(frames);
        // It would end this process, as it should.
        for (const std::string& each : frames_of(stream)) {
            if (kind_of(each) == static_cast<std::uint32_t>(MessageKind::EndEngine)) return {};
        }
        Ends ends = sockets();
        if (!give_handle(connections_.ours.get(), ends.its)) return "the host takes no connection any more";
        ends.its.reset();
        write_all(ends.ours.get(), stream);
        ::shutdown(ends.ours.get(), SHUT_WR);
        // Until it has let go of it, with its greeting first.
        std::string said;
        std::array<char, 4096> piece;
        for (ssize_t got = 0; (got = ::read(ends.ours.get(), piece.data(), piece.size())) > 0;)
            said.append(piece.data(), static_cast<std::size_t>(got));
        return said.starts_with(engine_greeting()) ? std::string() : "the host said '" + said.substr(0, 60) + "'";
    }

  private:
    const std::vector<Talk> talks_;
    Ends connections_;
    std::unique_ptr<EngineHost> host_;
    std::thread serving_;
};

class FarSide final : public Side {
  public:
    FarSide(const std::vector<Talk>& talks, const std::filesystem::path& folder)
        : talks_(talks), file_(folder / "said") {}

    std::string try_one(Chance& chance) override {
        const Talk& talk = talks_[chance.below(talks_.size())];
        std::vector<std::string> frames = some_of(talk.said, chance);
        frames.insert(frames.begin(), frame(MessageKind::Welcome, to_bytes(WelcomeMessage{"engine", 0, false})));
        if (chance.one_in(4))
            frames[0] =
                frame(MessageKind::Farewell, to_bytes(FarewellMessage{FarewellMessage::Why::Busy, "it is used"}));
        damage_frames(frames, chance);
        std::string stream = engine_greeting() + "\n" + joined(frames);
        if (chance.one_in(6)) damage_bytes(stream, chance);
        std::ofstream(file_, std::ios::binary) << stream;
        FarPlace::Options options;
        options.command = {"/bin/cat", file_.string()};
        options.address = "ssh://far";
        options.host = "far";
        options.first_wait = options.last_wait = std::chrono::milliseconds(1);
        const auto engine = std::make_shared<FarEngine>(std::make_shared<FarPlace>(options));
        const std::string why = engine->open();
        if (why.find('\n') != std::string::npos) return "it says '" + why + "'";
        engine->end_reading();
        try {
            while (engine->read()) {
            }
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::File) return error.what();
        }
        return {};
    }

  private:
    const std::vector<Talk> talks_;
    const std::filesystem::path file_;
};

class MuxSide final : public Side {
  public:
    explicit MuxSide(const std::vector<Talk>& talks) : talks_(talks) {}

    std::string try_one(Chance& chance) override {
        const Talk& talk = talks_[chance.below(talks_.size())];
        std::vector<std::string> pieces;
        for (std::size_t i = 1 + chance.below(6); i > 0; --i) {
            const std::string& message = talk.said[chance.below(talk.said.size())];
            // A piece has the head of a frame, with its channel's number in place of the kind.
            for (std::size_t from = 0; from < message.size(); from += 1000)
                pieces.push_back(frame(static_cast<MessageKind>(i % kChannels), message.substr(from, 1000)));
        }
        for (std::size_t i = 0; i < kChannels; ++i) pieces.push_back(frame(static_cast<MessageKind>(i), {}));
        damage_frames(pieces, chance);
        const std::string stream = joined(pieces);
        if (stream.size() > kMostBytes) return {};
        Ends ends = sockets();
        write_all(ends.ours.get(), stream);
        ends.ours.reset();
        ByteMux mux(std::move(ends.its), nowhere(), kChannels);
        std::string wrong;
        for (std::size_t i = 0; i < kChannels; ++i) {
            const auto channel = mux.take(i);
            channel->close_out();
            try {
                while (channel->read()) {
                }
            } catch (const Error& error) {
                if (error.kind() != ErrorKind::File) wrong = error.what();
            }
        }
        if (mux.failure().find('\n') != std::string::npos) wrong = mux.failure();
        return wrong;
    }

  private:
    static constexpr std::size_t kChannels = 3;
    const std::vector<Talk> talks_;
};

}  // namespace

std::unique_ptr<Side> link_side(const std::vector<Talk>& talks) { return std::make_unique<LinkSide>(talks); }
std::unique_ptr<Side> host_side(const std::vector<Talk>& talks) { return std::make_unique<HostSide>(talks); }
std::unique_ptr<Side> far_side(const std::vector<Talk>& talks, const std::filesystem::path& folder) {
    return std::make_unique<FarSide>(talks, folder);
}
std::unique_ptr<Side> mux_side(const std::vector<Talk>& talks) { return std::make_unique<MuxSide>(talks); }

}  // namespace loupe::fuzz
