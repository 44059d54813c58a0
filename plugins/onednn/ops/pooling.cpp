// SPDX-License-Identifier: Apache-2.0
#include "plugins/onednn/ops/pooling.h"

#include <algorithm>

namespace loupe::onednn {
namespace {

// How far the windows go beyond the input's end.
std::int64_t reach_beyond(const nn_ops::PoolShape& s, std::size_t d) {
    return (s.output[d] - 1) * s.stride[d] - s.padding[d] + s.dilation[d] * (s.kernel[d] - 1) + 1 - s.input[d];
}

}  // namespace

PoolingGeometry pooling_geometry(const nn_ops::PoolShape& s, std::size_t spatial) {
    PoolingGeometry g;
    for (std::size_t d = 3 - spatial; d < 3; ++d) {
        g.kernel.push_back(s.kernel[d]);
        g.strides.push_back(s.stride[d]);
        g.dilates.push_back(s.dilation[d] - 1);
        g.padding_left.push_back(s.padding[d]);
        g.padding_right.push_back(std::max(s.padding[d], reach_beyond(s, d)));
    }
    return g;
}

bool overhangs(const nn_ops::PoolShape& s) {
    for (std::size_t d = 0; d < 3; ++d) {
        if (reach_beyond(s, d) > s.padding[d]) return true;
    }
    return false;
}

Layout batched_layout(const Tensor& t, std::size_t spatial) {
    if (static_cast<std::size_t>(t.dim()) == spatial + 2) return layout_of(t);
    Memory::dims sizes = dims_of(t.sizes());
    Memory::dims strides = dims_of(t.strides());
    sizes.insert(sizes.begin(), 1);
    strides.insert(strides.begin(), t.numel());
    return {sizes, Memory::data_type::f32, strides};
}

bool planes_collide(const Tensor& t, const nn_ops::PoolShape& s) {
    const std::int64_t bytes = s.input_pixels() * t.element_size();
    return s.planes > 1 && !nn_ops::prefers_channels_last(t) && bytes % (std::int64_t{64} << 10) == 0;
}

void add_pooling(Key& key, const nn_ops::PoolShape& s, const Tensor& x) {
    for (const nn_ops::Extents* extents : {&s.output, &s.kernel, &s.stride, &s.padding, &s.dilation}) {
        for (const std::int64_t extent : *extents) key.add(extent);
    }
    key.add(x.sizes()).add(x.strides());
}

}  // namespace loupe::onednn
