// SPDX-License-Identifier: Apache-2.0
// A thread an output; of the gradients a thread an input, which adds up the windows that it lies in, in order.
#include "plugins/cuda/loops/pooling.h"

#include "plugins/cuda/loops/team.h"

namespace loupe::cuda {
namespace {

// Which element of which plane: arrays of the sizes given.
struct Place {
    std::int64_t at[3];
    std::int64_t base;  // of the plane in an array of other sizes: element p lies at base + p step
    std::int64_t step;
};
LOUPE_HD inline Place place_of(const PoolGeometry& g, std::int64_t i, const std::int64_t* own,
                               const std::int64_t* other) {
    const std::int64_t own_pixels = g.pixels(own), other_pixels = g.pixels(other);
    std::int64_t pixel, sample, channel;
    if (g.last) {
        const std::int64_t rest = quotient(i, g.channels);
        channel = i - rest * g.channels;
        sample = quotient(rest, own_pixels);
        pixel = rest - sample * own_pixels;
    } else {
        const std::int64_t plane = quotient(i, own_pixels);
        pixel = i - plane * own_pixels;
        sample = quotient(plane, g.channels);
        channel = plane - sample * g.channels;
    }
    Place place;
    const std::int64_t row = quotient(pixel, own[2]);
    place.at[2] = pixel - row * own[2];
    place.at[0] = quotient(row, own[1]);
    place.at[1] = row - place.at[0] * own[1];
    place.step = g.last ? g.channels : 1;
    place.base = sample * g.channels * other_pixels + (g.last ? channel : channel * other_pixels);
    return place;
}

struct Span {
    std::int64_t begin, end, step;
};
// The elements of window o along dimension d that lie inside the input.
LOUPE_HD inline Span window(const PoolGeometry& g, int d, std::int64_t o) {
    if (g.adaptive) return {quotient(o * g.input[d], g.output[d]), quotient((o + 1) * g.input[d] + g.output[d] - 1, g.output[d]), 1};
    Span span{o * g.stride[d] - g.padding[d], 0, g.dilation[d]};
    span.end = span.begin + (g.kernel[d] - 1) * g.dilation[d] + 1;
    if (span.end > g.input[d]) span.end = g.input[d];
    if (span.begin < 0) span.begin += quotient(-span.begin + g.dilation[d] - 1, g.dilation[d]) * g.dilation[d];
    return span;
}
// The windows that element i may lie in.
LOUPE_HD inline Span windows(const PoolGeometry& g, int d, std::int64_t i) {
    if (g.adaptive) {
        const std::int64_t last = quotient((i + 1) * g.output[d] + g.input[d] - 1, g.input[d]);
        return {quotient(i * g.output[d], g.input[d]), last < g.output[d] ? last : g.output[d], 1};
    }
    const std::int64_t reach = (g.kernel[d] - 1) * g.dilation[d];
    const std::int64_t first = i + g.padding[d] - reach, last = quotient(i + g.padding[d], g.stride[d]);
    return {first <= 0 ? 0 : quotient(first + g.stride[d] - 1, g.stride[d]), last < g.output[d] ? last + 1 : g.output[d], 1};
}
// Elements of window o along d that count for a mean.
LOUPE_HD inline std::int64_t counted(const PoolGeometry& g, int d, std::int64_t o) {
    if (g.adaptive || !g.count_include_pad) {
        const Span span = window(g, d, o);
        return span.end > span.begin ? span.end - span.begin : 0;
    }
    const std::int64_t start = o * g.stride[d] - g.padding[d], end = start + g.kernel[d];
    return (end < g.input[d] + g.padding[d] ? end : g.input[d] + g.padding[d]) - start;
}
template <typename T>
LOUPE_HD T divisor_of(const PoolGeometry& g, std::int64_t a, std::int64_t b, std::int64_t c) {
    return static_cast<T>(g.divisor != 0 ? g.divisor : counted(g, 0, a) * counted(g, 1, b) * counted(g, 2, c));
}

template <typename S>
struct MaxBody {
    PoolGeometry g;
    const S* x;
    S* out;
    std::int64_t* indices;

    LOUPE_HD void operator()(std::int64_t i) const {
        using T = Compute<S>;
        const Place place = place_of(g, i, g.output, g.input);
        const Span deep = window(g, 0, place.at[0]), high = window(g, 1, place.at[1]), wide = window(g, 2, place.at[2]);
        T best = -std::numeric_limits<T>::infinity();
        std::int64_t at = (deep.begin * g.input[1] + high.begin) * g.input[2] + wide.begin;
        for (std::int64_t a = deep.begin; a < deep.end; a += deep.step) {
            for (std::int64_t b = high.begin; b < high.end; b += high.step) {
                for (std::int64_t c = wide.begin; c < wide.end; c += wide.step) {
                    const std::int64_t pixel = (a * g.input[1] + b) * g.input[2] + c;
                    const T value = static_cast<T>(x[place.base + pixel * place.step]);
                    if (value > best || value != value) {
                        best = value;
                        at = pixel;
                    }
                }
            }
        }
        out[i] = stored<S>(best);
        indices[i] = at;
    }
};

template <typename S>
struct MaxGradientBody {
    PoolGeometry g;
    const S* grad;
    const std::int64_t* indices;
    S* out;

    LOUPE_HD void operator()(std::int64_t i) const {
        using T = Compute<S>;
        const Place place = place_of(g, i, g.input, g.output);
        const std::int64_t own = (place.at[0] * g.input[1] + place.at[1]) * g.input[2] + place.at[2];
        const Span deep = windows(g, 0, place.at[0]), high = windows(g, 1, place.at[1]),
                   wide = windows(g, 2, place.at[2]);
        T sum = 0;
        for (std::int64_t a = deep.begin; a < deep.end; ++a) {
            for (std::int64_t b = high.begin; b < high.end; ++b) {
                for (std::int64_t c = wide.begin; c < wide.end; ++c) {
                    const std::int64_t from = place.base + ((a * g.output[1] + b) * g.output[2] + c) * place.step;
                    if (indices[from] == own) sum += static_cast<T>(grad[from]);
                }
            }
        }
        out[i] = stored<S>(sum);
    }
};

template <typename S>
struct MeanBody {
    PoolGeometry g;
    const S* x;
    S* out;

    LOUPE_HD void operator()(std::int64_t i) const {
        using T = Compute<S>;
        const Place place = place_of(g, i, g.output, g.input);
        const Span deep = window(g, 0, place.at[0]), high = window(g, 1, place.at[1]), wide = window(g, 2, place.at[2]);
        T sum = 0;
        for (std::int64_t a = deep.begin; a < deep.end; ++a) {
            for (std::int64_t b = high.begin; b < high.end; ++b) {
                for (std::int64_t c = wide.begin; c < wide.end; ++c)
                    sum += static_cast<T>(x[place.base + ((a * g.input[1] + b) * g.input[2] + c) * place.step]);
            }
        }
        const T divisor = divisor_of<T>(g, place.at[0], place.at[1], place.at[2]);
        out[i] = stored<S>(divisor == T(0) ? T(0) : sum / divisor);
    }
};

template <typename S>
struct MeanGradientBody {
    PoolGeometry g;
    const S* grad;
    S* out;

    LOUPE_HD void operator()(std::int64_t i) const {
        using T = Compute<S>;
        const Place place = place_of(g, i, g.input, g.output);
        const Span deep = windows(g, 0, place.at[0]), high = windows(g, 1, place.at[1]),
                   wide = windows(g, 2, place.at[2]);
        T sum = 0;
        for (std::int64_t a = deep.begin; a < deep.end; ++a) {
            if (!holds(0, a, place.at[0])) continue;
            for (std::int64_t b = high.begin; b < high.end; ++b) {
                if (!holds(1, b, place.at[1])) continue;
                for (std::int64_t c = wide.begin; c < wide.end; ++c) {
                    if (!holds(2, c, place.at[2])) continue;
                    const T divisor = divisor_of<T>(g, a, b, c);
                    const std::int64_t from = place.base + ((a * g.output[1] + b) * g.output[2] + c) * place.step;
                    if (divisor != T(0)) sum += static_cast<T>(grad[from]) / divisor;
                }
            }
        }
        out[i] = stored<S>(sum);
    }
    LOUPE_HD bool holds(int d, std::int64_t o, std::int64_t i) const {
        const Span span = window(g, d, o);
        return i >= span.begin && i < span.end;
    }
};

}  // namespace

bool run_max_pool(const Queue& queue, const PoolGeometry& g, const void* x, void* out, std::int64_t* indices) {
    return visit_floating(g.element, [&](auto tag) {
        using S = decltype(tag);
        launch(queue, g.batch * g.channels * g.pixels(g.output),
               MaxBody<S>{g, static_cast<const S*>(x), static_cast<S*>(out), indices});
    });
}
bool run_max_pool_gradient(const Queue& queue, const PoolGeometry& g, const void* grad, const std::int64_t* indices,
                           void* out) {
    return visit_floating(g.element, [&](auto tag) {
        using S = decltype(tag);
        launch(queue, g.batch * g.channels * g.pixels(g.input),
               MaxGradientBody<S>{g, static_cast<const S*>(grad), indices, static_cast<S*>(out)});
    });
}
bool run_mean_pool(const Queue& queue, const PoolGeometry& g, const void* x, void* out) {
    return visit_floating(g.element, [&](auto tag) {
        using S = decltype(tag);
        launch(queue, g.batch * g.channels * g.pixels(g.output),
               MeanBody<S>{g, static_cast<const S*>(x), static_cast<S*>(out)});
    });
}
bool run_mean_pool_gradient(const Queue& queue, const PoolGeometry& g, const void* grad, void* out) {
    return visit_floating(g.element, [&](auto tag) {
        using S = decltype(tag);
        launch(queue, g.batch * g.channels * g.pixels(g.input),
               MeanGradientBody<S>{g, static_cast<const S*>(grad), static_cast<S*>(out)});
    });
}

}  // namespace loupe::cuda
