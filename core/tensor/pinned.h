// SPDX-License-Identifier: Apache-2.0
#pragma once
// Memory of the host that a device reaches by itself.

#include <optional>

#include "core/tensor/device_interface.h"
#include "core/tensor/memory_source.h"
#include "core/tensor/tensor.h"

namespace loupe {

// The devices that memory is pinned for; null where there are none. Of a type, or of the first that has any.
DeviceInterface* pinning_devices(std::optional<DeviceType> type = std::nullopt);
bool is_pinned(const Tensor& t);

// What the calling thread allocates on the CPU while it lives is pinned, where there is a device for it.
class PinnedMemoryScope {
  public:
    // Null: nothing changes.
    explicit PinnedMemoryScope(DeviceInterface* devices)
        : source_(devices), scope_(devices == nullptr ? detail::thread_memory_source : &source_) {}

  private:
    class Source final : public MemorySource {
      public:
        explicit Source(DeviceInterface* devices) : devices_(devices) {}
        void* take(std::size_t bytes, Ptr<RefCounted>& owner) override;

      private:
        DeviceInterface* devices_;
    };
    Source source_;
    MemorySourceScope scope_;
};

}  // namespace loupe
