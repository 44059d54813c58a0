// SPDX-License-Identifier: Apache-2.0
// avg_pool2d, 3d and their gradients; the adaptive ones where all windows are alike.
#include <algorithm>

#include "plugins/onednn/ops/kernels.h"
#include "plugins/onednn/ops/pooling.h"

namespace loupe::onednn {
namespace {

using nn_ops::PoolShape;

struct ForwardPlan {
    Layout src;
    Layout dst;
    dnnl::pooling_v2_forward::primitive_desc descriptor;
    dnnl::pooling_v2_forward primitive;

    ForwardPlan(dnnl::algorithm algorithm, const Layout& src_layout, const Layout& dst_layout, const PoolingGeometry& g)
        : src(src_layout),
          dst(dst_layout),
          descriptor(pooling_forward(engine(), algorithm, src, dst, g)),
          primitive(descriptor) {}
};
struct BackwardPlan {
    Layout src;
    Layout dst;
    dnnl::pooling_v2_backward::primitive_desc descriptor;
    dnnl::pooling_v2_backward primitive;

    BackwardPlan(dnnl::algorithm algorithm, const Layout& src_layout, const Layout& dst_layout,
                 const PoolingGeometry& g)
        : src(src_layout),
          dst(dst_layout),
          descriptor(pooling_backward(engine(), algorithm, src, dst, g)),
          primitive(descriptor) {}
};

PlanCache<ForwardPlan>& forward_plans() {
    static auto* cache = new PlanCache<ForwardPlan>;
    return *cache;
}
PlanCache<BackwardPlan>& backward_plans() {
    static auto* cache = new PlanCache<BackwardPlan>;
    return *cache;
}

// A window and its divisor.
struct Average {
    PoolShape shape;
    bool count_padding = false;

    dnnl::algorithm algorithm() const {
        return count_padding ? dnnl::algorithm::pooling_avg_include_padding
                             : dnnl::algorithm::pooling_avg_exclude_padding;
    }
};

bool has_padding(const PoolShape& s) {
    return std::any_of(s.padding.begin(), s.padding.end(), [](std::int64_t p) { return p != 0; });
}

// The arguments from kernel_size on: kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override.
template <std::size_t Spatial>
Average average_of(const Tensor& x, Arguments a) {
    Dims sizes;
    Average average{nn_ops::pool_shape(x, {a[0].to_ints(), a[1].to_ints(), a[2].to_ints(), Dims{1}, a[3].to_bool()},
                                       Spatial, sizes)};
    // Without padding only elements in the window count; PyTorch counts none beyond the padding either.
    average.count_padding = a[4].to_bool() && has_padding(average.shape);
    return average;
}

template <std::size_t Spatial>
bool accepts_average(const Tensor& x, Arguments a, std::string* why) {
    if (!a[5].is_none()) return decline(why, "divisor_override");
    const Average average = average_of<Spatial>(x, a);
    if (average.count_padding && overhangs(average.shape))
        return decline(why, "windows that reach beyond the padding (ceil_mode)");
    if (average.shape.planes * average.shape.output_pixels() < kSmallestPool) return decline(why, "too few windows");
    if (planes_collide(x, average.shape)) return decline(why, "planes that collide in the cache");
    return true;
}

// In the gradient of windows that tile planes each number is only copied, which needs no primitive.
bool tiles_planes(const Tensor& x, const PoolShape& s) {
    if (nn_ops::prefers_channels_last(x)) return false;
    for (std::size_t d = 0; d < 3; ++d) {
        if (s.padding[d] != 0 || s.kernel[d] != s.stride[d] || s.output[d] * s.stride[d] != s.input[d]) return false;
    }
    return true;
}

// Windows of adaptive pooling; false when they are not alike.
template <std::size_t Spatial>
bool adaptive_average(const Tensor& x, IntSpan output, Average& average) {
    PoolShape& s = average.shape;
    s.planes = 1;
    const auto leading = x.sizes().size() - Spatial;
    for (std::size_t d = 0; d < leading; ++d) s.planes *= x.sizes()[d];
    for (std::size_t i = 0; i < Spatial; ++i) {
        const std::size_t d = 3 - Spatial + i;
        s.input[d] = x.sizes()[leading + i];
        s.output[d] = output[i];
        if (s.output[d] == 0 || s.input[d] % s.output[d] != 0) return false;
        s.kernel[d] = s.stride[d] = s.input[d] / s.output[d];
    }
    return true;
}

template <std::size_t Spatial>
bool accepts_adaptive_sizes(const Tensor& x, IntSpan output, std::string* why) {
    Average average;
    if (!adaptive_average<Spatial>(x, output, average)) return decline(why, "windows of different sizes");
    if (average.shape.planes * average.shape.output_pixels() < kSmallestPool) return decline(why, "too few windows");
    if (planes_collide(x, average.shape)) return decline(why, "planes that collide in the cache");
    return true;
}

void run(const Average& average, std::size_t spatial, const Tensor& self, const Tensor& out) {
    const Tensor x = readable(self);
    Key key;
    key.add(std::int64_t{average.count_padding});
    add_pooling(key, average.shape, x);
    key.add(out.strides());
    const ForwardPlan& plan = forward_plans().get(key, [&] {
        return ForwardPlan(average.algorithm(), batched_layout(x, spatial), batched_layout(out, spatial),
                           pooling_geometry(average.shape, spatial));
    });
    execute(plan.primitive,
            {{DNNL_ARG_SRC, memory_at(plan.src, x.raw_data())}, {DNNL_ARG_DST, memory_at(plan.dst, out.raw_data())}},
            plan.descriptor.scratchpad_desc());
}

// The layout of the pooled tensor that goes with x's.
Tensor pooled_like(const Tensor& x, const Tensor& grad) {
    const TensorMeta meta = nn_ops::follow_layout(to_dims(grad.sizes()), x);
    if (meta.strides.empty()) return grad.is_contiguous() ? grad : packed(grad);
    if (grad.is_channels_last()) return grad;
    const Tensor copy = empty_strided(grad.sizes(), span_of(meta.strides), grad.dtype());
    copy_strided(copy, grad);
    return copy;
}

void run_backward(const Average& average, std::size_t spatial, const Tensor& grad_output, const Tensor& out) {
    const Tensor g = pooled_like(out, grad_output);
    Key key;
    key.add(std::int64_t{average.count_padding});
    add_pooling(key, average.shape, out);
    key.add(g.strides());
    const BackwardPlan& plan = backward_plans().get(key, [&] {
        return BackwardPlan(average.algorithm(), batched_layout(out, spatial), batched_layout(g, spatial),
                            pooling_geometry(average.shape, spatial));
    });
    execute(plan.primitive,
            {{DNNL_ARG_DIFF_DST, memory_at(plan.dst, g.raw_data())},
             {DNNL_ARG_DIFF_SRC, memory_at(plan.src, out.raw_data())}},
            plan.descriptor.scratchpad_desc());
}

// ---- operators

template <std::size_t Spatial>
bool accepts_forward(Arguments a, std::string* why) {
    return accepts_float32(a, {0}, why) && accepts_average<Spatial>(a[0].to_tensor(), a.subspan(1), why);
}
template <std::size_t Spatial>
void forward(Arguments a, IValue* results) {
    const Tensor x = a[0].to_tensor();
    run(average_of<Spatial>(x, a.subspan(1)), Spatial, x, results[0].to_tensor());
}

template <std::size_t Spatial>
bool accepts_backward(Arguments a, std::string* why) {
    if (!accepts_float32(a, {0, 1}, why) || !accepts_average<Spatial>(a[1].to_tensor(), a.subspan(2), why))
        return false;
    if (tiles_planes(a[1].to_tensor(), average_of<Spatial>(a[1].to_tensor(), a.subspan(2)).shape))
        return decline(why, "windows that tile the input");
    return true;
}
template <std::size_t Spatial>
void backward(Arguments a, IValue* results) {
    run_backward(average_of<Spatial>(a[1].to_tensor(), a.subspan(2)), Spatial, a[0].to_tensor(),
                 results[0].to_tensor());
}

template <std::size_t Spatial>
bool accepts_adaptive(Arguments a, std::string* why) {
    const Dims output = a[1].to_ints();
    return accepts_float32(a, {0}, why) && accepts_adaptive_sizes<Spatial>(a[0].to_tensor(), span_of(output), why);
}
template <std::size_t Spatial>
void adaptive(Arguments a, IValue* results) {
    Average average;
    const Dims output = a[1].to_ints();
    adaptive_average<Spatial>(a[0].to_tensor(), span_of(output), average);
    run(average, Spatial, a[0].to_tensor(), results[0].to_tensor());
}

template <std::size_t Spatial>
bool accepts_adaptive_backward(Arguments a, std::string* why) {
    const IntSpan output = a[0].to_tensor().sizes().last(Spatial);
    if (!accepts_float32(a, {0, 1}, why) || !accepts_adaptive_sizes<Spatial>(a[1].to_tensor(), output, why))
        return false;
    if (!nn_ops::prefers_channels_last(a[1].to_tensor())) return decline(why, "windows that tile the input");
    return true;
}
template <std::size_t Spatial>
void adaptive_backward(Arguments a, IValue* results) {
    Average average;
    adaptive_average<Spatial>(a[1].to_tensor(), a[0].to_tensor().sizes().last(Spatial), average);
    run_backward(average, Spatial, a[0].to_tensor(), results[0].to_tensor());
}

}  // namespace

void register_avg_pool(const PluginRegistries& registries) {
    const auto add = [&](const char* op, KernelFunction kernel, AcceptFunction accepts) {
        registries.add_kernel(op, DeviceType::Cpu, {"onednn", kernel, accepts});
    };
    add("aten::avg_pool2d", forward<2>, accepts_forward<2>);
    add("aten::avg_pool3d", forward<3>, accepts_forward<3>);
    add("aten::avg_pool2d_backward", backward<2>, accepts_backward<2>);
    add("aten::avg_pool3d_backward", backward<3>, accepts_backward<3>);
    add("aten::_adaptive_avg_pool2d", adaptive<2>, accepts_adaptive<2>);
    add("aten::_adaptive_avg_pool3d", adaptive<3>, accepts_adaptive<3>);
    add("aten::_adaptive_avg_pool2d_backward", adaptive_backward<2>, accepts_adaptive_backward<2>);
    add("aten::_adaptive_avg_pool3d_backward", adaptive_backward<3>, accepts_adaptive_backward<3>);
}

}  // namespace loupe::onednn
