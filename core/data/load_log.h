// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the loaders of a thread did and when: which worker made which batch, and how long the loop waited for it.
// Loaders write it, two readings of the clock a batch; a recorder reads it.

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace loupe::data {

enum class LoadKind : std::uint8_t {
    Worker,  // a worker's thread makes a batch
    InTurn,  // a worker without a thread of its own makes it on the loop's thread, when it is asked for
    Loop,    // there are no workers: the loop makes it
    Wait,    // the loop waits for a worker's batch
};
constexpr LoadKind last_of(LoadKind) { return LoadKind::Wait; }

struct LoadWork {
    using Clock = std::chrono::steady_clock;
    LoadKind kind = LoadKind::Worker;
    std::uint32_t pass = 0;    // over the data: of those that the thread began, from 1
    std::uint32_t worker = 0;  // from 0; of Wait the one that makes the batch; of Loop none
    std::uint64_t batch = 0;   // of the pass, from 0
    Clock::time_point start;
    Clock::time_point end;
    bool is_over = true;  // false: under way at `end`
};

class LoadLog {
  public:
    // Work that is over is kept as far as this; the oldest goes.
    static constexpr std::size_t kMost = 1 << 16;

    // Of the calling thread: where the loaders that it iterates write.
    static const std::shared_ptr<LoadLog>& of_thread();

    std::uint32_t begin_pass();
    // Work that is over, in the order in which it ended, but for the first `from` of the log's life; from: how many
    // there are now.
    std::vector<LoadWork> finished(std::uint64_t& from) const;
    // Until now.
    std::vector<LoadWork> under_way() const;

  private:
    friend class LoadScope;

    mutable std::mutex mutex_;
    std::uint32_t passes_ = 0;
    std::uint64_t dropped_ = 0;
    std::deque<LoadWork> finished_;
    std::vector<const LoadWork*> under_way_;
};

// Work from here to the end of the scope, on any thread.
class LoadScope {
  public:
    LoadScope(LoadLog& log, LoadKind kind, std::uint32_t pass, std::uint64_t batch, std::uint32_t worker = 0);
    LoadScope(const LoadScope&) = delete;
    LoadScope& operator=(const LoadScope&) = delete;
    ~LoadScope();
    // No batch came of it: it leaves no trace.
    void cancel() { is_cancelled_ = true; }

  private:
    LoadLog& log_;
    LoadWork work_;
    bool is_cancelled_ = false;
};

}  // namespace loupe::data
