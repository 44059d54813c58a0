// SPDX-License-Identifier: Apache-2.0
// Interpolation. Every mode is, along each dimension, a sparse matrix; a gradient is its transpose.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/parallel.h"
#include "core/dispatch/out_refusals.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/family.h"
#include "core/ops/nn/rounded_moments.h"
#include "core/ops/nn/simd.h"

namespace loupe {
namespace {

using namespace nn_ops;

enum class Interpolation { Nearest, NearestExact, Linear, Cubic, LinearSmooth, CubicSmooth };
constexpr bool has_align(Interpolation mode) {
    return mode != Interpolation::Nearest && mode != Interpolation::NearestExact;
}

// Output place i reads input places start[i], start[i] + 1, ... with its weights.
struct Taps {
    std::vector<std::int64_t> index;
    std::vector<double> weight;
    std::vector<std::size_t> begin{0};  // of each output place, and the end of the last

    void add(std::int64_t i, double w) {
        index.push_back(i);
        weight.push_back(w);
    }
    void close() { begin.push_back(index.size()); }
};

double cubic_near(double x, double a) { return ((a + 2) * x - (a + 3)) * x * x + 1; }
double cubic_far(double x, double a) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; }
// The four weights of a place that lies t past the second.
std::array<double, 4> cubic_weights(double t) {
    constexpr double kA = -0.75;
    return {cubic_far(t + 1, kA), cubic_near(t, kA), cubic_near(1 - t, kA), cubic_far(2 - t, kA)};
}
// The same with every step rounded to bfloat16.
double in_bfloat16(double value) {
    return static_cast<double>(static_cast<float>(BFloat16(static_cast<float>(value))));
}
double narrow_near(double x) {
    const auto r = in_bfloat16;
    return r(r(r(r(r(1.25 * x) - 2.25) * x) * x) + 1);
}
double narrow_far(double x) {
    const auto r = in_bfloat16;
    return r(r(r(r(r(-0.75 * x) + 3.75) * x) - 6) * x) + 3;
}
std::array<double, 4> narrow_cubic_weights(double exact) {
    const auto r = in_bfloat16;
    const double t = r(exact);
    const double rest = r(1 - t);
    return {narrow_far(r(t + 1)), narrow_near(t), narrow_near(rest), narrow_far(r(rest + 1))};
}
// The kernels of antialiased modes, by distance.
double smooth_kernel(Interpolation mode, double x) {
    x = std::fabs(x);
    if (mode == Interpolation::LinearSmooth) return x < 1 ? 1 - x : 0;
    return x < 1 ? cubic_near(x, -0.5) : (x < 2 ? cubic_far(x, -0.5) : 0);
}

void add_smooth(Taps& taps, Interpolation mode, std::int64_t i, double scale, std::int64_t in) {
    const double half = mode == Interpolation::LinearSmooth ? 1 : 2;
    const double support = scale >= 1 ? half * scale : half;
    const double inverse = scale >= 1 ? 1 / scale : 1;
    const double center = scale * (static_cast<double>(i) + 0.5);
    const auto first = std::max<std::int64_t>(static_cast<std::int64_t>(center - support + 0.5), 0);
    const auto last = std::min(static_cast<std::int64_t>(center + support + 0.5), in);
    double total = 0;
    for (std::int64_t j = first; j < last; ++j)
        total += smooth_kernel(mode, (static_cast<double>(j) - center + 0.5) * inverse);
    for (std::int64_t j = first; j < last; ++j) {
        taps.add(j, smooth_kernel(mode, (static_cast<double>(j) - center + 0.5) * inverse) / (total == 0 ? 1 : total));
    }
}

// What PyTorch rounds to bfloat16: nothing, the scale, or (in the cubic gradient) source coordinates too.
enum class Rounding { None, Distance, Places };

Taps make_taps(Interpolation mode, std::int64_t in, std::int64_t out, bool align, std::optional<double> given,
               Rounding rounding) {
    const bool narrow = rounding != Rounding::None;
    const double stretch = given && *given > 0 ? 1.0 / *given : static_cast<double>(in) / static_cast<double>(out);
    const double aligned = out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0;
    const double exact = align ? aligned : stretch;
    const double scale = narrow ? in_bfloat16(exact) : exact;
    const auto single = static_cast<float>(stretch);  // PyTorch finds the nearest in float
    Taps taps;
    for (std::int64_t i = 0; i < out; ++i, taps.close()) {
        double center = align ? scale * static_cast<double>(i) : scale * (static_cast<double>(i) + 0.5) - 0.5;
        if (rounding == Rounding::Places) {
            const double place = static_cast<double>(i);
            center =
                align ? in_bfloat16(scale * place) : in_bfloat16(in_bfloat16(scale * in_bfloat16(place + 0.5)) - 0.5);
        }
        switch (mode) {
            case Interpolation::Nearest:
                taps.add(std::min(static_cast<std::int64_t>(std::floor(static_cast<float>(i) * single)), in - 1), 1);
                break;
            case Interpolation::NearestExact:
                taps.add(
                    std::min(static_cast<std::int64_t>(std::floor((static_cast<float>(i) + 0.5f) * single)), in - 1),
                    1);
                break;
            case Interpolation::Linear: {
                const double real = std::max(center, 0.0);
                const auto low = std::min(static_cast<std::int64_t>(real), in - 1);
                const double share = std::clamp(real - static_cast<double>(low), 0.0, 1.0);
                taps.add(low, 1 - share);
                taps.add(std::min(low + 1, in - 1), share);
                break;
            }
            case Interpolation::Cubic: {
                const auto low = static_cast<std::int64_t>(std::floor(center));
                const double t = center - static_cast<double>(low);
                const std::array<double, 4> weights = narrow ? narrow_cubic_weights(t) : cubic_weights(t);
                for (std::int64_t k = 0; k < 4; ++k)
                    taps.add(std::clamp<std::int64_t>(low - 1 + k, 0, in - 1), weights[static_cast<std::size_t>(k)]);
                break;
            }
            case Interpolation::LinearSmooth:
            case Interpolation::CubicSmooth:
                add_smooth(taps, mode, i, scale, in);
                break;
        }
    }
    return taps;
}

// Taps of an operator or of its transpose, one after another: the k-th of place i at k * places + i; index -1: none.
struct TapTable {
    std::int64_t places = 0;
    std::int64_t depth = 0;
    std::vector<std::int32_t> index;
    std::vector<double> weight;

    // Does every place copy one input?
    bool copies() const {
        return depth == 1 && std::ranges::all_of(index, [](std::int32_t i) { return i >= 0; }) &&
               std::ranges::all_of(weight, [](double w) { return w == 1; });
    }
};

TapTable tap_table(const Taps& taps, std::int64_t in, std::int64_t out, bool transposed) {
    std::vector<std::vector<std::pair<std::int64_t, double>>> of_place(static_cast<std::size_t>(transposed ? in : out));
    for (std::int64_t i = 0; i < out; ++i) {
        for (std::size_t k = taps.begin[static_cast<std::size_t>(i)]; k < taps.begin[static_cast<std::size_t>(i) + 1];
             ++k) {
            if (transposed)
                of_place[static_cast<std::size_t>(taps.index[k])].emplace_back(i, taps.weight[k]);
            else
                of_place[static_cast<std::size_t>(i)].emplace_back(taps.index[k], taps.weight[k]);
        }
    }
    TapTable table;
    table.places = transposed ? in : out;
    for (const auto& place : of_place) table.depth = std::max(table.depth, static_cast<std::int64_t>(place.size()));
    table.index.resize(static_cast<std::size_t>(table.places * table.depth), -1);
    table.weight.resize(table.index.size());
    for (std::size_t i = 0; i < of_place.size(); ++i) {
        for (std::size_t k = 0; k < of_place[i].size(); ++k) {
            const std::size_t at = k * of_place.size() + i;
            table.index[at] = static_cast<std::int32_t>(of_place[i][k].first);
            table.weight[at] = of_place[i][k].second;
        }
    }
    return table;
}

// Adjacent places: a vector of places at once.
template <typename T>
void weigh_neighbours(const TapTable& taps, const T* weights, const T* from, T* to) {
    const std::int64_t places = taps.places, depth = taps.depth;
    const std::int32_t* indices = taps.index.data();
    with_best_instructions([=]() LOUPE_INLINE {
#pragma omp simd
        for (std::int64_t i = 0; i < places; ++i) to[i] = 0;
        for (std::int64_t k = 0; k < depth; ++k) {
            const std::int32_t* index = indices + k * places;
            const T* weight = weights + k * places;
#pragma omp simd
            for (std::int64_t i = 0; i < places; ++i) {
                const T term = weight[i] * from[index[i] < 0 ? 0 : index[i]];
                to[i] += index[i] < 0 ? T(0) : term;
            }
        }
    });
}

// Place i of [places, inner]: a vector along inner.
template <typename T>
LOUPE_INLINE inline void weigh_slices(const TapTable& taps, const T* weights, std::int64_t i, std::int64_t inner,
                                      const T* from, T* to) {
    const std::int32_t* index = taps.index.data() + i;
    const std::int64_t places = taps.places, depth = taps.depth;
    std::int64_t k = 0;
    if (depth >= 2 && index[places] >= 0) {
        const T *a = from + index[0] * inner, *b = from + index[places] * inner;
        const T u = weights[i], v = weights[places + i];
#pragma omp simd
        for (std::int64_t j = 0; j < inner; ++j) to[j] = u * a[j] + v * b[j];
        k = 2;
    } else {
#pragma omp simd
        for (std::int64_t j = 0; j < inner; ++j) to[j] = 0;
    }
    for (; k < depth && index[k * places] >= 0; ++k) {
        const T* a = from + index[k * places] * inner;
        const T w = weights[k * places + i];
#pragma omp simd
        for (std::int64_t j = 0; j < inner; ++j) to[j] += w * a[j];
    }
}

// Where every place copies an input.
template <typename T>
void copy_places(const TapTable& taps, std::int64_t outer, std::int64_t size, std::int64_t inner, const T* from,
                 T* to) {
    const std::int64_t places = taps.places;
    const std::int32_t* index = taps.index.data();
    parallel_for(0, outer, std::max<std::int64_t>(1, 16384 / (inner * places)),
                 [&](std::int64_t begin, std::int64_t end) {
                     if (inner > 1) {
                         for (std::int64_t n = begin * places; n < end * places; ++n) {
                             std::copy_n(from + (n / places * size + index[n % places]) * inner, inner, to + n * inner);
                         }
                         return;
                     }
                     with_best_instructions([&]() LOUPE_INLINE {
                         for (std::int64_t n = begin; n < end; ++n) {
                             const T* source = from + n * size;
                             T* target = to + n * places;
#pragma omp simd
                             for (std::int64_t i = 0; i < places; ++i) target[i] = source[index[i]];
                         }
                     });
                 });
}

// Along the middle of [outer, size, inner].
template <typename T>
void apply(const TapTable& taps, std::int64_t outer, std::int64_t size, std::int64_t inner, const T* from, T* to) {
    if (taps.copies()) return copy_places(taps, outer, size, inner, from, to);
    const std::vector<T> weights(taps.weight.begin(), taps.weight.end());
    const std::int64_t places = taps.places;
    const std::int64_t work = std::max<std::int64_t>(1, inner * taps.depth);
    if (inner == 1) {
        parallel_for(0, outer, std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, work * places)),
                     [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t n = begin; n < end; ++n)
                             weigh_neighbours(taps, weights.data(), from + n * size, to + n * places);
                     });
        return;
    }
    parallel_for(0, outer * places, std::max<std::int64_t>(1, 16384 / work), [&](std::int64_t begin, std::int64_t end) {
        with_best_instructions([&]() LOUPE_INLINE {
            for (std::int64_t n = begin; n < end; ++n) {
                weigh_slices(taps, weights.data(), n % places, inner, from + n / places * size * inner, to + n * inner);
            }
        });
    });
}

// The same in bfloat16, with PyTorch's rounding: of the weights, of each product and of each sum.
void apply_in_steps(const TapTable& taps, std::int64_t outer, std::int64_t size, std::int64_t inner, const float* from,
                    float* to) {
    const auto rounded = [](float value) { return static_cast<float>(BFloat16(value)); };
    for (std::int64_t n = 0; n < outer * taps.places; ++n) {
        const std::int64_t place = n % taps.places;
        const float* source = from + n / taps.places * size * inner;
        for (std::int64_t j = 0; j < inner; ++j) {
            float sum = 0;
            for (std::int64_t at = place;
                 at < taps.places * taps.depth && taps.index[static_cast<std::size_t>(at)] >= 0; at += taps.places) {
                const float weight = rounded(static_cast<float>(taps.weight[static_cast<std::size_t>(at)]));
                sum = rounded(sum + rounded(weight * source[taps.index[static_cast<std::size_t>(at)] * inner + j]));
            }
            to[n * inner + j] = sum;
        }
    }
}

// The gradient of linear and cubic interpolation in bfloat16 as PyTorch accumulates it: each output adds to the inputs
// that it read, every product and sum rounded. from [planes, output places], to [planes, input places], both float.
void scatter_in_steps(std::span<const Taps> taps, IntSpan in, IntSpan out, bool is_cubic, std::int64_t planes,
                      const float* from, float* to) {
    const std::size_t spatial = taps.size();
    std::int64_t in_places = 1, out_places = 1, corners = 1;
    for (std::size_t d = 0; d < spatial; ++d) {
        in_places *= in[d];
        out_places *= out[d];
        corners *= is_cubic ? 4 : 2;
    }
    std::fill_n(to, planes * in_places, 0.0F);
    for (std::int64_t n = 0; n < planes * out_places; ++n) {
        float* plane = to + n / out_places * in_places;
        const Rounded grad(from[n]);
        for (std::int64_t corner = 0; corner < corners; ++corner) {
            Rounded share = is_cubic ? grad : Rounded(1);
            std::int64_t place = 0, step = 1, rest = n % out_places;
            std::array<Rounded, 3> weights;
            for (std::size_t d = spatial; d-- > 0;) {
                // Linear: the last dimension's tap changes first; cubic: the first dimension's.
                const std::int64_t depth = is_cubic ? 4 : 2;
                const std::size_t turn = is_cubic ? d : spatial - 1 - d;
                std::int64_t tap = corner;
                for (std::size_t k = 0; k < turn; ++k) tap /= depth;
                const std::size_t at =
                    taps[d].begin[static_cast<std::size_t>(rest % out[d])] + static_cast<std::size_t>(tap % depth);
                weights[d] = Rounded(static_cast<float>(taps[d].weight[at]));
                place += taps[d].index[at] * step;
                step *= in[d];
                rest /= out[d];
            }
            for (std::size_t d = 0; d < spatial; ++d) share = d == 0 && !is_cubic ? weights[0] : share * weights[d];
            if (!is_cubic) share = share * grad;
            plane[place] = (Rounded(plane[place]) + share).value;
        }
    }
}

struct Options {
    bool align = false;
    std::array<std::optional<double>, 3> scales;
};

// t with its channels as the last dimension.
Tensor channels_as_last(const Tensor& t) {
    Dims sizes = to_dims(t.sizes()), strides = to_dims(t.strides());
    std::rotate(sizes.begin() + 1, sizes.begin() + 2, sizes.end());
    std::rotate(strides.begin() + 1, strides.begin() + 2, strides.end());
    return t.view_as_strided(span_of(sizes), span_of(strides), t.storage_offset());
}

// The dimensions one after another; the gradient in the opposite order.
void interpolate(Interpolation mode, const Options& options, Tensor source, Tensor result, std::size_t spatial,
                 bool transposed) {
    if (result.numel() == 0) return;
    const bool last = prefers_channels_last(source) && prefers_channels_last(result);
    if (last) {
        source = channels_as_last(source);
        result = channels_as_last(result);
    }
    const std::size_t first = last ? 1 : 2;
    const Tensor& small = transposed ? result : source;  // the operator's input side
    const Tensor& large = transposed ? source : result;
    const bool narrow = source.dtype() == ScalarType::BFloat16 && has_align(mode) && !last;
    const bool in_steps = narrow && !transposed;
    if (narrow && transposed && (mode == Interpolation::Linear || mode == Interpolation::Cubic)) {
        std::vector<Taps> taps;
        for (std::size_t d = 0; d < spatial; ++d) {
            taps.push_back(make_taps(mode, small.sizes()[d + 2], large.sizes()[d + 2], options.align, options.scales[d],
                                     mode == Interpolation::Cubic ? Rounding::Places : Rounding::Distance));
        }
        const Tensor from = packed_as(source, ScalarType::Float32);
        const Tensor to = empty(result.sizes(), ScalarType::Float32);
        scatter_in_steps(taps, small.sizes().subspan(2), large.sizes().subspan(2), mode == Interpolation::Cubic,
                         result.sizes()[0] * result.sizes()[1], from.data<float>(), to.data<float>());
        return convert_into(result, to);
    }
    // Copies: short rows first; later dimensions then copy whole rows.
    const bool from_the_last =
        transposed || in_steps || mode == Interpolation::Nearest || mode == Interpolation::NearestExact;
    visit_floating(is_integral(source.dtype()) ? ScalarType::Float32 : source.dtype(), "upsample",
                   [&]<typename T>(std::type_identity<T>) {
                       constexpr ScalarType kAs = scalar_type_of<T>;
                       Tensor now = packed_as(source, kAs);
                       for (std::size_t step = 0; step < spatial; ++step) {
                           const std::size_t d = from_the_last ? spatial - 1 - step : step;
                           const std::int64_t in = small.sizes()[d + first];
                           const std::int64_t out = large.sizes()[d + first];
                           Dims sizes = to_dims(now.sizes());
                           std::int64_t outer = 1;
                           std::int64_t inner = 1;
                           for (std::size_t i = 0; i < d + first; ++i) outer *= sizes[i];
                           for (std::size_t i = d + first + 1; i < sizes.size(); ++i) inner *= sizes[i];
                           const std::int64_t size = std::exchange(sizes[d + first], transposed ? in : out);
                           const bool fits = step + 1 == spatial && result.dtype() == kAs && result.is_contiguous();
                           const Tensor next = fits ? result : empty(span_of(sizes), kAs);
                           const Taps taps = make_taps(mode, in, out, options.align, options.scales[d],
                                                       narrow ? Rounding::Distance : Rounding::None);
                           const TapTable table = tap_table(taps, in, out, transposed);
                           if constexpr (std::is_same_v<T, float>) {
                               if (in_steps)
                                   apply_in_steps(table, outer, size, inner, now.data<float>(), next.data<float>());
                           }
                           if (!in_steps) apply<T>(table, outer, size, inner, now.data<T>(), next.data<T>());
                           now = next;
                       }
                       if (!now.is_same(result)) convert_into(result, now);
                   });
}

// ---- arguments, in the two forms: sizes or factors as lists (vec), or sizes and one scale a dimension

template <Interpolation mode, std::size_t N, bool Vec>
Options options_at(Arguments arguments, std::size_t at) {
    Options options;
    if constexpr (has_align(mode)) options.align = arguments[at++].to_bool();
    if constexpr (Vec) {
        if (arguments[at].is_none()) return options;
        const std::vector<double> factors = arguments[at].to_doubles();
        for (std::size_t i = 0; i < std::min(N, factors.size()); ++i) options.scales[i] = factors[i];
    } else {
        for (std::size_t i = 0; i < N; ++i) {
            if (!arguments[at + i].is_none()) options.scales[i] = arguments[at + i].to_double();
        }
    }
    return options;
}

template <std::size_t N>
std::string extents_text(IntSpan sizes) {
    constexpr std::array<const char*, 3> kNames{"D", "H", "W"};
    std::string text = "(";
    for (std::size_t i = 0; i < N; ++i) text += concat(i == 0 ? "" : ", ", kNames[3 - N + i], ": ", sizes[i]);
    return text + ")";
}

template <Interpolation mode, std::size_t N, bool Vec>
Dims output_sizes(const Tensor& x, Arguments arguments) {
    Dims out;
    if (!arguments[1].is_none()) out = arguments[1].to_ints();
    if constexpr (Vec) {
        const IValue& factors = arguments[has_align(mode) ? 3 : 2];
        require(arguments[1].is_none() != factors.is_none(),
                "Must specify exactly one of output_size and scale_factors");
        if (!factors.is_none()) {
            const std::vector<double> values = factors.to_doubles();
            require(values.size() == N, "It is expected scale_factors equals to ", N, ", but got size ", values.size());
            for (std::size_t i = 0; i < N && i + 2 < x.sizes().size(); ++i) {
                out.push_back(static_cast<std::int64_t>(static_cast<double>(x.sizes()[i + 2]) * values[i]));
            }
        }
    }
    require(x.dim() == static_cast<std::int64_t>(N) + 2, "It is expected input_size equals to ", N + 2,
            ", but got size ", x.dim());
    require(out.size() == N, "It is expected output_size equals to ", N, ", but got size ", out.size());
    const IntSpan in = x.sizes().subspan(2);
    const bool positive = std::all_of(in.begin(), in.end(), [](auto n) { return n > 0; }) &&
                          std::all_of(out.begin(), out.end(), [](auto n) { return n > 0; });
    require(positive, "Input and output sizes should be greater than 0, but got input ", extents_text<N>(in),
            " output ", extents_text<N>(span_of(out)));
    require(x.sizes()[1] > 0, "Non-empty ", N + 2, "D data tensor expected but got a tensor with sizes ",
            shape_list_text(x.sizes()));
    Dims sizes{x.sizes()[0], x.sizes()[1]};
    sizes.insert(sizes.end(), out.begin(), out.end());
    return sizes;
}

template <Interpolation mode, std::size_t N, bool Vec>
void infer_upsample(Arguments arguments, MetaList& outputs) {
    const Tensor x = arguments[0].to_tensor();
    outputs.push_back(follow_layout(output_sizes<mode, N, Vec>(x, arguments), x));
}
template <Interpolation mode, std::size_t N, bool Vec>
void run_upsample(Arguments arguments, IValue* results) {
    interpolate(mode, options_at<mode, N, Vec>(arguments, 2), arguments[0].to_tensor(), results[0].to_tensor(), N,
                false);
}
template <Interpolation mode, std::size_t N, bool Vec>
void infer_upsample_backward(Arguments arguments, MetaList& outputs) {
    const Tensor grad = arguments[0].to_tensor();
    const Dims input = arguments[2].to_ints();
    require(input.size() == N + 2, "It is expected input_size equals to ", N + 2, ", but got size ", input.size());
    checked_numel(span_of(input));
    // The forward call, of an input without elements.
    const Tensor like = meta_tensor({input, grad.dtype(), grad.device()});
    std::vector<IValue> forward{like, arguments[1]};
    forward.insert(forward.end(), arguments.begin() + 3, arguments.end());
    require_sizes(grad, span_of(output_sizes<mode, N, Vec>(like, forward)), "grad_output");
    outputs.push_back(follow_layout(input, grad));
}
template <Interpolation mode, std::size_t N, bool Vec>
void run_upsample_backward(Arguments arguments, IValue* results) {
    interpolate(mode, options_at<mode, N, Vec>(arguments, 3), arguments[0].to_tensor(), results[0].to_tensor(), N,
                true);
}

// The other operator of the pair, by name, with the same options.
template <std::size_t Options>
Tensor call_pair(const char* name, std::vector<IValue> arguments, const GradientContext& c, std::size_t first) {
    for (std::size_t i = 0; i < Options; ++i) arguments.push_back(c.value(first + i));
    std::array<IValue, 1> result;
    call_operator(detail::operator_or_throw(name), arguments, result.data());
    return result[0].to_tensor();
}

// Nones at the end: for the scales, one or one a dimension.
template <std::size_t N, bool Align, std::size_t Nones>
std::vector<Sample> samples(Random& random, ScalarType dtype) {
    Dims sizes{1, 2};
    for (std::size_t i = 0; i < N; ++i) sizes.push_back(4 - static_cast<std::int64_t>(i % 2));
    Sample sample{{random_tensor(random, span_of(sizes), dtype), Dims(N, 7)}};
    if (Align) sample.arguments.emplace_back(false);
    sample.arguments.insert(sample.arguments.end(), Nones, IValue());
    return {sample};
}
template <std::size_t N, bool Align, std::size_t Nones>
std::vector<Sample> backward_samples(Random& random, ScalarType dtype) {
    std::vector<Sample> all = samples<N, Align, Nones>(random, dtype);
    for (Sample& sample : all) {
        const Dims input = to_dims(sample.arguments[0].to_tensor().sizes());
        Dims output{input[0], input[1]};
        output.insert(output.end(), N, 7);
        sample.arguments[0] = random_tensor(random, span_of(output), dtype);
        sample.arguments.insert(sample.arguments.begin() + 2, input);
    }
    return all;
}

constexpr std::string_view formula_of(Interpolation mode, int rank) {
    switch (mode) {
        case Interpolation::Nearest:
            return "out[p] = self[floor(p H_in / H_out)]";
        case Interpolation::NearestExact:
            return "out[p] = self[floor((p + 1 / 2) H_in / H_out)]";
        case Interpolation::Linear:
        case Interpolation::LinearSmooth:
            if (rank == 1) return "out[p] = (1 - t) self[i] + t self[i + 1], i + t = (p + 1 / 2) H_in / H_out - 1 / 2";
            if (rank == 2) return "out[p, q] = sum_{i, j} w(i, p) w(j, q) self[i, j], w linear between neighbours";
            return "out[p, q, r] = sum_{i, j, k} w(i, p) w(j, q) w(k, r) self[i, j, k], w linear between neighbours";
        case Interpolation::Cubic:
        case Interpolation::CubicSmooth:
            return "out[p, q] = sum_{i, j} w(i, p) w(j, q) self[i, j], w cubic over four neighbours, a = -3 / 4";
    }
    return {};
}
constexpr std::string_view kWeighted =
    "self: grad, added to the inputs it was read from with the same weights\n"
    "input: grad, added to the inputs it was read from with the same weights";

}  // namespace

#define LOUPE_UPSAMPLE(Name, mode, n, text, node, align, align_count, scales, sizes_in, words)                         \
    namespace {                                                                                                        \
    void Name##_gradient(GradientContext& c) {                                                                         \
        c.grad("self", [&] {                                                                                           \
            return call_pair<align_count + n>(                                                                         \
                "aten::" text "_backward", {c.grad_output(), c.value("output_size"), to_dims(c.sizes("self"))}, c, 2); \
        });                                                                                                            \
    }                                                                                                                  \
    void Name##_vec_gradient(GradientContext& c) {                                                                     \
        c.grad("input", [&] {                                                                                          \
            return call_pair<align_count + 1>("aten::" text "_backward.vec",                                           \
                                              {c.grad_output(), c.value("output_size"), to_dims(c.sizes("input"))}, c, \
                                              2);                                                                      \
        });                                                                                                            \
    }                                                                                                                  \
    void Name##_double_gradient(GradientContext& c) {                                                                  \
        c.grad("grad_output", [&] {                                                                                    \
            return call_pair<align_count + n>("aten::" text, {c.grad_output(), c.value("output_size")}, c, 3);         \
        });                                                                                                            \
    }                                                                                                                  \
    void Name##_vec_double_gradient(GradientContext& c) {                                                              \
        c.grad("grad_output", [&] {                                                                                    \
            return call_pair<align_count + 1>("aten::" text ".vec", {c.grad_output(), c.value("output_size")}, c, 3);  \
        });                                                                                                            \
    }                                                                                                                  \
    }                                                                                                                  \
    constexpr OperatorRecord k##Name = {                                                                               \
        .schema = "aten::" text "(Tensor self, SymInt[" #n "] output_size" align scales ") -> Tensor",                 \
        .summary = words,                                                                                              \
        .formula = formula_of(Interpolation::mode, n),                                                                 \
        .infer = infer_upsample<Interpolation::mode, n, false>,                                                        \
        .kernel = FillingKernel{run_upsample<Interpolation::mode, n, false>},                                          \
        .derivative = {Name##_gradient, {}, node "Backward0"},                                                         \
        .gradient = kWeighted,                                                                                         \
        .samples = samples<n, align_count != 0, n>,                                                                    \
        .variants = kOut,                                                                                              \
        .out = {.refusal = out_refusal::kStructured},                                                                  \
    };                                                                                                                 \
    constexpr OperatorRecord k##Name##Vec = {                                                                          \
        .schema =                                                                                                      \
            "aten::" text ".vec(Tensor input, SymInt[]? output_size" align ", float[]? scale_factors) -> Tensor",      \
        .summary = words,                                                                                              \
        .infer = infer_upsample<Interpolation::mode, n, true>,                                                         \
        .kernel = FillingKernel{run_upsample<Interpolation::mode, n, true>},                                           \
        .derivative = {Name##_vec_gradient, {}, node "Backward1"},                                                     \
        .samples = samples<n, align_count != 0, 1>,                                                                    \
        .variants = kOut,                                                                                              \
        .out = {.overload = "vec_out"},                                                                                \
    };                                                                                                                 \
    constexpr OperatorRecord k##Name##Backward = {                                                                     \
        .schema = "aten::" text "_backward(Tensor grad_output, SymInt[" #n "] output_size, SymInt[" sizes_in           \
                  "] input_size" align scales ") -> Tensor",                                                           \
        .summary = "Gradient of " text ".",                                                                            \
        .infer = infer_upsample_backward<Interpolation::mode, n, false>,                                               \
        .kernel = FillingKernel{run_upsample_backward<Interpolation::mode, n, false>},                                 \
        .derivative = {Name##_double_gradient, {}, node "BackwardBackward0"},                                          \
        .gradient = "grad_output: grad, resampled as forward",                                                         \
        .samples = backward_samples<n, align_count != 0, n>,                                                           \
        .variants = kOut,                                                                                              \
        .out = {.overload = "grad_input", .names = "grad_input", .refusal = out_refusal::kStructured},                 \
    };                                                                                                                 \
    constexpr OperatorRecord k##Name##BackwardVec = {                                                                  \
        .schema = "aten::" text "_backward.vec(Tensor grad_output, SymInt[]? output_size, SymInt[] input_size" align   \
                  ", float[]? scale_factors) -> Tensor",                                                               \
        .summary = "Gradient of " text ".",                                                                            \
        .infer = infer_upsample_backward<Interpolation::mode, n, true>,                                                \
        .kernel = FillingKernel{run_upsample_backward<Interpolation::mode, n, true>},                                  \
        .derivative = {Name##_vec_double_gradient, {}, node "BackwardBackward1"},                                      \
        .samples = backward_samples<n, align_count != 0, 1>,                                                           \
        .variants = kOut,                                                                                              \
        .out = {.overload = "vec_out"},                                                                                \
    };
#define LOUPE_ALIGN ", bool align_corners"
#define LOUPE_SCALES1 ", float? scales=None"
#define LOUPE_SCALES2 ", float? scales_h=None, float? scales_w=None"
#define LOUPE_SCALES3 ", float? scales_d=None, float? scales_h=None, float? scales_w=None"

LOUPE_UPSAMPLE(UpsampleNearest1d, Nearest, 1, "upsample_nearest1d", "UpsampleNearest1D", "", 0, LOUPE_SCALES1, "3",
               "Each place copies the nearest input, rounding down.")
LOUPE_UPSAMPLE(UpsampleNearest2d, Nearest, 2, "upsample_nearest2d", "UpsampleNearest2D", "", 0, LOUPE_SCALES2, "4",
               "Each place copies the nearest input, rounding down.")
LOUPE_UPSAMPLE(UpsampleNearest3d, Nearest, 3, "upsample_nearest3d", "UpsampleNearest3D", "", 0, LOUPE_SCALES3, "5",
               "Each place copies the nearest input, rounding down.")
LOUPE_UPSAMPLE(UpsampleNearestExact1d, NearestExact, 1, "_upsample_nearest_exact1d", "UpsampleNearestExact1D", "", 0,
               LOUPE_SCALES1, "3", "Each place copies the input nearest to its centre.")
LOUPE_UPSAMPLE(UpsampleNearestExact2d, NearestExact, 2, "_upsample_nearest_exact2d", "UpsampleNearestExact2D", "", 0,
               LOUPE_SCALES2, "4", "Each place copies the input nearest to its centre.")
LOUPE_UPSAMPLE(UpsampleNearestExact3d, NearestExact, 3, "_upsample_nearest_exact3d", "UpsampleNearestExact3D", "", 0,
               LOUPE_SCALES3, "5", "Each place copies the input nearest to its centre.")
LOUPE_UPSAMPLE(UpsampleLinear1d, Linear, 1, "upsample_linear1d", "UpsampleLinear1D", LOUPE_ALIGN, 1, LOUPE_SCALES1, "3",
               "Linear interpolation of a sequence.")
LOUPE_UPSAMPLE(UpsampleBilinear2d, Linear, 2, "upsample_bilinear2d", "UpsampleBilinear2D", LOUPE_ALIGN, 1,
               LOUPE_SCALES2, "4", "Linear interpolation of a plane.")
LOUPE_UPSAMPLE(UpsampleTrilinear3d, Linear, 3, "upsample_trilinear3d", "UpsampleTrilinear3D", LOUPE_ALIGN, 1,
               LOUPE_SCALES3, "5", "Linear interpolation of a volume.")
LOUPE_UPSAMPLE(UpsampleBicubic2d, Cubic, 2, "upsample_bicubic2d", "UpsampleBicubic2D", LOUPE_ALIGN, 1, LOUPE_SCALES2,
               "4", "Cubic interpolation of a plane.")
LOUPE_UPSAMPLE(UpsampleBilinear2dAa, LinearSmooth, 2, "_upsample_bilinear2d_aa", "UpsampleBilinear2DAa", LOUPE_ALIGN, 1,
               LOUPE_SCALES2, "4", "Linear interpolation of a plane, smoothed where it shrinks.")
LOUPE_UPSAMPLE(UpsampleBicubic2dAa, CubicSmooth, 2, "_upsample_bicubic2d_aa", "UpsampleBicubic2DAa", LOUPE_ALIGN, 1,
               LOUPE_SCALES2, "4", "Cubic interpolation of a plane, smoothed where it shrinks.")

namespace {

constexpr OperatorRecord kRecords[] = {
    kUpsampleNearest1d,
    kUpsampleNearest1dVec,
    kUpsampleNearest1dBackward,
    kUpsampleNearest1dBackwardVec,
    kUpsampleNearest2d,
    kUpsampleNearest2dVec,
    kUpsampleNearest2dBackward,
    kUpsampleNearest2dBackwardVec,
    kUpsampleNearest3d,
    kUpsampleNearest3dVec,
    kUpsampleNearest3dBackward,
    kUpsampleNearest3dBackwardVec,
    kUpsampleNearestExact1d,
    kUpsampleNearestExact1dVec,
    kUpsampleNearestExact1dBackward,
    kUpsampleNearestExact1dBackwardVec,
    kUpsampleNearestExact2d,
    kUpsampleNearestExact2dVec,
    kUpsampleNearestExact2dBackward,
    kUpsampleNearestExact2dBackwardVec,
    kUpsampleNearestExact3d,
    kUpsampleNearestExact3dVec,
    kUpsampleNearestExact3dBackward,
    kUpsampleNearestExact3dBackwardVec,
    kUpsampleLinear1d,
    kUpsampleLinear1dVec,
    kUpsampleLinear1dBackward,
    kUpsampleLinear1dBackwardVec,
    kUpsampleBilinear2d,
    kUpsampleBilinear2dVec,
    kUpsampleBilinear2dBackward,
    kUpsampleBilinear2dBackwardVec,
    kUpsampleTrilinear3d,
    kUpsampleTrilinear3dVec,
    kUpsampleTrilinear3dBackward,
    kUpsampleTrilinear3dBackwardVec,
    kUpsampleBicubic2d,
    kUpsampleBicubic2dVec,
    kUpsampleBicubic2dBackward,
    kUpsampleBicubic2dBackwardVec,
    kUpsampleBilinear2dAa,
    kUpsampleBilinear2dAaVec,
    kUpsampleBilinear2dAaBackward,
    kUpsampleBilinear2dAaBackwardVec,
    kUpsampleBicubic2dAa,
    kUpsampleBicubic2dAaVec,
    kUpsampleBicubic2dAaBackward,
    kUpsampleBicubic2dAaBackwardVec,
};

}  // namespace

std::span<const OperatorRecord> nn_ops::upsample_records() { return kRecords; }

}  // namespace loupe
