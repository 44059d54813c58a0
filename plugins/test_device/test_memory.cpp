// SPDX-License-Identifier: Apache-2.0
#include "plugins/test_device/test_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::test_device {
namespace {

// Eight sizes a power of two, so that freed blocks fit again.
std::size_t block_size(std::size_t bytes) {
    constexpr std::size_t kSmallest = 64;
    if (bytes <= kSmallest) return kSmallest;
    const std::size_t step = std::max<std::size_t>(kSmallest, std::bit_floor(bytes) / 8);
    return (bytes + step - 1) / step * step;
}

}  // namespace

TestMemory::TestMemory() {
    const int file = memfd_create("test_device", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, static_cast<off_t>(kBytes)) != 0)
        throw Error(ErrorKind::Plugin, "memfd_create failed: no memory for a test device");
    void* const locked = mmap(nullptr, kBytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
    void* const open = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    close(file);
    if (locked == MAP_FAILED || open == MAP_FAILED)
        throw Error(ErrorKind::Plugin, "mmap failed: no addresses for a test device");
    locked_ = static_cast<std::byte*>(locked);
    open_ = static_cast<std::byte*>(open);
}

TestMemory::Key TestMemory::key_of(const Block& block) {
    return {block.pool.first, block.pool.second, block.device.index, block.stream,
            static_cast<std::int64_t>(block.size)};
}

void* TestMemory::allocate(std::size_t bytes, Device device) {
    Block block{device, current_stream(device), block_size(bytes), {}};
    const auto size = static_cast<std::int64_t>(block.size);
    const bool is_captured = work_of(device).capture_of(static_cast<std::size_t>(block.stream)) != nullptr;
    const std::lock_guard lock(mutex_);
    if (is_captured) block.pool = capture_pools_.at(static_cast<std::size_t>(device.index));
    take_what_is_done();
    DeviceMemoryStatistics& figures = figures_.at(static_cast<std::size_t>(device.index));
    std::vector<std::size_t>& list = free_[key_of(block)];
    std::size_t offset = used_;
    if (!list.empty()) {
        offset = list.back();
        list.pop_back();
    } else if (block.size > kBytes - used_) {
        throw Error(ErrorKind::Run, concat("out of memory: the test device has ", kBytes - used_, " bytes left"));
    } else {
        used_ += block.size;
        figures.segment[0].add(1);
        figures.reserved_bytes[0].add(size);
    }
    given_.emplace(offset, block);
    figures.allocation[0].add(1);
    figures.allocated_bytes[0].add(size);
    figures.requested_bytes[0].add(static_cast<std::int64_t>(bytes));
    return locked_ + offset;
}

void TestMemory::release(void* block, std::size_t bytes, Device device) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = given_.find(static_cast<std::size_t>(static_cast<std::byte*>(block) - locked_));
    DeviceMemoryStatistics& figures = figures_.at(static_cast<std::size_t>(device.index));
    figures.allocation[0].take(1);
    figures.allocated_bytes[0].take(static_cast<std::int64_t>(found->second.size));
    figures.requested_bytes[0].take(static_cast<std::int64_t>(bytes));
    Waiting waiting{std::move(found->second), found->first, {}, {}};
    given_.erase(found);
    waiting.unmarked = std::move(waiting.block.uses);
    waiting.block.uses.clear();
    mark(waiting);
    waiting_.push_back(std::move(waiting));
    take_what_is_done();
}

void TestMemory::mark(Waiting& waiting) {
    std::erase_if(waiting.unmarked, [&](StreamId stream) {
        LateWork& work = work_of(waiting.block.device);
        const auto at = static_cast<std::size_t>(stream);
        if (stream == 0) return true;
        if (work.capture_of(at) != nullptr) return false;
        waiting.marks.push_back(work.mark(at));
        return true;
    });
}

void TestMemory::take_what_is_done() {
    std::erase_if(waiting_, [&](Waiting& waiting) {
        mark(waiting);
        if (!waiting.unmarked.empty() || !std::ranges::all_of(waiting.marks, &LateWork::Mark::is_reached)) return false;
        free_[key_of(waiting.block)].push_back(waiting.offset);
        return true;
    });
}

void TestMemory::note_use(const void* block, StreamId stream) {
    const std::lock_guard lock(mutex_);
    const auto found = given_.find(static_cast<std::size_t>(static_cast<const std::byte*>(block) - locked_));
    if (found != given_.end() && found->second.stream != stream) found->second.uses.push_back(stream);
}

void TestMemory::use_pool(Device device, MemoryPoolId pool) {
    const std::lock_guard lock(mutex_);
    capture_pools_.at(static_cast<std::size_t>(device.index)) = pool;
}
void TestMemory::hold_pool(MemoryPoolId pool) {
    const std::lock_guard lock(mutex_);
    ++held_pools_[pool];
}
void TestMemory::release_pool(MemoryPoolId pool) {
    const std::lock_guard lock(mutex_);
    if (--held_pools_[pool] > 0) return;
    held_pools_.erase(pool);
    take_what_is_done();
    std::vector<std::pair<Key, std::vector<std::size_t>>> freed;
    std::erase_if(free_, [&](auto& entry) {
        if (entry.first[0] != pool.first || entry.first[1] != pool.second) return false;
        freed.emplace_back(Key{0, 0, entry.first[2], entry.first[3], entry.first[4]}, std::move(entry.second));
        return true;
    });
    for (auto& [key, offsets] : freed) free_[key].insert(free_[key].end(), offsets.begin(), offsets.end());
    for (auto& [offset, block] : given_) {
        if (block.pool == pool) block.pool = {};
    }
}

// Each block counts as one.
std::vector<DeviceSegment> TestMemory::segments(Device device) const {
    const std::lock_guard lock(mutex_);
    std::vector<DeviceSegment> all;
    const auto put = [&](std::size_t offset, std::size_t size, StreamId stream, MemoryPoolId pool, bool is_free) {
        all.push_back(
            {reinterpret_cast<std::uintptr_t>(locked_ + offset), size, stream, false, {{size, is_free}}, pool});
    };
    for (const auto& [offset, block] : given_) {
        if (block.device == device) put(offset, block.size, block.stream, block.pool, false);
    }
    for (const auto& [key, offsets] : free_) {
        if (key[2] != device.index) continue;
        for (const std::size_t offset : offsets)
            put(offset, static_cast<std::size_t>(key[4]), key[3], {key[0], key[1]}, true);
    }
    return all;
}

std::byte* TestMemory::own_view(const void* address) const {
    return open_ + (static_cast<const std::byte*>(address) - locked_);
}

std::size_t TestMemory::live_blocks() const {
    const std::lock_guard lock(mutex_);
    return given_.size();
}

DeviceMemoryStatistics TestMemory::statistics(Device device) const {
    const std::lock_guard lock(mutex_);
    return figures_.at(static_cast<std::size_t>(device.index));
}
void TestMemory::reset_peak(Device device) {
    const std::lock_guard lock(mutex_);
    DeviceMemoryStatistics& figures = figures_.at(static_cast<std::size_t>(device.index));
    for (MemoryFigure* const each : {&figures.allocated_bytes[0], &figures.reserved_bytes[0], &figures.allocation[0],
                                     &figures.segment[0], &figures.requested_bytes[0]})
        each->peak = each->current;
}

}  // namespace loupe::test_device
