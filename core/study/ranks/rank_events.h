// SPDX-License-Identifier: Apache-2.0
#pragma once
// The event of another rank that does the same: by the operator, the module, the source line, and how often it has come
// since the last collective. Where the ranks' collectives do not match any more, there is none.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/study/ranks/rank_set.h"

namespace loupe::session {

class RankEvents {
  public:
    // Of the recordings as they are now.
    explicit RankEvents(const RankSet& set);

    // 0: it has none.
    EventId on(std::size_t place, EventId event, std::size_t other) const;

  private:
    std::vector<std::vector<std::uint64_t>> keys_;  // by place and event
    std::vector<std::unordered_map<std::uint64_t, EventId>> events_;
};

}  // namespace loupe::session
