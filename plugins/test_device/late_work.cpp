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
    own.items.push_back({std::move(work), nullptr, nullptr, host_time()});
    while (own.items.size() > kMostPending) run_first(own);
}

LateWork::Mark LateWork::mark(std::size_t stream) {
    const std::lock_guard lock(mutex_);
    Mark mark;
    mark.state_ = std::make_shared<Mark::State>();
    mark.state_->stream = stream;
    streams_.at(stream).items.push_back({nullptr, mark.state_, nullptr, host_time()});
    return mark;
}

void LateWork::hold(std::size_t stream, const Mark& mark) {
    if (!mark.is_set()) return;  // an event that was never recorded
    const std::lock_guard lock(mutex_);
    streams_.at(stream).items.push_back({nullptr, nullptr, mark.state_, host_time()});
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
