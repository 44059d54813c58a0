// SPDX-License-Identifier: Apache-2.0
#pragma once
// A collective under way: torch.distributed.Work.

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/distributed/agreement.h"
#include "core/tensor/tensor.h"

namespace loupe::distributed {

using Clock = std::chrono::steady_clock;

// What the progress thread and the program share of it.
class WorkState {
  public:
    void complete(int source = -1);
    void fail(std::string error);
    bool is_done() const;
    // False: not within the time.
    bool wait_for(std::chrono::milliseconds time) const;
    // Of one that is done; empty: none.
    std::string error() const;
    std::optional<Clock::time_point> completed() const;
    int source() const;

  private:
    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    bool is_done_ = false;
    std::string error_;
    Clock::time_point completed_;
    int source_ = -1;
};

class ProcessGroup;

// The program's side; all of it on the program's thread.
class Work final : public RefCounted {
  public:
    Work(ProcessGroup& group, std::shared_ptr<WorkState> state, Announcement announcement);

    bool is_completed() const { return state_->is_done(); }
    bool is_success() const { return state_->is_done() && state_->error().empty(); }
    // Of one that is done.
    std::string error() const { return state_->error(); }
    // Returns when the results are there. Throws Error (Run): it failed, a rank has ended or hangs, or the time is
    // over. timeout: zero: the group's.
    void wait(std::chrono::milliseconds timeout = {});
    // Of a message that was received: the rank of the group that sent it.
    int source() const { return state_->source(); }
    // Has it been waited for?
    bool is_settled() const { return is_settled_; }
    const Announcement& announcement() const { return announcement_; }
    const TensorList& results() const { return results_; }
    const std::shared_ptr<WorkState>& state() const { return state_; }

    // Set when it is made: what the program waits for besides the elements, and what keeps memory.
    TensorList results_;
    TensorList kept_;
    std::vector<std::string> kept_bytes_;
    std::vector<int> waits_for_;                       // ranks of the program
    std::function<void()> finish_;                     // on the program's thread, once, before wait returns
    std::size_t note_ = static_cast<std::size_t>(-1);  // of the observer

  private:
    friend class ProcessGroup;
    void wait_for_others(std::chrono::milliseconds timeout);
    const Ptr<ProcessGroup> group_;
    const std::shared_ptr<WorkState> state_;
    const Announcement announcement_;
    bool is_settled_ = false;
};

}  // namespace loupe::distributed
