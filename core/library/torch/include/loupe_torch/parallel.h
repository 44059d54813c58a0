// SPDX-License-Identifier: Apache-2.0
#pragma once
// at::parallel_for: work over the threads that the kernels share.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/base/parallel.h"

#include <loupe_torch/functions.h>

namespace at {

// body(begin, end) on pieces of [begin, end) of at least grain numbers. Rethrows the first exception.
template <typename Body>
void parallel_for(std::int64_t begin, std::int64_t end, std::int64_t grain, const Body& body) {
    loupe::parallel_for(begin, end, grain, [&](std::int64_t from, std::int64_t to) { body(from, to); });
}
// The pieces' results put together: combine(combine(ident, first), second)... A piece is reduce(begin, end, ident).
template <typename Result, typename Reduce, typename Combine>
Result parallel_reduce(std::int64_t begin, std::int64_t end, std::int64_t grain, Result ident, const Reduce& reduce,
                       const Combine& combine) {
    if (begin >= end) return ident;
    const std::int64_t threads = get_num_threads();
    const std::int64_t size = std::max(std::max(grain, std::int64_t{1}), (end - begin + threads - 1) / threads);
    const std::int64_t pieces = (end - begin + size - 1) / size;
    std::vector<Result> results(static_cast<std::size_t>(pieces), ident);
    loupe::parallel_for(0, pieces, 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i)
            results[static_cast<std::size_t>(i)] =
                reduce(begin + i * size, std::min(begin + (i + 1) * size, end), ident);
    });
    Result all = ident;
    for (const Result& each : results) all = combine(all, each);
    return all;
}
inline std::int64_t divup(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace at
