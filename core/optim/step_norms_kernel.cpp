// SPDX-License-Identifier: Apache-2.0
// The vectorised sums of step_norms.h: elements are floats, their squares are summed as doubles.
#include "core/optim/step_norms_kernel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/optim/step_norms_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace loupe::optim::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

double sum_of_squares(const float* HWY_RESTRICT x, std::int64_t n) {
    const hn::ScalableTag<double> d;
    const hn::Rebind<float, decltype(d)> df;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    auto a = hn::Zero(d), b = hn::Zero(d);
    std::int64_t i = 0;
    for (; i + 2 * lanes <= n; i += 2 * lanes) {
        const auto p = hn::PromoteTo(d, hn::LoadU(df, x + i));
        const auto q = hn::PromoteTo(d, hn::LoadU(df, x + i + lanes));
        a = hn::MulAdd(p, p, a);
        b = hn::MulAdd(q, q, b);
    }
    double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(a, b)));
    for (; i < n; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
    return sum;
}

void sum_moved(const float* HWY_RESTRICT after, const float* HWY_RESTRICT before, std::int64_t n,
               double* HWY_RESTRICT moved, double* HWY_RESTRICT size) {
    const hn::ScalableTag<double> d;
    const hn::Rebind<float, decltype(d)> df;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    auto changes = hn::Zero(d), sizes = hn::Zero(d);
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
        const auto was = hn::PromoteTo(d, hn::LoadU(df, before + i));
        const auto change = hn::Sub(hn::PromoteTo(d, hn::LoadU(df, after + i)), was);
        changes = hn::MulAdd(change, change, changes);
        sizes = hn::MulAdd(was, was, sizes);
    }
    *moved += hn::GetLane(hn::SumOfLanes(d, changes));
    *size += hn::GetLane(hn::SumOfLanes(d, sizes));
    for (; i < n; ++i) {
        const auto was = static_cast<double>(before[i]);
        const double change = static_cast<double>(after[i]) - was;
        *moved += change * change;
        *size += was * was;
    }
}

}  // namespace loupe::optim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace loupe::optim {

HWY_EXPORT(sum_of_squares);
HWY_EXPORT(sum_moved);

double sum_of_squares(const float* x, std::int64_t n) { return HWY_DYNAMIC_DISPATCH(sum_of_squares)(x, n); }
void sum_moved(const float* after, const float* before, std::int64_t n, double& moved, double& size) {
    HWY_DYNAMIC_DISPATCH(sum_moved)(after, before, n, &moved, &size);
}

}  // namespace loupe::optim
#endif
