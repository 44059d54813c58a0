// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a rank stands among the others of its program, and where it is to stop to be at the same place as another.
//
// Two ranks are at the same place when they are before the same operator of the same module and source line, as often
// as it came since the same collective (see rank_events.h, which says the same of events). A rank that is to come to
// another one's place and does not have it stops before its next collective, which is the next place that all share.

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "core/base/fields.h"
#include "core/base/scoped_value.h"
#include "core/record/stop_point.h"

namespace loupe::session {

struct RankPlace {
    RunPhase phase = RunPhase::Forward;
    std::string op;
    std::string scope;
    std::string file;  // without its folder
    int line = 0;
    bool is_call = false;
    bool is_statement = false;
    std::uint64_t collectives = 0;  // that the rank has launched in this run
    std::uint64_t times = 0;        // that it came here since the last of them, from 1

    bool operator==(const RankPlace&) const = default;
};
auto fields(Like<RankPlace> auto& it) {
    return std::tie(it.phase, it.op, it.scope, it.file, it.line, it.is_call, it.is_statement, it.collectives, it.times);
}
// "before aten::linear of fc1 (train.py:12)".
std::string place_text(const RankPlace& place);

enum class RankStanding { Here, Ahead, Behind };
constexpr RankStanding last_of(RankStanding) { return RankStanding::Behind; }

// Of one engine; used on its thread.
class RankMeeting {
  public:
    // Of engines of this process: places are counted, which costs a look-up at each.
    static void set_counts_places(bool value);

    void begin_run();
    // Before each point; a reason to stop there.
    std::optional<StopReason> pass(const StopPoint& point);
    void parked() { meeting_.reset(); }

    // Of the point that was passed last; nullopt: none was, or places are not counted.
    const std::optional<RankPlace>& place() const { return now_; }
    // Of this rank to a place of another one.
    RankStanding standing(const RankPlace& other) const;
    // When the run goes on it stops there. whom: "rank 2".
    void meet(const RankPlace& place, std::string whom);

  private:
    struct Meeting {
        RankPlace place;
        std::string whom;
    };
    std::optional<RankPlace> now_;
    std::unordered_map<std::uint64_t, std::uint64_t> times_;  // by place, since the last collective
    std::optional<Meeting> meeting_;
};

// That of the engine of this thread, for what is asked of it.
RankMeeting* rank_meeting();
class RankMeetingScope final : ScopedValue<RankMeeting*> {
  public:
    explicit RankMeetingScope(RankMeeting* meeting);
};

}  // namespace loupe::session
