// SPDX-License-Identifier: Apache-2.0
#include "core/record/collective.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::session {
namespace {

constexpr int kMostRanks = 1 << 20;

[[noreturn]] void fail(std::string message) { throw Error(ErrorKind::File, "a recording that " + std::move(message)); }

}  // namespace

void check(const Collective& collective, std::size_t events) {
    const auto is_rank = [](int rank) { return rank >= 0 && rank < kMostRanks; };
    if (collective.operation.empty()) fail("has a message without an operation");
    if (!std::ranges::all_of(collective.ranks, is_rank) || collective.peer < -1 || collective.peer >= kMostRanks)
        fail("has a message between ranks that cannot be");
    if (collective.bytes < 0) fail("has a message of fewer than no bytes");
    for (const Shape& shape : collective.shapes) {
        if (shape.size() > 64 || std::ranges::any_of(shape, [](std::int64_t size) { return size < 0; }))
            fail("has a message of an impossible shape");
    }
    for (const std::uint32_t event : {collective.event, collective.waited_by}) {
        // What was under way when the run ended is no event yet.
        if (event > events && event - events > 1) fail(concat("refers to event ", event, " of ", events));
    }
    for (const auto& time : {std::optional<double>(collective.launched), collective.completed, collective.waited_from,
                             collective.waited_until}) {
        if (time && !std::isfinite(*time)) fail("has a message at no time");
    }
    if (collective.place.line < 0) fail("has a message of no line");
}

void check(const RankFacts& rank) {
    const bool is_sane = rank.world_size >= 1 && rank.world_size <= kMostRanks && rank.rank >= 0 &&
                         rank.rank < rank.world_size && rank.local_rank >= 0 && std::isfinite(rank.began);
    if (!is_sane) fail(concat("is of rank ", rank.rank, " of ", rank.world_size));
}

}  // namespace loupe::session
