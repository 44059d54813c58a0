// SPDX-License-Identifier: Apache-2.0
#include "plugins/test_device/late_work.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace loupe::test_device {
namespace {

double host_time() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
// More is not kept: a device's queue is not endless either.
constexpr std::size_t kMostPending = 4096;

}  // namespace

std::size_t LateWork::make_stream() {
    const std::lock_guard lock(mutex_);
    streams_.emplace_back();
    return streams_.size() - 1;
}

void LateWork::give(std::size_t stream, Work work) {
    const std::lock_guard lock(mutex_);
    Stream& own = streams_.at(stream);
    if (own.capture) {
        own.behind = {own.capture->graph.add(std::move(work), own.behind)};
        return;
    }
    own.items.push_back({std::move(work), nullptr, nullptr, host_time()});
    while (own.items.size() > kMostPending) run_first(own);
}

LateWork::Mark LateWork::mark(std::size_t stream) {
    const std::lock_guard lock(mutex_);
    Mark mark;
    mark.state_ = std::make_shared<Mark::State>();
    mark.state_->stream = stream;
    if (const Stream& own = streams_.at(stream); own.capture) {
        mark.state_->capture = own.capture;
        mark.state_->behind = own.behind;
        return mark;
    }
    streams_.at(stream).items.push_back({nullptr, mark.state_, nullptr, host_time()});
    return mark;
}

CaptureFault LateWork::hold(std::size_t stream, const Mark& mark) {
    if (!mark.is_set()) return CaptureFault::None;  // an event that was never recorded
    const std::lock_guard lock(mutex_);
    Stream& own = streams_.at(stream);
    const std::shared_ptr<LateCapture>& other = mark.state_->capture;
    if (!own.capture && !other) {
        own.items.push_back({nullptr, nullptr, mark.state_, host_time()});
        return CaptureFault::None;
    }
    if (!other) {
        own.capture->is_spoilt = true;
        return CaptureFault::Isolation;
    }
    if (other->is_over) return CaptureFault::CapturedEvent;
    if (!own.capture) own.capture = other;  // the stream forks from the captured ones
    if (own.capture != other) {
        own.capture->is_spoilt = other->is_spoilt = true;
        return CaptureFault::Merge;
    }
    own.behind.insert(own.behind.end(), mark.state_->behind.begin(), mark.state_->behind.end());
    return CaptureFault::None;
}

CaptureFault LateWork::begin_capture(std::size_t stream) {
    const std::lock_guard lock(mutex_);
    Stream& own = streams_.at(stream);
    if (own.capture) {
        own.capture->is_spoilt = true;
        return CaptureFault::IllegalState;
    }
    own.capture = std::make_shared<LateCapture>();
    own.capture->id = ++captures_begun_;
    own.capture->stream = stream;
    own.behind.clear();
    return CaptureFault::None;
}

std::shared_ptr<const LateGraph> LateWork::end_capture(std::size_t stream, CaptureFault& fault) {
    const std::lock_guard lock(mutex_);
    const std::shared_ptr<LateCapture> capture = streams_.at(stream).capture;
    fault = !capture                    ? CaptureFault::IllegalState
            : capture->stream != stream ? CaptureFault::Unmatched
                                        : CaptureFault::None;
    if (fault != CaptureFault::None) return nullptr;
    if (capture->is_spoilt)
        fault = CaptureFault::Invalidated;
    else if (!capture->graph.all_before(streams_[stream].behind))
        fault = CaptureFault::Unjoined;
    capture->is_over = true;
    for (Stream& each : streams_) {
        if (each.capture != capture) continue;
        each.capture = nullptr;
        each.behind.clear();
    }
    if (fault != CaptureFault::None) return nullptr;
    return std::make_shared<const LateGraph>(std::move(capture->graph));
}

std::shared_ptr<const LateCapture> LateWork::capture_of(std::size_t stream) const {
    const std::lock_guard lock(mutex_);
    return streams_.at(stream).capture;
}
bool LateWork::captures_any() const {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(streams_, [](const Stream& each) { return each.capture != nullptr; });
}
void LateWork::spoil_capture(std::size_t stream) {
    const std::lock_guard lock(mutex_);
    if (Stream& own = streams_.at(stream); own.capture) own.capture->is_spoilt = true;
}
void LateWork::spoil_captures() {
    const std::lock_guard lock(mutex_);
    for (Stream& each : streams_) {
        if (each.capture) each.capture->is_spoilt = true;
    }
}
void LateWork::give_graph(std::size_t stream, std::shared_ptr<const LateGraph> graph) {
    give(stream, [graph = std::move(graph)] { graph->run(); });
}

void LateWork::run_first(Stream& stream) {
    const Item item = std::move(stream.items.front());
    stream.items.pop_front();
    stream.clock = std::max(stream.clock, item.given);
    if (item.needs) {
        run_until_reached(item.needs);
        stream.clock = std::max(stream.clock, item.needs->time);
    }
    if (item.work) {
        const double begin = host_time();
        item.work();
        stream.clock += host_time() - begin;
    }
    if (item.mark) {
        item.mark->time = stream.clock;
        item.mark->is_reached = true;
    }
}

// A mark is behind what was given before it alone: no stream waits for itself.
void LateWork::run_until_reached(const std::shared_ptr<Mark::State>& state) {
    if (state->capture) return;
    Stream& stream = streams_.at(state->stream);
    while (!state->is_reached && !stream.items.empty()) run_first(stream);
}

void LateWork::run_to(const Mark& mark) {
    const std::lock_guard lock(mutex_);
    if (mark.is_set()) run_until_reached(mark.state_);
}
void LateWork::run(std::size_t stream) {
    const std::lock_guard lock(mutex_);
    Stream& own = streams_.at(stream);
    while (!own.items.empty()) run_first(own);
}
void LateWork::run_all() {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < streams_.size(); ++i) run(i);
}
void LateWork::run_some(std::size_t stream) {
    const std::lock_guard lock(mutex_);
    Stream& own = streams_.at(stream);
    if (!own.items.empty()) run_first(own);
}
bool LateWork::is_idle(std::size_t stream) const {
    const std::lock_guard lock(mutex_);
    return streams_.at(stream).items.empty();
}
std::size_t LateWork::pending() const {
    const std::lock_guard lock(mutex_);
    std::size_t all = 0;
    for (const Stream& each : streams_) all += each.items.size();
    return all;
}

}  // namespace loupe::test_device
