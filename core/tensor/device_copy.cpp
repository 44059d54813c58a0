// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/device_copy.h"

#include <cstring>

#include "core/tensor/device_interface.h"
#include "core/tensor/late_copies.h"

namespace loupe {

thread_local bool detail::copies_late = false;

ElementRange range_of(const Tensor& t) {
    if (t.numel() == 0) return {t.storage_offset(), 0};
    std::int64_t before = 0;
    std::int64_t after = 0;
    for (std::size_t d = 0; d < t.sizes().size(); ++d) {
        const std::int64_t reach = (t.sizes()[d] - 1) * t.strides()[d];
        (reach < 0 ? before : after) += reach;
    }
    return {t.storage_offset() + before, after - before + 1};
}

void copy_bytes(const Storage& to, std::size_t to_offset, const Storage& from, std::size_t from_offset,
                std::size_t bytes) {
    if (bytes == 0) return;
    auto* const target = static_cast<std::byte*>(to.address()) + to_offset;
    const auto* const source = static_cast<const std::byte*>(from.address()) + from_offset;
    const DeviceType type = to.device().is_cpu() ? from.device().type : to.device().type;
    if (type == DeviceType::Cpu)
        std::memcpy(target, source, bytes);
    else if (detail::copies_late)
        device_interface(type)->copy_later(target, to.device(), source, from.device(), bytes);
    else
        device_interface(type)->copy(target, to.device(), source, from.device(), bytes);
}

void copy_memory(const Tensor& to, const Tensor& from) {
    const ElementRange range = range_of(to);
    const auto size = static_cast<std::size_t>(to.element_size());
    copy_bytes(*to.storage(), static_cast<std::size_t>(range.first) * size, *from.storage(),
               static_cast<std::size_t>(range_of(from).first) * size, static_cast<std::size_t>(range.count) * size);
}

Tensor on_device(const Tensor& t, Device device) {
    if (t.device() == device || !t.defined()) return t;
    const ElementRange range = range_of(t);
    const std::int64_t size[] = {range.count};
    const std::int64_t step[] = {1};
    const Tensor block = empty_strided(size, step, t.dtype(), device);
    const Tensor copy = block.view_as_strided(t.sizes(), t.strides(), t.storage_offset() - range.first);
    copy_memory(copy, t);
    copy.impl()->wrapped_number = t.impl()->wrapped_number;
    return copy;
}

Tensor on_host(const Tensor& t) { return !t.defined() || t.is_host_memory() ? t : on_device(t, Device{}); }

Ptr<Storage> on_host(const Ptr<Storage>& storage) {
    if (storage->is_host_memory()) return storage;
    Ptr<Storage> copy = Storage::allocate(storage->bytes());
    copy_bytes(*copy, 0, *storage, 0, storage->bytes());
    return copy;
}

}  // namespace loupe
