// SPDX-License-Identifier: Apache-2.0
#include "plugins/torchvision_ops/ops/roi.h"

#include <algorithm>

#include "core/base/cancel.h"
#include "core/ops/random/random.h"

namespace loupe::torchvision_ops {
namespace {

// A sample at y between two places, or at the edge at one.
template <typename T>
void add_sample(T y, std::int64_t size, AxisTaps<T>& taps, std::size_t first_of_bin) {
    const auto add = [&](std::int64_t place, T weight) {
        // Samples are a place or less apart, so the place is among the last few, if present.
        const std::size_t end = taps.place.size();
        const std::size_t begin = std::max(first_of_bin, end > 3 ? end - 3 : 0);
        for (std::size_t i = begin; i < end; ++i) {
            if (taps.place[i] == place) {
                taps.weight[i] = taps.weight[i] + weight;
                return;
            }
        }
        taps.place.push_back(place);
        taps.weight.push_back(weight);
    };
    if (!(y >= T(-1) && y <= static_cast<T>(size))) return;
    const T inside = y <= 0 ? T(0) : y;
    const auto low = static_cast<std::int64_t>(inside);
    if (low >= size - 1) {
        add(size - 1, T(1));
        return;
    }
    const T fraction = inside - static_cast<T>(low);
    add(low, T(1) - fraction);
    add(low + 1, fraction);
}

template <typename C>
constexpr double kPrecision = sizeof(C) == 8             ? 0x1p-52
                              : std::is_same_v<C, float> ? 0x1p-23
                                                         : 0x1p-10;

// The samples of a bin that can be in the image: skips the others of a much larger region.
template <typename C>
std::pair<std::int64_t, std::int64_t> samples_inside(const AxisGeometry<C>& axis, C bin_start) {
    if (axis.samples < 4096) return {0, axis.samples};
    const double start = static_cast<double>(bin_start);
    const double step = static_cast<double>(axis.bin_size) / static_cast<double>(axis.samples);
    if (!(step > 0) || !std::isfinite(start)) return {0, axis.samples};
    const double slack = 2 + 8 * kPrecision<C> * (std::abs(start) + static_cast<double>(axis.bin_size)) / step;
    const auto sample_at = [&](double place) { return (place - start) / step - 0.5; };
    const auto last = static_cast<double>(axis.samples);
    return {static_cast<std::int64_t>(std::clamp(sample_at(-1) - slack, 0.0, last)),
            static_cast<std::int64_t>(std::clamp(sample_at(static_cast<double>(axis.size)) + slack, 0.0, last))};
}

}  // namespace

template <typename C, typename T>
void compute_taps(const AxisGeometry<C>& axis, AxisTaps<T>& taps) {
    taps.first.assign(1, 0);
    taps.place.clear();
    taps.weight.clear();
    const C count = static_cast<C>(static_cast<double>(axis.samples));
    for (std::int64_t bin = 0; bin < axis.bins; ++bin) {
        const std::size_t first = taps.place.size();
        const C start = axis.start + static_cast<C>(static_cast<double>(bin)) * axis.bin_size;
        const auto inside = samples_inside(axis, start);
        for (std::int64_t i = inside.first; i < inside.second && axis.size > 0; ++i) {
            if (i % 65536 == 65535) check_cancelled();
            const C at = start + static_cast<C>(static_cast<float>(i) + 0.5F) * axis.bin_size / count;
            add_sample(static_cast<T>(at), axis.size, taps, first);
        }
        taps.first.push_back(static_cast<std::int64_t>(taps.place.size()));
    }
    const auto [low, high] = std::minmax_element(taps.place.begin(), taps.place.end());
    taps.low = taps.place.empty() ? 0 : *low;
    taps.high = taps.place.empty() ? 0 : *high + 1;
}
template void compute_taps(const AxisGeometry<RoundedHalf>&, AxisTaps<float>&);
template void compute_taps(const AxisGeometry<float>&, AxisTaps<float>&);
template void compute_taps(const AxisGeometry<double>&, AxisTaps<double>&);

std::int64_t whole_place(double rounded) {
    constexpr double kFar = 1 << 30;
    if (rounded != rounded) return -(1 << 30);
    return static_cast<std::int64_t>(std::clamp(rounded, -kFar, kFar));
}

template <typename C>
std::vector<PlaceRange> whole_bins(std::int64_t start, std::int64_t length, std::int64_t bins, std::int64_t limit) {
    const auto number = [](std::int64_t value) { return static_cast<C>(static_cast<double>(value)); };
    const C bin_size = number(length) / number(bins);
    const auto clipped = [&](double edge) {
        return std::min(std::max<std::int64_t>(whole_place(edge) + start, 0), limit);
    };
    std::vector<PlaceRange> ranges;
    for (std::int64_t bin = 0; bin < bins; ++bin) {
        ranges.push_back({clipped(std::floor(static_cast<double>(number(bin) * bin_size))),
                          clipped(std::ceil(static_cast<double>(number(bin + 1) * bin_size)))});
    }
    return ranges;
}
template std::vector<PlaceRange> whole_bins<RoundedHalf>(std::int64_t, std::int64_t, std::int64_t, std::int64_t);
template std::vector<PlaceRange> whole_bins<float>(std::int64_t, std::int64_t, std::int64_t, std::int64_t);
template std::vector<PlaceRange> whole_bins<double>(std::int64_t, std::int64_t, std::int64_t, std::int64_t);

void check_images(const Tensor& input, const char* name) {
    input.size(3);
    require(input.dim() == 4, name, ": expected an input of 4 dimensions, got ", input.dim());
}

void check_indices(const Tensor& indices, const Tensor& grad, const char* name) {
    require(indices.dtype() == ScalarType::Int32, "expected scalar type Int but found ",
            dtype_graph_name(indices.dtype()));
    nn_ops::require_sizes(indices, grad.sizes(), name);
}

Tensor computing_buffer(const Tensor& out, ScalarType dtype) {
    return out.dtype() == dtype && out.is_contiguous() ? out : empty(out.sizes(), dtype);
}
void put_computed(const Tensor& out, const Tensor& buffer) {
    if (!buffer.is_same(out)) convert_into(out, buffer);
}

void check_same_dtype(const Tensor& a, const char* name, const Tensor& rois, const char* kernel) {
    require(a.dtype() == rois.dtype(), "Expected tensor for argument #1 '", name,
            "' to have the same type as tensor for argument #2 'rois'; but type torch.", dtype_graph_name(a.dtype()),
            "Tensor does not equal torch.", dtype_graph_name(rois.dtype()), "Tensor (while checking arguments for ",
            kernel, ")");
}

void check_roi_dtype(ScalarType dtype, const char* kernel) {
    visit_roi_dtype(dtype, kernel, [](auto, auto) {});
}

void check_rois(const Tensor& rois, const char* message) { require(rois.size(1) == 5 && rois.dim() == 2, message); }

void check_grad(const Tensor& grad, const Tensor& rois, std::int64_t channels, std::int64_t height,
                std::int64_t width) {
    nn_ops::require_sizes(grad, span_of(Dims{rois.size(0), channels, height, width}), "grad");
}

std::vector<std::int64_t> image_indices(const Tensor& rois, std::int64_t batch_size) {
    const Tensor wide = packed_as(rois, ScalarType::Float64);
    std::vector<std::int64_t> images;
    for (std::int64_t n = 0; n < rois.size(0); ++n) {
        const double image = wide.data<double>()[5 * n];
        require(image > -1 && image < static_cast<double>(batch_size), "rois[", n,
                "][0] must be the index of one of the ", batch_size, " images of the batch, but is ", image);
        images.push_back(static_cast<std::int64_t>(image));
    }
    return images;
}

void fail_double_backward(const char* name) { fail_run(concat("double backwards on ", name, " not supported")); }

Tensor sample_rois(Random& random, std::int64_t count, ScalarType dtype) {
    std::uniform_real_distribution<double> place(-1, 5);
    std::uniform_real_distribution<double> length(1, 6);
    const Tensor rois = empty(span_of(Dims{count, 5}), ScalarType::Float64);
    for (std::int64_t n = 0; n < count; ++n) {
        double* roi = rois.data<double>() + 5 * n;
        roi[0] = static_cast<double>(n % 2);
        for (int d = 0; d < 2; ++d) {
            roi[1 + d] = place(random.engine());
            roi[3 + d] = roi[1 + d] + length(random.engine());
        }
    }
    return packed_as(rois, dtype);
}

}  // namespace loupe::torchvision_ops
