// SPDX-License-Identifier: Apache-2.0
// A team a line: each thread takes a run of neighbours, and begins with what the threads before it found.
#include "plugins/cuda/loops/scans.h"

#include "plugins/cuda/loops/team.h"

namespace loupe::cuda {
namespace {

template <typename T>
struct RunningSum {
    using Held = T;
    LOUPE_HD static T first() { return 0; }
    LOUPE_HD static T step(T held, T x) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(static_cast<std::uint64_t>(held) + static_cast<std::uint64_t>(x));
        else
            return held + x;
    }
};
template <typename T>
struct RunningProduct {
    using Held = T;
    LOUPE_HD static T first() { return 1; }
    LOUPE_HD static T step(T held, T x) {
        if constexpr (std::is_integral_v<T>)
            return static_cast<T>(static_cast<std::uint64_t>(held) * static_cast<std::uint64_t>(x));
        else
            return held * x;
    }
};
template <typename T>
struct RunningLogSumExp {
    using Held = T;
    LOUPE_HD static T first() { return -std::numeric_limits<T>::infinity(); }
    LOUPE_HD static T step(T held, T x) {
        if (held != held || x != x) return held + x;
        const T high = held > x ? held : x, low = held > x ? x : held;
        if (high == low && high - low != T(0)) return high;  // both infinite, of one sign
        return high + std::log1p(std::exp(low - high));
    }
};

template <typename R>
struct ScanBody {
    using Held = typename R::Held;
    Element element;
    std::int64_t length, inner;
    const char* x;
    char* y;

    LOUPE_HD std::int64_t place(std::int64_t line, std::int64_t k) const {
        const std::int64_t outer = quotient(line, inner);
        return ((outer * length + k) * inner + (line - outer * inner)) * size_of(element);
    }

    // A thread a line.
    LOUPE_HD void operator()(std::int64_t line) const {
        Held held = R::first();
        for (std::int64_t k = 0; k < length; ++k) {
            const std::int64_t at = place(line, k);
            held = R::step(held, load<Held>(x + at, element));
            store(y + at, element, held);
        }
    }

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t line) const {
        const std::int64_t run = (length + team.size() - 1) / team.size();
        const std::int64_t begin = team.rank() * run, end = begin + run < length ? begin + run : length;
        Held own = R::first();
        for (std::int64_t k = begin; k < end; ++k) own = R::step(own, load<Held>(x + place(line, k), element));
        Held held = team.before(own, R::first(), [](Held a, Held b) { return R::step(a, b); });
        for (std::int64_t k = begin; k < end; ++k) {
            const std::int64_t at = place(line, k);
            held = R::step(held, load<Held>(x + at, element));
            store(y + at, element, held);
        }
    }
};

template <template <typename> class R>
bool run(const Queue& queue, Element element, std::int64_t outer, std::int64_t length, std::int64_t inner,
         const void* x, void* y) {
    const auto with = [&](auto body) {
        constexpr std::int64_t kManyLines = 1 << 14, kFewSteps = 64;
        if (outer * inner >= kManyLines || length <= kFewSteps)
            launch(queue, outer * inner, body);
        else
            launch_teams(queue, outer * inner, length, body);
        return true;
    };
    const auto* const from = static_cast<const char*>(x);
    auto* const to = static_cast<char*>(y);
    if (!is_integer(element)) return with(ScanBody<R<double>>{element, length, inner, from, to});
    if constexpr (std::is_same_v<R<double>, RunningLogSumExp<double>>)
        return false;
    else
        return with(ScanBody<R<std::int64_t>>{element, length, inner, from, to});
}

}  // namespace

bool run_scan(const Queue& queue, Running running, Element element, std::int64_t outer, std::int64_t length,
              std::int64_t inner, const void* x, void* y) {
    switch (running) {
        case Running::Sum:
            return run<RunningSum>(queue, element, outer, length, inner, x, y);
        case Running::Product:
            return run<RunningProduct>(queue, element, outer, length, inner, x, y);
        default:
            return run<RunningLogSumExp>(queue, element, outer, length, inner, x, y);
    }
}

}  // namespace loupe::cuda
