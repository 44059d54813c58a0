// SPDX-License-Identifier: Apache-2.0
#pragma once
// A block of memory that tensors view.

#include <cstddef>
#include <cstdint>

#include "core/base/ref_counted.h"
#include "core/tensor/allocator.h"

namespace loupe {

class Storage final : public RefCounted {
  public:
    // Uninitialised memory from the device's allocator, in the thread's current memory category.
    static Ptr<Storage> allocate(std::size_t bytes, Device device = {});
    // Memory that `owner` keeps alive (a mapped file, a caller's buffer).
    static Ptr<Storage> view_of(void* data, std::size_t bytes, Ptr<RefCounted> owner,
                                MemoryCategory category = MemoryCategory::Other);
    ~Storage() override;

    // For the host. Throws Error (Run) when only the device may read the memory: kernels of the device and the copies
    // between devices use address().
    void* data() const {
        if (!is_host_memory_) [[unlikely]]
            refuse_host();
        return data_;
    }
    // Where the memory is: the host, or a device.
    void* address() const { return data_; }
    bool is_host_memory() const { return is_host_memory_; }
    std::size_t bytes() const { return bytes_; }
    Device device() const { return device_; }
    // Unique in the process, never reused.
    std::uint64_t id() const { return id_; }
    MemoryCategory category() const { return category_; }
    void set_category(MemoryCategory category) { category_ = category; }

    // Counts in-place writes; all views share it. Autograd compares it with the version at which it saved a tensor.
    std::uint32_t version() const { return version_; }
    void bump_version() { ++version_; }

  private:
    Storage() = default;
    [[noreturn]] void refuse_host() const;

    void* data_ = nullptr;
    std::size_t bytes_ = 0;
    Ptr<RefCounted> owner_;  // null: the memory is the allocator's
    std::uint64_t id_ = 0;
    std::uint32_t version_ = 0;
    Device device_;
    MemoryCategory category_ = MemoryCategory::Other;
    bool is_host_memory_ = true;
};

}  // namespace loupe
