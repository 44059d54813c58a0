// SPDX-License-Identifier: Apache-2.0
#include "core/study/ranks/rank_waits.h"

#include <algorithm>
#include <cmath>

namespace loupe::session {
namespace {

using OnRank = CollectiveTimes::OnRank;

// What the program waited, before and after the last rank came.
void take_wait(const Collective& own, const RankClock& clock, double last, OnRank& on, bool& is_at_most) {
    const bool is_known = own.waited_from && own.waited_until && *own.waited_until >= *own.waited_from;
    if (!is_known) {
        on.waited = std::max(0.0, last - on.arrived);
        is_at_most = is_at_most || on.waited > 0;
        return;
    }
    const double from = clock.common(*own.waited_from);
    const double until = clock.common(*own.waited_until);
    on.waited = std::max(0.0, std::min(until, last) - from);
    on.transferred = std::max(0.0, until - std::max(from, last));
}

CollectiveTimes measure(const RankSet& set, const MatchedCollective& each, const std::vector<RankClock>& clocks) {
    CollectiveTimes times;
    times.ranks.resize(set.ranks.size());
    std::vector<std::pair<double, int>> arrivals;
    for (std::size_t place = 0; place < set.ranks.size(); ++place) {
        const Collective* own = each.on(set, place);
        if (own == nullptr || !std::isfinite(own->launched)) continue;
        OnRank on;
        on.arrived = clocks[place].common(own->launched);
        const auto ended = own->completed ? own->completed : own->waited_until;
        on.ended = ended ? clocks[place].common(*ended) : std::nan("");
        times.ranks[place] = on;
        arrivals.emplace_back(on.arrived, static_cast<int>(place));
    }
    if (arrivals.size() < 2) return times;
    std::sort(arrivals.begin(), arrivals.end());
    const auto [last, place] = arrivals.back();
    times.last = place;
    times.late_by = last - arrivals[arrivals.size() - 2].first;
    times.spread = last - arrivals.front().first;
    // Of a broadcast, or a message, nobody waits for those that only receive.
    const Collective& first = each.first(set);
    const bool waits_for_all = is_synchronizing(first.operation);
    double needed = last;
    if (!waits_for_all) {
        needed = arrivals.front().first;
        for (const auto& [arrived, at] : arrivals) {
            const Collective* own = each.on(set, static_cast<std::size_t>(at));
            const bool is_source = each.is_message
                                       ? own->operation == "send"
                                       : own->peer < 0 || own->peer == set.ranks[static_cast<std::size_t>(at)].rank();
            if (is_source) needed = std::max(needed, arrived);
        }
    }
    for (std::size_t at = 0; at < times.ranks.size(); ++at) {
        if (!times.ranks[at]) continue;
        take_wait(*each.on(set, at), clocks[at], needed, *times.ranks[at], times.is_at_most);
        times.waited += times.ranks[at]->waited;
    }
    return times;
}

}  // namespace

std::vector<CollectiveTimes> measure_collectives(const RankSet& set, const std::vector<MatchedCollective>& matched,
                                                 const std::vector<RankClock>& clocks) {
    std::vector<CollectiveTimes> all;
    all.reserve(matched.size());
    for (const MatchedCollective& each : matched) all.push_back(measure(set, each, clocks));
    return all;
}

std::vector<RankWaits> sum_waits(const RankSet& set, const std::vector<CollectiveTimes>& times) {
    std::vector<RankWaits> sums(set.ranks.size());
    for (const CollectiveTimes& each : times) {
        for (std::size_t place = 0; place < sums.size(); ++place) {
            if (!each.ranks[place]) continue;
            ++sums[place].collectives;
            sums[place].waited += each.ranks[place]->waited;
            sums[place].transferred += each.ranks[place]->transferred;
            sums[place].is_at_most = sums[place].is_at_most || each.is_at_most;
        }
        if (each.last < 0) continue;
        RankWaits& last = sums[static_cast<std::size_t>(each.last)];
        ++last.times_last;
        last.made_wait += each.waited;
    }
    return sums;
}

}  // namespace loupe::session
