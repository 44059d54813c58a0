// SPDX-License-Identifier: Apache-2.0
#include "plugins/cuda/operators/taps.h"

#include <algorithm>

#include "core/tensor/device_copy.h"
#include "plugins/cuda/loops/host.h"
#include "plugins/cuda/loops/taps.h"
#include "plugins/cuda/operators/dense.h"

namespace loupe::cuda {
namespace {

template <typename T>
Tensor sent(std::span<const T> values, Device device) {
    const std::int64_t count = static_cast<std::int64_t>(values.size());
    return on_device(tensor_of(values, std::span(&count, 1)), device);
}

}  // namespace

bool apply_taps(const Tensor& to, const Tensor& from, std::span<const DimTaps> dims) {
    if (to.numel() == 0) return true;
    if (dims.size() > kMaxTapDims || to.dtype() != from.dtype()) return false;
    const bool adds = std::ranges::any_of(dims, [](const DimTaps& d) { return d.depth != 1 || !d.weight.empty(); });
    if (adds && (!is_known(to.dtype()) || is_integral(to.dtype()))) return false;
    TapLoop loop;
    TensorList kept;
    for (std::size_t d = 0; d < dims.size(); ++d) {
        loop.sizes[d] = to.sizes()[d];
        loop.to[d] = to.strides()[d] * to.element_size();
        loop.from[d] = from.strides()[d] * from.element_size();
        loop.depth[d] = 1;
        loop.count *= to.sizes()[d];
        if (dims[d].places == 0) continue;
        loop.depth[d] = static_cast<int>(dims[d].depth);
        kept.push_back(sent(dims[d].index, to.device()));
        loop.index[d] = static_cast<const std::int64_t*>(address_of(kept.back()));
        if (dims[d].weight.empty()) continue;
        kept.push_back(sent(dims[d].weight, to.device()));
        loop.weight[d] = static_cast<const double*>(address_of(kept.back()));
    }
    loop.dims = static_cast<int>(dims.size());
    const Queue queue = queue_of(to.device());
    if (adds) return run_taps(queue, loop, element_of(to.dtype()), address_of(from), address_of(to));
    run_tap_copy(queue, loop, static_cast<int>(to.element_size()), address_of(from), address_of(to));
    return true;
}

}  // namespace loupe::cuda
