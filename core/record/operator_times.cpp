// SPDX-License-Identifier: Apache-2.0
#include "core/record/operator_times.h"

#include <algorithm>
#include <chrono>

#include "core/base/cancel.h"
#include "core/base/error.h"

namespace loupe::session {
namespace {

// A quantile of numbers in order, between the two that it lies between.
double quantile(const std::vector<double>& sorted, double part) {
    const double at = part * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

bool is_same(const Event& a, const Event& b) {
    return a.phase == b.phase && a.op == b.op && a.scope == b.scope && !b.failed;
}

}  // namespace

OperatorSamples::OperatorSamples(const Recording& recording)
    : recording_(recording), matches_(recording.event_count(), true) {}

void OperatorSamples::add(const Recording& run) {
    Sample sample;
    for (EventId id = 1; id <= matches_.size(); ++id) {
        const bool is_there = id <= run.event_count() && is_same(recording_.event(id), run.event(id));
        if (!is_there) matches_[id - 1] = false;
        sample.starts.push_back(is_there ? run.event(id).start - run.event(1).start : 0);
        sample.durations.push_back(is_there ? run.event(id).duration : 0);
    }
    samples_.push_back(std::move(sample));
}

OperatorTimes OperatorSamples::times() const {
    OperatorTimes out;
    out.repeats = static_cast<int>(samples_.size());
    std::vector<double> numbers(samples_.size());
    const auto sorted = [&](std::vector<double> Sample::*of, std::size_t event) -> const std::vector<double>& {
        for (std::size_t i = 0; i < samples_.size(); ++i) numbers[i] = (samples_[i].*of)[event];
        std::sort(numbers.begin(), numbers.end());
        return numbers;
    };
    for (std::size_t event = 0; event < matches_.size(); ++event) {
        OperatorTime& time = out.events.emplace_back();
        if (!matches_[event]) {
            ++out.unmatched;
            continue;
        }
        time.start = quantile(sorted(&Sample::starts, event), 0.5);
        const std::vector<double>& taken = sorted(&Sample::durations, event);
        time.low = quantile(taken, 0.25);
        time.median = std::max(quantile(taken, 0.5), 1e-9);
        time.high = quantile(taken, 0.75);
        out.seconds += time.median;
    }
    return out;
}

std::shared_ptr<const OperatorTimes> time_operators(const Recording& recording, const OperatorTimesRequest& request,
                                                    const RepeatRun& repeat) {
    constexpr int kFewest = 3;
    if (recording.event_count() == 0)
        throw Error(ErrorKind::Usage, "nothing was recorded", {.hint = "run the model first"});
    OperatorSamples samples(recording);
    using Clock = std::chrono::steady_clock;
    const auto began = Clock::now();
    int done = 0;
    int warm = 0;
    const int warmup = std::max(request.warmup, 1);
    struct Enough {};
    try {
        repeat(warmup + std::max(request.repeats, kFewest), [&](const Recording& run) {
            check_cancelled();
            const double taken = std::chrono::duration<double>(Clock::now() - began).count();
            // Long runs are warm after one.
            if (done == 0 && warm < warmup && (warm == 0 || taken < request.seconds / 4)) {
                ++warm;
                return;
            }
            samples.add(run);
            if (++done >= std::max(request.repeats, kFewest) || (done >= kFewest && taken > request.seconds))
                throw Enough{};
        });
    } catch (const Enough&) {
    }
    OperatorTimes times = samples.times();
    times.warmup = warm;
    return std::make_shared<OperatorTimes>(std::move(times));
}

}  // namespace loupe::session
