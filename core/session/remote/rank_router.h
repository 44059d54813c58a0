// SPDX-License-Identifier: Apache-2.0
#pragma once
// Engines of a program's ranks behind the standard streams of rank 0: every rank's channel goes over the ranks' own
// letters (distributed/world.h) to rank 0, which puts them together for the window (byte_mux.h). No rank opens a port.

#include <memory>

#include "core/base/file_handle.h"
#include "core/session/remote/channel.h"

namespace loupe::session {

class RankRouter {
  public:
    // Of a process that has joined the others. in and out: the standard streams; of others than rank 0 they are let go
    // of. Throws Error (Run, Usage).
    RankRouter(FileHandle in, FileHandle out);
    RankRouter(const RankRouter&) = delete;
    RankRouter& operator=(const RankRouter&) = delete;
    // The channel of this rank's engine is gone; rank 0 waits until all have ended.
    ~RankRouter();

    // Of this rank's own engine; once.
    std::unique_ptr<Channel> take_channel();

  private:
    class Rank;
    class Hub;
    std::unique_ptr<Rank> rank_;  // of others than rank 0
    std::unique_ptr<Hub> hub_;    // of rank 0
};

}  // namespace loupe::session
