// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/spaced.h"

#include "plugins/cuda/loops/launch.h"

namespace loupe::cuda {
namespace {

template <typename T>
struct SpacedBody {
    Spaced s;
    T step;
    char* to;

    LOUPE_HD void operator()(std::int64_t i) const {
        const T first = static_cast<T>(s.first), last = static_cast<T>(s.last);
        T value = i < s.count / 2 || s.count == 1 ? first + step * static_cast<T>(i)
                                                  : last - step * static_cast<T>(s.count - 1 - i);
        if (s.has_base) value = std::pow(static_cast<T>(s.base), value);
        store(to + i * size_of(s.element), s.element, value);
    }
};

template <typename T>
void run_as(const Queue& queue, const Spaced& s, void* to) {
    const T step =
        s.count > 1 ? (static_cast<T>(s.last) - static_cast<T>(s.first)) / static_cast<T>(s.count - 1) : T(0);
    launch(queue, s.count, SpacedBody<T>{s, step, static_cast<char*>(to)});
}

}  // namespace

void run_spaced(const Queue& queue, const Spaced& s, void* to) {
    if (s.element == Element::Float64 || is_integer(s.element))
        run_as<double>(queue, s, to);
    else
        run_as<float>(queue, s, to);
}

}  // namespace loupe::cuda
