// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reads a memory snapshot of PyTorch's allocator, beside the model that is open: see
// core/formats/profiler/snapshot_reader.h.

#include <memory>
#include <string>

#include "core/formats/profiler/memory_snapshot.h"
#include "core/session/query.h"
#include "core/study/snapshot_history.h"

namespace loupe::session {

// A snapshot and what it comes to.
struct StudiedSnapshot {
    MemorySnapshot snapshot;
    std::vector<SnapshotHistory> histories;  // of its devices, the one with the highest peak first
};
auto fields(Like<StudiedSnapshot> auto& it) { return std::tie(it.snapshot, it.histories); }

struct SnapshotAnswer {
    std::shared_ptr<const StudiedSnapshot> snapshot;
    std::string error;  // not empty: there is none
};
auto fields(Like<SnapshotAnswer> auto& it) { return std::tie(it.snapshot, it.error); }

struct ReadSnapshotQuery {
    using Answer = SnapshotAnswer;
    static const QueryRecord& record();

    std::string path = {};
};
auto fields(Like<ReadSnapshotQuery> auto& it) { return std::tie(it.path); }

}  // namespace loupe::session
