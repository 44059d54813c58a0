// SPDX-License-Identifier: Apache-2.0
// A thread an output; of the gradients a thread an input, which adds up the windows that it lies in, in order.
#include "plugins/cuda/loops/pooling.h"

#include "plugins/cuda/loops/team.h"

namespace loupe::cuda {
namespace {

// The sizes in I: 32 bits, where they hold every place, are several times faster to divide by.
template <typename I>
struct Geometry {
    using Index = I;
    I channels;
    I input[3], output[3], kernel[3], stride[3], padding[3], dilation[3];
    bool adaptive, last, count_include_pad;
    I divisor;

    explicit Geometry(const PoolGeometry& g)
        : channels(static_cast<I>(g.channels)),
          adaptive(g.adaptive),
          last(g.last),
          count_include_pad(g.count_include_pad),
          divisor(static_cast<I>(g.divisor)) {
        for (int d = 0; d < 3; ++d) {
            input[d] = static_cast<I>(g.input[d]);
            output[d] = static_cast<I>(g.output[d]);
            kernel[d] = static_cast<I>(g.kernel[d]);
            stride[d] = static_cast<I>(g.stride[d]);
            padding[d] = static_cast<I>(g.padding[d]);
            dilation[d] = static_cast<I>(g.dilation[d]);
        }
    }
    LOUPE_HD I pixels(const I* size) const { return size[0] * size[1] * size[2]; }
};
template <typename I>
LOUPE_HD I divided(I a, I b) {
    if constexpr (sizeof(I) == 4)
        return static_cast<I>(static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b));
    else
        return quotient(a, b);
}
template <typename Visit>
void each_geometry(const PoolGeometry& g, const Visit& visit) {
    constexpr std::int64_t kFits = std::int64_t{1} << 30, kSmall = 1 << 14;
    const std::int64_t planes = g.batch * g.channels;
    bool small = planes * g.pixels(g.input) < kFits && planes * g.pixels(g.output) < kFits && g.divisor < kFits;
    for (int d = 0; d < 3; ++d) {
        // Products of places and sizes are made on the way.
        small = small && g.input[d] < kSmall && g.output[d] < kSmall && g.kernel[d] < kSmall && g.stride[d] < kSmall &&
                g.padding[d] < kSmall && g.dilation[d] < kSmall;
    }
    if (small)
        visit(Geometry<std::int32_t>(g));
    else
        visit(Geometry<std::int64_t>(g));
}

// What elements are compared and added up in; whole numbers wrap around.
template <typename S>
using Pooled = std::conditional_t<std::is_integral_v<S>, std::int64_t, Compute<S>>;
template <typename T>
LOUPE_HD constexpr T lowest() {
    if constexpr (std::is_integral_v<T>)
        return std::numeric_limits<T>::min();
    else
        return -std::numeric_limits<T>::infinity();
}
template <typename T>
LOUPE_HD T plus(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    else
        return a + b;
}
template <typename Visit>
bool visit_pooled(Element element, const Visit& visit) {
    switch (element) {
        case Element::UInt8:
            return visit(std::uint8_t()), true;
        case Element::Int8:
            return visit(std::int8_t()), true;
        case Element::Int16:
            return visit(std::int16_t()), true;
        case Element::Int32:
            return visit(std::int32_t()), true;
        case Element::Int64:
            return visit(std::int64_t()), true;
        default:
            return visit_floating(element, visit);
    }
}

// Which element of which plane: arrays of the sizes given.
template <typename I>
struct Place {
    I at[3];
    I base;  // of the plane in an array of other sizes: element p lies at base + p step
    I step;
};
template <typename I>
LOUPE_HD Place<I> place_of(const Geometry<I>& g, I i, const I* own, const I* other) {
    const I own_pixels = g.pixels(own), other_pixels = g.pixels(other);
    I pixel, sample, channel;
    if (g.last) {
        const I rest = divided(i, g.channels);
        channel = i - rest * g.channels;
        sample = divided(rest, own_pixels);
        pixel = rest - sample * own_pixels;
    } else {
        const I plane = divided(i, own_pixels);
        pixel = i - plane * own_pixels;
        sample = divided(plane, g.channels);
        channel = plane - sample * g.channels;
    }
    Place<I> place;
    const I row = divided(pixel, own[2]);
    place.at[2] = pixel - row * own[2];
    place.at[0] = divided(row, own[1]);
    place.at[1] = row - place.at[0] * own[1];
    place.step = g.last ? g.channels : 1;
    place.base = sample * g.channels * other_pixels + (g.last ? channel : channel * other_pixels);
    return place;
}

template <typename I>
struct Span {
    I begin, end, step;
};
// The elements of window o along dimension d that lie inside the input.
template <typename I>
LOUPE_HD Span<I> window(const Geometry<I>& g, int d, I o) {
    if (g.adaptive)
        return {divided(o * g.input[d], g.output[d]), divided((o + 1) * g.input[d] + g.output[d] - 1, g.output[d]), 1};
    Span<I> span{o * g.stride[d] - g.padding[d], 0, g.dilation[d]};
    span.end = span.begin + (g.kernel[d] - 1) * g.dilation[d] + 1;
    if (span.end > g.input[d]) span.end = g.input[d];
    if (span.begin < 0) span.begin += divided(-span.begin + g.dilation[d] - 1, g.dilation[d]) * g.dilation[d];
    return span;
}
// The windows that element i may lie in.
template <typename I>
LOUPE_HD Span<I> windows(const Geometry<I>& g, int d, I i) {
    if (g.adaptive) {
        const I last = divided((i + 1) * g.output[d] + g.input[d] - 1, g.input[d]);
        return {divided(i * g.output[d], g.input[d]), last < g.output[d] ? last : g.output[d], 1};
    }
    const I reach = (g.kernel[d] - 1) * g.dilation[d];
    const I first = i + g.padding[d] - reach, last = divided(i + g.padding[d], g.stride[d]);
    return {first <= 0 ? 0 : divided(first + g.stride[d] - 1, g.stride[d]), last < g.output[d] ? last + 1 : g.output[d],
            1};
}
// Elements of window o along d that count for a mean.
template <typename I>
LOUPE_HD I counted(const Geometry<I>& g, int d, I o) {
    if (g.adaptive || !g.count_include_pad) {
        const Span<I> span = window(g, d, o);
        return span.end > span.begin ? span.end - span.begin : 0;
    }
    const I start = o * g.stride[d] - g.padding[d], end = start + g.kernel[d];
    return (end < g.input[d] + g.padding[d] ? end : g.input[d] + g.padding[d]) - start;
}
template <typename T, typename I>
LOUPE_HD T divisor_of(const Geometry<I>& g, I a, I b, I c) {
    return static_cast<T>(g.divisor != 0 ? g.divisor : counted(g, 0, a) * counted(g, 1, b) * counted(g, 2, c));
}

template <typename S, typename I>
struct MaxBody {
    Geometry<I> g;
    const S* x;
    S* out;
    std::int64_t* indices;

    LOUPE_HD void operator()(std::int64_t index) const {
        using T = Pooled<S>;
        const I i = static_cast<I>(index);
        const Place<I> place = place_of(g, i, g.output, g.input);
        const Span<I> deep = window(g, 0, place.at[0]), high = window(g, 1, place.at[1]),
                      wide = window(g, 2, place.at[2]);
        T best = lowest<T>();
        I at = (deep.begin * g.input[1] + high.begin) * g.input[2] + wide.begin;
        for (I a = deep.begin; a < deep.end; a += deep.step) {
            for (I b = high.begin; b < high.end; b += high.step) {
                for (I c = wide.begin; c < wide.end; c += wide.step) {
                    const I pixel = (a * g.input[1] + b) * g.input[2] + c;
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

template <typename S, typename I>
struct MaxGradientBody {
    Geometry<I> g;
    const S* grad;
    const std::int64_t* indices;
    S* out;

    LOUPE_HD void operator()(std::int64_t index) const {
        using T = Compute<S>;
        const I i = static_cast<I>(index);
        const Place<I> place = place_of(g, i, g.input, g.output);
        const I own = (place.at[0] * g.input[1] + place.at[1]) * g.input[2] + place.at[2];
        const Span<I> deep = windows(g, 0, place.at[0]), high = windows(g, 1, place.at[1]),
                      wide = windows(g, 2, place.at[2]);
        T sum = 0;
        for (I a = deep.begin; a < deep.end; ++a) {
            for (I b = high.begin; b < high.end; ++b) {
                for (I c = wide.begin; c < wide.end; ++c) {
                    const I from = place.base + ((a * g.output[1] + b) * g.output[2] + c) * place.step;
                    if (indices[from] == own) sum += static_cast<T>(grad[from]);
                }
            }
        }
        out[i] = stored<S>(sum);
    }
};

template <typename S, typename I>
struct MeanBody {
    Geometry<I> g;
    const S* x;
    S* out;

    LOUPE_HD void operator()(std::int64_t index) const {
        using T = Pooled<S>;
        const I i = static_cast<I>(index);
        const Place<I> place = place_of(g, i, g.output, g.input);
        const Span<I> deep = window(g, 0, place.at[0]), high = window(g, 1, place.at[1]),
                      wide = window(g, 2, place.at[2]);
        T sum = 0;
        for (I a = deep.begin; a < deep.end; ++a) {
            for (I b = high.begin; b < high.end; ++b) {
                for (I c = wide.begin; c < wide.end; ++c)
                    sum =
                        plus(sum, static_cast<T>(x[place.base + ((a * g.input[1] + b) * g.input[2] + c) * place.step]));
            }
        }
        const T divisor = divisor_of<T, I>(g, place.at[0], place.at[1], place.at[2]);
        out[i] = stored<S>(divisor == T(0) ? T(0) : sum / divisor);
    }
};

template <typename S, typename I>
struct MeanGradientBody {
    Geometry<I> g;
    const S* grad;
    S* out;

    LOUPE_HD void operator()(std::int64_t index) const {
        using T = Compute<S>;
        const I i = static_cast<I>(index);
        const Place<I> place = place_of(g, i, g.input, g.output);
        const Span<I> deep = windows(g, 0, place.at[0]), high = windows(g, 1, place.at[1]),
                      wide = windows(g, 2, place.at[2]);
        T sum = 0;
        for (I a = deep.begin; a < deep.end; ++a) {
            if (!holds(0, a, place.at[0])) continue;
            for (I b = high.begin; b < high.end; ++b) {
                if (!holds(1, b, place.at[1])) continue;
                for (I c = wide.begin; c < wide.end; ++c) {
                    if (!holds(2, c, place.at[2])) continue;
                    const T divisor = divisor_of<T, I>(g, a, b, c);
                    const I from = place.base + ((a * g.output[1] + b) * g.output[2] + c) * place.step;
                    if (divisor != T(0)) sum += static_cast<T>(grad[from]) / divisor;
                }
            }
        }
        out[i] = stored<S>(sum);
    }
    LOUPE_HD bool holds(int d, I o, I i) const {
        const Span<I> span = window(g, d, o);
        return i >= span.begin && i < span.end;
    }
};

}  // namespace

bool run_max_pool(const Queue& queue, const PoolGeometry& g, const void* x, void* out, std::int64_t* indices) {
    return visit_pooled(g.element, [&](auto tag) {
        using S = decltype(tag);
        each_geometry(g, [&](auto geometry) {
            using I = typename decltype(geometry)::Index;
            launch(queue, g.batch * g.channels * g.pixels(g.output),
                   MaxBody<S, I>{geometry, static_cast<const S*>(x), static_cast<S*>(out), indices});
        });
    });
}
bool run_max_pool_gradient(const Queue& queue, const PoolGeometry& g, const void* grad, const std::int64_t* indices,
                           void* out) {
    return visit_floating(g.element, [&](auto tag) {
        using S = decltype(tag);
        each_geometry(g, [&](auto geometry) {
            using I = typename decltype(geometry)::Index;
            launch(queue, g.batch * g.channels * g.pixels(g.input),
                   MaxGradientBody<S, I>{geometry, static_cast<const S*>(grad), indices, static_cast<S*>(out)});
        });
    });
}
bool run_mean_pool(const Queue& queue, const PoolGeometry& g, const void* x, void* out) {
    return visit_pooled(g.element, [&](auto tag) {
        using S = decltype(tag);
        each_geometry(g, [&](auto geometry) {
            using I = typename decltype(geometry)::Index;
            launch(queue, g.batch * g.channels * g.pixels(g.output),
                   MeanBody<S, I>{geometry, static_cast<const S*>(x), static_cast<S*>(out)});
        });
    });
}
bool run_mean_pool_gradient(const Queue& queue, const PoolGeometry& g, const void* grad, void* out) {
    return visit_floating(g.element, [&](auto tag) {
        using S = decltype(tag);
        each_geometry(g, [&](auto geometry) {
            using I = typename decltype(geometry)::Index;
            launch(queue, g.batch * g.channels * g.pixels(g.input),
                   MeanGradientBody<S, I>{geometry, static_cast<const S*>(grad), static_cast<S*>(out)});
        });
    });
}

}  // namespace loupe::cuda
