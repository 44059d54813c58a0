// SPDX-License-Identifier: Apache-2.0
#include "core/distributed/buckets.h"

#include <algorithm>

#include "core/base/error.h"

namespace loupe::distributed {

BucketItem bucket_item(const Tensor& tensor) { return {tensor.bytes(), tensor.dtype(), tensor.device()}; }

BucketPlan assign_buckets(const std::vector<BucketItem>& items, const std::vector<std::size_t>& limits,
                          const std::vector<std::size_t>& indices) {
    if (limits.empty()) throw Error(ErrorKind::Usage, "buckets have a limit of bytes");
    struct Open {
        ScalarType dtype;
        Device device;
        std::vector<std::size_t> members;
        std::size_t bytes = 0;
        std::size_t limit = 0;  // place in limits
    };
    struct Made {
        std::vector<std::size_t> members;
        std::size_t limit;
    };
    std::vector<Open> open;
    std::vector<Made> made;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const BucketItem& item = items[i];
        auto bucket = std::find_if(open.begin(), open.end(), [&](const Open& each) {
            return each.dtype == item.dtype && each.device == item.device;
        });
        if (bucket == open.end()) bucket = open.insert(open.end(), Open{item.dtype, item.device, {}, 0, 0});
        bucket->members.push_back(indices.empty() ? i : indices[i]);
        bucket->bytes += item.bytes;
        if (bucket->bytes < limits[bucket->limit]) continue;
        made.push_back({std::move(bucket->members), limits[bucket->limit]});
        bucket->members.clear();
        bucket->bytes = 0;
        bucket->limit = std::min(bucket->limit + 1, limits.size() - 1);
    }
    for (Open& bucket : open) {
        if (!bucket.members.empty()) made.push_back({std::move(bucket.members), limits[bucket.limit]});
    }
    if (indices.empty()) {
        std::stable_sort(made.begin(), made.end(), [](const Made& a, const Made& b) {
            return *std::min_element(a.members.begin(), a.members.end()) <
                   *std::min_element(b.members.begin(), b.members.end());
        });
    }
    BucketPlan plan;
    for (Made& each : made) {
        plan.buckets.push_back(std::move(each.members));
        plan.limits.push_back(each.limit);
    }
    return plan;
}

}  // namespace loupe::distributed
