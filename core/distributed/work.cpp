// SPDX-License-Identifier: Apache-2.0
#include "core/distributed/work.h"

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

void Work::wait(std::chrono::milliseconds timeout) {
    const auto began = Clock::now();
    if (!state_->is_done()) {
        if (timeout.count() <= 0) timeout = group_->timeout();
        const WaitingScope waiting(announcement_.line(), waits_for_);
        auto patience = World::instance().patience();
        while (!state_->wait_for(100ms)) {
            check_cancelled();
            const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began);
            if (waited >= timeout) {
                throw Error(ErrorKind::Run, concat(waits_line(announcement_.line(), double(waited.count()) / 1000),
                                                   ", the timeout of its group"));
            }
            if (waited < patience) continue;
            if (const std::string hang = group_->why_it_hangs(announcement_, waits_for_);
                !hang.empty() && !state_->is_done()) {
                throw Error(ErrorKind::Run,
                            concat(waits_line(announcement_.line(), double(waited.count()) / 1000), ": ", hang));
            }
            patience = waited + 5s;
        }
    }
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
