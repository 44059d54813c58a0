// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/softmax.h"

#include "plugins/cuda/loops/team.h"

namespace loupe::cuda {
namespace {

template <typename S, bool kLog>
struct RowBody {
    const S* x;
    S* y;
    std::int64_t length;

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t row) const {
        using T = Compute<S>;
        const S* const from = x + row * length;
        if (HeldRow<S>::fits(team, length) && starts_pack(from) && starts_pack(y + row * length))
            return hold(team, from, y + row * length);
        T largest = -std::numeric_limits<T>::infinity();
        each(team, from, length, [&](std::int64_t, T v) { largest = v > largest ? v : largest; });
        largest = team.largest(largest);
        T sum = 0;
        each(team, from, length, [&](std::int64_t, T v) { sum += std::exp(v - largest); });
        sum = team.sum(sum);
        if constexpr (kLog) {
            const T of_sum = std::log(sum);  // not added to the largest, beside which it might vanish
            map(team, y + row * length, from, length, [&](std::int64_t, T v) { return v - largest - of_sum; });
        } else {
            const T scale = T(1) / sum;
            map(team, y + row * length, from, length, [&](std::int64_t, T v) { return std::exp(v - largest) * scale; });
        }
    }

    template <typename Team>
    LOUPE_HD void hold(const Team& team, const S* from, S* to) const {
        using T = Compute<S>;
        HeldRow<S> held;
        held.read(team, from, length);
        T largest = -std::numeric_limits<T>::infinity();
        held.each(team, length, [&](std::int64_t, T v) { largest = v > largest ? v : largest; });
        largest = team.largest(largest);
        T sum = 0;
        held.each(team, length, [&](std::int64_t, T& v) {
            if constexpr (kLog) {
                v -= largest;
                sum += std::exp(v);
            } else {
                v = std::exp(v - largest);
                sum += v;
            }
        });
        sum = team.sum(sum);
        const T last = kLog ? std::log(sum) : T(1) / sum;
        held.write(team, to, length, [&](std::int64_t, T v) { return kLog ? v - last : v * last; });
    }
};

template <typename S, bool kLog>
struct ColumnBody {
    const S* x;
    S* y;
    std::int64_t length, inner;

    LOUPE_HD void operator()(std::int64_t i) const {
        using T = Compute<S>;
        const std::int64_t first = i / inner * length * inner + i % inner;
        T largest = -std::numeric_limits<T>::infinity();
        for (std::int64_t k = 0; k < length; ++k) {
            const T v = static_cast<T>(x[first + k * inner]);
            largest = v > largest ? v : largest;
        }
        T sum = 0;
        for (std::int64_t k = 0; k < length; ++k) sum += std::exp(static_cast<T>(x[first + k * inner]) - largest);
        const T last = kLog ? std::log(sum) : T(1) / sum;
        for (std::int64_t k = 0; k < length; ++k) {
            const T above = static_cast<T>(x[first + k * inner]) - largest;
            y[first + k * inner] = stored<S>(kLog ? above - last : std::exp(above) * last);
        }
    }
};

// softmax: y (g - sum(g y)); log_softmax: g - exp(y) sum(g)
template <typename S, bool kLog>
struct RowGradientBody {
    const S* grad;
    const S* y;
    S* out;
    std::int64_t length;

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t row) const {
        using T = Compute<S>;
        const std::int64_t first = row * length;
        T sum = 0;
        each(team, grad + first, y + first, length, [&](std::int64_t, T g, T v) { sum += kLog ? g : g * v; });
        sum = team.sum(sum);
        map(team, out + first, grad + first, y + first, length,
            [&](std::int64_t, T g, T v) { return kLog ? g - std::exp(v) * sum : v * (g - sum); });
    }
};

template <typename S, bool kLog>
struct ColumnGradientBody {
    const S* grad;
    const S* y;
    S* out;
    std::int64_t length, inner;

    LOUPE_HD void operator()(std::int64_t i) const {
        using T = Compute<S>;
        const std::int64_t first = i / inner * length * inner + i % inner;
        T sum = 0;
        for (std::int64_t k = 0; k < length; ++k) {
            const T g = static_cast<T>(grad[first + k * inner]);
            sum += kLog ? g : g * static_cast<T>(y[first + k * inner]);
        }
        for (std::int64_t k = 0; k < length; ++k) {
            const T g = static_cast<T>(grad[first + k * inner]), v = static_cast<T>(y[first + k * inner]);
            out[first + k * inner] = stored<S>(kLog ? g - std::exp(v) * sum : v * (g - sum));
        }
    }
};

template <bool kLog>
bool forward(const Queue& queue, const SoftmaxShape& s, const void* x, void* y) {
    return visit_floating(s.element, [&](auto tag) {
        using S = decltype(tag);
        const auto* const from = static_cast<const S*>(x);
        auto* const to = static_cast<S*>(y);
        if (s.inner == 1)
            launch_teams(queue, s.outer, s.length, RowBody<S, kLog>{from, to, s.length});
        else
            launch(queue, s.outer * s.inner, ColumnBody<S, kLog>{from, to, s.length, s.inner});
    });
}
template <bool kLog>
bool backward(const Queue& queue, const SoftmaxShape& s, const void* grad, const void* y, void* out) {
    return visit_floating(s.element, [&](auto tag) {
        using S = decltype(tag);
        const auto *const g = static_cast<const S*>(grad), *const v = static_cast<const S*>(y);
        auto* const to = static_cast<S*>(out);
        if (s.inner == 1)
            launch_teams(queue, s.outer, s.length, RowGradientBody<S, kLog>{g, v, to, s.length});
        else
            launch(queue, s.outer * s.inner, ColumnGradientBody<S, kLog>{g, v, to, s.length, s.inner});
    });
}

}  // namespace

bool run_softmax(const Queue& queue, const SoftmaxShape& shape, const void* x, void* y) {
    return shape.is_log ? forward<true>(queue, shape, x, y) : forward<false>(queue, shape, x, y);
}
bool run_softmax_gradient(const Queue& queue, const SoftmaxShape& shape, const void* grad, const void* y, void* out) {
    return shape.is_log ? backward<true>(queue, shape, grad, y, out) : backward<false>(queue, shape, grad, y, out);
}

}  // namespace loupe::cuda
