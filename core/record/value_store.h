// SPDX-License-Identifier: Apache-2.0
#pragma once
// The elements of recorded values: kept by reference as long as nothing overwrites them, copied just before something
// does, moved to a temporary file when they pass a budget, and dropped when that passes one too. Of dropped ones a hash
// stays, so that computing them again shows whether they came out the same.

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/record/recording.h"
#include "core/tensor/tensor.h"

namespace loupe::session {

// In bytes. Not given: a quarter of the machine's memory, half of the free disk.
struct ValueBudget {
    std::optional<std::size_t> memory;
    std::optional<std::size_t> file;
};

class ValueStore {
  public:
    explicit ValueStore(const ValueBudget& budget = {});
    ValueStore(const ValueStore&) = delete;
    ValueStore& operator=(const ValueStore&) = delete;
    ~ValueStore();

    void keep(ValueId id, const Tensor& t);
    // The same for what a run begins with: neither moved nor dropped.
    void keep_for_good(ValueId id, const Tensor& t);
    // Call before the storage is written: kept values that view it get a copy of their own. Returns bytes copied.
    std::size_t protect(std::uint64_t storage_id);
    // Undefined when it is not (or no longer) kept. Reads it back when it was moved to the file.
    Tensor find(ValueId id) const;
    bool was_dropped(ValueId id) const;
    // Takes the elements of a dropped value, computed again. False, and nothing changes, when they are not those that
    // were dropped.
    bool restore(ValueId id, const Tensor& t);
    bool is_recomputed(ValueId id) const;
    // How many of a storage's references are this store's.
    std::uint32_t holds(std::uint64_t storage_id) const;
    std::size_t memory_budget() const { return memory_budget_; }
    // The storages' owner may be notified of frees by this store: the bytes that it holds now.
    std::size_t bytes_in_memory() const { return in_memory_; }
    std::size_t bytes_in_file() const { return file_end_; }

  private:
    struct Kept {
        Tensor tensor;  // undefined when it is in the file
        Dims sizes;
        ScalarType dtype = ScalarType::Float32;
        std::int64_t file_offset = -1;
        std::optional<std::uint64_t> dropped_hash;
        bool is_recomputed = false;
    };

    void hold(ValueId id, const Tensor& t);
    void let_go(Kept& kept);
    void spill();
    bool write_to_file(Kept& kept, const Tensor& rows);

    std::size_t memory_budget_;
    std::size_t file_budget_;
    std::size_t in_memory_ = 0;
    std::unordered_map<ValueId, Kept> kept_;
    std::unordered_map<std::uint64_t, std::vector<ValueId>> by_storage_;
    std::deque<ValueId> oldest_first_;
    int file_ = -1;
    std::size_t file_end_ = 0;
};

}  // namespace loupe::session
