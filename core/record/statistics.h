// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers about the elements of one tensor, from one pass over them.

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/base/fields.h"

namespace loupe::session {

// Of the finite elements of a tensor; complex ones count by magnitude.
struct FiniteStatistics {
    double min = 0;
    double max = 0;
    double mean = 0;
    double variance = 0;  // population
    double abs_max = 0;
    double abs_mean = 0;
    double norm = 0;  // l2

    double standard_deviation() const;
    bool operator==(const FiniteStatistics&) const = default;
};
auto fields(Like<FiniteStatistics> auto& it) {
    return std::tie(it.min, it.max, it.mean, it.variance, it.abs_max, it.abs_mean, it.norm);
}

struct Statistics {
    std::int64_t count = 0;
    std::int64_t nan_count = 0;
    std::int64_t inf_count = 0;
    std::int64_t zero_count = 0;
    // nullopt: no element is finite.
    std::optional<FiniteStatistics> finite;
    // How many finite non-zero elements have a magnitude in [2^(i-1+kLowest), 2^(i+kLowest)); the ends take the rest.
    static constexpr int kLowest = -40;
    std::array<std::uint32_t, 64> exponents{};

    std::int64_t finite_count() const { return count - nan_count - inf_count; }
    bool has_nan_or_inf() const { return nan_count > 0 || inf_count > 0; }
};
auto fields(Like<Statistics> auto& it) {
    return std::tie(it.count, it.nan_count, it.inf_count, it.zero_count, it.finite, it.exponents);
}

// What the finite numbers are of: empty when every element is finite, else "of the finite 43 %", "no finite values" or
// "no elements".
std::string finite_share_text(const Statistics& statistics);
// 1 of 3 as "33 %"; never "0 %" or "100 %" of a part that is neither.
std::string share_text(std::int64_t part, std::int64_t whole);

}  // namespace loupe::session
