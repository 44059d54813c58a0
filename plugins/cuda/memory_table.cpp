// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/memory_table.h"

#include <algorithm>

#include "core/base/counted.h"
#include "core/base/strings.h"
#include "core/tensor/device_interface.h"

namespace loupe::cuda {
namespace {

struct Free {
    std::size_t bytes = 0, largest = 0, pieces = 0;

    void add(const DeviceSegment& segment) {
        for (const DeviceSegment::Block& block : segment.blocks) {
            if (!block.is_free) continue;
            bytes += block.bytes;
            largest = std::max(largest, block.bytes);
            ++pieces;
        }
    }
};

std::string size_of(std::size_t bytes) { return format_bytes(static_cast<double>(bytes)); }

// "graph 3": of captures; empty: of all others.
std::string pool_name(MemoryPoolId pool) {
    return pool.is_private() ? concat("graph ", std::max(pool.first, pool.second)) : std::string();
}

// "cuda:0: 12 MB in tensors, 20 MB reserved, 8 MB of it kept for reuse in 3 pieces, the largest 5 MB"
std::string summary_of(Device device, const DeviceMemoryUse& use, const Free& free) {
    std::string text =
        concat(device_name(device), ": ", size_of(use.used), " in tensors, ", size_of(use.reserved), " reserved");
    if (free.pieces > 0)
        text += concat(", ", size_of(free.bytes), " of it kept for reuse in ", counted(free.pieces, "piece", "pieces"),
                       ", the largest ", size_of(free.largest));
    return text;
}

session::QueryTable segments_of_all(session::QueryContext&) {
    session::QueryTable table;
    table.columns = {"device", "stream", "pool", "blocks", "segment", "in tensors", "free", "largest free", "pieces"};
    const DeviceInterface& devices = *device_interface(DeviceType::Cuda);
    for (int i = 0; i < devices.count(); ++i) {
        const Device device{DeviceType::Cuda, static_cast<std::int8_t>(i)};
        Free all;
        for (const DeviceSegment& segment : devices.memory_segments(device)) {
            Free own;
            own.add(segment);
            all.add(segment);
            table.rows.push_back({device_name(device), std::to_string(segment.stream), pool_name(segment.pool),
                                  segment.is_small ? "small" : "large", size_of(segment.bytes),
                                  size_of(segment.bytes - own.bytes), size_of(own.bytes), size_of(own.largest),
                                  std::to_string(own.pieces)});
        }
        table.note += concat(table.note.empty() ? "" : "; ", summary_of(device, devices.memory_use(device), all));
    }
    return table;
}

}  // namespace

const session::TableRecord& memory_table() {
    static constexpr session::TableRecord kTable{
        "cuda.memory", "GPU memory",
        "What is taken from the driver, segment by segment: in tensors, kept for reuse, and in how many pieces.",
        segments_of_all};
    return kTable;
}

}  // namespace loupe::cuda
