// SPDX-License-Identifier: Apache-2.0
#include "core/base/address_space.h"

#include <sys/mman.h>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe {

bool has_address_space(std::size_t bytes) {
    // Of the address space alone: of such a block little is touched, and a machine without that much memory to spare
    // has room.
    constexpr int kKind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void* const block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kKind, -1, 0);
    if (block == MAP_FAILED) return false;
    ::munmap(block, bytes);
    return true;
}

void require_address_space(std::size_t bytes, const char* what_for) {
    if (has_address_space(bytes)) return;
    throw Error(ErrorKind::Run, concat("out of memory: no address space for the ",
                                       format_bytes(static_cast<double>(bytes)), " of ", what_for));
}

}  // namespace loupe
