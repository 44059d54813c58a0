// SPDX-License-Identifier: Apache-2.0
#include "core/ops/nn/rounded_moments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace loupe::nn_ops {
namespace {

constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kChunk = 16;

BFloat16 rounded(float x) { return BFloat16(x); }
float wide(BFloat16 x) { return static_cast<float>(x); }
BFloat16 add(BFloat16 a, BFloat16 b) { return rounded(wide(a) + wide(b)); }
BFloat16 sub(BFloat16 a, BFloat16 b) { return rounded(wide(a) - wide(b)); }
BFloat16 mul(BFloat16 a, BFloat16 b) { return rounded(wide(a) * wide(b)); }
BFloat16 div(BFloat16 a, BFloat16 b) { return rounded(wide(a) / wide(b)); }
BFloat16 count(std::int64_t n) { return rounded(static_cast<float>(n)); }

// One row's count, mean and sum of squares around it.
struct Sums {
    std::int64_t n = 0;
    BFloat16 mean = rounded(0);
    BFloat16 squares = rounded(0);

    void take(BFloat16 x, BFloat16 share) {
        const BFloat16 delta = sub(x, mean);
        mean = add(mean, mul(delta, share));
        squares = add(squares, mul(delta, sub(x, mean)));
    }
    void take_last(BFloat16 x) {
        const BFloat16 delta = sub(x, mean);
        mean = add(mean, div(delta, count(++n)));
        squares = add(squares, mul(delta, sub(x, mean)));
    }
    void join(const Sums& other) {
        const std::int64_t total = n + other.n;
        const BFloat16 share = total == 0 ? rounded(0) : div(count(other.n), count(total));
        const BFloat16 delta = sub(other.mean, mean);
        mean = add(mean, mul(share, delta));
        squares = add(squares, add(other.squares, mul(mul(mul(delta, delta), share), count(n))));
        n = total;
    }
};
using Lanes = std::array<Sums, kLanes>;

void join(Lanes& to, const Lanes& from) {
    for (std::size_t i = 0; i < kLanes; ++i) to[i].join(from[i]);
}

Lanes chunk_sums(const BFloat16* x, std::int64_t vectors) {
    Lanes lanes;
    for (std::int64_t j = 0; j < vectors; ++j) {
        const BFloat16 share = div(rounded(1), count(j + 1));
        for (std::size_t i = 0; i < kLanes; ++i) lanes[i].take(x[j * kLanes + static_cast<std::int64_t>(i)], share);
    }
    for (Sums& lane : lanes) lane.n = vectors;
    return lanes;
}

}  // namespace

RoundedMoments rounded_moments(const BFloat16* x, std::int64_t n) {
    const std::int64_t vectors = n / kLanes;
    const std::int64_t chunks = (vectors + kChunk - 1) / kChunk;
    std::vector<Lanes> levels(1);
    while (std::int64_t{1} << levels.size() <= chunks && chunks > 1) levels.emplace_back();
    for (std::int64_t c = 0; c < chunks; ++c) {
        join(levels[0], chunk_sums(x + c * kChunk * kLanes, std::min(kChunk, vectors - c * kChunk)));
        std::int64_t mask = c + 1;
        for (std::size_t level = 1; level < levels.size() && (mask & 1) == 0; ++level, mask >>= 1) {
            join(levels[level], levels[level - 1]);
            levels[level - 1] = Lanes{};
        }
    }
    for (std::size_t level = 1; level < levels.size(); ++level) join(levels[0], levels[level]);
    Sums all;
    for (std::int64_t i = vectors * kLanes; i < n; ++i) all.take_last(x[i]);
    for (Sums lane : levels[0]) {
        lane.n = vectors;
        all.join(lane);
    }
    return {all.mean, div(all.squares, count(n))};
}

BFloat16 RoundedMoments::inverse_deviation(double eps) const {
    const BFloat16 floor = rounded(std::max(wide(variance), 0.0F));
    const BFloat16 total = add(floor, rounded(static_cast<float>(eps)));
    return div(rounded(1), rounded(std::sqrt(wide(total))));
}

}  // namespace loupe::nn_ops
