// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "core/base/error.h"
#include "core/base/local_socket.h"
#include "core/session/queries/watched_programs.h"
#include "core/session/remote/channel.h"
#include "core/session/remote/frame_head.h"
#include "core/session/remote/front_stream.h"
#include "core/session/remote/grant_giver.h"
#include "core/session/wire/wire.h"
#include "tests/fuzz/message_sides.h"

namespace loupe::fuzz {

using namespace session;

namespace {

struct Ends {
    FileHandle ours;
    FileHandle its;
};

Ends sockets(int type) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends.data()) != 0) throw Error(ErrorKind::Run, "no socket");
    return {FileHandle(ends[0]), FileHandle(ends[1])};
}

class FrontSide final : public Side {
  public:
    FrontSide(const std::vector<Talk>& talks, std::filesystem::path folder)
        : talks_(talks),
          folder_(std::move(folder)),
          engine_(sockets(SOCK_SEQPACKET)),
          giver_(std::move(engine_.ours)) {}
    ~FrontSide() override { engine_.its.reset(); }

    std::string try_one(Chance& chance) override {
        const Talk& talk = talks_[chance.below(talks_.size())];
        std::vector<std::string> frames;
        for (std::size_t i = 1 + chance.below(4); i > 0; --i) {
            frames.push_back(talk.told[chance.below(talk.told.size())]);
            if (chance.one_in(2)) frames.push_back(frame(MessageKind::Grant, to_bytes(some_grant(chance))));
        }
        damage_frames(frames, chance);
        std::string wrong = pass(joined(frames), chance);
        answer_as_engine(chance);
        return wrong;
    }

  private:
    GrantMessage some_grant(Chance& chance) const {
        GrantMessage grant{.number = chance.one_in(4) ? chance.below(5) : chance.next()};
        switch (chance.below(3)) {
            case 0:
                grant.path = folder_ / ("granted" + std::to_string(chance.below(5)));
                break;
            case 1:
                grant.what = GrantMessage::What::Connect;
                grant.path = folder_ / "7.sock";
                break;
            default:
                grant.what = GrantMessage::What::Answer;
                grant.query = WatchedProgramsQuery::record().name;
                break;
        }
        return grant;
    }

    // In pieces of any length.
    std::string pass(std::string_view stream, Chance& chance) {
        std::string passed;
        FrontStream front(
            [&passed](std::string_view bytes) {
                passed += bytes;
                return true;
            },
            [this](const std::string& grant) { hand_over(grant); });
        try {
            while (!stream.empty()) {
                const std::string_view piece = stream.substr(0, 1 + chance.below(chance.one_in(2) ? 10 : 5000));
                stream.remove_prefix(piece.size());
                front.take(piece);
            }
        } catch (const Error& error) {
            const std::string what = error.what();
            if (error.kind() != ErrorKind::File || what.find('\n') != std::string::npos) return what;
        }
        for (const std::string& each : frames_of(passed)) {
            if (each.size() >= kFrameHead && kind_of(each) == static_cast<std::uint32_t>(MessageKind::Grant))
                return "a grant was passed on";
        }
        return {};
    }

    void hand_over(const std::string& grant) {
        Ends ends = sockets(SOCK_STREAM);
        giver_.take(std::move(ends.its));
        FileHandle in(::dup(ends.ours.get()));
        Channel channel(std::move(in), std::move(ends.ours));
        if (channel.write(MessageKind::Grant, grant)) channel.read();
    }

    // Says what it may, or what it may not, or nothing.
    void answer_as_engine(Chance& chance) {
        while (auto given = take_handle(engine_.its.get(), MSG_DONTWAIT)) {
            if (!given->handle.is_open()) return;
            const std::string said(chance.below(3), chance.one_in(2) ? kIsWhole : static_cast<char>(chance.next()));
            if (::send(given->handle.get(), said.data(), said.size(), MSG_NOSIGNAL) < 0) return;
        }
    }

    const std::vector<Talk> talks_;
    const std::filesystem::path folder_;
    Ends engine_;
    GrantGiver giver_;
};

}  // namespace

std::unique_ptr<Side> front_side(const std::vector<Talk>& talks, const std::filesystem::path& folder) {
    return std::make_unique<FrontSide>(talks, folder);
}

}  // namespace loupe::fuzz
