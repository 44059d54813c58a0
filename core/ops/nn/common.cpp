// SPDX-License-Identifier: Apache-2.0
#include "core/ops/nn/common.h"

#include <algorithm>

namespace loupe::nn_ops {

Dims channels_last_strides(IntSpan sizes) {
    Dims strides(sizes.size(), 1);
    std::int64_t stride = std::max<std::int64_t>(1, sizes[1]);
    for (std::size_t d = sizes.size(); d-- > 2;) {
        strides[d] = stride;
        stride *= std::max<std::int64_t>(1, sizes[d]);
    }
    strides[0] = stride;
    return strides;
}

TensorMeta follow_layout(Dims sizes, const Tensor& like) {
    TensorMeta meta{std::move(sizes), like.dtype(), like.device()};
    if (meta.sizes.size() >= 4 && prefers_channels_last(like))
        meta.strides = channels_last_strides(span_of(meta.sizes));
    return meta;
}

Dims expand_parameter(const Dims& values, std::size_t n, const char* name) {
    if (values.size() == n) return values;
    require(values.size() == 1, "expected ", name, " to be a single integer value or a list of ", n,
            " values to match the convolution dimensions, but got ", name, "=", shape_list_text(span_of(values)));
    return Dims(n, values[0]);
}

ScalarType compute_dtype(ScalarType dtype) {
    if (dtype == ScalarType::Float64 || is_complex(dtype)) return dtype;
    return is_floating(dtype) ? ScalarType::Float32 : ScalarType::Int64;
}

void require_sizes(const Tensor& t, IntSpan sizes, const char* name) {
    require(std::equal(t.sizes().begin(), t.sizes().end(), sizes.begin(), sizes.end()), "Expected ", name, " of size ",
            shape_list_text(sizes), ", but got ", shape_list_text(t.sizes()));
}

IValue bool_list(std::initializer_list<bool> values) {
    std::vector<IValue> elements(values.begin(), values.end());
    return IValue(make_ptr<ListObject>(types::boolean(), std::move(elements)));
}

}  // namespace loupe::nn_ops
