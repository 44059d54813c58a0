// SPDX-License-Identifier: Apache-2.0
#pragma once
// What training on many ranks sends, on paper: messages and bytes of collectives by algorithm, and of a model's step.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/distributed/buckets.h"

namespace loupe::distributed {

// How a collective of `bytes` bytes over n ranks is carried out. Thakur, Rabenseifner and Gropp, "Optimization of
// Collective Communication Operations in MPICH", 2005.
enum class Algorithm : std::uint8_t { Ring, RecursiveHalving, RecursiveDoubling, Tree };
std::string_view algorithm_name(Algorithm algorithm);

struct Traffic {
    std::int64_t steps = 0;     // one after the other: what latency is paid for
    std::int64_t messages = 0;  // that a rank sends; of a tree: the busiest
    double bytes = 0;           // that a rank sends, likewise
};
// All-reduce of that many bytes. Ranks that are no power of two: recursive algorithms fold the others in first, two
// more steps.
Traffic all_reduce_traffic(Algorithm algorithm, double bytes, int ranks);
// All-gather to, or reduce-scatter of, that many bytes: a ring.
Traffic gather_traffic(double bytes, int ranks);
Traffic broadcast_traffic(double bytes, int ranks);  // a binomial tree
// The broadcasts of a step of ZeroRedundancyOptimizer: each parameter by the rank that has updated it, by a binomial
// tree. Of the rank that sends most: it sends its own, and passes on others'.
Traffic zero_traffic(const std::vector<BucketItem>& parameters, int ranks);
// A stage a rank, so many microbatches of activations of that many bytes: of a stage in the middle, where there is one.
Traffic pipeline_traffic(double bytes, int microbatches, int ranks);

// What a step of training sends: the buckets of DistributedDataParallel, in order of launch.
struct StepPlan {
    std::vector<double> buckets;  // bytes
    double bytes = 0;             // of all gradients
    double hidden = 0;            // share of the bytes that is launched before backward ends, at most
};
// parameters: in order of definition, those that are trained.
StepPlan plan_step(const std::vector<BucketItem>& parameters, double cap_bytes = kBucketBytes);

}  // namespace loupe::distributed
