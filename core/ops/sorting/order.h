// SPDX-License-Identifier: Apache-2.0
#pragma once
// The order of elements: NaN is greater than every number. And lines of a tensor, to order one by one.

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/dispatch/boxing.h"
#include "core/ops/indexing/indices.h"

namespace loupe::sorting {

template <typename T>
bool is_nan(T value) {
    if constexpr (std::is_floating_point_v<T>)
        return value != value;
    else if constexpr (is_floating(scalar_type_of<T>))
        return is_nan(static_cast<float>(value));
    else
        return false;
}
template <typename T>
bool less(T a, T b) {
    if constexpr (is_complex(scalar_type_of<T>))
        return false;
    else
        return (!is_nan(a) && is_nan(b)) || a < b;
}
template <typename T>
bool greater(T a, T b) {
    return less(b, a);
}

// An element and where it stood.
template <typename T>
struct Entry {
    T value;
    std::int64_t index;
};

// Calls visit(type, line) for each line of elements along dim, on several threads: first(k) is element k's place in a
// contiguous tensor of self's shape, with the outer and inner numbers of the line.
struct LinePlace {
    std::int64_t outer;
    std::int64_t inner;
};

// self: contiguous. work<T>(line, place): line has the elements in order.
template <typename Work>
void for_lines(const Tensor& self, std::int64_t dim, Work work) {
    const indexing::Lines lines = indexing::lines_of(self.sizes(), dim);
    if (is_complex(self.dtype())) throw Error(ErrorKind::Run, " Sort does not support complex dtypes on CPU");
    visit_dtypes<kWithUnsigned>(self.dtype(), [&]<typename T>(std::type_identity<T>) {
        const T* data = self.data<T>();
        const std::int64_t grain = std::max<std::int64_t>(4096 / std::max<std::int64_t>(lines.size, 1), 1);
        parallel_for(0, lines.outer * lines.inner, grain, [&](std::int64_t begin, std::int64_t end) {
            std::vector<Entry<T>> line(static_cast<std::size_t>(lines.size));
            for (std::int64_t n = begin; n < end; ++n) {
                const LinePlace place{n / lines.inner, n % lines.inner};
                const T* first = data + place.outer * lines.size * lines.inner + place.inner;
                for (std::int64_t k = 0; k < lines.size; ++k)
                    line[static_cast<std::size_t>(k)] = {first[k * lines.inner], k};
                work(line, place);
            }
        });
    });
}

// Writes entry `from` of a line as element `to` of lines of `size` in values and indices, both contiguous.
template <typename T>
void write_entry(const Tensor& values, const Tensor& indices, const Entry<T>& entry, LinePlace place, std::int64_t to,
                 std::int64_t size, std::int64_t inner) {
    const std::int64_t at = (place.outer * size + to) * inner + place.inner;
    values.data<T>()[at] = entry.value;
    indices.data<std::int64_t>()[at] = entry.index;
}

}  // namespace loupe::sorting
