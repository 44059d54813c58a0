// SPDX-License-Identifier: Apache-2.0
#include "core/session/queries/read_snapshot.h"

#include "core/formats/profiler/snapshot_reader.h"
#include "core/session/query_record.h"

namespace loupe::session {
namespace {

SnapshotAnswer read_snapshot_answer(const ReadSnapshotQuery& query, QueryContext&) {
    const auto studied = std::make_shared<StudiedSnapshot>();
    studied->snapshot = read_memory_snapshot(MappedFile::open(query.path));
    studied->histories = snapshot_histories(studied->snapshot);
    return {.snapshot = studied, .error = {}};
}

}  // namespace

const QueryRecord& ReadSnapshotQuery::record() {
    static constexpr QueryRecord kRecord =
        query_record<ReadSnapshotQuery, read_snapshot_answer>({.name = "read snapshot"});
    return kRecord;
}

}  // namespace loupe::session
