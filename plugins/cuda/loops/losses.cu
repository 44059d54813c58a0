// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/losses.h"

#include "plugins/cuda/loops/team.h"

namespace loupe::cuda {
namespace {

constexpr int kMean = 1, kNone = 0;

LOUPE_HD inline bool counts(const NllShape& shape, std::int64_t target) {
    if (target == shape.ignored) return false;
    if (target >= 0 && target < shape.classes) return true;
    report(shape.fault, FaultKind::Class, target, shape.classes);
    return false;
}
// Of target i's element in x.
LOUPE_HD inline std::int64_t place_of(const NllShape& shape, std::int64_t i, std::int64_t target) {
    const std::int64_t sample = quotient(i, shape.pixels);
    return (sample * shape.classes + target) * shape.pixels + (i - sample * shape.pixels);
}

template <typename S>
struct EachBody {
    NllShape shape;
    const S* x;
    const std::int64_t* target;
    const S* weight;
    S *out, *total;

    LOUPE_HD void operator()(std::int64_t i) const {
        using T = Compute<S>;
        const bool is_counted = counts(shape, target[i]);
        const T w = !is_counted ? T(0) : weight == nullptr ? T(1) : static_cast<T>(weight[target[i]]);
        out[i] = stored<S>(is_counted ? -static_cast<T>(x[place_of(shape, i, target[i])]) * w : T(0));
        if (i == 0) *total = stored<S>(T(0));
    }
};

template <typename S>
struct TotalBody {
    NllShape shape;
    const S* x;
    const std::int64_t* target;
    const S* weight;
    S *out, *total;

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t) const {
        using T = Compute<S>;
        double sum = 0, weights = 0;
        for (std::int64_t i = team.rank(); i < shape.batch * shape.pixels; i += team.size()) {
            if (!counts(shape, target[i])) continue;
            const T w = weight == nullptr ? T(1) : static_cast<T>(weight[target[i]]);
            sum += static_cast<double>(-static_cast<T>(x[place_of(shape, i, target[i])]) * w);
            weights += static_cast<double>(w);
        }
        sum = team.sum(sum);
        weights = team.sum(weights);
        if (team.rank() != 0) return;
        *out = stored<S>(static_cast<T>(shape.reduction == kMean ? sum / weights : sum));
        *total = stored<S>(static_cast<T>(weights));
    }
};

template <typename S>
struct GradientBody {
    NllShape shape;
    const S* grad;
    const std::int64_t* target;
    const S *weight, *total;
    S* out;

    // A thread a target: all else is zero already.
    LOUPE_HD void operator()(std::int64_t at) const {
        using T = Compute<S>;
        const std::int64_t sample = quotient(at, shape.pixels), pixel = at - sample * shape.pixels;
        const std::int64_t wanted = target[at];
        if (!counts(shape, wanted)) return;
        const T w = weight == nullptr ? T(1) : static_cast<T>(weight[wanted]);
        const T divisor = shape.reduction == kMean ? static_cast<T>(*total) : T(1);
        const T value = -w * static_cast<T>(grad[shape.reduction == kNone ? at : 0]) / divisor;
        out[(sample * shape.classes + wanted) * shape.pixels + pixel] = stored<S>(value);
    }
};

}  // namespace

bool run_nll(const Queue& queue, const NllShape& shape, const void* x, const std::int64_t* target, const void* weight,
             void* out, void* total) {
    return visit_floating(shape.element, [&](auto tag) {
        using S = decltype(tag);
        const auto *const from = static_cast<const S*>(x), *const w = static_cast<const S*>(weight);
        const std::int64_t count = shape.batch * shape.pixels;
        if (shape.reduction == kNone)
            launch(queue, count, EachBody<S>{shape, from, target, w, static_cast<S*>(out), static_cast<S*>(total)});
        else
            launch_teams(queue, 1, count > 1024 ? 1 << 20 : count,
                         TotalBody<S>{shape, from, target, w, static_cast<S*>(out), static_cast<S*>(total)});
    });
}

bool run_nll_gradient(const Queue& queue, const NllShape& shape, const void* grad, const std::int64_t* target,
                      const void* weight, const void* total, void* out) {
    return visit_floating(shape.element, [&](auto tag) {
        using S = decltype(tag);
        launch(queue, shape.batch * shape.pixels,
               GradientBody<S>{shape, static_cast<const S*>(grad), target, static_cast<const S*>(weight),
                               static_cast<const S*>(total), static_cast<S*>(out)});
    });
}

}  // namespace loupe::cuda
