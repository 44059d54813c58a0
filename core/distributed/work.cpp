// SPDX-License-Identifier: Apache-2.0
#include "core/distributed/work.h"

#include <algorithm>

#include "core/base/cancel.h"
#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/distributed/process_group.h"
#include "core/distributed/world.h"

namespace loupe::distributed {
namespace {

using namespace std::chrono_literals;

std::string waits_line(const std::string& what, double seconds) {
    return concat(what, " waited ", static_cast<std::int64_t>(seconds), " s");
}

}  // namespace

void WorkState::complete(int source) {
    const std::scoped_lock lock(mutex_);
    if (is_done_) return;
    is_done_ = true;
    source_ = source;
    completed_ = Clock::now();
    changed_.notify_all();
}

void WorkState::fail(std::string error) {
    const std::scoped_lock lock(mutex_);
    if (is_done_) return;
    is_done_ = true;
    error_ = std::move(error);
    completed_ = Clock::now();
    changed_.notify_all();
}

bool WorkState::is_done() const {
    const std::scoped_lock lock(mutex_);
    return is_done_;
}

bool WorkState::wait_for(std::chrono::milliseconds time) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [&] { return is_done_; });
}

std::string WorkState::error() const {
    const std::scoped_lock lock(mutex_);
    return error_;
}

std::optional<Clock::time_point> WorkState::completed() const {
    const std::scoped_lock lock(mutex_);
    return is_done_ ? std::optional(completed_) : std::nullopt;
}

int WorkState::source() const {
    const std::scoped_lock lock(mutex_);
    return source_;
}

Work::Work(ProcessGroup& group, std::shared_ptr<WorkState> state, Announcement announcement)
    : group_(&group), state_(std::move(state)), announcement_(std::move(announcement)) {}

namespace {

// Says to the thread's observer that it waits, and what for; and that it does not any more.
class SaidWait {
  public:
    SaidWait() = default;
    SaidWait(const SaidWait&) = delete;
    SaidWait& operator=(const SaidWait&) = delete;
    ~SaidWait() {
        if (!said_.empty()) wait_observer()->on_waited();
    }
    bool is_due() const { return wait_observer() != nullptr && Clock::now() >= next_; }
    void say(const std::string& line) {
        if (line != said_) wait_observer()->on_waiting(line);
        said_ = line;
        next_ = Clock::now() + 1s;
    }

  private:
    std::string said_;
    Clock::time_point next_ = Clock::now() + 250ms;
};

}  // namespace

void Work::wait_for_others(std::chrono::milliseconds timeout) {
    const auto began = Clock::now();
    const std::string line = announcement_.line();
    const WaitingScope waiting(line, waits_for_);
    auto patience = World::instance().patience();
    bool is_noticed = false;
    SaidWait said;
    while (!state_->wait_for(100ms)) {
        check_cancelled_now();
        const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began);
        const double seconds = double(waited.count()) / 1000;
        if (waited >= timeout)
            throw Error(ErrorKind::Run, concat(waits_line(line, seconds), ", the timeout of its group"));
        if (said.is_due()) {
            const ProcessGroup::Delay delay = group_->look_at_delay(announcement_, waits_for_, 500ms);
            if (!state_->is_done())
                said.say(concat(line, " for ", static_cast<std::int64_t>(seconds), " s", delay.line.empty() ? "" : ": ",
                                delay.line));
        }
        if (waited < patience) continue;
        const ProcessGroup::Delay delay = group_->look_at_delay(announcement_, waits_for_, 8s);
        if (state_->is_done()) break;
        if (delay.is_final) throw Error(ErrorKind::Run, concat(waits_line(line, seconds), ": ", delay.line));
        WaitObserver* observer = wait_observer();
        if (!is_noticed && observer != nullptr && !delay.line.empty()) {
            observer->on_long_wait(concat("rank ", World::instance().rank(), " waits in ", line, " since ",
                                          static_cast<std::int64_t>(seconds), " s: ", delay.line));
            is_noticed = true;
        }
        patience = waited + 5s;
        if (delay.is_parked) timeout = std::max(timeout, waited + group_->timeout());
    }
}

void Work::wait(std::chrono::milliseconds timeout) {
    const auto began = Clock::now();
    if (!state_->is_done()) wait_for_others(timeout.count() > 0 ? timeout : group_->timeout());
    if (!is_settled_) {
        is_settled_ = true;
        if (const std::string error = state_->error(); !error.empty())
            throw Error(ErrorKind::Run, concat("rank ", World::instance().rank(), ": ", error));
        if (finish_) finish_();
        finish_ = nullptr;
        group_->note_waited(*this, began);
    } else if (const std::string error = state_->error(); !error.empty()) {
        throw Error(ErrorKind::Run, error);
    }
}

}  // namespace loupe::distributed
