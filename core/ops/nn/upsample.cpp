// SPDX-License-Identifier: Apache-2.0
// Interpolation. Every mode is, along each dimension, a sparse matrix; a gradient is its transpose.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/parallel.h"
#include "core/base/truncated.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/device_loops.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/family.h"
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
// The kernels of antialiased modes, by distance.
double smooth_kernel(Interpolation mode, double x) {
    x = std::fabs(x);
    if (mode == Interpolation::LinearSmooth) return x < 1 ? 1 - x : 0;
    return x < 1 ? cubic_near(x, -0.5) : (x < 2 ? cubic_far(x, -0.5) : 0);
}

// Below 0 and what is no number: 0. Above the last: the last.
std::int64_t place(double at, std::int64_t last) {
    if (!(at > 0)) return 0;
    return at < static_cast<double>(last) ? static_cast<std::int64_t>(at) : last;
}

void add_smooth(Taps& taps, Interpolation mode, std::int64_t i, double scale, std::int64_t in) {
    const double half = mode == Interpolation::LinearSmooth ? 1 : 2;
    const double support = scale >= 1 ? half * scale : half;
    const double inverse = scale >= 1 ? 1 / scale : 1;
    const double center = scale * (static_cast<double>(i) + 0.5);
    const auto first = place(center - support + 0.5, in);
    const auto last = place(center + support + 0.5, in);
    double total = 0;
    for (std::int64_t j = first; j < last; ++j)
        total += smooth_kernel(mode, (static_cast<double>(j) - center + 0.5) * inverse);
    for (std::int64_t j = first; j < last; ++j) {
        taps.add(j, smooth_kernel(mode, (static_cast<double>(j) - center + 0.5) * inverse) / (total == 0 ? 1 : total));
    }
}

Taps make_taps(Interpolation mode, std::int64_t in, std::int64_t out, bool align, std::optional<double> given) {
    const double stretch = given && *given > 0 ? 1.0 / *given : static_cast<double>(in) / static_cast<double>(out);
    const double aligned = out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0;
    const double scale = align ? aligned : stretch;
    const auto single = static_cast<float>(stretch);  // PyTorch finds the nearest in float
    Taps taps;
    for (std::int64_t i = 0; i < out; ++i, taps.close()) {
        const double center = align ? scale * static_cast<double>(i) : scale * (static_cast<double>(i) + 0.5) - 0.5;
        switch (mode) {
            case Interpolation::Nearest:
                taps.add(place(std::floor(static_cast<float>(i) * single), in - 1), 1);
                break;
            case Interpolation::NearestExact:
                taps.add(place(std::floor((static_cast<float>(i) + 0.5f) * single), in - 1), 1);
                break;
            case Interpolation::Linear: {
                const double real = std::max(center, 0.0);
                const auto low = place(real, in - 1);
                const double share = std::clamp(real - static_cast<double>(low), 0.0, 1.0);
                taps.add(low, 1 - share);
                taps.add(std::min(low + 1, in - 1), share);
                break;
            }
            case Interpolation::Cubic: {
                const double low = std::floor(center);
                const std::array<double, 4> weights = cubic_weights(center - low);
                for (int k = 0; k < 4; ++k) taps.add(place(low - 1 + k, in - 1), weights[static_cast<std::size_t>(k)]);
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

// Whole numbers as the host does it: one dimension after another in float32, and the sum cut off.
bool whole_numbers_there(DeviceLoops& loops, const Tensor& result, const Tensor& source, std::span<const DimTaps> dims,
                         bool transposed) {
    Tensor now = packed_as(source, ScalarType::Float32);
    for (std::size_t step = 2; step < dims.size(); ++step) {
        const std::size_t d = transposed ? dims.size() + 1 - step : step;
        std::vector<DimTaps> one(dims.size());
        one[d] = dims[d];
        Dims sizes = to_dims(now.sizes());
        sizes[d] = dims[d].places;
        const Tensor next = empty(span_of(sizes), ScalarType::Float32, source.device());
        if (!loops.apply_taps(next, now, one)) return false;
        now = next;
    }
    convert_into(result, now);
    return true;
}

// All dimensions at once, on the device that holds the tensors; false where it has no form of it.
bool resample_there(Interpolation mode, const Options& options, const Tensor& source, const Tensor& result,
                    std::size_t spatial, bool transposed) {
    DeviceLoops* const loops = device_loops(result.device());
    if (loops == nullptr) return false;
    const Tensor& small = transposed ? result : source;
    const Tensor& large = transposed ? source : result;
    std::vector<TapTable> tables;
    std::vector<std::vector<std::int64_t>> indices;
    for (std::size_t d = 0; d < spatial; ++d) {
        const std::int64_t in = small.sizes()[d + 2], out = large.sizes()[d + 2];
        tables.push_back(tap_table(make_taps(mode, in, out, options.align, options.scales[d]), in, out, transposed));
        indices.emplace_back(tables.back().index.begin(), tables.back().index.end());
    }
    std::vector<DimTaps> dims(2);
    for (std::size_t d = 0; d < spatial; ++d) {
        const bool copies = tables[d].copies();
        dims.push_back({tables[d].places, tables[d].depth, indices[d],
                        copies ? std::span<const double>() : std::span<const double>(tables[d].weight)});
    }
    // Copies keep the dtype.
    if (!is_integral(source.dtype()) || std::ranges::all_of(tables, &TapTable::copies))
        return loops->apply_taps(result, source, dims);
    return whole_numbers_there(*loops, result, source, dims, transposed);
}

// The dimensions one after another; the gradient in the opposite order.
void interpolate(Interpolation mode, const Options& options, Tensor source, Tensor result, std::size_t spatial,
                 bool transposed) {
    if (result.numel() == 0) return;
    if (!result.device().is_cpu() && resample_there(mode, options, source, result, spatial, transposed)) return;
    const bool last = prefers_channels_last(source) && prefers_channels_last(result);
    if (last) {
        source = channels_as_last(source);
        result = channels_as_last(result);
    }
    const std::size_t first = last ? 1 : 2;
    const Tensor& small = transposed ? result : source;  // the operator's input side
    const Tensor& large = transposed ? source : result;
    // Copies: short rows first; later dimensions then copy whole rows.
    const bool from_the_last = transposed || mode == Interpolation::Nearest || mode == Interpolation::NearestExact;
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
                           const Taps taps = make_taps(mode, in, out, options.align, options.scales[d]);
                           const TapTable table = tap_table(taps, in, out, transposed);
                           apply<T>(table, outer, size, inner, now.data<T>(), next.data<T>());
                           now = next;
                       }
                       if (!now.is_same(result)) convert_into(result, now);
                   });
}

// ---- arguments, in the two forms: sizes or factors as lists (vec), or sizes and one scale a dimension

// Which of the operators: their arguments are read by one code.
struct Form {
    Interpolation mode;
    std::size_t n;  // dimensions that are resampled
    bool is_vec;
};

Options options_at(Form form, Arguments arguments, std::size_t at) {
    Options options;
    if (has_align(form.mode)) options.align = arguments[at++].to_bool();
    if (form.is_vec) {
        if (arguments[at].is_none()) return options;
        const std::vector<double> factors = arguments[at].to_doubles();
        for (std::size_t i = 0; i < std::min(form.n, factors.size()); ++i) options.scales[i] = factors[i];
    } else {
        for (std::size_t i = 0; i < form.n; ++i) {
            if (!arguments[at + i].is_none()) options.scales[i] = arguments[at + i].to_double();
        }
    }
    return options;
}

// Of one, two or three sizes.
std::string extents_text(IntSpan sizes) {
    constexpr std::array<const char*, 3> kNames{"D", "H", "W"};
    const std::size_t n = sizes.size();
    std::string text = "(";
    for (std::size_t i = 0; i < n; ++i) text += concat(i == 0 ? "" : ", ", kNames[3 - n + i], ": ", sizes[i]);
    return text + ")";
}

Dims output_sizes(Form form, const Tensor& x, Arguments arguments) {
    const std::size_t n = form.n;
    Dims out;
    if (!arguments[1].is_none()) out = arguments[1].to_ints();
    if (form.is_vec) {
        const IValue& factors = arguments[has_align(form.mode) ? 3 : 2];
        require(arguments[1].is_none() != factors.is_none(),
                "Must specify exactly one of output_size and scale_factors");
        if (!factors.is_none()) {
            const std::vector<double> values = factors.to_doubles();
            require(values.size() == n, "It is expected scale_factors equals to ", n, ", but got size ", values.size());
            for (std::size_t i = 0; i < n && i + 2 < x.sizes().size(); ++i) {
                out.push_back(truncated(static_cast<double>(x.sizes()[i + 2]) * values[i]));
            }
        }
    }
    require(x.dim() == static_cast<std::int64_t>(n) + 2, "It is expected input_size equals to ", n + 2,
            ", but got size ", x.dim());
    require(out.size() == n, "It is expected output_size equals to ", n, ", but got size ", out.size());
    const IntSpan in = x.sizes().subspan(2);
    const bool positive = std::all_of(in.begin(), in.end(), [](auto size) { return size > 0; }) &&
                          std::all_of(out.begin(), out.end(), [](auto size) { return size > 0; });
    require(positive, "Input and output sizes should be greater than 0, but got input ", extents_text(in), " output ",
            extents_text(span_of(out)));
    require(x.sizes()[1] > 0, "Non-empty ", n + 2, "D data tensor expected but got a tensor with sizes ",
            shape_list_text(x.sizes()));
    Dims sizes{x.sizes()[0], x.sizes()[1]};
    sizes.insert(sizes.end(), out.begin(), out.end());
    return sizes;
}

// PyTorch's, of the CPU.
std::string_view kernel_name(Form form) {
    const bool is_nearest = form.mode == Interpolation::Nearest || form.mode == Interpolation::NearestExact;
    if (form.mode == Interpolation::Cubic) return "compute_indices_weights_cubic";
    if (is_nearest) return form.n == 2 ? "upsample_nearest2d_channels_last" : "compute_indices_weights_nearest";
    return form.n == 2 ? "upsample_bilinear2d_channels_last" : "compute_indices_weights_linear";
}
void infer_forward(Form form, Arguments arguments, MetaList& outputs) {
    const Tensor x = arguments[0].to_tensor();
    const Dims sizes = output_sizes(form, x, arguments);
    const bool is_line = form.mode == Interpolation::Linear && form.n != 2;
    require(is_floating(x.dtype()) || (x.dtype() == ScalarType::UInt8 && !is_line), "\"", kernel_name(form),
            "\" not implemented for '", dtype_graph_name(x.dtype()), "'");
    outputs.push_back(follow_layout(sizes, x));
}
void infer_backward(Form form, Arguments arguments, MetaList& outputs) {
    const Tensor grad = arguments[0].to_tensor();
    const Dims input = arguments[2].to_ints();
    require(input.size() == form.n + 2, "It is expected input_size equals to ", form.n + 2, ", but got size ",
            input.size());
    checked_numel(span_of(input));
    // The forward call, of an input without elements.
    const Tensor like = meta_tensor({input, grad.dtype(), grad.device()});
    std::vector<IValue> forward{like, arguments[1]};
    forward.insert(forward.end(), arguments.begin() + 3, arguments.end());
    require_sizes(grad, span_of(output_sizes(form, like, forward)), "grad_output");
    outputs.push_back(follow_layout(input, grad));
}
// The gradient's kernel too: only where the options begin differs.
void run(Form form, Arguments arguments, IValue* results, bool transposed) {
    interpolate(form.mode, options_at(form, arguments, transposed ? 3 : 2), arguments[0].to_tensor(),
                results[0].to_tensor(), form.n, transposed);
}

template <Interpolation mode, std::size_t N, bool Vec>
void infer_upsample(Arguments arguments, MetaList& outputs) {
    infer_forward({mode, N, Vec}, arguments, outputs);
}
template <Interpolation mode, std::size_t N, bool Vec>
void run_upsample(Arguments arguments, IValue* results) {
    run({mode, N, Vec}, arguments, results, false);
}
template <Interpolation mode, std::size_t N, bool Vec>
void infer_upsample_backward(Arguments arguments, MetaList& outputs) {
    infer_backward({mode, N, Vec}, arguments, outputs);
}
template <Interpolation mode, std::size_t N, bool Vec>
void run_upsample_backward(Arguments arguments, IValue* results) {
    run({mode, N, Vec}, arguments, results, true);
}

// The other operator of the pair, by name, with the same options: so many, from argument `first` on.
Tensor call_pair(const char* name, std::vector<IValue> arguments, const GradientContext& c, std::size_t first,
                 std::size_t options) {
    for (std::size_t i = 0; i < options; ++i) arguments.push_back(c.value(first + i));
    std::array<IValue, 1> result;
    call_operator(detail::operator_or_throw(name), arguments, result.data());
    return result[0].to_tensor();
}
void give_gradient(GradientContext& c, ArgumentPlace input, const char* backward, std::size_t options) {
    c.grad(input, [&] {
        return call_pair(backward, {c.grad_output(), c.value("output_size"), to_dims(c.sizes(input))}, c, 2, options);
    });
}
void give_double_gradient(GradientContext& c, const char* forward, std::size_t options) {
    c.grad("grad_output", [&] { return call_pair(forward, {c.grad_output(), c.value("output_size")}, c, 3, options); });
}

// nones: at the end, for the scales: one, or one a dimension.
std::vector<Sample> forward_sample(Random& random, ScalarType dtype, std::size_t n, bool align, std::size_t nones) {
    Dims sizes{1, 2};
    for (std::size_t i = 0; i < n; ++i) sizes.push_back(4 - static_cast<std::int64_t>(i % 2));
    Sample sample{{random_tensor(random, span_of(sizes), dtype), Dims(n, 7)}};
    if (align) sample.arguments.emplace_back(false);
    sample.arguments.insert(sample.arguments.end(), nones, IValue());
    return {sample};
}
std::vector<Sample> backward_sample(Random& random, ScalarType dtype, std::size_t n, bool align, std::size_t nones) {
    std::vector<Sample> all = forward_sample(random, dtype, n, align, nones);
    for (Sample& sample : all) {
        const Dims input = to_dims(sample.arguments[0].to_tensor().sizes());
        Dims output{input[0], input[1]};
        output.insert(output.end(), n, 7);
        sample.arguments[0] = random_tensor(random, span_of(output), dtype);
        sample.arguments.insert(sample.arguments.begin() + 2, input);
    }
    return all;
}
template <std::size_t N, bool Align, std::size_t Nones>
std::vector<Sample> samples(Random& random, ScalarType dtype) {
    return forward_sample(random, dtype, N, Align, Nones);
}
template <std::size_t N, bool Align, std::size_t Nones>
std::vector<Sample> backward_samples(Random& random, ScalarType dtype) {
    return backward_sample(random, dtype, N, Align, Nones);
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
    void Name##_gradient(GradientContext& c) { give_gradient(c, "self", "aten::" text "_backward", align_count + n); } \
    void Name##_vec_gradient(GradientContext& c) {                                                                     \
        give_gradient(c, "input", "aten::" text "_backward.vec", align_count + 1);                                     \
    }                                                                                                                  \
    void Name##_double_gradient(GradientContext& c) { give_double_gradient(c, "aten::" text, align_count + n); }       \
    void Name##_vec_double_gradient(GradientContext& c) {                                                              \
        give_double_gradient(c, "aten::" text ".vec", align_count + 1);                                                \
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
        .autocast = {.cuda = Autocast::Float32},                                                                       \
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
        .autocast = {.cuda = Autocast::Float32},                                                                       \
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
