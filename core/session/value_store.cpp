// SPDX-License-Identifier: Apache-2.0
#include "core/session/value_store.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/base/error.h"
#include "core/session/element_walk.h"

namespace loupe::session {
namespace {

std::size_t quarter_of_memory() {
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE)) / 4;
}

// Row-major copy of the elements, not seen by whoever watches allocations.
Tensor copied(const Tensor& t) {
    AllocationObserver* watching = set_allocation_observer(nullptr);
    Tensor copy = empty(t.sizes(), t.dtype());
    set_allocation_observer(watching);
    visit_dtype(t.dtype(), [&]<typename T>(std::type_identity<T>) {
        T* to = copy.data<T>();
        walk_elements<T>(t, true, [&](const T* elements, std::int64_t n) {
            std::copy(elements, elements + n, to);
            to += n;
        });
    });
    return copy;
}

}  // namespace

ValueStore::ValueStore(std::size_t budget) : budget_(budget == 0 ? quarter_of_memory() : budget) {}

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
    if (in_memory_ > budget_) spill();
}

std::size_t ValueStore::protect(std::uint64_t storage_id) {
    const auto found = by_storage_.find(storage_id);
    if (found == by_storage_.end()) return 0;
    std::size_t bytes = 0;
    const std::vector<ValueId> ids = found->second;
    for (const ValueId id : ids) {
        Kept& kept = kept_.at(id);
        const Tensor copy = copied(kept.tensor);
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
    while (in_memory_ > budget_ && !oldest_first_.empty()) {
        Kept& kept = kept_.at(oldest_first_.front());
        oldest_first_.pop_front();
        if (!kept.tensor.defined()) continue;
        const MemoryCategory category = kept.tensor.storage()->category();
        // The model's own memory is alive anyway: moving it would free nothing.
        if (category == MemoryCategory::Parameter || category == MemoryCategory::Buffer) continue;
        if (write_to_file(kept)) let_go(kept);
        else return;
    }
}

bool ValueStore::write_to_file(Kept& kept) {
    if (file_ < 0) {
        std::string name = (std::filesystem::temp_directory_path() / "tensorloupe-XXXXXX").string();
        file_ = ::mkstemp(name.data());
        if (file_ < 0) return false;
        ::unlink(name.c_str());  // gone with the process
    }
    const Tensor rows = kept.tensor.is_contiguous() ? kept.tensor : copied(kept.tensor);
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
