// SPDX-License-Identifier: Apache-2.0
#pragma once
// Splitting a range of work over the CPU threads that kernels share (OpenMP, the pool that oneDNN uses too).

#include <cstdint>
#include <type_traits>

namespace loupe {

// How many threads kernels use; 1 inside a parallel region.
int thread_count();
// 0 restores the default, all cores.
void set_thread_count(int count);

namespace detail {
void run_parallel(std::int64_t begin, std::int64_t end, std::int64_t grain, void* context,
                  void (*body)(void* context, std::int64_t begin, std::int64_t end));
}

// Calls body(b, e) on disjoint pieces that cover [begin, end), at least `grain` long each, on the calling thread
// only when the range is no longer. Rethrows the first exception of a piece.
template <typename Body>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, Body&& body) {
    if (begin >= end) return;
    if (end - begin <= grain) {
        body(begin, end);
        return;
    }
    detail::run_parallel(begin, end, grain, &body, [](void* context, std::int64_t b, std::int64_t e) {
        (*static_cast<std::remove_reference_t<Body>*>(context))(b, e);
    });
}

}  // namespace loupe
