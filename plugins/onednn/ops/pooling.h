// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared by max_pool and avg_pool.

#include "core/ops/nn/pooling.h"
#include "plugins/onednn/runtime.h"

namespace loupe::onednn {

// Below, making and looking up a primitive costs more than it saves.
inline constexpr std::int64_t kSmallestPool = 256;  // outputs

// Geometry of the last `spatial` dimensions.
PoolingGeometry pooling_geometry(const nn_ops::PoolShape& s, std::size_t spatial);
// Does some window reach beyond the padding, as ceil_mode allows?
bool overhangs(const nn_ops::PoolShape& s);
// The layout of t, with a batch of one when t [C, *] has none.
Layout batched_layout(const Tensor& t, std::size_t spatial);
// Are the planes of a tensor in row-major order a multiple of 64 KiB apart? oneDNN reads several at once, which then
// evict each other from the cache.
bool planes_collide(const Tensor& t, const nn_ops::PoolShape& s);
void add_pooling(Key& key, const nn_ops::PoolShape& s, const Tensor& x);

}  // namespace loupe::onednn
