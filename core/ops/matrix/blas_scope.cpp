// SPDX-License-Identifier: Apache-2.0
#include "core/ops/matrix/blas_scope.h"

#include <cblas.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "core/base/address_space.h"

// OpenBLAS's function; null with another BLAS.
extern "C" {
__attribute__((weak)) void* blas_memory_alloc(int);
__attribute__((weak)) void blas_memory_free(void*);
}

namespace loupe {
namespace {

constexpr std::size_t kBuffer = std::size_t{128}
                                << 20;  // of OpenBLAS 0.3 on x86-64; address space, of which little is touched

std::atomic<int> in_use{0};
std::atomic<int> ready{0};  // buffers that OpenBLAS holds

void make_ready(int wanted) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    if (ready == 0) openblas_set_num_threads(1);  // otherwise it starts a second thread pool beside the kernels' one
    if (ready >= wanted) return;
    const std::size_t bytes = static_cast<std::size_t>(wanted - ready) * (kBuffer + (std::size_t{1} << 20));
    require_address_space(bytes, "working buffers of the linear algebra library");
    if (blas_memory_alloc != nullptr && blas_memory_free != nullptr) {
        // All at once, so that they are distinct; freed, they stay in OpenBLAS's pool.
        std::vector<void*> held;
        for (int i = 0; i < wanted; ++i) held.push_back(blas_memory_alloc(0));
        for (void* buffer : held) blas_memory_free(buffer);
    }
    ready = wanted;
}

}  // namespace

BlasScope::BlasScope(int callers) : callers_(callers) {
    const int now = in_use.fetch_add(callers) + callers;
    if (now <= ready) return;
    try {
        make_ready(now);
    } catch (...) {
        in_use.fetch_sub(callers);
        throw;
    }
}

BlasScope::~BlasScope() { in_use.fetch_sub(callers_); }

}  // namespace loupe
