// SPDX-License-Identifier: Apache-2.0
#include "core/base/free_memory.h"

#include <cstddef>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace loupe {

void return_free_memory() {
#ifdef __GLIBC__
    constexpr std::size_t kMany = std::size_t{32} << 20;
    if (::mallinfo2().fordblks > kMany) ::malloc_trim(0);
#endif
}

}  // namespace loupe
