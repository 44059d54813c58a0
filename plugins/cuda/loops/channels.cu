// SPDX-License-Identifier: Apache-2.0
// Sums over pixels, and scales applied to them: what touches every element.
#include "plugins/cuda/loops/channels.h"

#include "plugins/cuda/loops/team.h"

namespace loupe::cuda {
namespace {

// Channels beside each other: a thread a channel of a part of the pixels; else a team.
template <typename S, bool kGradient>
struct SumBody {
    Channels shape;
    std::int64_t part, width;
    const S *grad, *x;
    const Compute<S>* centre;
    double* parts;

    LOUPE_HD Compute<S> middle(std::int64_t key, std::int64_t first) const {
        return kGradient ? centre[key / width] : static_cast<Compute<S>>(x[first]);
    }
    LOUPE_HD void add(std::int64_t at, Compute<S> middle, double& sum, double& other) const {
        const double d = static_cast<double>(static_cast<Compute<S>>(x[at])) - static_cast<double>(middle);
        if constexpr (kGradient) {
            const auto g = static_cast<double>(static_cast<Compute<S>>(grad[at]));
            sum += g;
            other += g * d;
        } else {
            sum += d;
            other += d * d;
        }
    }
    LOUPE_HD void keep(std::int64_t key, std::int64_t split, double sum, double other) const {
        parts[(split * shape.keys() + key) * 2] = sum;
        parts[(split * shape.keys() + key) * 2 + 1] = other;
    }
    LOUPE_HD std::int64_t end_of(std::int64_t split) const {
        const std::int64_t end = (split + 1) * part;
        return end < shape.elements() ? end : shape.elements();
    }

    LOUPE_HD void operator()(std::int64_t i) const {
        const std::int64_t split = i / shape.channels, c = i - split * shape.channels;
        const Compute<S> m = middle(c, c);
        double sum = 0, other = 0;
        for (std::int64_t e = split * part; e < end_of(split); ++e) add(e * shape.channels + c, m, sum, other);
        keep(c, split, sum, other);
    }

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t i) const {
        const std::int64_t split = i / shape.keys(), key = i - split * shape.keys();
        const std::int64_t c = key % shape.channels, pixels = shape.pixels;
        const std::int64_t sample = shape.per_sample ? key / shape.channels : 0;
        const Compute<S> m = middle(key, (sample * shape.channels + c) * pixels);
        double sum = 0, other = 0;
        for (std::int64_t e = split * part + team.rank(); e < end_of(split); e += team.size()) {
            std::int64_t n = sample, p = e;
            if (!shape.per_sample) {
                n = quotient(e, pixels);
                p = e - n * pixels;
            }
            add((n * shape.channels + c) * pixels + p, m, sum, other);
        }
        sum = team.sum(sum);
        other = team.sum(other);
        if (team.rank() == 0) keep(key, split, sum, other);
    }
};

template <bool kGradient>
bool sum(const Queue& queue, const Channels& shape, const void* grad, const void* x, const void* centre,
         std::int64_t width, double* parts) {
    return visit_floating(shape.element, [&](auto tag) {
        using S = decltype(tag);
        const std::int64_t count = channel_parts(shape), part = (shape.elements() + count - 1) / count;
        const SumBody<S, kGradient> body{shape,
                                         part,
                                         width,
                                         static_cast<const S*>(grad),
                                         static_cast<const S*>(x),
                                         static_cast<const Compute<S>*>(centre),
                                         parts};
        if (shape.last)
            launch(queue, count * shape.channels, body);
        else
            launch_teams(queue, count * shape.keys(), part, body);
    });
}

// Walks keys from an element on.
struct Cursor {
    std::int64_t at, size, row;
    LOUPE_HD Cursor(const Channels& shape, std::int64_t i) : size(shape.last ? shape.channels : shape.pixels) {
        row = quotient(i, size);
        at = i - row * size;
    }
    LOUPE_HD std::int64_t key(const Channels& shape) const {
        if (shape.last) return at;
        return shape.per_sample ? row : row - quotient(row, shape.channels) * shape.channels;
    }
    LOUPE_HD void step() {
        if (++at < size) return;
        at = 0;
        ++row;
    }
};

// A pack of elements a thread, sixteen bytes where the arrays allow it.
template <typename S, bool kGradient>
struct ApplyBody {
    Channels shape;
    const S *grad, *x;
    const Compute<S>*of_grad, *of_x, *constant;
    S* out;
    bool by_packs;

    LOUPE_HD void operator()(std::int64_t index) const {
        using T = Compute<S>;
        constexpr int kCount = Pack<S>::kCount;
        const std::int64_t first = index * kCount, left = shape.numel() - first;
        const int count = left < kCount ? static_cast<int>(left) : kCount;
        Pack<S> xs, gs;
        if (by_packs && count == kCount) {
            xs = *reinterpret_cast<const Pack<S>*>(x + first);
            if constexpr (kGradient) gs = *reinterpret_cast<const Pack<S>*>(grad + first);
        } else {
            for (int k = 0; k < count; ++k) {
                xs.v[k] = x[first + k];
                if constexpr (kGradient) gs.v[k] = grad[first + k];
            }
        }
        Cursor cursor(shape, first);
        std::int64_t key = cursor.key(shape);
        for (int k = 0; k < count; ++k) {
            T value = static_cast<T>(xs.v[k]) * of_x[key] + constant[key];
            if constexpr (kGradient) value += static_cast<T>(gs.v[k]) * of_grad[key];
            xs.v[k] = stored<S>(value);
            cursor.step();
            if (shape.last || cursor.at == 0) key = cursor.key(shape);
        }
        if (by_packs && count == kCount) {
            *reinterpret_cast<Pack<S>*>(out + first) = xs;
        } else {
            for (int k = 0; k < count; ++k) out[first + k] = xs.v[k];
        }
    }
};

template <bool kGradient>
bool apply(const Queue& queue, const Channels& shape, const void* grad, const void* x, const void* of_grad,
           const void* of_x, const void* constant, void* out) {
    return visit_floating(shape.element, [&](auto tag) {
        using S = decltype(tag);
        using T = Compute<S>;
        constexpr int kCount = Pack<S>::kCount;
        const bool by_packs = is_aligned(x) && is_aligned(out) && (!kGradient || is_aligned(grad));
        launch(queue, (shape.numel() + kCount - 1) / kCount,
               ApplyBody<S, kGradient>{shape, static_cast<const S*>(grad), static_cast<const S*>(x),
                                       static_cast<const T*>(of_grad), static_cast<const T*>(of_x),
                                       static_cast<const T*>(constant), static_cast<S*>(out), by_packs});
    });
}

}  // namespace

std::int64_t channel_parts(const Channels& shape) {
    constexpr std::int64_t kManyThreads = 1 << 17, kManyTeams = 2048, kLeastRows = 16, kLeastPart = 4096;
    std::int64_t parts = (shape.last ? kManyThreads : kManyTeams) / (shape.keys() > 0 ? shape.keys() : 1);
    const std::int64_t most = shape.elements() / (shape.last ? kLeastRows : kLeastPart);
    if (parts > most) parts = most;
    return parts < 1 ? 1 : parts;
}

bool run_channel_sums(const Queue& queue, const Channels& shape, const void* grad, const void* x, const void* centre,
                      std::int64_t width, double* parts) {
    if (grad == nullptr) return sum<false>(queue, shape, nullptr, x, nullptr, 1, parts);
    return sum<true>(queue, shape, grad, x, centre, width, parts);
}

bool run_channel_scales(const Queue& queue, const Channels& shape, const void* x, const void* scale, const void* shift,
                        void* y) {
    return apply<false>(queue, shape, nullptr, x, nullptr, scale, shift, y);
}

bool run_channel_gradients(const Queue& queue, const Channels& shape, const void* grad, const void* x,
                           const void* of_grad, const void* of_input, const void* constant, void* out) {
    return apply<true>(queue, shape, grad, x, of_grad, of_input, constant, out);
}

}  // namespace loupe::cuda
