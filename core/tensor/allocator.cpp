// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/allocator.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/setup_clock.h"
#include "core/base/strings.h"
#include "core/tensor/allocation_observers.h"
#include "core/tensor/device_interface.h"
#include "core/tensor/memory_limit.h"

namespace loupe {
namespace {

constexpr std::size_t kAlignment = 64;
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
constexpr bool kIsSanitized = true;  // each block is from malloc, of the exact size, to detect overruns
#else
constexpr bool kIsSanitized = false;
#endif
// Below this malloc is fast; above it a fresh block costs a page fault every 4 KiB.
constexpr std::size_t kCachedFrom = kIsSanitized ? SIZE_MAX : std::size_t{64} << 10;
constexpr std::size_t kCacheLimit = std::size_t{2} << 30;

std::size_t physical_memory() {
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
}

std::atomic<std::size_t>& allocation_limit() {
    static std::atomic<std::size_t> limit{physical_memory()};
    return limit;
}

[[noreturn]] void out_of_memory(std::size_t bytes) {
    throw Error(ErrorKind::Run, concat("out of memory: tried to allocate ", format_bytes(static_cast<double>(bytes)),
                                       " (", bytes, " bytes)"));
}

// The first touch of a page takes as long as a pass over it. Where operators are timed it is done here, apart from the
// operator. A larger block may be filled in part only.
void touch_fresh_pages([[maybe_unused]] void* block, [[maybe_unused]] std::size_t bytes) {
    constexpr std::size_t kMostTouched = std::size_t{256} << 20;
    if (bytes > kMostTouched || !setup_is_watched()) return;
#ifndef MADV_POPULATE_WRITE
    constexpr int MADV_POPULATE_WRITE = 23;
#endif
    const SetupScope setup(Setup::Memory);
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGE_SIZE));
    const auto begin = (reinterpret_cast<std::uintptr_t>(block) + page - 1) / page * page;
    const auto end = (reinterpret_cast<std::uintptr_t>(block) + bytes) / page * page;
    if (begin < end)
        madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_WRITE);  // kernels before 5.14 lack it
}

// Keeps freed large blocks in lists by size class (eight classes a power of two), so that the steady state of a
// training loop touches no fresh page.
class CpuAllocator final : public Allocator {
  public:
    void* allocate(std::size_t bytes, Device) override {
        if (bytes > allocation_limit().load(std::memory_order_relaxed)) out_of_memory(bytes);
        if (bytes < kCachedFrom) return fresh(kIsSanitized ? bytes : rounded_up(bytes), bytes);
        const auto [index, size] = size_class(bytes);
        {
            const std::lock_guard lock(mutex_);
            auto& list = free_[index];
            if (!list.empty()) {
                void* block = list.back();
                list.pop_back();
                cached_ -= size;
                return block;
            }
        }
        return fresh(size, bytes);
    }

    void release(void* block, std::size_t bytes, Device) noexcept override {
        if (bytes >= kCachedFrom) {
            const auto [index, size] = size_class(bytes);
            const std::lock_guard lock(mutex_);
            if (cached_ + size <= kCacheLimit) {
                free_[index].push_back(block);
                cached_ += size;
                return;
            }
        }
        std::free(block);
    }

    void trim() override {
        const std::lock_guard lock(mutex_);
        for (auto& list : free_) {
            for (void* block : list) std::free(block);
            list.clear();
        }
        cached_ = 0;
    }

  private:
    struct SizeClass {
        std::size_t index;
        std::size_t size;
    };

    static SizeClass size_class(std::size_t bytes) {
        const auto power = static_cast<std::size_t>(std::bit_width(bytes) - 1);
        const std::size_t step = std::size_t{1} << (power - 3);
        const std::size_t eighths = (bytes - (std::size_t{1} << power) + step - 1) / step;
        return {power * 8 + eighths, (std::size_t{1} << power) + eighths * step};
    }

    static std::size_t rounded_up(std::size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

    void* fresh(std::size_t size, std::size_t requested) {
        void* block = nullptr;
        const auto get = [&] { return posix_memalign(&block, kAlignment, size == 0 ? kAlignment : size) == 0; };
        if (!get()) {
            trim();  // blocks of other sizes may make room
            if (!get()) out_of_memory(requested);
        }
        if (size >= (std::size_t{4} << 20)) madvise(block, size, MADV_HUGEPAGE);
        if (size >= kCachedFrom) touch_fresh_pages(block, size);
        return block;
    }

    std::mutex mutex_;
    std::array<std::vector<void*>, 8 * 64 + 8> free_;
    std::size_t cached_ = 0;
};

// Never destroyed: storages in static objects may be freed after everything else.
CpuAllocator& cpu_allocator() {
    static auto* const allocator = new CpuAllocator;
    return *allocator;
}

thread_local MemoryCategory thread_category = MemoryCategory::Other;
thread_local int unobserved_depth = 0;

// Hands each event to the observers of the list.
class ObserverList final : public AllocationObserver {
  public:
    void add(AllocationObserver& observer) {
        const std::unique_lock lock(mutex_);
        entries_.push_back({&observer, std::this_thread::get_id()});
        count_.store(entries_.size(), std::memory_order_release);
    }
    void remove(const AllocationObserver& observer) noexcept {
        const std::unique_lock lock(mutex_);
        const auto found = std::find_if(entries_.rbegin(), entries_.rend(),
                                        [&](const Entry& entry) { return entry.observer == &observer; });
        if (found != entries_.rend()) entries_.erase(std::next(found).base());
        count_.store(entries_.size(), std::memory_order_release);
    }
    bool is_empty() const { return count_.load(std::memory_order_acquire) == 0; }

    void on_allocation(const AllocationEvent& event) noexcept override {
        if (unobserved_depth > 0 && !event.is_free) return;
        const auto self = std::this_thread::get_id();
        const std::shared_lock lock(mutex_);
        const bool observes =
            std::any_of(entries_.begin(), entries_.end(), [self](const Entry& entry) { return entry.thread == self; });
        for (const Entry& entry : entries_) {
            if (event.is_free || !observes || entry.thread == self) entry.observer->on_allocation(event);
        }
    }

  private:
    struct Entry {
        AllocationObserver* observer;
        std::thread::id thread;
    };
    std::shared_mutex mutex_;
    std::vector<Entry> entries_;
    std::atomic<std::size_t> count_{0};
};

// Never destroyed: storages in static objects may be freed after everything else.
ObserverList& observers() {
    static auto* const list = new ObserverList;
    return *list;
}

}  // namespace

std::string_view memory_category_name(MemoryCategory category) {
    constexpr std::array<std::string_view, kMemoryCategories> kNames{
        "parameter", "buffer", "activation", "saved for backward", "gradient", "workspace", "input", "other"};
    return kNames[static_cast<std::size_t>(category)];
}

MemoryCategoryScope::MemoryCategoryScope(MemoryCategory category) : ScopedValue(thread_category, category) {}
MemoryCategory current_memory_category() { return thread_category; }

Allocator& allocator_for(DeviceType type) {
    if (type == DeviceType::Cpu) return cpu_allocator();
    DeviceInterface* const device = device_interface(type);
    if (device == nullptr) {
        throw Error(
            ErrorKind::Run, concat("no GPU can be used here: no plugin gives memory on ", device_type_name(type)),
            {.hint = "run it on the CPU (device=\"cpu\"); Help > Plugins, or `tensorloupe-cli plugins`, says why"});
    }
    return device->allocator();
}

void set_allocation_limit(std::size_t bytes) { allocation_limit() = bytes; }

void require_memory(std::int64_t count, std::size_t bytes) {
    std::size_t all = 0;
    const bool overflow = count > 0 && __builtin_mul_overflow(static_cast<std::size_t>(count), bytes, &all);
    if (overflow || all > allocation_limit()) out_of_memory(overflow ? SIZE_MAX : all);
}

AllocationObserverScope::AllocationObserverScope(AllocationObserver& observer) : observer_(observer) {
    observers().add(observer);
}
AllocationObserverScope::~AllocationObserverScope() { observers().remove(observer_); }

UnobservedAllocationScope::UnobservedAllocationScope() { ++unobserved_depth; }
UnobservedAllocationScope::~UnobservedAllocationScope() { --unobserved_depth; }

AllocationObserver* allocation_observer() { return observers().is_empty() ? nullptr : &observers(); }

}  // namespace loupe
