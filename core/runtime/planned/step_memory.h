// SPDX-License-Identifier: Apache-2.0
#pragma once
// Allocations of a program's kernels: recorded in one run, served from planned memory in later
// runs.

#include <span>
#include <vector>

#include "core/tensor/memory_source.h"
#include "core/tensor/storage.h"

namespace loupe::runtime {

class StepMemory final : public MemorySource {
  public:
    struct Allocation {
        std::size_t bytes = 0;
        bool is_result = false;  // it became a result of the step
    };

    explicit StepMemory(std::size_t steps) : steps_(steps) {}

    void begin(std::size_t step);
    // results: the memory of results that the step allocated. False: temporary memory of the step is still
    // referenced.
    bool end(const std::vector<const void*>& results);

    bool is_recording() const { return is_recording_; }
    // Ends recording; serve() must be called before the next run.
    void stop_recording() { is_recording_ = false; }
    // The step's allocations, in order, without memory kept between runs.
    const std::vector<Allocation>& allocated(std::size_t step) const { return steps_[step].allocated; }
    // From now on step i's k-th allocation is at offsets[places[i][k]].
    void serve(const Ptr<Storage>& arena, std::span<const std::size_t> offsets,
               const std::vector<std::vector<std::size_t>>& places);
    // Is planned memory unreferenced?
    bool is_free() const { return !scratch_ || (scratch_->use_count() == 1 && results_->use_count() == 1); }
    std::size_t unplanned() const { return unplanned_; }

    void* take(std::size_t bytes, Ptr<RefCounted>& owner) override;

  private:
    struct Step {
        std::vector<Allocation> allocated;
        std::vector<void*> addresses;  // while served
    };
    // Keeps the block alive for storages in it.
    struct Lease : RefCounted {
        explicit Lease(Ptr<Storage> block) : arena(std::move(block)) {}
        Ptr<Storage> arena;
    };

    void* record(std::size_t bytes, Ptr<RefCounted>& owner);

    std::vector<Step> steps_;
    std::size_t step_ = 0;
    std::size_t next_ = 0;
    bool is_recording_ = true;
    std::vector<Ptr<Storage>> recorded_;  // of the current step
    Ptr<Lease> scratch_;
    Ptr<Lease> results_;
    std::size_t unplanned_ = 0;
};

}  // namespace loupe::runtime
