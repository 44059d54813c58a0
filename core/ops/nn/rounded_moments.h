// SPDX-License-Identifier: Apache-2.0
#pragma once
// Mean and variance of bfloat16 rows as PyTorch's layer_norm and group_norm find them: Welford's update in 16 lanes, in
// chunks that are joined pairwise, every step rounded to bfloat16. With so few bits the order of the steps is visible.

#include <array>
#include <cstdint>

#include "core/tensor/half.h"

namespace loupe::nn_ops {

struct RoundedMoments {
    BFloat16 mean;
    BFloat16 variance;  // biased

    // 1 / sqrt(max(variance, 0) + eps), each step rounded.
    BFloat16 inverse_deviation(double eps) const;
};
RoundedMoments rounded_moments(const BFloat16* x, std::int64_t n);

// A number of bfloat16 that is rounded after every operation.
struct Rounded {
    float value = 0;

    Rounded() = default;
    explicit Rounded(float x) : value(static_cast<float>(BFloat16(x))) {}
    friend Rounded operator+(Rounded a, Rounded b) { return Rounded(a.value + b.value); }
    friend Rounded operator-(Rounded a, Rounded b) { return Rounded(a.value - b.value); }
    friend Rounded operator*(Rounded a, Rounded b) { return Rounded(a.value * b.value); }
    Rounded operator-() const { return Rounded(-value); }
    Rounded& operator+=(Rounded b) { return *this = *this + b; }
};
// The sum of term(0), ..., term(n - 1) as PyTorch's vectors of bfloat16 find it: 16 sums, their sum, then the
// remainder.
template <typename Term>
Rounded rounded_sum(std::int64_t n, Term&& term) {
    constexpr std::int64_t kLanes = 16;
    std::array<Rounded, kLanes> lanes;
    const std::int64_t vectors = n / kLanes * kLanes;
    for (std::int64_t i = 0; i < vectors; ++i) lanes[static_cast<std::size_t>(i % kLanes)] += term(i);
    Rounded sum;
    if (vectors > 0) {
        for (const Rounded lane : lanes) sum += lane;
    }
    for (std::int64_t i = vectors; i < n; ++i) sum += term(i);
    return sum;
}

}  // namespace loupe::nn_ops
