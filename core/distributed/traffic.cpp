// SPDX-License-Identifier: Apache-2.0
#include "core/distributed/traffic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace loupe::distributed {
namespace {

int floor_log2(int n) { return static_cast<int>(std::bit_width(static_cast<unsigned>(n))) - 1; }
int ceil_log2(int n) { return n <= 1 ? 0 : floor_log2(n - 1) + 1; }
bool is_power_of_two(int n) { return std::has_single_bit(static_cast<unsigned>(n)); }

}  // namespace

std::string_view algorithm_name(Algorithm algorithm) {
    static constexpr std::array<std::string_view, 4> kNames{"ring", "recursive halving", "recursive doubling", "tree"};
    return kNames[static_cast<std::size_t>(algorithm)];
}

Traffic all_reduce_traffic(Algorithm algorithm, double bytes, int ranks) {
    if (ranks <= 1) return {};
    const double share = static_cast<double>(ranks - 1) / ranks;
    const int folds = is_power_of_two(ranks) ? 0 : 1;
    const int power = 1 << floor_log2(ranks);
    switch (algorithm) {
        case Algorithm::Ring:
            return {2 * (ranks - 1), 2 * (ranks - 1), 2 * share * bytes};
        case Algorithm::RecursiveHalving: {
            const double halves = 2 * static_cast<double>(power - 1) / power;
            const int steps = 2 * floor_log2(ranks) + 2 * folds;
            return {steps, 2 * floor_log2(ranks) + folds, (halves + folds) * bytes};
        }
        case Algorithm::RecursiveDoubling:
            return {floor_log2(ranks) + 2 * folds, floor_log2(ranks) + folds, (floor_log2(ranks) + folds) * bytes};
        case Algorithm::Tree:
            break;
    }
    // Up to the root, and down again: the root sends to all its children.
    return {2 * ceil_log2(ranks), ceil_log2(ranks), ceil_log2(ranks) * bytes};
}

Traffic gather_traffic(double bytes, int ranks) {
    if (ranks <= 1) return {};
    return {ranks - 1, ranks - 1, static_cast<double>(ranks - 1) / ranks * bytes};
}

Traffic broadcast_traffic(double bytes, int ranks) {
    if (ranks <= 1) return {};
    return {ceil_log2(ranks), ceil_log2(ranks), ceil_log2(ranks) * bytes};
}

Traffic zero_traffic(const std::vector<BucketItem>& parameters, int ranks) {
    if (ranks <= 1) return {};
    // PyTorch's rule: the greatest first, each to the rank that has least.
    std::vector<std::size_t> order(parameters.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return parameters[a].bytes > parameters[b].bytes; });
    const auto count = static_cast<std::size_t>(ranks);
    std::vector<double> owned(count);
    std::vector<Traffic> sent(count);
    for (const std::size_t place : order) {
        const auto bytes = static_cast<double>(parameters[place].bytes);
        const auto owner = static_cast<std::size_t>(std::min_element(owned.begin(), owned.end()) - owned.begin());
        owned[owner] += bytes;
        // As Open MPI places ranks in the tree: the root and rank 0 change places.
        for (std::size_t rank = 0; rank < count; ++rank) {
            const std::size_t at = rank == owner ? 0 : rank == 0 ? owner : rank;
            for (std::size_t step = 1; step < count; step *= 2) {
                if (step <= at || at + step >= count) continue;
                ++sent[rank].messages;
                sent[rank].bytes += bytes;
            }
        }
    }
    Traffic most = *std::max_element(sent.begin(), sent.end(),
                                     [](const Traffic& a, const Traffic& b) { return a.bytes < b.bytes; });
    most.steps = static_cast<std::int64_t>(parameters.size()) * ceil_log2(ranks);
    return most;
}

Traffic pipeline_traffic(double bytes, int microbatches, int ranks) {
    if (ranks <= 1) return {};
    const int messages = (ranks > 2 ? 2 : 1) * microbatches;
    return {2 * (ranks - 1 + microbatches - 1), messages, messages * bytes};
}

StepPlan plan_step(const std::vector<BucketItem>& parameters, double cap_bytes) {
    StepPlan plan;
    // Gradients come in about the reverse order of definition.
    const std::vector<BucketItem> arrival(parameters.rbegin(), parameters.rend());
    const auto cap = static_cast<std::size_t>(cap_bytes);
    std::vector<std::size_t> order(arrival.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (const auto& bucket : assign_buckets(arrival, {std::min(kFirstBucketBytes, cap), cap}, order).buckets) {
        double bytes = 0;
        for (const std::size_t place : bucket) bytes += static_cast<double>(arrival[place].bytes);
        plan.buckets.push_back(bytes);
        plan.bytes += bytes;
    }
    if (plan.bytes > 0) plan.hidden = 1 - plan.buckets.back() / plan.bytes;
    return plan;
}

}  // namespace loupe::distributed
