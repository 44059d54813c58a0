// SPDX-License-Identifier: Apache-2.0
#include "core/record/statistics.h"

#include <cmath>
#include <cstdio>

#include "core/base/strings.h"

namespace loupe::session {

double FiniteStatistics::standard_deviation() const { return std::sqrt(variance); }

std::string share_text(std::int64_t part, std::int64_t whole) {
    if (part == 0 || whole <= 0) return "0 %";
    if (part == whole) return "100 %";
    const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    if (percent < 0.1) return "< 0.1 %";
    if (percent > 99.9) return "> 99.9 %";
    char text[32];
    std::snprintf(text, sizeof text, percent < 1 || percent > 99 ? "%.1f %%" : "%.0f %%", percent);
    return text;
}

std::string finite_share_text(const Statistics& statistics) {
    if (statistics.count == 0) return "no elements";
    if (!statistics.has_nan_or_inf()) return {};
    if (statistics.finite_count() == 0) return "no finite values";
    return concat("of the finite ", share_text(statistics.finite_count(), statistics.count));
}

}  // namespace loupe::session
