// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/layout.h"

#include <algorithm>
#include <numeric>

namespace loupe {
namespace {

using Operands = boost::container::small_vector<const TensorImpl*, 4>;

// The stride of operand t along dimension d of a result with `rank` dimensions; 0 where it is broadcast.
std::int64_t stride_along(const TensorImpl& t, std::size_t d, std::size_t rank) {
    const std::size_t missing = rank - t.sizes.size();
    if (d < missing || t.sizes[d - missing] == 1) return 0;
    return t.strides[d - missing];
}

// Is dimension a inside dimension b (of smaller stride) by the operands' strides? 0: ambiguous.
int compare_dims(std::size_t a, std::size_t b, IntSpan sizes, std::span<const TensorImpl* const> operands) {
    for (const TensorImpl* t : operands) {
        const std::int64_t stride_a = stride_along(*t, a, sizes.size());
        const std::int64_t stride_b = stride_along(*t, b, sizes.size());
        if (stride_a == 0 || stride_b == 0) continue;
        if (stride_a != stride_b) return stride_a < stride_b ? 1 : -1;
        if (sizes[a] > sizes[b]) return -1;
    }
    return 0;
}

bool same_layout(const TensorImpl& a, const TensorImpl& b) { return a.sizes == b.sizes && a.strides == b.strides; }

}  // namespace

Dims dense_strides_like(IntSpan sizes, std::span<const TensorImpl* const> operands) {
    const std::size_t rank = sizes.size();
    // Innermost first; insertion sort, because the comparison is not a total order.
    Dims order(rank);
    for (std::size_t i = 0; i < rank; ++i) order[i] = static_cast<std::int64_t>(rank - 1 - i);
    for (std::size_t i = 1; i < rank; ++i) {
        std::size_t inner = i;
        for (std::size_t j = i; j-- > 0;) {
            const int comparison = compare_dims(static_cast<std::size_t>(order[j]),
                                                static_cast<std::size_t>(order[inner]), sizes, operands);
            if (comparison > 0) break;
            if (comparison < 0) {
                std::swap(order[j], order[inner]);
                inner = j;
            }
        }
    }
    if (std::is_sorted(order.rbegin(), order.rend())) return {};
    Dims strides(rank);
    std::int64_t stride = 1;
    for (const auto d : order) {
        strides[static_cast<std::size_t>(d)] = stride;
        stride *= std::max<std::int64_t>(sizes[static_cast<std::size_t>(d)], 1);
    }
    return strides;
}

TensorMeta elementwise_meta(std::span<const IValue> operands, ScalarType dtype) {
    Operands tensors;
    for (const IValue& v : operands) {
        if (v.is_tensor()) tensors.push_back(v.tensor_impl());
    }
    TensorMeta meta;
    meta.dtype = dtype;
    if (tensors.empty()) return meta;
    meta.device = tensors[0]->storage->device();
    meta.sizes = tensors[0]->sizes;
    bool all_contiguous = tensors[0]->contiguous;
    bool all_same = true;
    for (std::size_t i = 1; i < tensors.size(); ++i) {
        // Memory order comes from tensors with dimensions, the device from those that are not on the CPU.
        if (meta.device.type == DeviceType::Cpu) meta.device = tensors[i]->storage->device();
        if (tensors[i]->sizes != meta.sizes)
            meta.sizes = broadcast_shapes(span_of(meta.sizes), span_of(tensors[i]->sizes));
        all_contiguous &= tensors[i]->contiguous;
        all_same &= same_layout(*tensors[0], *tensors[i]);
    }
    if (all_contiguous) return meta;
    if (all_same && Tensor(Ptr<TensorImpl>(const_cast<TensorImpl*>(tensors[0]))).is_non_overlapping_and_dense()) {
        meta.strides = tensors[0]->strides;
        return meta;
    }
    meta.strides = dense_strides_like(span_of(meta.sizes), {tensors.data(), tensors.size()});
    return meta;
}

TensorMeta same_meta(const Tensor& self, ScalarType dtype) {
    const IValue operand(self);
    return elementwise_meta(std::span(&operand, 1), dtype);
}

}  // namespace loupe
