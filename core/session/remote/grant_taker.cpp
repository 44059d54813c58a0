// SPDX-License-Identifier: Apache-2.0
#include "core/session/remote/grant_taker.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/local_socket.h"
#include "core/base/strings.h"
#include "core/session/remote/grant_giver.h"

namespace loupe::session {
namespace {

constexpr std::size_t kLongestReason = 4096;

class Granted final : public GivenThing {
  public:
    explicit Granted(FileHandle socket) : socket_(std::move(socket)) {}

    FileHandle take(std::chrono::milliseconds time) override { return receive(time); }
    bool put_in_place() override {
        if (::send(socket_.get(), &kIsWhole, 1, MSG_NOSIGNAL) != 1) throw gone();
        receive(std::chrono::minutes(1));
        return true;
    }

  private:
    static Error gone() { return Error(ErrorKind::File, "the process beside the engine opens nothing any more"); }

    FileHandle receive(std::chrono::milliseconds time) {
        pollfd watched{socket_.get(), POLLIN, 0};
        int ready = 0;
        do ready = ::poll(&watched, 1, static_cast<int>(time.count()));
        while (ready < 0 && errno == EINTR);
        if (ready == 0)
            throw Error(ErrorKind::File, concat("it was not opened within ", time.count() / 1000, " seconds"));
        std::optional<GivenHandle> given = take_handle(socket_.get(), MSG_DONTWAIT);
        if (!given || !given->handle.is_open()) throw gone();
        if (given->number == kGranted) return std::move(given->handle);
        const std::string why = contents_of(given->handle, "memory", kLongestReason);
        if (why.empty()) return {};
        throw Error(ErrorKind::File, why);
    }

    const FileHandle socket_;
};

}  // namespace

// The caller locks.
void GrantTaker::receive() {
    while (socket_.is_open()) {
        std::optional<GivenHandle> given = take_handle(socket_.get(), MSG_DONTWAIT);
        // Closed: the other end has gone.
        if (!given || !given->handle.is_open()) return;
        waiting_.insert_or_assign(given->number, std::move(given->handle));
    }
}

std::unique_ptr<GivenThing> GrantTaker::take(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    receive();
    auto found = waiting_.extract(number);
    if (found.empty()) throw Error(ErrorKind::File, "nothing was opened for it");
    return std::make_unique<Granted>(std::move(found.mapped()));
}

void GrantTaker::forget() {
    const std::lock_guard lock(mutex_);
    receive();
    waiting_.clear();
}

}  // namespace loupe::session
