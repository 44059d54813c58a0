// SPDX-License-Identifier: Apache-2.0
// max_pool1d, 2d, 3d, their forms with indices, and the geometry that all pooling shares.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/autograd/grad_mode.h"
#include "core/autograd/variable.h"
#include "core/base/parallel.h"
#include "core/base/torch_release.h"
#include "core/dispatch/out_refusals.h"
#include "core/kernels/integer_math.h"
#include "core/ops/nn/family.h"
#include "core/ops/nn/pooling.h"
#include "core/ops/nn/simd.h"

namespace loupe {
namespace nn_ops {

namespace {

// An `int[n]` argument of pooling, with PyTorch's message.
Dims of_length(const Dims& values, std::size_t n, const char* name, const char* of) {
    require(values.size() == 1 || values.size() == n, of, ": ", name, " must either be a single int, or a tuple of ", n,
            " ints");
    for (const std::int64_t value : values) {
        require(value <= std::numeric_limits<std::int32_t>::max(), of, ": integer out of range");
    }
    return values.size() == n ? values : Dims(n, values[0]);
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

std::int64_t pooled_size(std::int64_t in, std::int64_t kernel, std::int64_t padding, std::int64_t stride,
                         std::int64_t dilation, bool ceil_mode) {
    const std::int64_t padded = checked_sum(in, checked_product(2, padding));
    const std::int64_t starts = checked_sum(padded, -checked_product(dilation, kernel - 1) - 1);
    std::int64_t out = floor_divide(checked_sum(starts, ceil_mode ? stride - 1 : 0), stride) + 1;
    // The last window must start inside the input or its left padding.
    if (ceil_mode && (out - 1) * stride >= in + padding) --out;
    return out;
}

// "dilationH: 1 dilationW: 0".
std::string named_sizes(std::string_view name, const Dims& sizes) {
    std::string text;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        text +=
            concat(i == 0 ? "" : " ", name, std::string_view("THW").substr(3 - sizes.size() + i, 1), ": ", sizes[i]);
    }
    return text;
}

// Messages are made only when they are needed: making them costs more than a small pooling.
void check_window(std::size_t i, std::int64_t kernel, std::int64_t stride, std::int64_t padding, const Dims& dilation) {
    require(stride != 0, "stride should not be zero");
    require(kernel > 0, "kernel size should be greater than zero");
    require(stride > 0, "stride should be greater than zero");
    if (dilation[i] <= 0)
        require(false, "dilation should be greater than zero, but got ", named_sizes("dilation", dilation));
    require(padding >= 0, "pad must be non-negative, but got pad: ", padding);
    if (is_older_torch()) {
        require(padding <= kernel / 2, "pad should be at most half of kernel size, but got pad=", padding,
                " and kernel_size=", kernel);
    }
    require(padding <= ((kernel - 1) * dilation[i] + 1) / 2,
            "pad should be at most half of effective kernel size, but got pad=", padding, ", kernel_size=", kernel,
            " and dilation=", dilation[i]);
}

void refuse_empty(const Tensor& x, std::size_t spatial) {
    require(spatial != 3, "max_pool3d_with_indices_out_cpu_template(): Expected input's non-batch dimensions to have ",
            "positive length, but input has a shape of ", shape_list_text(x.sizes()),
            " and non-batch dimension 0 has length zero!");
    require(false, "Expected ", spatial + 1, "D or ", spatial + 2,
            "D (batch mode) tensor with optional 0 dim batch size for input, but got:", shape_list_text(x.sizes()));
}

}  // namespace

Dims with_spatial(const Tensor& x, const Dims& spatial_sizes) {
    Dims sizes(x.sizes().begin(), x.sizes().end() - static_cast<std::ptrdiff_t>(spatial_sizes.size()));
    sizes.insert(sizes.end(), spatial_sizes.begin(), spatial_sizes.end());
    return sizes;
}

PoolShape pool_shape(const Tensor& x, const PoolParameters& p, std::size_t spatial, Dims& output_sizes) {
    const char* of = spatial == 3 ? "pool3d" : "pool2d";
    const Dims kernel = of_length(p.kernel, spatial, "kernel_size", of);
    require(p.stride.size() <= 1 || p.stride.size() == spatial, of,
            ": stride must either be omitted, a single int, or a tuple of ", spatial, " ints");
    const Dims stride = p.stride.empty() ? kernel : of_length(p.stride, spatial, "stride", of);
    const Dims padding = of_length(p.padding, spatial, "padding", of);
    const Dims dilation = of_length(p.dilation, spatial, "dilation", of);
    const auto rank = static_cast<std::size_t>(x.dim());
    require(rank == spatial + 1 || rank == spatial + 2, "non-empty ", spatial + 1, "D or ", spatial + 2,
            "D (batch mode) tensor expected for input");
    PoolShape s;
    Dims in;
    Dims out;
    for (std::size_t i = 0; i < spatial; ++i) {
        check_window(i, kernel[i], stride[i], padding[i], dilation);
        in.push_back(x.sizes()[rank - spatial + i]);
        out.push_back(pooled_size(in[i], kernel[i], padding[i], stride[i], dilation[i], p.ceil_mode));
        const std::size_t to = 3 - spatial + i;
        s.input[to] = in[i];
        s.output[to] = out[i];
        s.kernel[to] = kernel[i];
        s.stride[to] = stride[i];
        s.padding[to] = padding[i];
        s.dilation[to] = dilation[i];
    }
    for (std::size_t d = rank - spatial - 1; d < rank; ++d) {
        if (x.sizes()[d] == 0) refuse_empty(x, spatial);
    }
    const std::int64_t channels = x.sizes()[rank - spatial - 1];
    for (const std::int64_t size : out) {
        if (size >= 1) continue;
        require(false, "Given input size: (", channels, "x", shape_text(span_of(in)), "). Calculated output size: (",
                channels, "x", shape_text(span_of(out)), "). Output size is too small");
    }
    require(s.input_pixels() <= std::numeric_limits<std::int32_t>::max(),
            "pooling over planes of more than 2^31 elements is not supported");
    s.planes = channels * (rank == spatial + 2 ? x.sizes()[0] : 1);
    output_sizes = with_spatial(x, out);
    return s;
}

}  // namespace nn_ops
namespace {

using namespace nn_ops;

PoolParameters parameters_at(Arguments arguments, std::size_t first) {
    return {arguments[first].to_ints(), arguments[first + 1].to_ints(), arguments[first + 2].to_ints(),
            arguments[first + 3].to_ints(), arguments[first + 4].to_bool()};
}

template <std::size_t Spatial>
void infer_max_pool(Arguments arguments, MetaList& outputs) {
    const Tensor self = arguments[0].to_tensor();
    Dims sizes;
    pool_shape(self, parameters_at(arguments, 1), Spatial, sizes);
    require(!is_complex(self.dtype()) && self.dtype() != ScalarType::Bool, "\"max_pool", Spatial,
            "d\" not implemented for '", dtype_graph_name(self.dtype()), "'");
    outputs.push_back(follow_layout(sizes, self));
    outputs.push_back(outputs[0]);
    outputs[1].dtype = ScalarType::Int64;
}

// First tap inside the input, and the end of the taps.
struct Taps {
    std::int64_t start;
    std::int64_t end;
};
Taps taps_of(const PoolShape& s, std::size_t d, std::int64_t out) {
    Taps taps{out * s.stride[d] - s.padding[d], 0};
    taps.end = std::min(taps.start + (s.kernel[d] - 1) * s.dilation[d] + 1, s.input[d]);
    while (taps.start < 0) taps.start += s.dilation[d];
    return taps;
}

template <typename T>
void max_of_window(const PoolShape& s, const T* plane, const Taps& depth, const Taps& rows, const Taps& columns,
                   T& best, std::int64_t& at) {
    best = -std::numeric_limits<T>::infinity();
    at = (depth.start * s.input[1] + rows.start) * s.input[2] + columns.start;
    for (std::int64_t d = depth.start; d < depth.end; d += s.dilation[0]) {
        for (std::int64_t h = rows.start; h < rows.end; h += s.dilation[1]) {
            const std::int64_t row = (d * s.input[1] + h) * s.input[2];
            for (std::int64_t w = columns.start; w < columns.end; w += s.dilation[2]) {
                const T value = plane[row + w];
                if (value > best || std::isnan(value)) {
                    best = value;
                    at = row + w;
                }
            }
        }
    }
}

// One row of outputs, tap by tap, so that the outputs of a row are compared at once.
template <typename T>
struct RowMax {
    std::vector<T> best;
    std::vector<std::int32_t> at;

    explicit RowMax(std::int64_t width) : best(static_cast<std::size_t>(width)), at(static_cast<std::size_t>(width)) {}
};

template <std::int64_t Step, typename T>
LOUPE_INLINE inline void compare_tap(const T* in, std::int64_t stride, std::int32_t first, T* best, std::int32_t* at,
                                     std::int64_t n) {
    const std::int64_t step = Step == 0 ? stride : Step;
    const auto index_step = static_cast<std::int32_t>(step);
#pragma omp simd
    for (std::int64_t i = 0; i < n; ++i) {
        const T value = in[i * step];
        const bool take = value > best[i] || value != value;
        best[i] = take ? value : best[i];
        at[i] = take ? first + static_cast<std::int32_t>(i) * index_step : at[i];
    }
}

// Of the output columns [first, last) tap kw lies inside the input.
std::pair<std::int64_t, std::int64_t> columns_of_tap(const PoolShape& s, std::int64_t kw) {
    const std::int64_t shift = kw * s.dilation[2] - s.padding[2];
    const std::int64_t first = shift >= 0 ? 0 : (-shift + s.stride[2] - 1) / s.stride[2];
    const std::int64_t room = s.input[2] - shift;
    const std::int64_t last = room <= 0 ? 0 : (room + s.stride[2] - 1) / s.stride[2];
    return {std::min(first, s.output[2]), std::clamp(last, std::min(first, s.output[2]), s.output[2])};
}

template <typename T>
LOUPE_INLINE inline void compare_taps(const PoolShape& s, const T* plane, const Taps& depth, const Taps& rows,
                                      RowMax<T>& row) {
    for (std::int64_t d = depth.start; d < depth.end; d += s.dilation[0]) {
        for (std::int64_t h = rows.start; h < rows.end; h += s.dilation[1]) {
            for (std::int64_t kw = 0; kw < s.kernel[2]; ++kw) {
                const auto columns = columns_of_tap(s, kw);
                const std::int64_t first =
                    (d * s.input[1] + h) * s.input[2] + columns.first * s.stride[2] + kw * s.dilation[2] - s.padding[2];
                T* best = row.best.data() + columns.first;
                std::int32_t* at = row.at.data() + columns.first;
                const std::int64_t n = columns.second - columns.first;
                const auto index = static_cast<std::int32_t>(first);
                if (s.stride[2] == 1)
                    compare_tap<1>(plane + first, 1, index, best, at, n);
                else if (s.stride[2] == 2)
                    compare_tap<2>(plane + first, 2, index, best, at, n);
                else
                    compare_tap<0>(plane + first, s.stride[2], index, best, at, n);
            }
        }
    }
}

// What no element is below.
template <typename T>
constexpr T kLowest = std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::min();

template <typename T>
void max_pool_plane(const PoolShape& s, const T* plane, T* out, std::int64_t* indices) {
    RowMax<T> row(s.output[2]);
    with_best_instructions([&]() LOUPE_INLINE {
        for (std::int64_t d = 0; d < s.output[0]; ++d) {
            const Taps depth = taps_of(s, 0, d);
            for (std::int64_t h = 0; h < s.output[1]; ++h) {
                const Taps rows = taps_of(s, 1, h);
                for (std::int64_t w = 0; w < s.output[2]; ++w) {
                    row.best[static_cast<std::size_t>(w)] = kLowest<T>;
                    const std::int64_t start =
                        (depth.start * s.input[1] + rows.start) * s.input[2] + taps_of(s, 2, w).start;
                    row.at[static_cast<std::size_t>(w)] = static_cast<std::int32_t>(start);
                }
                compare_taps(s, plane, depth, rows, row);
                out = std::copy(row.best.begin(), row.best.end(), out);
                indices = std::copy(row.at.begin(), row.at.end(), indices);
            }
        }
    });
}

template <std::size_t Spatial>
void run_max_pool(Arguments arguments, IValue* results) {
    const Tensor self = arguments[0].to_tensor();
    const Tensor out = results[0].to_tensor();
    const Tensor indices = results[1].to_tensor();
    Dims sizes;
    const PoolShape s = pool_shape(self, parameters_at(arguments, 1), Spatial, sizes);
    const auto pool = [&]<typename T>(std::type_identity<T>) {
        const Tensor x = packed_as(self, scalar_type_of<T>);
        const Tensor y = out.dtype() == x.dtype() ? buffer_for(out) : empty(out.sizes(), x.dtype());
        const Tensor index = buffer_for(indices);
        parallel_for(0, s.planes, std::max<std::int64_t>(1, 4096 / s.output_pixels()),
                     [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t i = begin; i < end; ++i) {
                             max_pool_plane(s, x.data<T>() + i * s.input_pixels(), y.data<T>() + i * s.output_pixels(),
                                            index.data<std::int64_t>() + i * s.output_pixels());
                         }
                     });
        if (!y.is_same(out)) convert_into(out, y);
        put_back(indices, index);
    };
    if (is_integral(self.dtype()))
        pool(std::type_identity<std::int64_t>{});
    else
        visit_floating(self.dtype(), "max_pool", pool);
}

// Both for max_pool and adaptive_max_pool: adds each gradient to the pixel that was the largest.
void scatter_gradient(const Tensor& grad_input, const Tensor& grad_output, const Tensor& indices, std::size_t spatial) {
    const auto rank = static_cast<std::size_t>(grad_input.dim());
    require(rank >= spatial + 1, "non-empty ", spatial + 1, "D or ", spatial + 2,
            "D (batch mode) tensor expected for input");
    require_sizes(indices, grad_output.sizes(), "indices");
    require(indices.dtype() == ScalarType::Int64, "Expected indices of scalar type Long, but got ",
            dtype_graph_name(indices.dtype()));
    require(grad_output.dim() == grad_input.dim() &&
                std::equal(grad_input.sizes().begin(), grad_input.sizes().end() - static_cast<std::ptrdiff_t>(spatial),
                           grad_output.sizes().begin()),
            "Expected grad_output of the batch and channels of ", shape_list_text(grad_input.sizes()), ", but got ",
            shape_list_text(grad_output.sizes()));
    std::int64_t in_pixels = 1;
    std::int64_t out_pixels = 1;
    for (std::size_t i = 1; i <= spatial; ++i) {
        in_pixels *= grad_input.size(-static_cast<std::int64_t>(i));
        out_pixels *= grad_output.size(-static_cast<std::int64_t>(i));
    }
    if (grad_input.numel() == 0) return;
    visit_floating(grad_output.dtype(), "max_pool_backward", [&]<typename T>(std::type_identity<T>) {
        const Tensor g = packed_as(grad_output, scalar_type_of<T>);
        const Tensor index = packed(indices);
        const Tensor out =
            grad_input.dtype() == g.dtype() ? buffer_for(grad_input) : empty(grad_input.sizes(), g.dtype());
        const std::int64_t planes = out.numel() / in_pixels;
        parallel_for(0, planes, std::max<std::int64_t>(1, 8192 / in_pixels), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                T* plane = out.data<T>() + i * in_pixels;
                std::fill(plane, plane + in_pixels, T(0));
                const T* from = g.data<T>() + i * out_pixels;
                const std::int64_t* at = index.data<std::int64_t>() + i * out_pixels;
                for (std::int64_t p = 0; p < out_pixels; ++p) {
                    if (at[p] >= 0 && at[p] < in_pixels) plane[at[p]] += from[p];
                }
            }
        });
        if (!out.is_same(grad_input)) convert_into(grad_input, out);
    });
}

TensorMeta infer_max_pool_backward(const Tensor&, const Tensor& self, const Dims&, const Dims&, const Dims&,
                                   const Dims&, bool, const Tensor&) {
    return follow_layout(to_dims(self.sizes()), self);
}

template <std::size_t Spatial>
void max_pool_backward_kernel(const Tensor& out, const Tensor& grad_output, const Tensor&, const Dims&, const Dims&,
                              const Dims&, const Dims&, bool, const Tensor& indices) {
    scatter_gradient(out, grad_output, indices, Spatial);
}

void max_pool2d_gradient(GradientContext& c) {
    c.grad("self", [&] {
        return fn::max_pool2d_with_indices_backward(c.grad_output(), c.argument("self"), c.value("kernel_size"),
                                                    c.value("stride"), c.value("padding"), c.value("dilation"),
                                                    c.value("ceil_mode"), c.result(1));
    });
}
void max_pool3d_gradient(GradientContext& c) {
    c.grad("self", [&] {
        return fn::max_pool3d_with_indices_backward(c.grad_output(), c.argument("self"), c.value("kernel_size"),
                                                    c.value("stride"), c.value("padding"), c.value("dilation"),
                                                    c.value("ceil_mode"), c.result(1));
    });
}

// The gradient's gradient is picked out where the largest were.
template <std::size_t Spatial, std::size_t Indices>
void picked_gradient(GradientContext& c) {
    c.grad("grad_output", [&] {
        const Tensor indices = c.argument(Indices);
        const auto start = indices.dim() - static_cast<std::int64_t>(Spatial);
        const Tensor flat = fn::flatten(c.grad_output(), start, std::int64_t{-1});
        const Tensor flat_indices = fn::flatten(indices, start, std::int64_t{-1});
        return fn::view(fn::gather(flat, std::int64_t{-1}, flat_indices), to_dims(indices.sizes()));
    });
    c.grad("self", [&] { return zeros(c.sizes("self"), c.dtype("self"), c.grad_output().device()); });
}

Tensor max_pool2d(const Tensor& self, const Dims& kernel, const Dims& stride, const Dims& padding, const Dims& dilation,
                  bool ceil) {
    return std::get<0>(fn::max_pool2d_with_indices(self, kernel, stride, padding, dilation, ceil));
}
Tensor max_pool3d(const Tensor& self, const Dims& kernel, const Dims& stride, const Dims& padding, const Dims& dilation,
                  bool ceil) {
    return std::get<0>(fn::max_pool3d_with_indices(self, kernel, stride, padding, dilation, ceil));
}

std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& self, const Dims& kernel, const Dims& stride,
                                                   const Dims& padding, const Dims& dilation, bool ceil) {
    const bool has_elements = std::none_of(self.sizes().begin() + (self.dim() == 3 ? 1 : 0), self.sizes().end(),
                                           [](std::int64_t n) { return n == 0; });
    require((self.dim() == 2 || self.dim() == 3) && has_elements,
            "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but got:",
            shape_list_text(self.sizes()));
    for (const Dims* values : {&kernel, &padding, &dilation}) {
        require(values->size() == 1, "max_pool1d() kernel_size, padding and dilation must be one element");
    }
    require(stride.size() <= 1, "max_pool1d() stride must be at most one element");
    const Dims step = stride.empty() ? kernel : stride;
    const auto [out, indices] = fn::max_pool2d_with_indices(
        fn::unsqueeze(self, -2), Dims{1, kernel[0]}, Dims{1, step[0]}, Dims{0, padding[0]}, Dims{1, dilation[0]}, ceil);
    return {fn::squeeze(out, -2), fn::squeeze(indices, -2)};
}
// PyTorch's message when no gradient is recorded, for which it has another kernel.
void check_max_pool1d(const Tensor& self, const Dims& kernel, const Dims& stride, const Dims& padding,
                      const Dims& dilation, bool ceil) {
    if ((self.dim() != 2 && self.dim() != 3) || kernel.size() != 1 || stride.size() > 1 || padding.size() != 1 ||
        dilation.size() != 1)
        return;
    const std::int64_t step = stride.empty() ? kernel[0] : stride[0];
    require(kernel[0] > 0, "max_pool1d() kernel_size must be greater than zero, but got ", kernel[0]);
    require(step > 0, "max_pool1d() stride must be greater than zero, but got ", step);
    require(padding[0] >= 0, "max_pool1d() padding must be non-negative, but got ", padding[0]);
    require(padding[0] <= kernel[0] / 2,
            "max_pool1d() padding should be at most half of kernel size, but got padding=", padding[0],
            " and kernel_size=", kernel[0]);
    require(dilation[0] > 0, "max_pool1d() dilation must be greater than zero, but got ", dilation[0]);
    const std::int64_t size = pooled_size(self.size(-1), kernel[0], padding[0], step, dilation[0], ceil);
    require(size > 0 || self.size(-1) == 0, "max_pool1d() Invalid computed output size: ", size);
}
Tensor max_pool1d(const Tensor& self, const Dims& kernel, const Dims& stride, const Dims& padding, const Dims& dilation,
                  bool ceil) {
    if (!GradMode::is_enabled() || !requires_grad(self)) {
        check_max_pool1d(self, kernel, stride, padding, dilation, ceil);
        require(is_floating(self.dtype()), "\"max_pool1d_impl\" not implemented for '", dtype_graph_name(self.dtype()),
                "'");
    }
    return std::get<0>(max_pool1d_with_indices(self, kernel, stride, padding, dilation, ceil));
}

template <std::size_t Spatial>
std::vector<Sample> max_pool_samples(Random& random, ScalarType dtype) {
    const auto x = [&](std::initializer_list<std::int64_t> leading, std::int64_t size) {
        Dims sizes(leading);
        for (std::size_t i = 0; i < Spatial; ++i) sizes.push_back(size);
        return sizes;
    };
    const auto t = [&](const Dims& sizes) {
        Tensor flat = random_ladder(random, {checked_numel(span_of(sizes))}, dtype);
        return flat.view_as_strided(span_of(sizes), span_of(contiguous_strides(span_of(sizes))), 0);
    };
    return {{{t(x({2, 3}, 5)), Dims(Spatial, 2), Dims{}, Dims(Spatial, 0), Dims(Spatial, 1), false}},
            {{t(x({2, 3}, 6)), Dims(Spatial, 3), Dims(Spatial, 2), Dims(Spatial, 1), Dims(Spatial, 1), true},
             "padded, ceil"},
            {{t(x({3}, 5)), Dims(Spatial, 2), Dims(Spatial, 1), Dims(Spatial, 0), Dims(Spatial, 2), false},
             "unbatched, dilated"}};
}

// ---- adaptive

template <std::size_t Spatial>
void infer_adaptive_max_pool(const Tensor& self, const Dims& output_size, MetaList& outputs) {
    const auto rank = static_cast<std::size_t>(self.dim());
    require(rank == Spatial + 1 || rank == Spatial + 2, "adaptive_max_pool", Spatial, "d(): Expected ", Spatial + 1,
            "D or ", Spatial + 2, "D tensor, but got: ", shape_list_text(self.sizes()));
    for (std::size_t d = rank == Spatial + 2 ? 1 : 0; d < rank; ++d) {
        require(self.sizes()[d] > 0, "adaptive_max_pool", Spatial,
                "d(): Expected input to have non-zero size for non-batch dimensions, but input has sizes ",
                shape_list_text(self.sizes()), " with dimension ", d, " being empty");
    }
    require(output_size.size() == Spatial, "adaptive_max_pool", Spatial,
            "d(): internal error: output_size.size() must be ", Spatial);
    require(is_floating(self.dtype()), "\"adaptive_max_pool", Spatial, Spatial == 2 ? "d" : "d_cpu",
            "\" not implemented for '", dtype_graph_name(self.dtype()), "'");
    outputs.push_back(follow_layout(with_spatial(self, output_size), self));
    outputs.push_back(outputs[0]);
    outputs[1].dtype = ScalarType::Int64;
}
template <std::size_t Spatial>
MetaList adaptive_max_pool_meta(const Tensor& self, const Dims& output_size) {
    MetaList outputs;
    infer_adaptive_max_pool<Spatial>(self, output_size, outputs);
    return outputs;
}

template <std::size_t Spatial>
void adaptive_max_pool(const Tensor& out, const Tensor& indices, const Tensor& self, const Dims&) {
    PoolShape s;
    for (std::size_t i = 0; i < Spatial; ++i) {
        s.input[3 - Spatial + i] = self.sizes()[self.sizes().size() - Spatial + i];
        s.output[3 - Spatial + i] = out.sizes()[out.sizes().size() - Spatial + i];
    }
    if (out.numel() == 0) return;
    s.planes = out.numel() / s.output_pixels();
    const auto window = [&s](std::size_t d, std::int64_t o) {
        return Taps{o * s.input[d] / s.output[d], ((o + 1) * s.input[d] + s.output[d] - 1) / s.output[d]};
    };
    visit_floating(self.dtype(), "adaptive_max_pool", [&]<typename T>(std::type_identity<T>) {
        const Tensor x = packed_as(self, scalar_type_of<T>);
        const Tensor y = out.dtype() == x.dtype() ? buffer_for(out) : empty(out.sizes(), x.dtype());
        const Tensor index = buffer_for(indices);
        parallel_for(0, s.planes, std::max<std::int64_t>(1, 4096 / s.output_pixels()),
                     [&](std::int64_t begin, std::int64_t end) {
                         for (std::int64_t i = begin; i < end; ++i) {
                             T* value = y.data<T>() + i * s.output_pixels();
                             std::int64_t* at = index.data<std::int64_t>() + i * s.output_pixels();
                             for (std::int64_t p = 0; p < s.output_pixels(); ++p) {
                                 max_of_window(s, x.data<T>() + i * s.input_pixels(),
                                               window(0, p / (s.output[1] * s.output[2])),
                                               window(1, p / s.output[2] % s.output[1]), window(2, p % s.output[2]),
                                               value[p], at[p]);
                             }
                         }
                     });
        if (!y.is_same(out)) convert_into(out, y);
        put_back(indices, index);
    });
}

TensorMeta infer_adaptive_max_pool_backward(const Tensor&, const Tensor& self, const Tensor&) {
    return follow_layout(to_dims(self.sizes()), self);
}
template <std::size_t Spatial>
void adaptive_max_pool_backward_kernel(const Tensor& out, const Tensor& grad_output, const Tensor&,
                                       const Tensor& indices) {
    scatter_gradient(out, grad_output, indices, Spatial);
}
void adaptive_max_pool2d_gradient(GradientContext& c) {
    c.grad("self", [&] { return fn::adaptive_max_pool2d_backward(c.grad_output(), c.argument("self"), c.result(1)); });
}
void adaptive_max_pool3d_gradient(GradientContext& c) {
    c.grad("self", [&] { return fn::adaptive_max_pool3d_backward(c.grad_output(), c.argument("self"), c.result(1)); });
}

std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& self, const Dims& output_size) {
    require(self.dim() == 2 || self.dim() == 3,
            "adaptive_max_pool1d(): Expected 2D or 3D tensor, but got: ", shape_list_text(self.sizes()));
    require(output_size.size() == 1, "adaptive_max_pool1d(): output_size must be 1");
    const auto [out, indices] = fn::adaptive_max_pool2d(fn::unsqueeze(self, -2), Dims{1, output_size[0]});
    return {fn::squeeze(out, -2), fn::squeeze(indices, -2)};
}

template <std::size_t Spatial>
std::vector<Sample> adaptive_samples(Random& random, ScalarType dtype) {
    Dims sizes{2, 3};
    for (std::size_t i = 0; i < Spatial; ++i) sizes.push_back(7 - static_cast<std::int64_t>(i));
    Tensor flat = random_ladder(random, {checked_numel(span_of(sizes))}, dtype);
    return {{{flat.view_as_strided(span_of(sizes), span_of(contiguous_strides(span_of(sizes))), 0), Dims(Spatial, 3)}}};
}

constexpr std::string_view kMaxFormula = "out[c, p] = max_k self[c, stride p + dilation k - padding]";

#define LOUPE_POOL_ARGUMENTS(n)                                                               \
    "Tensor self, int[" n "] kernel_size, int[" n "] stride=[], int[" n "] padding=0, int[" n \
    "] dilation=1, bool ceil_mode=False"
#define LOUPE_POOL1D_ARGUMENTS \
    "Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] dilation=[1], bool ceil_mode=False"
#define LOUPE_POOL_BACKWARD_ARGUMENTS(n)                                                                     \
    "Tensor grad_output, Tensor self, int[" n "] kernel_size, int[" n "] stride, int[" n "] padding, int[" n \
    "] dilation, "                                                                                           \
    "bool ceil_mode, Tensor indices"

constexpr std::string_view kToGreatest = "self: grad at the place of each window's greatest element, else 0";
constexpr std::string_view kMaxWindow = "out[c, p] = max_k self[c, stride p + dilation k - padding]";

constexpr OperatorRecord kRecords[] = {
    {
        .schema = "aten::max_pool1d(" LOUPE_POOL1D_ARGUMENTS ") -> Tensor",
        .summary = "The largest element of each window of a sequence.",
        .formula = kMaxFormula,
        .composite = boxed<max_pool1d>,
        .gradient = kToGreatest,
        .samples = max_pool_samples<1>,
    },
    {
        .schema = "aten::max_pool1d_with_indices(" LOUPE_POOL1D_ARGUMENTS ") -> (Tensor, Tensor)",
        .summary = "The largest element of each window of a sequence, and where it was.",
        .formula = kMaxFormula,
        .composite = boxed<max_pool1d_with_indices>,
        .gradient = kToGreatest,
        .samples = max_pool_samples<1>,
    },
    {
        .schema = "aten::max_pool2d(" LOUPE_POOL_ARGUMENTS("2") ") -> Tensor",
        .summary = "The largest element of each window of a plane.",
        .formula = kMaxFormula,
        .composite = boxed<max_pool2d>,
        .gradient = kToGreatest,
        .samples = max_pool_samples<2>,
    },
    {
        .schema = "aten::max_pool3d(" LOUPE_POOL_ARGUMENTS("3") ") -> Tensor",
        .summary = "The largest element of each window of a volume.",
        .formula = kMaxFormula,
        .composite = boxed<max_pool3d>,
        .gradient = kToGreatest,
        .samples = max_pool_samples<3>,
        .autocast = {.cpu = Autocast::Float32},
    },
    {.schema = "aten::max_pool2d_with_indices(" LOUPE_POOL_ARGUMENTS("2") ") -> (Tensor, Tensor)",
     .summary = "The largest element of each window, and where in its plane it was.",
     .formula = kMaxFormula,
     .infer = infer_max_pool<2>,
     .kernel = FillingKernel{run_max_pool<2>},
     .derivative = {max_pool2d_gradient, {save_argument("self"), save_result(1)}, "MaxPool2DWithIndicesBackward0"},
     .gradient = kToGreatest,
     .samples = max_pool_samples<2>,
     .variants = kOut,
     .out = {.names = "out indices", .refusal = out_refusal::kStructured},
     .dtypes = {.kernel = "max_pool2d"}},
    {.schema = "aten::max_pool3d_with_indices(" LOUPE_POOL_ARGUMENTS("3") ") -> (Tensor, Tensor)",
     .summary = "The largest element of each window, and where in its volume it was.",
     .formula = kMaxFormula,
     .infer = infer_max_pool<3>,
     .kernel = FillingKernel{run_max_pool<3>},
     .derivative = {max_pool3d_gradient, {save_argument("self"), save_result(1)}, "MaxPool3DWithIndicesBackward0"},
     .gradient = kToGreatest,
     .samples = max_pool_samples<3>,
     .variants = kOut,
     .out = {.names = "out indices", .refusal = out_refusal::kScalarType},
     .dtypes = {.kernel = "max_pool3d"}},
    {.schema = "aten::max_pool2d_with_indices_backward(" LOUPE_POOL_BACKWARD_ARGUMENTS("2") ") -> Tensor",
     .summary = "Gradient of max_pool2d: each goes to the element that was the largest.",
     .formula = "out[indices[c, p]] += grad_output[c, p]",
     .infer = inferring<infer_max_pool_backward>,
     .kernel = filling<max_pool_backward_kernel<2>>,
     .derivative = {picked_gradient<2, 7>, {save_argument("indices")}, "MaxPool2DWithIndicesBackwardBackward0"},
     .gradient = "grad_output: grad at the indices\nself: 0",
     .variants = kOut,
     .out = {.overload = "grad_input", .names = "grad_input"},
     .dtypes = {.kernel = "max_pool2d_backward"}},
    {
        .schema = "aten::max_pool3d_with_indices_backward(" LOUPE_POOL_BACKWARD_ARGUMENTS("3") ") -> Tensor",
        .summary = "Gradient of max_pool3d: each goes to the element that was the largest.",
        .formula = "out[indices[c, p]] += grad_output[c, p]",
        .infer = inferring<infer_max_pool_backward>,
        .kernel = filling<max_pool_backward_kernel<3>>,
        .derivative = {picked_gradient<3, 7>, {save_argument("indices")}, "MaxPool3DWithIndicesBackwardBackward0"},
        .gradient = "grad_output: grad at the indices\nself: 0",
        .variants = kOut,
        .out = {.overload = "grad_input", .names = "grad_input"},
    },
    {
        .schema = "aten::adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)",
        .summary = "The largest elements of as many windows as the output has places, and where they were.",
        .formula = kMaxWindow,
        .composite = boxed<adaptive_max_pool1d>,
        .gradient = kToGreatest,
        .samples = adaptive_samples<1>,
    },
    {.schema = "aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)",
     .summary = "The largest elements of as many windows as the output has places, and where they were.",
     .formula = kMaxWindow,
     .infer = inferring<adaptive_max_pool_meta<2>>,
     .kernel = filling<adaptive_max_pool<2>, 2>,
     .derivative = {adaptive_max_pool2d_gradient,
                    {save_argument("self"), save_result(1)},
                    "AdaptiveMaxPool2DBackward0"},
     .gradient = kToGreatest,
     .samples = adaptive_samples<2>,
     .variants = kOut,
     .out = {.names = "out indices", .refusal = out_refusal::kStructured},
     .dtypes = {.kernel = "adaptive_max_pool2d"}},
    {
        .schema = "aten::adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)",
        .summary = "The largest elements of as many windows as the output has places, and where they were.",
        .formula = kMaxWindow,
        .infer = inferring<adaptive_max_pool_meta<3>>,
        .kernel = filling<adaptive_max_pool<3>, 2>,
        .derivative = {adaptive_max_pool3d_gradient,
                       {save_argument("self"), save_result(1)},
                       "AdaptiveMaxPool3DBackward0"},
        .gradient = kToGreatest,
        .samples = adaptive_samples<3>,
        .variants = kOut,
        .out = {.names = "out indices", .refusal = out_refusal::kStructured},
        .autocast = {.cpu = Autocast::Float32},
    },
    {
        .schema = "aten::adaptive_max_pool2d_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor",
        .summary = "Gradient of adaptive_max_pool2d.",
        .formula = "out[indices[c, p]] += grad_output[c, p]",
        .infer = inferring<infer_adaptive_max_pool_backward>,
        .kernel = filling<adaptive_max_pool_backward_kernel<2>>,
        .derivative = {picked_gradient<2, 2>, {save_argument("indices")}, "AdaptiveMaxPool2DBackwardBackward0"},
        .gradient = "grad_output: grad at the indices\nself: 0",
        .variants = kOut,
        .out = {.overload = "grad_input", .names = "grad_input"},
    },
    {
        .schema = "aten::adaptive_max_pool3d_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor",
        .summary = "Gradient of adaptive_max_pool3d.",
        .formula = "out[indices[c, p]] += grad_output[c, p]",
        .infer = inferring<infer_adaptive_max_pool_backward>,
        .kernel = filling<adaptive_max_pool_backward_kernel<3>>,
        .derivative = {picked_gradient<3, 2>, {save_argument("indices")}, "AdaptiveMaxPool3DBackwardBackward0"},
        .gradient = "grad_output: grad at the indices\nself: 0",
        .variants = kOut,
        .out = {.overload = "grad_input", .names = "grad_input"},
    },
};

}  // namespace

std::span<const OperatorRecord> nn_ops::max_pool_records() { return kRecords; }

}  // namespace loupe
