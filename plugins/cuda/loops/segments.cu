// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/loops/segments.h"

#include "plugins/cuda/loops/team.h"

namespace loupe::cuda {
namespace {

// A result's place, and that of the first element of its segment.
struct SegmentPlace {
    std::int64_t first, length;
};
LOUPE_HD inline SegmentPlace segment_of(const SegmentShape& s, std::int64_t i) {
    const std::int64_t rest = quotient(i, s.inner), row = quotient(rest, s.count), k = rest - row * s.count;
    const std::int64_t* const bounds = s.bounds + row * (s.count + 1) + k;
    return {(row * s.size + bounds[0]) * s.inner + i - rest * s.inner, bounds[1] - bounds[0]};
}
// Rounded to what lies in memory.
template <typename S>
LOUPE_HD Compute<S> rounded(Compute<S> x) {
    return static_cast<Compute<S>>(stored<S>(x));
}

template <typename S>
struct SegmentBody {
    SegmentShape s;
    const S* x;
    S* out;

    LOUPE_HD void operator()(std::int64_t i) const {
        using T = Compute<S>;
        const SegmentPlace place = segment_of(s, i);
        T sum = rounded<S>(static_cast<T>(s.first));
        for (std::int64_t j = 0; j < place.length; ++j) {
            const T value = static_cast<T>(x[place.first + j * s.inner]);
            switch (s.stretch) {
                case Stretch::Max:
                    sum = value != value || (sum == sum && value > sum) ? value : sum;
                    break;
                case Stretch::Min:
                    sum = value != value || (sum == sum && value < sum) ? value : sum;
                    break;
                case Stretch::Product:
                    sum = rounded<S>(sum * value);
                    break;
                default:
                    sum = rounded<S>(sum + value);
                    break;
            }
        }
        if (s.stretch == Stretch::Mean) {
            if (place.length == 0 && !s.has_initial) sum = std::numeric_limits<T>::quiet_NaN();
            if (place.length > 0 && sum == sum) sum /= rounded<S>(static_cast<T>(place.length));
        }
        out[i] = stored<S>(sum);
    }
};

template <typename S>
struct SegmentGradientBody {
    SegmentShape s;
    const S* grad;
    const S* results;
    const S* x;
    S* out;
    using T = Compute<S>;

    LOUPE_HD T at(std::int64_t place) const { return static_cast<T>(x[place]); }
    LOUPE_HD static bool is_extreme(T value, T result) {
        return value == result || (value != value && result != result);
    }
    LOUPE_HD T of_product(const SegmentPlace& place, std::int64_t own, T g, T result) const {
        const T value = at(place.first + own * s.inner);
        if (value != T(0) && value == value) return rounded<S>(g * result) / value;
        T others = rounded<S>(static_cast<T>(s.first));
        for (std::int64_t j = 0; j < place.length; ++j) {
            if (j != own) others = rounded<S>(others * at(place.first + j * s.inner));
        }
        return g * others;
    }
    LOUPE_HD void operator()(std::int64_t i) const {
        const SegmentPlace place = segment_of(s, i);
        const T result = static_cast<T>(results[i]);
        T g = static_cast<T>(grad[i]);
        if (s.stretch == Stretch::Max || s.stretch == Stretch::Min) {
            std::int64_t ties = 0;
            for (std::int64_t j = 0; j < place.length; ++j)
                ties += is_extreme(at(place.first + j * s.inner), result) ? 1 : 0;
            if (ties > 1) g = rounded<S>(g / rounded<S>(static_cast<T>(ties)));
        }
        for (std::int64_t j = 0; j < place.length; ++j) {
            T slope = g;
            if (s.stretch == Stretch::Mean)
                slope = g / rounded<S>(static_cast<T>(place.length));
            else if (s.stretch == Stretch::Product)
                slope = of_product(place, j, g, result);
            else if (s.stretch != Stretch::Sum)
                slope = is_extreme(at(place.first + j * s.inner), result) ? g : T(0);
            out[place.first + j * s.inner] = stored<S>(slope);
        }
    }
};

}  // namespace

bool run_segments(const Queue& queue, const SegmentShape& s, const void* data, void* out) {
    return visit_floating(s.element, [&](auto tag) {
        using S = decltype(tag);
        launch(queue, s.outer * s.count * s.inner,
               SegmentBody<S>{s, static_cast<const S*>(data), static_cast<S*>(out)});
    });
}
bool run_segment_gradients(const Queue& queue, const SegmentShape& s, const void* grad, const void* results,
                           const void* data, void* out) {
    return visit_floating(s.element, [&](auto tag) {
        using S = decltype(tag);
        launch(queue, s.outer * s.count * s.inner,
               SegmentGradientBody<S>{s, static_cast<const S*>(grad), static_cast<const S*>(results),
                                      static_cast<const S*>(data), static_cast<S*>(out)});
    });
}

}  // namespace loupe::cuda
