// SPDX-License-Identifier: Apache-2.0
#include "core/record/memory_account.h"

#include <algorithm>
#include <utility>

#include "core/base/strings.h"
#include "core/tensor/kernel_cache.h"

namespace loupe::session {

MemoryAccount::MemoryAccount(RecordingWriter& writer, const ValueStore& store) : writer_(writer), store_(store) {
    observing_.emplace(*this);
    add_kernel_caches();
}

MemoryAccount::~MemoryAccount() { stop(); }

void MemoryAccount::stop() {
    if (!observing_) return;
    observing_.reset();
    std::vector<Ptr<Storage>> no_longer_watched;
    const std::lock_guard lock(mutex_);
    for (auto& [id, block] : live_) no_longer_watched.push_back(std::move(block.watched));
}

std::int64_t MemoryAccount::current_bytes() const {
    const std::lock_guard lock(mutex_);
    return current_;
}
std::int64_t MemoryAccount::event_peak() const {
    const std::lock_guard lock(mutex_);
    return event_peak_;
}

// Those that the process has from before; what they were made from is named when that is.
void MemoryAccount::add_kernel_caches() {
    std::vector<KernelCacheBlock> caches;  // a cache locks itself while it lists: the account must not be locked then
    visit_kernel_caches([&caches](const KernelCacheBlock& cache) { caches.push_back(cache); });
    const std::lock_guard lock(mutex_);
    for (const KernelCacheBlock& cache : caches) {
        Block& block = live_[cache.storage_id];
        if (block.facts.storage_id != 0) continue;
        block.facts.storage_id = cache.storage_id;
        block.facts.address = reinterpret_cast<std::uint64_t>(cache.address);
        block.facts.bytes = static_cast<std::int64_t>(cache.bytes);
        block.facts.category = Category::KernelCache;
        block.facts.owner = std::string(cache.kernel);
        caches_before_.emplace(cache.of_storage, cache.storage_id);
    }
}

std::string MemoryAccount::kernel_cache_owner(std::string_view kernel, std::uint64_t of_storage) const {
    const auto found = live_.find(of_storage);
    return found == live_.end() || found->second.facts.owner.empty()
               ? std::string(kernel)
               : concat(kernel, " of ", found->second.facts.owner);
}

void MemoryAccount::count(const Block& block, std::int64_t sign) {
    if (block.facts.category == Category::KernelCache) return;
    current_ += sign * block.facts.bytes;
    event_peak_ = std::max(event_peak_, current_);
}

void MemoryAccount::add_existing(const Tensor& t, Category category, std::string_view owner) {
    const std::lock_guard lock(mutex_);
    Block& block = live_[t.storage()->id()];
    if (block.facts.storage_id != 0) return;
    block.facts.storage_id = t.storage()->id();
    block.facts.address = reinterpret_cast<std::uint64_t>(t.storage()->address());
    // Several tensors can view one storage (a whole file mapped): each is charged with its own bytes only.
    block.facts.bytes = static_cast<std::int64_t>(std::min(t.bytes(), t.storage()->bytes()));
    block.facts.category = category;
    block.facts.owner = std::string(owner);
    block.device = t.device();
    count(block, 1);
    publish(block);
    // Caches of other models stay out of the list.
    const auto [first, last] = caches_before_.equal_range(t.storage()->id());
    for (auto entry = first; entry != last; ++entry) {
        const auto found = live_.find(entry->second);
        if (found == live_.end()) continue;
        found->second.facts.owner = concat(found->second.facts.owner, " of ", owner);
        publish(found->second);
    }
    caches_before_.erase(first, last);
}

void MemoryAccount::begin_event(EventId event, std::string_view scope) {
    const std::lock_guard lock(mutex_);
    event_ = event;
    scope_ = scope;
    event_peak_ = current_;
}

// A program may let go of any block at any event, unobserved. With many all are not looked at each time: those
// that this event or the one before had to do with are, and some of the others in turn.
void MemoryAccount::end_event() {
    constexpr std::size_t kMostLookedAt = 1024;
    // Let go of after the lock: freeing a block comes back here as an allocation event.
    std::vector<Ptr<Storage>> no_longer_watched;
    const std::lock_guard lock(mutex_);
    if (live_.size() <= kMostLookedAt) {
        std::vector<std::uint64_t> let_go;
        for (const auto& [id, block] : live_) {
            if (is_let_go(id, block)) let_go.push_back(id);
        }
        for (const std::uint64_t id : let_go) look_at(id, no_longer_watched);
    } else {
        for (const auto* ids : {&touched_before_, &touched_}) {
            for (const std::uint64_t id : *ids) look_at(id, no_longer_watched);
        }
        look_at_next(no_longer_watched);
    }
    for (const std::uint64_t id : made_) {
        if (const auto found = live_.find(id); found != live_.end() && !found->second.is_published)
            publish(found->second);
    }
    made_.clear();
    touched_before_ = std::exchange(touched_, {});
    writer_.note_peak(event_peak_, event_);
}

// The store's references and the one here are not the program's.
bool MemoryAccount::is_let_go(std::uint64_t id, const Block& block) const {
    return block.watched && block.watched->use_count() <= store_.holds(id) + 1;
}

void MemoryAccount::look_at(std::uint64_t id, std::vector<Ptr<Storage>>& no_longer_watched) {
    const auto found = live_.find(id);
    if (found == live_.end() || !is_let_go(id, found->second)) return;
    release(found->second, event_);
    no_longer_watched.push_back(std::move(found->second.watched));
    live_.erase(found);
}

void MemoryAccount::look_at_next(std::vector<Ptr<Storage>>& no_longer_watched) {
    constexpr std::size_t kBuckets = 256;
    std::vector<std::uint64_t> let_go;
    for (std::size_t i = 0; i < kBuckets; ++i) {
        next_bucket_ = (next_bucket_ + 1) % live_.bucket_count();
        for (auto entry = live_.begin(next_bucket_); entry != live_.end(next_bucket_); ++entry) {
            if (is_let_go(entry->first, entry->second)) let_go.push_back(entry->first);
        }
    }
    for (const std::uint64_t id : let_go) look_at(id, no_longer_watched);
}

void MemoryAccount::touch(const Tensor& t) {
    const std::lock_guard lock(mutex_);
    touched_.push_back(t.storage()->id());
}

void MemoryAccount::own(const Tensor& t, std::string_view owner) {
    const std::lock_guard lock(mutex_);
    const auto found = live_.find(t.storage()->id());
    if (found == live_.end()) return;
    touched_.push_back(found->first);
    Block& block = found->second;
    if (block.facts.category == Category::Parameter || block.facts.category == Category::Buffer) return;
    if (block.facts.owner.empty()) block.facts.owner = std::string(owner);
    block.watched = t.storage();
}

void MemoryAccount::mark_saved(std::uint64_t storage, EventId by, std::string_view node) {
    const std::lock_guard lock(mutex_);
    const auto found = live_.find(storage);
    if (found == live_.end()) return;
    Block& block = found->second;
    if (block.is_published) return writer_.add_saving({block.index, by, node});
    if (block.savings.empty()) block.facts.saved_by = by;
    block.savings.push_back({0, by, node});
}

void MemoryAccount::on_allocation(const AllocationEvent& event) noexcept {
    const std::lock_guard lock(mutex_);
    if (event.is_free) {
        if (const auto found = live_.find(event.storage_id); found != live_.end()) {
            release(found->second, event_);
            live_.erase(found);
        }
        return;
    }
    Block& block = live_[event.storage_id];
    made_.push_back(event.storage_id);
    block.facts.storage_id = event.storage_id;
    block.facts.address = reinterpret_cast<std::uint64_t>(event.address);
    block.facts.bytes = static_cast<std::int64_t>(event.bytes);
    block.facts.category = static_cast<Category>(event.category);
    block.facts.allocated = event_;
    block.facts.scope = scope_;
    block.device = event.device;
    if (const KernelCacheScope* cache = kernel_cache_scope()) {
        block.facts.category = Category::KernelCache;
        block.facts.owner = kernel_cache_owner(cache->kernel(), cache->of_storage());
    }
    count(block, 1);
}

void MemoryAccount::publish(Block& block) {
    if (!block.device.is_cpu()) block.facts.device = writer_.intern(device_name(block.device));
    block.index = writer_.add_allocation(block.facts);
    block.is_published = true;
    for (Saving& saving : block.savings) {
        saving.allocation = block.index;
        writer_.add_saving(saving);
    }
    block.savings.clear();
}

void MemoryAccount::release(Block& block, EventId at) {
    if (block.is_freed) return;
    block.is_freed = true;
    count(block, -1);
    if (!block.is_published) {
        const bool is_of_others = block.facts.category == Category::KernelCache && block.facts.allocated == 0;
        if (is_of_others) return;
        if (block.facts.category == Category::Activation || block.facts.category == Category::Other) {
            block.facts.category = Category::Workspace;  // gone before its event ended
        }
        publish(block);
    }
    writer_.end_allocation(block.index, at);
}

}  // namespace loupe::session
