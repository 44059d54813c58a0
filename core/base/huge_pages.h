// SPDX-License-Identifier: Apache-2.0
#pragma once
// Large blocks of memory in large pages: a first touch of a small page costs more than its use.

#include <cstddef>
#include <memory_resource>

namespace loupe {

// Asks for large pages in [begin, begin + bytes), where the system has them. Small blocks are left alone.
void advise_huge_pages(void* begin, std::size_t bytes);

// Memory from the heap, large blocks in large pages.
std::pmr::memory_resource* huge_page_resource();

}  // namespace loupe
