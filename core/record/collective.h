// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a run has to do with other processes: which of the ranks it is, and what it sent and received.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/model/model_info.h"

namespace loupe::session {

// The process among those of its program.
struct RankFacts {
    int rank = 0;
    int world_size = 1;
    int local_rank = 0;  // on its host
    std::string host;
    std::int64_t pid = 0;
    std::string program;  // the same of all ranks of a run and of no other run
    double began = 0;     // when the run began, seconds since 1970 by the host's clock
};
auto fields(Like<RankFacts> auto& it) {
    return std::tie(it.rank, it.world_size, it.local_rank, it.host, it.pid, it.program, it.began);
}

// A collective operation, or a message to or from one rank, as one rank saw it. Ranks are those of the whole program.
// Times are seconds since the run began; none: it has not come to that.
struct Collective {
    std::string group;            // "0": all ranks
    std::uint64_t sequence = 0;   // of the group's collectives from 1; of messages likewise, counted by pair of ranks
    std::string operation;        // "all_reduce"; of messages "send" and "recv"
    std::string reduction;        // "SUM"; empty: nothing is reduced
    std::string dtype;            // "float32", "" of objects and barriers
    std::vector<Shape> shapes;    // of the tensors that this rank gave
    std::int64_t bytes = 0;       // of these
    std::vector<int> ranks;       // of the group
    int peer = -1;                // the root, or the other rank of a message; -1: none
    std::uint32_t event = 0;      // EventId, that launched it; its number is known before the event is
    std::uint32_t waited_by = 0;  // EventId, that waited for it; 0: none has, or the same
    std::string scope;            // module path
    SourcePlace place;            // of the launch
    double launched = 0;
    std::optional<double> completed;
    std::optional<double> waited_from;  // the program did nothing else from here
    std::optional<double> waited_until;
    std::string error;  // one line; empty: none
};
auto fields(Like<Collective> auto& it) {
    return std::tie(it.group, it.sequence, it.operation, it.reduction, it.dtype, it.shapes, it.bytes, it.ranks, it.peer,
                    it.event, it.waited_by, it.scope, it.place, it.launched, it.completed, it.waited_from,
                    it.waited_until, it.error);
}

// Throws Error (File) for what no rank does; events: how many there are at most, and one that is not there yet.
void check(const Collective& collective, std::size_t events);
void check(const RankFacts& rank);

}  // namespace loupe::session
