// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/band_index.h"

#include <algorithm>
#include <bit>

namespace loupe::views {
namespace {

std::size_t class_of(std::int64_t size) {
    return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(size)));
}

}  // namespace

BandIndex::BandIndex(const session::SnapshotHistory& history) : history_(&history) {
    for (std::uint32_t i = 0; i < history.blocks.size(); ++i) {
        if (history.blocks[i].size <= 0) continue;
        const std::size_t at = class_of(history.blocks[i].size);
        if (classes_.size() <= at) classes_.resize(at + 1);
        classes_[at].blocks.push_back(i);
    }
    for (SizeClass& sizes : classes_) {
        std::vector<std::uint32_t> below;
        below.reserve(sizes.blocks.size());
        for (const std::uint32_t block : sizes.blocks) below.push_back(history.blocks[block].to);
        while (below.size() > 1) {
            std::vector<std::uint32_t> level((below.size() + kFan - 1) / kFan, 0);
            for (std::size_t i = 0; i < below.size(); ++i) level[i / kFan] = std::max(level[i / kFan], below[i]);
            sizes.ends.push_back(level);
            below = std::move(level);
        }
    }
    std::size_t count = history.active.size();
    while (count > 1) {
        const std::size_t nodes = (count + kFan - 1) / kFan;
        std::vector<std::uint32_t> level(nodes);
        for (std::size_t node = 0; node < nodes; ++node) {
            std::uint32_t best = 0;
            for (std::size_t i = node * kFan; i < std::min((node + 1) * kFan, count); ++i) {
                const std::uint32_t step = peaks_.empty() ? static_cast<std::uint32_t>(i) : peaks_.back()[i];
                if (i == node * kFan || history.active[step] > history.active[best]) best = step;
            }
            level[node] = best;
        }
        peaks_.push_back(std::move(level));
        count = nodes;
    }
}

std::uint32_t BandIndex::peakBetween(std::uint32_t first, std::uint32_t last) const {
    std::uint32_t best = first;
    std::size_t at = first;
    while (at < last) {
        std::size_t span = 1;
        std::size_t level = 0;
        while (level < peaks_.size() && at % (span * kFan) == 0 && at + span * kFan <= last) {
            span *= kFan;
            ++level;
        }
        const std::uint32_t step = level == 0 ? static_cast<std::uint32_t>(at) : peaks_[level - 1][at / span];
        if (history_->active[step] > history_->active[best]) best = step;
        at += span;
    }
    return best;
}

void BandIndex::descend(const SizeClass& sizes, std::size_t level, std::size_t node, std::size_t first,
                        std::size_t last, std::uint32_t until, std::int64_t least,
                        std::vector<std::uint32_t>& out) const {
    if (level == 0) {
        const session::HeldBlock& block = history_->blocks[sizes.blocks[node]];
        if (block.to > until && block.size >= least) out.push_back(sizes.blocks[node]);
        return;
    }
    if (sizes.ends[level - 1][node] <= until) return;
    std::size_t span = 1;
    for (std::size_t i = 1; i < level; ++i) span *= kFan;
    const std::size_t below = level == 1 ? sizes.blocks.size() : sizes.ends[level - 2].size();
    for (std::size_t child = node * kFan; child < std::min((node + 1) * kFan, below); ++child) {
        const std::size_t begin = child * span;
        if (begin + span <= first || begin >= last) continue;
        descend(sizes, level - 1, child, first, last, until, least, out);
    }
}

void BandIndex::collect(std::int64_t after, std::uint32_t until, std::int64_t least,
                        std::vector<std::uint32_t>& out) const {
    const std::size_t begin = out.size();
    for (std::size_t at = class_of(std::max<std::int64_t>(1, least)); at < classes_.size(); ++at) {
        const SizeClass& sizes = classes_[at];
        const auto from_of = [&](std::uint32_t block) {
            return static_cast<std::int64_t>(history_->blocks[block].from);
        };
        const auto low = std::ranges::upper_bound(sizes.blocks, after, {}, from_of);
        const auto high = std::ranges::upper_bound(sizes.blocks, static_cast<std::int64_t>(until), {}, from_of);
        if (low >= high) continue;
        const auto first = static_cast<std::size_t>(low - sizes.blocks.begin());
        const auto last = static_cast<std::size_t>(high - sizes.blocks.begin());
        if (last - first <= kFan) {
            for (std::size_t i = first; i < last; ++i) descend(sizes, 0, i, first, last, until, least, out);
        } else {
            descend(sizes, sizes.ends.size(), 0, first, last, until, least, out);
        }
    }
    // Numbers of blocks are in the order of their begins.
    std::sort(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end());
}

}  // namespace loupe::views
