// SPDX-License-Identifier: Apache-2.0
#include "plugins/test_device/test_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>

#include "core/base/error.h"
#include "core/base/strings.h"

namespace loupe::test_device {
namespace {

// Eight sizes a power of two, so that freed blocks fit again.
std::size_t block_size(std::size_t bytes) {
    constexpr std::size_t kSmallest = 64;
    if (bytes <= kSmallest) return kSmallest;
    const std::size_t step = std::max<std::size_t>(kSmallest, std::bit_floor(bytes) / 8);
    return (bytes + step - 1) / step * step;
}

}  // namespace

TestMemory::TestMemory() {
    const int file = memfd_create("test_device", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, static_cast<off_t>(kBytes)) != 0)
        throw Error(ErrorKind::Plugin, "memfd_create failed: no memory for a test device");
    void* const locked = mmap(nullptr, kBytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, file, 0);
    void* const open = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    close(file);
    if (locked == MAP_FAILED || open == MAP_FAILED)
        throw Error(ErrorKind::Plugin, "mmap failed: no addresses for a test device");
    locked_ = static_cast<std::byte*>(locked);
    open_ = static_cast<std::byte*>(open);
}

void* TestMemory::allocate(std::size_t bytes, Device) {
    const std::size_t size = block_size(bytes);
    const std::lock_guard lock(mutex_);
    std::vector<std::size_t>& list = free_[size];
    std::size_t offset = used_;
    if (!list.empty()) {
        offset = list.back();
        list.pop_back();
    } else if (size > kBytes - used_) {
        throw Error(ErrorKind::Run, concat("out of memory: the test device has ", kBytes - used_, " bytes left"));
    } else {
        used_ += size;
    }
    ++live_;
    return locked_ + offset;
}

void TestMemory::release(void* block, std::size_t bytes, Device) noexcept {
    const std::lock_guard lock(mutex_);
    free_[block_size(bytes)].push_back(static_cast<std::size_t>(static_cast<std::byte*>(block) - locked_));
    --live_;
}

std::byte* TestMemory::own_view(const void* address) const {
    return open_ + (static_cast<const std::byte*>(address) - locked_);
}

std::size_t TestMemory::live_blocks() const {
    const std::lock_guard lock(mutex_);
    return live_;
}

}  // namespace loupe::test_device
