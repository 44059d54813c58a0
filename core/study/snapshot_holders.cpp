// SPDX-License-Identifier: Apache-2.0
// Who holds the memory of a snapshot, and what two of them differ in.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/base/strings.h"
#include "core/study/snapshot_history.h"

namespace loupe::session {
namespace {

std::string where_of(const MemorySnapshot& snapshot, const HeldBlock& block, HolderKind kind) {
    if (kind == HolderKind::Size) return format_bytes(static_cast<double>(block.size));
    if (block.stack == 0) return block.from == 0 ? "(before the record began)" : "(no stack)";
    return own_frame_text(snapshot, block.stack);
}

}  // namespace

std::vector<MemoryHolder> holders_at(const MemorySnapshot& snapshot, const SnapshotHistory& history, std::uint32_t step,
                                     HolderKind kind) {
    std::unordered_map<std::uint64_t, MemoryHolder> first;  // by stack or size: few texts have to be made
    for (const HeldBlock& block : history.blocks) {
        if (block.from > step) break;
        if (block.to <= step) continue;
        const std::uint64_t key = kind == HolderKind::Size ? static_cast<std::uint64_t>(block.size)
                                  : block.stack == 0       ? (std::uint64_t{1} << 40) + (block.from == 0 ? 1 : 0)
                                                           : block.stack;
        MemoryHolder& holder = first[key];
        if (holder.blocks == 0) holder.where = where_of(snapshot, block, kind);
        ++holder.blocks;
        holder.bytes += block.size;
        if (block.size <= holder.largest) continue;
        holder.largest = block.size;
        holder.stack = block.stack;
    }
    std::map<std::string, MemoryHolder> merged;
    std::vector<MemoryHolder> rows;
    for (auto& [key, holder] : first) {
        if (kind != HolderKind::OwnCode) {
            rows.push_back(std::move(holder));
            continue;
        }
        MemoryHolder& into = merged[holder.where];
        if (into.blocks == 0 || holder.largest > into.largest) {
            into.stack = holder.stack;
            into.largest = holder.largest;
        }
        into.where = holder.where;
        into.blocks += holder.blocks;
        into.bytes += holder.bytes;
    }
    for (auto& [where, holder] : merged) rows.push_back(std::move(holder));
    std::ranges::sort(rows, [](const MemoryHolder& a, const MemoryHolder& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.stack < b.stack;
    });
    return rows;
}

std::string_view HolderDifference::word() const {
    if (blocks_here == 0) return "added";
    if (blocks_there == 0) return "removed";
    return change() > 0 ? "bigger" : change() < 0 ? "smaller" : "same";
}

std::vector<HolderDifference> compare_holders(const std::vector<MemoryHolder>& here,
                                              const std::vector<MemoryHolder>& there) {
    std::map<std::string, HolderDifference> all;
    for (const MemoryHolder& holder : here) {
        HolderDifference& row = all[holder.where];
        row.bytes_here += holder.bytes;
        row.blocks_here += holder.blocks;
        row.stack_here = holder.stack;
    }
    for (const MemoryHolder& holder : there) {
        HolderDifference& row = all[holder.where];
        row.bytes_there += holder.bytes;
        row.blocks_there += holder.blocks;
        row.stack_there = holder.stack;
    }
    std::vector<HolderDifference> rows;
    for (auto& [where, row] : all) {
        row.where = where;
        rows.push_back(std::move(row));
    }
    std::ranges::stable_sort(rows, std::ranges::greater(),
                             [](const HolderDifference& row) { return std::abs(row.change()); });
    return rows;
}

}  // namespace loupe::session
