// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine's end of grant_giver.h.

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "core/base/file_handle.h"
#include "core/session/remote/message_port.h"

namespace loupe::session {

class GrantTaker {
  public:
    // Closed: nothing is ever granted.
    explicit GrantTaker(FileHandle socket) : socket_(std::move(socket)) {}
    GrantTaker(const GrantTaker&) = delete;
    GrantTaker& operator=(const GrantTaker&) = delete;

    // Any thread, at once. Throws Error (File) when none has that number.
    std::unique_ptr<GivenThing> take(std::uint64_t number);
    // Those that were not taken: they are of a session that has gone.
    void forget();

  private:
    void receive();

    const FileHandle socket_;
    std::mutex mutex_;
    std::map<std::uint64_t, FileHandle> waiting_;
};

}  // namespace loupe::session
