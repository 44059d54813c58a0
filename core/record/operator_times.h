// SPDX-License-Identifier: Apache-2.0
#pragma once
// How long operators take when they are warm: the run is repeated, first to warm it up, then with the clock on, and
// events are matched by their order. The model, the random generator and what was recorded stay as they are.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/record/recording.h"

namespace loupe::session {

// How often a recorded run is repeated to time its operators.
struct OperatorTimesRequest {
    int warmup = 3;
    int repeats = 15;
    double seconds = 10;  // no more repeats are begun after that, but for the first three
};
auto fields(Like<OperatorTimesRequest> auto& it) { return std::tie(it.warmup, it.repeats, it.seconds); }
struct OperatorTimesReport {
    std::string error;                           // not empty: nothing else is valid
    std::shared_ptr<const OperatorTimes> times;  // also the recording's from now on
};
auto fields(Like<OperatorTimesReport> auto& it) { return std::tie(it.error, it.times); }

// Durations of the events of repeated runs, each in its place among those of `recording`, which outlives it.
class OperatorSamples {
  public:
    explicit OperatorSamples(const Recording& recording);
    void add(const Recording& run);
    std::size_t count() const { return samples_.size(); }
    // Their medians; at least one run was added.
    OperatorTimes times() const;

  private:
    struct Sample {
        std::vector<double> starts;
        std::vector<double> durations;
    };
    const Recording& recording_;
    std::vector<char> matches_;  // by event: every run has it in its place
    std::vector<Sample> samples_;
};

// Repeats the recorded run and hands over what each run recorded: times, no elements, no statistics.
using RepeatRun = std::function<void(int times, const std::function<void(const Recording&)>& each)>;

// Of events that every repeated run has in their place (phase, operator, module). Fewer repeats than asked for where
// they take longer than `request.seconds`, three at least. Throws Error (Usage) for a recording without events, and
// what the run throws.
std::shared_ptr<const OperatorTimes> time_operators(const Recording& recording, const OperatorTimesRequest& request,
                                                    const RepeatRun& repeat);

}  // namespace loupe::session
