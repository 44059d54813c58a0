// SPDX-License-Identifier: Apache-2.0
#include "core/base/huge_pages.h"

#include <cstdint>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace loupe {
namespace {

constexpr std::size_t kPage = std::size_t{2} << 20;

class HugePageResource final : public std::pmr::memory_resource {
    static std::align_val_t aligned(std::size_t bytes, std::size_t alignment) {
        return std::align_val_t(bytes >= 2 * kPage ? kPage : alignment);
    }
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        void* const block = ::operator new(bytes, aligned(bytes, alignment));
        advise_huge_pages(block, bytes);
        return block;
    }
    void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
        ::operator delete(block, aligned(bytes, alignment));
    }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace

void advise_huge_pages(void* begin, std::size_t bytes) {
#if defined(__linux__)
    const auto first = (reinterpret_cast<std::uintptr_t>(begin) + kPage - 1) / kPage * kPage;
    const auto end = (reinterpret_cast<std::uintptr_t>(begin) + bytes) / kPage * kPage;
    if (bytes >= 2 * kPage && end > first) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#else
    (void)begin;
    (void)bytes;
#endif
}

std::pmr::memory_resource* huge_page_resource() {
    static HugePageResource resource;
    return &resource;
}

}  // namespace loupe
