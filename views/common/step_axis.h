// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// An axis of training steps, linear or by powers of ten, with an even bucket a few pixels wide.

#include <cmath>
#include <cstdint>
#include <vector>

namespace loupe::views {

struct StepAxis {
    std::int64_t first = 1;
    std::int64_t last = 1;
    bool is_log = false;

    double position(double step) const { return is_log ? std::log10(std::max(step, 0.5)) : step; }
    std::int64_t stepAt(double position) const { return std::llround(is_log ? std::pow(10.0, position) : position); }
    // Edges of at most `most` buckets between the first step and the one after the last, even along the axis. On a
    // logarithmic axis adjacent ones may contain the same step.
    std::vector<std::int64_t> edges(std::size_t most) const {
        const double low = position(static_cast<double>(first)), high = position(static_cast<double>(last + 1));
        const auto count = is_log ? most : std::min<std::size_t>(most, static_cast<std::size_t>(last + 1 - first));
        std::vector<std::int64_t> out;
        for (std::size_t i = 0; i <= count; ++i) {
            const double at = low + (high - low) * static_cast<double>(i) / static_cast<double>(count);
            out.push_back(static_cast<std::int64_t>(std::floor((is_log ? std::pow(10.0, at) : at) + 1e-9)));
        }
        out.back() = last + 1;
        return out;
    }
};

}  // namespace loupe::views
