// SPDX-License-Identifier: Apache-2.0
#pragma once
// The processes of the other ranks on this host: which of them have ended without a word.

#include <map>
#include <string>
#include <vector>

#include "core/base/file_handle.h"
#include "core/distributed/backend.h"

namespace loupe::distributed {

class Peers {
  public:
    Peers() = default;
    // All ranks make theirs together: they tell each other their hosts and processes. Before the process is confined.
    explicit Peers(Communicator& all);

    // Ranks whose process has ended, each once.
    std::vector<int> take_ended();

  private:
    std::map<int, FileHandle> processes_;  // by rank
};

}  // namespace loupe::distributed
