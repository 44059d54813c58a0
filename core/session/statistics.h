// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers about the elements of one tensor, from one pass over them.

#include <array>
#include <cstdint>

namespace loupe::session {

struct Statistics {
    std::int64_t count = 0;
    std::int64_t nan_count = 0;
    std::int64_t inf_count = 0;
    std::int64_t zero_count = 0;
    // Of the finite elements; complex ones count by magnitude. 0 when there are none.
    double min = 0;
    double max = 0;
    double mean = 0;
    double variance = 0;  // population
    double abs_max = 0;
    double abs_mean = 0;
    double norm = 0;      // l2
    // How many finite non-zero elements have a magnitude in [2^(i-1+kLowest), 2^(i+kLowest)); the ends take the rest.
    static constexpr int kLowest = -40;
    std::array<std::uint32_t, 64> exponents{};

    double standard_deviation() const;
    bool has_nan_or_inf() const { return nan_count > 0 || inf_count > 0; }
};

}  // namespace loupe::session
