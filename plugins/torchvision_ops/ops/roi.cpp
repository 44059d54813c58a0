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
        // Samples move by a place or less at a time, so the place is among the last few, if it is there.
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
        for (std::int64_t i = 0; i < axis.samples && axis.size > 0; ++i) {
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

void check_same_dtype(const Tensor& a, const char* name, const Tensor& rois, const char* kernel) {
    require(a.dtype() == rois.dtype(), "Expected tensor for argument #1 '", name, "' to have the same type as tensor for argument #2 'rois'; but type torch.",
            dtype_graph_name(a.dtype()), "Tensor does not equal torch.", dtype_graph_name(rois.dtype()), "Tensor (while checking arguments for ", kernel, ")");
}

void check_roi_dtype(ScalarType dtype, const char* kernel) {
    visit_roi_dtype(dtype, kernel, [](auto, auto) {});
}

void check_rois(const Tensor& rois, const char* message) {
    require(rois.size(1) == 5 && rois.dim() == 2, message);
}

void check_grad(const Tensor& grad, const Tensor& rois, std::int64_t channels, std::int64_t height, std::int64_t width) {
    nn_ops::require_sizes(grad, span_of(Dims{rois.size(0), channels, height, width}), "grad");
}

std::vector<std::int64_t> image_indices(const Tensor& rois, std::int64_t batch_size) {
    const Tensor wide = packed_as(rois, ScalarType::Float64);
    std::vector<std::int64_t> images;
    for (std::int64_t n = 0; n < rois.size(0); ++n) {
        const double image = wide.data<double>()[5 * n];
        require(image > -1 && image < static_cast<double>(batch_size), "rois[", n, "][0] must be the index of one of the ", batch_size,
                " images of the batch, but is ", image);
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
