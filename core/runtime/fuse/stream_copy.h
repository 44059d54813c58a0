// SPDX-License-Identifier: Apache-2.0
#pragma once
// Copies past the caches, whole lines at a time: for results that leave the caches before they are read again.

#include <cstddef>
#include <cstdint>

namespace loupe::runtime {

void stream_copy(std::byte* to, const std::byte* from, std::int64_t bytes);

}  // namespace loupe::runtime
