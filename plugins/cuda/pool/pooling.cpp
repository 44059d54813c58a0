// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/pool/pooling.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/error.h"
#include "core/base/strings.h"
#include "core/dispatch/boxing.h"
#include "core/kernels/elementwise.h"
#include "core/ops/nn/pooling.h"
#include "plugins/cuda/cudnn/cudnn_library.h"

namespace loupe::cuda {
namespace {

using nn_ops::PoolShape;

constexpr char kForward2[] = "aten::avg_pool2d", kBackward2[] = "aten::avg_pool2d_backward";
constexpr char kForward3[] = "aten::avg_pool3d", kBackward3[] = "aten::avg_pool3d_backward";

class PoolingDescriptor {
  public:
    PoolingDescriptor(const PoolShape& s, std::size_t spatial, bool counts_padding) {
        check_cudnn(cudnnCreatePoolingDescriptor(&own_), "describing a pooling");
        std::array<int, 3> window{}, padding{}, stride{};
        for (std::size_t d = 0; d < spatial; ++d) {
            window[d] = static_cast<int>(s.kernel[3 - spatial + d]);
            padding[d] = static_cast<int>(s.padding[3 - spatial + d]);
            stride[d] = static_cast<int>(s.stride[3 - spatial + d]);
        }
        check_cudnn(cudnnSetPoolingNdDescriptor(own_,
                                                counts_padding ? CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING
                                                               : CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING,
                                                CUDNN_PROPAGATE_NAN, static_cast<int>(spatial), window.data(),
                                                padding.data(), stride.data()),
                    "describing a pooling");
    }
    PoolingDescriptor(const PoolingDescriptor&) = delete;
    PoolingDescriptor& operator=(const PoolingDescriptor&) = delete;
    ~PoolingDescriptor() { cudnnDestroyPoolingDescriptor(own_); }
    operator cudnnPoolingDescriptor_t() const { return own_; }

  private:
    cudnnPoolingDescriptor_t own_ = nullptr;
};

// The arguments behind the tensors: kernel, stride, padding, ceil_mode, count_include_pad, divisor_override.
struct Windows {
    Windows(const Tensor& input, Arguments a, std::size_t first, std::size_t dims)
        : spatial(dims),
          ceil(a[first + 3].to_bool()),
          counts_padding(a[first + 4].to_bool()),
          has_divisor(!a[first + 5].is_none()) {
        const nn_ops::PoolParameters p{a[first].to_ints(), a[first + 1].to_ints(), a[first + 2].to_ints(), Dims{1},
                                       ceil};
        shape = nn_ops::pool_shape(input, p, spatial, sizes);
    }
    std::size_t spatial;
    bool ceil, counts_padding, has_divisor;
    PoolShape shape;
    Dims sizes;  // of the result
};

// With a batch of one where there is none.
Dims batched(IntSpan sizes, std::size_t spatial) {
    Dims all(sizes.begin(), sizes.end());
    if (all.size() == spatial + 1) all.insert(all.begin(), 1);
    return all;
}
bool lies_last(const Tensor& t, std::size_t spatial) {
    return spatial == 2 && t.dim() == 4 && t.is_channels_last() && !t.is_contiguous();
}

template <std::size_t kSpatial>
void run_forward(Arguments a, IValue* results) {
    const Tensor input = a[0].to_tensor(), out = results[0].to_tensor();
    const Windows w(input, a, 1, kSpatial);
    const bool last = lies_last(input, kSpatial);
    const Tensor x = in_order(input, last), y = room_for(out, last);
    const PoolingDescriptor pooling(w.shape, kSpatial, w.counts_padding);
    const Factors factors(input.dtype());
    const TensorDescriptor from(span_of(batched(x.sizes(), kSpatial)), *cudnn_type(x.dtype()), last),
        to(span_of(batched(y.sizes(), kSpatial)), *cudnn_type(y.dtype()), last);
    check_cudnn(cudnnPoolingForward(cudnn_handle(input.device()), pooling, factors.one(), from, x.address(),
                                    factors.zero(), to, y.address()),
                "a pooling");
    if (!y.is_same(out)) copy_into(out, y);
}

// (grad_output, self, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override)
template <std::size_t kSpatial>
void run_backward(Arguments a, IValue* results) {
    const Tensor input = a[1].to_tensor(), out = results[0].to_tensor();
    const Windows w(input, a, 2, kSpatial);
    const bool last = lies_last(input, kSpatial);
    const Tensor grad = in_order(a[0].to_tensor(), last), dx = room_for(out, last);
    const PoolingDescriptor pooling(w.shape, kSpatial, w.counts_padding);
    const Factors factors(input.dtype());
    const TensorDescriptor from(span_of(batched(grad.sizes(), kSpatial)), *cudnn_type(grad.dtype()), last),
        to(span_of(batched(dx.sizes(), kSpatial)), *cudnn_type(dx.dtype()), last);
    // Of an average neither the input nor the result is read; the gradient and the room stand for them.
    check_cudnn(cudnnPoolingBackward(cudnn_handle(input.device()), pooling, factors.one(), from, grad.address(), from,
                                     grad.address(), to, dx.address(), factors.zero(), to, dx.address()),
                "a gradient of a pooling");
    if (!dx.is_same(out)) copy_into(out, dx);
}

// From this many elements on a thread of our own loop has too long to go alone.
constexpr std::int64_t kLargeWindow = 64;

std::optional<std::string> why_not(const Tensor& input, Arguments a, std::size_t first, std::size_t spatial,
                                   bool is_gradient) {
    const ScalarType dtype = input.dtype();
    if (!cudnn_type(dtype)) return std::string(dtype_name(dtype)) + " input";
    if (input.numel() == 0) return "no elements";
    if (input.numel() > 0x7FFFFFFF) return "more than 2^31 elements";
    const Windows w(input, a, first, spatial);
    if (w.has_divisor) return "a divisor of its own";
    std::int64_t window = 1, overlap = 1;
    for (std::size_t d = 0; d < 3; ++d) {
        const std::int64_t covered = w.shape.input[d] + 2 * w.shape.padding[d] - w.shape.kernel[d];
        if (covered < 0 || w.shape.output[d] != covered / w.shape.stride[d] + 1)
            return "ceil_mode: windows that go beyond the padding";
        window *= w.shape.kernel[d];
        overlap *= (w.shape.kernel[d] + w.shape.stride[d] - 1) / w.shape.stride[d];
    }
    if (!is_gradient && window < kLargeWindow)
        return concat("windows of ", window, " elements: a loop of our own is faster below ", kLargeWindow);
    if (is_gradient && overlap < kLargeWindow)
        return concat(overlap, " windows over an element: a loop of our own is faster below ", kLargeWindow);
    return std::nullopt;
}
bool says(const std::optional<std::string>& reason, std::string* why) {
    if (reason && why != nullptr) *why = *reason;
    return !reason;
}
template <std::size_t kSpatial>
bool accepts_forward(Arguments a, std::string* why) {
    return says(why_not(a[0].to_tensor(), a, 1, kSpatial, false), why);
}
template <std::size_t kSpatial>
bool accepts_backward(Arguments a, std::string* why) {
    const Tensor grad = a[0].to_tensor(), input = a[1].to_tensor();
    if (grad.dtype() != input.dtype()) return says("mixed dtypes", why);
    try {
        if (auto reason = why_not(input, a, 2, kSpatial, true)) return says(reason, why);
        if (!std::ranges::equal(grad.sizes(), Windows(input, a, 2, kSpatial).sizes))
            return says("sizes that do not fit", why);
    } catch (const Error&) {
        return says("sizes that do not fit", why);
    }
    return true;
}

}  // namespace

void register_pooling_library(const PluginRegistries& registries) {
    const auto add = [&](std::string_view name, KernelFunction kernel, AcceptFunction accepts) {
        registries.add_kernel(name, DeviceType::Cuda, {"cudnn", kernel, accepts});
    };
    add(kForward2, cudnn_kernel<run_forward<2>, kForward2>, accepts_forward<2>);
    add(kBackward2, cudnn_kernel<run_backward<2>, kBackward2>, accepts_backward<2>);
    add(kForward3, cudnn_kernel<run_forward<3>, kForward3>, accepts_forward<3>);
    add(kBackward3, cudnn_kernel<run_backward<3>, kBackward3>, accepts_backward<3>);
}

}  // namespace loupe::cuda
