// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine thread of a session and the work that waits for it. Commands run one after another; requests also run
// while a command is parked. Work that throws is reported to the queue's owner, and the thread continues.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "core/base/cancel.h"
#include "core/base/deep_thread.h"
#include "core/base/error.h"

namespace loupe::session {

class WorkQueue {
  public:
    // Whose work it is; called on the engine thread.
    class Owner {
      public:
        // A command threw. May throw: then report_no_memory is called.
        virtual void report_failure(const Error& error) = 0;
        virtual void report_no_memory() = 0;
        // A request threw: its failure is not that of the run beside which it was served.
        virtual void report_request_failure(const std::string& text) = 0;
        // Called while nothing waits: does a piece of what can be done later. True: there is more.
        virtual bool work_ahead() = 0;

      protected:
        ~Owner() = default;
    };
    // A newer command takes the place of a waiting one of its kind. Run: a run or a training, begun or continued.
    enum class Command { Open, ChangeForm, Run };

    explicit WorkQueue(Owner& owner) : owner_(owner) {}

    // --- any thread ---
    // Once. body runs on the engine thread: it calls serve().
    void start(std::function<void()> body);
    // Stops what runs, forgets what waits, and waits for the body's end.
    void end();
    // Does this behind what waits, and stops what runs, but for what it builds upon: a run stops no opening and no
    // change of form, a change of form stops no opening.
    void order(Command command, std::function<void()> work);
    // A newer request takes the place of a waiting one of the same tag.
    void request(const std::string& tag, std::function<void()> work);
    // Cancels what runs; a run that waits does not begin.
    void stop();
    // The parked command continues. False: none is parked or under way, and no run waits. Else order is called before
    // anything goes on, told whether one is parked.
    bool resume(const std::function<void(bool is_parked)>& order);
    // Returns when nothing waits or runs; a parked command counts as nothing.
    void wait_idle();

    // --- the engine thread ---
    // Until end() is called.
    void serve();
    // Runs it as a command: what it throws is reported. True: it threw nothing.
    bool attempt(const std::function<void()>& work) noexcept;
    // A command parks: from here on resume() continues it. stay_parked() waits for that, and serves requests. Throws
    // Error (Cancelled) when the command is stopped instead.
    void begin_parking();
    void stay_parked();
    // Has the command under way told its result? Then what is left of it is no run that an order could reach.
    void set_ending(bool is_ending);
    // A few of the requests that wait, between two parts of a long command.
    void serve_requests();
    // Set when the work under way is to end.
    const CancelFlag& cancel_flag() const { return cancel_; }

  private:
    struct Job {
        std::optional<Command> command;  // nullopt: a request
        std::string tag;
        std::function<void()> work;
    };

    void enqueue(Job job);
    void forget_runs();
    bool has_request() const;
    bool run(const std::function<void()>& command);
    void run_request(const std::function<void()>& request) noexcept;
    bool run_next_request(std::unique_lock<std::mutex>& lock);
    bool work_ahead() noexcept;

    Owner& owner_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::condition_variable idle_;
    std::deque<Job> queue_;
    bool quit_ = false;
    bool busy_ = false;
    std::optional<Command> under_way_;  // busy with it
    bool is_ending_ = false;            // the command under way has told its result
    bool parked_ = false;
    bool settled_ = false;  // parked, and listeners were notified
    bool serving_ = false;  // a request, while parked
    bool resume_ = false;
    CancelFlag cancel_{false};
    DeepThread thread_;
};

}  // namespace loupe::session
