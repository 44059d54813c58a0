// SPDX-License-Identifier: Apache-2.0
// max_pool2d and 3d with indices. oneDNN returns the position of the maximum in its window, from which indices in the
// plane are computed. The gradient is not here: it adds by the indices, and converting them back to oneDNN's positions
// costs more than that (resnet18's, batch 8: 1.0 ms as it is, 1.2 ms for oneDNN's part only).
#include <limits>

#include "core/ops/nn/simd.h"
#include "plugins/onednn/ops/kernels.h"
#include "plugins/onednn/ops/pooling.h"

namespace loupe::onednn {
namespace {

using nn_ops::PoolShape;

struct Plan {
    Layout src;
    Layout dst;
    dnnl::pooling_v2_forward::primitive_desc descriptor;
    dnnl::pooling_v2_forward primitive;

    Plan(const Layout& src_layout, const Layout& dst_layout, const PoolingGeometry& g)
        : src(src_layout),
          dst(dst_layout),
          descriptor(pooling_forward(engine(), dnnl::algorithm::pooling_max, src, dst, g)),
          primitive(descriptor) {}
};

PlanCache<Plan>& plans() {
    static auto* cache = new PlanCache<Plan>;
    return *cache;
}

template <std::size_t Spatial>
PoolShape shape_of(Arguments a) {
    Dims sizes;
    return nn_ops::pool_shape(a[0].to_tensor(),
                              {a[1].to_ints(), a[2].to_ints(), a[3].to_ints(), a[4].to_ints(), a[5].to_bool()}, Spatial,
                              sizes);
}

// Offset in its plane of each position of a window, from the window's first element.
std::vector<std::int32_t> window_offsets(const PoolShape& s) {
    std::vector<std::int32_t> offsets;
    for (std::int64_t d = 0; d < s.kernel[0]; ++d) {
        for (std::int64_t h = 0; h < s.kernel[1]; ++h) {
            for (std::int64_t w = 0; w < s.kernel[2]; ++w) {
                offsets.push_back(static_cast<std::int32_t>(
                    (d * s.dilation[0] * s.input[1] + h * s.dilation[1]) * s.input[2] + w * s.dilation[2]));
            }
        }
    }
    return offsets;
}

// Offset in its plane of each window's first element; negative in the padding.
std::vector<std::int32_t> window_starts(const PoolShape& s) {
    std::vector<std::int32_t> starts;
    for (std::int64_t d = 0; d < s.output[0]; ++d) {
        for (std::int64_t h = 0; h < s.output[1]; ++h) {
            const std::int64_t row = (d * s.stride[0] - s.padding[0]) * s.input[1] + h * s.stride[1] - s.padding[1];
            for (std::int64_t w = 0; w < s.output[2]; ++w) {
                starts.push_back(static_cast<std::int32_t>(row * s.input[2] + w * s.stride[2] - s.padding[2]));
            }
        }
    }
    return starts;
}

void write_indices(const PoolShape& s, const std::uint8_t* positions, bool channels_last, std::int64_t channels,
                   std::int64_t* indices) {
    const std::vector<std::int32_t> offsets = window_offsets(s);
    const std::vector<std::int32_t> starts = window_starts(s);
    const std::int64_t pixels = s.output_pixels();
    // In rows of one plane's windows, or of one window in all channels.
    const std::int64_t length = channels_last ? channels : pixels;
    parallel_for(0, s.planes * pixels / length, std::max<std::int64_t>(1, 16384 / length),
                 [&](std::int64_t begin, std::int64_t end) {
                     with_best_instructions([&]() LOUPE_INLINE {
                         const std::int32_t* start = starts.data();
                         const std::int32_t* offset = offsets.data();
                         for (std::int64_t row = begin; row < end; ++row) {
                             const std::uint8_t* from = positions + row * length;
                             std::int64_t* to = indices + row * length;
                             if (channels_last) {
                                 const std::int32_t first = start[row % pixels];
#pragma omp simd
                                 for (std::int64_t i = 0; i < length; ++i) to[i] = first + offset[from[i]];
                             } else {
#pragma omp simd
                                 for (std::int64_t i = 0; i < length; ++i) to[i] = start[i] + offset[from[i]];
                             }
                         }
                     });
                 });
}

template <std::size_t Spatial>
bool accepts(Arguments a, std::string* why) {
    if (!accepts_float32(a, {0}, why)) return false;
    const PoolShape s = shape_of<Spatial>(a);
    if (s.dilation != nn_ops::Extents{1, 1, 1}) return decline(why, "dilation");
    if (s.kernel[0] * s.kernel[1] * s.kernel[2] > 255) return decline(why, "a window of more than 255 elements");
    if (s.planes * s.output_pixels() < kSmallestPool) return decline(why, "too few windows");
    if (planes_collide(a[0].to_tensor(), s)) return decline(why, "planes that collide in the cache");
    // Of NaN and -inf oneDNN takes the other, and the lowest number when there is none.
    constexpr float kLowest = std::numeric_limits<float>::lowest();
    if (!all_within(a[0].to_tensor(), kLowest, std::numeric_limits<float>::infinity()))
        return decline(why, "NaN or -inf in the input");
    return true;
}

template <std::size_t Spatial>
void run(Arguments a, IValue* results) {
    const Tensor x = readable(a[0].to_tensor());
    const Tensor out = results[0].to_tensor();
    const Tensor indices = results[1].to_tensor();
    const PoolShape s = shape_of<Spatial>(a);
    Key key;
    add_pooling(key, s, x);
    const Plan& plan = plans().get(key, [&] {
        return Plan(batched_layout(x, Spatial), batched_layout(out, Spatial), pooling_geometry(s, Spatial));
    });
    const Block positions = allocate(plan.descriptor.workspace_desc());
    execute(plan.primitive,
            {{DNNL_ARG_SRC, memory_at(plan.src, x.raw_data())},
             {DNNL_ARG_DST, memory_at(plan.dst, out.raw_data())},
             {DNNL_ARG_WORKSPACE, positions.memory}},
            plan.descriptor.scratchpad_desc());
    write_indices(s, positions.storage.data<std::uint8_t>(), nn_ops::prefers_channels_last(out),
                  out.size(-1 - static_cast<std::int64_t>(Spatial)), indices.data<std::int64_t>());
}

}  // namespace

void register_max_pool(const PluginRegistries& registries) {
    registries.add_kernel("aten::max_pool2d_with_indices", DeviceType::Cpu, {"onednn", run<2>, accepts<2>});
    registries.add_kernel("aten::max_pool3d_with_indices", DeviceType::Cpu, {"onednn", run<3>, accepts<3>});
}

}  // namespace loupe::onednn
