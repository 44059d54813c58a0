// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "plugins/onnx/ops/windows.h"

namespace loupe::onnx {
namespace {

IntSpan spatial_of(const Tensor& x) {
    require(x.dim() >= 3 && x.dim() <= 5, "pools take 1 to 3 spatial dimensions, got ", describe(x));
    return x.sizes().subspan(2);
}

// Pads that cover what the last windows read, for pools that get none of their own.
void extend_to_windows(Windows& at, IntSpan spatial) {
    for (std::size_t d = 0; d < spatial.size(); ++d) {
        const std::int64_t width = (at.kernel[d] - 1) * at.dilations[d] + 1;
        const std::int64_t needed = (at.outputs[d] - 1) * at.strides[d] + width;
        at.ends[d] = std::max(at.ends[d], needed - spatial[d] - at.begins[d]);
    }
}

bool fits_pytorch(const Windows& at) {
    for (std::size_t d = 0; d < at.begins.size(); ++d) {
        if (at.begins[d] != at.ends[d] || at.begins[d] < 0 || at.begins[d] > at.kernel[d] / 2) return false;
    }
    return true;
}

double lowest(ScalarType dtype) {
    return visit_dtype(dtype, []<typename T>(std::type_identity<T>) -> double {
        if constexpr (std::is_integral_v<T>) return static_cast<double>(std::numeric_limits<T>::lowest());
        return -std::numeric_limits<double>::infinity();
    });
}

// Places in the padded planes, as places in all of the input.
Tensor whole_indices(const Tensor& indices, const Tensor& x, const Dims& begins, const Dims& padded_sizes,
                     bool is_column_major) {
    const std::size_t count = begins.size();
    const IntSpan spatial = x.sizes().subspan(2);
    Tensor rest = indices;
    std::int64_t plane = 1;
    for (const std::int64_t size : spatial) plane *= size;
    Tensor place = fn::zeros_like(indices);
    std::int64_t step = is_column_major ? plane : 1;
    for (std::size_t d = count; d-- > 0;) {
        const Tensor size = scalar_tensor(Scalar(padded_sizes[d]), ScalarType::Int64);
        const Tensor coordinate = fn::sub_scalar(fn::remainder(rest, size), Scalar(begins[d]));
        rest = fn::div_mode(rest, size, "floor");
        if (is_column_major) step /= spatial[d];
        place = fn::add(place, fn::mul_scalar(coordinate, Scalar(step)));
        if (!is_column_major) step *= spatial[d];
    }
    Dims planes(x.sizes().size(), 1);
    planes[0] = x.size(0);
    planes[1] = x.size(1);
    const Tensor first = fn::reshape(fn::mul_scalar(fn::arange(Scalar(x.size(0) * x.size(1))), Scalar(plane)), planes);
    return fn::add(place, first);
}

struct Pooled {
    Tensor values, indices;  // in the padded planes
    Dims begins, sizes;      // of the padded planes
};

Pooled max_pooled(const Tensor& x, const WindowAttributes& attributes) {
    const IntSpan spatial = spatial_of(x);
    Windows at = windows_of(attributes, spatial, {});
    Tensor in = is_floating(x.dtype()) ? x : cast(x, ScalarType::Float32);
    const bool is_plain = fits_pytorch(at);
    Dims begins(spatial.size(), 0);
    Dims sizes = to_dims(spatial);
    if (!is_plain) {
        extend_to_windows(at, spatial);
        in = padded(in, at.begins, at.ends, is_floating(x.dtype()) ? lowest(x.dtype()) : lowest(ScalarType::Float32));
        begins = at.begins;
        for (std::size_t d = 0; d < spatial.size(); ++d) sizes[d] += at.begins[d] + at.ends[d];
    }
    Dims pad = is_plain ? at.begins : Dims(spatial.size(), 0);
    const bool rounds_up = is_plain && attributes.rounds_up;
    const bool is_line = spatial.size() == 1;
    if (is_line) {
        in = fn::unsqueeze(in, 2);
        const auto lift = [](Dims& dims, std::int64_t value) { dims.insert(dims.begin(), value); };
        lift(at.kernel, 1), lift(at.strides, 1), lift(at.dilations, 1), lift(pad, 0);
    }
    const auto& pool = spatial.size() == 3 ? fn::max_pool3d_with_indices : fn::max_pool2d_with_indices;
    auto [values, indices] = pool(in, at.kernel, at.strides, pad, at.dilations, rounds_up);
    if (is_line) {
        values = fn::squeeze(values, 2);
        indices = fn::squeeze(indices, 2);
    }
    return {cast(values, x.dtype()), indices, begins, sizes};
}

Tensor max_pool(const Tensor& x, std::string_view auto_pad, std::int64_t ceil_mode,
                const std::optional<Dims>& dilations, const std::optional<Dims>& kernel_shape,
                const std::optional<Dims>& pads, std::int64_t, const std::optional<Dims>& strides) {
    return max_pooled(x, {auto_pad, kernel_shape, strides, dilations, pads, ceil_mode != 0}).values;
}
fn::TwoTensors max_pool_with_places(const Tensor& x, std::string_view auto_pad, std::int64_t ceil_mode,
                                    const std::optional<Dims>& dilations, const std::optional<Dims>& kernel_shape,
                                    const std::optional<Dims>& pads, std::int64_t storage_order,
                                    const std::optional<Dims>& strides) {
    const Pooled pooled = max_pooled(x, {auto_pad, kernel_shape, strides, dilations, pads, ceil_mode != 0});
    return {pooled.values, whole_indices(pooled.indices, x, pooled.begins, pooled.sizes, storage_order != 0)};
}

// Sums over windows, by a convolution of each channel with ones.
Tensor window_sums(const Tensor& x, const Windows& at) {
    Dims ones{x.size(1), 1};
    ones.insert(ones.end(), at.kernel.begin(), at.kernel.end());
    const Tensor weight = fn::full(ones, Scalar(1.0), static_cast<std::int64_t>(x.dtype()));
    const Dims none(at.kernel.size(), 0);
    return fn::convolution(x, weight, IValue(), at.strides, none, at.dilations, false, none, x.size(1));
}

Tensor average_pool(const Tensor& x, std::string_view auto_pad, std::int64_t ceil_mode, std::int64_t count_include_pad,
                    const std::optional<Dims>& dilations, const std::optional<Dims>& kernel_shape,
                    const std::optional<Dims>& pads, const std::optional<Dims>& strides) {
    const IntSpan spatial = spatial_of(x);
    Windows at = windows_of({auto_pad, kernel_shape, strides, dilations, pads, ceil_mode != 0}, spatial, {});
    const bool is_dense = std::ranges::all_of(at.dilations, [](std::int64_t d) { return d == 1; });
    if (fits_pytorch(at) && is_dense && spatial.size() > 1) {
        const auto& pool = spatial.size() == 3 ? fn::avg_pool3d : fn::avg_pool2d;
        return pool(x, at.kernel, at.strides, at.begins, ceil_mode != 0, count_include_pad != 0, IValue());
    }
    const Dims pad_ends = at.ends;
    extend_to_windows(at, spatial);
    // What counts in the divisor: the input, and its pads where they are asked for, never what rounding up added.
    Dims one{1, 1};
    one.insert(one.end(), spatial.begin(), spatial.end());
    Tensor counted = fn::full(one, Scalar(1.0), static_cast<std::int64_t>(x.dtype()));
    Dims missing = at.ends;
    if (count_include_pad != 0) {
        counted = padded(counted, at.begins, pad_ends, 1);
        for (std::size_t d = 0; d < missing.size(); ++d) missing[d] -= pad_ends[d];
        counted = padded(counted, Dims(missing.size(), 0), missing, 0);
    } else {
        counted = padded(counted, at.begins, at.ends, 0);
    }
    const Tensor sums = window_sums(padded(x, at.begins, at.ends, 0), at);
    return fn::div(sums, window_sums(counted, at));
}

Tensor lp_pool(const Tensor& x, std::string_view auto_pad, std::int64_t ceil_mode, const std::optional<Dims>& dilations,
               const std::optional<Dims>& kernel_shape, std::int64_t p, const std::optional<Dims>& pads,
               const std::optional<Dims>& strides) {
    const IntSpan spatial = spatial_of(x);
    Windows at = windows_of({auto_pad, kernel_shape, strides, dilations, pads, ceil_mode != 0}, spatial, {});
    extend_to_windows(at, spatial);
    const Scalar power(static_cast<double>(p));
    const Tensor powers = fn::pow_scalar(fn::abs(padded(x, at.begins, at.ends, 0)), power);
    return fn::pow_scalar(window_sums(powers, at), Scalar(1.0 / static_cast<double>(p)));
}

Dims spatial_axes(const Tensor& x) {
    Dims axes;
    for (std::int64_t d = 2; d < x.dim(); ++d) axes.push_back(d);
    require(!axes.empty(), "expected an input of at least 3 dimensions, got ", describe(x));
    return axes;
}
Tensor global_average(const Tensor& x) { return fn::mean_dim(x, spatial_axes(x), true); }
Tensor global_max(const Tensor& x) { return fn::amax(x, spatial_axes(x), true); }
Tensor global_lp(const Tensor& x, std::int64_t p) {
    return fn::vector_norm(x, Scalar(static_cast<double>(p)), spatial_axes(x), true);
}

// Indices count through all of the result, which is as large as its windows reach.
Tensor max_unpool(const Tensor& x, const Tensor& indices, const Tensor& output_shape,
                  const std::optional<Dims>& kernel_shape, const std::optional<Dims>& pads,
                  const std::optional<Dims>& strides) {
    const IntSpan spatial = spatial_of(x);
    const Dims kernel = or_filled(kernel_shape, spatial.size(), 1);
    const Dims step = or_filled(strides, spatial.size(), 1);
    const Dims pad = or_filled(pads, 2 * spatial.size(), 0);
    require(kernel.size() == spatial.size() && step.size() == spatial.size() && pad.size() == 2 * spatial.size(),
            "kernel_shape, strides or pads have other lengths than the input has dimensions");
    Dims sizes{x.size(0), x.size(1)};
    for (std::size_t d = 0; d < spatial.size(); ++d)
        sizes.push_back((spatial[d] - 1) * step[d] + kernel[d] - pad[d] - pad[d + spatial.size()]);
    const Tensor flat = fn::new_zeros(x, Dims{checked_numel(span_of(sizes))});
    const Tensor placed = fn::scatter(flat, 0, fn::reshape(indices, Dims{-1}), fn::reshape(x, Dims{-1}));
    const Tensor out = fn::reshape(placed, sizes);
    if (!output_shape.defined()) return out;
    // A larger result has zeros behind.
    const Dims wanted = whole_numbers(output_shape);
    require(wanted.size() == sizes.size(), "output_shape has ", wanted.size(), " numbers");
    Dims none(sizes.size(), 0), more;
    for (std::size_t d = 0; d < sizes.size(); ++d) more.push_back(wanted[d] - sizes[d]);
    return padded(out, none, more, 0);
}

#define LOUPE_POOL "int[]? kernel_shape=None"
#define LOUPE_PLACES "int[]? pads=None, int[]? strides=None"
#define LOUPE_MAX                                                                                \
    "(Tensor X, *, str auto_pad=\"NOTSET\", int ceil_mode=0, int[]? dilations=None, " LOUPE_POOL \
    ", int[]? pads=None, int storage_order=0, int[]? strides=None) -> "

constexpr OperatorRecord kRecords[] = {
    made_of("onnx::MaxPool" LOUPE_MAX "(Tensor, Tensor)", "The largest element of each window, and its place.",
            boxed<max_pool_with_places>),
    made_of("onnx::MaxPool.one" LOUPE_MAX "Tensor", "The largest element of each window.", boxed<max_pool>),
    made_of("onnx::AveragePool(Tensor X, *, str auto_pad=\"NOTSET\", int ceil_mode=0, int count_include_pad=0, int[]? "
            "dilations=None, " LOUPE_POOL ", " LOUPE_PLACES ") -> Tensor",
            "The mean of each window.", boxed<average_pool>),
    made_of("onnx::LpPool(Tensor X, *, str auto_pad=\"NOTSET\", int ceil_mode=0, int[]? dilations=None, " LOUPE_POOL
            ", int p=2, " LOUPE_PLACES ") -> Tensor",
            "The p-norm of each window.", boxed<lp_pool>),
    made_of("onnx::GlobalAveragePool(Tensor X) -> Tensor", "The mean of each channel.", boxed<global_average>),
    made_of("onnx::GlobalMaxPool(Tensor X) -> Tensor", "The largest element of each channel.", boxed<global_max>),
    made_of("onnx::GlobalLpPool(Tensor X, *, int p=2) -> Tensor", "The p-norm of each channel.", boxed<global_lp>),
    reading("onnx::MaxUnpool(Tensor X, Tensor I, Tensor? output_shape=None, *, " LOUPE_POOL ", " LOUPE_PLACES
            ") -> Tensor",
            "What MaxPool took, where it took it from, else 0.", boxed<max_unpool>),
};

#undef LOUPE_POOL
#undef LOUPE_PLACES
#undef LOUPE_MAX

}  // namespace

std::span<const OperatorRecord> pool_records() { return kRecords; }

}  // namespace loupe::onnx
