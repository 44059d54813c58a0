// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a rank's engine finds its session: a connection to the process beside rank 0 that has the pipe to the window
// (rank_hub.h). Ranks on rank 0's machine have one of their own, through a socket in a folder that no other user can
// enter; what those elsewhere say goes over the ranks' own letters (distributed/world.h) to rank 0, and from there on.
// No rank opens a port. When rank 0 dies the ranks of its machine keep their sessions; the others end with it.

#include <memory>

#include "core/base/file_handle.h"
#include "core/session/remote/channel.h"

namespace loupe::session {

class RankRouter {
  public:
    // Of a process that has joined the others; all of them do this together. door: see RankHub::leave(); of others than
    // rank 0 closed. Throws Error (Run, Usage).
    explicit RankRouter(FileHandle door);
    RankRouter(const RankRouter&) = delete;
    RankRouter& operator=(const RankRouter&) = delete;
    // The channel of this rank's engine is gone; rank 0 waits until those have ended whose letters it passes on.
    ~RankRouter();

    // Of this rank's own engine; once.
    std::unique_ptr<Channel> take_channel();

  private:
    class Letters;  // of another rank than 0
    class Relay;    // of rank 0
    void meet_others(const FileHandle& door);
    void meet_first();

    FileHandle own_;  // closed: it goes over letters
    std::unique_ptr<Letters> letters_;
    std::unique_ptr<Relay> relay_;
};

}  // namespace loupe::session
