// SPDX-License-Identifier: Apache-2.0
#include "plugins/torchvision_ops/ops/position_sensitive.h"

#include <algorithm>

#include "core/base/parallel.h"
#include "plugins/torchvision_ops/ops/roi.h"

namespace loupe::torchvision_ops {

MetaList infer_position_sensitive(const Tensor& input, const Tensor& rois, std::int64_t pooled_height,
                                  std::int64_t pooled_width, const char* name) {
    const std::string kernel = concat(name, "_forward_kernel");
    check_rois(rois, "Tensor rois should have shape as Tensor[K, 5]");
    check_same_dtype(input, "input", rois, kernel.c_str());
    check_images(input, name);
    require(pooled_height != 0 && pooled_width != 0, name, ": the pooled size must not be 0, but is ", pooled_height,
            "x", pooled_width);
    std::int64_t bins = 0;
    require(!__builtin_mul_overflow(pooled_height, pooled_width, &bins) && input.size(1) % bins == 0,
            "input channels must be a multiple of pooling height * pooling width");
    const Dims sizes{rois.size(0), input.size(1) / bins, pooled_height, pooled_width};
    if (checked_numel(span_of(sizes)) != 0) check_roi_dtype(input.dtype(), kernel.c_str());
    return {{sizes, input.dtype(), input.device()}, {sizes, ScalarType::Int32, input.device()}};
}

TensorMeta infer_position_sensitive_backward(const Tensor& grad, const Tensor& rois, const Tensor& mapping,
                                             std::int64_t pooled_height, std::int64_t pooled_width,
                                             const Dims& input_sizes, const char* kernel) {
    check_same_dtype(grad, "grad", rois, kernel);
    checked_numel(span_of(input_sizes));
    if (grad.numel() != 0) {
        check_rois(rois, "Tensor rois should have shape as Tensor[K, 5]");
        require(pooled_height > 0 && pooled_width > 0, "the pooled size must be positive, but is ", pooled_height, "x",
                pooled_width);
        check_grad(grad, rois, input_sizes[1] / pooled_height / pooled_width, pooled_height, pooled_width);
        check_indices(mapping, grad, "channel_mapping");
        check_roi_dtype(grad.dtype(), kernel);
    }
    return {input_sizes, grad.dtype(), grad.device()};
}

void fill_channel_mapping(const Tensor& mapping) {
    const Tensor buffer = buffer_for(mapping);
    const std::int64_t channels = mapping.numel() / mapping.size(0);
    for (std::int64_t i = 0; i < mapping.numel(); ++i)
        buffer.data<std::int32_t>()[i] = static_cast<std::int32_t>(i % channels);
    put_back(mapping, buffer);
}

void each_region(const Tensor& mapping, std::int64_t channels,
                 const std::function<void(std::int64_t, const BinVisitor&)>& visit) {
    const auto* channel_of = mapping.data<std::int32_t>();
    for (std::int64_t i = 0; i < mapping.numel(); ++i) {
        require(channel_of[i] >= 0 && channel_of[i] < channels, "channel_mapping holds ", channel_of[i],
                ", which is none of the ", channels, " channels");
    }
    const std::int64_t regions = mapping.size(0);
    const std::int64_t bins = mapping.numel() / regions;
    parallel_for(0, channels, std::max<std::int64_t>(1, 2048 / regions), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t n = 0; n < regions; ++n) {
            visit(n, [&](const std::function<void(std::int64_t, std::int64_t)>& at_bin) {
                for (std::int64_t i = n * bins; i < (n + 1) * bins; ++i) {
                    if (channel_of[i] >= begin && channel_of[i] < end) at_bin(i, channel_of[i]);
                }
            });
        }
    });
}

}  // namespace loupe::torchvision_ops
