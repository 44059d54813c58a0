// SPDX-License-Identifier: Apache-2.0
// avg_pool1d, 2d, 3d and the adaptive ones: means over windows.
#include <algorithm>

#include "core/base/parallel.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/integer_math.h"
#include "core/ops/nn/family.h"
#include "core/ops/nn/pooling.h"
#include "core/ops/nn/simd.h"

namespace loupe {
namespace {

using namespace nn_ops;

// What one output element averages.
struct Window {
    Extents begin;
    Extents end;
    std::int64_t divisor;
};

struct AverageRule {
    bool count_include_pad = true;
    std::optional<std::int64_t> divisor_override;
    bool adaptive = false;
};

// A window along one dimension: the elements inside the input, and how many count.
struct Span {
    std::int64_t begin;
    std::int64_t end;
    std::int64_t counted;
};
Span span_along(const PoolShape& s, const AverageRule& rule, std::size_t d, std::int64_t at) {
    if (rule.adaptive) {
        const std::int64_t begin = at * s.input[d] / s.output[d];
        const std::int64_t end = ((at + 1) * s.input[d] + s.output[d] - 1) / s.output[d];
        return {begin, end, std::max<std::int64_t>(0, end - begin)};
    }
    const std::int64_t start = at * s.stride[d] - s.padding[d];
    const std::int64_t stop = std::min(start + s.kernel[d], s.input[d] + s.padding[d]);
    const std::int64_t begin = std::max<std::int64_t>(start, 0), end = std::min(stop, s.input[d]);
    return {begin, end, rule.count_include_pad ? stop - start : std::max<std::int64_t>(0, end - begin)};
}

Window window_of(const PoolShape& s, const AverageRule& rule, std::int64_t pixel) {
    const Extents at{pixel / (s.output[1] * s.output[2]), pixel / s.output[2] % s.output[1], pixel % s.output[2]};
    Window window{};
    std::int64_t counted = 1;
    for (std::size_t d = 0; d < 3; ++d) {
        const Span span = span_along(s, rule, d, at[d]);
        window.begin[d] = span.begin;
        window.end[d] = span.end;
        counted *= span.counted;
    }
    window.divisor = rule.divisor_override.value_or(counted);
    return window;
}

template <typename Visit>
void for_each_row(const PoolShape& s, const Window& window, Visit&& visit) {
    for (std::int64_t d = window.begin[0]; d < window.end[0]; ++d) {
        for (std::int64_t h = window.begin[1]; h < window.end[1]; ++h) visit((d * s.input[1] + h) * s.input[2]);
    }
}

// Calls f(std::type_identity<T>{}) with float, double or int64.
template <typename F>
void visit_average_dtype(ScalarType dtype, F&& f) {
    if (compute_dtype(dtype) == ScalarType::Int64 && dtype != ScalarType::Bool)
        return f(std::type_identity<std::int64_t>{});
    visit_floating(dtype, "avg_pool2d", f);
}

// Integers wrap around.
template <typename T>
LOUPE_INLINE inline T plus(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return wrapping_sum(a, b);
    else
        return a + b;
}

// Row (d, h) of the result: rows of the input added up, and of their sums the windows'. sums: room for a row of the
// input.
template <typename T>
LOUPE_INLINE inline void average_row(const PoolShape& s, const AverageRule& rule, const Span& deep, const Span& high,
                                     const std::vector<Span>& columns, const T* plane, T* sums, T* to) {
    const std::int64_t width = s.input[2];
    std::fill_n(sums, width, T(0));
    for (std::int64_t d = deep.begin; d < deep.end; ++d) {
        for (std::int64_t h = high.begin; h < high.end; ++h) {
            const T* row = plane + (d * s.input[1] + h) * width;
#pragma omp simd
            for (std::int64_t w = 0; w < width; ++w) sums[w] = plus(sums[w], row[w]);
        }
    }
    const std::int64_t counted = deep.counted * high.counted;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        T sum = 0;
        for (std::int64_t w = columns[i].begin; w < columns[i].end; ++w) sum = plus(sum, sums[w]);
        const std::int64_t divisor = rule.divisor_override.value_or(counted * columns[i].counted);
        to[i] = divisor == 0 ? T(0) : static_cast<T>(sum / static_cast<T>(divisor));
    }
}

void average(const PoolShape& s, const AverageRule& rule, const Tensor& self, const Tensor& out) {
    if (out.numel() == 0) return;
    visit_average_dtype(self.dtype(), [&]<typename T>(std::type_identity<T>) {
        const Tensor x = packed_as(self, scalar_type_of<T>);
        const Tensor y = out.dtype() == x.dtype() ? buffer_for(out) : empty(out.sizes(), x.dtype());
        std::vector<Span> columns;
        for (std::int64_t w = 0; w < s.output[2]; ++w) columns.push_back(span_along(s, rule, 2, w));
        const std::int64_t rows = s.output[0] * s.output[1];
        parallel_for(0, s.planes * rows, std::max<std::int64_t>(1, 2048 / s.output[2]),
                     [&](std::int64_t begin, std::int64_t end) {
                         std::vector<T> sums(static_cast<std::size_t>(s.input[2]));
                         with_best_instructions([&]() LOUPE_INLINE {
                             for (std::int64_t i = begin; i < end; ++i) {
                                 const Span deep = span_along(s, rule, 0, i % rows / s.output[1]),
                                            high = span_along(s, rule, 1, i % s.output[1]);
                                 average_row(s, rule, deep, high, columns, x.data<T>() + i / rows * s.input_pixels(),
                                             sums.data(), y.data<T>() + i * s.output[2]);
                             }
                         });
                     });
        if (!y.is_same(out)) convert_into(out, y);
    });
}

// A 16-bit type is rounded to after each step of the gradient.
template <typename T>
T rounded_to(ScalarType dtype, T value) {
    if constexpr (std::is_same_v<T, float>) {
        if (dtype == ScalarType::BFloat16) return static_cast<float>(BFloat16(value));
        if (dtype == ScalarType::Float16) return static_cast<float>(Half(value));
    }
    return value;
}

// The size of windows that tile the input; none for others.
std::optional<Extents> tile_of(const PoolShape& s, const AverageRule& rule) {
    Extents tile{};
    for (std::size_t d = 0; d < 3; ++d) {
        if (s.output[d] == 0 || s.input[d] % s.output[d] != 0) return std::nullopt;
        tile[d] = s.input[d] / s.output[d];
        if (!rule.adaptive && (s.kernel[d] != tile[d] || s.stride[d] != tile[d] || s.padding[d] != 0))
            return std::nullopt;
    }
    return tile;
}

// Of windows that tile the input: each gradient is copied over its window.
template <typename T>
void spread_over_tiles(const PoolShape& s, const Extents& tile, T factor, const T* from, T* to) {
    const std::int64_t width = s.input[2], rows = s.output[0] * s.output[1];
    parallel_for(0, s.planes * rows, std::max<std::int64_t>(1, 8192 / (width * tile[1])),
                 [&](std::int64_t begin, std::int64_t end) {
                     std::vector<T> row(static_cast<std::size_t>(width));
                     for (std::int64_t i = begin; i < end; ++i) {
                         for (std::int64_t w = 0; w < s.output[2]; ++w)
                             std::fill_n(row.begin() + w * tile[2], tile[2], from[i * s.output[2] + w] / factor);
                         const std::int64_t plane = i / rows, deep = i % rows / s.output[1] * tile[0],
                                            high = i % s.output[1] * tile[1];
                         for (std::int64_t d = deep; d < deep + tile[0]; ++d) {
                             for (std::int64_t h = high; h < high + tile[1]; ++h) {
                                 std::copy(row.begin(), row.end(),
                                           to + plane * s.input_pixels() + (d * s.input[1] + h) * width);
                             }
                         }
                     }
                 });
}

void spread_gradient(const PoolShape& s, const AverageRule& rule, const Tensor& grad_output, const Tensor& grad_input) {
    if (grad_input.numel() == 0) return;
    const std::optional<Extents> tile = tile_of(s, rule);
    if (tile && grad_input.is_contiguous() && grad_input.dtype() == grad_output.dtype() &&
        compute_dtype(grad_output.dtype()) == grad_output.dtype() && is_floating(grad_output.dtype())) {
        const std::int64_t divisor = rule.divisor_override.value_or((*tile)[0] * (*tile)[1] * (*tile)[2]);
        return visit_floating(grad_output.dtype(), "avg_pool2d", [&]<typename T>(std::type_identity<T>) {
            const Tensor g = packed(grad_output);
            spread_over_tiles(s, *tile, static_cast<T>(divisor), g.data<T>(), grad_input.data<T>());
        });
    }
    const ScalarType dtype = grad_output.dtype();
    visit_average_dtype(grad_output.dtype(), [&]<typename T>(std::type_identity<T>) {
        const Tensor g = packed_as(grad_output, scalar_type_of<T>);
        const Tensor out =
            grad_input.dtype() == g.dtype() ? buffer_for(grad_input) : empty(grad_input.sizes(), g.dtype());
        fill_zero(out);
        parallel_for(
            0, s.planes, std::max<std::int64_t>(1, 4096 / s.input_pixels()), [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i) {
                    T* plane = out.data<T>() + i * s.input_pixels();
                    const T* from = g.data<T>() + i * s.output_pixels();
                    for (std::int64_t pixel = 0; pixel < s.output_pixels(); ++pixel) {
                        const Window window = window_of(s, rule, pixel);
                        if (window.divisor == 0) continue;
                        const T part = rounded_to(dtype, static_cast<T>(from[pixel] / static_cast<T>(window.divisor)));
                        for_each_row(s, window, [&](std::int64_t row) {
                            for (std::int64_t w = window.begin[2]; w < window.end[2]; ++w)
                                plane[row + w] = rounded_to(dtype, plus(plane[row + w], part));
                        });
                    }
                }
            });
        if (!out.is_same(grad_input)) convert_into(grad_input, out);
    });
}

template <std::size_t Spatial>
PoolShape average_shape(const Tensor& self, const Dims& kernel, const Dims& stride, const Dims& padding, bool ceil,
                        Dims& sizes) {
    return pool_shape(self, {kernel, stride, padding, Dims{1}, ceil}, Spatial, sizes);
}

template <std::size_t Spatial>
TensorMeta infer_avg_pool(const Tensor& self, const Dims& kernel, const Dims& stride, const Dims& padding, bool ceil,
                          bool, const std::optional<std::int64_t>& divisor) {
    require(!divisor || *divisor != 0, "divisor must be not zero");
    Dims sizes;
    average_shape<Spatial>(self, kernel, stride, padding, ceil, sizes);
    return follow_layout(sizes, self);
}
template <std::size_t Spatial>
void avg_pool(const Tensor& out, const Tensor& self, const Dims& kernel, const Dims& stride, const Dims& padding,
              bool ceil, bool include_pad, const std::optional<std::int64_t>& divisor) {
    Dims sizes;
    average(average_shape<Spatial>(self, kernel, stride, padding, ceil, sizes), {include_pad, divisor}, self, out);
}

template <std::size_t Spatial>
TensorMeta infer_avg_pool_backward(const Tensor&, const Tensor& self, const Dims&, const Dims&, const Dims&, bool, bool,
                                   const std::optional<std::int64_t>&) {
    return follow_layout(to_dims(self.sizes()), self);
}
template <std::size_t Spatial>
void avg_pool_backward(const Tensor& out, const Tensor& grad_output, const Tensor& self, const Dims& kernel,
                       const Dims& stride, const Dims& padding, bool ceil, bool include_pad,
                       const std::optional<std::int64_t>& divisor) {
    require(!divisor || *divisor != 0, "divisor must be not zero");
    Dims sizes;
    const PoolShape shape = average_shape<Spatial>(self, kernel, stride, padding, ceil, sizes);
    require_sizes(grad_output, span_of(sizes), "grad_output");
    spread_gradient(shape, {include_pad, divisor}, grad_output, out);
}

template <std::size_t Spatial>
void avg_pool_gradient(GradientContext& c) {
    const auto& backward = Spatial == 2 ? fn::avg_pool2d_backward : fn::avg_pool3d_backward;
    c.grad("self", [&] {
        return backward(c.grad_output(), c.argument("self"), c.value("kernel_size"), c.value("stride"),
                        c.value("padding"), c.value("ceil_mode"), c.value("count_include_pad"),
                        c.value("divisor_override"));
    });
}
template <std::size_t Spatial>
void avg_pool_double_gradient(GradientContext& c) {
    const auto& forward = Spatial == 2 ? fn::avg_pool2d : fn::avg_pool3d;
    c.grad("grad_output", [&] {
        return forward(c.grad_output(), c.value("kernel_size"), c.value("stride"), c.value("padding"),
                       c.value("ceil_mode"), c.value("count_include_pad"), c.value("divisor_override"));
    });
}

Tensor avg_pool1d(const Tensor& self, const Dims& kernel, const Dims& stride, const Dims& padding, bool ceil,
                  bool include_pad) {
    require(self.dim() == 2 || self.dim() == 3, "Expected 2D or 3D input tensor, but got ",
            shape_list_text(self.sizes()));
    require(kernel.size() == 1 && padding.size() == 1 && stride.size() <= 1,
            "avg_pool1d() argument must contain one element");
    const Dims step = stride.empty() ? kernel : stride;
    const Tensor out = fn::avg_pool2d(fn::unsqueeze(self, -2), Dims{1, kernel[0]}, Dims{1, step[0]},
                                      Dims{0, padding[0]}, ceil, include_pad, IValue());
    return fn::squeeze(out, -2);
}

template <std::size_t Spatial>
std::vector<Sample> avg_pool_samples(Random& random, ScalarType dtype) {
    Dims sizes{2, 3};
    for (std::size_t i = 0; i < Spatial; ++i) sizes.push_back(6 - static_cast<std::int64_t>(i));
    const Tensor x = random_tensor(random, span_of(sizes), dtype);
    if constexpr (Spatial == 1) return {{{x, Dims{3}, Dims{2}, Dims{1}, true, false}}};
    return {{{x, Dims(Spatial, 2), Dims{}, Dims(Spatial, 0), false, true, IValue()}},
            {{x, Dims(Spatial, 3), Dims(Spatial, 2), Dims(Spatial, 1), true, true, IValue()}, "padded, ceil"},
            {{x, Dims(Spatial, 3), Dims(Spatial, 2), Dims(Spatial, 1), true, false, IValue()}, "padding not counted"},
            {{x, Dims(Spatial, 2), Dims(Spatial, 1), Dims(Spatial, 0), false, true, 5}, "divisor"}};
}

// ---- adaptive

template <std::size_t Spatial>
PoolShape adaptive_shape(const Tensor& self, IntSpan output) {
    PoolShape s;
    for (std::size_t i = 0; i < Spatial; ++i) {
        s.input[3 - Spatial + i] = self.sizes()[self.sizes().size() - Spatial + i];
        s.output[3 - Spatial + i] = output[output.size() - Spatial + i];
    }
    s.planes =
        self.sizes()[self.sizes().size() - Spatial - 1] * (self.sizes().size() == Spatial + 2 ? self.sizes()[0] : 1);
    return s;
}

template <std::size_t Spatial>
void check_adaptive(const Tensor& self, const Dims& output_size) {
    const std::string name = concat("adaptive_avg_pool", Spatial, "d");
    require(output_size.size() == Spatial, name, ": output_size must be ", Spatial);
    for (const std::int64_t size : output_size) {
        require(size >= 0, name, ": elements of output_size must be greater than or equal to 0 but received {",
                join(output_size, ", "), "}");
    }
    const auto rank = static_cast<std::size_t>(self.dim());
    require(rank == Spatial + 1 || rank == Spatial + 2, name, "(): Expected ", Spatial + 1, "D or ", Spatial + 2,
            "D tensor, but got ", shape_list_text(self.sizes()));
    // Of volumes the channels too.
    for (std::size_t d = Spatial == 3 ? 1 : rank - Spatial; d < rank; ++d) {
        require(self.sizes()[d] > 0, name,
                "(): Expected input to have non-zero size for non-batch dimensions, but input has sizes ",
                shape_list_text(self.sizes()), " with dimension ", d, " being empty");
    }
}

template <std::size_t Spatial>
TensorMeta infer_adaptive(const Tensor& self, const Dims& output_size) {
    check_adaptive<Spatial>(self, output_size);
    return follow_layout(with_spatial(self, output_size), self);
}
// Volumes of float16: PyTorch rounds after each sum and each of the three divisions.
void adaptive_in_steps(const PoolShape& s, const Tensor& self, const Tensor& out) {
    const Tensor x = packed(self);
    const Tensor y = empty(out.sizes(), ScalarType::Float16);
    const auto first = [](std::int64_t i, std::int64_t in, std::int64_t places) { return i * in / places; };
    const auto last = [](std::int64_t i, std::int64_t in, std::int64_t places) {
        return ((i + 1) * in + places - 1) / places;
    };
    parallel_for(0, s.planes, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t n = begin * s.output_pixels(); n < end * s.output_pixels(); ++n) {
            const Half* plane = x.data<Half>() + n / s.output_pixels() * s.input_pixels();
            Extents place{n % s.output_pixels() / (s.output[1] * s.output[2]), n / s.output[2] % s.output[1],
                          n % s.output[2]},
                from{}, to{};
            for (std::size_t d = 0; d < 3; ++d) {
                from[d] = first(place[d], s.input[d], s.output[d]);
                to[d] = last(place[d], s.input[d], s.output[d]);
            }
            Half sum(0.0F);
            for (std::int64_t i = from[0]; i < to[0]; ++i) {
                for (std::int64_t j = from[1]; j < to[1]; ++j) {
                    const Half* row = plane + (i * s.input[1] + j) * s.input[2];
                    for (std::int64_t k = from[2]; k < to[2]; ++k)
                        sum = Half(static_cast<float>(sum) + static_cast<float>(row[k]));
                }
            }
            for (std::size_t d = 0; d < 3; ++d)
                sum = Half(static_cast<float>(sum) / static_cast<float>(to[d] - from[d]));
            y.data<Half>()[n] = sum;
        }
    });
    copy_strided(out, y);
}

template <std::size_t Spatial>
void adaptive_kernel(const Tensor& out, const Tensor& self, const Dims&) {
    if (Spatial == 3 && self.dtype() == ScalarType::Float16)
        return adaptive_in_steps(adaptive_shape<Spatial>(self, out.sizes()), self, out);
    average(adaptive_shape<Spatial>(self, out.sizes()), {true, std::nullopt, true}, self, out);
}

template <std::size_t Spatial>
TensorMeta infer_adaptive_backward(const Tensor& grad_output, const Tensor& self) {
    require(grad_output.dim() == self.dim() && grad_output.dim() > static_cast<std::int64_t>(Spatial), "Expected ",
            Spatial + 1, "D or ", Spatial + 2, "D grad_output and input, but got ",
            shape_list_text(grad_output.sizes()), " and ", shape_list_text(self.sizes()));
    const IntSpan grad = grad_output.sizes();
    const Dims output(grad.end() - static_cast<std::ptrdiff_t>(Spatial), grad.end());
    check_adaptive<Spatial>(self, output);
    require_sizes(grad_output, span_of(with_spatial(self, output)), "grad_output");
    return follow_layout(to_dims(self.sizes()), self);
}
template <std::size_t Spatial>
void adaptive_backward_kernel(const Tensor& out, const Tensor& grad_output, const Tensor& self) {
    spread_gradient(adaptive_shape<Spatial>(self, grad_output.sizes()), {true, std::nullopt, true}, grad_output, out);
}

template <std::size_t Spatial>
void adaptive_gradient(GradientContext& c) {
    const auto& backward = Spatial == 2 ? fn::_adaptive_avg_pool2d_backward : fn::_adaptive_avg_pool3d_backward;
    c.grad("self", [&] { return backward(c.grad_output(), c.argument("self")); });
}
template <std::size_t Spatial>
void adaptive_double_gradient(GradientContext& c) {
    const auto& forward = Spatial == 2 ? fn::_adaptive_avg_pool2d : fn::_adaptive_avg_pool3d;
    const IntSpan grad = c.sizes("grad_output");
    c.grad("grad_output", [&] { return forward(c.grad_output(), Dims(grad.end() - Spatial, grad.end())); });
}

// A mean over everything is a plain mean, as PyTorch does it.
template <std::size_t Spatial>
Tensor adaptive_avg_pool(const Tensor& self, const Dims& output_size) {
    Dims size = output_size.size() == 1 ? Dims(Spatial, output_size[0]) : output_size;
    check_adaptive<Spatial>(self, size);
    if (std::all_of(size.begin(), size.end(), [](auto n) { return n == 1; })) {
        Dims dims;
        for (std::size_t i = Spatial; i > 0; --i) dims.push_back(-static_cast<std::int64_t>(i));
        return fn::mean_dim(self, dims, true);
    }
    return Spatial == 2 ? fn::_adaptive_avg_pool2d(self, size) : fn::_adaptive_avg_pool3d(self, size);
}
Tensor adaptive_avg_pool1d(const Tensor& self, const Dims& output_size) {
    require(self.dim() == 2 || self.dim() == 3, "adaptive_avg_pool1d(): Expected 2D or 3D tensor, but got ",
            shape_list_text(self.sizes()));
    require(output_size.size() == 1, "adaptive_avg_pool1d(): output_size must be 1");
    return fn::squeeze(fn::adaptive_avg_pool2d(fn::unsqueeze(self, -2), Dims{1, output_size[0]}), -2);
}

template <std::size_t Spatial>
std::vector<Sample> adaptive_samples(Random& random, ScalarType dtype) {
    Dims sizes{2, 3};
    for (std::size_t i = 0; i < Spatial; ++i) sizes.push_back(7 - static_cast<std::int64_t>(i));
    return {{{random_tensor(random, span_of(sizes), dtype), Dims(Spatial, 3)}},
            {{random_tensor(random, span_of(sizes), dtype), Dims(Spatial, 1)}, "global"}};
}

constexpr std::string_view kMeanFormula = "out[c, p] = mean_k self[c, stride p + k - padding]";

#define LOUPE_AVERAGE_ARGUMENTS(n)                                     \
    "int[" n "] kernel_size, int[" n "] stride=[], int[" n             \
    "] padding=0, bool ceil_mode=False, bool count_include_pad=True, " \
    "int? divisor_override=None"
#define LOUPE_AVERAGE_BACKWARD_ARGUMENTS(n)                                              \
    "Tensor grad_output, Tensor self, int[" n "] kernel_size, int[" n "] stride, int[" n \
    "] padding, bool ceil_mode, bool "                                                   \
    "count_include_pad, int? divisor_override"

constexpr std::string_view kSharedOut = "self: grad[c, p] / (size of the window), added over the windows";
constexpr std::string_view kMeanWindow =
    "out[c, p] = mean_k self[c, k] over the k from floor(p H / output_size) to ceil((p + 1) H / output_size)";

// Of integers int64 alone.
constexpr DtypeSet kAveraged = (kCommonDtypes & kFloatingDtypes) | dtype_bit(ScalarType::Int64);

constexpr OperatorRecord kRecords[] = {
    {
        .schema = "aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], bool "
                  "ceil_mode=False, "
                  "bool "
                  "count_include_pad=True) -> Tensor",
        .summary = "The mean of each window of a sequence.",
        .formula = kMeanFormula,
        .composite = boxed<avg_pool1d>,
        .gradient = kSharedOut,
        .samples = avg_pool_samples<1>,
    },
    {.schema = "aten::avg_pool2d(Tensor self, " LOUPE_AVERAGE_ARGUMENTS("2") ") -> Tensor",
     .summary = "The mean of each window of a plane.",
     .formula = kMeanFormula,
     .infer = inferring<infer_avg_pool<2>>,
     .kernel = filling<avg_pool<2>>,
     .derivative = {avg_pool_gradient<2>, {save_argument("self")}, "AvgPool2DBackward0"},
     .gradient = kSharedOut,
     .samples = avg_pool_samples<2>,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured},
     .dtypes = {kAveraged, "avg_pool2d"}},
    {.schema = "aten::avg_pool3d(Tensor self, " LOUPE_AVERAGE_ARGUMENTS("3") ") -> Tensor",
     .summary = "The mean of each window of a volume.",
     .formula = kMeanFormula,
     .infer = inferring<infer_avg_pool<3>>,
     .kernel = filling<avg_pool<3>>,
     .derivative = {avg_pool_gradient<3>, {save_argument("self")}, "AvgPool3DBackward0"},
     .gradient = kSharedOut,
     .samples = avg_pool_samples<3>,
     .variants = kOut,
     .out = {.refusal = out_refusal::kStructured},
     .autocast = {.cpu = Autocast::Float32},
     .dtypes = {kAveraged, "avg_pool3d_out_frame"}},
    {
        .schema = "aten::avg_pool2d_backward(" LOUPE_AVERAGE_BACKWARD_ARGUMENTS("2") ") -> Tensor",
        .summary = "Gradient of avg_pool2d: each is shared out over its window.",
        .formula = "out[c, i] = sum_p grad_output[c, p] / (size of the window)",
        .infer = inferring<infer_avg_pool_backward<2>>,
        .kernel = filling<avg_pool_backward<2>>,
        .derivative = {avg_pool_double_gradient<2>, {}, "AvgPool2DBackwardBackward0"},
        .gradient = "grad_output: mean of grad in each window",
        .variants = kOut,
        .out = {.overload = "grad_input", .names = "grad_input"},
    },
    {
        .schema = "aten::avg_pool3d_backward(" LOUPE_AVERAGE_BACKWARD_ARGUMENTS("3") ") -> Tensor",
        .summary = "Gradient of avg_pool3d: each is shared out over its window.",
        .formula = "out[c, i] = sum_p grad_output[c, p] / (size of the window)",
        .infer = inferring<infer_avg_pool_backward<3>>,
        .kernel = filling<avg_pool_backward<3>>,
        .derivative = {avg_pool_double_gradient<3>, {}, "AvgPool3DBackwardBackward0"},
        .gradient = "grad_output: mean of grad in each window",
        .variants = kOut,
        .out = {.overload = "grad_input", .names = "grad_input"},
    },
    {
        .schema = "aten::adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor",
        .summary = "Means of as many windows as the output has places.",
        .formula = kMeanWindow,
        .composite = boxed<adaptive_avg_pool1d>,
        .gradient = kSharedOut,
        .samples = adaptive_samples<1>,
    },
    {
        .schema = "aten::adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor",
        .summary = "Means of as many windows as the output has places.",
        .formula = kMeanWindow,
        .composite = boxed<adaptive_avg_pool<2>>,
        .gradient = kSharedOut,
        .samples = adaptive_samples<2>,
        .variants = kOut,
        .out = {.refusal = out_refusal::kAdaptive},
    },
    {
        .schema = "aten::adaptive_avg_pool3d(Tensor self, int[3] output_size) -> Tensor",
        .summary = "Means of as many windows as the output has places.",
        .formula = kMeanWindow,
        .composite = boxed<adaptive_avg_pool<3>>,
        .gradient = kSharedOut,
        .samples = adaptive_samples<3>,
        .variants = kOut,
        .out = {.refusal = out_refusal::kAdaptive},
        .autocast = {.cpu = Autocast::Float32},
    },
    {.schema = "aten::_adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor",
     .summary = "Means of as many windows as the output has places.",
     .formula = kMeanWindow,
     .infer = inferring<infer_adaptive<2>>,
     .kernel = filling<adaptive_kernel<2>>,
     .derivative = {adaptive_gradient<2>, {save_argument("self")}, "AdaptiveAvgPool2DBackward0"},
     .gradient = kSharedOut,
     .samples = adaptive_samples<2>,
     .variants = kOut,
     .dtypes = {kCommonDtypes & kFloatingDtypes, "adaptive_avg_pool2d"}},
    {.schema = "aten::_adaptive_avg_pool3d(Tensor self, int[3] output_size) -> Tensor",
     .summary = "Means of as many windows as the output has places.",
     .formula = kMeanWindow,
     .infer = inferring<infer_adaptive<3>>,
     .kernel = filling<adaptive_kernel<3>>,
     .derivative = {adaptive_gradient<3>, {save_argument("self")}, "AdaptiveAvgPool3DBackward0"},
     .gradient = kSharedOut,
     .samples = adaptive_samples<3>,
     .variants = kOut,
     .dtypes = {kCommonDtypes & kFloatingDtypes, "adaptive_avg_pool3d_cpu"}},
    {
        .schema = "aten::_adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) -> Tensor",
        .summary = "Gradient of adaptive_avg_pool2d.",
        .formula = "out[c, i] = sum_p grad_output[c, p] / (size of the window)",
        .infer = inferring<infer_adaptive_backward<2>>,
        .kernel = filling<adaptive_backward_kernel<2>>,
        .derivative = {adaptive_double_gradient<2>, {}, "AdaptiveAvgPool2DBackwardBackward0"},
        .gradient = "grad_output: mean of grad in each window",
        .variants = kOut,
    },
    {
        .schema = "aten::_adaptive_avg_pool3d_backward(Tensor grad_output, Tensor self) -> Tensor",
        .summary = "Gradient of adaptive_avg_pool3d.",
        .formula = "out[c, i] = sum_p grad_output[c, p] / (size of the window)",
        .infer = inferring<infer_adaptive_backward<3>>,
        .kernel = filling<adaptive_backward_kernel<3>>,
        .derivative = {adaptive_double_gradient<3>, {}, "AdaptiveAvgPool3DBackwardBackward0"},
        .gradient = "grad_output: mean of grad in each window",
        .variants = kOut,
    },
};

}  // namespace

std::span<const OperatorRecord> nn_ops::avg_pool_records() { return kRecords; }

}  // namespace loupe
