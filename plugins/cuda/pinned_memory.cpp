// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/pinned_memory.h"

#include <algorithm>
#include <bit>
#include <memory>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "plugins/cuda/check.h"
#include "plugins/cuda/events.h"
#include "plugins/cuda/graphs/captures.h"
#include "plugins/cuda/streams.h"

namespace loupe::cuda {

void* PinnedMemory::allocate(std::size_t bytes, Device) {
    // Powers of two, as PyTorch's.
    constexpr std::size_t kLeast = 512;
    const std::size_t size = std::bit_ceil(std::max(bytes, kLeast));
    const std::lock_guard lock(mutex_);
    take_what_is_done();
    const RelaxedCapture relaxed;
    void* memory = nullptr;
    if (const auto found = free_.find(size); found != free_.end()) {
        memory = found->second;
        free_.erase(found);
    } else {
        // No device need be the thread's: the memory is for all.
        const cudaError_t status = cudaHostAlloc(&memory, size, cudaHostAllocPortable | cudaHostAllocMapped);
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            throw Error(ErrorKind::Run, concat("out of memory: the host's pages cannot be locked for ",
                                               format_bytes(static_cast<double>(size))));
        }
        check(status, "locking memory of the host");
    }
    used_[static_cast<char*>(memory)] = {size, {}, 0, false};
    return memory;
}

void PinnedMemory::release(void* block, std::size_t, Device) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = used_.find(static_cast<char*>(block));
    if (found == used_.end()) return;
    found->second.is_released = true;
    if (found->second.holds == 0) put(found);
}

void PinnedMemory::put(std::map<char*, Block>::iterator found) {
    Waiting waiting{found->first, found->second.bytes, {}};
    try {
        for (const Use& use : found->second.uses) waiting.events.push_back(mark_stream(use.device, use.stream));
    } catch (const Error&) {  // of a device that is lost: it reads nothing any more
    }
    used_.erase(found);
    waiting_.push_back(std::move(waiting));
}

void PinnedMemory::hold(const void* address) {
    const std::lock_guard lock(mutex_);
    if (const auto found = block_with(address); found != used_.end()) ++used_[found->first].holds;
}

void PinnedMemory::let_go(const void* address, Device device, const std::vector<StreamId>& streams) noexcept {
    const std::lock_guard lock(mutex_);
    const auto known = block_with(address);
    if (known == used_.end()) return;
    const auto found = used_.find(known->first);
    for (const StreamId stream : streams) found->second.uses.push_back({device, stream});
    if (--found->second.holds == 0 && found->second.is_released) put(found);
}

void PinnedMemory::take_what_is_done() {
    // Events are not asked while streams capture.
    for (int i = 0; i < device_count(); ++i) {
        if (captures_any(i)) return;
    }
    const auto is_done = [](const Waiting& waiting) {
        try {
            return std::ranges::all_of(waiting.events, [](const auto& event) { return event->is_reached(); });
        } catch (const Error&) {
            return true;
        }
    };
    std::erase_if(waiting_, [&](const Waiting& waiting) {
        if (!is_done(waiting)) return false;
        free_.emplace(waiting.bytes, waiting.address);
        return true;
    });
}

void PinnedMemory::trim() {
    const std::lock_guard lock(mutex_);
    take_what_is_done();
    for (const auto& [bytes, address] : free_) cudaFreeHost(address);
    free_.clear();
}

std::map<char*, PinnedMemory::Block>::const_iterator PinnedMemory::block_with(const void* address) const {
    const auto* const at = static_cast<const char*>(address);
    auto found = used_.upper_bound(const_cast<char*>(at));
    if (found == used_.begin()) return used_.end();
    --found;
    return at < found->first + found->second.bytes ? found : used_.end();
}

bool PinnedMemory::has(const void* address) const {
    const std::lock_guard lock(mutex_);
    const auto found = block_with(address);
    return found != used_.end() && !found->second.is_released;
}

void PinnedMemory::note_use(const void* address, Device device) {
    const std::lock_guard lock(mutex_);
    const auto found = block_with(address);
    if (found == used_.end()) return;
    std::vector<Use>& uses = used_[found->first].uses;
    const StreamId stream = current_stream(device);
    const bool is_known =
        std::ranges::any_of(uses, [&](const Use& use) { return use.device == device && use.stream == stream; });
    if (!is_known) uses.push_back({device, stream});
}

}  // namespace loupe::cuda
