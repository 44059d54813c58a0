// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who has how much memory, by the program's own account: a block that only the recording still holds counts as freed.
// Caches of kernels are listed, and in no sum: whether they are filled depends on what the process ran before.

#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/record/recording_writer.h"
#include "core/record/value_store.h"
#include "core/tensor/allocation_observers.h"
#include "core/tensor/storage.h"

namespace loupe::session {

class MemoryAccount final : public AllocationObserver {
  public:
    MemoryAccount(RecordingWriter& writer, const ValueStore& store);
    ~MemoryAccount() override;
    // Watches no more; what is written stays.
    void stop();

    // Memory that was there before the run.
    void add_existing(const Tensor& t, Category category, std::string_view owner);
    // Between these two the event's allocations are its own.
    void begin_event(EventId event, std::string_view scope);
    void end_event();
    // The event reads it.
    void touch(const Tensor& t);
    // The tensor is known by this name from now on; its storage is watched.
    void own(const Tensor& t, std::string_view owner);
    // A node that the event made keeps it for backward.
    void mark_saved(std::uint64_t storage, EventId by, std::string_view node);

    std::int64_t current_bytes() const;
    std::int64_t event_peak() const;

    void on_allocation(const AllocationEvent& event) noexcept override;

  private:
    struct Block {
        Allocation facts;
        Device device;
        std::size_t index = 0;  // in the recording; valid once published
        bool is_published = false;
        bool is_freed = false;
        std::vector<Saving> savings;  // until it is published
        Ptr<Storage> watched;         // null until a tensor of it is seen
    };

    using Blocks = std::unordered_map<std::uint64_t, Block>;

    void add_kernel_caches();
    std::string kernel_cache_owner(std::string_view kernel, std::uint64_t of_storage) const;
    void count(const Block& block, std::int64_t sign);
    bool is_let_go(std::uint64_t id, const Block& block) const;
    void look_at(std::uint64_t id, std::vector<Ptr<Storage>>& no_longer_watched);
    void look_at_next(std::vector<Ptr<Storage>>& no_longer_watched);
    void publish(Block& block);
    void release(Block& block, EventId at);

    RecordingWriter& writer_;
    const ValueStore& store_;
    std::optional<AllocationObserverScope> observing_;
    mutable std::mutex mutex_;  // frees may come from other threads
    Blocks live_;
    std::vector<std::uint64_t> made_;            // in the event, to be published at its end
    std::vector<std::uint64_t> touched_;         // in the event
    std::vector<std::uint64_t> touched_before_;  // in the one before
    std::size_t next_bucket_ = 0;                // of live_, to be looked at
    EventId event_ = 0;
    std::string_view scope_;
    std::unordered_multimap<std::uint64_t, std::uint64_t> caches_before_;  // by the storage that they were made from
    std::int64_t current_ = 0;
    std::int64_t event_peak_ = 0;
};

}  // namespace loupe::session
