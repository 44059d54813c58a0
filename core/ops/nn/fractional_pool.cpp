// SPDX-License-Identifier: Apache-2.0
// fractional_max_pool2d and 3d (Graham, "Fractional Max-Pooling"): windows at places drawn at random.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/parallel.h"
#include "core/dispatch/out_refusals.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/family.h"

namespace loupe {
namespace {

using namespace nn_ops;

const OperatorHandle<> kBackward2d("aten::fractional_max_pool2d_backward");
const OperatorHandle<> kBackward3d("aten::fractional_max_pool3d_backward");

constexpr std::array<const char*, 3> kAxes{"time", "height", "width"};

MetaList infer_pool(const Tensor& self, const Dims& kernel, const Dims& output, const Tensor& samples,
                    std::size_t spatial) {
    const char* tuple = spatial == 2 ? "tuple of Ints" : "tuple of three Ints";
    const std::string name = concat("fractional_max_pool", spatial, spatial == 2 ? "d()" : "d_out()");
    require(kernel.size() == spatial, "fractional_max_pool", spatial, "d: kernel_size must either be a single Int or ",
            tuple);
    require(output.size() == spatial, "fractional_max_pool", spatial, "d: output_size must either be a single Int or ",
            tuple);
    const IntSpan sizes = self.sizes();
    require(sizes.size() == spatial + 1 || sizes.size() == spatial + 2, name, ": Expected ", spatial + 1, "D or ",
            spatial + 2, "D tensor, but got: ", shape_list_text(sizes));
    for (std::size_t d = sizes.size() - spatial - 1; d < sizes.size(); ++d) {
        require(sizes[d] > 0, name, ": Expected input to have non-zero size for non-batch dimensions, but got",
                shape_list_text(sizes), " with dimension ", d, " being empty.");
    }
    for (std::size_t d = 0; d < spatial; ++d) {
        const std::int64_t in = sizes[sizes.size() - spatial + d];
        const char* axis = kAxes[3 - spatial + d];
        require(kernel[d] > 0, name, ": pool ", axis, " should be greater than zero, but got ", kernel[d]);
        require(output[d] >= 0 && kernel[d] <= in && output[d] <= in && output[d] + kernel[d] - 1 <= in, name,
                ": pool ", axis, " ", kernel[d], " too large relative to input ", axis, " ", in);
    }
    const bool is_wide = self.dtype() == ScalarType::Float32 || self.dtype() == ScalarType::Float64;
    require(is_wide || (spatial == 2 && is_floating(self.dtype())), "\"fractional_max_pool", spatial,
            "d_out_frame\" not implemented for '", dtype_graph_name(self.dtype()), "'");
    require(samples.dtype() == self.dtype(), "expected scalar type ", dtype_graph_name(self.dtype()), " but found ",
            dtype_graph_name(samples.dtype()));
    const std::int64_t planes = self.numel() / std::max<std::int64_t>(1, checked_numel(sizes.last(spatial)));
    require(samples.numel() >= planes * static_cast<std::int64_t>(spatial), "Expect _random_samples to hold ", spatial,
            " numbers for each sample and channel, but got ", shape_list_text(samples.sizes()));
    Dims out(sizes.begin(), sizes.end() - static_cast<std::ptrdiff_t>(spatial));
    out.insert(out.end(), output.begin(), output.end());
    return {{out, self.dtype(), self.device()}, {out, ScalarType::Int64, self.device()}};
}
template <std::size_t Spatial>
MetaList infer_fractional(const Tensor& self, const Dims& kernel, const Dims& output, const Tensor& samples) {
    return infer_pool(self, kernel, output, samples, Spatial);
}

// Where the windows of one axis start, found with the arithmetic of the dtype: a rounding moves a window.
template <typename T>
std::vector<std::int64_t> window_starts(T sample, std::int64_t in, std::int64_t out, std::int64_t kernel,
                                        ScalarType dtype) {
    const auto rounded = [dtype](T x) {
        if (dtype == ScalarType::Float16) return static_cast<T>(static_cast<float>(Half(static_cast<float>(x))));
        if (dtype == ScalarType::BFloat16) return static_cast<T>(static_cast<float>(BFloat16(static_cast<float>(x))));
        return x;
    };
    require(sample >= 0 && sample <= 1, "Expect _random_samples from 0 to 1, but got ", static_cast<double>(sample));
    std::vector<std::int64_t> starts(static_cast<std::size_t>(out));
    if (out > 1) {
        const T alpha = rounded(rounded(static_cast<T>(in - kernel)) / rounded(static_cast<T>(out - 1)));
        for (std::int64_t i = 0; i < out - 1; ++i) {
            const T moved = rounded(rounded(static_cast<T>(i)) + sample);
            const auto start =
                static_cast<std::int64_t>(rounded(moved * alpha)) - static_cast<std::int64_t>(rounded(sample * alpha));
            starts[static_cast<std::size_t>(i)] = std::min(start, in - kernel);
        }
    }
    if (out > 0) starts.back() = in - kernel;
    return starts;
}

struct Plane {
    std::array<std::int64_t, 3> input{1, 1, 1};
    std::array<std::int64_t, 3> output{1, 1, 1};
    std::array<std::int64_t, 3> kernel{1, 1, 1};
    std::array<std::vector<std::int64_t>, 3> starts{{{0}, {0}, {0}}};
};

template <typename T>
void pool_plane(const Plane& p, const T* x, T* out, std::int64_t* indices) {
    for (const std::int64_t d0 : p.starts[0]) {
        for (const std::int64_t h0 : p.starts[1]) {
            for (const std::int64_t w0 : p.starts[2]) {
                T best = -std::numeric_limits<T>::infinity();
                std::int64_t at = (d0 * p.input[1] + h0) * p.input[2] + w0;
                for (std::int64_t d = d0; d < d0 + p.kernel[0]; ++d) {
                    for (std::int64_t h = h0; h < h0 + p.kernel[1]; ++h) {
                        for (std::int64_t w = w0; w < w0 + p.kernel[2]; ++w) {
                            const std::int64_t here = (d * p.input[1] + h) * p.input[2] + w;
                            if (x[here] > best || std::isnan(x[here])) {
                                best = x[here];
                                at = here;
                            }
                        }
                    }
                }
                *out++ = best;
                *indices++ = at;
            }
        }
    }
}

// The samples of a plane are in order width, height for images and time, height, width for volumes.
template <std::size_t Spatial>
void fractional_max_pool(const Tensor& out, const Tensor& indices, const Tensor& self, const Dims& kernel,
                         const Dims& output, const Tensor& samples) {
    if (out.numel() == 0) return;
    const std::int64_t in_pixels = checked_numel(self.sizes().last(Spatial));
    const std::int64_t out_pixels = checked_numel(span_of(output));
    visit_floating(self.dtype(), "fractional_max_pool", [&]<typename T>(std::type_identity<T>) {
        const Tensor x = packed_as(self, scalar_type_of<T>);
        const Tensor drawn = packed_as(samples, scalar_type_of<T>);
        const Tensor y = out.dtype() == x.dtype() ? buffer_for(out) : empty(out.sizes(), x.dtype());
        const Tensor at = buffer_for(indices);
        parallel_for(0, out.numel() / out_pixels, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                Plane plane;
                for (std::size_t d = 0; d < Spatial; ++d) {
                    const std::size_t to = 3 - Spatial + d;
                    plane.input[to] = self.size(static_cast<std::int64_t>(d) - static_cast<std::int64_t>(Spatial));
                    plane.output[to] = output[d];
                    plane.kernel[to] = kernel[d];

                    const std::size_t draw = Spatial == 2 ? Spatial - 1 - d : d;
                    plane.starts[to] = window_starts(
                        drawn.data<T>()[i * static_cast<std::int64_t>(Spatial) + static_cast<std::int64_t>(draw)],
                        plane.input[to], output[d], kernel[d], self.dtype());
                }
                pool_plane(plane, x.data<T>() + i * in_pixels, y.data<T>() + i * out_pixels,
                           at.data<std::int64_t>() + i * out_pixels);
            }
        });
        if (!y.is_same(out)) convert_into(out, y);
        put_back(indices, at);
    });
}

// ---- backward

template <std::size_t Spatial>
TensorMeta infer_backward(const Tensor& grad, const Tensor& self, const Dims&, const Dims&, const Tensor& indices) {
    require(indices.dtype() == ScalarType::Int64 && grad.dtype() == self.dtype(),
            "expected indices of scalar type Long and gradients of ", dtype_graph_name(self.dtype()), ", but found ",
            dtype_graph_name(indices.dtype()), " and ", dtype_graph_name(grad.dtype()));
    require(self.dim() > static_cast<std::int64_t>(Spatial) && grad.dim() == self.dim() &&
                std::equal(self.sizes().begin(), self.sizes().end() - static_cast<std::ptrdiff_t>(Spatial),
                           grad.sizes().begin()),
            "fractional_max_pool_backward(): gradOutput sizes unexpected");
    require(std::equal(grad.sizes().begin(), grad.sizes().end(), indices.sizes().begin(), indices.sizes().end()),
            "fractional_max_pool_backward(): gradOutput sizes unexpected");
    return {to_dims(self.sizes()), self.dtype(), self.device()};
}

template <std::size_t Spatial>
void fractional_backward(const Tensor& out, const Tensor& grad, const Tensor& self, const Dims&, const Dims&,
                         const Tensor& indices) {
    const std::int64_t in_pixels = checked_numel(self.sizes().last(Spatial));
    const std::int64_t out_pixels = checked_numel(grad.sizes().last(Spatial));
    const Tensor index = packed(indices);
    visit_floating(self.dtype(), "fractional_max_pool_backward", [&]<typename T>(std::type_identity<T>) {
        const Tensor g = packed(grad);
        const Tensor y = buffer_for(out);
        fill_zero(y);
        for (std::int64_t i = 0; i < g.numel(); ++i) {
            const std::int64_t at = index.data<std::int64_t>()[i];
            require(at >= 0 && at < in_pixels, "fractional_max_pool", Spatial, "d_backward(): index ", at,
                    " is outside the input");
            y.data<T>()[i / out_pixels * in_pixels + at] += g.data<T>()[i];
        }
        put_back(out, y);
    });
}

template <std::size_t Spatial>
void fractional_gradient(GradientContext& c) {
    const auto& backward = Spatial == 2 ? kBackward2d : kBackward3d;
    c.grad("self", [&] {
        return backward(c.grad_output(), c.argument("self"), c.value("kernel_size"), c.value("output_size"),
                        c.result(1));
    });
}
template <std::int64_t Spatial>
void fractional_double_gradient(GradientContext& c) {
    c.grad("grad_output", [&] {
        const Tensor flat = fn::flatten(c.grad_output(), -Spatial, -1);
        return fn::reshape(fn::gather(flat, -1, fn::flatten(c.argument("indices"), -Spatial, -1)),
                           to_dims(c.sizes("grad_output")));
    });
}

template <std::size_t Spatial>
std::vector<Sample> fractional_samples(Random& random, ScalarType dtype) {
    if (dtype != ScalarType::Float64 && dtype != ScalarType::Float32) return {};
    const Tensor x =
        Spatial == 2 ? random_ladder(random, {2, 2, 5, 6}, dtype) : random_ladder(random, {2, 2, 5, 4, 4}, dtype);
    const Tensor samples =
        fn::detach(fn::sigmoid(random_tensor(random, {2, 2, static_cast<std::int64_t>(Spatial)}, dtype)));
    return {{{x, Dims(Spatial, 2), Dims(Spatial, 3), samples}}};
}

constexpr OperatorRecord kRecords[] = {
    {.schema = "aten::fractional_max_pool2d(Tensor self, int[2] kernel_size, int[2] output_size, Tensor "
               "random_samples) -> "
               "(Tensor, Tensor)",
     .summary = "The largest value of windows whose places are drawn at random.",
     .formula = "out[c, p] = max_k self[c, start(p) + k], starts drawn at random",
     .infer = inferring<infer_fractional<2>>,
     .kernel = filling<fractional_max_pool<2>, 2>,
     .derivative = {fractional_gradient<2>, {save_argument("self"), save_result(1)}, "FractionalMaxPool2DBackward0"},
     .gradient = "self: grad at the place of each window's greatest element, else 0",
     .samples = fractional_samples<2>,
     .variants = kOut,
     .out = {.overload = "output", .names = "output indices", .refusal = out_refusal::kStructured},
     .autocast = {.cpu = Autocast::Float32},
     .dtypes = {.kernel = "fractional_max_pool2d_out_frame"}},
    {.schema = "aten::fractional_max_pool3d(Tensor self, int[3] kernel_size, int[3] output_size, Tensor "
               "random_samples) -> "
               "(Tensor, Tensor)",
     .summary = "The largest value of windows whose places are drawn at random.",
     .formula = "out[c, p] = max_k self[c, start(p) + k], starts drawn at random",
     .infer = inferring<infer_fractional<3>>,
     .kernel = filling<fractional_max_pool<3>, 2>,
     .derivative = {fractional_gradient<3>, {save_argument("self"), save_result(1)}, "FractionalMaxPool3DBackward0"},
     .gradient = "self: grad at the place of each window's greatest element, else 0",
     .samples = fractional_samples<3>,
     .variants = kOut,
     .out = {.overload = "output", .names = "output indices"},
     .autocast = {.cpu = Autocast::Float32},
     .dtypes = {.kernel = "fractional_max_pool3d_out_frame"}},
    {
        .schema = "aten::fractional_max_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] "
                  "output_size, "
                  "Tensor indices) -> Tensor",
        .summary = "Gradient of fractional_max_pool2d.",
        .formula = "out[indices[c, p]] += grad_output[c, p]",
        .infer = inferring<infer_backward<2>>,
        .kernel = filling<fractional_backward<2>>,
        .derivative = {fractional_double_gradient<2>,
                       {save_argument("indices")},
                       "FractionalMaxPool2DBackwardBackward0"},
        .gradient = "grad_output: grad at the indices",
        .variants = kOut,
        .out = {.overload = "grad_input", .names = "grad_input"},
    },
    {
        .schema = "aten::fractional_max_pool3d_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] "
                  "output_size, "
                  "Tensor indices) -> Tensor",
        .summary = "Gradient of fractional_max_pool3d.",
        .formula = "out[indices[c, p]] += grad_output[c, p]",
        .infer = inferring<infer_backward<3>>,
        .kernel = filling<fractional_backward<3>>,
        .derivative = {fractional_double_gradient<3>,
                       {save_argument("indices")},
                       "FractionalMaxPool3DBackwardBackward0"},
        .gradient = "grad_output: grad at the indices",
        .variants = kOut,
        .out = {.overload = "grad_input", .names = "grad_input"},
    },
};

}  // namespace

std::span<const OperatorRecord> nn_ops::fractional_pool_records() { return kRecords; }

}  // namespace loupe
