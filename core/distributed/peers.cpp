// SPDX-License-Identifier: Apache-2.0
#include "core/distributed/peers.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <thread>

namespace loupe::distributed {
namespace {

struct Address {
    char host[120];
    std::int64_t pid;
};

}  // namespace

Peers::Peers(Communicator& all) {
    Address mine{};
    ::gethostname(mine.host, sizeof mine.host - 1);
    mine.pid = ::getpid();
    std::vector<Address> everyone(static_cast<std::size_t>(all.size()));
    Transfer transfer;
    transfer.kind = TransferKind::AllGather;
    transfer.send = &mine;
    transfer.receive = everyone.data();
    transfer.count = sizeof mine;
    const auto request = all.start(transfer);
    while (!request->test()) std::this_thread::yield();
    for (int rank = 0; rank < all.size(); ++rank) {
        const Address& each = everyone[static_cast<std::size_t>(rank)];
        if (rank == all.rank() || std::strncmp(each.host, mine.host, sizeof mine.host) != 0) continue;
        FileHandle process(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(each.pid), 0)));
        if (process.is_open()) processes_.emplace(rank, std::move(process));
    }
}

std::vector<int> Peers::take_ended() {
    std::vector<int> out;
    for (auto each = processes_.begin(); each != processes_.end();) {
        pollfd watched{each->second.get(), POLLIN, 0};
        const bool has_ended = ::poll(&watched, 1, 0) == 1;
        if (has_ended) out.push_back(each->first);
        each = has_ended ? processes_.erase(each) : std::next(each);
    }
    return out;
}

}  // namespace loupe::distributed
