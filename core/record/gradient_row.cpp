// SPDX-License-Identifier: Apache-2.0
#include "core/record/gradient_row.h"

#include <limits>

namespace loupe::session {

std::int64_t GradientRow::count() const {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) {
        if (__builtin_mul_overflow(count, size, &count)) return std::numeric_limits<std::int64_t>::max();
    }
    return count;
}

std::string GradientRow::finite_share_text() const {
    Statistics counts;
    counts.count = count();
    counts.nan_count = nan_count;
    counts.inf_count = inf_count;
    return session::finite_share_text(counts);
}

std::optional<double> GradientRow::weight_ratio() const {
    if (role != Role::Weight || !finite || !weight_norm || *weight_norm <= 0) return std::nullopt;
    return finite->norm / *weight_norm;
}

void GradientRow::set_gradient(const Statistics& gradient) {
    has_gradient = true;
    nan_count = gradient.nan_count;
    inf_count = gradient.inf_count;
    const auto elements = static_cast<double>(gradient.count);
    zero_fraction = elements > 0 ? static_cast<double>(gradient.zero_count) / elements : 0;
    finite.reset();
    if (gradient.finite) finite = {gradient.finite->abs_mean, gradient.finite->abs_max, gradient.finite->norm};
}

}  // namespace loupe::session
