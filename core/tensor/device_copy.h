// SPDX-License-Identifier: Apache-2.0
#pragma once
// Copies between the host and devices, without autograd.

#include "core/tensor/tensor.h"

namespace loupe {

// The tensor itself where the host may read it, else a copy of its elements on the CPU with the same strides.
Tensor on_host(const Tensor& t);
// The storage itself where the host may read it, else a copy of it on the CPU.
Ptr<Storage> on_host(const Ptr<Storage>& storage);
// The same elements on `device`, with the same strides; the tensor itself when it is there.
Tensor on_device(const Tensor& t, Device device);
// Overwrites the elements of `to` with those of `from`: same sizes, strides and dtype, on any devices. Gaps between
// the elements of `to` are overwritten too.
void copy_memory(const Tensor& to, const Tensor& from);
// Overwrites bytes of `to` from `to_offset` on with bytes of `from`, on any devices; both ranges lie inside.
void copy_bytes(const Storage& to, std::size_t to_offset, const Storage& from, std::size_t from_offset,
                std::size_t bytes);

// The elements of a storage that a tensor reaches: from the first, in elements of its storage, and how many.
struct ElementRange {
    std::int64_t first = 0;
    std::int64_t count = 0;
};
ElementRange range_of(const Tensor& t);

}  // namespace loupe
