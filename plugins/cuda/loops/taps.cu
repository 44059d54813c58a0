// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/taps.h"

#include "plugins/cuda/loops/by_size.h"
#include "plugins/cuda/loops/team.h"

namespace loupe::cuda {
namespace {

struct Places {
    std::int64_t at[kMaxTapDims];
    std::int64_t to;
};
LOUPE_HD inline Places places_of(const TapLoop& loop, std::int64_t i) {
    Places places;
    places.to = 0;
    for (int d = loop.dims - 1; d >= 0; --d) {
        const std::int64_t rest = d == 0 ? 0 : quotient(i, loop.sizes[d]);
        places.at[d] = i - rest * loop.sizes[d];
        i = rest;
        places.to += places.at[d] * loop.to[d];
    }
    return places;
}

template <typename E>
struct CopyBody {
    TapLoop loop;
    const char* from;
    char* to;
    LOUPE_HD void operator()(std::int64_t i) const {
        const Places places = places_of(loop, i);
        std::int64_t source = 0;
        bool is_there = true;
        for (int d = 0; d < loop.dims; ++d) {
            const std::int64_t at = loop.index[d] == nullptr ? places.at[d] : loop.index[d][places.at[d]];
            is_there = is_there && at >= 0;
            source += at * loop.from[d];
        }
        *reinterpret_cast<E*>(to + places.to) = is_there ? *reinterpret_cast<const E*>(from + source) : E();
    }
};

// The taps of all dimensions are counted up as the digits of one number.
template <typename T>
struct SumBody {
    TapLoop loop;
    Element element;
    const char* from;
    char* to;
    LOUPE_HD void operator()(std::int64_t i) const {
        const Places places = places_of(loop, i);
        int tap[kMaxTapDims] = {};
        T sum = 0;
        for (bool more = true; more;) {
            std::int64_t source = 0;
            double weight = 1;
            bool is_there = true;
            for (int d = 0; d < loop.dims; ++d) {
                std::int64_t at = places.at[d];
                if (loop.index[d] != nullptr) {
                    const std::int64_t entry = tap[d] * loop.sizes[d] + at;
                    at = loop.index[d][entry];
                    if (loop.weight[d] != nullptr) weight *= loop.weight[d][entry];
                }
                is_there = is_there && at >= 0;
                source += at * loop.from[d];
            }
            if (is_there) sum += static_cast<T>(weight) * load<T>(from + source, element);
            more = false;
            for (int d = loop.dims - 1; d >= 0 && !more; --d) {
                if (++tap[d] < loop.depth[d])
                    more = true;
                else
                    tap[d] = 0;
            }
        }
        store(to + places.to, element, sum);
    }
};

}  // namespace

void run_tap_copy(const Queue& queue, const TapLoop& loop, int element_size, const void* from, void* to) {
    const auto run = [&](auto tag) {
        using E = decltype(tag);
        launch(queue, loop.count, CopyBody<E>{loop, static_cast<const char*>(from), static_cast<char*>(to)});
    };
    visit_size(element_size, run);
}

bool run_taps(const Queue& queue, const TapLoop& loop, Element element, const void* from, void* to) {
    const auto* const source = static_cast<const char*>(from);
    auto* const target = static_cast<char*>(to);
    if (is_integer(element)) return false;
    if (element == Element::Float64)
        launch(queue, loop.count, SumBody<double>{loop, element, source, target});
    else
        launch(queue, loop.count, SumBody<float>{loop, element, source, target});
    return true;
}

}  // namespace loupe::cuda
