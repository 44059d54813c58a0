// SPDX-License-Identifier: Apache-2.0
// affine_grid_generator and grid_sampler over planes: bilinear and nearest.
#include <algorithm>
#include <cmath>

#include "core/base/parallel.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/family.h"

namespace loupe {
namespace {

using namespace nn_ops;

// Called from this file alone.
const OperatorHandle<> kSampler2d("aten::grid_sampler_2d");
const OperatorHandle<fn::TwoTensors> kSampler2dBackward("aten::grid_sampler_2d_backward");

enum class Padding : std::int64_t { Zeros = 0, Border = 1, Reflection = 2 };

// Coordinates -1 .. 1 of n places, the outermost centres at the ends when `align`.
double place(std::int64_t i, std::int64_t n, bool align) {
    if (n <= 1) return 0;
    const double x = -1 + 2 * static_cast<double>(i) / static_cast<double>(n - 1);
    return align ? x : x * static_cast<double>(n - 1) / static_cast<double>(n);
}

Tensor affine_grid_generator(const Tensor& theta, const Dims& size, bool align) {
    require(size.size() == 4, "AffineGridGenerator needs 4d (spatial) input");
    require(theta.dim() == 3 && theta.size(0) == size[0] && theta.size(1) == 2 && theta.size(2) == 3,
            "Expected a batch of 2D affine matrices of shape Nx2x3 for size ", shape_list_text(span_of(size)), ". Got ",
            shape_list_text(theta.sizes()), ".");
    const std::int64_t height = size[2];
    const std::int64_t width = size[3];
    Tensor base = empty(span_of(Dims{1, height * width, 3}), ScalarType::Float64);
    double* p = base.data<double>();
    for (std::int64_t i = 0; i < height * width; ++i) {
        *p++ = place(i % width, width, align);
        *p++ = place(i / width, height, align);
        *p++ = 1;
    }
    const Tensor points = fn::expand(packed_as(base, theta.dtype()), Dims{size[0], height * width, 3});
    return fn::view(fn::bmm(points, fn::transpose(theta, 1, 2)), Dims{size[0], height, width, 2});
}

// A coordinate in places, and how it moves with the grid's value.
struct Source {
    double at;
    double slope;
};

Source reflected(Source s, double low, double high) {
    const double span = high - low;
    if (span <= 0) return {0, 0};
    double x = s.at - low;
    double sign = 1;
    if (x < 0) {
        x = -x;
        sign = -1;
    }
    const double flips = std::floor(x / span);
    const double rest = std::fmod(x, span);
    const bool even = std::fmod(flips, 2) == 0;
    return {even ? rest + low : span - rest + low, s.slope * (even ? sign : -sign)};
}

Source source_of(double value, std::int64_t n, Padding padding, bool align) {
    const auto size = static_cast<double>(n);
    Source s = align ? Source{(value + 1) / 2 * (size - 1), (size - 1) / 2} : Source{((value + 1) * size - 1) / 2, size / 2};
    if (padding == Padding::Zeros) return s;
    if (padding == Padding::Reflection) s = align ? reflected(s, 0, size - 1) : reflected(s, -0.5, size - 0.5);
    if (s.at <= 0) return {0, 0};
    if (s.at >= size - 1) return {size - 1, 0};
    return s;
}

// The inputs around a point with their weights, and the weights' derivatives by x and y.
struct Corner {
    std::int64_t x;
    std::int64_t y;
    double weight;
    double by_x;
    double by_y;
};

template <typename Visit>
void for_each_corner(const Source& x, const Source& y, bool nearest, std::int64_t width, std::int64_t height, Visit&& visit) {
    const auto inside = [&](std::int64_t cx, std::int64_t cy) { return cx >= 0 && cx < width && cy >= 0 && cy < height; };
    if (nearest) {
        const Corner c{static_cast<std::int64_t>(std::nearbyint(x.at)), static_cast<std::int64_t>(std::nearbyint(y.at)), 1, 0, 0};
        if (inside(c.x, c.y)) visit(c);
        return;
    }
    const double left = std::floor(x.at);
    const double top = std::floor(y.at);
    for (int dy = 0; dy < 2; ++dy) {
        for (int dx = 0; dx < 2; ++dx) {
            const double wx = dx == 0 ? left + 1 - x.at : x.at - left;
            const double wy = dy == 0 ? top + 1 - y.at : y.at - top;
            const Corner c{static_cast<std::int64_t>(left) + dx, static_cast<std::int64_t>(top) + dy, wx * wy, (dx == 0 ? -wy : wy) * x.slope,
                           (dy == 0 ? -wx : wx) * y.slope};
            if (inside(c.x, c.y)) visit(c);
        }
    }
}

void check_grid(const Tensor& input, const Tensor& grid, std::int64_t mode) {
    const std::string sizes = concat("but got input with sizes ", shape_list_text(input.sizes()), " and grid with sizes ", shape_list_text(grid.sizes()));
    require(input.dim() == 4 && grid.dim() == 4, "grid_sampler(): expected 4D input and grid with same number of dimensions, ", sizes);
    require(input.size(0) == grid.size(0), "grid_sampler(): expected grid and input to have same batch size, ", sizes);
    require(grid.size(3) == 2, "grid_sampler(): expected grid to have size 2 in last dimension, but got grid with sizes ", shape_list_text(grid.sizes()));
    require(input.dtype() == grid.dtype(), "grid_sampler(): expected input and grid to have same dtype, but input has ",
            dtype_graph_name(input.dtype()), " and grid has ", dtype_graph_name(grid.dtype()));
    require(mode == 0 || mode == 1, "grid_sampler(): bicubic interpolation is not supported");
}

TensorMeta infer_grid_sampler(const Tensor& input, const Tensor& grid, std::int64_t mode, std::int64_t, bool) {
    check_grid(input, grid, mode);
    return {{input.size(0), input.size(1), grid.size(1), grid.size(2)}, input.dtype(), input.device()};
}

void grid_sampler_2d(const Tensor& out, const Tensor& input, const Tensor& grid, std::int64_t mode, std::int64_t padding, bool align) {
    const std::int64_t channels = input.size(1);
    const std::int64_t height = input.size(2);
    const std::int64_t width = input.size(3);
    const std::int64_t points = grid.size(1) * grid.size(2);
    visit_floating(input.dtype(), "grid_sampler_2d", [&]<typename T>(std::type_identity<T>) {
        const Tensor x = packed_as(input, scalar_type_of<T>);
        const Tensor g = packed_as(grid, scalar_type_of<T>);
        const Tensor y = empty(out.sizes(), scalar_type_of<T>);
        fill_zero(y);
        parallel_for(0, input.size(0) * points, 512, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t n = i / points;
                const Source sx = source_of(static_cast<double>(g.data<T>()[2 * i]), width, static_cast<Padding>(padding), align);
                const Source sy = source_of(static_cast<double>(g.data<T>()[2 * i + 1]), height, static_cast<Padding>(padding), align);
                for_each_corner(sx, sy, mode == 1, width, height, [&](const Corner& c) {
                    for (std::int64_t k = 0; k < channels; ++k) {
                        y.data<T>()[(n * channels + k) * points + i % points] +=
                            static_cast<T>(c.weight) * x.data<T>()[((n * channels + k) * height + c.y) * width + c.x];
                    }
                });
            }
        });
        convert_into(out, y);
    });
}

void run_grid_sampler_backward(Arguments arguments, IValue* results) {
    const Tensor input = arguments[1].to_tensor();
    const Tensor grid = arguments[2].to_tensor();
    const auto padding = static_cast<Padding>(arguments[4].to_int());
    const bool nearest = arguments[3].to_int() == 1;
    const bool align = arguments[5].to_bool();
    const std::vector<bool> mask = arguments[6].to_bools();
    const std::int64_t channels = input.size(1);
    const std::int64_t height = input.size(2);
    const std::int64_t width = input.size(3);
    const std::int64_t points = grid.size(1) * grid.size(2);
    visit_floating(input.dtype(), "grid_sampler_2d_backward", [&]<typename T>(std::type_identity<T>) {
        const Tensor grad = packed_as(arguments[0].to_tensor(), scalar_type_of<T>);
        const Tensor x = packed_as(input, scalar_type_of<T>);
        const Tensor g = packed_as(grid, scalar_type_of<T>);
        const Tensor grad_input = zeros(input.sizes(), scalar_type_of<T>);
        const Tensor grad_grid = zeros(grid.sizes(), scalar_type_of<T>);
        parallel_for(0, input.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin * points; i < end * points; ++i) {
                const std::int64_t n = i / points;
                const Source sx = source_of(static_cast<double>(g.data<T>()[2 * i]), width, padding, align);
                const Source sy = source_of(static_cast<double>(g.data<T>()[2 * i + 1]), height, padding, align);
                for_each_corner(sx, sy, nearest, width, height, [&](const Corner& c) {
                    double dot = 0;
                    for (std::int64_t k = 0; k < channels; ++k) {
                        const std::int64_t at = ((n * channels + k) * height + c.y) * width + c.x;
                        const T go = grad.data<T>()[(n * channels + k) * points + i % points];
                        grad_input.data<T>()[at] += static_cast<T>(c.weight) * go;
                        dot += static_cast<double>(go * x.data<T>()[at]);
                    }
                    grad_grid.data<T>()[2 * i] += static_cast<T>(dot * c.by_x);
                    grad_grid.data<T>()[2 * i + 1] += static_cast<T>(dot * c.by_y);
                });
            }
        });
        if (mask[0]) results[0] = packed_as(grad_input, input.dtype());
        if (mask[1]) results[1] = packed_as(grad_grid, grid.dtype());
    });
}

void grid_sampler_gradient(GradientContext& c) {
    const auto [grad_input, grad_grid] = kSampler2dBackward(c.grad_output(), c.argument(0), c.argument(1), c.value(2), c.value(3),
                                                                      c.value(4), bool_list({c.needs(0), c.needs(1)}));
    if (c.needs(0)) c.set_grad(0, grad_input);
    if (c.needs(1)) c.set_grad(1, grad_grid);
}

Tensor grid_sampler(const Tensor& input, const Tensor& grid, std::int64_t mode, std::int64_t padding, bool align) {
    check_grid(input, grid, mode);
    return kSampler2d(input, grid, mode, padding, align);
}

std::vector<Sample> grid_samples(Random& random, ScalarType dtype) {
    const Tensor x = random_tensor(random, {2, 2, 4, 5}, dtype);
    const Tensor grid = fn::tanh(random_tensor(random, {2, 3, 2, 2}, dtype));
    return {{{x, grid, 0, 0, false}, "bilinear"}, {{x, grid, 1, 1, true}, "nearest, border"}};
}

}  // namespace

extern const OperatorRecord kAffineGridGenerator = {
    .schema = "aten::affine_grid_generator(Tensor theta, int[] size, bool align_corners) -> Tensor",
    .summary = "The sampling grid of a batch of affine maps of the plane.",
    .formula = "grid[n, h, w] = theta[n] (x_w, y_h, 1)",
    .composite = boxed<affine_grid_generator>,
};
extern const OperatorRecord kGridSampler = {
    .schema = "aten::grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
    .summary = "Reads an image at the points of a grid.",
    .composite = boxed<grid_sampler>,
    .samples = grid_samples,
};
extern const OperatorRecord kGridSampler2d = {
    .schema = "aten::grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor",
    .summary = "Reads an image at the points of a grid, coordinates from -1 to 1.",
    .infer = inferring<infer_grid_sampler>,
    .kernel = filling<grid_sampler_2d>,
    .derivative = {grid_sampler_gradient, {save_argument(0), save_argument(1)}, "GridSampler2DBackward0"},
    .samples = grid_samples,
};
extern const OperatorRecord kGridSampler2dBackward = {
    .schema = "aten::grid_sampler_2d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool "
              "align_corners, bool[2] output_mask) -> (Tensor, Tensor)",
    .summary = "Gradients of grid_sampler_2d for input and grid.",
    .kernel = run_grid_sampler_backward,
};

}  // namespace loupe
