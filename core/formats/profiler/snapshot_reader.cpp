// SPDX-License-Identifier: Apache-2.0
#include "core/formats/profiler/snapshot_reader.h"

#include <algorithm>

#include "core/formats/archive/byte_reader.h"
#include "core/formats/profiler/snapshot_builder.h"

namespace loupe {

bool is_memory_snapshot(std::span<const std::byte> bytes) {
    constexpr std::size_t kHead = 512;
    const std::string_view head = as_text(bytes.first(std::min(bytes.size(), kHead)));
    if (head.size() < 4 || head[0] != '\x80' || head[1] < 2 || head[1] > 5) return false;
    const auto has = [&](std::string_view name) { return head.find(name) != std::string_view::npos; };
    return has("segments") || has("device_traces") || (has("segment_type") && has("total_size"));
}

MemorySnapshot read_memory_snapshot(const Ptr<MappedFile>& file) {
    MemorySnapshot snapshot = SnapshotBuilder(std::span<const std::byte>(file->bytes())).read();
    snapshot.path = file->path().string();
    return snapshot;
}

}  // namespace loupe
