// SPDX-License-Identifier: Apache-2.0
// From sums to the numbers of each channel: moments, scales, gradients of parameters.
#include "plugins/cuda/loops/channels.h"
#include "plugins/cuda/loops/team.h"

namespace loupe::cuda {
namespace {

template <typename T>
LOUPE_HD T read(const Column& column, std::int64_t i, T otherwise) {
    return column.data == nullptr
               ? otherwise
               : load<T>(static_cast<const char*>(column.data) + i * size_of(column.element), column.element);
}
template <typename T>
LOUPE_HD void write(const Column& column, std::int64_t i, T value) {
    if (column.data != nullptr)
        store(static_cast<char*>(column.data) + i * size_of(column.element), column.element, value);
}

struct Sums {
    double sum = 0, other = 0;
};
LOUPE_HD inline Sums joined(const double* parts, std::int64_t count, std::int64_t keys, std::int64_t key) {
    Sums sums;
    for (std::int64_t part = 0; part < count; ++part) {
        sums.sum += parts[(part * keys + key) * 2];
        sums.other += parts[(part * keys + key) * 2 + 1];
    }
    return sums;
}

template <typename S>
struct ScaleBody {
    using T = Compute<S>;
    Channels shape;
    std::int64_t count;
    const double* parts;
    const S* x;
    BatchNormNumbers numbers;
    bool training;
    T *scale, *shift;

    LOUPE_HD void operator()(std::int64_t c) const {
        T mean, invstd;
        if (training) {
            const Sums sums = joined(parts, count, shape.channels, c);
            const auto n = static_cast<double>(shape.elements());
            const auto first = static_cast<double>(static_cast<T>(x[shape.last ? c : c * shape.pixels]));
            const double above = sums.sum / n, exact = first + above;
            double variance = sums.other / n - above * above;
            if (variance < 0) variance = 0;
            write(numbers.save_mean, c, exact);
            write(numbers.save_invstd, c, 1 / std::sqrt(variance + numbers.eps));
            const auto move = [&](const Column& running, double batch) {
                write(running, c, numbers.momentum * batch + (1 - numbers.momentum) * read<double>(running, c, 0));
            };
            move(numbers.running_mean, exact);
            move(numbers.running_var, variance * n / (n - 1));
            // The batch is scaled with the moments as they were kept.
            mean = read<T>(numbers.save_mean, c, T(0));
            invstd = read<T>(numbers.save_invstd, c, T(0));
        } else {
            mean = read<T>(numbers.running_mean, c, T(0));
            invstd = T(1) / std::sqrt(read<T>(numbers.running_var, c, T(1)) + static_cast<T>(numbers.eps));
        }
        scale[c] = invstd * read<T>(numbers.weight, c, T(1));
        shift[c] = read<T>(numbers.bias, c, T(0)) - mean * scale[c];
    }
};

template <typename T>
struct BatchGradientBody {
    Channels shape;
    std::int64_t count;
    const double* parts;
    const T *mean, *invstd;
    Column weight;
    bool training;
    T *of_grad, *of_input, *constant;
    Column grad_weight, grad_bias;

    LOUPE_HD void operator()(std::int64_t c) const {
        const Sums sums = joined(parts, count, shape.channels, c);
        const auto n = static_cast<double>(shape.elements()), inverse = static_cast<double>(invstd[c]);
        const double factor = inverse * read<double>(weight, c, 1);
        const double slope = training ? sums.other * inverse * inverse / n : 0;
        of_grad[c] = static_cast<T>(factor);
        of_input[c] = static_cast<T>(-slope * factor);
        constant[c] = training ? static_cast<T>((slope * static_cast<double>(mean[c]) - sums.sum / n) * factor) : T(0);
        write(grad_weight, c, sums.other * inverse);
        write(grad_bias, c, sums.sum);
    }
};

template <typename T>
struct InverseBody {
    Column variance;
    T eps;
    T* out;
    LOUPE_HD void operator()(std::int64_t c) const { out[c] = T(1) / std::sqrt(read<T>(variance, c, T(0)) + eps); }
};

template <typename S>
struct GroupMomentBody {
    using T = Compute<S>;
    Channels shape;
    std::int64_t width;
    T eps;
    const S* x;
    Column weight, bias, mean, rstd;
    T *scale, *shift;

    template <typename Team>
    LOUPE_HD void operator()(const Team& team, std::int64_t group) const {
        const std::int64_t n = width * shape.pixels;
        const S* const from = x + group * n;
        T sum = 0;
        each(team, from, n, [&](std::int64_t, T v) { sum += v; });
        const T middle = team.sum(sum) / static_cast<T>(n);
        T squares = 0;
        each(team, from, n, [&](std::int64_t, T v) { squares += (v - middle) * (v - middle); });
        const T inverse = T(1) / std::sqrt(team.sum(squares) / static_cast<T>(n) + eps);
        for (std::int64_t d = team.rank(); d < width; d += team.size()) {
            const std::int64_t key = group * width + d, c = key % shape.channels;
            scale[key] = inverse * read<T>(weight, c, T(1));
            shift[key] = read<T>(bias, c, T(0)) - middle * scale[key];
        }
        if (team.rank() != 0) return;
        write(mean, group, middle);
        write(rstd, group, inverse);
    }
};

// A thread a group of a sample; and one a channel, over the samples.
template <typename T>
struct GroupGradientBody {
    Channels shape;
    std::int64_t width, count;
    const double* parts;
    const T *mean, *rstd;
    Column weight;
    T *of_grad, *of_input, *constant;

    LOUPE_HD void operator()(std::int64_t group) const {
        const auto n = static_cast<double>(width * shape.pixels), inverse = static_cast<double>(rstd[group]);
        double sum = 0, dot = 0;
        for (std::int64_t d = 0; d < width; ++d) {
            const Sums sums = joined(parts, count, shape.keys(), group * width + d);
            const auto w = read<double>(weight, (group * width + d) % shape.channels, 1);
            sum += sums.sum * w;
            dot += sums.other * w;
        }
        const double slope = -inverse * inverse * inverse * dot / n;
        const double rest = -slope * static_cast<double>(mean[group]) - inverse * sum / n;
        for (std::int64_t d = 0; d < width; ++d) {
            const std::int64_t key = group * width + d;
            of_grad[key] = static_cast<T>(inverse * read<double>(weight, key % shape.channels, 1));
            of_input[key] = static_cast<T>(slope);
            constant[key] = static_cast<T>(rest);
        }
    }
};
template <typename T>
struct GroupParameterBody {
    Channels shape;
    std::int64_t width, count;
    const double* parts;
    const T* rstd;
    Column grad_weight, grad_bias;

    LOUPE_HD void operator()(std::int64_t c) const {
        double of_weight = 0, of_bias = 0;
        for (std::int64_t n = 0; n < shape.batch; ++n) {
            const std::int64_t key = n * shape.channels + c;
            const Sums sums = joined(parts, count, shape.keys(), key);
            of_weight += sums.other * static_cast<double>(rstd[key / width]);
            of_bias += sums.sum;
        }
        write(grad_weight, c, of_weight);
        write(grad_bias, c, of_bias);
    }
};

template <typename Visit>
bool visit_computed(Element element, Visit&& visit) {
    return visit_floating(element, [&](auto tag) { visit(Compute<decltype(tag)>()); });
}

}  // namespace

bool run_batch_norm_scales(const Queue& queue, const Channels& shape, const double* parts, const void* x,
                           const BatchNormNumbers& numbers, bool training, void* scale, void* shift) {
    return visit_floating(shape.element, [&](auto tag) {
        using S = decltype(tag);
        using T = Compute<S>;
        launch(queue, shape.channels,
               ScaleBody<S>{shape, channel_parts(shape), parts, static_cast<const S*>(x), numbers, training,
                            static_cast<T*>(scale), static_cast<T*>(shift)});
    });
}

bool run_batch_norm_gradients(const Queue& queue, const Channels& shape, const double* parts, const void* mean,
                              const void* invstd, Column weight, bool training, void* of_grad, void* of_input,
                              void* constant, Column grad_weight, Column grad_bias) {
    return visit_computed(shape.element, [&](auto tag) {
        using T = decltype(tag);
        launch(queue, shape.channels,
               BatchGradientBody<T>{shape, channel_parts(shape), parts, static_cast<const T*>(mean),
                                    static_cast<const T*>(invstd), weight, training, static_cast<T*>(of_grad),
                                    static_cast<T*>(of_input), static_cast<T*>(constant), grad_weight, grad_bias});
    });
}

bool run_inverse_deviation(const Queue& queue, const Channels& shape, Column variance, double eps, void* out) {
    return visit_computed(shape.element, [&](auto tag) {
        using T = decltype(tag);
        launch(queue, shape.channels, InverseBody<T>{variance, static_cast<T>(eps), static_cast<T*>(out)});
    });
}

bool run_group_moments(const Queue& queue, const Channels& shape, std::int64_t width, double eps, const void* x,
                       Column weight, Column bias, Column mean, Column rstd, void* scale, void* shift) {
    return visit_floating(shape.element, [&](auto tag) {
        using S = decltype(tag);
        using T = Compute<S>;
        launch_teams(queue, shape.keys() / width, width * shape.pixels,
                     GroupMomentBody<S>{shape, width, static_cast<T>(eps), static_cast<const S*>(x), weight, bias, mean,
                                        rstd, static_cast<T*>(scale), static_cast<T*>(shift)});
    });
}

bool run_group_gradients(const Queue& queue, const Channels& shape, std::int64_t width, const double* parts,
                         const void* mean, const void* rstd, Column weight, void* of_grad, void* of_input,
                         void* constant, Column grad_weight, Column grad_bias) {
    return visit_computed(shape.element, [&](auto tag) {
        using T = decltype(tag);
        const std::int64_t count = channel_parts(shape);
        launch(queue, shape.keys() / width,
               GroupGradientBody<T>{shape, width, count, parts, static_cast<const T*>(mean),
                                    static_cast<const T*>(rstd), weight, static_cast<T*>(of_grad),
                                    static_cast<T*>(of_input), static_cast<T*>(constant)});
        launch(queue, shape.channels,
               GroupParameterBody<T>{shape, width, count, parts, static_cast<const T*>(rstd), grad_weight, grad_bias});
    });
}

}  // namespace loupe::cuda
