// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pipe to the window, in the process that guards rank 0 (rank_guard.h): it carries the channels of all ranks
// (byte_mux.h) and outlives rank 0, so that what the others hold can still be asked for. Connections to the ranks come
// through a door, a socket to rank 0's process, which has met the others (rank_router.h).

#include "core/base/file_handle.h"

namespace loupe::session {

class RankHub {
  public:
    // Before the fork. in and out: the standard streams. Throws Error (Usage) when there is no socket.
    RankHub(FileHandle in, FileHandle out);
    RankHub(const RankHub&) = delete;
    RankHub& operator=(const RankHub&) = delete;
    ~RankHub() = default;

    // In the guard: until all ranks have ended, or the window has. When the door closes before all ranks of a program
    // have come through it, all end at once.
    void serve();
    // In rank 0's process, which keeps the door alone: it gives each rank's connection with its number, and closes it.
    FileHandle leave();

  private:
    FileHandle in_;
    FileHandle out_;
    FileHandle door_;
    FileHandle inner_door_;  // rank 0's
};

}  // namespace loupe::session
