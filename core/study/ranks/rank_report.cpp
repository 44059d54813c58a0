// SPDX-License-Identifier: Apache-2.0
#include "core/study/ranks/rank_report.h"

#include <utility>

namespace loupe::session {
namespace {

using Spot = RankDifference::Spot;

Spot spot_of(const RankSet& set, const MatchedCollective& each, int rank) {
    const int place = set.place_of(rank);
    if (place < 0) return {};
    Spot spot{.rank = rank, .event = 0, .value = 0, .place = {}};
    const RankRun& run = set.ranks[static_cast<std::size_t>(place)];
    if (const Collective* own = each.on(set, static_cast<std::size_t>(place))) {
        spot.event = own->event;
        spot.place = own->place;
    } else if (const auto last = static_cast<EventId>(run.recording->event_count()); last != 0) {
        const Event& event = run.recording->event(last);
        spot.event = last;
        spot.place = {std::string(event.source_file), event.source_line, 0};
    }
    return spot;
}

void add_findings(RankReport& report) {
    if (report.mismatch) {
        const MatchedCollective& each = report.matched[report.mismatch->collective];
        report.findings.push_back({engine::said("First mismatch"), report.mismatch->text,
                                   spot_of(report.set, each, report.mismatch->rank),
                                   spot_of(report.set, each, report.mismatch->other)});
    }
    if (report.not_finite) {
        const RankNotFinite& found = *report.not_finite;
        report.findings.push_back(
            {engine::said("NaN or Inf"),
             found.text,
             {.rank = found.rank, .event = found.event, .value = found.value, .place = found.place},
             {}});
    }
    if (report.difference) {
        const RankDifference& found = *report.difference;
        const bool has_cause = found.cause.event != 0;
        report.findings.push_back({engine::said("First difference"), found.text, has_cause ? found.cause : found.spot,
                                   has_cause ? found.other_cause : found.other});
    }
    for (std::size_t place = 0; place < report.ends.size(); ++place) {
        const RankEnd& end = report.ends[place];
        // What a rank lacks is said by the mismatch; one that waits is the victim of another.
        const bool is_said = end.state == RankEnd::State::Stopped && report.mismatch.has_value();
        const bool is_victim = end.state == RankEnd::State::Waiting;
        if (end.text.empty() || is_said || is_victim) continue;
        const RankRun& run = report.set.ranks[place];
        Spot spot{.rank = run.rank(), .event = end.last_event, .value = 0, .place = {}};
        if (end.last_event != 0) {
            const Event& event = run.recording->event(end.last_event);
            spot.place = {std::string(event.source_file), event.source_line, 0};
        }
        report.findings.push_back(
            {end.state == RankEnd::State::Failed ? engine::said("Failed") : engine::said("Not there"),
             end.text,
             std::move(spot),
             {}});
    }
}

}  // namespace

RankReport study_ranks(RankSet set, const RankElements& elements) {
    RankReport report;
    report.set = std::move(set);
    report.matched = match_collectives(report.set);
    report.clocks = align_clocks(report.set, report.matched);
    report.times = measure_collectives(report.set, report.matched, report.clocks);
    report.waits = sum_waits(report.set, report.times);
    report.ends = rank_ends(report.set, report.matched);
    report.mismatch = first_mismatch(report.set, report.matched);
    report.not_finite = first_not_finite(report.set, report.matched);
    report.difference = first_difference(report.set, report.matched, elements);
    add_findings(report);
    return report;
}

}  // namespace loupe::session
