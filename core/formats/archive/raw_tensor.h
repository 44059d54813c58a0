// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tensors on bytes of a file.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include "core/tensor/tensor.h"

namespace loupe {

// Every byte but 0 becomes 1: reading any other value as bool is undefined behaviour. Writes only where necessary, so
// that mapped pages stay shared.
inline void normalise_bools(std::span<std::byte> bytes) {
    for (std::byte& byte : bytes) {
        if (byte > std::byte{1}) byte = std::byte{1};
    }
}

// A copy in new, aligned memory.
inline Ptr<Storage> copy_to_storage(std::span<const std::byte> bytes, MemoryCategory category) {
    const MemoryCategoryScope scope(category);
    auto storage = Storage::allocate(bytes.size());
    if (!bytes.empty()) std::memcpy(storage->data(), bytes.data(), bytes.size());
    return storage;
}

// In place when aligned for elements of that many bytes, else a copy.
inline Ptr<Storage> storage_on(std::span<std::byte> bytes, std::size_t alignment, Ptr<RefCounted> owner,
                               MemoryCategory category) {
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment != 0) return copy_to_storage(bytes, category);
    return Storage::view_of(bytes.data(), bytes.size(), std::move(owner), category);
}

// The caller has checked that the view is inside the storage.
inline Tensor tensor_on(Ptr<Storage> storage, ScalarType dtype, IntSpan sizes, IntSpan strides, std::int64_t offset) {
    auto impl = make_ptr<TensorImpl>();
    impl->storage = std::move(storage);
    impl->dtype = dtype;
    impl->offset = offset;
    impl->set_sizes_strides(sizes, strides);
    return Tensor(std::move(impl));
}

}  // namespace loupe
