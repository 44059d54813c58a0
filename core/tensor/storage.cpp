// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/storage.h"

#include <atomic>
#include <utility>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/tensor/allocation_observers.h"
#include "core/tensor/device_interface.h"
#include "core/tensor/kernel_cache.h"
#include "core/tensor/memory_source.h"

namespace loupe {

thread_local MemorySource* detail::thread_memory_source = nullptr;

namespace {

std::uint64_t next_storage_id() {
    static std::atomic<std::uint64_t> next{1};
    return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

void Storage::refuse_host() const {
    throw Error(ErrorKind::Internal,
                concat("the elements of a tensor on ", device_name(device_), " were read as if they were on the CPU"));
}

Ptr<Storage> Storage::allocate(std::size_t bytes, Device device) {
    if (MemorySource* const source = detail::thread_memory_source; source != nullptr && device.type == DeviceType::Cpu)
        [[unlikely]] {
        Ptr<RefCounted> owner;
        if (void* const data = source->take(bytes, owner))
            return view_of(data, bytes, std::move(owner), current_memory_category());
    }
    Ptr<Storage> storage(new Storage);
    storage->data_ = allocator_for(device.type).allocate(bytes, device);
    storage->bytes_ = bytes;
    storage->device_ = device;
    if (!device.is_cpu()) storage->is_host_memory_ = device_interface(device.type)->is_host_memory();
    storage->id_ = next_storage_id();
    storage->category_ = current_memory_category();
    if (auto* observer = allocation_observer()) {
        observer->on_allocation({storage->id_, storage->data_, bytes, device, storage->category_, false});
    }
    return storage;
}

Ptr<Storage> Storage::view_of(void* data, std::size_t bytes, Ptr<RefCounted> owner, MemoryCategory category) {
    Ptr<Storage> storage(new Storage);
    storage->data_ = data;
    storage->bytes_ = bytes;
    storage->owner_ = std::move(owner);
    storage->id_ = next_storage_id();
    storage->category_ = category;
    return storage;
}

Storage::~Storage() {
    note_freed_storage(id_);
    if (owner_ || data_ == nullptr) return;
    if (auto* observer = allocation_observer()) {
        observer->on_allocation({id_, data_, bytes_, device_, category_, true});
    }
    allocator_for(device_.type).release(data_, bytes_, device_);
}

}  // namespace loupe
