// SPDX-License-Identifier: Apache-2.0
#include "core/ops/indexing/indices.h"

#include "core/kernels/elementwise.h"
#include "core/tensor/device_copy.h"

namespace loupe::indexing {

Tensor dense(const Tensor& t, ScalarType dtype) {
    if (t.is_contiguous() && t.dtype() == dtype) return t;
    const Tensor out = empty(t.sizes(), dtype, t.device());
    copy_into(out, t);
    return out;
}
Tensor dense(const Tensor& t) { return dense(t, t.dtype()); }

std::vector<std::int64_t> index_values(const Tensor& index) {
    const Tensor flat = on_host(dense(index, ScalarType::Int64));
    const auto* values = flat.data<std::int64_t>();
    return {values, values + flat.numel()};
}

Lines lines_of(IntSpan sizes, std::int64_t dim) {
    Lines lines;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        const auto at = static_cast<std::int64_t>(d);
        (at < dim ? lines.outer : at == dim ? lines.size : lines.inner) *= sizes[d];
    }
    return lines;
}

}  // namespace loupe::indexing
