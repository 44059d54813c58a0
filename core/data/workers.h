// SPDX-License-Identifier: Apache-2.0
#pragma once
// Threads that make batches ahead.

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "core/base/cancel.h"
#include "core/data/fetcher.h"
#include "core/data/load_log.h"

namespace loupe::data {

// One pass over the data, shared by the consumer and the workers.
class Pass {
  public:
    // log: where what it does is written.
    Pass(std::vector<std::unique_ptr<Fetcher>> fetchers, std::shared_ptr<LoadLog> log)
        : fetchers_(std::move(fetchers)), log_(std::move(log)), number_(log_->begin_pass()) {}

    // For the workers.
    const CancelFlag& stopped() const { return stopped_; }
    // Makes the batch, and notes how long that took.
    Outcome make(LoadKind kind, const WorkerInfo& worker, std::size_t number, const Keys& keys);
    void put(std::size_t number, Outcome outcome);

    // For the consumer. Unfinished batches are completed and discarded.
    void stop() { stopped_ = true; }
    // Waits for that batch. timeout: seconds, 0 for no limit. Throws as BatchStream::next.
    Outcome take(std::size_t number, double timeout);
    LoadLog& log() const { return *log_; }
    std::uint32_t number() const { return number_; }
    bool has(std::size_t number);

  private:
    std::vector<std::unique_ptr<Fetcher>> fetchers_;  // one per worker, used only by it
    const std::shared_ptr<LoadLog> log_;
    const std::uint32_t number_;  // in the log
    CancelFlag stopped_{false};
    std::mutex mutex_;
    std::condition_variable came_;
    std::unordered_map<std::size_t, Outcome> outcomes_;
};

// Each worker makes its batches in sequence.
class WorkerPool {
  public:
    using Init = std::function<void(int worker)>;
    // in_threads: else the workers' batches are made by make_in_place(), as if in them.
    WorkerPool(int count, std::uint64_t base_seed, Init init, bool in_threads);
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;
    // Ends the threads after their current samples.
    ~WorkerPool();

    std::size_t size() const { return workers_.size(); }
    bool has_threads() const { return has_threads_; }
    void post(std::size_t worker, std::shared_ptr<Pass> pass, std::size_t number, Keys keys);
    // Of a pool without threads: runs all jobs posted to the worker up to that batch.
    void make_in_place(std::size_t worker, std::size_t number);

  private:
    void end();
    struct Task {
        std::shared_ptr<Pass> pass;
        std::size_t number = 0;
        Keys keys;
    };
    struct Worker {
        WorkerInfo info;
        bool is_begun = false;
        std::exception_ptr init_failure = nullptr;
        std::mutex mutex{};
        std::condition_variable wake{};
        std::deque<Task> tasks{};
        std::shared_ptr<Pass> current = nullptr;
        std::thread thread{};
    };

    void run(std::size_t index);
    void perform(std::size_t index, const Task& task);

    Init init_;
    bool has_threads_;
    std::atomic<bool> quit_{false};
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace loupe::data
