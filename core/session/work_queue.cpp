// SPDX-License-Identifier: Apache-2.0
#include "core/session/work_queue.h"

#include <algorithm>
#include <new>

#include "core/autograd/observer.h"
#include "core/base/strings.h"
#include "core/model/error_text.h"

namespace loupe::session {
namespace {

constexpr int kMostServed = 8;  // requests between two parts of a command

const char* tag_of(WorkQueue::Command command) {
    switch (command) {
        case WorkQueue::Command::Open:
            return "open";
        case WorkQueue::Command::ChangeForm:
            return "form";
        case WorkQueue::Command::Run:
            break;
    }
    return "run";
}

}  // namespace

void WorkQueue::start(std::function<void()> body) { thread_.start(std::move(body)); }

void WorkQueue::end() {
    {
        const std::lock_guard lock(mutex_);
        quit_ = true;
        queue_.clear();
        cancel_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

// --- orders ---

void WorkQueue::enqueue(Job job) {
    {
        const std::lock_guard lock(mutex_);
        if (quit_) return;
        std::erase_if(queue_, [&](const Job& waiting) { return waiting.tag == job.tag; });
        queue_.push_back(std::move(job));
    }
    wake_.notify_all();
}

void WorkQueue::order(Command command, std::function<void()> work) {
    {
        const std::lock_guard lock(mutex_);
        if (busy_ && (!under_way_ || command <= *under_way_)) cancel_ = true;
        forget_runs();
    }
    enqueue({command, tag_of(command), std::move(work)});
}

void WorkQueue::request(const std::string& tag, std::function<void()> work) {
    enqueue({std::nullopt, concat("request ", tag), std::move(work)});
}

void WorkQueue::stop() {
    {
        const std::lock_guard lock(mutex_);
        if (busy_) cancel_ = true;
        forget_runs();
    }
    wake_.notify_all();
}

// mutex_ is held.
void WorkQueue::forget_runs() {
    std::erase_if(queue_, [](const Job& job) { return job.command == Command::Run; });
}

bool WorkQueue::resume(const std::function<void(bool is_parked)>& order) {
    {
        const std::lock_guard lock(mutex_);
        const bool is_under_way =
            parked_ || (busy_ && under_way_ == Command::Run && !is_ending_) ||
            std::any_of(queue_.begin(), queue_.end(), [](const Job& job) { return job.command == Command::Run; });
        if (!is_under_way) return false;
        // Under the lock: else the run could park between the two, and be sent on from there.
        order(parked_);
        resume_ |= parked_;
    }
    wake_.notify_all();
    return true;
}

void WorkQueue::wait_idle() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] {
        if (quit_) return true;
        if (parked_ && !resume_ && !cancel_) return settled_ && !serving_ && !has_request();
        return !busy_ && queue_.empty();
    });
}

// --- the engine thread ---

// mutex_ is held.
bool WorkQueue::has_request() const {
    return std::any_of(queue_.begin(), queue_.end(), [](const Job& job) { return !job.command; });
}

bool WorkQueue::run(const std::function<void()>& command) {
    try {
        command();
        return true;
    } catch (const Error& error) {
        owner_.report_failure(error);
    } catch (const std::bad_alloc&) {
        owner_.report_failure(Error(ErrorKind::Run, "out of memory"));
    } catch (const std::exception& error) {
        owner_.report_failure(Error(ErrorKind::Internal, error.what()));
    } catch (...) {
        owner_.report_failure(Error(ErrorKind::Internal, "an exception that is no std::exception"));
    }
    return false;
}

// Reporting may fail too: for want of memory, or in a listener. The thread continues in any case.
bool WorkQueue::attempt(const std::function<void()>& work) noexcept {
    try {
        return run(work);
    } catch (...) {
        try {
            owner_.report_no_memory();
        } catch (...) {  // the next work may find memory again
        }
    }
    return false;
}

void WorkQueue::run_request(const std::function<void()>& request) noexcept {
    try {
        try {
            request();
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Cancelled) owner_.report_request_failure(headline_of(error));
        } catch (const std::bad_alloc&) {
            owner_.report_request_failure("out of memory");
        } catch (const std::exception& error) {
            owner_.report_request_failure(error.what());
        } catch (...) {
            owner_.report_request_failure("an exception that is no std::exception");
        }
    } catch (...) {  // no memory to say so
    }
}

bool WorkQueue::work_ahead() noexcept {
    bool has_more = false;
    attempt([&] { has_more = owner_.work_ahead(); });
    return has_more;
}

void WorkQueue::serve() {
    while (true) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            busy_ = false;
            if (queue_.empty()) idle_.notify_all();
            while (queue_.empty() && !quit_) {
                lock.unlock();
                const bool has_more = work_ahead();
                lock.lock();
                if (!has_more) break;
            }
            wake_.wait(lock, [this] { return quit_ || !queue_.empty(); });
            if (quit_) return;
            job = std::move(queue_.front());
            queue_.pop_front();
            busy_ = true;
            under_way_ = job.command;
            is_ending_ = false;
            cancel_ = false;
        }
        const CancelScope scope(&cancel_);
        if (!job.command) {
            run_request(job.work);
        } else if (!attempt(job.work) && job.command != Command::Run) {
            // What waits was to run what this would have made.
            const std::lock_guard lock(mutex_);
            forget_runs();
        }
    }
}

// mutex_ is held by the lock, but not while the request runs. False: none waits.
bool WorkQueue::run_next_request(std::unique_lock<std::mutex>& lock) {
    const auto at = std::find_if(queue_.begin(), queue_.end(), [](const Job& job) { return !job.command; });
    if (at == queue_.end()) return false;
    const auto work = std::move(at->work);
    queue_.erase(at);
    serving_ = true;
    lock.unlock();
    {
        // What a request allocates or calls is no part of the parked run.
        const ObserverScope unobserved(nullptr);
        run_request(work);
    }
    lock.lock();
    serving_ = false;
    return true;
}

void WorkQueue::begin_parking() {
    const std::lock_guard lock(mutex_);
    parked_ = true;
    resume_ = false;
}

void WorkQueue::stay_parked() {
    std::unique_lock lock(mutex_);
    settled_ = true;
    while (!resume_ && !cancel_ && !quit_) {
        if (run_next_request(lock)) continue;
        idle_.notify_all();
        lock.unlock();
        bool has_more = false;
        {
            const ObserverScope unobserved(nullptr);
            has_more = owner_.work_ahead();
        }
        lock.lock();
        if (has_more) continue;
        wake_.wait(lock, [this] { return resume_ || cancel_ || quit_ || has_request(); });
    }
    settled_ = false;
    parked_ = false;
    lock.unlock();
    check_cancelled();
}

void WorkQueue::set_ending(bool is_ending) {
    const std::lock_guard lock(mutex_);
    is_ending_ = is_ending;
}

void WorkQueue::serve_requests() {
    std::unique_lock lock(mutex_);
    for (int served = 0; served < kMostServed && !cancel_ && !quit_ && run_next_request(lock); ++served) {
    }
}

}  // namespace loupe::session
