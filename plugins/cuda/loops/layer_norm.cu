// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/layer_norm.h"

#include "plugins/cuda/loops/team.h"

namespace loupe::cuda {
namespace {

template <typename S, typename W>
struct ForwardBody {
    NormRows shape;
    const S* x;
    const W *weight, *bias;
    S* y;
    char *mean, *rstd;

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t row) const {
        using T = Compute<S>;
        const std::int64_t n = shape.length;
        const S* const from = x + row * n;
        T sum = 0;
        each(team, from, n, [&](std::int64_t, T v) { sum += v; });
        const T middle = team.sum(sum) / static_cast<T>(n);
        T squares = 0;
        each(team, from, n, [&](std::int64_t, T v) { squares += (v - middle) * (v - middle); });
        const T scale = T(1) / std::sqrt(team.sum(squares) / static_cast<T>(n) + static_cast<T>(shape.eps));
        map(team, y + row * n, from, n, [&](std::int64_t i, T v) {
            const T w = weight == nullptr ? T(1) : static_cast<T>(weight[i]);
            const T b = bias == nullptr ? T(0) : static_cast<T>(bias[i]);
            return (v - middle) * scale * w + b;
        });
        if (team.rank() != 0) return;
        store(mean + row * size_of(shape.moment), shape.moment, middle);
        store(rstd + row * size_of(shape.moment), shape.moment, scale);
    }
};

// (gw - mean(gw) - x' mean(gw x')) rstd, gw = grad weight, x' = (x - mean) rstd
template <typename S, typename W>
struct GradientBody {
    NormRows shape;
    const S *grad, *x;
    const char *mean, *rstd;
    const W* weight;
    S* out;

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t row) const {
        using T = Compute<S>;
        const std::int64_t n = shape.length, first = row * n;
        const T middle = load<T>(mean + row * size_of(shape.moment), shape.moment);
        const T scale = load<T>(rstd + row * size_of(shape.moment), shape.moment);
        T sum = 0, dot = 0;
        each(team, grad + first, x + first, n, [&](std::int64_t i, T g, T v) {
            const T gw = weight == nullptr ? g : g * static_cast<T>(weight[i]);
            sum += gw;
            dot += gw * ((v - middle) * scale);
        });
        const T shift = team.sum(sum) / static_cast<T>(n), slope = team.sum(dot) / static_cast<T>(n);
        map(team, out + first, grad + first, x + first, n, [&](std::int64_t i, T g, T v) {
            const T gw = weight == nullptr ? g : g * static_cast<T>(weight[i]);
            return (gw - shift - (v - middle) * scale * slope) * scale;
        });
    }
};

// A column of a part of the rows, then a column of the parts.
template <typename S>
struct PartBody {
    NormRows shape;
    std::int64_t part_rows;
    const S *grad, *x;
    const char *mean, *rstd;
    Compute<S>* parts;

    LOUPE_HD void operator()(std::int64_t i) const {
        using T = Compute<S>;
        const std::int64_t n = shape.length, part = i / n, column = i - part * n;
        const std::int64_t begin = part * part_rows;
        const std::int64_t end = begin + part_rows < shape.rows ? begin + part_rows : shape.rows;
        T of_weight = 0, of_bias = 0;
        for (std::int64_t row = begin; row < end; ++row) {
            const T g = static_cast<T>(grad[row * n + column]);
            const T middle = load<T>(mean + row * size_of(shape.moment), shape.moment);
            const T scale = load<T>(rstd + row * size_of(shape.moment), shape.moment);
            of_weight += g * ((static_cast<T>(x[row * n + column]) - middle) * scale);
            of_bias += g;
        }
        parts[part * 2 * n + column] = of_weight;
        parts[(part * 2 + 1) * n + column] = of_bias;
    }
};
template <typename T>
struct JoinBody {
    std::int64_t length, count;
    const T* parts;
    T *of_weight, *of_bias;

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t column) const {
        T weight = 0, bias = 0;
        for (std::int64_t part = team.rank(); part < count; part += team.size()) {
            weight += parts[part * 2 * length + column];
            bias += parts[(part * 2 + 1) * length + column];
        }
        weight = team.sum(weight);
        bias = team.sum(bias);
        if (team.rank() != 0) return;
        if (of_weight != nullptr) of_weight[column] = weight;
        if (of_bias != nullptr) of_bias[column] = bias;
    }
};

template <typename S, typename Run>
void visit_parameters(const NormRows& shape, Run&& run) {
    if (shape.wide_parameters)
        run(Compute<S>());
    else
        run(S());
}

}  // namespace

bool run_layer_norm(const Queue& queue, const NormRows& shape, const void* x, const void* weight, const void* bias,
                    void* y, void* mean, void* rstd) {
    return visit_floating(shape.element, [&](auto tag) {
        using S = decltype(tag);
        visit_parameters<S>(shape, [&](auto parameter) {
            using W = decltype(parameter);
            launch_teams(queue, shape.rows, shape.length,
                         ForwardBody<S, W>{shape, static_cast<const S*>(x), static_cast<const W*>(weight),
                                           static_cast<const W*>(bias), static_cast<S*>(y), static_cast<char*>(mean),
                                           static_cast<char*>(rstd)});
        });
    });
}

bool run_layer_norm_gradient(const Queue& queue, const NormRows& shape, const void* grad, const void* x,
                             const void* mean, const void* rstd, const void* weight, void* out) {
    return visit_floating(shape.element, [&](auto tag) {
        using S = decltype(tag);
        visit_parameters<S>(shape, [&](auto parameter) {
            using W = decltype(parameter);
            launch_teams(queue, shape.rows, shape.length,
                         GradientBody<S, W>{shape, static_cast<const S*>(grad), static_cast<const S*>(x),
                                            static_cast<const char*>(mean), static_cast<const char*>(rstd),
                                            static_cast<const W*>(weight), static_cast<S*>(out)});
        });
    });
}

std::int64_t norm_parts(const NormRows& shape) {
    constexpr std::int64_t kManyThreads = 1 << 17, kFewRows = 16;
    std::int64_t parts = shape.length == 0 ? 1 : kManyThreads / shape.length;
    const std::int64_t most = shape.rows / kFewRows;
    if (parts > most) parts = most;
    return parts < 1 ? 1 : parts;
}

bool run_layer_norm_sums(const Queue& queue, const NormRows& shape, const void* grad, const void* x, const void* mean,
                         const void* rstd, void* parts, void* of_weight, void* of_bias) {
    return visit_floating(shape.element, [&](auto tag) {
        using S = decltype(tag);
        using T = Compute<S>;
        const std::int64_t count = norm_parts(shape), part_rows = (shape.rows + count - 1) / count;
        launch(queue, count * shape.length,
               PartBody<S>{shape, part_rows, static_cast<const S*>(grad), static_cast<const S*>(x),
                           static_cast<const char*>(mean), static_cast<const char*>(rstd), static_cast<T*>(parts)});
        launch_teams(queue, shape.length, 1,
                     JoinBody<T>{shape.length, count, static_cast<const T*>(parts), static_cast<T*>(of_weight),
                                 static_cast<T*>(of_bias)});
    });
}

}  // namespace loupe::cuda
