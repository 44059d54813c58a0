// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared by the operators over regions of interest: checks, and the inputs of bins.
// rois: [K, 5], a row is the image's index, then x1, y1, x2, y2.

#include <cmath>

#include "core/ops/nn/common.h"

namespace loupe::torchvision_ops {

// A half-precision number whose every operation rounds: coordinates and bins then fall where torchvision's do.
class RoundedHalf {
  public:
    RoundedHalf() = default;
    explicit RoundedHalf(double value) : value_(Half(static_cast<float>(value))) {}
    operator float() const { return value_; }
    friend RoundedHalf operator+(RoundedHalf a, RoundedHalf b) { return RoundedHalf(a.value_ + b.value_); }
    friend RoundedHalf operator-(RoundedHalf a, RoundedHalf b) { return RoundedHalf(a.value_ - b.value_); }
    friend RoundedHalf operator*(RoundedHalf a, RoundedHalf b) { return RoundedHalf(a.value_ * b.value_); }
    friend RoundedHalf operator/(RoundedHalf a, RoundedHalf b) { return RoundedHalf(a.value_ / b.value_); }

  private:
    float value_ = 0;
};

// Calls f(coordinate type, computing type) for float16, float32 or float64. Throws "\"name\" not implemented for
// 'Long'".
template <typename F>
void visit_roi_dtype(ScalarType dtype, const char* name, F&& f) {
    switch (dtype) {
        case ScalarType::Float16:
            return f(std::type_identity<RoundedHalf>{}, std::type_identity<float>{});
        case ScalarType::Float32:
            return f(std::type_identity<float>{}, std::type_identity<float>{});
        case ScalarType::Float64:
            return f(std::type_identity<double>{}, std::type_identity<double>{});
        default:
            fail_run(concat("\"", name, "\" not implemented for '", dtype_graph_name(dtype), "'"));
    }
}
inline ScalarType computing_dtype(ScalarType dtype) {
    return dtype == ScalarType::Float64 ? dtype : ScalarType::Float32;
}

// Throws "Expected tensor for argument #1 'input' to have the same type as tensor for argument #2 'rois'; ...".
void check_same_dtype(const Tensor& a, const char* name, const Tensor& rois, const char* kernel);
void check_roi_dtype(ScalarType dtype, const char* kernel);
// Throws with `message` unless rois is [K, 5].
void check_rois(const Tensor& rois, const char* message);
// grad has the shape of the forward pass's result: [K, channels, height, width].
void check_grad(const Tensor& grad, const Tensor& rois, std::int64_t channels, std::int64_t height, std::int64_t width);
// The image of each region. Throws for an image that does not exist.
std::vector<std::int64_t> image_indices(const Tensor& rois, std::int64_t batch_size);

// The places [begin, end) of a bin.
struct PlaceRange {
    std::int64_t begin;
    std::int64_t end;

    bool empty() const { return end <= begin; }
};
// A rounded coordinate as a number; NaN, or outside of any image, is clamped far outside.
std::int64_t whole_place(double rounded);
// Bins of whole places, which may overlap: a region from `start` of `length` places, each end clipped to [0, limit].
template <typename C>
std::vector<PlaceRange> whole_bins(std::int64_t start, std::int64_t length, std::int64_t bins, std::int64_t limit);

// The operator determines start and length of a region on an axis of n places; samples of a bin are common.
template <typename C>
struct AxisGeometry {
    C start;
    C bin_size;
    std::int64_t bins;
    std::int64_t samples;  // in each bin
    std::int64_t size;     // of the image
};

// Inputs of each bin along one axis: the places, and the linear weights of its samples summed by place.
template <typename T>
struct AxisTaps {
    std::vector<std::int64_t> first;  // those of bin b are [first[b], first[b + 1])
    std::vector<std::int64_t> place;
    std::vector<T> weight;
    std::int64_t low = 0;  // all places are in [low, high)
    std::int64_t high = 0;
};
// Samples more than one place outside are 0.
template <typename C, typename T>
void compute_taps(const AxisGeometry<C>& axis, AxisTaps<T>& taps);

// The number of samples of a bin along an axis: the ratio if given, else one per place. 0 for NaN, negative
// for a region that ends before it begins.
template <typename C>
std::int64_t samples_per_bin(std::int64_t sampling_ratio, C length, std::int64_t bins) {
    require(sampling_ratio <= 2147483647, "sampling_ratio: integer out of range");
    if (sampling_ratio > 0) return sampling_ratio;
    const double count = std::ceil(static_cast<double>(length / static_cast<C>(static_cast<double>(bins))));
    return std::abs(count) < 2147483648.0 ? static_cast<std::int64_t>(count) : 0;
}

// Throws unless input is [N, C, H, W].
void check_images(const Tensor& input, const char* name);
// Throws unless `indices` are int32 in grad's shape.
void check_indices(const Tensor& indices, const Tensor& grad, const char* name);

// Contiguous memory in the computing dtype for `out`: itself, or a buffer that put_computed converts into it.
Tensor computing_buffer(const Tensor& out, ScalarType dtype);
void put_computed(const Tensor& out, const Tensor& buffer);

// A derivative that refuses: "double backwards on roi_align not supported".
[[noreturn]] void fail_double_backward(const char* name);

// Regions for samples: some inside, one that hangs over the edges.
Tensor sample_rois(Random& random, std::int64_t count, ScalarType dtype);

}  // namespace loupe::torchvision_ops
