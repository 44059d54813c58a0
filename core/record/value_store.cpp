// SPDX-License-Identifier: Apache-2.0
#include "core/record/value_store.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "core/base/error.h"
#include "core/tensor/copy_elements.h"

namespace loupe::session {
namespace {

std::size_t quarter_of_memory() {
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE)) / 4;
}

std::size_t half_of_free_disk() {
    std::error_code failure;
    const auto space = std::filesystem::space(std::filesystem::temp_directory_path(failure), failure);
    return failure ? 0 : static_cast<std::size_t>(space.available / 2);
}

// Row-major, on the CPU.
Tensor rows_of(const Tensor& t) { return t.is_contiguous() && t.is_host_memory() ? t : copy_elements(t); }

// Of the bytes of row-major elements, eight at a time.
std::uint64_t hash_of(const Tensor& rows) {
    constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
    const auto* at = static_cast<const char*>(rows.raw_data());
    std::size_t left = rows.bytes();
    std::uint64_t hash = left;
    while (left > 0) {
        std::uint64_t word = 0;
        const std::size_t n = std::min(left, sizeof word);
        std::memcpy(&word, at, n);
        hash = std::rotl((hash ^ word) * kFactor, 29);
        at += n;
        left -= n;
    }
    return hash;
}

}  // namespace

ValueStore::ValueStore(const ValueBudget& budget)
    : memory_budget_(budget.memory ? *budget.memory : quarter_of_memory()),
      file_budget_(budget.file ? *budget.file : half_of_free_disk()) {}

ValueStore::~ValueStore() {
    if (file_ >= 0) ::close(file_);
}

void ValueStore::hold(ValueId id, const Tensor& t) {
    auto& ids = by_storage_[t.storage()->id()];
    if (ids.empty()) in_memory_ += t.storage()->bytes();
    ids.push_back(id);
    Kept& kept = kept_[id];
    kept.tensor = t;
    kept.sizes = to_dims(t.sizes());
    kept.dtype = t.dtype();
}

void ValueStore::let_go(Kept& kept) {
    const auto found = by_storage_.find(kept.tensor.storage()->id());
    const auto& ids = found->second;
    std::erase_if(found->second, [&](ValueId id) { return &kept_.at(id) == &kept; });
    if (ids.empty()) {
        in_memory_ -= kept.tensor.storage()->bytes();
        by_storage_.erase(found);
    }
    kept.tensor = Tensor();
}

void ValueStore::keep(ValueId id, const Tensor& t) {
    hold(id, t.shallow_copy());
    oldest_first_.push_back(id);
    if (in_memory_ > memory_budget_) spill();
}

void ValueStore::keep_for_good(ValueId id, const Tensor& t) { hold(id, t.shallow_copy()); }

bool ValueStore::was_dropped(ValueId id) const {
    const auto found = kept_.find(id);
    return found != kept_.end() && found->second.dropped_hash && !found->second.tensor.defined();
}

bool ValueStore::is_recomputed(ValueId id) const {
    const auto found = kept_.find(id);
    return found != kept_.end() && found->second.is_recomputed;
}

bool ValueStore::restore(ValueId id, const Tensor& t) {
    Kept& kept = kept_.at(id);
    const Tensor rows = rows_of(t);
    if (kept.dtype != t.dtype() || !std::ranges::equal(span_of(kept.sizes), t.sizes()) ||
        hash_of(rows) != kept.dropped_hash)
        return false;
    hold(id, rows);
    kept.is_recomputed = true;
    oldest_first_.push_back(id);
    if (in_memory_ > memory_budget_) spill();
    return true;
}

std::size_t ValueStore::protect(std::uint64_t storage_id) {
    const auto found = by_storage_.find(storage_id);
    if (found == by_storage_.end()) return 0;
    std::size_t bytes = 0;
    const std::vector<ValueId> ids = found->second;
    for (const ValueId id : ids) {
        Kept& kept = kept_.at(id);
        const Tensor copy = copy_elements(kept.tensor);
        bytes += copy.bytes();
        let_go(kept);
        hold(id, copy);
    }
    return bytes;
}

Tensor ValueStore::find(ValueId id) const {
    const auto found = kept_.find(id);
    if (found == kept_.end()) return {};
    const Kept& kept = found->second;
    if (kept.tensor.defined() || kept.file_offset < 0) return kept.tensor;
    Tensor t = empty(span_of(kept.sizes), kept.dtype);
    auto* at = static_cast<char*>(t.raw_data());
    std::size_t left = t.bytes();
    off_t offset = kept.file_offset;
    while (left > 0) {
        const ssize_t got = ::pread(file_, at, left, offset);
        if (got <= 0) return {};
        at += got;
        offset += got;
        left -= static_cast<std::size_t>(got);
    }
    return t;
}

std::uint32_t ValueStore::holds(std::uint64_t storage_id) const {
    const auto found = by_storage_.find(storage_id);
    return found == by_storage_.end() ? 0 : static_cast<std::uint32_t>(found->second.size());
}

void ValueStore::spill() {
    // The newest stays, however great: it is what somebody looks at.
    while (in_memory_ > memory_budget_ && oldest_first_.size() > 1) {
        Kept& kept = kept_.at(oldest_first_.front());
        oldest_first_.pop_front();
        if (!kept.tensor.defined()) continue;
        const MemoryCategory category = kept.tensor.storage()->category();
        // The model's own memory is alive anyway: moving it would free nothing.
        if (category == MemoryCategory::Parameter || category == MemoryCategory::Buffer) continue;
        const Tensor rows = rows_of(kept.tensor);
        if (!write_to_file(kept, rows) && !kept.dropped_hash) kept.dropped_hash = hash_of(rows);
        let_go(kept);
    }
}

bool ValueStore::write_to_file(Kept& kept, const Tensor& rows) {
    if (rows.bytes() > file_budget_ || file_end_ > file_budget_ - rows.bytes()) return false;
    if (file_ < 0) {
        std::error_code failure;
        std::string name = (std::filesystem::temp_directory_path(failure) / "tensorloupe-XXXXXX").string();
        if (failure) return false;
        file_ = ::mkstemp(name.data());
        if (file_ < 0) return false;
        ::unlink(name.c_str());  // gone with the process
    }
    const auto* at = static_cast<const char*>(rows.raw_data());
    std::size_t left = rows.bytes();
    auto offset = static_cast<off_t>(file_end_);
    while (left > 0) {
        const ssize_t put = ::pwrite(file_, at, left, offset);
        if (put <= 0) return false;
        at += put;
        offset += put;
        left -= static_cast<std::size_t>(put);
    }
    kept.file_offset = static_cast<std::int64_t>(file_end_);
    file_end_ += rows.bytes();
    return true;
}

}  // namespace loupe::session
