// SPDX-License-Identifier: Apache-2.0
#pragma once
// Decides where a run stops: pauses, steps and breakpoints. The engine thread asks; any thread changes the orders.

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/said.h"
#include "core/record/recording.h"
#include "core/record/stop_point.h"
#include "core/session/breakpoint.h"
#include "core/session/condition.h"
#include "core/session/rank_meeting.h"
#include "core/session/run_target.h"

namespace loupe::session {

class RunControl final : public StopControl {
  public:
    // --- the engine thread ---
    void take_target();
    void begin_run(bool pause_at_start);
    // The run that begins stops at nothing before that event.
    void pass_over_until(EventId event) { first_stop_ = event; }
    // Uses up steps and counts hits.
    std::optional<StopReason> before(const StopPoint& point, const Surroundings& surroundings,
                                     EventId next = 0) override;
    std::optional<StopReason> after(const StopPoint& point, const std::vector<const Value*>& outputs, NotFinite kind,
                                    const Surroundings& surroundings) override;
    bool reads_outputs() const override;
    // Does it look for a NaN or Inf that it has not met yet?
    bool searches_nan() const;
    // Hears of a condition that could not be judged, once a run for each reason.
    using Complain = std::function<void(const Breakpoint& breakpoint, const Said& why)>;
    // The run is over: hears of conditions over names that had no value at any time they were asked for.
    void end_run();
    void set_complain(Complain complain) { complain_ = std::move(complain); }
    // Could a run stop anywhere, as things are now?
    bool wants_to_stop() const;
    // Of a run without points: was it ordered to stop before its end? The order is used up.
    bool take_stop_order();
    void parked_at(const StopPoint& point) override;
    RankMeeting& meeting() { return meeting_; }

    // --- any thread ---
    // Of the run that is under way or waits.
    void order(const RunTarget& target);
    // Of the run that is about to be ordered: it counts from take_target() on, or until order() is called.
    void order_next_run(const RunTarget& target);

    // Throws Error (Usage) for a condition that is none; so does update.
    int add(Breakpoint breakpoint);
    // The same of one that has its id from id_for(), of this or of another control.
    void put(Breakpoint breakpoint);
    // An id that no other has, for one that is put away. Throws as add does.
    int id_for(const Breakpoint& breakpoint);
    void update(const Breakpoint& breakpoint);
    void remove(int id);
    std::vector<Breakpoint> breakpoints() const;
    // Ids of those that are enabled and have no hits.
    std::vector<int> missed_breakpoints() const;
    // These in place of all there are; ids stay.
    void replace(std::vector<Breakpoint> breakpoints);

  private:
    // An enabled breakpoint with its condition, outside the lock: judging one may run Python.
    struct Judged {
        Breakpoint breakpoint;
        Condition condition;
    };

    std::optional<StopReason> check_orders(const StopPoint& point, EventId next);
    std::vector<Judged> judged_at(const StopPoint& point, const Surroundings& surroundings, bool is_after);
    bool holds(const Judged& judged, ConditionFacts facts, const Surroundings& surroundings);
    std::optional<StopReason> hit(const std::vector<int>& ids, const StopPoint& point, const Said& place = {});
    const Condition& condition_of(const Breakpoint& breakpoint);

    Complain complain_;
    // The engine thread's own.
    std::map<std::string, Shape> last_shapes_;  // by breakpoint and operator
    std::set<std::string> complained_;
    std::map<int, std::string> never_judged_;  // by breakpoint: the name that was missing so far
    std::set<int> judged_;                     // those that could be judged
    RankMeeting meeting_;
    EventId first_stop_ = 0;
    bool passes_over_ = false;  // what the last point asked for is before first_stop_

    mutable std::mutex mutex_;
    std::map<std::string, Condition, std::less<>> conditions_;  // by their text
    std::vector<Breakpoint> breakpoints_;
    int next_id_ = 1;
    RunTarget target_;
    RunTarget next_target_;  // of the run that waits
    std::optional<RunPhase> last_phase_;
    // Where the last step was ordered from.
    int from_depth_ = 0;
    RunPhase from_phase_ = RunPhase::Forward;
    std::string last_scope_;  // of the point before, to see a module being entered
};

// "conv*" against "aten::conv2d" or "conv2d"; '*' and '?' as in a shell.
bool matches_glob(std::string_view pattern, std::string_view text);
bool matches_operator(std::string_view pattern, std::string_view op);

}  // namespace loupe::session
