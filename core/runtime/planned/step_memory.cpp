// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/planned/step_memory.h"

#include <algorithm>

namespace loupe::runtime {

void StepMemory::begin(std::size_t step) {
    step_ = step;
    next_ = 0;
    recorded_.clear();
    if (is_recording_) steps_[step].allocated.clear();
}

void* StepMemory::take(std::size_t bytes, Ptr<RefCounted>& owner) {
    if (bytes == 0) return nullptr;
    if (is_recording_) return record(bytes, owner);
    const Step& step = steps_[step_];
    if (next_ >= step.allocated.size() || step.allocated[next_].bytes != bytes) {
        next_ = step.allocated.size();  // later ones may differ too
        ++unplanned_;
        return nullptr;
    }
    owner = step.allocated[next_].is_result ? results_ : scratch_;
    return step.addresses[next_++];
}

void* StepMemory::record(std::size_t bytes, Ptr<RefCounted>& owner) {
    const MemorySourceScope allocator(nullptr);
    recorded_.push_back(Storage::allocate(bytes));
    owner = recorded_.back();
    return recorded_.back()->data();
}

bool StepMemory::end(const std::vector<const void*>& results) {
    if (!is_recording_) return scratch_->use_count() == 1;
    for (const Ptr<Storage>& block : recorded_) {
        const bool is_result = std::find(results.begin(), results.end(), block->data()) != results.end();
        // Memory kept between runs is allocated once.
        if (is_result || block->use_count() == 1) steps_[step_].allocated.push_back({block->bytes(), is_result});
    }
    recorded_.clear();
    return true;
}

void StepMemory::serve(const Ptr<Storage>& arena, std::span<const std::size_t> offsets,
                       const std::vector<std::vector<std::size_t>>& places) {
    scratch_ = make_ptr<Lease>(arena);
    results_ = make_ptr<Lease>(arena);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        steps_[i].addresses.clear();
        for (const std::size_t place : places[i])
            steps_[i].addresses.push_back(static_cast<std::byte*>(arena->data()) + offsets[place]);
    }
}

}  // namespace loupe::runtime
