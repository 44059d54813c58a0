// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/rank_hub.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/local_socket.h"
#include "core/base/strings.h"
#include "core/session/remote/byte_mux.h"
#include "core/session/remote/rank_process.h"

namespace loupe::session {
namespace {

// By rank; empty: not all came.
std::vector<ByteMux::Ends> take_ranks(int door) {
    std::map<std::uint64_t, FileHandle> found;
    while (auto given = take_handle(door)) {
        if (!given->handle.is_open() || !found.emplace(given->number, std::move(given->handle)).second) return {};
    }
    std::vector<ByteMux::Ends> ranks;
    for (auto& [number, from] : found) {
        if (number != ranks.size()) return {};
        FileHandle to(::fcntl(from.get(), F_DUPFD_CLOEXEC, 3));
        ranks.emplace_back(std::move(from), std::move(to));
    }
    return ranks;
}

}  // namespace

RankHub::RankHub(FileHandle in, FileHandle out) : in_(std::move(in)), out_(std::move(out)) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throw Error(ErrorKind::Usage, concat("no socket to rank 0: ", std::strerror(errno)));
    door_ = FileHandle(ends[0]);
    inner_door_ = FileHandle(ends[1]);
}

FileHandle RankHub::leave() {
    in_.reset();
    out_.reset();
    door_.reset();
    return std::move(inner_door_);
}

void RankHub::serve() {
    inner_door_.reset();
    auto ranks = take_ranks(door_.get());
    if (!ranks.empty()) {
        const std::string line = rank_greeting(ranks.size()) + "\n";
        if (::write(out_.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size())) {
            ByteMux mux(std::move(in_), std::move(out_), std::move(ranks));
            mux.wait();
            mux.stop();
        }
    }
    in_.reset();
    out_.reset();
}

}  // namespace loupe::session
