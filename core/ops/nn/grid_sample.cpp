// SPDX-License-Identifier: Apache-2.0
// affine_grid_generator and grid_sampler over planes and volumes: bilinear, nearest, bicubic.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/parallel.h"
#include "core/ops/nn/common.h"
#include "core/ops/nn/family.h"
#include "core/ops/nn/simd.h"
#include "core/tensor/device_copy.h"

namespace loupe {
namespace {

using namespace nn_ops;

// Called from this file only.
const OperatorHandle<> kSampler2d("aten::grid_sampler_2d");
const OperatorHandle<> kSampler3d("aten::grid_sampler_3d");
const OperatorHandle<fn::TwoTensors> kSampler2dBackward("aten::grid_sampler_2d_backward");
const OperatorHandle<fn::TwoTensors> kSampler3dBackward("aten::grid_sampler_3d_backward");

enum class Mode : std::int64_t { Bilinear = 0, Nearest = 1, Bicubic = 2 };
enum class Padding : std::int64_t { Zeros = 0, Border = 1, Reflection = 2 };

// ---- affine grids

// Coordinates -1 .. 1 of n places, the outermost centres at the ends when `align`.
double place(std::int64_t i, std::int64_t n, bool align) {
    if (n <= 1) return 0;
    const double x = -1 + 2 * static_cast<double>(i) / static_cast<double>(n - 1);
    return align ? x : x * static_cast<double>(n - 1) / static_cast<double>(n);
}

// [N, points, rank + 1]: x, y(, z) and 1 of each place of an image or volume.
Tensor base_points(const Dims& size, bool align, ScalarType dtype, Device device) {
    const std::size_t rank = size.size() - 2;
    const std::int64_t points = checked_numel(span_of(size).subspan(2));
    const Tensor base = empty(span_of(Dims{1, points, static_cast<std::int64_t>(rank) + 1}), ScalarType::Float64);
    double* p = base.data<double>();
    for (std::int64_t i = 0; i < points; ++i) {
        std::int64_t rest = i;
        for (std::size_t d = rank; d-- > 0; rest /= size[2 + d]) *p++ = place(rest % size[2 + d], size[2 + d], align);
        *p++ = 1;
    }
    return fn::expand(on_device(packed_as(base, dtype), device),
                      Dims{size[0], points, static_cast<std::int64_t>(rank) + 1});
}

void check_affine_size(const Dims& size) {
    require(size.size() == 4 || size.size() == 5, "AffineGridGenerator needs 4d (spatial) or 5d (volumetric) inputs.");
}

Tensor affine_grid_generator(const Tensor& theta, const Dims& size, bool align) {
    check_affine_size(size);
    const auto rank = static_cast<std::int64_t>(size.size()) - 2;
    require(theta.dim() == 3 && theta.size(0) == size[0] && theta.size(1) == rank && theta.size(2) == rank + 1,
            "Expected a batch of ", rank, "D affine matrices of shape Nx", rank, "x", rank + 1, " for size ",
            shape_list_text(span_of(size)), ". Got ", shape_list_text(theta.sizes()), ".");
    Dims out{size[0]};
    out.insert(out.end(), size.begin() + 2, size.end());
    out.push_back(rank);
    return fn::view(fn::bmm(base_points(size, align, theta.dtype(), theta.device()), fn::transpose(theta, 1, 2)), out);
}

Tensor affine_grid_generator_backward(const Tensor& grad, const Dims& size, bool align) {
    check_affine_size(size);
    const auto rank = static_cast<std::int64_t>(size.size()) - 2;
    const Tensor points = fn::transpose(base_points(size, align, grad.dtype(), grad.device()), 1, 2);
    return fn::transpose(fn::bmm(points, fn::reshape(grad, Dims{size[0], -1, rank})), 1, 2);
}

// ---- where a value of the grid points to

// A coordinate in places, and how it moves with the grid's value.
template <typename T>
struct Source {
    T at;
    T slope;
};

template <typename T>
Source<T> unnormalized(T value, std::int64_t n, bool align) {
    const T size = static_cast<T>(n);
    if (align) return {(value + 1) * ((size - 1) / 2), (size - 1) / 2};
    return {(value + 1) * (size / 2) - T(0.5), size / 2};
}

template <typename T>
Source<T> reflected(Source<T> s, std::int64_t n, bool align) {
    if (align && n == 1) return {0, 0};
    const T low = align ? T(0) : T(-0.5);
    const T span = static_cast<T>(align ? n - 1 : n);
    const T from_low = s.at - low;
    const T distance = std::abs(from_low);
    const T rest = distance - std::trunc(distance / (2 * span)) * 2 * span;
    const bool turned = rest > span;
    const T sign = (from_low < 0) != turned ? T(-1) : T(1);
    return {std::min(rest, 2 * span - rest) + low, s.slope * sign};
}

// NaN goes to 0.
template <typename T>
Source<T> clipped(Source<T> s, std::int64_t n) {
    const T last = static_cast<T>(n - 1);
    if (!(s.at > 0)) return {0, 0};
    if (s.at >= last) return {last, 0};
    return s;
}

template <typename T>
Source<T> padded(Source<T> s, std::int64_t n, Padding padding, bool align) {
    if (padding == Padding::Zeros) return s;
    return clipped(padding == Padding::Reflection ? reflected(s, n, align) : s, n);
}

// ---- reading there

struct Sampling {
    Mode mode;
    Padding padding;
    bool align;
    std::vector<std::int64_t> sizes;  // D, H, W or H, W

    std::int64_t pixels() const {
        std::int64_t n = 1;
        for (const std::int64_t size : sizes) n *= size;
        return n;
    }
};

// One input along an axis, its weight and the weight's derivative by the grid's value. Outside the input: index -1.
template <typename T>
struct AxisTap {
    std::int64_t index;
    T weight;
    T slope;
};
template <typename T>
struct AxisTaps {
    std::array<AxisTap<T>, 4> taps;
    std::size_t count = 0;

    void add(T at, std::int64_t n, T weight, T slope) {
        const bool inside = at >= 0 && at < static_cast<T>(n);
        taps[count++] = {inside ? static_cast<std::int64_t>(at) : -1, weight, slope};
    }
};

// Keys' cubic kernel with a = -0.75 at the distances 1 + t, t, 1 - t, 2 - t, and its derivatives by t.
template <typename T>
void cubic_weights(T t, std::array<T, 4>& weights, std::array<T, 4>& slopes) {
    constexpr T a = T(-0.75);
    const auto near = [](T x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
    const auto far = [](T x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
    const auto near_slope = [](T x) { return (3 * (a + 2) * x - 2 * (a + 3)) * x; };
    const auto far_slope = [](T x) { return (3 * a * x - 10 * a) * x + 8 * a; };
    weights = {far(t + 1), near(t), near(1 - t), far(2 - t)};
    slopes = {far_slope(t + 1), near_slope(t), -near_slope(1 - t), -far_slope(2 - t)};
}

template <typename T>
AxisTaps<T> axis_taps(const Sampling& s, std::size_t axis, T value) {
    const std::int64_t n = s.sizes[axis];
    const Source<T> raw = unnormalized(value, n, s.align);
    AxisTaps<T> out;
    if (s.mode == Mode::Bicubic) {
        std::array<T, 4> weights;
        std::array<T, 4> slopes;
        const T first = std::floor(raw.at);
        cubic_weights(raw.at - first, weights, slopes);
        for (std::size_t k = 0; k < 4; ++k) {
            const Source<T> at = padded<T>({first - 1 + static_cast<T>(k), 0}, n, s.padding, s.align);
            out.add(at.at, n, weights[k], slopes[k] * raw.slope);
        }
        return out;
    }
    const Source<T> at = padded(raw, n, s.padding, s.align);
    if (s.mode == Mode::Nearest) {
        out.add(std::nearbyint(at.at), n, 1, 0);  // halves to even; PyTorch 1.13 rounds them away from zero in volumes
        return out;
    }
    const T left = std::floor(at.at);
    out.add(left, n, left + 1 - at.at, -at.slope);
    out.add(left + 1, n, at.at - left, at.slope);
    return out;
}

// An input that a point reads: its place in the plane, its weight, and the weight's derivative by x, y(, z).
template <typename T>
struct Tap {
    std::int64_t pixel;
    T weight;
    std::array<T, 3> by;
};

// What a point reads: at most 4 x 4 inputs of a plane or 2 x 2 x 2 of a volume.
template <typename T>
struct PointTaps {
    std::array<Tap<T>, 16> taps;
    std::size_t count = 0;

    void add(const Tap<T>& tap) { taps[count++] = tap; }
    const Tap<T>* begin() const { return taps.data(); }
    const Tap<T>* end() const { return taps.data() + count; }
};

// grid: the point's x, y(, z).
template <typename T>
PointTaps<T> taps_of(const Sampling& s, const T* grid) {
    const std::size_t rank = s.sizes.size();
    PointTaps<T> out;
    out.add({0, T(1), {T(1), T(1), T(1)}});
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const std::size_t component = rank - 1 - axis;
        const AxisTaps<T> along = axis_taps(s, axis, grid[component]);
        PointTaps<T> next;
        for (const Tap<T>& before : out) {
            for (std::size_t k = 0; k < along.count; ++k) {
                const AxisTap<T>& tap = along.taps[k];
                if (tap.index < 0) continue;
                Tap<T> joined{before.pixel * s.sizes[axis] + tap.index, before.weight * tap.weight, before.by};
                for (std::size_t c = 0; c < rank; ++c) joined.by[c] *= c == component ? tap.slope : tap.weight;
                next.add(joined);
            }
        }
        out = next;
    }
    return out;
}

// The same for points beside each other, a tap of all of them after another, to read a plane in vectors. pixel -1:
// none.
constexpr std::int64_t kPointsAtOnce = 128;
template <typename T>
struct BlockTaps {
    std::size_t depth = 0;
    std::array<std::array<std::int32_t, kPointsAtOnce>, 16> pixel;
    std::array<std::array<T, kPointsAtOnce>, 16> weight;

    BlockTaps(const Sampling& s, const T* grid, std::int64_t points) {
        if (s.mode == Mode::Bilinear && s.sizes.size() == 2) {
            fill_bilinear(s, grid, points);
            return;
        }
        for (auto& row : pixel) row.fill(-1);
        for (auto& row : weight) row.fill(T(0));
        for (std::int64_t i = 0; i < points; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const PointTaps<T> own = taps_of(s, grid + i * static_cast<std::int64_t>(s.sizes.size()));
            depth = std::max(depth, own.count);
            for (std::size_t k = 0; k < own.count; ++k) {
                pixel[k][at] = static_cast<std::int32_t>(own.taps[k].pixel);
                weight[k][at] = own.taps[k].weight;
            }
        }
    }
    // Four taps in a plane, the common case.
    void fill_bilinear(const Sampling& s, const T* grid, std::int64_t points) {
        const std::int64_t height = s.sizes[0], width = s.sizes[1];
        depth = 4;
        for (std::int64_t i = 0; i < points; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const T x = padded(unnormalized(grid[2 * i], width, s.align), width, s.padding, s.align).at;
            const T y = padded(unnormalized(grid[2 * i + 1], height, s.align), height, s.padding, s.align).at;
            const T left = std::floor(x), top = std::floor(y);
            const std::array<T, 2> across{left + 1 - x, x - left}, down{top + 1 - y, y - top};
            for (std::size_t k = 0; k < 4; ++k) {
                const T column = left + static_cast<T>(k % 2), row = top + static_cast<T>(k / 2);
                const bool inside =
                    column >= 0 && column < static_cast<T>(width) && row >= 0 && row < static_cast<T>(height);
                pixel[k][at] = inside ? static_cast<std::int32_t>(row) * static_cast<std::int32_t>(width) +
                                            static_cast<std::int32_t>(column)
                                      : -1;
                weight[k][at] = down[k / 2] * across[k % 2];
            }
        }
    }
    void read(const T* plane, T* to, std::int64_t points) const {
        with_best_instructions([&]() LOUPE_INLINE {
            std::fill_n(to, points, T(0));
            for (std::size_t k = 0; k < depth; ++k) {
                const std::int32_t* index = pixel[k].data();
                const T* factor = weight[k].data();
#pragma omp simd
                for (std::int64_t i = 0; i < points; ++i) {
                    const T term = factor[i] * plane[index[i] < 0 ? 0 : index[i]];
                    to[i] += index[i] < 0 ? T(0) : term;
                }
            }
        });
    }
};

// ---- checks

void check_common(const Tensor& input, const Tensor& grid) {
    const std::string sizes = concat("but got input with sizes ", shape_list_text(input.sizes()),
                                     " and grid with sizes ", shape_list_text(grid.sizes()));
    require(input.dim() > 0 && grid.dim() > 0 && input.size(0) == grid.size(0),
            "grid_sampler(): expected grid and input to have same batch size, ", sizes);
    require(grid.size(-1) == input.dim() - 2, "grid_sampler(): expected grid to have size ", input.dim() - 2,
            " in last dimension, but got grid with sizes ", shape_list_text(grid.sizes()));
    for (std::int64_t d = 2; d < input.dim(); ++d) {
        require(input.size(d) > 0,
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes ",
                shape_list_text(input.sizes()), " with dimension ", d, " being empty");
    }
}

void check_sampling(const Tensor& input, const Tensor& grid, std::int64_t mode, std::int64_t padding,
                    std::int64_t rank) {
    check_common(input, grid);
    require(input.dim() == rank + 2 && grid.dim() == rank + 2, "grid_sampler(): expected ", rank + 2,
            "D input and grid with same number of dimensions, ", "but got input with sizes ",
            shape_list_text(input.sizes()), " and grid with sizes ", shape_list_text(grid.sizes()));
    require(rank == 2 || mode != static_cast<std::int64_t>(Mode::Bicubic),
            "grid_sampler(): bicubic interpolation only supports 4D input");
    require(mode >= 0 && mode <= 2, "grid_sampler(): unknown interpolation mode ", mode);
    require(padding >= 0 && padding <= 2, "grid_sampler(): unknown padding mode ", padding);
    const bool known = is_floating(input.dtype());
    if (rank == 2)
        require(known, "\"grid_sampler_2d_cpu_kernel_impl\" not implemented for '", dtype_graph_name(input.dtype()),
                "'");
    else
        require(known, "\"grid_sampler3d_cpu\" not implemented for '", dtype_graph_name(input.dtype()), "'");
    require(input.size(0) == 0 || input.numel() / std::max<std::int64_t>(input.size(0) * input.size(1), 1) <=
                                      std::numeric_limits<std::int32_t>::max(),
            "grid_sampler(): planes of more than 2^31 elements are not supported");
    require(input.dtype() == grid.dtype(), "expected scalar type ", dtype_graph_name(input.dtype()), " but found ",
            dtype_graph_name(grid.dtype()));
}

template <std::int64_t Rank>
TensorMeta infer_sampler(const Tensor& input, const Tensor& grid, std::int64_t mode, std::int64_t padding, bool) {
    check_sampling(input, grid, mode, padding, Rank);
    Dims sizes{input.size(0), input.size(1)};
    for (std::int64_t d = 1; d <= Rank; ++d) sizes.push_back(grid.size(d));
    return {sizes, input.dtype(), input.device()};
}

Sampling sampling_of(const Tensor& input, std::int64_t mode, std::int64_t padding, bool align) {
    return {static_cast<Mode>(mode),
            static_cast<Padding>(padding),
            align,
            {input.sizes().begin() + 2, input.sizes().end()}};
}

// ---- kernels

void sample_grid(const Tensor& out, const Tensor& input, const Tensor& grid, std::int64_t mode, std::int64_t padding,
                 bool align) {
    const Sampling s = sampling_of(input, mode, padding, align);
    const std::int64_t channels = input.size(1);
    const std::int64_t pixels = s.pixels();
    const std::int64_t points = grid.size(0) == 0 ? 0 : grid.numel() / (grid.size(0) * grid.size(-1));
    const auto rank = static_cast<std::int64_t>(s.sizes.size());
    visit_floating(input.dtype(), "grid_sampler", [&]<typename T>(std::type_identity<T>) {
        const Tensor x = packed_as(input, scalar_type_of<T>);
        const Tensor g = packed_as(grid, scalar_type_of<T>);
        const Tensor y = out.dtype() == x.dtype() ? buffer_for(out) : empty(out.sizes(), x.dtype());
        const std::int64_t blocks = (points + kPointsAtOnce - 1) / kPointsAtOnce;
        parallel_for(0, input.size(0) * blocks, 4, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t b = begin; b < end; ++b) {
                const std::int64_t n = b / blocks, first = b % blocks * kPointsAtOnce,
                                   count = std::min(kPointsAtOnce, points - first);
                const BlockTaps<T> taps(s, g.data<T>() + (n * points + first) * rank, count);
                for (std::int64_t plane = n * channels; plane < (n + 1) * channels; ++plane) {
                    taps.read(x.data<T>() + plane * pixels, y.data<T>() + plane * points + first, count);
                }
            }
        });
        if (!y.is_same(out)) convert_into(out, y);
    });
}

// Gradients for (input, grid), of those that the mask asks for.
template <std::int64_t Rank>
void run_sampler_backward(Arguments arguments, IValue* results) {
    const Tensor input = arguments[1].to_tensor();
    const Tensor grid = arguments[2].to_tensor();
    check_sampling(input, grid, arguments[3].to_int(), arguments[4].to_int(), Rank);
    const Sampling s = sampling_of(input, arguments[3].to_int(), arguments[4].to_int(), arguments[5].to_bool());
    const std::vector<bool> mask = arguments.size() > 6 ? arguments[6].to_bools() : std::vector<bool>{true, true};
    require(mask.size() == 2, "output_mask must have 2 elements, but got ", mask.size());
    Dims sampled = to_dims(grid.sizes());
    sampled.pop_back();
    sampled.insert(sampled.begin() + 1, input.size(1));
    require_sizes(arguments[0].to_tensor(), span_of(sampled), "grad_output");
    const std::int64_t channels = input.size(1);
    const std::int64_t pixels = s.pixels();
    const std::int64_t points = grid.size(0) == 0 ? 0 : grid.numel() / (grid.size(0) * Rank);
    visit_floating(input.dtype(), "grid_sampler_backward", [&]<typename T>(std::type_identity<T>) {
        const Tensor grad = packed_as(arguments[0].to_tensor(), scalar_type_of<T>);
        const Tensor x = packed_as(input, scalar_type_of<T>);
        const Tensor g = packed_as(grid, scalar_type_of<T>);
        const Tensor grad_input = zeros(input.sizes(), scalar_type_of<T>);
        const Tensor grad_grid = zeros(grid.sizes(), scalar_type_of<T>);
        parallel_for(0, input.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
            const T *values = x.data<T>(), *grads = grad.data<T>();
            T* sums = grad_input.data<T>();
            for (std::int64_t i = begin * points; i < end * points; ++i) {
                const std::int64_t n = i / points;
                const PointTaps<T> taps = taps_of(s, g.data<T>() + i * Rank);
                std::array<T, Rank> moved{};
                for (std::int64_t k = 0; k < channels; ++k) {
                    const std::int64_t plane = (n * channels + k) * pixels;
                    const T own = grads[(n * channels + k) * points + i % points];
                    for (const Tap<T>& tap : taps) {
                        if (mask[0]) sums[plane + tap.pixel] += tap.weight * own;
                        const T part = own * values[plane + tap.pixel];
                        for (std::size_t c = 0; c < static_cast<std::size_t>(Rank); ++c) moved[c] += part * tap.by[c];
                    }
                }
                std::copy(moved.begin(), moved.end(), grad_grid.data<T>() + i * Rank);
            }
        });
        if (mask[0]) results[0] = packed_as(grad_input, input.dtype());
        if (mask[1]) results[1] = packed_as(grad_grid, grid.dtype());
    });
}

template <std::int64_t Rank>
void sampler_gradient(GradientContext& c) {
    const auto& backward = Rank == 2 ? kSampler2dBackward : kSampler3dBackward;
    const auto [grad_input, grad_grid] =
        backward(c.grad_output(), c.argument("input"), c.argument("grid"), c.value("interpolation_mode"),
                 c.value("padding_mode"), c.value("align_corners"), bool_list({c.needs("input"), c.needs("grid")}));
    if (c.needs("input")) c.set_grad("input", grad_input);
    if (c.needs("grid")) c.set_grad("grid", grad_grid);
}

Tensor grid_sampler(const Tensor& input, const Tensor& grid, std::int64_t mode, std::int64_t padding, bool align) {
    check_common(input, grid);
    return (input.dim() == 4 ? kSampler2d : kSampler3d)(input, grid, mode, padding, align);
}

std::vector<Sample> grid_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    const Tensor x = random_tensor(random, {2, 2, 4, 5}, dtype);
    const Tensor grid = fn::tanh(random_tensor(random, {2, 3, 2, 2}, dtype));
    return {{{x, grid, 0, 0, false}, "bilinear"},
            {{x, grid, 1, 1, true}, "nearest, border"},
            {{x, grid, 2, 0, true}, "bicubic"},
            {{x, grid, 2, 2, false}, "bicubic, reflected"},
            {{x, fn::mul_scalar(grid, Scalar(2.5)), 0, 2, false}, "reflected"}};
}
std::vector<Sample> volume_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    const Tensor x = random_tensor(random, {1, 2, 3, 4, 3}, dtype);
    const Tensor grid = fn::tanh(random_tensor(random, {1, 2, 2, 2, 3}, dtype));
    return {{{x, grid, 0, 0, false}, "trilinear"},
            {{x, grid, 0, 1, true}, "border"},
            {{x, grid, 1, 2, false}, "nearest, reflected"}};
}
std::vector<Sample> affine_samples(Random& random, ScalarType dtype) {
    if (!is_floating(dtype)) return {};
    return {{{random_tensor(random, {2, 2, 3}, dtype), Dims{2, 1, 3, 4}, false}},
            {{random_tensor(random, {1, 3, 4}, dtype), Dims{1, 1, 2, 3, 2}, true}, "volume"}};
}

Cost sampler_cost(Arguments arguments, std::span<const IValue> results) {
    const Tensor out = results[0].to_tensor();
    const double taps = arguments[2].to_int() == 1 ? 1 : (arguments[2].to_int() == 2 ? 16 : (out.dim() == 4 ? 4 : 8));
    const auto bytes = static_cast<double>(out.bytes() + arguments[1].to_tensor().bytes());
    return {2 * taps * static_cast<double>(out.numel()), bytes + taps * static_cast<double>(out.bytes())};
}

constexpr std::string_view kGrid = "out[n, c, p] = sum_i w(i, grid[n, p]) input[n, c, i]";
constexpr std::string_view kGridGradient =
    "input: grad w(i, grid), added over the points p\n"
    "grid: sum_{c, i} grad input[n, c, i] dw / dgrid";

constexpr OperatorRecord kRecords[] = {
    {
        .schema = "aten::affine_grid_generator(Tensor theta, int[] size, bool align_corners) -> Tensor",
        .summary = "The sampling grid of a batch of affine maps of the plane or of space.",
        .formula = "grid[n, h, w] = theta[n] (x_w, y_h, 1)",
        .composite = boxed<affine_grid_generator>,
        .gradient = "theta: sum_p grad[n, p] (x, y, 1)^T",
        .samples = affine_samples,
        .variants = kOut,
    },
    {
        .schema = "aten::grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool "
                  "align_corners) "
                  "-> Tensor",
        .summary = "Reads an image or a volume at the points of a grid.",
        .formula = kGrid,
        .composite = boxed<grid_sampler>,
        .gradient = kGridGradient,
        .cost = sampler_cost,
        .samples = grid_samples,
        .autocast = {.cpu = Autocast::Float32, .cuda = Autocast::Widest},
    },
    {.schema = "aten::grid_sampler_2d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool "
               "align_corners) -> Tensor",
     .summary = "Reads an image at the points of a grid, coordinates from -1 to 1.",
     .formula = kGrid,
     .infer = inferring<infer_sampler<2>>,
     .kernel = filling<sample_grid>,
     .derivative = {sampler_gradient<2>, {save_argument("input"), save_argument("grid")}, "GridSampler2DBackward0"},
     .gradient = kGridGradient,
     .cost = sampler_cost,
     .samples = grid_samples,
     .variants = kOut,
     .autocast = {.cpu = Autocast::Float32},
     .dtypes = {.kernel = "grid_sampler_2d_cpu_kernel_impl"}},
    {
        .schema =
            "aten::grid_sampler_2d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int "
            "padding_mode, bool "
            "align_corners, bool[2] output_mask) -> (Tensor, Tensor)",
        .summary = "Gradients of grid_sampler_2d for input and grid.",
        .kernel = run_sampler_backward<2>,
        .variants = kOut,
    },
    {
        .schema = "aten::affine_grid_generator_backward(Tensor grad, int[] size, bool align_corners) -> Tensor",
        .summary = "Gradient of affine_grid_generator.",
        .composite = boxed<affine_grid_generator_backward>,
    },
    {
        .schema = "aten::_grid_sampler_2d_cpu_fallback(Tensor input, Tensor grid, int interpolation_mode, int "
                  "padding_mode, bool "
                  "align_corners) -> Tensor",
        .summary = "The same as grid_sampler_2d.",
        .formula = kGrid,
        .infer = inferring<infer_sampler<2>>,
        .kernel = filling<sample_grid>,
        .derivative = {sampler_gradient<2>,
                       {save_argument("input"), save_argument("grid")},
                       "GridSampler2DCpuFallbackBackward0"},
        .gradient = kGridGradient,
        .samples = grid_samples,
        .variants = kOut,
        .autocast = {.cpu = Autocast::Float32},
    },
    {
        .schema = "aten::_grid_sampler_2d_cpu_fallback_backward(Tensor grad_output, Tensor input, Tensor grid, int "
                  "interpolation_mode, int padding_mode, "
                  "bool align_corners) -> (Tensor, Tensor)",
        .summary = "Gradients of grid_sampler_2d for input and grid.",
        .kernel = run_sampler_backward<2>,
    },
    {.schema = "aten::grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool "
               "align_corners) -> Tensor",
     .summary = "Reads a volume at the points of a grid, coordinates from -1 to 1.",
     .formula = kGrid,
     .infer = inferring<infer_sampler<3>>,
     .kernel = filling<sample_grid>,
     .derivative = {sampler_gradient<3>, {save_argument("input"), save_argument("grid")}, "GridSampler3DBackward0"},
     .gradient = kGridGradient,
     .cost = sampler_cost,
     .samples = volume_samples,
     .variants = kOut,
     .autocast = {.cpu = Autocast::Float32},
     .dtypes = {.kernel = "grid_sampler3d_cpu"}},
    {
        .schema =
            "aten::grid_sampler_3d_backward(Tensor grad_output, Tensor input, Tensor grid, int interpolation_mode, int "
            "padding_mode, bool "
            "align_corners, bool[2] output_mask) -> (Tensor, Tensor)",
        .summary = "Gradients of grid_sampler_3d for input and grid.",
        .kernel = run_sampler_backward<3>,
        .variants = kOut,
    },
};

}  // namespace

std::span<const OperatorRecord> nn_ops::grid_sample_records() { return kRecords; }

}  // namespace loupe
