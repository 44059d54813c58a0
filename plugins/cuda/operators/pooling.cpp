// SPDX-License-Identifier: Apache-2.0
#include "core/ops/nn/pooling.h"

#include "core/base/error.h"
#include "core/dispatch/boxing.h"
#include "plugins/cuda/loops/pooling.h"
#include "plugins/cuda/operators/layout.h"
#include "plugins/cuda/operators/operators.h"

namespace loupe::cuda {
namespace {

using nn_ops::PoolParameters;
using nn_ops::PoolShape;

// In the layout of the input, which has the windows' dimensions last.
PoolGeometry geometry_of(const Tensor& input, std::size_t spatial) {
    PoolGeometry g;
    const auto rank = static_cast<std::size_t>(input.dim());
    g.channels = input.sizes()[rank - spatial - 1];
    g.batch = rank == spatial + 2 ? input.sizes()[0] : 1;
    g.last = rank == spatial + 2 && is_channels_last(input);
    g.element = element_of(input.dtype());
    return g;
}
PoolGeometry windows_of(const Tensor& input, const PoolParameters& parameters, std::size_t spatial, Dims& sizes) {
    const PoolShape s = nn_ops::pool_shape(input, parameters, spatial, sizes);
    PoolGeometry g = geometry_of(input, spatial);
    for (std::size_t d = 0; d < 3; ++d) {
        g.input[d] = s.input[d];
        g.output[d] = s.output[d];
        g.kernel[d] = s.kernel[d];
        g.stride[d] = s.stride[d];
        g.padding[d] = s.padding[d];
        g.dilation[d] = s.dilation[d];
    }
    return g;
}
PoolGeometry adaptive_windows(const Tensor& input, IntSpan output, std::size_t spatial) {
    PoolGeometry g = geometry_of(input, spatial);
    g.adaptive = true;
    for (std::size_t i = 0; i < spatial; ++i) {
        g.input[3 - spatial + i] = input.sizes()[input.sizes().size() - spatial + i];
        g.output[3 - spatial + i] = output[output.size() - spatial + i];
    }
    return g;
}

void find_greatest(const PoolGeometry& g, const Tensor& self, const Tensor& out, const Tensor& indices) {
    if (out.numel() == 0) return;
    const Tensor x = in_layout(self, g.last, self.dtype());
    const Tensor y = room_in(out, g.last, self.dtype()), at = room_in(indices, g.last, ScalarType::Int64);
    run_max_pool(queue_of(self.device()), g, address_of(x), address_of(y), static_cast<std::int64_t*>(address_of(at)));
    if (!y.is_same(out)) copy_into(out, y);
    if (!at.is_same(indices)) copy_into(indices, at);
}
void spread_greatest(const PoolGeometry& g, const Tensor& out, const Tensor& grad_output, const Tensor& indices) {
    if (out.numel() == 0) return;
    const Tensor grad = in_layout(grad_output, g.last, out.dtype()), at = in_layout(indices, g.last, ScalarType::Int64);
    const Tensor room = room_in(out, g.last, out.dtype());
    run_max_pool_gradient(queue_of(out.device()), g, address_of(grad), static_cast<const std::int64_t*>(address_of(at)),
                          address_of(room));
    if (!room.is_same(out)) copy_into(out, room);
}
void find_means(const PoolGeometry& g, const Tensor& self, const Tensor& out) {
    if (out.numel() == 0) return;
    const Tensor x = in_layout(self, g.last, self.dtype()), y = room_in(out, g.last, self.dtype());
    run_mean_pool(queue_of(self.device()), g, address_of(x), address_of(y));
    if (!y.is_same(out)) copy_into(out, y);
}
void spread_means(const PoolGeometry& g, const Tensor& out, const Tensor& grad_output) {
    if (out.numel() == 0) return;
    const Tensor grad = in_layout(grad_output, g.last, out.dtype()), room = room_in(out, g.last, out.dtype());
    run_mean_pool_gradient(queue_of(out.device()), g, address_of(grad), address_of(room));
    if (!room.is_same(out)) copy_into(out, room);
}

template <std::size_t kSpatial>
void max_pool(const Tensor& out, const Tensor& indices, const Tensor& self, const Dims& kernel, const Dims& stride,
              const Dims& padding, const Dims& dilation, bool ceil) {
    Dims sizes;
    find_greatest(windows_of(self, {kernel, stride, padding, dilation, ceil}, kSpatial, sizes), self, out, indices);
}
template <std::size_t kSpatial>
void max_pool_backward(const Tensor& out, const Tensor& grad_output, const Tensor& self, const Dims& kernel,
                       const Dims& stride, const Dims& padding, const Dims& dilation, bool ceil,
                       const Tensor& indices) {
    Dims sizes;
    spread_greatest(windows_of(self, {kernel, stride, padding, dilation, ceil}, kSpatial, sizes), out, grad_output,
                    indices);
}
template <std::size_t kSpatial>
void adaptive_max_pool(const Tensor& out, const Tensor& indices, const Tensor& self, const Dims&) {
    find_greatest(adaptive_windows(self, out.sizes(), kSpatial), self, out, indices);
}
template <std::size_t kSpatial>
void adaptive_max_pool_backward(const Tensor& out, const Tensor& grad_output, const Tensor& self,
                                const Tensor& indices) {
    spread_greatest(adaptive_windows(self, grad_output.sizes(), kSpatial), out, grad_output, indices);
}

template <std::size_t kSpatial>
PoolGeometry mean_windows(const Tensor& self, const Dims& kernel, const Dims& stride, const Dims& padding, bool ceil,
                          bool include_pad, const std::optional<std::int64_t>& divisor) {
    Dims sizes;
    PoolGeometry g = windows_of(self, {kernel, stride, padding, Dims{1}, ceil}, kSpatial, sizes);
    g.count_include_pad = include_pad;
    g.divisor = divisor.value_or(0);
    return g;
}
template <std::size_t kSpatial>
void avg_pool(const Tensor& out, const Tensor& self, const Dims& kernel, const Dims& stride, const Dims& padding,
              bool ceil, bool include_pad, const std::optional<std::int64_t>& divisor) {
    find_means(mean_windows<kSpatial>(self, kernel, stride, padding, ceil, include_pad, divisor), self, out);
}
template <std::size_t kSpatial>
void avg_pool_backward(const Tensor& out, const Tensor& grad_output, const Tensor& self, const Dims& kernel,
                       const Dims& stride, const Dims& padding, bool ceil, bool include_pad,
                       const std::optional<std::int64_t>& divisor) {
    spread_means(mean_windows<kSpatial>(self, kernel, stride, padding, ceil, include_pad, divisor), out, grad_output);
}
template <std::size_t kSpatial>
void adaptive_avg_pool(const Tensor& out, const Tensor& self, const Dims&) {
    find_means(adaptive_windows(self, out.sizes(), kSpatial), self, out);
}
template <std::size_t kSpatial>
void adaptive_avg_pool_backward(const Tensor& out, const Tensor& grad_output, const Tensor& self) {
    spread_means(adaptive_windows(self, grad_output.sizes(), kSpatial), out, grad_output);
}

bool same_sizes(IntSpan a, IntSpan b) { return std::ranges::equal(a, b); }

// Gradients of the sizes that the forward pass gave; the host refuses others in words.
template <std::size_t kSpatial, bool kMax>
bool takes_gradient(Arguments a, std::string* why) {
    if (!takes_floating<0, 1>(a, why)) return false;
    const Tensor grad = a[0].to_tensor(), self = a[1].to_tensor();
    bool fits = true;
    try {
        Dims sizes;
        windows_of(self,
                   {a[2].to_ints(), a[3].to_ints(), a[4].to_ints(), kMax ? a[5].to_ints() : Dims{1},
                    a[kMax ? 6 : 5].to_bool()},
                   kSpatial, sizes);
        fits = same_sizes(grad.sizes(), span_of(sizes));
    } catch (const Error&) {
        fits = false;
    }
    if constexpr (kMax) {
        const Tensor indices = a[7].to_tensor();
        fits = fits && same_sizes(indices.sizes(), grad.sizes()) && indices.dtype() == ScalarType::Int64;
    } else {
        fits = fits && (a[7].is_none() || a[7].to_int() != 0);
    }
    if (!fits && why != nullptr) *why = "sizes that do not fit";
    return fits;
}
template <std::size_t kSpatial, bool kMax>
bool takes_adaptive_gradient(Arguments a, std::string* why) {
    if (!takes_floating<0, 1>(a, why)) return false;
    const Tensor grad = a[0].to_tensor(), self = a[1].to_tensor();
    bool fits = grad.dim() == self.dim() && self.numel() > 0 && grad.numel() > 0 &&
                (self.dim() == kSpatial + 1 || self.dim() == kSpatial + 2);
    for (std::size_t d = 0; fits && d + kSpatial < self.sizes().size(); ++d) fits = grad.sizes()[d] == self.sizes()[d];
    if constexpr (kMax) {
        const Tensor indices = a[2].to_tensor();
        fits = fits && same_sizes(indices.sizes(), grad.sizes()) && indices.dtype() == ScalarType::Int64;
    }
    if (!fits && why != nullptr) *why = "sizes that do not fit";
    return fits;
}

// Whole numbers too.
bool takes_pooled(Arguments a, std::string* why) {
    if (!takes(a, why)) return false;
    const ScalarType dtype = a[0].to_tensor().dtype();
    const bool is_taken = is_known(dtype) && dtype != ScalarType::Bool;
    if (!is_taken && why != nullptr) *why = std::string(dtype_name(dtype)) + " input";
    return is_taken;
}

template <std::size_t kSpatial>
void register_for(const Registration& to) {
    const std::string d = std::to_string(kSpatial) + "d";
    to.add("aten::max_pool" + d + "_with_indices", filling<max_pool<kSpatial>, 2>, takes_pooled);
    to.add("aten::max_pool" + d + "_with_indices_backward", filling<max_pool_backward<kSpatial>>,
           takes_gradient<kSpatial, true>);
    to.add("aten::adaptive_max_pool" + d, filling<adaptive_max_pool<kSpatial>, 2>, takes_floating<0>);
    to.add("aten::adaptive_max_pool" + d + "_backward", filling<adaptive_max_pool_backward<kSpatial>>,
           takes_adaptive_gradient<kSpatial, true>);
    to.add("aten::avg_pool" + d, filling<avg_pool<kSpatial>>, takes_pooled);
    to.add("aten::avg_pool" + d + "_backward", filling<avg_pool_backward<kSpatial>>, takes_gradient<kSpatial, false>);
    to.add("aten::_adaptive_avg_pool" + d, filling<adaptive_avg_pool<kSpatial>>, takes_floating<0>);
    to.add("aten::_adaptive_avg_pool" + d + "_backward", filling<adaptive_avg_pool_backward<kSpatial>>,
           takes_adaptive_gradient<kSpatial, false>);
}

}  // namespace

void register_pooling(const Registration& to) {
    register_for<2>(to);
    register_for<3>(to);
}

}  // namespace loupe::cuda
