// SPDX-License-Identifier: Apache-2.0
#pragma once
// What max_pool and avg_pool share.

#include "core/ops/nn/pooling.h"
#include "plugins/onednn/runtime.h"

namespace loupe::onednn {

// Below, making and finding a primitive costs what it gains.
inline constexpr std::int64_t kSmallestPool = 256;  // outputs

// Geometry of the last `spatial` dimensions.
PoolingGeometry pooling_geometry(const nn_ops::PoolShape& s, std::size_t spatial);
// Does some window reach beyond the padding, as ceil_mode allows?
bool overhangs(const nn_ops::PoolShape& s);
// The layout of t, with a batch of one when t [C, *] has none.
Layout batched_layout(const Tensor& t, std::size_t spatial);
// Do the planes of a tensor in row-major order lie a multiple of 64 KiB apart? oneDNN reads several at once, and they throw
// each other out of the cache.
bool planes_collide(const Tensor& t, const nn_ops::PoolShape& s);
void add_pooling(Key& key, const nn_ops::PoolShape& s, const Tensor& x);

}  // namespace loupe::onednn
