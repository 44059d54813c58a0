// SPDX-License-Identifier: Apache-2.0
#include "core/data/workers.h"

#include <chrono>
#include <system_error>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/base/strings.h"

namespace loupe::data {
namespace {

using Clock = std::chrono::steady_clock;
// Interval at which a waiting thread checks for cancelling.
constexpr auto kTick = std::chrono::milliseconds(50);

}  // namespace

Outcome Pass::make(LoadKind kind, const WorkerInfo& worker, std::size_t number, const Keys& keys) {
    const auto id = static_cast<std::uint32_t>(worker.id);
    LoadScope noted(*log_, kind, number_, number, id);
    Outcome outcome = fetchers_[id]->try_fetch(keys);
    if (outcome.kind == Outcome::Kind::Ended) noted.cancel();
    return outcome;
}

void Pass::put(std::size_t number, Outcome outcome) {
    {
        const std::lock_guard lock(mutex_);
        outcomes_[number] = std::move(outcome);
    }
    came_.notify_one();
}

bool Pass::has(std::size_t number) {
    const std::lock_guard lock(mutex_);
    return outcomes_.contains(number);
}

Outcome Pass::take(std::size_t number, double timeout) {
    const auto begin = Clock::now();
    std::unique_lock lock(mutex_);
    while (!came_.wait_for(lock, kTick, [&] { return outcomes_.contains(number); })) {
        check_cancelled();
        if (timeout > 0 && std::chrono::duration<double>(Clock::now() - begin).count() >= timeout) {
            throw Error(ErrorKind::Run, concat("DataLoader timed out after ", timeout, " seconds"));
        }
    }
    auto node = outcomes_.extract(number);
    return std::move(node.mapped());
}

WorkerPool::WorkerPool(int count, std::uint64_t base_seed, Init init, bool in_threads)
    : init_(std::move(init)), has_threads_(in_threads) {
    for (int id = 0; id < count; ++id) {
        auto worker = std::make_unique<Worker>();
        const std::uint64_t seed = base_seed + static_cast<std::uint64_t>(id);
        worker->info = {id, count, seed, make_ptr<MersenneTwister>(seed)};
        workers_.push_back(std::move(worker));
    }
    if (!in_threads) return;
    try {
        for (std::size_t index = 0; index < workers_.size(); ++index) {
            workers_[index]->thread = std::thread([this, index] { run(index); });
        }
    } catch (const std::system_error& error) {
        end();
        throw Error(ErrorKind::Run, concat("cannot start ", count, " threads that load data: ", error.code().message()),
                    {.hint = "take fewer workers"});
    }
}

WorkerPool::~WorkerPool() { end(); }

void WorkerPool::end() {
    quit_ = true;
    for (const auto& worker : workers_) {
        {
            const std::lock_guard lock(worker->mutex);
            if (worker->current) worker->current->stop();
        }
        worker->wake.notify_one();
    }
    for (const auto& worker : workers_) {
        if (worker->thread.joinable()) worker->thread.join();
    }
}

void WorkerPool::post(std::size_t index, std::shared_ptr<Pass> pass, std::size_t number, Keys keys) {
    Worker& worker = *workers_[index];
    {
        const std::lock_guard lock(worker.mutex);
        worker.tasks.push_back({std::move(pass), number, std::move(keys)});
    }
    worker.wake.notify_one();
}

void WorkerPool::make_in_place(std::size_t index, std::size_t number) {
    auto& tasks = workers_[index]->tasks;
    while (!tasks.empty()) {
        const Task task = std::move(tasks.front());
        tasks.pop_front();
        if (!task.pass->stopped()) perform(index, task);
        if (task.number == number && !task.pass->stopped()) return;
    }
}

void WorkerPool::run(std::size_t index) {
    // Batches are made in parallel: kernels in them run on one thread.
    set_thread_count(1);
    Worker& worker = *workers_[index];
    std::unique_lock lock(worker.mutex);
    while (true) {
        worker.wake.wait(lock, [&] { return quit_ || !worker.tasks.empty(); });
        if (quit_) return;
        Task task = std::move(worker.tasks.front());
        worker.tasks.pop_front();
        if (task.pass->stopped()) continue;
        worker.current = task.pass;
        lock.unlock();
        perform(index, task);
        task = {};
        lock.lock();
        worker.current = nullptr;
    }
}

void WorkerPool::perform(std::size_t index, const Task& task) {
    Worker& worker = *workers_[index];
    const WorkerScope scope(worker.info);
    if (!std::exchange(worker.is_begun, true) && init_) {
        try {
            init_(worker.info.id);
        } catch (...) {
            worker.init_failure = std::current_exception();
        }
    }
    if (worker.init_failure) {
        Outcome outcome;
        outcome.kind = Outcome::Kind::Failed;
        outcome.failure = worker.init_failure;
        return task.pass->put(task.number, std::move(outcome));
    }
    if (!has_threads_)
        return task.pass->put(task.number, task.pass->make(LoadKind::InTurn, worker.info, task.number, task.keys));
    const CancelScope cancel(&task.pass->stopped());
    task.pass->put(task.number, task.pass->make(LoadKind::Worker, worker.info, task.number, task.keys));
}

}  // namespace loupe::data
