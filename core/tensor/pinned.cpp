// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/pinned.h"

#include "core/tensor/allocator.h"

namespace loupe {
namespace {

class PinnedBlock final : public RefCounted {
  public:
    PinnedBlock(Allocator& allocator, std::size_t bytes)
        : address(allocator.allocate(bytes, Device{})), allocator_(allocator), bytes_(bytes) {}
    ~PinnedBlock() override { allocator_.release(address, bytes_, Device{}); }

    void* const address;

  private:
    Allocator& allocator_;
    std::size_t bytes_;
};

}  // namespace

DeviceInterface* pinning_devices(std::optional<DeviceType> type) {
    for (const DeviceType each : {DeviceType::Cuda, DeviceType::PrivateUse1}) {
        DeviceInterface* const devices = type && *type != each ? nullptr : device_interface(each);
        if (devices != nullptr && devices->count() > 0 && devices->pinned_memory() != nullptr) return devices;
    }
    return nullptr;
}

bool is_pinned(const Tensor& t) {
    if (!any_device_but_cpu() || !t.is_host_memory() || t.storage() == nullptr) return false;
    for (const DeviceType each : {DeviceType::Cuda, DeviceType::PrivateUse1}) {
        const DeviceInterface* const devices = device_interface(each);
        if (devices != nullptr && devices->is_pinned(t.storage()->address())) return true;
    }
    return false;
}

void* PinnedMemoryScope::Source::take(std::size_t bytes, Ptr<RefCounted>& owner) {
    auto block = make_ptr<PinnedBlock>(*devices_->pinned_memory(), bytes);
    void* const address = block->address;
    owner = std::move(block);
    return address;
}

}  // namespace loupe
