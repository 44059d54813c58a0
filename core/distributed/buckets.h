// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which gradients go together: PyTorch's rule.

#include <cstddef>
#include <vector>

#include "core/tensor/tensor.h"

namespace loupe::distributed {

constexpr std::size_t kFirstBucketBytes = 1024 * 1024;
constexpr std::size_t kBucketBytes = 25 * 1024 * 1024;

struct BucketPlan {
    std::vector<std::vector<std::size_t>> buckets;  // places in the list of tensors
    std::vector<std::size_t> limits;                // bytes, one a bucket
};

// What is known of a tensor.
struct BucketItem {
    std::size_t bytes = 0;
    ScalarType dtype = ScalarType::Float32;
    Device device = {};
};

// torch.distributed._compute_bucket_assignment_by_size: one dtype and device a bucket, closed when it has reached its
// limit; the first takes limits[0], the next the next, the last limit stays. indices: what the places are called, in
// order of arrival; empty: 0, 1, ..., and the buckets are sorted by their least.
BucketPlan assign_buckets(const std::vector<BucketItem>& items, const std::vector<std::size_t>& limits,
                          const std::vector<std::size_t>& indices = {});
BucketItem bucket_item(const Tensor& tensor);

}  // namespace loupe::distributed
