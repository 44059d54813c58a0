// SPDX-License-Identifier: Apache-2.0
#include "core/record/worker_watch.h"

#include <algorithm>
#include <utility>

namespace loupe::session {

WorkerWatch::~WorkerWatch() { stop(); }

void WorkerWatch::start(std::chrono::steady_clock::time_point began, double now) {
    stop();
    began_ = began;
    now_ = now;
    before_ = set_parallel_observer(this);
    is_running_ = true;
}

std::vector<WorkerSpan> WorkerWatch::stop() {
    if (!std::exchange(is_running_, false)) return {};
    set_parallel_observer(before_);
    std::ranges::stable_sort(spans_, {}, &WorkerSpan::thread);
    return std::exchange(spans_, {});
}

void WorkerWatch::on_loop(std::span<const ParallelPiece> pieces) {
    const auto seconds = [&](std::chrono::steady_clock::time_point at) {
        return now_ + std::chrono::duration<double>(at - began_).count();
    };
    for (const ParallelPiece& piece : pieces) {
        if (piece.thread == 0 || piece.end == piece.start) continue;
        const WorkerSpan span{static_cast<std::uint32_t>(piece.thread), seconds(piece.start), seconds(piece.end)};
        const auto last = std::find_if(spans_.rbegin(), spans_.rend(),
                                       [&](const WorkerSpan& each) { return each.thread == span.thread; });
        const bool grows = last != spans_.rend() && (span.start - last->end < kPause || spans_.size() >= kMost);
        if (grows)
            last->end = std::max(last->end, span.end);
        else if (spans_.size() < kMost)
            spans_.push_back(span);
    }
}

}  // namespace loupe::session
