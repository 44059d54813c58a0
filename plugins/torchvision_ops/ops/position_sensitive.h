// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared by ps_roi_align and ps_roi_pool: bin (i, j) of result channel c reads input channel (c height + i) width + j.

#include <functional>

#include "core/ops/nn/common.h"

namespace loupe::torchvision_ops {

MetaList infer_position_sensitive(const Tensor& input, const Tensor& rois, std::int64_t pooled_height,
                                  std::int64_t pooled_width, const char* name);
TensorMeta infer_position_sensitive_backward(const Tensor& grad, const Tensor& rois, const Tensor& mapping,
                                             std::int64_t pooled_height, std::int64_t pooled_width,
                                             const Dims& input_sizes, const char* kernel);
// The channel that each bin reads.
void fill_channel_mapping(const Tensor& mapping);

// Calls its argument with (index in grad, channel) for the bins of a region that read a thread's channels.
using BinVisitor = std::function<void(const std::function<void(std::int64_t index, std::int64_t channel)>&)>;
// Calls visit(region, bins) for each region in order, with channels split over threads.
// mapping: [K, C, height, width], contiguous int32. Throws for a channel that does not exist.
void each_region(const Tensor& mapping, std::int64_t channels,
                 const std::function<void(std::int64_t, const BinVisitor&)>& visit);

}  // namespace loupe::torchvision_ops
