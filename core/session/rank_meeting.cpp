// SPDX-License-Identifier: Apache-2.0
#include "core/session/rank_meeting.h"

#include <atomic>
#include <utility>

#include "core/base/strings.h"
#include "core/distributed/world.h"
#include "core/study/align_keys.h"

namespace loupe::session {
namespace {

std::atomic<bool> counts_places{false};

RankMeeting*& thread_meeting() {
    thread_local RankMeeting* meeting = nullptr;
    return meeting;
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Without how often the rank came there.
std::uint64_t key_of(const RankPlace& place) {
    AlignKey key = hash_with(hash_of(static_cast<AlignKey>(place.phase)), place.op);
    key = hash_with(hash_with(key, place.scope), place.file);
    key = hash_with(key, static_cast<AlignKey>(place.line));
    return hash_with(key, static_cast<AlignKey>(2 * (place.is_call ? 1 : 0) + (place.is_statement ? 1 : 0)));
}

bool launches_collective(std::string_view op) {
    const bool is_one = op.starts_with("c10d::") || op.starts_with("_c10d_functional::");
    return is_one && op.find("::wait") == std::string_view::npos;
}

// In one function's text what stands below comes later, but for loops: there the counts of places tell.
bool is_below(const RankPlace& place, const RankPlace& other) {
    const bool is_comparable = place.phase == RunPhase::Forward && other.phase == RunPhase::Forward && place.line > 0 &&
                               other.line > 0 && place.file == other.file && place.scope == other.scope;
    if (!is_comparable) return false;
    return place.line > other.line || (place.line == other.line && other.is_statement && !place.is_statement);
}

}  // namespace

std::string place_text(const RankPlace& place) {
    return concat("before ", place.op.empty() ? "a statement" : place.op,
                  place.scope.empty() ? "" : concat(" of ", place.scope),
                  place.line > 0 ? concat(" (", place.file, ":", place.line, ")") : "");
}

void RankMeeting::set_counts_places(bool value) { counts_places = value; }

void RankMeeting::begin_run() {
    now_.reset();
    times_.clear();
    meeting_.reset();
}

std::optional<StopReason> RankMeeting::pass(const StopPoint& point) {
    if (!counts_places) return std::nullopt;
    const std::uint64_t collectives = distributed::World::instance().launched();
    if (!now_ || now_->collectives != collectives) times_.clear();
    RankPlace place{.phase = point.phase,
                    .op = std::string(point.op),
                    .scope = std::string(point.scope),
                    .file = std::string(file_name(point.source_file)),
                    .line = point.source_line,
                    .is_call = point.is_call,
                    .is_statement = point.is_statement,
                    .collectives = collectives};
    place.times = ++times_[key_of(place)];
    now_ = std::move(place);
    if (!meeting_) return std::nullopt;
    if (*now_ == meeting_->place) return StopReason{engine::said("where %1 is", meeting_->whom), 0};
    const bool is_last = now_->collectives > meeting_->place.collectives ||
                         (now_->collectives == meeting_->place.collectives && launches_collective(point.op));
    if (!is_last) return std::nullopt;
    return StopReason{engine::said("the next place that ranks share: %1 is %2, to which this one does not come before",
                                   meeting_->whom, place_text(meeting_->place)),
                      0};
}

RankStanding RankMeeting::standing(const RankPlace& other) const {
    if (!now_) return RankStanding::Ahead;
    if (*now_ == other) return RankStanding::Here;
    if (now_->collectives != other.collectives)
        return now_->collectives > other.collectives ? RankStanding::Ahead : RankStanding::Behind;
    const auto times = times_.find(key_of(other));
    if (times != times_.end() && times->second >= other.times) return RankStanding::Ahead;
    const bool is_same_but_earlier = key_of(*now_) == key_of(other);
    // Before a collective nothing is left but to wait for the others.
    const bool waits = launches_collective(now_->op);
    return waits || (!is_same_but_earlier && is_below(*now_, other)) ? RankStanding::Ahead : RankStanding::Behind;
}

void RankMeeting::meet(const RankPlace& place, std::string whom) { meeting_ = Meeting{place, std::move(whom)}; }

RankMeeting* rank_meeting() { return thread_meeting(); }
RankMeetingScope::RankMeetingScope(RankMeeting* meeting) : ScopedValue(thread_meeting(), meeting) {}

}  // namespace loupe::session
