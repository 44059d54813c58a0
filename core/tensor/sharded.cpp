// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/sharded.h"

namespace loupe {

Tensor make_sharded(const Tensor& local, std::shared_ptr<const ShardSpec> spec, IntSpan sizes) {
    Tensor made = make_with_parts(std::make_shared<const ShardedParts>(local, std::move(spec)), sizes, local.dtype());
    // It has no elements of its own, and is where its part is.
    if (!local.device().is_cpu()) made.impl()->storage = Storage::allocate(0, local.device());
    return made;
}

Tensor with_local(const Tensor& t, const Tensor& local) {
    return make_sharded(local, sharded_parts(t).spec, t.sizes());
}

}  // namespace loupe
