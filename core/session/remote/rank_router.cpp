// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/rank_router.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/local_socket.h"
#include "core/base/strings.h"
#include "core/distributed/world.h"
#include "core/session/remote/byte_mux.h"
#include "core/session/remote/frame_head.h"
#include "core/session/remote/runtime_folder.h"

namespace loupe::session {
namespace {

using distributed::ControlChannel;
using distributed::World;

constexpr auto kLook = std::chrono::milliseconds(200);
constexpr auto kLongest = std::chrono::seconds(60);  // of the meeting

// Letters of the meeting. Rank 0 first sends the path of the socket, or this where there is none.
constexpr std::string_view kNoSocket = "-";
constexpr std::string_view kConnected = "c";
constexpr std::string_view kElsewhere = "e";
constexpr std::string_view kGoOn = "g";  // all have answered

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

struct Pipe {
    FileHandle from, to;
};
Pipe new_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw Error(ErrorKind::Usage, concat("no pipe to a rank: ", std::strerror(errno)));
    return {FileHandle(ends[0]), FileHandle(ends[1])};
}

struct Pair {
    FileHandle near, far;
};
Pair new_pair() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw Error(ErrorKind::Usage, concat("no socket to a rank: ", std::strerror(errno)));
    return {FileHandle(ends[0]), FileHandle(ends[1])};
}

ByteMux::Ends both_ends(FileHandle socket) {
    FileHandle to(::fcntl(socket.get(), F_DUPFD_CLOEXEC, 3));
    return {std::move(socket), std::move(to)};
}

// The next letter of the rank; others than of the meeting are none of it. Throws Error (Run) when none comes.
std::string letter_of(ControlChannel& control, int rank) {
    const auto until = std::chrono::steady_clock::now() + kLongest;
    while (std::chrono::steady_clock::now() < until) {
        const auto letter = control.receive(kLook);
        if (!letter || letter->from != rank) continue;
        if (letter->bytes.empty()) break;
        return letter->bytes;
    }
    throw Error(ErrorKind::Run, concat("rank ", rank, " has ended, or does not answer"));
}

// Where ranks of one machine meet; it is gone behind that.
class MeetingPlace {
  public:
    MeetingPlace() {
        try {
            path_ = RuntimeFolder().meeting_of(concat(::getpid()));
            socket_ = bind_to(path_);
            if (::listen(socket_.get(), static_cast<int>(ByteMux::kMostChannels)) != 0) socket_.reset();
        } catch (const Error&) {  // all of them go over letters then
        }
    }
    MeetingPlace(const MeetingPlace&) = delete;
    MeetingPlace& operator=(const MeetingPlace&) = delete;
    ~MeetingPlace() {
        if (!path_.empty()) ::unlink(path_.c_str());
    }

    std::string path() const { return socket_.is_open() ? path_.string() : std::string(kNoSocket); }
    // The next one and its rank. Throws Error (Run) when none comes.
    std::pair<int, FileHandle> take() const {
        pollfd watched{socket_.get(), POLLIN, 0};
        if (::poll(&watched, 1, static_cast<int>(std::chrono::milliseconds(kLongest).count())) == 1) {
            FileHandle other(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            std::array<char, kFrameHead> head{};
            if (::recv(other.get(), head.data(), head.size(), MSG_WAITALL) == static_cast<ssize_t>(head.size()))
                return {static_cast<int>(number_at(head.data())), std::move(other)};
        }
        throw Error(ErrorKind::Run, "a rank has not come to where they meet");
    }

  private:
    std::filesystem::path path_;
    FileHandle socket_;
};

// Closed: it listens on another machine, or nowhere.
FileHandle connect_as(int rank, const std::string& path) {
    if (path == kNoSocket) return {};
    try {
        FileHandle socket = connect_to(path);
        std::array<char, kFrameHead> head{};
        put_number(head.data(), static_cast<std::uint32_t>(rank));
        if (socket.is_open() && write_all(socket.get(), {head.data(), head.size()})) return socket;
    } catch (const Error&) {
    }
    return {};
}

}  // namespace

// Another rank on another machine: its channel's bytes are letters from and to rank 0. The mux keeps what is on its way
// within bounds.
class RankRouter::Letters {
  public:
    Letters() : in_(new_pipe()), out_(new_pipe()) {
        mux_ = std::make_unique<ByteMux>(std::move(in_.from), std::move(out_.to), std::size_t{1});
        sender_ = std::thread([this] { send_all(out_.from.get(), 0); });
        receiver_ = std::thread([this] { receive(); });
    }
    ~Letters() {
        mux_.reset();
        sender_.join();
        ends_ = true;
        receiver_.join();
    }
    std::unique_ptr<Channel> take() { return mux_->take(0); }

  private:
    void receive() {
        ControlChannel control = World::instance().control();
        while (!ends_) {
            const auto letter = control.receive(kLook);
            if (!letter || letter->from != 0) continue;
            if (letter->bytes.empty() || !write_all(in_.to.get(), letter->bytes)) break;
        }
        in_.to.reset();
    }

    Pipe in_, out_;
    std::unique_ptr<ByteMux> mux_;
    std::atomic<bool> ends_{false};
    std::thread sender_;
    std::thread receiver_;
};

// Rank 0: letters of ranks on other machines, to and from their connections.
class RankRouter::Relay {
  public:
    ~Relay() {
        if (receiver_.joinable()) receiver_.join();  // until every one has ended
        for (auto& [rank, line] : lines_) {
            line.to.reset();
            line.sender.join();
        }
    }
    void add(int rank, FileHandle connection) {
        Line& line = lines_[rank];
        Pipe in = new_pipe(), out = new_pipe();
        line.to = std::move(in.to);
        line.from = std::move(out.from);
        std::vector<ByteMux::Ends> ends;
        ends.push_back(both_ends(std::move(connection)));
        line.mux = std::make_unique<ByteMux>(std::move(in.from), std::move(out.to), std::move(ends));
        line.sender = std::thread([from = line.from.get(), rank] { send_all(from, rank); });
    }
    void start() {
        if (!lines_.empty()) receiver_ = std::thread([this] { receive(); });
    }

  private:
    struct Line {
        FileHandle to, from;  // of its mux
        std::unique_ptr<ByteMux> mux;
        std::thread sender;
    };
    // A mux takes what comes at once, whatever its channel does: no rank waits for another one.
    void receive() {
        ControlChannel control = World::instance().control();
        for (std::size_t open = lines_.size(); open > 0;) {
            const auto letter = control.receive(kLook);
            const auto found = letter ? lines_.find(letter->from) : lines_.end();
            if (found == lines_.end() || !found->second.to.is_open()) continue;
            if (!letter->bytes.empty() && write_all(found->second.to.get(), letter->bytes)) continue;
            found->second.to.reset();
            --open;
        }
    }

    std::map<int, Line> lines_;
    std::thread receiver_;
};

RankRouter::RankRouter(FileHandle door) {
    World& world = World::instance();
    world.join();
    if (world.rank() == 0)
        meet_others(door);
    else
        meet_first();
}

RankRouter::~RankRouter() = default;

void RankRouter::meet_others(const FileHandle& door) {
    World& world = World::instance();
    ControlChannel control = world.control();
    const auto give = [&](int rank, const FileHandle& connection) {
        if (!give_handle(door.get(), connection, static_cast<std::uint64_t>(rank)))
            throw Error(ErrorKind::Run, "the window has gone");
    };
    const MeetingPlace place;
    for (int rank = 1; rank < world.size(); ++rank) control.send(rank, place.path());
    relay_ = std::make_unique<Relay>();
    Pair own = new_pair();
    give(0, own.far);
    own_ = std::move(own.near);
    // Of each rank how it answered; one that has died meanwhile has a channel that ends.
    std::map<int, std::string> answers;
    const auto until = std::chrono::steady_clock::now() + kLongest;
    while (answers.size() + 1 < static_cast<std::size_t>(world.size())) {
        if (std::chrono::steady_clock::now() >= until)
            throw Error(ErrorKind::Run, "not all ranks have answered rank 0");
        if (const auto letter = control.receive(kLook); letter && letter->from > 0)
            answers.emplace(letter->from, letter->bytes);
    }
    std::size_t connected = 0;
    for (const auto& [rank, answer] : answers) {
        if (answer == kConnected) {
            ++connected;
            continue;
        }
        Pair pair = new_pair();
        give(rank, pair.far);
        if (answer == kElsewhere) relay_->add(rank, std::move(pair.near));
    }
    for (; connected > 0; --connected) {
        const auto [rank, connection] = place.take();
        give(rank, connection);
    }
    relay_->start();
    for (const auto& [rank, answer] : answers) {
        if (answer == kElsewhere) control.send(rank, std::string(kGoOn));
    }
}

void RankRouter::meet_first() {
    World& world = World::instance();
    ControlChannel control = world.control();
    own_ = connect_as(world.rank(), letter_of(control, 0));
    control.send(0, std::string(own_.is_open() ? kConnected : kElsewhere));
    if (own_.is_open()) return;
    letter_of(control, 0);
    letters_ = std::make_unique<Letters>();
}

std::unique_ptr<Channel> RankRouter::take_channel() {
    if (letters_) return letters_->take();
    auto [from, to] = both_ends(std::move(own_));
    return std::make_unique<Channel>(std::move(from), std::move(to));
}

}  // namespace loupe::session
