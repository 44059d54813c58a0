// SPDX-License-Identifier: Apache-2.0
#include "core/study/ranks/rank_clocks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/strings.h"

namespace loupe::session {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kFewest = 1;
constexpr std::size_t kFewestAnchors = 8;
constexpr std::size_t kAround = 2;  // collectives on both sides that an anchor is the middle of
constexpr double kSteady = 1e-3;    // seconds

double middle(std::vector<double> numbers, double part) {
    const auto at = static_cast<std::ptrdiff_t>(static_cast<double>(numbers.size() - 1) * part);
    std::nth_element(numbers.begin(), numbers.begin() + at, numbers.end());
    return numbers[static_cast<std::size_t>(at)];
}

// When the rank knew that it had ended.
double end_of(const Collective& each) {
    const double end = each.completed.value_or(each.waited_until.value_or(std::nan("")));
    return std::isfinite(end) ? end : std::nan("");
}

// What two ranks have in common.
struct Shared {
    std::vector<double> ends;      // the first's less the other's
    std::vector<double> own_ends;  // the other's
    std::vector<double> launches;  // likewise
    // The offset lies between, for one that ends after the other's launch.
    double least = -kInfinity;
    double most = kInfinity;
};

Shared shared_by(const RankSet& set, const std::vector<MatchedCollective>& matched, std::size_t place) {
    Shared out;
    for (const MatchedCollective& each : matched) {
        const Collective* first = each.on(set, 0);
        const Collective* other = each.on(set, place);
        if (first == nullptr || other == nullptr || each.is_message || !is_synchronizing(first->operation)) continue;
        if (std::isfinite(first->launched) && std::isfinite(other->launched))
            out.launches.push_back(first->launched - other->launched);
        const double first_end = end_of(*first);
        const double other_end = end_of(*other);
        if (std::isfinite(first_end) && std::isfinite(other_end)) {
            out.ends.push_back(first_end - other_end);
            out.own_ends.push_back(other_end);
        }
        if (std::isfinite(other_end)) out.least = std::max(out.least, first->launched - other_end);
        if (std::isfinite(first_end)) out.most = std::min(out.most, first_end - other->launched);
    }
    return out;
}

// Anchors of a clock that drifts: middles of a few collectives each. Empty: what they differ by is what single ones do.
std::vector<RankClock::Anchor> anchors_of(const Shared& shared) {
    const std::size_t count = shared.ends.size();
    if (count < kFewestAnchors) return {};
    std::vector<RankClock::Anchor> anchors;
    std::vector<double> steps;
    for (std::size_t i = 0; i < count; ++i) {
        const auto first = static_cast<std::ptrdiff_t>(i < kAround ? 0 : i - kAround);
        const auto last = static_cast<std::ptrdiff_t>(std::min(count, i + kAround + 1));
        const double offset = middle({shared.ends.begin() + first, shared.ends.begin() + last}, 0.5);
        if (anchors.empty() || shared.own_ends[i] > anchors.back().own) anchors.push_back({shared.own_ends[i], offset});
        if (i > 0) steps.push_back(std::abs(shared.ends[i] - shared.ends[i - 1]));
    }
    const auto [low, high] = std::minmax_element(anchors.begin(), anchors.end(),
                                                 [](const auto& a, const auto& b) { return a.offset < b.offset; });
    const bool drifts = high->offset - low->offset > kSteady + 4 * middle(std::move(steps), 0.5);
    return drifts ? anchors : std::vector<RankClock::Anchor>();
}

RankClock clock_of(const RankSet& set, const std::vector<MatchedCollective>& matched, std::size_t place) {
    const RankFacts& first = set.ranks[0].facts;
    const RankFacts& other = set.ranks[place].facts;
    const Shared shared = shared_by(set, matched, place);
    RankClock clock;
    const bool is_one_host = !first.host.empty() && first.host == other.host && first.began > 0 && other.began > 0;
    if (is_one_host) {
        clock.source = RankClock::Source::Host;
        clock.offset = other.began - first.began;
        // A clock that was set meanwhile, one that is no clock of the host's, a rank that lies: collectives say so.
        const double most_apart =
            shared.ends.empty() ? 0 : kSteady + 2 * (middle(shared.ends, 0.75) - middle(shared.ends, 0.25));
        const bool is_near = shared.ends.empty() || std::abs(clock.offset - middle(shared.ends, 0.5)) <= most_apart;
        const bool is_possible = clock.offset >= shared.least - kSteady && clock.offset <= shared.most + kSteady;
        if (is_possible && is_near && anchors_of(shared).empty()) return clock;
    }
    const bool has_ends = shared.ends.size() >= kFewest;
    const std::vector<double>& found = has_ends ? shared.ends : shared.launches;
    if (found.empty()) return is_one_host ? clock : RankClock();
    clock.source = has_ends ? RankClock::Source::Completions : RankClock::Source::Launches;
    clock.offset = middle(found, 0.5);
    clock.uncertainty = (middle(found, 0.75) - middle(found, 0.25)) / 2;
    clock.anchors = anchors_of(shared);
    if (!clock.anchors.empty()) return clock;
    if (shared.least <= shared.most) clock.offset = std::clamp(clock.offset, shared.least, shared.most);
    return clock;
}

}  // namespace

double RankClock::common(double own) const {
    if (anchors.empty()) return own + offset;
    const auto next =
        std::lower_bound(anchors.begin(), anchors.end(), own, [](const Anchor& a, double at) { return a.own < at; });
    if (next == anchors.begin()) return own + anchors.front().offset;
    if (next == anchors.end()) return own + anchors.back().offset;
    const Anchor& before = *std::prev(next);
    const double part = (own - before.own) / (next->own - before.own);
    return own + before.offset + part * (next->offset - before.offset);
}

bool is_synchronizing(std::string_view operation) {
    return operation == "all_reduce" || operation == "all_gather" || operation == "reduce_scatter" ||
           operation == "all_to_all" || operation == "barrier";
}

std::vector<RankClock> align_clocks(const RankSet& set, const std::vector<MatchedCollective>& matched) {
    std::vector<RankClock> clocks(set.ranks.size());
    if (clocks.empty()) return clocks;
    clocks[0].source = RankClock::Source::Same;
    for (std::size_t place = 1; place < clocks.size(); ++place) clocks[place] = clock_of(set, matched, place);
    return clocks;
}

Said clock_text(const RankClock& clock) {
    switch (clock.source) {
        case RankClock::Source::Same:
            return engine::said("its clock is the common one");
        case RankClock::Source::Host:
            return engine::said("by the clock of one host");
        case RankClock::Source::Completions:
            return engine::said("by the ends of collectives, within %1", format_seconds(clock.uncertainty));
        case RankClock::Source::Launches:
            return engine::said("by the launches of collectives, within %1: who is late on the whole cannot be seen",
                                format_seconds(clock.uncertainty));
        case RankClock::Source::None:
            break;
    }
    return engine::said("not known: it has no collective in common with the first rank");
}

}  // namespace loupe::session
