// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/rank_router.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/distributed/world.h"
#include "core/session/remote/byte_mux.h"
#include "core/session/remote/rank_process.h"

namespace loupe::session {
namespace {

using distributed::ControlChannel;
using distributed::World;

constexpr auto kLook = std::chrono::milliseconds(200);

bool write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(descriptor, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

// What a descriptor says, as letters to a rank; the last is empty.
void send_all(int from, int rank) {
    ControlChannel control = World::instance().control();
    std::string piece(ByteMux::kMostBytes, '\0');
    while (true) {
        const ssize_t got = ::read(from, piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        control.send(rank, piece.substr(0, got > 0 ? static_cast<std::size_t>(got) : 0));
        if (got <= 0) return;
    }
}

void make_pipe(FileHandle& read_end, FileHandle& write_end) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(ErrorKind::Usage, "no pipe to this rank's engine");
    read_end = FileHandle(ends[0]);
    write_end = FileHandle(ends[1]);
}

}  // namespace

// Another rank: its channel's bytes are letters from and to rank 0.
class RankRouter::Rank {
  public:
    Rank() {
        make_pipe(near_in_, far_in_);
        make_pipe(far_out_, near_out_);
        sender_ = std::thread([this] { send_all(far_out_.get(), 0); });
        receiver_ = std::thread([this] { receive(); });
    }
    ~Rank() {
        near_in_.reset();
        near_out_.reset();
        sender_.join();
        ends_ = true;
        receiver_.join();
    }
    std::unique_ptr<Channel> take() { return std::make_unique<Channel>(std::move(near_in_), std::move(near_out_)); }

  private:
    void receive() {
        ControlChannel control = World::instance().control();
        while (!ends_) {
            const auto letter = control.receive(kLook);
            if (!letter || letter->from != 0) continue;
            if (letter->bytes.empty() || !write_all(far_in_.get(), letter->bytes)) break;
        }
        far_in_.reset();
    }

    FileHandle near_in_, near_out_, far_in_, far_out_;
    std::atomic<bool> ends_{false};
    std::thread sender_;
    std::thread receiver_;
};

// Rank 0: a mux to the window, and for every other rank one of its channels as letters.
class RankRouter::Hub {
  public:
    Hub(FileHandle in, FileHandle out, std::size_t ranks) {
        const std::string line = rank_greeting(ranks) + "\n";
        if (!write_all(out.get(), line)) throw Error(ErrorKind::Run, "the window has gone");
        mux_ = std::make_unique<ByteMux>(std::move(in), std::move(out), ranks);
        for (std::size_t rank = 1; rank < ranks; ++rank) ends_.push_back(mux_->take_ends(rank));
        for (std::size_t rank = 1; rank < ranks; ++rank)
            senders_.emplace_back([this, rank] { send_all(ends_[rank - 1].first.get(), static_cast<int>(rank)); });
        receiver_ = std::thread([this] { receive(); });
    }
    ~Hub() {
        receiver_.join();  // until every rank has ended
        for (std::thread& each : senders_) each.join();
        ends_.clear();
        mux_.reset();
    }
    std::unique_ptr<Channel> take() { return mux_->take(0); }

  private:
    void receive() {
        ControlChannel control = World::instance().control();
        std::size_t open = ends_.size();
        while (open > 0) {
            const auto letter = control.receive(kLook);
            if (!letter || letter->from < 1 || static_cast<std::size_t>(letter->from) > ends_.size()) continue;
            FileHandle& to = ends_[static_cast<std::size_t>(letter->from) - 1].second;
            if (!to.is_open()) continue;
            if (!letter->bytes.empty() && write_all(to.get(), letter->bytes)) continue;
            to.reset();
            --open;
        }
    }

    std::unique_ptr<ByteMux> mux_;
    std::vector<std::pair<FileHandle, FileHandle>> ends_;  // of ranks 1, 2, ...: what the window says, what they say
    std::vector<std::thread> senders_;
    std::thread receiver_;
};

RankRouter::RankRouter(FileHandle in, FileHandle out) {
    World& world = World::instance();
    world.join();
    if (world.rank() == 0) {
        hub_ = std::make_unique<Hub>(std::move(in), std::move(out), static_cast<std::size_t>(world.size()));
    } else {
        in.reset();
        out.reset();
        rank_ = std::make_unique<Rank>();
    }
}

RankRouter::~RankRouter() = default;

std::unique_ptr<Channel> RankRouter::take_channel() { return hub_ ? hub_->take() : rank_->take(); }

}  // namespace loupe::session
